"""Every way to read all hypotheses of a run, against its definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rosenblatt.models import READINGS, History, VotedRuns, ballot
from tests.models.cases import all_scores, numbers, updates, voted

SEEDS = range(4)


@pytest.fixture(params=SEEDS)
def rng(request):
    return np.random.default_rng(100 + request.param)


def courses(runs, X):
    """What the only history of the runs makes of X, with its kernel values."""
    (one,) = runs.histories
    K = runs.similarity.block(X, runs.supports)
    return list(one.courses(one.first(X, K), K))


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("classes", [1, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_courses_are_the_scores_under_every_hypothesis(seed, classes, scaled, rng):
    runs, X = voted(seed, classes, scaled), numbers(rng, 6, 3)
    found = np.array(courses(runs, X))
    assert np.array_equal(found, all_scores(runs, X).transpose(2, 1, 0))


def by_definition(reading, scores, one, moment):
    """One reading of the scores of one example under all hypotheses."""
    way, norm = reading.split("_") if "_" in reading else (reading, "")
    if norm == "norm":
        lengths = one.lengths.tolist()
        scores = [s / length if length else 0.0 for s, length in zip(scores, lengths, strict=True)]
    visits = [number for number, life in enumerate(one.lives) for _ in range(life)]
    picked = {"vote": 0.0, "last": scores[-1], "rand": scores[visits[moment]]}
    if way == "vote":
        return sum(1.0 if scores[number] > 0 else -1.0 for number in visits)
    return sum(scores[number] for number in visits) if way == "avg" else picked[way]


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_readings_with_two_classes(seed, reading, rng):
    runs, X = voted(seed), numbers(rng, 6, 3)
    (one,) = runs.histories
    scores = all_scores(runs, X)[:, :, 0].T
    for moment in (0, int(one.lives.sum()) - 1):
        naive = [by_definition(reading, row, one, moment) for row in scores]
        found = replace(runs, reading=reading, moment=moment).scores(X)
        assert found[:, 0] == pytest.approx(naive)


def test_random_readings_may_take_another_moment_for_each_example(rng):
    runs, X = voted(0), numbers(rng, 5, 3)
    (one,) = runs.histories
    moments = rng.integers(0, one.lives.sum(), 5)
    found = one.read(courses(runs, X), "rand_unnorm", moments)[:, 0]
    scores = all_scores(runs, X)[:, :, 0].T
    naive = [
        by_definition("rand_unnorm", *pair) for pair in zip(scores, [one] * 5, moments, strict=True)
    ]
    assert found.tolist() == naive


def test_a_tie_votes_against():
    one = History(updates(np.random.default_rng(0), 0, 1), np.zeros(0, int), np.array([7]))
    assert one.scores(None, np.ones((2, 1)), "vote", 0).tolist() == [[-7.0], [-7.0]]


@pytest.mark.parametrize("few", [1, 64])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("cells", [1, 60, 1 << 17])
@pytest.mark.parametrize("seed", SEEDS)
def test_with_many_classes_each_hypothesis_votes_for_its_best_class(
    seed, scaled, cells, few, rng, monkeypatch
):
    monkeypatch.setattr(ballot, "CELLS", cells)
    monkeypatch.setattr(ballot, "FEW", few)
    runs, X = voted(seed, 4, scaled), numbers(rng, 6, 3)
    (one,) = runs.histories
    votes = np.zeros((6, 4))
    for life, scores in zip(one.lives, all_scores(runs, X), strict=True):
        for row, of_example in enumerate(scores.tolist()):
            votes[row, of_example.index(max(of_example))] += life  # the first of equals
    assert np.array_equal(runs.scores(X), votes)


@pytest.mark.parametrize("reading", ["avg_unnorm", "last_unnorm", "rand_unnorm"])
def test_other_readings_have_a_column_for_each_class(reading, rng):
    runs, X = voted(1, 3), numbers(rng, 6, 3)
    (one,) = runs.histories
    scores, moment = all_scores(runs, X), int(one.lives.sum()) // 2
    naive = [[by_definition(reading, scores[:, row, c], one, moment) for c in range(3)]
             for row in range(6)]  # fmt: skip
    assert np.array_equal(replace(runs, reading=reading, moment=moment).scores(X), naive)


def test_the_hypothesis_alive_at_a_visit():
    one = History(updates(np.random.default_rng(0), 3, 1), np.ones(3, int), np.array([2, 0, 1, 3]))
    assert [int(one.alive(visit)) for visit in range(6)] == [0, 0, 2, 3, 3, 3]
    assert one.alive(np.array([5, 1])).tolist() == [3, 0]


def coefficients(runs):
    """The same run with a start given by coefficients of the supports."""
    (one,) = runs.histories
    start = np.arange(1.0, 1 + len(runs.supports))
    return replace(runs, histories=[replace(one, start=start)])


def test_a_start_may_be_coefficients_of_the_supports_or_zero(rng):
    runs, X = coefficients(voted(2)), numbers(rng, 6, 3)
    (one,) = runs.histories
    K = runs.similarity.block(X, runs.supports)
    assert one.first(X, K)[:, 0].tolist() == (K @ one.start).tolist()
    zero = replace(one, start=None)
    (with_start,), (without,) = (list(h.courses(h.first(X, K), K)) for h in (one, zero))
    assert np.array_equal(with_start - without, np.repeat(one.first(X, K), 13, axis=1))


@pytest.mark.parametrize("prepare", [lambda runs: runs, coefficients])
def test_supports_may_be_renumbered(prepare, rng):
    runs, X = prepare(voted(3)), numbers(rng, 6, 3)
    (one,) = runs.histories
    place = np.array([4, 0, 6, 2, 1])
    supports = np.full((7, 3), np.nan)
    supports[place] = runs.supports
    moved = VotedRuns(runs.similarity, np.nan_to_num(supports), [one.renumbered(place, 7)])
    assert np.array_equal(moved.scores(X), runs.scores(X))


def test_the_beginning_of_a_history():
    one = voted(0).histories[0]
    visits = np.diff(one.updates.t, prepend=0, append=100)
    whole = replace(one, lives=visits)
    for stop in (1, 20, 59, 100):
        part = whole.before(stop)
        made = int((one.updates.t < stop).sum())
        assert len(part.updates.t) == len(part.codes) == made
        assert part.lives.tolist() == np.diff(one.updates.t[:made], prepend=0, append=stop).tolist()
        assert part.lengths.tolist() == one.lengths[: made + 1].tolist()
    assert replace(whole, lengths=None).before(20).lengths is None


def test_a_history_and_its_sequel():
    one, other = (voted(seed).histories[0] for seed in (0, 1))
    both = one.then(other)
    assert both.lives.sum() == one.lives.sum() + other.lives.sum()
    assert both.lives[: len(one.lives) - 1].tolist() == one.lives[:-1].tolist()
    assert both.lives[len(one.lives) :].tolist() == other.lives[1:].tolist()
    assert both.lengths.tolist() == [*one.lengths, *other.lengths[1:]]
    assert both.codes.tolist() == [*one.codes, *other.codes]
    assert both.start is one.start
    assert one.then(replace(other, lengths=None)).lengths is None


def test_the_last_hypothesis_may_live_longer():
    one = voted(0).histories[0]
    before = one.lives.tolist()
    assert one.prolonged(5).lives.tolist() == [*before[:-1], before[-1] + 5]
    assert one.lives.tolist() == before
