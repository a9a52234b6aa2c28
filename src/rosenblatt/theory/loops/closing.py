"""The end of a pass: what it proves of the best margin."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from rosenblatt.theory.arrays import flat
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.update import Counters
from rosenblatt.theory.rounding import carried, ceiling, drift, longest
from rosenblatt.theory.spaces import Array
from rosenblatt.theory.verbs import inner

SMALLEST = 1e-140  # a number whose square keeps all its digits


class Proof(NamedTuple):
    """What the upper end of the best margin depends on beside the counters of a run."""

    holds: bool  # |w|/step_sum bounds the margin: w is a combination of signed examples
    radius: float  # no example is longer
    terms: int  # of a sum over a hypothesis
    scores: int


class Opening(NamedTuple):
    """The counters before a pass that the end of it needs."""

    norm2: float
    step_sum: float
    drift: float


@inner
def square(h: Array) -> float:
    """Return <w, w>."""
    row, total = flat(h), 0.0
    for j in range(row.size):
        total += row[j] * row[j]
    return total


@inner
def shortest(journal: Updates, entries: int) -> tuple[float, bool]:
    """Return the least step among the first updates, and whether any of them scales w."""
    least, scaled = inf, False
    for e in range(entries):
        least = min(least, journal.a[e])
        scaled = scaled or journal.c[e] != 1.0
    return least, scaled


@inner
def upper_end(
    before: Opening, n: Counters, entries: int, least: float, proof: Proof
) -> tuple[float, float]:
    """Return the upper end of the best margin that |w|/step_sum proves, and the drift of w."""
    if not proof.holds:
        return n.upper, n.drift
    reach = proof.radius
    if before.step_sum > 0.0:
        length = longest(before.norm2, proof.terms) / before.step_sum
        reach = max(reach, length + before.drift)
    drifted = n.drift + drift(entries, proof.scores, reach, proof.terms, least)
    # At the end of the pass <w, w> is computed afresh; on the way it is carried by algebra.
    ends = ceiling(n.norm2, n.step_sum, drifted, proof.terms)
    grown = carried(entries, reach, proof.terms + proof.scores)
    best, steps = inf, n.best_step_sum
    if (
        SMALLEST < steps < 1 / SMALLEST and n.best_norm2 > SMALLEST * SMALLEST
    ):  # squares keep digits
        best = ceiling(n.best_norm2 + grown * steps * steps, steps, drifted, proof.terms)
    return min(n.upper, ends, best), drifted
