"""When further passes promise nothing: their counts of mistakes and updates have stopped falling.

On separable data the convergence theorem bounds the mistakes of all passes together, so they must
become fewer; on others they level off. Counts of passes tell the two apart without another look at
the data, except where separable data are learned so slowly that noise hides it.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from rosenblatt.theory.spaces import Array
from rosenblatt.theory.verbs import inner

EVIDENCE = 100
"""The least number of mistakes to judge by: chance alone moves smaller counts by a tenth."""


class Level(NamedTuple):
    """When passes are judged not to get better, by their counts so far."""

    totals: Array  # mistakes, and updates, in the first 0, 1, 2, ... passes
    tol: float  # standard deviations by which a count must fall; -inf: it always has
    least: int  # the least number of passes to compare with as many before them


@inner
def fell(old: int, new: int, tol: float) -> bool:
    """Return whether a count is lower than the one before by more than chance."""
    return old - new > tol * sqrt(old + new)


@inner
def levelled(level: Level, passes: int) -> bool:
    """Return whether neither mistakes nor updates fall any more.

    The last third of the passes is compared with as many passes before it. So patience grows with
    the passes made, and a slow but steady decrease is still noticed. While there are few mistakes,
    a pass without any may be near, or a margin is being sought: that is no plateau.
    """
    size = max(level.least, passes // 3)
    if passes < 2 * size:
        return False
    mistakes, updates = level.totals[0], level.totals[1]
    middle, first = passes - size, passes - 2 * size
    old, new = mistakes[middle] - mistakes[first], mistakes[passes] - mistakes[middle]
    if old + new < EVIDENCE or fell(old, new, level.tol):
        return False
    return not fell(updates[middle] - updates[first], updates[passes] - updates[middle], level.tol)
