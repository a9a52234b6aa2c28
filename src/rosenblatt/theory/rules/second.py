"""Rules of second order: each weight has a variance, which scales its steps.

w has a mean, which predicts, and a covariance S. The step adds a·y·Sx to the mean and g·xx' to the
inverse of S; `step` gives a, `confidence_gain` gives g. In `Look`, m is the margin of the mean and
q is v = x'Sx, the variance of <w, x>. With `full` S is a matrix; without it a diagonal, to whose
inverse the diagonal of g·xx' is added. a and g are then those of the same formulas.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from rosenblatt.theory.rules.rule import (
    Look,
    Step,
    confidence_gain,
    full_step_only,
    mean_shrinks,
    named,
    prior_variance,
    step,
)
from rosenblatt.theory.verbs import inner

PHI = 0.5244005127080407  # a normal variable is below it with probability 0.7


@named("second_order")
class Sop(NamedTuple):
    """The second-order perceptron: on a mistake, the perceptron seen through past examples.

    w = S·u, u <- u + y·x and S^-1 <- S^-1 + xx' if m <= 0; u = 0 and S = I/a at first.

    Cesa-Bianchi, Conconi & Gentile 2005 keep the whole matrix, as `full` does: then the step is
    w <- w + (1 - m)/(1 + v)·y·Sx. They score x by u'(S^-1 + xx')^-1·x, which is <w, x>/(1 + v):
    the sign, and so every prediction, is that of <w, x>. Without `full` only the diagonal of S^-1
    is kept, w_j = u_j·S_jj, and their bound is not claimed.

    Guarantee (full): for every u of length 1 and g > 0, mistakes <= D/g + sqrt((a + u'Xu)·
    sum of log(1 + l/a))/g, D the sum of u's hinge losses max(0, g - y·<u, x>), X the sum of xx'
    over the mistakes and l its eigenvalues (their theorem 3.1).
    """

    a: float = 1.0
    full: bool = False


@step.of(Sop)
def _sop(rule: Sop, s: Look) -> Step:
    if s.m > 0 or s.q <= 0:
        return 0.0, 1.0
    return ((1.0 - s.m) / (1.0 + s.q) if rule.full else 1.0), 1.0


@mean_shrinks.of(Sop)
def _mean_shrinks_sop(rule: Sop) -> bool:
    return not rule.full


@confidence_gain.of(Sop)
def _confidence_gain_sop(rule: Sop, v: float, a: float) -> float:
    return 1.0


@inner
def gain_of_step(phi: float, v: float, a: float) -> float:
    """Return the g of a step of a that aims at m >= phi·sqrt(v) with the new v."""
    if v <= 0:
        return 0.0
    # The new v is u = v/(1 + g·v) with g = a·phi/sqrt(u): a quadratic equation in sqrt(u).
    part = a * v * phi
    root = 0.5 * (sqrt(part * part + 4.0 * v) - part)
    return a * phi / root if root > 0 else 0.0


@inner
def least_step(phi: float, m: float, v: float) -> float:
    """Return the least step after which m >= phi·sqrt(v) with the new v."""
    if v <= 0 or (m > 0 and m * m >= phi * phi * v):
        return 0.0
    psi, zeta = 1.0 + 0.5 * phi * phi, 1.0 + phi * phi
    root = sqrt(0.25 * m * m * (phi * phi) * (phi * phi) + v * phi * phi * zeta)
    if m > 0:  # the same number, without a difference of two that are nearly equal
        return (phi * phi * v - m * m) / (v * (root + m * psi))
    return (root - m * psi) / (v * zeta)


@named("cw")
class CW(NamedTuple):
    """Confidence-weighted: the least change of N(w, S) that is right with a given confidence.

    w <- w + a·y·Sx, S^-1 <- S^-1 + a·phi/sqrt(u)·xx' if m < phi·sqrt(v), with
    a = (sqrt(m²·phi⁴/4 + v·phi²·(1 + phi²)) - m·(1 + phi²/2))/(v·(1 + phi²)) and
    sqrt(u) = (sqrt(a²·v²·phi² + 4·v) - a·v·phi)/2.

    It minimises the divergence KL(N(w', S') || N(w, S)) with y·<w', x> >= phi·sqrt(x'S'x), phi the
    normal quantile of the confidence (Crammer, Dredze & Kulesza 2008). After a step this holds with
    equality. Every example is met in full: noisy labels do harm.
    """

    phi: float = PHI
    full: bool = False


@step.of(CW)
def _cw(rule: CW, s: Look) -> Step:
    return least_step(rule.phi, s.m, s.q), 1.0


@confidence_gain.of(CW)
def _confidence_gain_cw(rule: CW, v: float, a: float) -> float:
    return gain_of_step(rule.phi, v, a)


@named("cw_variance")
class CWVariance(NamedTuple):
    """Confidence-weighted with the variance in place of the deviation: m >= phi·v.

    w <- w + a·y·Sx, S^-1 <- S^-1 + 2·a·phi·xx' if m < phi·v, with
    a = (sqrt((1 - 2·phi·m)² + 8·phi²·v) - (1 + 2·phi·m))/(4·phi·v).

    The first form, which is convex as it stands (Dredze, Crammer & Pereira 2008).
    """

    phi: float = PHI
    full: bool = False


@step.of(CWVariance)
def _cw_variance(rule: CWVariance, s: Look) -> Step:
    m, v, phi = s.m, s.q, rule.phi
    if v <= 0 or m >= phi * v:
        return 0.0, 1.0
    b = 1.0 + 2.0 * phi * m
    part = 1.0 - 2.0 * phi * m
    root = sqrt(part * part + 8.0 * phi * phi * v)
    if b > 0:  # as in `least_step`
        return 2.0 * (phi * v - m) / (v * (root + b)), 1.0
    return (root - b) / (4.0 * phi * v), 1.0


@confidence_gain.of(CWVariance)
def _confidence_gain_cw_variance(rule: CWVariance, v: float, a: float) -> float:
    return 2.0 * a * rule.phi


@named("arow")
class Arow(NamedTuple):
    """AROW: a confidence-weighted step that gives way to noise, by adaptive regularisation.

    w <- w + (1 - m)/(v + r)·y·Sx, S^-1 <- S^-1 + xx'/r if m < 1; the 1 is `margin`.

    It minimises KL(N(w', S') || N(w, S)) + max(0, 1 - y·<w', x>)²/(2r) + x'S'x/(2r).

    Guarantee (full): mistakes are bounded for every u by its hinge losses, |u|² and the log of the
    determinant of S^-1 (Crammer, Kulesza & Dredze 2009, theorem 2).
    """

    r: float = 1.0
    full: bool = False
    margin: float = 1.0


@step.of(Arow)
def _arow(rule: Arow, s: Look) -> Step:
    if s.m < rule.margin and s.q > 0:
        return (rule.margin - s.m) / (s.q + rule.r), 1.0
    return 0.0, 1.0


@confidence_gain.of(Arow)
def _confidence_gain_arow(rule: Arow, v: float, a: float) -> float:
    return 1.0 / rule.r


@named("scw1")
class SCW1(NamedTuple):
    """Soft confidence-weighted I: as CW, but no step is longer than C.

    w <- w + min(C, a)·y·Sx with CW's a; S as in CW, for the step that is made.

    It minimises KL(N(w', S') || N(w, S)) + C·max(0, phi·sqrt(x'S'x) - y·<w', x>) (Wang, Zhao & Hoi
    2012).
    """

    C: float = 1.0
    phi: float = PHI
    full: bool = False


@step.of(SCW1)
def _scw1(rule: SCW1, s: Look) -> Step:
    return min(rule.C, least_step(rule.phi, s.m, s.q)), 1.0


@named("scw2")
class SCW2(NamedTuple):
    """Soft confidence-weighted II: as CW, with steps softened by 1/(2C).

    w <- w + a·y·Sx if m < phi·sqrt(v), with n = v + 1/(2C) and
    a = (phi·sqrt(phi²·m²·v² + 4·n·v·(n + v·phi²)) - m·(2·n + phi²·v))/(2·n·(n + v·phi²));
    S as in CW.

    It minimises KL(N(w', S') || N(w, S)) + C·max(0, phi·sqrt(x'S'x) - y·<w', x>)² (Wang, Zhao & Hoi
    2012). LIBOL's code has another root, which does not.
    """

    C: float = 1.0
    phi: float = PHI
    full: bool = False


@step.of(SCW2)
def _scw2(rule: SCW2, s: Look) -> Step:
    m, v, p = s.m, s.q, rule.phi * rule.phi
    if v <= 0 or (m > 0 and m * m >= p * v):
        return 0.0, 1.0
    n = v + 0.5 / rule.C
    root = rule.phi * sqrt(p * m * m * v * v + 4.0 * n * v * (n + v * p))
    b = m * (2.0 * n + p * v)
    if m > 0:  # as in `least_step`
        return 2.0 * (p * v - m * m) / (root + b), 1.0
    return (root - b) / (2.0 * n * (n + v * p)), 1.0


@confidence_gain.of(SCW1, SCW2)
def _confidence_gain_scw(rule: Any, v: float, a: float) -> float:
    return gain_of_step(rule.phi, v, a)


@named("nherd")
class Nherd(NamedTuple):
    """NHERD: a normal herd of hypotheses, all of which take a passive-aggressive step at once.

    w <- w + (1 - m)/(v + 1/C)·y·Sx, S^-1 <- S^-1 + (2·C + C²·v)·xx' if m < 1.

    Crammer & Lee 2010; the diagonal is their exact one. Surer than AROW of r = 1/C after each step.
    """

    C: float = 1.0
    full: bool = False


@step.of(Nherd)
def _nherd(rule: Nherd, s: Look) -> Step:
    return ((1.0 - s.m) / (s.q + 1.0 / rule.C) if s.m < 1 and s.q > 0 else 0.0), 1.0


@confidence_gain.of(Nherd)
def _confidence_gain_nherd(rule: Nherd, v: float, a: float) -> float:
    return rule.C * (2.0 + rule.C * v)


@prior_variance.of(Sop)
def _prior_variance_sop(rule: Sop) -> float:
    return 1.0 / rule.a


@prior_variance.of(CW, CWVariance, Arow, SCW1, SCW2, Nherd)
def _prior_variance(rule: Any) -> float:
    return 1.0


@full_step_only.of(Sop, CW, CWVariance, Arow, SCW1, SCW2, Nherd)
def _full_step_only(rule: Any) -> bool:
    return True
