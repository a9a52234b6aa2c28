"""Runs that share supports, and runs that follow one another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt
from rosenblatt.models import VotedRuns, expansion
from rosenblatt.theory.similarity import Similarity
from tests.models.cases import BIAS, all_scores, numbers, voted


@pytest.fixture
def X():
    return numbers(np.random.default_rng(7), 8, 3)


@pytest.mark.parametrize("cells", [1, 50, 1 << 22])
@pytest.mark.parametrize("reading", ["vote", "avg_norm"])
def test_several_runs_score_side_by_side(reading, cells, X, monkeypatch):
    monkeypatch.setattr(expansion, "CELLS", cells)
    one = voted(0)
    histories = [voted(seed).histories[0] for seed in range(3)]
    together = VotedRuns(one.similarity, one.supports, histories, reading).scores(X)
    for column, history in enumerate(histories):
        alone = VotedRuns(one.similarity, one.supports, [history], reading).scores(X)
        assert together[:, [column]] == pytest.approx(alone)


def test_kernel_values_are_computed_once_for_all_runs(X):
    rows = []

    class Counting(Similarity):
        def block(self, A, B):
            rows.append(len(A))
            return super().block(A, B)

    runs = voted(0)
    VotedRuns(Counting("linear"), runs.supports, runs.histories * 3).scores(X)
    assert sum(rows) == len(X)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, np.float32])
def test_examples_of_every_kind(kind, X):
    for runs in (voted(0), voted(0, classes=3, scaled=True)):
        assert np.array_equal(runs.scores(kind(X)), runs.scores(X))
        if kind is not np.float32:
            other = replace(runs, supports=kind(runs.supports))
            assert np.array_equal(other.scores(X), runs.scores(X))
            assert np.array_equal(other.scores(kind(X)), runs.scores(X))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("classes", [1, 3])
def test_a_sequel_goes_on_from_the_last_hypothesis(classes, kind, X):
    one, other = voted(0, classes), voted(1, classes)
    # The vote of the sequel alone, with the last hypothesis of the first run as its start.
    last = all_scores(one, X)[-1] - all_scores(other, X)[0]
    later = all_scores(other, X) + last
    lives = other.histories[0].lives
    both = replace(one, supports=kind(one.supports)).then(
        replace(other, supports=kind(other.supports))
    )
    if classes == 1:
        votes = np.where(later > 0, 1.0, -1.0)
    else:
        votes = (later.argmax(axis=2)[:, :, None] == np.arange(classes)).astype(float)
    expected = one.scores(X) + np.tensordot(lives, votes, 1)
    assert np.array_equal(both.scores(X), expected)


def test_the_last_hypotheses_may_live_longer(X):
    runs = voted(0)
    longer = runs.prolonged(10).scores(X) - runs.scores(X)
    assert np.array_equal(longer, 10 * np.where(all_scores(runs, X)[-1] > 0, 1.0, -1.0))


@pytest.mark.parametrize("bias", [1.0, 3.0])
def test_linear_and_kernel_form_vote_alike(bias):
    X, y = numbers(np.random.default_rng(0), 60, 4), np.arange(60) % 2
    options = {"max_iter": 2, "random_state": 0, "intercept_scaling": bias}
    linear = rosenblatt.VotedPerceptron(shuffle=False, **options).fit(X, y)
    kernel = rosenblatt.KernelPerceptron(
        kernel="linear", readout="voted", shuffle=False, **options
    ).fit(X, y)
    assert np.array_equal(linear.votes_, kernel.votes_)
    assert np.array_equal(linear.decision_function(X), kernel.decision_function(X))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_a_budget_keeps_the_latest_hypotheses(classes, kind):
    rng = np.random.default_rng(1)
    X, y = numbers(rng, 80, 4), rng.integers(0, classes, 80)
    fresh = numbers(rng, 20, 4)
    options = {"max_iter": 1, "shuffle": False, "intercept_scaling": BIAS}
    every = rosenblatt.VotedPerceptron(**options).fit(X, y).outcome_.predictor
    few = rosenblatt.VotedPerceptron(**options, max_hypotheses=7).fit(kind(X), y)
    assert np.array_equal(few.votes_, every.histories[0].lives[-7:])
    later = all_scores(every, fresh)[-7:]
    if classes == 2:
        expected = np.tensordot(few.votes_, np.where(later > 0, 1.0, -1.0), 1)
    else:
        wins = (later.argmax(axis=2)[:, :, None] == np.arange(classes)).astype(float)
        expected = np.tensordot(few.votes_, wins, 1)
    assert np.array_equal(few.outcome_.predictor.scores(kind(fresh)), expected)
    assert few.outcome_.predictor.supports.shape[0] <= 6


def test_a_stream_on_a_budget_stays_as_large(tmp_path):
    rng = np.random.default_rng(2)
    X, y = numbers(rng, 300, 3), rng.integers(0, 2, 300)
    clf = rosenblatt.VotedPerceptron(max_hypotheses=5)
    for row in range(len(X)):
        clf.partial_fit(X[row : row + 1], y[row : row + 1], classes=[0, 1])
    whole = rosenblatt.VotedPerceptron(max_iter=1, shuffle=False, max_hypotheses=5).fit(X, y)
    assert np.array_equal(clf.votes_, whole.votes_)
    assert np.array_equal(clf.decision_function(X), whole.decision_function(X))
    rosenblatt.save(clf, tmp_path / "voted.rbt")
    again = rosenblatt.load(tmp_path / "voted.rbt").partial_fit(X[:9], y[:9])
    assert np.array_equal(again.votes_, clf.partial_fit(X[:9], y[:9]).votes_)
