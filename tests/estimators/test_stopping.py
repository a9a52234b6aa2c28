"""When a fit stops, and what it says of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, train_test_split

import rosenblatt as rb
from tests.support.fits import same

READOUTS = pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])


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
    assert "use AveragedPerceptron" in str(caught[0].message)
    assert caught[0].filename == __file__
    with pytest.warns(ConvergenceWarning, match="set readout='averaged'"):
        rb.PerceptronClassifier(max_iter=3).fit(X, y)


@pytest.mark.parametrize("readout", ["averaged", "voted", "pocket"])
def test_readouts_that_need_no_clean_pass_do_not_warn(noisy, readout):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rb.PerceptronClassifier("plain", readout, max_iter=3).fit(*noisy)


def test_all_fits_of_a_search_warn_in_the_same_words(noisy):
    """So that a filter with the action "once" shows them once."""
    search = GridSearchCV(rb.Perceptron(max_iter=3), {"eta0": [0.5, 1.0, 2.0]}, cv=3)
    with pytest.warns(ConvergenceWarning) as caught:
        search.fit(*noisy)
    assert len({str(one.message) for one in caught}) == 1


# --- when passes no longer get better ---------------------------------------------------------


def test_it_stops_without_a_warning_where_passes_no_longer_get_better(noisy):
    X, y = noisy
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = rb.Perceptron(random_state=0).fit(X, y)
    assert 10 <= model.n_iter_ < 100
    assert model.outcome_.stalled
    assert not model.converged_
    assert "passes no longer got better" in " ".join(model.summary().split())
    again = rb.Perceptron(max_iter=model.n_iter_, tol=None, random_state=0).fit(X, y)
    same(model, again)
    assert not again.outcome_.stalled
    assert "no longer" not in again.summary()


def test_without_a_tolerance_all_passes_are_made(noisy):
    X, y = noisy
    with pytest.warns(ConvergenceWarning, match="max_iter=60"):
        model = rb.Perceptron(max_iter=60, tol=None, random_state=0).fit(X, y)
    assert model.n_iter_ == 60


@pytest.mark.parametrize("seed", range(3))
def test_separable_data_are_learned_to_the_clean_pass(digits, seed):
    model = rb.Perceptron(max_iter=1000, random_state=seed).fit(*digits)
    assert model.converged_
    assert model.n_iter_ > 10


@pytest.mark.parametrize(
    "model",
    [
        rb.Perceptron(order="least", max_iter=30),
        rb.PocketPerceptron(max_iter=30),
        rb.PerceptronClassifier("plain", "pocket", max_iter=30),
        rb.BatchPerceptron(max_iter=30),
        rb.ThermalPerceptron(max_iter=30),
        rb.PerceptronClassifier("adatron", max_iter=30),
    ],
    ids=repr,
)
def test_counts_that_mean_nothing_stop_nothing(model, noisy):
    X, y = noisy
    assert model.set_params(random_state=0).fit(X, y).n_iter_ == 30


def test_early_stopping_looks_at_held_out_examples_only(noisy):
    X, y = noisy
    model = rb.Perceptron(early_stopping=True, n_iter_no_change=40, max_iter=39, random_state=0)
    assert model.fit(X, y).n_iter_ == 39


@pytest.mark.parametrize("readout", ["last", "averaged"])
def test_each_class_stops_by_itself(digits, readout):
    X, y = digits
    options = {"readout": readout, "multiclass": "ovr", "random_state": 0}
    model = rb.PerceptronClassifier("plain", **options).fit(X, y)
    passes = [one.passes["updates"] for one in model.journal_]
    stopped = [number for number, updates in enumerate(passes) if updates[-1]]
    assert len({len(passes[number]) for number in stopped}) > 1
    assert model.n_iter_ == max(map(len, passes))
    for number in stopped:  # what a class has learned does not change while the others go on
        made = len(passes[number])
        part = rb.PerceptronClassifier("plain", **options, max_iter=made, tol=None).fit(X, y)
        assert np.array_equal(part.coef_[number], model.coef_[number])


def test_classes_vote_after_equal_numbers_of_visits():
    X, y = load_iris(return_X_y=True)
    model = rb.VotedPerceptron(multiclass="ovr", random_state=0).fit(X, y)
    assert len({int(votes.sum()) for votes in model.votes_}) == 1
    assert model.n_iter_ < 100


def test_a_stream_is_learned_to_its_end(noisy):
    X, y = noisy
    model = rb.Perceptron()
    for _ in range(30):
        model.partial_fit(X, y)
    assert model.n_iter_ == 30
    assert (model.pass_mistakes_ > 0).all()


def test_a_warm_start_counts_its_own_passes(noisy):
    X, y = noisy
    model = rb.Perceptron(warm_start=True, random_state=0).fit(X, y)
    assert model.fit(X, y).n_iter_ >= 10


def test_a_model_file_says_why_learning_ended(noisy, tmp_path):
    X, y = noisy
    model = rb.Perceptron(random_state=0).fit(X, y)
    rb.save(model, tmp_path / "model.rbt")
    assert rb.load(tmp_path / "model.rbt").summary() == model.summary()


# --- what is counted, early stopping, progress ------------------------------------------------


def test_mistakes_and_errors_are_two_numbers(noisy):
    X, y = noisy
    model = rb.Perceptron(max_iter=4, random_state=0, count_errors=True).fit(X, y)
    assert model.pass_errors_[-1] == (model.predict(X) != y).sum()
    assert not np.array_equal(model.pass_mistakes_, model.pass_errors_)
    quick = rb.Perceptron(max_iter=4, random_state=0).fit(X, y)
    assert (quick.pass_errors_ == -1).all()
    same(model, quick)


@READOUTS
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_early_stopping_keeps_the_best_weights(digits, readout, multiclass):
    X, y = digits
    X, y, V, v = X[:800], y[:800], X[800:1200], y[800:1200]
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
    assert model.stopped_early_
    assert model.n_iter_ == curve.index(max(curve)) + 1 + 3  # three passes without a better one


def test_early_stopping_splits_by_itself(noisy):
    X, y = noisy
    model = rb.AveragedPerceptron(early_stopping=True, random_state=0).fit(X, y)
    assert model.stopped_early_
    assert model.outcome_.examples == 360


def test_weights_stay_with_their_examples_when_some_are_held_out(noisy):
    X, y = noisy
    weights = np.random.default_rng(0).uniform(0.2, 2.0, len(y))
    options = {"early_stopping": True, "max_iter": 5, "random_state": 0}
    model = rb.PassiveAggressive(**options).fit(X, y, sample_weight=weights)
    learn, hold = train_test_split(
        np.arange(len(y)), test_size=0.1, random_state=np.random.RandomState(0), stratify=y
    )
    given = rb.PassiveAggressive(**options)
    given.fit(X[learn], y[learn], sample_weight=weights[learn], X_val=X[hold], y_val=y[hold])
    same(model, given)


def test_a_fit_leaves_nothing_of_the_one_before(noisy):
    X, y = noisy
    model = rb.PerceptronClassifier("plain", "voted", early_stopping=True, random_state=0)
    model.fit(X, y)
    assert model.stopped_early_
    assert len(model.votes_) > 1
    model.set_params(readout="averaged", early_stopping=False).fit(X, y)
    assert not model.stopped_early_
    assert not hasattr(model, "votes_")
    assert not hasattr(model, "validation_score_")


def test_a_stream_keeps_how_the_fit_before_it_ended(noisy):
    X, y = noisy
    model = rb.AveragedPerceptron(early_stopping=True, random_state=0).fit(X, y)
    score = model.validation_score_
    model.partial_fit(X, y)
    assert model.stopped_early_
    assert model.validation_score_ == score


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
    assert "errors after it" in lines[0]
