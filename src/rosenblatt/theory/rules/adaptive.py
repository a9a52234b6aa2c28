"""Rules whose step fits the mistake, or whose margin fits the hypothesis."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from rosenblatt.theory.rules.rule import (
    Look,
    Step,
    ball_radius2,
    full_step_only,
    margin_limit,
    named,
    reads_norm2,
    shared_margin,
    step,
)


@named("pa")
class PA(NamedTuple):
    """Passive-aggressive: the least change of w that gives the example margin 1.

    w <- w + (1 - m)/q·y·x if m < 1.

    Guarantee: if some u gives every example margin 1, the squared hinge losses sum to at most
    R²·|u|² (Crammer et al. 2006, theorem 2).
    """

    margin: float = 1.0


@step.of(PA)
def _pa(rule: PA, s: Look) -> Step:
    return ((rule.margin - s.m) / s.q if s.m < rule.margin and s.q > 0 else 0.0), 1.0


@named("pa1")
class PA1(NamedTuple):
    """Passive-aggressive I: as PA, but no step is longer than C.

    w <- w + min(C, (1 - m)/q)·y·x if m < 1.

    Guarantee: mistakes <= max(R², 1/C)·(|u|² + 2·C·sum of u's hinge losses) for every u
    (Crammer et al. 2006, theorem 4).
    """

    C: float = 1.0
    margin: float = 1.0


@step.of(PA1)
def _pa1(rule: PA1, s: Look) -> Step:
    if s.m < rule.margin and s.q > 0:
        return min(rule.C, (rule.margin - s.m) / s.q), 1.0
    return 0.0, 1.0


@named("pa2")
class PA2(NamedTuple):
    """Passive-aggressive II: as PA, with steps softened by 1/(2C).

    w <- w + (1 - m)/(q + 1/(2C))·y·x if m < 1.

    Guarantee: sum of squared losses <= (R² + 1/(2C))·(|u|² + 2·C·sum of u's squared losses) for
    every u (Crammer et al. 2006, theorem 5).
    """

    C: float = 1.0
    margin: float = 1.0


@step.of(PA2)
def _pa2(rule: PA2, s: Look) -> Step:
    if s.m < rule.margin and s.q > 0:
        return (rule.margin - s.m) / (s.q + 0.5 / rule.C), 1.0
    return 0.0, 1.0


@named("mira")
class Mira(NamedTuple):
    """MIRA: the least change of w that puts the example on the boundary, capped at a full step.

    w <- w + clip((margin - m)/q, 0, 1)·y·x.

    Crammer & Singer 2003 state it for margin 0 and many classes; there the step is shared by the
    rivals as the exact solution of their quadratic programme says. At w = 0 with margin
    0 every score ties and their solution is not to move: a full step is taken there, which only
    sets the scale.
    """

    margin: float = 0.0


@step.of(Mira)
def _mira(rule: Mira, s: Look) -> Step:
    if s.q <= 0 or s.m > rule.margin:
        return 0.0, 1.0
    if rule.margin == 0 and s.norm2 <= 1e-24 * s.q:  # w is zero, or as good as zero beside x
        return 1.0, 1.0
    return min(1.0, (rule.margin - s.m) / s.q), 1.0


@shared_margin.of(Mira)
def _mira_shared_margin(rule: Mira) -> float:
    return rule.margin


@named("romma")
class Romma(NamedTuple):
    """ROMMA: the shortest w that keeps the half-space of the old w and gives the example margin 1.

    w <- [(q·|w|² - m)·w + |w|²·(1 - m)·y·x]/(q·|w|² - m²), or y·x/q if that lies in the
    half-space, as it does at the first update and where q·|w|² <= m. An update on a mistake;
    with `aggressive` whenever m < 1.

    Guarantee: from w = 0, mistakes <= R²/g² (Li & Long 2002). After an update the example's margin
    is 1 and <w', w> >= |w|². |w| never exceeds 1/g; without a margin it grows for ever. Once
    |w|·|x| passes 1e8 only the direction of w is kept, at the length of a first update, and
    learning goes on.
    """

    aggressive: bool = False


@step.of(Romma)
def _romma(rule: Romma, s: Look) -> Step:
    if s.q <= 0 or (s.m >= 1 if rule.aggressive else s.m > 0):
        return 0.0, 1.0
    if s.norm2 == 0:
        return 1.0 / s.q, 1.0
    if s.q * s.norm2 <= s.m:
        return 1.0 / s.q, 0.0  # the shortest w of margin 1 is in the half-space of the old one
    f = 1.0 / sqrt(s.q * s.norm2) if s.q * s.norm2 > 1e16 else 1.0
    m, norm2 = f * s.m, f * f * s.norm2
    span = s.q * norm2 - m * m
    if span <= 1e-12 * s.q * norm2:
        # x is parallel to w: the two conditions are one, and the nearest point to meet it is PA's.
        return (1.0 - m) / s.q, f
    return norm2 * (1.0 - m) / span, f * (s.q * norm2 - m) / span


@named("alma")
class Alma(NamedTuple):
    """ALMA: an approximately maximal margin, with steps and margins that shrink as 1/sqrt(k).

    On x' = x/|x|: w <- w + eta_k·y·x', then projected to the unit ball, if m' <= (1 - alpha)·g_k;
    g_k = B·sqrt(p - 1)/sqrt(k), eta_k = C/sqrt((p - 1)·k), k counts corrections from 1. With p > 2
    lengths are p-norms and the step is taken through the link of the dual norm.

    Guarantee (w = 0 at first, B = sqrt(8)/alpha, C = sqrt(2)): a margin of at least (1 - alpha)·g
    after O((p - 1)/(alpha²·g²)) corrections (Gentile 2001). B = 0 stands for 1/alpha, as in his
    experiments.
    """

    alpha: float = 0.9
    p: float = 2.0
    B: float = 0.0
    C: float = sqrt(2.0)


@step.of(Alma)
def _alma(rule: Alma, s: Look) -> Step:
    if s.q <= 0:
        return 0.0, 1.0
    length, root = sqrt(s.q), sqrt(s.k + 1.0)
    B = rule.B if rule.B > 0 else 1.0 / rule.alpha
    if s.m / length > (1.0 - rule.alpha) * B * sqrt(rule.p - 1.0) / root:
        return 0.0, 1.0
    return rule.C / (sqrt(rule.p - 1.0) * root * length), 1.0


@ball_radius2.of(Alma)
def _alma_ball_radius2(rule: Alma) -> float:
    return 1.0


@named("ballseptron")
class Ballsep(NamedTuple):
    """Ballseptron: the perceptron on balls of radius r around the examples.

    On a mistake w <- w + y·x. If the example is right but its ball is cut, 0 < m/|w| <= r, the
    ball's worst point is learned: w <- (1 - r/|w|)·w + y·x.

    Guarantee: from w = 0 at most ((R + r)/(g - r))² updates if r < g; once there are no more, every
    ball is right, so the margin exceeds r (Shalev-Shwartz & Singer 2005).
    """

    r: float = 0.1


@step.of(Ballsep)
def _ballsep(rule: Ballsep, s: Look) -> Step:
    if s.m <= 0:
        return 1.0, 1.0
    length = sqrt(s.norm2)
    if s.m <= rule.r * length:
        return 1.0, 1.0 - rule.r / length
    return 0.0, 1.0


@named("dynamic")
class Dynamic(NamedTuple):
    """The perceptron with dynamic margin (PDM): it asks for the best margin still possible.

    w <- w + y·x if m <= (1 - eps)·|w|²/k, k the sum of the steps: the number of updates.

    Guarantee: from w = 0, |w|/k is never less than the best margin g, so a full pass without update
    proves a margin above (1 - eps)·g (Panagiotakopoulos & Tsampouka 2011).
    """

    eps: float = 0.1


@step.of(Dynamic)
def _dynamic(rule: Dynamic, s: Look) -> Step:
    return (1.0 if s.m <= (1.0 - rule.eps) * s.norm2 / max(s.step_sum, 1e-300) else 0.0), 1.0


@reads_norm2.of(Ballsep, Dynamic)
def _reads_norm2(rule: Any) -> bool:
    return False


@full_step_only.of(PA, PA2, Romma, Alma, Ballsep)
def _full_step_only(rule: Any) -> bool:
    return True


@margin_limit.of(PA, PA1, PA2, Mira)
def _margin_limit_margin(rule: Any) -> float:
    return max(0.0, rule.margin)


@margin_limit.of(Romma)
def _margin_limit_romma(rule: Romma) -> float:
    return 1.0 if rule.aggressive else 0.0
