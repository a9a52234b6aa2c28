"""What users rely on: streams, weights, stopping, input of every kind, and what a fit tells."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

import rosenblatt as rb
from rosenblatt.estimators import MEMBERS
from tests import oracles

NAMED = pytest.mark.parametrize("name", [n for n in MEMBERS if n != "PerceptronClassifier"])
READOUTS = pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])


@pytest.fixture(scope="module")
def noisy():
    X, y = make_classification(400, 12, n_informative=6, flip_y=0.1, random_state=0)
    return X, np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X, y


def same(one, other):
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.n_updates_ == other.n_updates_


# --- streams --------------------------------------------------------------------------------


@READOUTS
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("classes", [2, 10])
def test_a_stream_equals_one_pass(digits, readout, sparse, classes):
    X, y = digits
    keep = y < classes
    X, y = X[keep][:600], y[keep][:600]
    X = sp.csr_matrix(X) if sparse else X
    model = rb.PerceptronClassifier("plain", readout, max_iter=1, shuffle=False, n_jobs=1)
    if readout == "pocket":
        model = rb.PocketPerceptron(max_iter=1, shuffle=False, ratchet=False)
    whole = clone(model).fit(X, y)
    stream = clone(model)
    for rows in np.array_split(np.arange(len(y)), 7):
        stream.partial_fit(X[rows], y[rows], classes=np.unique(y))
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-12, atol=1e-12)
    assert stream.n_updates_ == whole.n_updates_
    assert stream.pass_mistakes_.sum() == whole.pass_mistakes_[0]
    np.testing.assert_array_equal(stream.predict(X), whole.predict(X))
    if readout == "voted":
        np.testing.assert_array_equal(stream.votes_, whole.votes_)


# They look at all examples before they take one, or take their scale from all.
WHOLE = ("Maxover", "MinOver", "ThermalPerceptron")
STREAMING = [n for n, kind in MEMBERS.items() if hasattr(kind(), "partial_fit")]


@pytest.mark.parametrize("name", [name for name in STREAMING if name not in WHOLE])
def test_every_rule_streams(name, digits):
    X, y = digits
    whole = MEMBERS[name](max_iter=1, shuffle=False, multiclass="ovr")
    if name == "PocketPerceptron":
        whole.set_params(ratchet=False)
    if name == "BatchPerceptron":  # a batch is what one call is given
        whole.set_params(method="stochastic")
    stream = clone(whole)
    whole.fit(X[:300], y[:300])
    for rows in np.array_split(np.arange(300), 4):
        stream.partial_fit(X[rows], y[rows], classes=np.unique(y))
    if name == "KernelPerceptron":
        scores = whole.decision_function(X), stream.decision_function(X)
        np.testing.assert_allclose(scores[1], scores[0], rtol=1e-8, atol=1e-9)
    else:
        np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("sparse", [False, True])
def test_new_classes_may_appear(digits, readout, multiclass, sparse):
    X, y = digits
    X = sp.csr_matrix(X) if sparse else X
    model = rb.PerceptronClassifier("pa1", readout, multiclass=multiclass)
    for limit in (2, 3, 6, 10):
        chosen = np.flatnonzero(y < limit)
        before = model.decision_function(X[chosen]) if hasattr(model, "coef_") else None
        known = getattr(model, "classes_", np.arange(0))
        model.partial_fit(X[chosen[:1]], y[chosen[:1]], classes=np.arange(limit))
        if before is not None and readout == "last":
            now = model.decision_function(X[chosen])
            assert now.shape[1] == limit > len(known)
        for _ in range(5):
            model.partial_fit(X[chosen], y[chosen])
        assert model.score(X[chosen], y[chosen]) > 0.9
    np.testing.assert_array_equal(model.classes_, np.arange(10))


def test_a_vote_refuses_new_classes_midway(digits):
    X, y = digits
    model = rb.VotedPerceptron().partial_fit(X[:50], y[:50] % 2)
    with pytest.raises(ValueError, match="announce all with `classes`"):
        model.partial_fit(X[:50], y[:50])
    assert len(model.classes_) == 2


def test_two_classes_become_three_without_forgetting(digits):
    X, y = digits
    two = np.flatnonzero(y < 2)
    model = rb.Perceptron().partial_fit(X[two], y[two])
    margin = model.decision_function(X[two])
    third = np.flatnonzero(y == 2)[:1]
    model.partial_fit(X[third] * 0, y[third])  # announces class 2 and moves the intercepts only
    scores = model.decision_function(X[two])
    shift = scores[:, 1] - scores[:, 0] - margin
    np.testing.assert_allclose(shift, shift[0], atol=1e-9)


# --- starts ---------------------------------------------------------------------------------


def test_warm_start_goes_on(noisy):
    X, y = noisy
    once = rb.Perceptron(max_iter=1, shuffle=False, warm_start=True)
    for _ in range(3):
        once.fit(X, y)
    thrice = rb.Perceptron(max_iter=3, shuffle=False).fit(X, y)
    np.testing.assert_allclose(once.coef_, thrice.coef_, rtol=1e-12)


def test_warm_start_of_an_average_goes_on_from_the_last_hypothesis(noisy):
    X, y = noisy
    warm = rb.AveragedPerceptron(max_iter=1, shuffle=False, warm_start=True).fit(X, y)
    last = rb.Perceptron(max_iter=1, shuffle=False).fit(X, y)
    warm.fit(X, y)
    again = rb.AveragedPerceptron(max_iter=1, shuffle=False)
    again.fit(X, y, coef_init=last.coef_, intercept_init=last.intercept_)
    np.testing.assert_allclose(warm.coef_, again.coef_, rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_start_weights(classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    rows = 1 if classes == 2 else classes
    W, b = np.full((rows, 4), 0.5), np.full(rows, -1.0)
    model = rb.Perceptron(max_iter=1, shuffle=False, intercept_scaling=2.0)
    model.fit(X, y, coef_init=W, intercept_init=b)
    if classes == 2:
        A = np.column_stack([X, np.full(len(X), 2.0)])
        start = np.append(W[0], b[0] / 2.0)
        path = oracles.plain(A, np.where(y == 1, 1.0, -1.0), np.arange(len(X)), start=start)
        np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_[0] / 2), path[-1])
    assert model.n_updates_ > 0


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_threshold(fit_intercept):
    """The unit fires above the threshold: in learning, and in prediction."""
    X, y = load_iris(return_X_y=True)
    y = np.where(y == 0, 1, -1)
    model = rb.Perceptron(threshold=3.0, fit_intercept=fit_intercept, shuffle=False).fit(X, y)
    w, b = np.zeros(4), 0.0
    while True:
        changed = False
        for x, label in zip(X, y, strict=True):
            if label * (w @ x + b - 3.0) <= 0:
                w, b, changed = w + label * x, b + label * fit_intercept, True
        if not changed:
            break
    np.testing.assert_allclose(model.coef_[0], w)
    np.testing.assert_allclose(model.intercept_[0], b - 3.0)
    assert model.score(X, y) == 1.0


# --- weights --------------------------------------------------------------------------------


def test_sample_weights_scale_the_step(noisy):
    X, y = noisy
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.1, 3, len(y))
    model = rb.Perceptron(max_iter=2, shuffle=False).fit(X, y, sample_weight=weights)
    A = np.column_stack([X, np.ones(len(X))])
    order = np.tile(np.arange(len(y)), 2)
    path = oracles.plain(A, np.where(y == "yes", 1.0, -1.0), order, weights=weights)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), path[-1], rtol=1e-9)


def test_an_example_of_weight_zero_is_left_out(noisy):
    X, y = noisy
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    with_zeros = rb.Perceptron(shuffle=False, max_iter=5).fit(X, y, sample_weight=weights)
    without = rb.Perceptron(shuffle=False, max_iter=5).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_allclose(with_zeros.coef_, without.coef_)


def test_class_weights_count_on_both_sides(digits):
    """One-vs-rest: an example's weight is that of its class, also where it is a negative."""
    X, y = digits
    weight = {c: 1.0 + c for c in range(10)}
    by_class = rb.Perceptron(multiclass="ovr", class_weight=weight, max_iter=2, random_state=0)
    by_sample = rb.Perceptron(multiclass="ovr", max_iter=2, random_state=0)
    same(by_class.fit(X, y), by_sample.fit(X, y, sample_weight=1.0 + y))


