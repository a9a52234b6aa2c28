"""Runs over sentences: the oracle's weights, the laws of rules and readouts, what is proved."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.theory import journal, loops, rules, spaces
from rosenblatt.theory.readouts import Averaged, Pocket
from tests.oracles import sequences as oracle
from tests.sequences.cases import corpus, weights

CLASSES, FEATURES = 3, 5
STEPS = {
    "plain": (rules.Plain(), lambda m, q: 1.0 if m <= 0 else 0.0),
    "margin": (rules.Margin(1.0), lambda m, q: 1.0 if m <= 1.0 else 0.0),
    "pa": (rules.PA(), lambda m, q: max(0.0, 1.0 - m) / q),
    "pa1": (rules.PA1(0.1), lambda m, q: min(0.1, max(0.0, 1.0 - m) / q)),
}


def rivals_of(run, data, order=1):
    """The labelling that each update of a run was made against, by its visit."""
    found = {}
    for t, i, r in zip(*run.recorder.updates()[:3], strict=True):
        labels = found.setdefault(int(t), list(data.golds[i]))
        labels[r // CLASSES // (CLASSES + 1) ** order] = int(r % CLASSES)
    return found


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("rule", STEPS)
def test_a_run_makes_the_steps_of_the_definition(rule, compiled, order):
    for seed in range(4):
        data = corpus(seed, whole=rule in ("plain", "margin"))
        visits = np.random.default_rng(seed).permutation(np.tile(np.arange(8), 4))
        record, step = STEPS[rule]
        run = data.run(record, visits, order, readout=Averaged(), compiled=compiled)
        taken = rivals_of(run, data, order)
        w, total, mistakes = oracle.train(
            data.sentences, data.golds, CLASSES, visits, step,
            lambda visit, taken=taken: tuple(taken[visit]) if visit in taken else None, order,
        )  # fmt: skip
        mean = weights(total, FEATURES, CLASSES, order) / len(visits)
        assert run.n.mistakes == mistakes
        if rule in ("plain", "margin"):
            assert np.array_equal(run.h, weights(w, FEATURES, CLASSES, order))
            assert np.array_equal(run.readout.hypothesis(run), mean)
        else:
            np.testing.assert_allclose(run.h, weights(w, FEATURES, CLASSES, order), atol=1e-12)
            np.testing.assert_allclose(run.readout.hypothesis(run), mean, atol=1e-12)
        assert run.n.norm2 == pytest.approx(float((run.h**2).sum()))


@pytest.mark.parametrize("rule", ["plain", "pa1", "mira", "ballseptron", "relaxation", "thermal"])
def test_a_run_replays_from_its_journal(rule):
    data = corpus(5, sentences=12, whole=False)
    run = data.run(rules.RULES[rule](), np.tile(np.arange(12), 5), 2)
    updates = run.recorder.updates()
    h, total = spaces.origin(run.space), spaces.origin(run.space)
    loops.replay(run.space, run.y, updates, np.zeros(len(updates.t) + 1, np.int64), h, total)
    assert np.array_equal(h, run.h)


@pytest.mark.parametrize("rule", ["plain", "pa1", "ballseptron"])
def test_the_deferred_mean_is_the_mean(rule):
    """Also where a step scales the weights, so that nothing can be deferred."""
    data = corpus(6, sentences=12, whole=False)
    run = data.run(rules.RULES[rule](), np.tile(np.arange(12), 5), readout=Averaged())
    updates = run.recorder.updates()
    lives = journal.survivals(updates, 0, run.n.t)
    h, total = spaces.origin(run.space), spaces.origin(run.space)
    loops.replay(run.space, run.y, updates, lives, h, total)
    np.testing.assert_allclose(run.readout.hypothesis(run), total / run.n.t, atol=1e-12)


def separable(seed):
    """Sentences with labels that some weights give, so that these separate them."""
    data = corpus(seed, sentences=20, longest=5)
    rng = np.random.default_rng(seed)
    h = rng.normal(size=(FEATURES + CLASSES + 1, CLASSES))
    gold = np.zeros(len(data.gold), np.int32)
    loops.tag(data.space(), h, gold, np.zeros(20))
    return data._replace(gold=gold), h


@pytest.mark.parametrize("seed", range(3))
def test_mistakes_keep_the_bound_of_collins(seed):
    data, h = separable(seed)
    run = data.run(rules.Plain(), np.arange(20))
    run.go(5_000)
    assert run.converged
    margins = np.empty(20)
    run.survey(h, margins)
    margin = margins.min() / np.linalg.norm(h)
    low, high = run.bracket
    assert 0.0 < margin <= high
    assert 0.0 < low <= high
    # Both are margins that some weights have: no more mistakes than either allows.
    for found in (margin, low):
        assert run.n.mistakes <= run.radius**2 / found**2
    run.survey(run.h, margins)
    assert low <= margins.min() / np.linalg.norm(run.h)


def test_the_pocket_keeps_the_fewest_mistakes():
    data = corpus(7, sentences=12)
    run = data.run(rules.Plain(), np.tile(np.arange(12), 8), readout=Pocket())
    assert run.survey(run.readout.hypothesis(run))[0] <= run.survey(run.h)[0]


@pytest.mark.parametrize("rule", ["plain", "pa1"])
def test_a_restored_run_ends_in_the_same_bits(tmp_path, rule):
    data = corpus(8, sentences=30, whole=False)

    def fresh():
        from rosenblatt.engine.run import Run

        signs = np.ones(30, np.int8)
        return Run(rules.RULES[rule](), data.space(), signs, rng=3, readout=Averaged())

    whole, begun = fresh(), fresh()
    for run in (whole, begun):
        run.go(2)
        run.advance(visits=13)
    begun.save(tmp_path / "run.npz")
    again = fresh().restore(tmp_path / "run.npz")
    for run in (whole, again):
        run.go(6)
    assert np.array_equal(again.h, whole.h)
    assert np.array_equal(again.readout.hypothesis(again), whole.readout.hypothesis(whole))
    assert np.array_equal(again.recorder.updates().r, whole.recorder.updates().r)


def test_a_saved_run_with_a_rival_that_no_sentence_has_is_rejected(tmp_path):
    data = corpus(9)
    run = data.run(rules.Plain(), np.arange(8))
    run.recorder.stretches[0].parts[0].r[0] = 10_000
    run.save(tmp_path / "run.npz")
    with pytest.raises(ValueError, match="has an update of an example or a class that is not"):
        data.run(rules.Plain(), np.arange(8)).restore(tmp_path / "run.npz")
