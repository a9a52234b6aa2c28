"""Streams stay flat: what a call costs does not depend on the calls before."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.engine.state import LATEST
from rosenblatt.estimators import MEMBERS

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