@NAMED
def test_no_weight_makes_a_rule_run_away(name, noisy):
    X, y = noisy
    model = MEMBERS[name](class_weight={"no": 1000.0, "yes": 0.001}, random_state=0, max_iter=50)
    model.fit(X, y)
    assert (model.predict(X) == "no").mean() > 0.5


# --- stopping -------------------------------------------------------------------------------


def test_it_stops_at_the_first_clean_pass():
    X, y = load_iris(return_X_y=True)
    model = rb.Perceptron(random_state=0, max_iter=1000).fit(X, y == 0)
    assert model.converged_
    assert model.pass_mistakes_[-1] == 0
    assert (model.pass_mistakes_[:-1] > 0).all()
    assert model.n_iter_ == len(model.pass_mistakes_) < 1000
    assert model.score(X, y == 0) == 1.0


def test_it_says_when_it_could_not_finish(noisy):
    X, y = noisy
    with pytest.warns(ConvergenceWarning, match="max_iter=3") as caught:
        rb.Perceptron(max_iter=3).fit(X, y)
    assert "early_stopping" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_mistakes_and_errors_are_two_numbers(noisy):
    X, y = noisy
    model = rb.Perceptron(max_iter=4, random_state=0).fit(X, y)
    assert model.pass_errors_[-1] == (model.predict(X) != y).sum()
    assert not np.array_equal(model.pass_mistakes_, model.pass_errors_)
    quick = rb.Perceptron(max_iter=4, random_state=0, count_errors=False).fit(X, y)
    assert (quick.pass_errors_ == -1).all()
    same(model, quick)


