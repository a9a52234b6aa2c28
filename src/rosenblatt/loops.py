"""The loops that visit examples, and the numbers they keep.

`online` is the one hot loop. State goes in and comes out, so that a fit, one step of a lesson, a
resumed run and one round of a cluster are the same call with other budgets.
"""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import Any, NamedTuple

from rosenblatt.journal import Updates
from rosenblatt.rules import Look, ball, curious, level, step
from rosenblatt.spaces import (
    Array,
    ahead,
    beyond,
    conic,
    follow,
    lead,
    length,
    look,
    move,
    reach,
    rivals,
    shade,
    shaded,
    share,
    sign,
    size,
)
from rosenblatt.verbs import inner

FLYING = 256  # cache lines that memory is asked for before they are needed


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


@inner
def scale(h: Array, c: float) -> None:
    """Multiply in place."""
    flat = h.reshape(h.size)
    for j in range(flat.size):
        flat[j] *= c


@inner
def enter(h: Array, life: float, total: Array) -> None:
    """Add a hypothesis times its life to a total."""
    flat, sums = h.reshape(h.size), total.reshape(h.size)
    for j in range(flat.size):
        sums[j] += life * flat[j]


@inner
def square(h: Array) -> float:
    """<w, w>."""
    flat, total = h.reshape(h.size), 0.0
    for j in range(flat.size):
        total += flat[j] * flat[j]
    return total


@inner
def temper(a: float, c: float, weight: float) -> tuple[float, float]:
    """A step as a weight makes it: a part of the turn.

    Stretching w by c > 1 does not turn it, so it is left out.
    """
    return a * (weight / max(c, 1.0)), 1.0 + (min(c, 1.0) - 1.0) * weight


@inner
def update(
    space: Any, y: Array, i: int, r: int, m: float, q: float, a: float, c: float, ww: float,
    radius: float, quick: bool, t: int, h: Array, dual: Array, journal: Updates, used: int,
) -> tuple[float, float, float, int]:  # fmt: skip
    """Change the hypothesis: the step and the scale as made, <w, w>, journal entries used."""
    ww = length(space, y, i, h, m, q, ww, a, c)
    if ww > radius:
        shrink = sqrt(radius / ww)
        a, c, ww = a * shrink, c * shrink, radius
    if c != 1.0:
        scale(h, c)
        scale(dual, c)
    left = c
    for s in range(rivals(space)):
        rival, portion = share(space, r, s)
        if portion > 0.0:
            move(space, y, i, rival, a * portion, h)
            journal.t[used] = t
            journal.i[used] = i
            journal.r[used] = rival
            journal.a[used] = a * portion
            journal.c[used] = left
            left = 1.0
            used += 1
    if quick and c == 1.0:
        follow(space, y, i, r, h)
    elif quick:
        shade(space, h)
    if len(dual):
        dual[i] += a
    return a, c, ww, used


@inner
def inside(space: Any, i: int, a: float, c: float, dual: Array) -> bool:
    """Whether a step leaves w in the cone of the signed examples.

    A step back does, as long as the example's own coefficient is known and stays positive.
    """
    return conic(space) and c >= 0.0 and (a >= 0.0 or (len(dual) > 0 and dual[i] >= 0.0))


@inner
def commit(
    k: int, ww: float, sa: float, conical: bool, bw: float, bs: float
) -> tuple[int, float, float, float]:
    """Count an update: updates, sum of the steps, <w, w> and that sum where |w|/sa was least.

    The sum is not a number from the first step on that leaves the cone of the signed examples: it
    bounds no margin any more.
    """
    if not conical:
        sa = nan
    if sa > 0.0 and ww * bs * bs < bw * sa * sa:
        bw, bs = max(ww, 0.0), sa
    return k + 1, sa, bw, bs


