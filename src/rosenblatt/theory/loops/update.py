"""One update: what every loop does once a rule steps, and the counters it keeps."""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any, NamedTuple

from rosenblatt.theory.arrays import flat
from rosenblatt.theory.journal import Updates, write_entry
from rosenblatt.theory.spaces import (
    Array,
    conic,
    move,
    norm2_after,
    refresh_h32,
    rivals,
    share,
    update_h32,
)
from rosenblatt.theory.verbs import inner


class Counters(NamedTuple):
    """The quantities of the convergence proof, and what a resumed run needs."""

    t: int = 0  # visits
    k: int = 0  # updates
    mistakes: int = 0  # visits with margin <= 0
    norm2: float = 0.0  # <w, w>
    step_sum: float = 0.0  # w over it is a convex combination of signed examples
    best_norm2: float = inf  # <w, w> and
    best_step_sum: float = 1.0  # step_sum, where |w|/step_sum was least in this pass
    upper: float = inf  # no hypothesis has a larger margin; known after a pass
    drift: float = 0.0  # what rounding may have done to w so far, relative to step_sum

    def named_for_journal(self) -> dict[str, float]:
        """Return the counters by their names in a journal, whose format is fixed."""
        return dict(zip(JOURNAL_NAMES, self, strict=True))


JOURNAL_NAMES = ("t", "k", "mistakes", "ww", "sa", "bw", "bs", "upper", "drift")


class Totals(NamedTuple):
    """The counters that an update changes; the fields are those of `Counters`."""

    k: int
    norm2: float
    step_sum: float
    best_norm2: float
    best_step_sum: float


Counted = tuple[int, int, int, float, float, float, float]
"""The first fields of `Counters`, as a loop returns them."""


@inner
def totals(n: Counters) -> Totals:
    """Return the counters that an update changes."""
    return Totals(n.k, n.norm2, n.step_sum, n.best_norm2, n.best_step_sum)


@inner
def counted(t: int, mistakes: int, n: Totals) -> Counted:
    """Return the first fields of the counters.

    A plain tuple: to make the record Python code must run, which Ctrl-C may stop halfway.
    """
    return t, n.k, mistakes, n.norm2, n.step_sum, n.best_norm2, n.best_step_sum


@inner
def scale(h: Array, c: float) -> None:
    """Multiply h by c, in place."""
    row = flat(h)
    for j in range(row.size):
        row[j] *= c


@inner
def temper(a: float, c: float, weight: float) -> tuple[float, float]:
    """Return a step as weighted: the part of it that turns w, times the weight.

    Stretching w by c > 1 does not turn it, so it is left out.
    """
    return a * (weight / max(c, 1.0)), 1.0 + (min(c, 1.0) - 1.0) * weight


@inner
def apply_update(
    space: Any, y: Array, i: int, r: int, m: float, q: float, a: float, c: float, radius2: float,
    screened: bool, t: int, h: Array, dual: Array, journal: Updates, used: int, n: Totals,
) -> tuple[float, float, int, Totals]:  # fmt: skip
    """Make a step: w <- c·w + a·(signed example i), in h, the journal and the totals.

    Returns the step and the scale as made, the journal entries used, and the totals.
    """
    norm2 = norm2_after(space, y, i, h, m, q, n.norm2, a, c)
    if norm2 > radius2:
        shrink = sqrt(radius2 / norm2)
        a, c, norm2 = a * shrink, c * shrink, radius2
    if c != 1.0:
        scale(h, c)
        scale(dual, c)
    left = c
    for s in range(rivals(space)):
        rival, portion = share(space, r, s)
        if portion > 0.0:
            move(space, y, i, rival, a * portion, h)
            used = write_entry(journal, used, t, i, rival, a * portion, left)
            left = 1.0
    if screened and c == 1.0:
        update_h32(space, y, i, r, h)
    elif screened:
        refresh_h32(space, h)
    if len(dual):
        dual[i] += a
    # A step back leaves w in the cone of the signed examples as long as the example's own
    # coefficient is known and not negative.
    in_cone = conic(space) and c >= 0.0 and (a >= 0.0 or (len(dual) > 0 and dual[i] >= 0.0))
    return a, c, used, count_update(n, norm2, n.step_sum * c + a, in_cone)


@inner
def count_update(n: Totals, norm2: float, step_sum: float, in_cone: bool) -> Totals:
    """Count an update after which w has this squared length and sum of steps.

    The sum is not a number from the first step on that leaves the cone of the signed examples: it
    bounds no margin any more.
    """
    if not in_cone:
        step_sum = nan
    best_norm2, best_step_sum = n.best_norm2, n.best_step_sum
    if step_sum > 0.0 and norm2 * best_step_sum * best_step_sum < best_norm2 * step_sum * step_sum:
        best_norm2, best_step_sum = max(norm2, 0.0), step_sum
    return Totals(n.k + 1, norm2, step_sum, best_norm2, best_step_sum)