@READOUTS
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_early_stopping_keeps_the_best_weights(digits, readout, multiclass):
    X, y = digits
    X, y, V, v = X[:800], y[:800], X[800:], y[800:]
    model = rb.PerceptronClassifier(
        "plain", readout, early_stopping=True, n_iter_no_change=3, random_state=0,
        multiclass=multiclass,
    )  # fmt: skip
    model.fit(X, y, X_val=V, y_val=v)
    assert model.score(V, v) == model.validation_score_
    curve = []
    for passes in range(1, model.n_iter_ + 1):
        part = rb.PerceptronClassifier(
            "plain", readout, max_iter=passes, random_state=0, multiclass=multiclass
        )
        curve.append(part.fit(X, y).score(V, v))
    assert model.validation_score_ == max(curve)


def test_early_stopping_splits_by_itself(noisy):
    X, y = noisy
    model = rb.AveragedPerceptron(early_stopping=True, random_state=0).fit(X, y)
    assert model.stopped_early_
    assert model._examples == 360


def test_validation_data_without_early_stopping_are_an_error(noisy):
    X, y = noisy
    with pytest.raises(ValueError, match="early_stopping=True"):
        rb.Perceptron().fit(X, y, X_val=X, y_val=y)


def test_callbacks():
    callback = pytest.importorskip("sklearn.callback")

    class Recorder(callback.FitCallback):
        def __init__(self):
            self.seen = []

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, **kwargs):
            pass

        def on_fit_task_end(self, estimator, context, **kwargs):
            self.seen.append(context.task_name)
            return len(self.seen) == 3

    X, y = load_breast_cancer(return_X_y=True)
    recorder = Recorder()
    model = rb.Perceptron(random_state=0)
    model.set_callbacks(recorder)
    model.fit(X, y)
    assert model.n_iter_ == 3
    assert model.stopped_early_


def test_verbose_tells_of_each_pass(noisy, capsys):
    X, y = noisy
    rb.Perceptron(max_iter=3, verbose=2).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "mistakes while learning" in lines[0]


# --- input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_data_frames_keep_their_names(library):
    pytest.importorskip(library)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = (X - X.mean()) / X.std()
    plain = rb.Perceptron(random_state=0, max_iter=5).fit(X.to_numpy(), y.to_numpy())
    if library == "polars":
        import polars

        frame = polars.from_pandas(X)
    elif library == "pyarrow":
        import pyarrow

        frame = pyarrow.Table.from_pandas(X)
    else:
        frame = X
    model = rb.Perceptron(random_state=0, max_iter=5).fit(frame, y)
    same(plain, model)
    assert model.feature_names_in_[0] == "mean radius"
    top = model.top_features(2)[1]
    best = X.columns[np.argsort(model.coef_[0])[::-1][:2]]
    assert [name for name, _ in top["positive"]] == list(best)
    assert model.score(frame, y) == plain.score(X.to_numpy(), y)


