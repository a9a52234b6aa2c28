"""Rules whose step has a fixed length or aim: the perceptron and margin forms."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from rosenblatt.theory.rules.rule import (
    Look,
    Step,
    full_step_only,
    margin_limit,
    named,
    reads_norm2,
    step,
)


@named("plain")
class Plain(NamedTuple):
    """Rosenblatt's perceptron: on a mistake, add the example.

    w <- w + eta0·y·x if m <= 0.

    Guarantee: from w = 0, on data with |x| <= R and best margin g > 0, at most (R/g)² updates,
    whatever eta0 and the order (Novikoff 1962). eta0 only scales w: from w = 0 it changes nothing.
    """

    eta0: float = 1.0


@step.of(Plain)
def _plain(rule: Plain, s: Look) -> Step:
    return (rule.eta0 if s.m <= 0 else 0.0), 1.0


@named("normalised")
class Normalised(NamedTuple):
    """The perceptron on the directions of the examples: long ones count no more than short ones.

    w <- w + eta0·y·x/|x| if m <= 0.

    Guarantee: at most 1/g² updates, g the best margin of the normalised examples.
    """

    eta0: float = 1.0


@step.of(Normalised)
def _normalised(rule: Normalised, s: Look) -> Step:
    # An example of length zero cannot be normalised; it cannot be learned either.
    return (rule.eta0 / sqrt(s.q) if s.m <= 0 and s.q > 0 else 0.0), 1.0


@named("margin")
class Margin(NamedTuple):
    """The perceptron with margin: an update also where the example is right but not by theta.

    w <- w + eta0·y·x if m <= theta.

    Guarantee (w = 0 at first, eta0 = 1): at most (R² + 2·theta)/g² updates; the last w has margin
    at least theta·g/(R² + 2·theta), which tends to g/2 (Krauth & Mézard 1987).
    """

    theta: float = 1.0
    eta0: float = 1.0


@step.of(Margin)
def _margin(rule: Margin, s: Look) -> Step:
    return (rule.eta0 if s.m <= rule.theta else 0.0), 1.0


@named("uneven")
class Uneven(NamedTuple):
    """The perceptron with uneven margins (PAUM): a margin of its own for each class.

    w <- w + eta0·y·x if m <= theta_plus (y = +1) or m <= theta_minus (y = -1).

    Li et al. 2002. Their bias moves by eta0·y·R²; ask for that with intercept_scaling = R. With
    many classes theta_plus applies to all.
    """

    theta_plus: float = 1.0
    theta_minus: float = 0.1
    eta0: float = 1.0


@step.of(Uneven)
def _uneven(rule: Uneven, s: Look) -> Step:
    theta = rule.theta_plus if s.y > 0 else rule.theta_minus
    return (rule.eta0 if s.m <= theta else 0.0), 1.0


@named("relaxation")
class Relaxation(NamedTuple):
    """Relaxation: step towards the half-space m >= theta, `lam` times the distance to it.

    w <- w + lam·(theta - m)/q·y·x if m <= theta, 0 < lam <= 2 (1 projects, 2 reflects).

    Guarantee: each step comes nearer to every w with all margins >= theta (Agmon 1954, Motzkin &
    Schoenberg 1954).
    """

    lam: float = 1.0
    theta: float = 1.0


@step.of(Relaxation)
def _relaxation(rule: Relaxation, s: Look) -> Step:
    return (rule.lam * (rule.theta - s.m) / s.q if s.m <= rule.theta and s.q > 0 else 0.0), 1.0


@named("descent")
class Descent(NamedTuple):
    """Gradient descent on the perceptron criterion, -(sum of m over the mistakes), with a schedule.

    w <- w + eta0/(k + 1)^power·y·x if m <= 0; power 0 is constant, 1/2 and 1 shrink.

    Guarantee: from w = 0 the steps e_1 to e_k of all updates satisfy g·(e_1 + ... + e_k) <=
    R·sqrt(e_1² + ... + e_k²), as Novikoff's proof gives it. So on separable data updates end for
    0 <= power <= 1: after at most (R/g)² of them if constant, and perhaps far later if not.
    """

    eta0: float = 1.0
    power: float = 0.0


@step.of(Descent)
def _descent(rule: Descent, s: Look) -> Step:
    return (rule.eta0 / (s.k + 1.0) ** rule.power if s.m <= 0 else 0.0), 1.0


@named("winnow")
class Winnow(NamedTuple):
    """The perceptron through the link of a p-norm, or with multiplicative steps.

    w <- f(theta), theta <- theta + eta0·y·x if m <= 0.

    Guarantee: at most (p - 1)·(X/g)² updates, X the largest p-norm of an example and g the best
    margin of weights whose dual norm is 1 (Grove, Littlestone & Schuurmans 2001). With p = 2·ln d,
    for which p = 0 stands, that is O(ln d) times the square of the largest feature over the margin
    of weights of 1-norm 1 (Gentile & Littlestone 1999): d irrelevant features cost only ln d.
    An infinite p stands for balanced Winnow, w = exp(theta) - exp(-theta): at most
    ln(2·d)/(eta0·g - eta0²·X²/2) updates for eta0 < 2·g/X². There the length of a step matters;
    else eta0 only scales w.
    """

    eta0: float = 1.0
    p: float = 0.0


@step.of(Winnow)
def _winnow(rule: Winnow, s: Look) -> Step:
    return (rule.eta0 if s.m <= 0 else 0.0), 1.0


@reads_norm2.of(Plain, Margin, Uneven, Descent, Winnow)
def _reads_norm2(rule: Any) -> bool:
    return False


@full_step_only.of(Relaxation)
def _full_step_only(rule: Any) -> bool:
    return True


@margin_limit.of(Plain, Normalised, Descent, Winnow)
def _margin_limit_zero(rule: Any) -> float:
    return 0.0


@margin_limit.of(Margin, Relaxation)
def _margin_limit_theta(rule: Any) -> float:
    return max(0.0, rule.theta)


@margin_limit.of(Uneven)
def _margin_limit_uneven(rule: Uneven) -> float:
    return max(0.0, rule.theta_plus, rule.theta_minus)
