"""A plateau is judged by the counts of passes, and by nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.engine.plateau import Plateau, Plateaus
from rosenblatt.engine.state import Pass
from rosenblatt.theory.loops.plateau import EVIDENCE


def passes(mistakes, updates=None):
    updates = mistakes if updates is None else updates
    return [Pass(1000, u, m, -1) for m, u in zip(mistakes, updates, strict=True)]


def stop(mistakes, tol=1.0, least=5, updates=None):
    """The pass after which learning stops; None if it goes on."""
    made, plateau = passes(mistakes, updates), Plateau(tol, least)
    return next((n for n in range(1, len(made) + 1) if plateau.reached(made[:n])), None)


def test_level_counts_stop_after_twice_the_least_number_of_passes():
    assert stop([50] * 40) == 10
    assert stop([50] * 40, least=8) == 16


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_progress(seed):
    assert stop(np.random.default_rng(seed).poisson(500, 100).tolist()) <= 30


def test_progress_goes_on():
    assert stop([2000 - 20 * n for n in range(80)]) is None
    assert stop([20_000 // n for n in range(1, 300)]) is None  # as slow as the theorem allows


def test_patience_grows_with_the_passes():
    falling, level = [2000 // n for n in range(1, 61)], [33] * 100
    assert 60 + 15 < stop(falling + level) < 160


def test_few_mistakes_are_no_evidence():
    few = EVIDENCE // 10 - 1
    assert stop([few] * 10) is None
    assert stop([few + 1] * 10) == 10
    assert stop([1] * 30) is None
    assert stop([0] * 200, updates=[50] * 200) is None  # a margin is being sought


def test_a_fall_by_one_standard_deviation_is_chance():
    """The square root of 210 + 190 is 20, their difference."""
    assert stop([42] * 5 + [38] * 5) == 10
    assert stop([42] * 5 + [38] * 4 + [37]) is None


def test_updates_that_fall_are_progress():
    assert stop([50] * 40, updates=[2000 - 20 * n for n in range(40)]) is None


def test_a_higher_tolerance_asks_for_more():
    falling = [100 - n for n in range(60)]
    assert stop(falling, tol=0.0) is None
    assert stop(falling, tol=10.0) == 10


def test_it_depends_on_the_counts_alone():
    """A run that is resumed ends where it would have ended."""
    made = passes(np.random.default_rng(0).poisson(50, 60).tolist())
    watching = Plateau(1.0, 5)
    for n in range(1, 61):
        assert watching.reached(made[:n]) == Plateau(1.0, 5).reached(made[:n])


def test_runs_end_one_by_one_or_together():
    level, falling = passes([50] * 10), passes([500 - 40 * n for n in range(10)])
    alone, together = Plateaus(2, 1.0, 5), Plateaus(2, 1.0, 5, together=True)
    assert alone.stalled([level, falling], [False, False]) == [True, False]
    assert together.stalled([level, falling], [False, False]) == [False, False]
    assert together.stalled([level, falling], [False, True]) == [True, False]
    settled = Plateaus(2, 1.0, 5).stalled([level, level], [False, True])
    assert settled == [True, False]  # one that rests anyway has not stalled
    assert Plateaus(2, None, 5).stalled([level, level], [False, False]) == [False, False]
