"""The loop that picks the example: MinOver, Wendemuth's algorithms, and any rule in their manner.

`online` is told which example comes next; `greedy` looks at all of them and chooses among those
for which the rule would step. All else is alike: the step, the counters, the journal, and state
that goes in and comes out.
"""

from __future__ import annotations

from math import isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.update import Counters, Totals, apply_update
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

PAIRS = 1 << 22  # inner products of examples that may be kept: 32 MB
FRESH = 512  # visits between two looks at every example


class Overlaps(NamedTuple):
    """What a greedy loop knows of all examples.

    A step changes every margin by a multiple of an inner product of two examples. To compute these
    costs as much as to look at every example anew, so it pays only if they are kept: `products`
    has room for all of them, or none. A row is filled when its example is first chosen; few ever
    are. Margins that are carried on are state: they are saved with a run, or it would not go on to
    the same bits.
    """

    margins: Array  # of each example; nan at first: not looked at yet
    sizes: Array  # <x, x> of each example, as often as it counts in a step
    products: Array  # of signed examples; a row for each, or none
    known: Array  # which rows are filled
    below: Array  # scratch: the examples for which the rule would step
    point: Array  # scratch: an example as a hypothesis


def overlaps(space: Any, examples: int) -> Overlaps:
    """Nothing known yet."""
    kept = examples if traits(space).additive and examples * examples <= PAIRS else 0
    return Overlaps(
        np.full(examples, nan),
        np.zeros(examples),
        np.zeros((kept, kept)),
        np.zeros(kept, np.bool_),
        np.zeros(examples, np.int64),
        origin(space),
    )


@inner
def refresh(space: Any, y: Array, h: Array, seen: Overlaps) -> None:
    """Look at every example."""
    for i in range(len(seen.margins)):
        m, f, _ = look(space, y, i, h)
        seen.margins[i] = m
        seen.sizes[i] = f * example_norm2(space, i)


@inner
def carry(space: Any, y: Array, i: int, a: float, c: float, seen: Overlaps) -> None:
    """The margins after h <- c·h + a·(signed example i)."""
    row = seen.products[i]
    if not seen.known[i]:
        move(space, y, i, 0, 1.0, seen.point)
        for j in range(len(row)):
            product, _, _ = look(space, y, j, seen.point)
            row[j] = product
        for j in range(len(seen.point)):
            seen.point[j] = 0.0
        seen.known[i] = True
    for j in range(len(row)):
        seen.margins[j] = c * seen.margins[j] + a * row[j]


@inner
def chosen(
    space: Any, y: Array, word: int, pick: int, rule: Any, dual: Array, t: int, n: Totals,
    seen: Overlaps,
) -> int:  # fmt: skip
    """An example for which the rule would step, or -1: the least, the greatest or a random one.

    Ties go to the first. An example of length zero cannot be learned and is never chosen.
    """
    best, found, count = 0.0, -1, 0
    for i in range(len(seen.margins)):
        m, q = seen.margins[i], seen.sizes[i]
        if q <= 0.0:
            continue
        g = m / sqrt(q) if compares_unit_margins(rule) else m
        if found >= 0 and pick != VIOLATED and (g >= best if pick == LEAST else g <= best):
            continue
        b = dual[i] if len(dual) else 0.0
        a, _ = step(rule, Look(m, q, n.ww, b, t, n.k, n.sa, sign(space, y, i)))
        if a != 0.0:
            best, found = g, i
            seen.below[count] = i
            if pick == VIOLATED:
                count += 1
    if count:
        found = seen.below[(int(word) * count) >> 32]
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
    seen: Overlaps,
) -> tuple[int, int, tuple[int, int, int, float, float, float, float]]:
    """Choose an example and learn it, once for each visit, or until the journal is full.

    `visits` says how often, and holds the random words of a random choice. When the rule would
    step on no example, nothing can change any more, and the visits that are left are made at once.
    Returns what `online` returns.
    """
    now, mistakes = Totals(n.k, n.ww, n.sa, n.bw, n.bs), n.mistakes
    radius = ball_radius2(rule)
    kept = len(seen.products) > 0
    room = len(journal.t) - rivals(space)
    used, done = 0, len(visits)
    for v in range(len(visits)):
        if used > room:
            done = v
            break
        # Carried margins round at every step, and a rule that stretches w stretches their errors
        # too. When to look again is told by the visit's number: a run in parts does the same.
        fresh = not kept or (n.t + v) % FRESH == 0 or isnan(seen.margins[0])
        if fresh:
            refresh(space, y, h, seen)
        i: int = chosen(space, y, visits[v], pick, rule, dual, n.t + v, now, seen)
        if i < 0 and not fresh:
            refresh(space, y, h, seen)
            i = chosen(space, y, visits[v], pick, rule, dual, n.t + v, now, seen)
        if i < 0:
            break
        m, q, r = seen.margins[i], seen.sizes[i], 0
        wrong = m
        if not kept:
            _, _, r = look(space, y, i, h)
            wrong = best_rival_margin(space, y, i, m, r)
        b = dual[i] if len(dual) else 0.0
        a, c = step(rule, Look(m, q, now.ww, b, n.t + v, now.k, now.sa, sign(space, y, i)))
        if wrong <= 0.0:
            mistakes += 1
        if len(weights) > 1:
            # A part of the step, stretch and all: where that never shortens w, no part of it does.
            a *= weights[i]
            c = 1.0 + (c - 1.0) * weights[i]
        a, c, used, now = apply_update(
            space, y, i, r, m, q, a, c, radius, False, n.t + v, h, dual, journal, used, now
        )
        if kept:
            carry(space, y, i, a, c, seen)
    return done, used, (n.t + done, now.k, mistakes, now.ww, now.sa, now.bw, now.bs)
