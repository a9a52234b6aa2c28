"""Rules that settle down: steps shrink with the depth of a mistake, or as w grows."""

from __future__ import annotations

from math import exp, inf, sqrt
from typing import Any, NamedTuple

from rosenblatt.theory.rules.rule import (
    Look,
    Step,
    compares_unit_margins,
    full_step_only,
    margin_limit,
    named,
    reads_norm2,
    step,
)


@named("thermal")
class Thermal(NamedTuple):
    """The thermal perceptron: deep mistakes, which may be past mending, move w little.

    w <- w + eta0·exp(m/T)·y·x if m <= 0.

    With `visits`, T and eta0 fall linearly to zero over that number of visits (annealing);
    with 0 they stay. For large T it is the plain rule, with its guarantee.

    Frean 1992. T compares with m, so it goes with the scale of the data: a full step on an example
    raises its own m by eta0·q.
    """

    temperature: float = 1.0
    eta0: float = 1.0
    visits: float = 0.0


@step.of(Thermal)
def _thermal(rule: Thermal, s: Look) -> Step:
    left = 1.0 - s.t / rule.visits if rule.visits > 0 else 1.0
    if s.m > 0 or left <= 0:
        return 0.0, 1.0
    return rule.eta0 * left * exp(s.m / (rule.temperature * left)), 1.0


@named("maxover")
class Maxover(NamedTuple):
    """Wendemuth's rule: on a mistake w is stretched as well, so that it never gets shorter.

    w <- w + r/N if w·z <= kappa·|w|, r = z + [(|z|² - w·z)/(|w|² - w·z)]·w if w·z < 0, else z.

    z is y·x scaled to the length sqrt(N), or times `factor` if that is not 0. Always
    w·r = (|z|²·|w|² - (w·z)²)/(|w|² - w·z) >= 0 on a mistake, since no product of two vectors
    exceeds that of their lengths: |w| never falls, so w turns less and less, whether or not the
    data can be separated. No step once |w| > limit.

    Wendemuth 1995, eq. (4). In his general form (2), r = z + x·(|z|/|w|)·w with x at least -cos of
    the angle between w and z, it is x = |w|·(|z|² - w·z)/(|z|·(|w|² - w·z)). Which example is
    taken makes his three algorithms: the orders "least", "violated" and "nearest".
    """

    kappa: float = 0.0
    limit: float = inf
    N: float = 1.0
    factor: float = 0.0


@step.of(Maxover)
def _maxover(rule: Maxover, s: Look) -> Step:
    if s.q <= 0 or s.norm2 > rule.limit * rule.limit:
        return 0.0, 1.0
    factor = rule.factor if rule.factor > 0 else sqrt(rule.N / s.q)
    m, q = factor * s.m, factor * factor * s.q
    # Without a threshold every margin is low: inf·0 must not decide.
    if rule.kappa < inf and m > rule.kappa * sqrt(max(s.norm2, 0.0)):
        return 0.0, 1.0
    return factor / rule.N, (1.0 + (q - m) / (s.norm2 - m) / rule.N if m < 0 else 1.0)


@compares_unit_margins.of(Maxover)
def _compares_unit_margins(rule: Maxover) -> bool:
    return rule.factor <= 0


@reads_norm2.of(Thermal)
def _reads_norm2(rule: Any) -> bool:
    return False


@margin_limit.of(Thermal)
def _margin_limit(rule: Thermal) -> float:
    return 0.0


@full_step_only.of(Maxover, Thermal)
def _full_step_only(rule: Any) -> bool:
    return True
