"""Watches over the passes of runs, for the moment when they no longer get better."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Protocol

import numpy as np

from rosenblatt.theory.loops.plateau import Level, levelled


class Counted(Protocol):
    """The counts of a pass."""

    @property
    def updates(self) -> int: ...
    @property
    def mistakes(self) -> int: ...


class Plateau:
    """Watches the passes of one run; all that it knows comes from their counts.

    Parameters
    ----------
    tol : float or None
        Standard deviations by which a count must fall; that of a count n is about sqrt(n). With
        None passes are never judged.
    least : int
        The least number of passes to compare with as many before them.

    >>> from rosenblatt.engine.state import Pass
    >>> level = [Pass(visits=100, updates=20, mistakes=20, errors=-1)] * 10
    >>> Plateau(1.0, 5).reached(level), Plateau(1.0, 5).reached(level[:9])
    (True, False)
    """

    def __init__(self, tol: float | None, least: int) -> None:
        self.tol, self.least = -inf if tol is None else tol, least
        self._totals = np.zeros((2, 1), np.int64)  # in the first 0, 1, 2, ... passes
        self._known = 0  # passes

    def level(self, passes: int) -> Level:
        """Return what a loop needs to judge the passes, with room for this many."""
        if passes >= self._totals.shape[1]:
            wider = np.zeros((2, 2 * passes + 64), np.int64)
            wider[:, : self._totals.shape[1]] = self._totals
            self._totals = wider
        return Level(self._totals, self.tol, self.least)

    def reached(self, passes: Sequence[Counted]) -> bool:
        """Return whether neither mistakes nor updates fall any more; passes are only added."""
        level, known = self.level(len(passes)), self._known
        for number, one in enumerate(passes[known:], known + 1):
            level.totals[0, number] = level.totals[0, number - 1] + one.mistakes
            level.totals[1, number] = level.totals[1, number - 1] + one.updates
        self._known = len(passes)
        return bool(self.tol > -inf and levelled(level, len(passes)))


class Plateaus:
    """Watches the runs of one model; without a tolerance it lets them all go on.

    With `together`, no run ends before the others can: their votes would not compare.
    """

    def __init__(self, runs: int, tol: float | None, least: int, together: bool = False) -> None:
        self.each = [Plateau(tol, least) for _ in range(runs)]
        self.together = together and tol is not None and runs > 1

    def stalled(self, passes: Sequence[Sequence[Counted]], settled: Sequence[bool]) -> list[bool]:
        """Return whether each run ends here, though further passes would change it."""
        found = [one.reached(made) for one, made in zip(self.each, passes, strict=True)]
        pairs = list(zip(found, settled, strict=True))
        if self.together and not all(level or rests for level, rests in pairs):
            return [False] * len(settled)
        return [level and not rests for level, rests in pairs]
