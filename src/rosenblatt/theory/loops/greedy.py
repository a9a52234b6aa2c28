"""The loop that chooses its examples, as MinOver and Wendemuth's algorithms do.

`online` visits examples in a given order; `greedy` looks at all of them and chooses among those for
which the rule would step. The step, the counters and the journal are the same.
"""

from __future__ import annotations

from math import isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.update import (
    Counted,
    Counters,
    Totals,
    apply_update,
    counted,
    totals,
)
from rosenblatt.theory.orders import LEAST, VIOLATED
from rosenblatt.theory.rules import Look, ball_radius2, compares_unit_margins, step
from rosenblatt.theory.spaces import (
    Array,
    best_rival_margin,
    example_norm2,
    look,
    move,
    origin,
    rivals,
    sign,
    traits,
)
from rosenblatt.theory.verbs import inner

MOST_PRODUCTS = 1 << 22  # inner products of examples that may be kept: 32 MB
RECOMPUTE_EVERY = 512  # visits between two looks at every example


class MarginCache(NamedTuple):
    """The margins of all examples, and what carries them from step to step.

    A step changes every margin by a multiple of an inner product of two examples. To compute these
    costs as much as to look at every example again, so it pays only if they are kept: `products`
    has room for all of them, or none. A row is filled when its example is first chosen; few ever
    are. Carried margins are state: they are saved with a run, or a resumed one would end in other
    bits.
    """

    margins: Array  # of each example; nan at first: not looked at yet
    norms2: Array  # <x, x> of each example, as often as it counts in a step
    products: Array  # of signed examples; a row for each, or none
    computed: Array  # which rows are filled
    due: Array  # scratch: the examples for which the rule would step
    unit_step: Array  # scratch: an example as a hypothesis


def empty_margin_cache(space: Any, examples: int) -> MarginCache:
    """Return a cache in which nothing is computed yet."""
    kept = examples if traits(space).additive and examples * examples <= MOST_PRODUCTS else 0
    return MarginCache(
        np.full(examples, nan),
        np.zeros(examples),
        np.zeros((kept, kept)),
        np.zeros(kept, np.bool_),
        np.zeros(examples, np.int64),
        origin(space),
    )


@inner
def recompute_margins(space: Any, y: Array, h: Array, cache: MarginCache) -> None:
    """Compute the margins of all examples from h."""
    for i in range(len(cache.margins)):
        m, f, _ = look(space, y, i, h)
        cache.margins[i] = m
        cache.norms2[i] = f * example_norm2(space, i)


@inner
def carry_margins(space: Any, y: Array, i: int, a: float, c: float, cache: MarginCache) -> None:
    """Carry the margins over the step h <- c·h + a·(signed example i)."""
    row = cache.products[i]
    if not cache.computed[i]:
        move(space, y, i, 0, 1.0, cache.unit_step)
        for j in range(len(row)):
            product, _, _ = look(space, y, j, cache.unit_step)
            row[j] = product
        for j in range(len(cache.unit_step)):
            cache.unit_step[j] = 0.0
        cache.computed[i] = True
    for j in range(len(row)):
        cache.margins[j] = c * cache.margins[j] + a * row[j]


@inner
def choose(
    space: Any, y: Array, word: int, pick: int, rule: Any, dual: Array, t: int, n: Totals,
    cache: MarginCache,
) -> int:  # fmt: skip
    """Return an example for which the rule would step, or -1.

    It is the one of the least or the greatest margin, or a random one, as `pick` says.

    Ties go to the first. An example of length zero cannot be learned and is never chosen.
    """
    best, found, count = 0.0, -1, 0
    for i in range(len(cache.margins)):
        m, q = cache.margins[i], cache.norms2[i]
        if q <= 0.0:
            continue
        g = m / sqrt(q) if compares_unit_margins(rule) else m
        if found >= 0 and pick != VIOLATED and (g >= best if pick == LEAST else g <= best):
            continue
        b = dual[i] if len(dual) else 0.0
        a, _ = step(rule, Look(m, q, n.norm2, b, t, n.k, n.step_sum, sign(space, y, i)))
        if a != 0.0:
            best, found = g, i
            cache.due[count] = i
            if pick == VIOLATED:
                count += 1
    if count:
        found = cache.due[(int(word) * count) >> 32]
    return found


def greedy(
    space: Any,
    y: Array,
    weights: Array,
    visits: Array,
    pick: int,
    rule: Any,
    h: Array,
    dual: Array,
    n: Counters,
    journal: Updates,
    cache: MarginCache,
) -> tuple[int, int, Counted]:
    """Choose an example and step on it, once per visit, or until the journal is full.

    The elements of `visits` are the random words of a random choice; other choices use only their
    number. When the rule would step on no example, nothing can change any more, and the remaining
    visits are skipped. Returns what `online` returns.
    """
    now, mistakes = totals(n), n.mistakes
    radius2 = ball_radius2(rule)
    carries = len(cache.products) > 0
    room = len(journal.t) - rivals(space)
    used, done = 0, len(visits)
    for v in range(len(visits)):
        if used > room:
            done = v
            break
        # Carried margins are rounded at every step, and a rule that stretches w stretches their
        # errors too. They are recomputed at fixed visits, so that a resumed run does the same.
        recomputed = not carries or (n.t + v) % RECOMPUTE_EVERY == 0 or isnan(cache.margins[0])
        if recomputed:
            recompute_margins(space, y, h, cache)
        i: int = choose(space, y, visits[v], pick, rule, dual, n.t + v, now, cache)
        if i < 0 and not recomputed:
            recompute_margins(space, y, h, cache)
            i = choose(space, y, visits[v], pick, rule, dual, n.t + v, now, cache)
        if i < 0:
            break
        m, q, r = cache.margins[i], cache.norms2[i], 0
        wrong = m
        if not carries:
            _, _, r = look(space, y, i, h)
            wrong = best_rival_margin(space, y, i, m, r)
        b = dual[i] if len(dual) else 0.0
        a, c = step(rule, Look(m, q, now.norm2, b, n.t + v, now.k, now.step_sum, sign(space, y, i)))
        if wrong <= 0.0:
            mistakes += 1
        if len(weights) > 1:
            # A part of the step, stretch and all: where that never shortens w, no part of it does.
            a *= weights[i]
            c = 1.0 + (c - 1.0) * weights[i]
        a, c, used, now = apply_update(
            space, y, i, r, m, q, a, c, radius2, False, n.t + v, h, dual, journal, used, now
        )
        if carries:
            carry_margins(space, y, i, a, c, cache)
    return done, used, counted(n.t + done, mistakes, now)