def test_float32_is_learned_in_doubles(digits):
    X, y = digits
    one = rb.Perceptron(random_state=0, max_iter=5).fit(X.astype(np.float32), y)
    two = rb.Perceptron(random_state=0, max_iter=5).fit(X, y)
    same(one, two)
    np.testing.assert_array_equal(
        one.decision_function(X.astype(np.float32)), two.decision_function(X)
    )


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("classes", [2, 10])
@pytest.mark.parametrize("large", [False, True])
def test_sparse_equals_dense(digits, kind, classes, large):
    X, y = digits
    X, y = X[y < classes], y[y < classes]
    S = kind(X)
    if large and S.format == "csr":
        S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    for name in ("Perceptron", "AveragedPerceptron", "VotedPerceptron", "PocketPerceptron"):
        dense = MEMBERS[name](random_state=0, max_iter=3).fit(X, y)
        sparse = MEMBERS[name](random_state=0, max_iter=3).fit(S, y)
        same(dense, sparse)
        np.testing.assert_array_equal(dense.predict(X), sparse.predict(S))


def test_repeated_entries_of_a_sparse_matrix_add_up():
    raw = sp.csr_matrix((2, 1))
    raw.data, raw.indices = np.array([1.0, 2.0, -3.0]), np.array([0, 0, 0], np.int32)
    raw.indptr = np.array([0, 2, 3], np.int32)
    same(
        rb.PassiveAggressive(shuffle=False).fit(raw, [1, 0]),
        rb.PassiveAggressive(shuffle=False).fit(np.array([[3.0], [-3.0]]), [1, 0]),
    )


def test_a_read_only_memory_map_is_read_in_place(tmp_path, digits):
    X, y = digits
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    same(
        rb.Perceptron(random_state=0, max_iter=3).fit(mapped, y),
        rb.Perceptron(random_state=0, max_iter=3).fit(X, y),
    )


@pytest.mark.parametrize("order", ["cyclic", "shuffled", "blocks", "sampled", "given"])
def test_orders(noisy, order):
    X, y = noisy
    visits = np.arange(len(y))[::-1] if order == "given" else order
    one, two = (rb.Perceptron(order=visits, max_iter=4, random_state=3).fit(X, y) for _ in range(2))
    same(one, two)
    seen = np.concatenate([one.journal_.updates.i])
    assert seen.max() < len(y)
    if order == "given":
        same(one, rb.Perceptron(shuffle=False, max_iter=4).fit(X[::-1], y[::-1]))


def test_a_sampled_order_converges_only_with_proof():
    X, y = load_iris(return_X_y=True)
    model = rb.Perceptron(order="sampled", random_state=0, max_iter=500).fit(X, y == 0)
    assert model.converged_
    assert model.score(X, y == 0) == 1.0


def test_an_order_that_leaves_examples_out_proves_nothing():
    X = np.array([[1.0], [-1.0], [5.0], [4.0]])
    y = np.array([1, 0, 0, 1])
    model = rb.Perceptron(order=[0, 1], max_iter=10).fit(X, y)
    assert not model.converged_
    assert model.pass_errors_[-1] > 0


# --- many classes ---------------------------------------------------------------------------


def test_one_vs_rest_is_a_binary_fit_for_each_class(digits):
    X, y = digits
    model = rb.Perceptron(multiclass="ovr", max_iter=3, shuffle=False).fit(X, y)
    for c in range(10):
        alone = rb.Perceptron(max_iter=3, shuffle=False).fit(X, y == c)
        np.testing.assert_array_equal(model.coef_[c], alone.coef_[0])
        assert model.journal_[c].counters == alone.journal_.counters


def test_threads_change_nothing(digits):
    X, y = digits
    one, two = (
        rb.VotedPerceptron(multiclass="ovr", max_iter=3, random_state=0, n_jobs=jobs).fit(X, y)
        for jobs in (None, 2)
    )
    same(one, two)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("scheme", ["max", "uniform", "proportional", "projection"])
