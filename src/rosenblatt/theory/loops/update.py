"""One update: what every loop does once a rule has decided to step, and the numbers it keeps."""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any, NamedTuple

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
    """The quantities of the convergence proof, and what is needed to stop and to go on."""

    t: int = 0  # visits
    k: int = 0  # updates
    mistakes: int = 0  # visits with margin <= 0
    ww: float = 0.0  # <w, w>
    sa: float = 0.0  # sum of the steps: w is sa times a convex combination of signed examples
    bw: float = inf  # <w, w> and
    bs: float = 1.0  # sa, where |w|/sa was least in this pass
    upper: float = inf  # no hypothesis has a larger margin; known after a pass
    drift: float = 0.0  # what rounding may have done to w so far, relative to sa


class Totals(NamedTuple):
    """The counters that an update changes; the fields are those of `Counters`."""

    k: int
    ww: float
    sa: float
    bw: float
    bs: float


@inner
def scale(h: Array, c: float) -> None:
    """Multiply in place."""
    flat = h.reshape(h.size)
    for j in range(flat.size):
        flat[j] *= c


@inner
def temper(a: float, c: float, weight: float) -> tuple[float, float]:
    """A step as a weight makes it: a part of the turn.

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
    ww = norm2_after(space, y, i, h, m, q, n.ww, a, c)
    if ww > radius2:
        shrink = sqrt(radius2 / ww)
        a, c, ww = a * shrink, c * shrink, radius2
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
    return a, c, used, count_update(n, ww, n.sa * c + a, in_cone)


@inner
def count_update(n: Totals, ww: float, sa: float, in_cone: bool) -> Totals:
    """Count an update after which w has this squared length and sum of steps.

    The sum is not a number from the first step on that leaves the cone of the signed examples: it
    bounds no margin any more.
    """
    if not in_cone:
        sa = nan
    bw, bs = n.bw, n.bs
    if sa > 0.0 and ww * bs * bs < bw * sa * sa:
        bw, bs = max(ww, 0.0), sa
    return Totals(n.k + 1, ww, sa, bw, bs)
