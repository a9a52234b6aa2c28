"""Several passes in one call leave what passes one by one leave, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.engine import inputs
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.plateau import Plateau
from rosenblatt.engine.run import Run
from rosenblatt.theory import readouts, rules, spaces

RULES = [rule for rule in rules.RULES.values() if not rules.prior_variance(rule())]
READOUTS = {
    "last": readouts.Last,
    "averaged": readouts.Averaged,
    "voted": readouts.Voted,
    "pocket": readouts.Pocket,
}


def data(classes, seed=0, rows=60):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(rows, 4)), rng.integers(0, classes, rows)
    return X, (2 * y - 1).astype(np.int8) if classes == 2 else y.astype(np.int32)


def new_run(rule, classes=2, kind=np.asarray, readout=readouts.Last, observers=(), **options):
    X, y = data(classes)
    X = kind(X)
    space = (
        inputs.binary_space(X, 1.0)
        if classes == 2
        else inputs.class_space(X, classes, 1.0, rule=rule)
    )
    return Run(rule, space, y, readout=readout(), rng=3, observers=observers, **options)


def make(run, passes, tol=None):
    """Make passes as a fit does; return how many calls they took."""
    plateau, calls, made = Plateau(tol, 5), 0, 0
    while made < passes and not run.settled and not plateau.reached(run.passes):
        made += run.make_passes(passes - made, plateau)
        calls += 1
    return calls


def assert_same(together, one_by_one):
    assert together.passes == one_by_one.passes
    assert together.n == one_by_one.n
    assert together.bracket == one_by_one.bracket
    assert np.array_equal(together.h, one_by_one.h)
    for ours, theirs in zip(
        together.recorder.updates(), one_by_one.recorder.updates(), strict=True
    ):
        assert np.array_equal(ours, theirs)
    ours, theirs = together.readout, one_by_one.readout
    assert ours.state().keys() == theirs.state().keys()
    for name, numbers in ours.state().items():
        assert np.array_equal(numbers, theirs.state()[name]), name
    until = together.n.t + 5
    assert np.array_equal(ours.hypothesis(together, until), theirs.hypothesis(one_by_one, until))
    state, wanted = together.export_state().position, one_by_one.export_state().position
    assert (state.generator, state.drawn, state.opened) == (
        wanted.generator,
        wanted.drawn,
        wanted.opened,
    )


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_rule(rule, classes, kind):
    made = rule()
    if classes > 2 and getattr(made, "needs_dual", False):
        pytest.skip("a rule with dual coefficients is for two classes")
    together, one_by_one = (
        new_run(made, classes, kind, observers=watched) for watched in ((), (Observer(),))
    )
    calls = make(together, 12)
    assert make(one_by_one, 12) == len(one_by_one.passes)
    assert_same(together, one_by_one)
    if rule is rules.Plain:
        assert calls == 1
        assert len(together.passes) == 12


@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("order", ["shuffled", "cyclic", [5, 3, 3, 8]], ids=str)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_readout(readout, order, classes):
    together, one_by_one = (
        new_run(rules.Plain(), classes, readout=READOUTS[readout], order=order, observers=watched)
        for watched in ((), (Observer(),))
    )
    assert make(together, 9) < make(one_by_one, 9)
    assert_same(together, one_by_one)


@pytest.mark.parametrize("readout", READOUTS)
def test_plain_python_agrees(readout):
    compiled, plain = (
        new_run(rules.Plain(), readout=READOUTS[readout], compiled=way) for way in (True, False)
    )
    make(compiled, 7)
    make(plain, 7)
    assert compiled.passes == plain.passes
    np.testing.assert_allclose(compiled.h, plain.h, rtol=1e-12)


def test_they_end_with_the_plateau():
    together, one_by_one = (
        new_run(rules.Plain(), observers=watched) for watched in ((), (Observer(),))
    )
    make(together, 100, tol=1.0)
    make(one_by_one, 100, tol=1.0)
    assert 10 <= len(together.passes) < 100
    assert_same(together, one_by_one)


def test_they_end_with_the_first_pass_that_changes_nothing():
    X, y = data(2)
    y = np.where(X[:, 0] > 0, 1, -1).astype(np.int8)
    run = Run(rules.Plain(), inputs.binary_space(X, 1.0), y, rng=0)
    calls = make(run, 1000)
    assert run.converged
    assert run.passes[-1].updates == 0
    assert run.passes[-2].updates > 0
    assert calls < len(run.passes)


def test_they_end_where_the_journal_is_full():
    """Every visit an update: the buffer has room for few such passes."""
    X, y = np.zeros((700, 1)), np.resize([1, -1], 700).astype(np.int8)
    together, one_by_one = (
        Run(rules.Plain(), inputs.binary_space(X, 1.0), y, order="cyclic", rng=0, observers=watched)
        for watched in ((), (Observer(),))
    )
    calls = make(together, 50)
    assert 1 < calls < 50
    make(one_by_one, 50)
    assert_same(together, one_by_one)


def test_a_state_in_the_middle_of_a_pass_is_finished_first(tmp_path):
    whole, stopped = new_run(rules.Plain()), new_run(rules.Plain())
    make(whole, 6)
    stopped.advance(visits=20)
    stopped.save(tmp_path / "run.npz")
    resumed = new_run(rules.Plain()).restore(tmp_path / "run.npz")
    resumed.advance()
    make(resumed, 5)
    assert np.array_equal(resumed.h, whole.h)
    assert resumed.passes == whole.passes
    assert spaces.squared_norm(resumed.space, resumed.h) == pytest.approx(resumed.n.norm2)


def test_an_overflow_is_reported():
    X, y = np.full((4, 1), 1e154), np.array([1, -1, 1, -1], np.int8)
    run = Run(rules.Plain(1e3), inputs.binary_space(X, 1.0), y, order="cyclic")
    with pytest.raises(ValueError, match="the weights overflowed"):
        make(run, 100)