def test_schemes_learn(digits, scheme):
    X, y = digits
    model = rb.AveragedPerceptron(scheme=scheme, max_iter=10, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.97


def test_voted_native_is_the_vote_of_all_hypotheses():
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    order = np.random.default_rng(0).permutation(150)
    model = rb.VotedPerceptron(order=order, max_iter=1).fit(X, y)
    A = np.column_stack([X, np.ones(150)])
    W = oracles.multiclass_plain(A, y, order, 3)
    votes = np.zeros((150, 3))
    for w in W[1:]:
        votes[np.arange(150), np.argmax(A @ w.T, axis=1)] += 1
    np.testing.assert_array_equal(model.decision_function(X), votes)


@pytest.mark.parametrize("rule", ["plain", "pa1", "romma", "alma", "ballseptron"])
def test_voted_is_the_vote_of_all_hypotheses(rule):
    from tests.laws.cases import ORACLES

    X, y = load_iris(return_X_y=True)
    X, labels = scale(X), np.where(y == 1, 1.0, -1.0)
    order = np.random.default_rng(1).permutation(150)
    model = rb.PerceptronClassifier(rule, "voted", order=order, max_iter=1).fit(X, y == 1)
    A = np.column_stack([X, np.ones(150)])
    W = ORACLES[rule](A, labels, order)
    np.testing.assert_array_equal(model.decision_function(X), oracles.voted_scores(W, A))


# --- what a fit tells -----------------------------------------------------------------------


def test_margins_are_distances():
    X, y = load_iris(return_X_y=True)
    model = rb.Perceptron(random_state=0).fit(X, y == 0)
    each, least = model.margins(X, y == 0)
    w = np.append(model.coef_[0], model.intercept_[0])
    signs = np.where(y == 0, 1, -1)
    expected = signs * (X @ model.coef_[0] + model.intercept_[0]) / np.linalg.norm(w)
    np.testing.assert_allclose(each, expected)
    assert least == pytest.approx(model.margin_bracket_[0])
    assert least > 0


def test_margins_with_many_classes(digits):
    X, y = digits
    model = rb.Perceptron(random_state=0, max_iter=200).fit(X, y)
    assert model.converged_
    least = model.margins(X, y)[1]
    assert least == pytest.approx(model.margin_bracket_[0], rel=1e-9)
    assert model.n_updates_ <= (model.radius_ / least) ** 2


def test_summary_says_what_is_proved(noisy):
    X, y = load_iris(return_X_y=True, as_frame=True)
    done = rb.AveragedPerceptron(random_state=0).fit(X, y == 0)
    assert "(proof)" in done.summary()
    assert f"{done.n_updates_:,} updates" in done.summary()
    assert "sepal width" in done.summary()
    open_end = rb.Perceptron(random_state=0, max_iter=2).fit(*noisy)
    assert "not separated in 2 passes" in open_end.summary()


def test_the_journal_is_saved_and_loaded(tmp_path, noisy):
    X, y = noisy
    model = rb.PassiveAggressive(max_iter=2, random_state=0).fit(X, y)
    model.journal_.save(tmp_path / "run.json")
    again = rb.Journal.load(tmp_path / "run.json")
    assert again.to_dict() == model.journal_.to_dict()
    assert json.loads((tmp_path / "run.json").read_text())["format"] == "rosenblatt-journal/1"
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="not a journal"):
        rb.Journal.load(tmp_path / "other.json")


# --- scikit-learn's world -------------------------------------------------------------------


