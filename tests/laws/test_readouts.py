"""Readouts are folds of the journal: each equals the naive definition on all hypotheses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from rosenblatt.engine.run import Run
from rosenblatt.theory import readouts, rules
from tests.laws.cases import (
    ORACLES,
    RULES,
    Data,
    augmented,
    reals,
    run,
    space,
    whole_numbers,
)
from tests.oracles import online as oracles

MORE = settings(max_examples=40, deadline=None)


def all_hypotheses(name, data):
    return ORACLES[name](augmented(data.X, 1.0), data.y.astype(float), data.order)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("step", [1000, 7])
def test_averaged_is_the_mean_over_visits(name, seed, step):
    data = reals(seed)
    where, y = space(data, "dense")
    made = Run(RULES[name], where, y, order=data.order, readout=readouts.Averaged())
    while not made.passes:
        made.advance(visits=step)
    expected = oracles.averaged(all_hypotheses(name, data))
    np.testing.assert_allclose(made.readout.hypothesis(made), expected, rtol=1e-7, atol=1e-9)


@MORE
@given(data=whole_numbers())
def test_averaged_is_exact_on_whole_numbers(data):
    made = run(rules.Plain(), data, readout=readouts.Averaged())
    assert np.array_equal(made.readout.total, all_hypotheses("plain", data)[1:].sum(axis=0))


@MORE
@given(data=whole_numbers())
def test_votes_are_the_visits_survived(data):
    made = run(rules.Plain(), data, readout=readouts.Voted())
    votes = made.readout.votes()
    assert votes.sum() == len(data.order)
    assert len(votes) == made.n.k + 1
    births = np.cumsum(votes)[:-1]  # each hypothesis is born where its forerunner's votes end
    changes = np.flatnonzero(np.abs(np.diff(all_hypotheses("plain", data), axis=0)).any(axis=1))
    assert set(changes) <= set(births)


@pytest.mark.parametrize("step", [1000, 3])
@MORE
@given(data=whole_numbers())
def test_the_pocket_holds_the_longest_run(step, data):
    where, y = space(data, "dense")
    pocket = readouts.Pocket(ratchet=False)
    made = Run(rules.Plain(), where, y, order=data.order, readout=pocket)
    while not made.passes:
        made.advance(visits=step)
    X = augmented(data.X, 1.0)
    W = all_hypotheses("plain", data)
    best = oracles.longest_run(data.order, X, data.y.astype(float), W)
    assert np.array_equal(pocket.hypothesis(made), W[best])


def test_runs_on_fewer_classes_are_no_record():
    """What the pocket counts begins anew with the classes."""
    where, y = space(Data(np.array([[1.0], [1.0]]), np.array([1, 1]), None), "dense")
    pocket = readouts.Pocket(ratchet=False)
    made = Run(rules.Plain(), where, y, order=np.tile([0, 1], 3), readout=pocket)
    made.advance(visits=4)
    assert (made.n.k, pocket.longest) == (1, 3)
    pocket.on_new_classes()
    made.advance(visits=2)
    assert (made.n.k, pocket.longest) == (1, 2)
    assert np.array_equal(pocket.hypothesis(made), made.h)


@MORE
@given(data=whole_numbers(passes=4))
def test_the_ratchet_never_gets_worse(data):
    where, y = space(data, "dense")
    pocket = readouts.Pocket(ratchet=True)
    made = Run(rules.Plain(), where, y, order=data.order, readout=pocket)
    seen, held = [], []
    while not made.passes:
        made.advance(visits=1)
        assert (pocket.errors < 0) == (pocket.longest == 0)
        if pocket.longest:
            held.append(pocket.hypothesis(made).copy())
            seen.append(made.mistakes(held[-1]))
            assert seen[-1] == pocket.errors
    assert seen == sorted(seen, reverse=True)
    for one, other, before, after in zip(held, held[1:], seen, seen[1:], strict=False):
        assert np.array_equal(one, other) or after < before  # it is replaced only by a better one


@pytest.mark.parametrize("seed", range(3))
def test_averaged_and_pocket_replay_through_a_link(seed):
    """With p other than 2 a hypothesis is not the sum of its steps; folds must replay it."""
    data = reals(seed)
    X, y = augmented(data.X, 1.0), data.y.astype(float)
    W = oracles.alma(X, y, data.order, 0.9, p=4.0)
    made = run(rules.Alma(p=4.0), data, p=4.0, readout=readouts.Averaged())
    np.testing.assert_allclose(made.h[1], W[-1], rtol=1e-7, atol=1e-9)
    mean = made.readout.hypothesis(made)[1]
    np.testing.assert_allclose(mean, oracles.averaged(W), rtol=1e-7, atol=1e-9)


def test_of_mixtures_with_equal_errors_the_pocket_keeps_the_first():
    pocket, kept = readouts.Pocket(), []
    for number, errors in enumerate([5.0, 5.0, 3.0, 4.0, 3.0, 0.0, 0.0]):
        pocket.offer(np.full(2, float(number)), errors)
        kept.append(int(pocket.best[0]))
    assert kept == [0, 0, 2, 2, 2, 5, 5]
