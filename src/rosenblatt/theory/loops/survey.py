"""Loops over all examples that change nothing: margins, and steps that are due."""

from __future__ import annotations

from math import inf
from typing import Any

from rosenblatt.theory.loops.closing import square
from rosenblatt.theory.loops.online import prefetch_distance
from rosenblatt.theory.loops.update import Counters
from rosenblatt.theory.rules import Look, step
from rosenblatt.theory.spaces import (
    Array,
    best_rival_margin,
    clearly_above,
    example_norm2,
    look,
    prefetch_example,
    prefetch_lines,
    refresh_h32,
    screening_pays,
    sign,
)


def survey(space: Any, y: Array, h: Array, margins: Array) -> tuple[int, float]:
    """Return the number of mistakes of a fixed hypothesis and its least margin.

    `margins`, if it is not empty, receives the margins of all examples.
    """
    mistakes, low = 0, inf
    screened, norm2 = len(margins) == 0 and screening_pays(space, len(y)), 0.0
    if screened:
        refresh_h32(space, h)
        norm2 = square(h)
    lines = prefetch_lines(space, False, screened)
    distance = prefetch_distance(lines)
    for i in range(len(y)):
        if lines > 0 and i + 2 * distance < len(y):
            prefetch_example(space, i + distance, i + 2 * distance, lines, screened)
        # Neither a mistake nor the least margin.
        if screened and low < inf and clearly_above(space, y, i, h, norm2, max(low, 0.0)):
            continue
        m, _, r = look(space, y, i, h)
        m = best_rival_margin(space, y, i, m, r)
        low = min(low, m)
        if m <= 0.0:
            mistakes += 1
        if len(margins):
            margins[i] = m
    return mistakes, low


def unsettled(space: Any, y: Array, rule: Any, h: Array, dual: Array, n: Counters) -> bool:
    """Return whether the rule would step on any example."""
    for i in range(len(y)):
        m, f, _ = look(space, y, i, h)
        b = dual[i] if len(dual) else 0.0
        q = f * example_norm2(space, i)
        a, _ = step(rule, Look(m, q, n.norm2, b, n.t, n.k, n.step_sum, sign(space, y, i)))
        if a != 0.0:
            return True
    return False
