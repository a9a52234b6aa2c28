"""Policies of a budget: how to make a step when the support set is full.

A policy is a record with a verb `admit`, which makes a step that is due and keeps the support set
within the budget. All it does is written to the journal as steps: to remove a support is a step
that takes its coefficient back. So its journal replays like any other.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

from rosenblatt.theory.budgets.support_set import (
    DueStep,
    SupportSet,
    add_projection,
    add_step,
    extend_inverse,
    is_full,
    projection,
    remove,
    rescale,
    score,
    swap_in,
)
from rosenblatt.theory.journal import Updates, write_entry
from rosenblatt.theory.rules import PA1, Look, Plain, step
from rosenblatt.theory.verbs import inner, verb

BUDGETS: dict[str, type] = {}
"""Policies by name."""


def named(name: str) -> Any:
    """Register a policy in BUDGETS under a name."""

    def register(kind: type) -> type:
        BUDGETS[name] = kind
        return kind

    return register


@verb
def admit(
    policy: Any, support: SupportSet, s: DueStep, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    """Make a step; return <w, w> and the entries used, unchanged if none is made."""
    raise TypeError("not a budget policy: give a name from BUDGETS, or a record of its kind")


@verb
def needs_inverse(policy: Any) -> bool:
    """Return whether a policy needs the inverse of the kernel matrix."""
    return False


@verb
def keeps_all(policy: Any) -> bool:
    """Return whether supports stay for good: then an average needs no more of them."""
    return False


@verb
def required_rule(policy: Any) -> Any:
    """Return the rule that a policy requires; None if it works with any."""
    return None


# --- the policies -------------------------------------------------------------------------------


@named("stop")
class Stop(NamedTuple):
    """Stoptron: when the budget is used up, only supports are learned from."""


@admit.of(Stop)
def _admit_stop(
    policy: Stop, support: SupportSet, s: DueStep, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    if s.at < 0 and is_full(support):
        return norm2, used
    return add_step(support, s, norm2, journal, used)


@named("oldest")
class Oldest(NamedTuple):
    """The oldest support is removed."""


@admit.of(Oldest)
def _admit_oldest(
    policy: Oldest, support: SupportSet, s: DueStep, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    if s.at < 0 and is_full(support):
        return swap_in(support, s, 0, 0.0, norm2, journal, used)
    return add_step(support, s, norm2, journal, used)


@named("random")
class Random(NamedTuple):
    """The randomised budget perceptron (Cavallanti, Cesa-Bianchi & Gentile 2007).

    A random support, each equally likely, is removed.
    """


@admit.of(Random)
def _admit_random(
    policy: Random, support: SupportSet, s: DueStep, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    if s.at < 0 and is_full(support):
        r = int(support.draws[s.v] * support.size[0])
        return swap_in(support, s, r, 0.0, norm2, journal, used)
    return add_step(support, s, norm2, journal, used)


@named("forgetron")
class Forgetron(NamedTuple):
    """The self-tuned Forgetron (Dekel, Shalev-Shwartz & Singer 2008): fade, then forget the oldest.

    The hypothesis is scaled by the largest factor f <= 1 that keeps the damage of all removals,
    (s·f)²·K(r, r) + 2·s·f·(1 - f·m_r) each, s being the coefficient and m_r the margin of the one
    that is removed, within 15/32 of the number of mistakes.

    Guarantee: with K(x, x) <= 1 and a budget B of 83 or more, at most 2·|g|² + 4·(hinge losses of
    g) mistakes, for any g of length at most sqrt((B + 1)/ln(B + 1))/4.
    """


@admit.of(Forgetron)
def _admit_forgetron(
    policy: Forgetron, support: SupportSet, s: DueStep, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    over = s.at < 0 and is_full(support)
    norm2, used = add_step(support, s, norm2, journal, used)
    if not over:
        return norm2, used
    column = support.columns[0]
    sigma, q = support.coef[0] * support.signs[0], support.K[column, column]
    mu = support.signs[0] * score(support, column)
    # a·f² + b·f + c <= 0, where c <= 0: in this form the root is right for either sign of a.
    a, b = sigma * sigma * q - 2.0 * sigma * mu, 2.0 * sigma
    c = support.memory[0] - 15.0 / 32.0 * s.mistakes
    f, root = 1.0, b + sqrt(max(0.0, b * b - 4.0 * a * c))
    if a + b + c > 0.0 and root > 0.0:
        f = min(1.0, max(0.0, -2.0 * c / root))
    support.memory[0] += a * f * f + b * f
    rescale(support, f)
    lost = -support.coef[0] * support.signs[0]
    used = write_entry(journal, used, s.t, support.numbers[0], 0, lost, f)
    return remove(support, 0, norm2 * f * f), used


@named("projectron")
class Projectron(NamedTuple):
    """Projectron (Orabona, Keshet & Caputo 2009): examples near the span are projected on it.

    With d the distance of the example from the span of the supports: if d <= eta, or if the budget
    is used up, its projection on the span is added instead.

    Guarantee, as long as there is room: at most (|u|² + 2·(hinge losses of u))/(1 - 2·eta·|u|)
    mistakes, K(x, x) <= 1, for any u shorter than 1/(2·eta).
    """

    eta: float = 0.1


@named("projectron++")
class ProjectronPlus(NamedTuple):
    """Projectron++: it also learns from examples that are right with a margin below 1.

    If the loss l = 1 - m is d/eta or more, the projection p is added min(l/p², 2·(l - d/eta)/p², 1)
    times. Mistakes are treated as by "projectron", and so is the guarantee.
    """

    eta: float = 0.1


@inner
def project_or_add(
    eta: float, support: SupportSet, s: DueStep, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    """Make the step of both on a mistake, and of the second on a small margin."""
    share = support.share
    d2 = projection(support, s, share)
    if s.m > 0.0:
        loss, square = 1.0 - s.m, s.q - d2
        rest = loss - sqrt(d2) / eta if eta > 0.0 else (loss if d2 == 0.0 else -1.0)
        if rest <= 0.0 or square <= 0.0:
            return norm2, used
        a = s.a * min(loss / square, 2.0 * rest / square, 1.0)
        return add_projection(support, s, share, a, square, norm2, journal, used)
    # Nearer than rounding can resolve, it is in the span.
    if is_full(support) or d2 <= max(eta * eta, 1e-10 * s.q):
        return add_projection(support, s, share, s.a, s.q - d2, norm2, journal, used)
    extend_inverse(support, share, d2)
    return add_step(support, s, norm2, journal, used)


@admit.of(Projectron, ProjectronPlus)
def _admit_projectron(
    policy: Any, support: SupportSet, s: DueStep, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    return project_or_add(policy.eta, support, s, norm2, journal, used)


@named("bpa-s")
class PassiveAggressiveSwap(NamedTuple):
    """Passive-aggressive on a budget, the simple form (Wang & Vucetic 2010).

    PA-I; when the budget is used up, the new example replaces the support for which the hypothesis
    changes least, and also takes over its projection.
    """

    C: float = 1.0


@admit.of(PassiveAggressiveSwap)
def _admit_swap(
    policy: PassiveAggressiveSwap,
    support: SupportSet,
    s: DueStep,
    norm2: float,
    journal: Updates,
    used: int,
) -> tuple[float, int]:
    if s.at >= 0 or not is_full(support):
        return add_step(support, s, norm2, journal, used)
    # The change is α²·(K(r, r) - K(r, x)²/K(x, x)) + a²·K(x, x), and the loss left the same.
    best, r = inf, 0
    for j in range(support.size[0]):
        column = support.columns[j]
        cross = support.K[s.v, column]
        cost = support.coef[j] * support.coef[j] * (support.K[column, column] - cross * cross / s.q)
        if cost < best:
            best, r = cost, j
    extra = support.coef[r] * support.K[s.v, support.columns[r]] / s.q
    return swap_in(support, s, r, extra, norm2, journal, used)


@named("bogd")
class Bogd(NamedTuple):
    """Bounded online gradient descent (Zhao et al. 2012) on hinge loss + lam/2·|w|².

    w <- (1 - eta0·lam)·w at every visit, + eta0·y·x if m < 1. When the budget is used up, a
    random support, each equally likely, is removed: the form with uniform sampling.

    Guarantee, as long as no example is visited twice: no coefficient is larger than eta0; their sum
    is never larger than 1/lam.
    """

    eta0: float = 0.1
    lam: float = 0.01


@admit.of(Bogd)
def _admit_bogd(
    policy: Bogd, support: SupportSet, s: DueStep, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    if s.at >= 0 or not is_full(support):
        return add_step(support, s, norm2, journal, used)
    r = int(support.draws[s.v] * support.size[0])
    return swap_in(support, s, r, 0.0, norm2, journal, used)


class Penalised(NamedTuple):
    """The rule of gradient descent on the hinge loss with a penalty on |w|²."""

    eta0: float
    lam: float


@step.of(Penalised)
def _step_penalised(rule: Penalised, s: Look) -> tuple[float, float]:
    return (rule.eta0 if s.m < 1.0 else 0.0), 1.0 - rule.eta0 * rule.lam


@needs_inverse.of(Projectron, ProjectronPlus)
def _needs_inverse(policy: Any) -> bool:
    return True


@keeps_all.of(Stop, Projectron, ProjectronPlus)
def _keeps_all(policy: Any) -> bool:
    return True


@required_rule.of(Forgetron, Projectron)
def _required_rule_plain(policy: Any) -> Any:
    return Plain()


@required_rule.of(ProjectronPlus)
def _required_rule_margin(policy: ProjectronPlus) -> Any:
    return Penalised(1.0, 0.0)


@required_rule.of(PassiveAggressiveSwap)
def _required_rule_pa(policy: PassiveAggressiveSwap) -> Any:
    return PA1(policy.C)


@required_rule.of(Bogd)
def _required_rule_bogd(policy: Bogd) -> Any:
    return Penalised(policy.eta0, policy.lam)


def find(given: Any) -> Any:
    """Return a policy, given by name or as a record, as a record."""
    if isinstance(given, str):
        if given not in BUDGETS:
            raise ValueError(
                f"budget_policy={given!r} is not known; take one of {', '.join(BUDGETS)}."
            )
        return BUDGETS[given]()
    if type(given) not in BUDGETS.values():
        raise TypeError(
            "budget_policy must be a name or a record of rosenblatt.BUDGETS, such as "
            "BUDGETS['projectron'](eta=0.2)."
        )
    for name, number in given._asdict().items():
        if not 0 <= number < inf:
            raise ValueError(f"{name}={number} of {type(given).__name__} must be 0 or more.")
    return given