@inner
def early(lines: int) -> int:
    """Visits between asking memory for an example of so many cache lines and looking at it."""
    return max(4, min(64, FLYING // max(1, lines)))


def online(
    space: Any,
    y: Array,
    weights: Array,
    visits: Array,
    rule: Any,
    h: Array,
    dual: Array,
    n: Counters,
    journal: Updates,
) -> tuple[int, int, tuple[int, int, int, float, float, float, float]]:
    """Visit examples in the given order, or until the journal is full.

    Returns the visits done, the journal entries written and the first fields of the counters: a
    plain tuple, since to make the record Python code must run, which Ctrl-C may stop halfway.
    """
    k, mistakes, ww, sa, bw, bs = n.k, n.mistakes, n.ww, n.sa, n.bw, n.bs
    radius = ball(rule)
    lines = reach(space, len(visits) > 1 and visits[1] != visits[0] + 1)
    notice = early(lines)
    # Most examples are far from asking for a step, and a quick look is enough to see it. Where many
    # ask for one, to look at them twice takes longer than it saves.
    top = level(rule)
    quick = top < inf and shaded(space, len(visits)) and 4 * n.k <= n.t
    if quick:
        shade(space, h)
    room = len(journal.t) - rivals(space)
    used, done = 0, len(visits)
    for v in range(len(visits)):
        if used > room:
            done = v
            break
        if lines > 0 and v + 2 * notice < len(visits):
            ahead(space, visits[v + notice], visits[v + 2 * notice], lines)
        i = visits[v]
        if quick and beyond(space, y, i, h, ww, top):
            continue
        m, f, r = look(space, y, i, h)
        if m > top:
            continue
        q = f * size(space, i) if curious(rule) else 0.0
        b = dual[i] if len(dual) else 0.0
        a, c = step(rule, Look(m, q, ww, b, n.t + v, k, sa, sign(space, y, i)))
        if lead(space, y, i, m, r) <= 0.0:
            mistakes += 1
        if a != 0.0:
            if not curious(rule):
                q = f * size(space, i)
            if len(weights) > 1:
                a, c = temper(a, c, weights[i])
            a, c, ww, used = update(
                space, y, i, r, m, q, a, c, ww, radius, quick, n.t + v, h, dual, journal, used
            )
            conical = inside(space, i, a, c, dual)
            k, sa, bw, bs = commit(k, ww, sa * c + a, conical, bw, bs)
    return done, used, (n.t + done, k, mistakes, ww, sa, bw, bs)


def survey(space: Any, y: Array, h: Array, margins: Array) -> tuple[int, float]:
    """Margins of all examples under a fixed hypothesis: how many are mistakes, and the least one.

    `margins`, if it has room for them, receives them all.
    """
    mistakes, low = 0, inf
    quick, ww = len(margins) == 0 and shaded(space, len(y)), 0.0
    if quick:
        shade(space, h)
        ww = square(h)
    lines = reach(space, False)
    notice = early(lines)
    for i in range(len(y)):
        if lines > 0 and i + 2 * notice < len(y):
            ahead(space, i + notice, i + 2 * notice, lines)
        # Neither a mistake nor the least margin.
        if quick and low < inf and beyond(space, y, i, h, ww, max(low, 0.0)):
            continue
        m, _, r = look(space, y, i, h)
        m = lead(space, y, i, m, r)
        low = min(low, m)
        if m <= 0.0:
            mistakes += 1
        if len(margins):
            margins[i] = m
    return mistakes, low


def unsettled(space: Any, y: Array, rule: Any, h: Array, dual: Array, n: Counters) -> bool:
    """Whether the rule would step on any example."""
    for i in range(len(y)):
        m, f, _ = look(space, y, i, h)
        b = dual[i] if len(dual) else 0.0
        seen = Look(m, f * size(space, i), n.ww, b, n.t, n.k, n.sa, sign(space, y, i))
        if step(rule, seen)[0] != 0.0:
            return True
    return False


def add(space: Any, y: Array, journal: Updates, b: Array, h: Array) -> None:
    """Add to h the examples of a journal's updates, each times its own factor."""
    for e in range(len(b)):
        if b[e] != 0.0:
            move(space, y, journal.i[e], journal.r[e], b[e], h)


def replay(space: Any, y: Array, journal: Updates, lives: Array, h: Array, total: Array) -> None:
    """Make a journal's updates again, adding each hypothesis times its life to a total."""
    enter(h, lives[0], total)
    for e in range(len(journal.t)):
        if journal.c[e] != 1.0:
            scale(h, journal.c[e])
        move(space, y, journal.i[e], journal.r[e], journal.a[e], h)
        enter(h, lives[e + 1], total)
