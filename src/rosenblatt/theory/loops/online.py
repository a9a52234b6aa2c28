"""The loop that visits examples in a given order.

State goes in and comes out, so that a fit, a single step, a resumed run and one round of a cluster
are the same call with other arguments.
"""

from __future__ import annotations

from math import inf
from typing import Any

from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.update import (
    Counted,
    Counters,
    apply_update,
    counted,
    temper,
    totals,
)
from rosenblatt.theory.rules import Look, ball_radius2, margin_limit, reads_norm2, step
from rosenblatt.theory.spaces import (
    Array,
    best_rival_margin,
    clearly_above,
    example_norm2,
    look,
    measure,
    prefetch_example,
    prefetch_lines,
    refresh_h32,
    rivals,
    screening_pays,
    sign,
    unmeasured,
    weigh_doubts,
)
from rosenblatt.theory.verbs import inner

PREFETCHED = 256  # cache lines that are prefetched at a time


@inner
def prefetch_distance(lines: int) -> int:
    """Return how many visits ahead to prefetch an example of this many cache lines."""
    return max(4, min(64, PREFETCHED // max(1, lines)))


@inner
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
) -> tuple[int, int, Counted]:
    """Visit examples in the given order, or until the journal is full.

    Returns the visits done, the journal entries written and the first fields of the counters.
    """
    now, mistakes = totals(n), n.mistakes
    radius2 = ball_radius2(rule)
    # Most examples are far from a step, and screening is enough to see it. Where many steps are
    # due, to look at those examples twice takes longer than it saves.
    top = margin_limit(rule)
    screened = top < inf and screening_pays(space, len(visits)) and 4 * n.k <= n.t
    if screened:
        refresh_h32(space, h)
        weigh_doubts(space)
    measures = len(visits) > 0 and unmeasured(space, visits[0])
    scattered, known = len(visits) > 1 and visits[1] != visits[0] + 1, screened and not measures
    lines = prefetch_lines(space, scattered, known)
    distance = prefetch_distance(lines)
    room = len(journal.t) - rivals(space)
    used, done = 0, len(visits)
    for v in range(len(visits)):
        if used > room:
            done = v
            break
        if lines > 0 and v + 2 * distance < len(visits):
            prefetch_example(space, visits[v + distance], visits[v + 2 * distance], lines, known)
        i = visits[v]
        if measures:
            measure(space, i)
        if screened and clearly_above(space, y, i, h, now.norm2, top):
            continue
        m, f, r = look(space, y, i, h)
        if m > top:
            continue
        q = f * example_norm2(space, i) if reads_norm2(rule) else 0.0
        b = dual[i] if len(dual) else 0.0
        a, c = step(rule, Look(m, q, now.norm2, b, n.t + v, now.k, now.step_sum, sign(space, y, i)))
        if best_rival_margin(space, y, i, m, r) <= 0.0:
            mistakes += 1
        if a != 0.0:
            if not reads_norm2(rule):
                q = f * example_norm2(space, i)
            if len(weights) > 1:
                a, c = temper(a, c, weights[i])
            _, _, used, now = apply_update(
                space, y, i, r, m, q, a, c, radius2, screened, n.t + v, h, dual, journal, used, now
            )
    return done, used, counted(n.t + done, mistakes, now)