def test_pipeline_search_and_pickle(noisy):
    X, y = noisy
    pipe = make_pipeline(StandardScaler(), rb.PassiveAggressive(random_state=0, max_iter=5))
    search = GridSearchCV(pipe, {"passiveaggressive__C": [0.01, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.75
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


def test_metadata_routing(noisy):
    X, y = noisy
    with config_context(enable_metadata_routing=True):
        model = rb.Perceptron(max_iter=3, random_state=0).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        weights = np.where(y == "yes", 1.0, 1e-9)
        scores = cross_val_score(model, X, y, params={"sample_weight": weights})
        assert scores.mean() > 0.9


def test_signatures_are_told_to_tools():
    import inspect

    parameters = inspect.signature(rb.PassiveAggressive).parameters
    assert list(parameters)[:2] == ["variant", "C"]
    assert "rule" not in parameters
    assert "Attributes" in rb.PassiveAggressive.__doc__
    with pytest.raises(TypeError, match="nonsense"):
        rb.PassiveAggressive(nonsense=1)


# --- a rule of one's own --------------------------------------------------------------------


def test_a_rule_of_ones_own_runs_compiled(noisy):
    X, y = noisy

    def mine(look):
        return (0.5 if look.m <= 1.0 else 0.0), 1.0

    own = rb.PerceptronClassifier(mine, shuffle=False, max_iter=20).fit(X, y)
    ours = rb.MarginPerceptron(margin=1.0, eta=0.5, shuffle=False, max_iter=20).fit(X, y)
    same(own, ours)
    assert own.journal_.counters["k"] == own.n_updates_ > 0


@pytest.mark.parametrize("name", ["<lambda>", "_mine", "class"])
def test_a_rule_may_have_any_name(noisy, name):
    X, y = noisy

    def rule(look):
        return (1.0 if look.m <= 0 else 0.0), 1.0

    rule.__name__ = name
    same(
        rb.PerceptronClassifier(rule, random_state=0, max_iter=2).fit(X, y),
        rb.Perceptron(random_state=0, max_iter=2).fit(X, y),
    )


def test_a_rule_that_cannot_be_compiled_says_so(noisy):
    X, y = noisy
    seen = {}

    def collecting(look):
        seen[look.t] = look.m
        return (1.0 if look.m <= 0 else 0.0), 1.0

    model = rb.PerceptronClassifier(collecting)
    with pytest.raises(TypeError, match="rule collecting cannot be compiled"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_a_rule_defined_anew_is_another_rule(noisy):
    X, y = noisy
    fits = []
    for margin in (0.0, 5.0):

        def again(look, margin=margin):
            return (1.0 if look.m <= margin else 0.0), 1.0

        fits.append(rb.PerceptronClassifier(again, random_state=0, max_iter=2).fit(X, y))
    same(fits[0], rb.Perceptron(random_state=0, max_iter=2).fit(X, y))
    same(fits[1], rb.MarginPerceptron(margin=5.0, random_state=0, max_iter=2).fit(X, y))


def test_a_rule_that_returns_nonsense_is_refused(noisy):
    X, y = noisy
    with pytest.raises(TypeError, match="must return"):
        rb.PerceptronClassifier(lambda look: 1.0).fit(X, y)
    with pytest.raises(TypeError, match="is not a rule"):
        rb.PerceptronClassifier(3).fit(X, y)


# --- imports --------------------------------------------------------------------------------


def run_python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_import_is_light():
    heavy = "{'numba', 'sklearn', 'scipy', 'matplotlib'}"
    code = f"import sys, rosenblatt; print({heavy} & set(sys.modules))"
    assert run_python(code).strip() == "set()"


def test_prediction_needs_no_numba(tmp_path, noisy):
    X, y = noisy
    models = [
        rb.AveragedPerceptron(max_iter=2).fit(X, y),
        rb.VotedPerceptron(max_iter=2).fit(X, y),
    ]
    (tmp_path / "models.pkl").write_bytes(pickle.dumps((models, X)))
    code = f"""
import pickle, sys
models, X = pickle.load(open({str(tmp_path / "models.pkl")!r}, "rb"))
for model in models:
    model.predict(X)
print("numba" in sys.modules)
"""
    assert run_python(code).strip() == "False"


def test_an_interrupted_fit_leaves_the_estimator_as_it_was(noisy):
    """Ctrl-C in the middle of a fit, sent to a real process."""
    code = """
import os, signal, threading, time, warnings
import numpy as np
import rosenblatt as rb
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20000, 50)), rng.integers(0, 2, 20000)
model = rb.Perceptron(max_iter=2, random_state=0).fit(X, y)
before = {k: repr(v) for k, v in model.__dict__.items()}
model.max_iter = 10**9
threading.Thread(target=lambda: (time.sleep(1.0), os.kill(os.getpid(), signal.SIGINT))).start()
try:
    model.fit(X, y)
except KeyboardInterrupt:
    model.max_iter = 2
    print(before == {k: repr(v) for k, v in model.__dict__.items()})
"""
    assert run_python(code).strip() == "True"


def test_same_seed_same_bits_in_another_process(noisy):
    code = """
import warnings; warnings.simplefilter("ignore")
import rosenblatt as rb
from sklearn.datasets import load_digits
X, y = load_digits(return_X_y=True)
m = rb.PassiveAggressive(random_state=5, max_iter=3).fit(X, y)
print(m.coef_.tobytes().hex()[:4000])
"""
    X, y = load_digits(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here = rb.PassiveAggressive(random_state=5, max_iter=3).fit(X, y)
    assert run_python(code).strip() == here.coef_.tobytes().hex()[:4000]
