"""Rules that read an example's coefficient in the dual problem."""

from __future__ import annotations

from math import inf, isinf
from typing import NamedTuple

from rosenblatt.theory.rules.rule import (
    Look,
    Step,
    full_step_only,
    named,
    optimality_gap,
    step,
    stopping_gap,
)


@named("adatron")
class Adatron(NamedTuple):
    """AdaTron: coordinate ascent to the largest margin; steps can be taken back.

    w <- w + a·y·x, a = max(-b, eta0·(1 - m)/q), never beyond b + a = C; b is the sum of the
    example's own steps so far.

    Guarantee (0 < eta0 < 2): tends to the largest margin if there is one (Anlauf & Biehl 1989);
    eta0 = 1 is exact ascent of the hard-margin dual, or with a finite C of the dual of the soft
    margin, in one coordinate after the other. No b is ever negative, so least margin/|w| and
    |w|/(sum of the b) bracket the best margin: learning stops when they are within `gap` of each
    other. With a finite C it stops when primal and dual objective are. Without a margin and with
    an infinite C, w grows for ever.
    """

    needs_dual = True  # type: ignore[misc]  # a mark of the kind, no parameter

    eta0: float = 1.0
    C: float = inf
    gap: float = 1e-3


@step.of(Adatron)
def _adatron(rule: Adatron, s: Look) -> Step:
    if s.q <= 0:
        return 0.0, 1.0
    return min(rule.C - s.b, max(-s.b, rule.eta0 * (1.0 - s.m) / s.q)), 1.0


@stopping_gap.of(Adatron)
def _stopping_gap_adatron(rule: Adatron) -> float:
    return rule.gap


@optimality_gap.of(Adatron)
def _optimality_gap_adatron(
    rule: Adatron, norm2: float, step_sum: float, low: float, loss: float
) -> float:
    if norm2 <= 0:
        return inf
    if isinf(rule.C):
        return 1.0 - low * step_sum / norm2 if low > 0 else inf
    primal = 0.5 * norm2 + rule.C * loss
    return 1.0 - (step_sum - 0.5 * norm2) / primal


# A longer step could overshoot the maximum, or take back more than was given.
@full_step_only.of(Adatron)
def _full_step_only_adatron(rule: Adatron) -> bool:
    return True
