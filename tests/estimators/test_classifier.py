"""What users rely on: weights, many classes, what a fit tells, and scikit-learn's tools."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

import rosenblatt as rb
from rosenblatt.estimators import MEMBERS
from tests.oracles import online as oracles
from tests.support.fits import same

NAMED = pytest.mark.parametrize("name", [n for n in MEMBERS if n != "PerceptronClassifier"])


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


# --- many classes ---------------------------------------------------------------------------


def test_weights_of_examples_and_of_classes_multiply(noisy):
    X, y = noisy
    given = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    options = {"random_state": 0, "max_iter": 3}
    both = rb.Perceptron(class_weight={"no": 1.0, "yes": 3.0}, **options)
    product = given * np.where(y == "yes", 3.0, 1.0)
    one = both.fit(X, y, sample_weight=given)
    same(one, rb.Perceptron(**options).fit(X, y, sample_weight=product))
    unweighted = rb.Perceptron(**options).fit(X, y, sample_weight=given)
    assert not np.array_equal(one.coef_, unweighted.coef_)


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
    assert "not proved to be separated after 2 passes" in open_end.summary()
    counted = rb.Perceptron(random_state=0, max_iter=2, count_errors=True).fit(*noisy)
    assert "not separated in 2 passes" in counted.summary()


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


def test_margins_are_distances_in_the_space_of_the_constant_feature():
    X, y = load_iris(return_X_y=True)
    clf = rb.Perceptron(intercept_scaling=4.0, random_state=0).fit(X, y == 0)
    length = np.linalg.norm([*clf.coef_[0], clf.intercept_[0] / 4.0])
    assert clf.intercept_[0] != 0
    each = np.where(y == 0, 1, -1) * clf.decision_function(X) / length
    found = clf.margins(X, y == 0)
    np.testing.assert_allclose(found.each, each, rtol=1e-12)
    assert found.least == pytest.approx(each.min())
