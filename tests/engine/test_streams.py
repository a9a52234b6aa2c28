"""Streams stay flat: what a call costs does not depend on the calls before."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.engine.run import BUFFER
from rosenblatt.engine.state import LATEST
from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.sources import InMemory
from rosenblatt.storage import modelfile

CALLS = LATEST + 30


def streamed(name, calls=CALLS, **options):
    """A member after single rows, and the mistakes of each call."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(calls, 3)), rng.integers(0, 2, calls)
    clf, mistakes = MEMBERS[name](**options), []
    for row in range(calls):
        clf.partial_fit(X[row : row + 1], y[row : row + 1], classes=[0, 1])
        mistakes.append(int(clf.pass_mistakes_[-1]))
    return clf, mistakes


@pytest.mark.parametrize("name", ["Perceptron", "AveragedPerceptron", "AROW", "BatchPerceptron"])
def test_the_latest_passes_are_kept_and_those_before_added_up(name):
    clf, mistakes = streamed(name)
    kept = clf.pass_mistakes_.tolist()
    assert clf.n_iter_ == CALLS
    assert kept == [sum(mistakes[: 1 - LATEST]), *mistakes[1 - LATEST :]]
    (state,) = clf.outcome_.state.runs
    assert sum(one.visits for one in state.passes) == state.counters.t == CALLS


def test_a_stream_goes_on_from_a_fit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    clf = MEMBERS["Perceptron"](max_iter=7, tol=None).fit(X, y)
    clf.partial_fit(X[:1], y[:1])
    assert clf.n_iter_ == 8
    assert len(clf.pass_mistakes_) == 8


def test_what_a_stream_keeps_does_not_grow():
    """As arrays, the state has the same size after many calls as after a few more than it keeps."""
    sizes = []
    for calls in (LATEST + 5, LATEST + 60):
        clf, _ = streamed("AveragedPerceptron", calls)
        sizes.append(
            sum(a.nbytes for name, a in clf.outcome_.state.to_arrays().items() if name != "header")
        )
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("rows", [10, 30, 90])
def test_a_class_of_weight_zero_is_left_out_of_parts(multiclass, rows):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), np.repeat([2, 0, 1], 30)
    options = {"class_weight": {2: 0.0}, "multiclass": multiclass, "random_state": 0}
    source = InMemory(X, y, seed=None, rows=rows)
    parts = MEMBERS["Perceptron"](**options).fit_source(source, max_passes=3)
    kept = InMemory(X[y < 2], y[y < 2], seed=None, rows=min(rows, 60))
    kept.classes = np.arange(3)
    wanted = MEMBERS["Perceptron"](**options).fit_source(kept, max_passes=3)
    assert np.array_equal(parts.coef_, wanted.coef_)


def test_a_model_whose_first_class_has_no_weight_loads(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 3, 30)
    clf = MEMBERS["Perceptron"](class_weight={0: 0.0}).partial_fit(X, y, classes=[0, 1, 2])
    modelfile.save(clf, tmp_path / "m.rbt")
    assert np.array_equal(modelfile.load(tmp_path / "m.rbt").coef_, clf.coef_)


def test_an_update_may_have_more_entries_than_a_buffer():
    classes = np.arange(BUFFER + 5)
    clf = MEMBERS["PerceptronClassifier"](scheme="uniform", multiclass="native")
    clf.partial_fit(np.array([[1.0], [2.0]]), classes[:2], classes=classes)
    assert clf.n_updates_ == 2


def test_votes_of_one_class_against_the_rest_are_all_kept():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 3, 30)
    with pytest.raises(ValueError, match="max_hypotheses is for two classes"):
        MEMBERS["VotedPerceptron"](multiclass="ovr", max_hypotheses=5).fit(X, y)
