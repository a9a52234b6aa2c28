"""When further passes promise nothing: their counts of mistakes and updates have stopped falling.

On separable data the convergence theorem bounds the mistakes of all passes together, so they must
become fewer; on others they level off. Counts of passes tell the two apart without another look at
the data, except where separable data are learned so slowly that noise hides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Protocol

EVIDENCE = 100
"""The least number of mistakes to judge by: chance alone moves smaller counts by a tenth."""


class Counted(Protocol):
    """The counts of a pass."""

    @property
    def updates(self) -> int: ...
    @property
    def mistakes(self) -> int: ...


class Plateau:
    """Watches the passes of one run; all that it knows comes from their counts.

    The last third of the passes is compared with as many passes before it. So patience grows with
    the passes made, and a slow but steady decrease is still noticed. While there are few mistakes,
    a pass without any may be near, or a margin is being sought: that is no plateau.

    Parameters
    ----------
    tol : float
        Standard deviations by which a count must fall; that of a count n is about sqrt(n).
    least : int
        The least number of passes to compare with as many before them.

    >>> from rosenblatt.engine.state import Pass
    >>> level = [Pass(visits=100, updates=20, mistakes=20, errors=-1)] * 10
    >>> Plateau(1.0, 5).reached(level), Plateau(1.0, 5).reached(level[:9])
    (True, False)
    """

    def __init__(self, tol: float, least: int) -> None:
        self.tol, self.least = tol, least
        self._mistakes, self._updates = [0], [0]  # in the first 0, 1, 2, ... passes

    def reached(self, passes: Sequence[Counted]) -> bool:
        """Return whether neither mistakes nor updates fall any more; passes are only added."""
        for one in passes[len(self._mistakes) - 1 :]:
            self._mistakes.append(self._mistakes[-1] + one.mistakes)
            self._updates.append(self._updates[-1] + one.updates)
        size = max(self.least, len(passes) // 3)
        if len(passes) < 2 * size:
            return False
        (old, new), updates = _halves(self._mistakes, size), _halves(self._updates, size)
        return old + new >= EVIDENCE and not self._fell(old, new) and not self._fell(*updates)

    def _fell(self, old: int, new: int) -> bool:
        """Return whether a count is lower than the one before by more than chance."""
        return old - new > self.tol * sqrt(old + new)


def _halves(totals: list[int], size: int) -> tuple[int, int]:
    """Return what was counted in `size` passes, and in the `size` passes after them."""
    before, middle, now = totals[-1 - 2 * size], totals[-1 - size], totals[-1]
    return middle - before, now - middle


class Plateaus:
    """Watches the runs of one model; without a tolerance it lets them all go on.

    With `together`, no run ends before the others can: their votes would not compare.
    """

    def __init__(self, runs: int, tol: float | None, least: int, together: bool = False) -> None:
        self._each = [] if tol is None else [Plateau(tol, least) for _ in range(runs)]
        self._together = together

    def stalled(self, passes: Sequence[Sequence[Counted]], settled: Sequence[bool]) -> list[bool]:
        """Return whether each run ends here, though further passes would change it."""
        if not self._each:
            return [False] * len(settled)
        found = [one.reached(made) for one, made in zip(self._each, passes, strict=True)]
        pairs = list(zip(found, settled, strict=True))
        if self._together and not all(level or rests for level, rests in pairs):
            return [False] * len(settled)
        return [level and not rests for level, rests in pairs]
