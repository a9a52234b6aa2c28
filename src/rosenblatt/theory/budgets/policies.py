"""Kernel hypotheses on a budget: what to do when there is no room for one more example.

A policy is a record with a verb `admit`, which takes in an example that a step is due on, and keeps
the number of examples held within the budget. All it does is written to the journal as steps: to
drop an example is a step that takes its coefficient back. So a journal replays as any other.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

from rosenblatt.theory.budgets.support_set import (
    Held,
    Visit,
    drop,
    enlarge,
    full,
    project,
    renew,
    replace,
    shrink,
    span,
    value,
)
from rosenblatt.theory.journal import Updates, write_entry
from rosenblatt.theory.rules import PA1, Look, Plain, step
from rosenblatt.theory.verbs import inner, verb

BUDGETS: dict[str, type] = {}
"""Policies by name."""


def named(name: str) -> Any:
    """Enter a policy in the table under its name."""

    def register(kind: type) -> type:
        BUDGETS[name] = kind
        return kind

    return register


@verb
def admit(
    policy: Any, held: Held, s: Visit, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    """Take the example in: <w, w> after it and the journal entries used; as before if refused."""
    raise TypeError("not a budget policy: give a name from BUDGETS, or a record of its kind")


@verb
def projects(policy: Any) -> bool:
    """Whether a policy needs the inverse of the kernel matrix."""
    return False


@verb
def grows(policy: Any) -> bool:
    """Whether what is held once is held for good: then an average stays within the budget too."""
    return False


@verb
def manner(policy: Any) -> Any:
    """The rule that belongs to a policy; None if it goes with any."""
    return None


# --- the policies -------------------------------------------------------------------------------


@named("stop")
class Stop(NamedTuple):
    """Stoptron: when the budget is used up, examples that are not held teach nothing more."""


@admit.of(Stop)
def _admit_stop(
    policy: Stop, held: Held, s: Visit, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    if s.at < 0 and full(held):
        return ww, used
    return renew(held, s, ww, journal, used)


@named("oldest")
class Oldest(NamedTuple):
    """The example that has been held longest goes."""


@admit.of(Oldest)
def _admit_oldest(
    policy: Oldest, held: Held, s: Visit, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    if s.at < 0 and full(held):
        return replace(held, s, 0, 0.0, ww, journal, used)
    return renew(held, s, ww, journal, used)


@named("random")
class Random(NamedTuple):
    """The randomised budget perceptron (Cavallanti, Cesa-Bianchi & Gentile 2007).

    One of the examples held, each as likely as any other, goes.
    """


@admit.of(Random)
def _admit_random(
    policy: Random, held: Held, s: Visit, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    if s.at < 0 and full(held):
        r = int(held.words[s.v] * held.size[0])
        return replace(held, s, r, 0.0, ww, journal, used)
    return renew(held, s, ww, journal, used)


@named("forgetron")
class Forgetron(NamedTuple):
    """The self-tuned Forgetron (Dekel, Shalev-Shwartz & Singer 2008): fade, then forget the oldest.

    The hypothesis is scaled by the largest factor f <= 1 that keeps the damage of all removals,
    (s·f)²·K(r, r) + 2·s·f·(1 - f·m_r) each, s being the coefficient and m_r the margin of the one
    that goes, within 15/32 of the number of mistakes.

    Guarantee: with K(x, x) <= 1 and a budget B of 83 or more, at most 2·|g|² + 4·(hinge losses of
    g) mistakes, for any g of length at most sqrt((B + 1)/ln(B + 1))/4.
    """


@admit.of(Forgetron)
def _admit_forgetron(
    policy: Forgetron, held: Held, s: Visit, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    over = s.at < 0 and full(held)
    ww, used = renew(held, s, ww, journal, used)
    if not over:
        return ww, used
    column = held.columns[0]
    sigma, q = held.coef[0] * held.signs[0], held.K[column, column]
    mu = held.signs[0] * value(held, column)
    # a·f² + b·f + c <= 0, where c <= 0: in this form the root is right for either sign of a.
    a, b = sigma * sigma * q - 2.0 * sigma * mu, 2.0 * sigma
    c = held.memory[0] - 15.0 / 32.0 * s.mistakes
    f, root = 1.0, b + sqrt(max(0.0, b * b - 4.0 * a * c))
    if a + b + c > 0.0 and root > 0.0:
        f = min(1.0, max(0.0, -2.0 * c / root))
    held.memory[0] += a * f * f + b * f
    shrink(held, f)
    lost = -held.coef[0] * held.signs[0]
    used = write_entry(journal, used, s.t, held.numbers[0], 0, lost, f)
    return drop(held, 0, ww * f * f), used


@named("projectron")
class Projectron(NamedTuple):
    """Projectron (Orabona, Keshet & Caputo 2009): an example that is nearly a sum of others is it.

    With d the distance of the example from the span of those held: if d <= eta, or if the budget is
    used up, its projection on the span is added in its stead.

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
def projected(
    eta: float, held: Held, s: Visit, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    """What both do on a mistake, and the second also on a small margin."""
    share = held.share
    d2 = span(held, s, share)
    if s.m > 0.0:
        loss, square = 1.0 - s.m, s.q - d2
        rest = loss - sqrt(d2) / eta if eta > 0.0 else (loss if d2 == 0.0 else -1.0)
        if rest <= 0.0 or square <= 0.0:
            return ww, used
        a = s.a * min(loss / square, 2.0 * rest / square, 1.0)
        return project(held, s, share, a, square, ww, journal, used)
    # Nearer than rounding tells, it is in the span.
    if full(held) or d2 <= max(eta * eta, 1e-10 * s.q):
        return project(held, s, share, s.a, s.q - d2, ww, journal, used)
    enlarge(held, share, d2)
    return renew(held, s, ww, journal, used)


@admit.of(Projectron, ProjectronPlus)
def _admit_projectron(
    policy: Any, held: Held, s: Visit, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    return projected(policy.eta, held, s, ww, journal, used)


@named("bpa-s")
class PassiveAggressiveSwap(NamedTuple):
    """Passive-aggressive on a budget, the simple form (Wang & Vucetic 2010).

    PA-I; when the budget is used up, one example goes and the new one also takes over its
    projection: that one, for which the hypothesis changes least.
    """

    C: float = 1.0


@admit.of(PassiveAggressiveSwap)
def _admit_swap(
    policy: PassiveAggressiveSwap, held: Held, s: Visit, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    if s.at >= 0 or not full(held):
        return renew(held, s, ww, journal, used)
    # The change is α²·(K(r, r) - K(r, x)²/K(x, x)) + a²·K(x, x), and the loss left the same.
    best, r = inf, 0
    for j in range(held.size[0]):
        column = held.columns[j]
        cross = held.K[s.v, column]
        cost = held.coef[j] * held.coef[j] * (held.K[column, column] - cross * cross / s.q)
        if cost < best:
            best, r = cost, j
    extra = held.coef[r] * held.K[s.v, held.columns[r]] / s.q
    return replace(held, s, r, extra, ww, journal, used)


@named("bogd")
class Bogd(NamedTuple):
    """Bounded online gradient descent (Zhao et al. 2012) on hinge loss + lam/2·|w|².

    w <- (1 - eta0·lam)·w at every visit, + eta0·y·x if m < 1. When the budget is used up, one of
    the examples held, each as likely as any other, goes: the form with uniform sampling.

    Guarantee, as long as no example comes twice: no coefficient is larger than eta0; their sum is
    never larger than 1/lam.
    """

    eta0: float = 0.1
    lam: float = 0.01


@admit.of(Bogd)
def _admit_bogd(
    policy: Bogd, held: Held, s: Visit, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    if s.at >= 0 or not full(held):
        return renew(held, s, ww, journal, used)
    r = int(held.words[s.v] * held.size[0])
    return replace(held, s, r, 0.0, ww, journal, used)


class Penalised(NamedTuple):
    """The rule of gradient descent on the hinge loss, |w| being penalised."""

    eta0: float
    lam: float


@step.of(Penalised)
def _step_penalised(rule: Penalised, s: Look) -> tuple[float, float]:
    return (rule.eta0 if s.m < 1.0 else 0.0), 1.0 - rule.eta0 * rule.lam


@projects.of(Projectron, ProjectronPlus)
def _projects(policy: Any) -> bool:
    return True


@grows.of(Stop, Projectron, ProjectronPlus)
def _grows(policy: Any) -> bool:
    return True


@manner.of(Forgetron, Projectron)
def _manner_plain(policy: Any) -> Any:
    return Plain()


@manner.of(ProjectronPlus)
def _manner_margin(policy: ProjectronPlus) -> Any:
    return Penalised(1.0, 0.0)


@manner.of(PassiveAggressiveSwap)
def _manner_pa(policy: PassiveAggressiveSwap) -> Any:
    return PA1(policy.C)


@manner.of(Bogd)
def _manner_bogd(policy: Bogd) -> Any:
    return Penalised(policy.eta0, policy.lam)


def find(given: Any) -> Any:
    """A policy as a record."""
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
