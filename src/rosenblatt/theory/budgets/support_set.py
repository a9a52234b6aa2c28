"""The support set of a kernel hypothesis on a budget, and the ways to change it."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.journal import Updates, write_entry
from rosenblatt.theory.spaces import Array
from rosenblatt.theory.verbs import inner


class SupportSet(NamedTuple):
    """The supports, oldest first, and their kernel values with the examples of a block."""

    K: Array  # kernel values of the block's examples and the supports before it with one another
    numbers: Array  # the example of each support; one place more than the budget
    columns: Array  # the place of each support in K
    coef: Array  # their signed coefficients
    signs: Array  # their labels
    size: Array  # how many there are
    inverse: Array  # of the supports' kernel matrix, for a policy that projects; else empty
    share: Array  # scratch: the factors of the supports in a projection
    memory: Array  # the Forgetron's sum of damages; the scale that the next entry will record
    draws: Array  # a random number from 0 to 1 for each visit


class DueStep(NamedTuple):
    """A visit at which a step is due; the hypothesis has been scaled already."""

    v: int  # where in the block
    number: int  # of the example
    at: int  # its place in the support set, or -1
    y: float
    a: float  # the step
    c: float  # the scale, for the journal
    m: float  # the margin
    q: float  # K(x, x)
    t: int
    mistakes: int  # this one included


@inner
def score(support: SupportSet, column: int) -> float:
    """Return the score of the example in a column of K."""
    total = 0.0
    for j in range(support.size[0]):
        total += support.coef[j] * support.K[column, support.columns[j]]
    return total


@inner
def append(support: SupportSet, s: DueStep, coefficient: float) -> None:
    """Add the visited example to the support set."""
    last = support.size[0]
    support.numbers[last], support.columns[last] = s.number, s.v
    support.coef[last], support.signs[last] = coefficient, s.y
    support.size[0] = last + 1


@inner
def remove(support: SupportSet, r: int, norm2: float) -> float:
    """Remove the support at place r; return <w, w> without it."""
    column, lost = support.columns[r], support.coef[r]
    norm2 += lost * (lost * support.K[column, column] - 2.0 * score(support, column))
    for j in range(r + 1, support.size[0]):
        support.numbers[j - 1], support.columns[j - 1] = support.numbers[j], support.columns[j]
        support.coef[j - 1], support.signs[j - 1] = support.coef[j], support.signs[j]
    support.size[0] -= 1
    return norm2


@inner
def rescale(support: SupportSet, c: float) -> None:
    """Scale the hypothesis."""
    for j in range(support.size[0]):
        support.coef[j] *= c


@inner
def is_full(support: SupportSet) -> bool:
    """Return whether the budget is used up."""
    return support.size[0] == len(support.numbers) - 1


@inner
def add_step(
    support: SupportSet, s: DueStep, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    """Step on an example that is a support, or for which there is room."""
    if s.at >= 0:
        support.coef[s.at] += s.a * s.y
    else:
        append(support, s, s.a * s.y)
    norm2 += s.a * (2.0 * s.m + s.a * s.q)
    return norm2, write_entry(journal, used, s.t, s.number, 0, s.a, s.c)


@inner
def swap_in(
    support: SupportSet, s: DueStep, r: int, extra: float, norm2: float, journal: Updates, used: int
) -> tuple[float, int]:
    """Replace the support at place r by the visited example.

    `extra` is added to the coefficient that the step gives it.
    """
    lost = -support.coef[r] * support.signs[r]
    used = write_entry(journal, used, s.t, support.numbers[r], 0, lost, s.c)
    norm2 = remove(support, r, norm2)
    a = s.a + extra * s.y
    norm2 += a * (2.0 * s.y * score(support, s.v) + a * s.q)
    append(support, s, a * s.y)
    return norm2, write_entry(journal, used, s.t, s.number, 0, a, 1.0)


# --- the span of the supports -------------------------------------------------------------------


@inner
def projection(support: SupportSet, s: DueStep, share: Array) -> float:
    """Write the projection on the span to `share`; return the squared distance."""
    left = s.q
    for j in range(support.size[0]):
        share[j] = 1.0 if j == s.at else 0.0
    if s.at >= 0:
        return 0.0
    for j in range(support.size[0]):
        for k in range(support.size[0]):
            share[j] += support.inverse[j, k] * support.K[s.v, support.columns[k]]
    for j in range(support.size[0]):
        left -= share[j] * support.K[s.v, support.columns[j]]
    return max(left, 0.0)


@inner
def add_projection(
    support: SupportSet, s: DueStep, share: Array, a: float, square: float, norm2: float,
    journal: Updates, used: int,
) -> tuple[float, int]:  # fmt: skip
    """Add the projection a times; `square` is its squared norm."""
    c = s.c
    for j in range(support.size[0]):
        if share[j] != 0.0:
            part = a * s.y * share[j]
            support.coef[j] += part
            a_j = part * support.signs[j]
            used = write_entry(journal, used, s.t, support.numbers[j], 0, a_j, c)
            c = 1.0
    return norm2 + a * (2.0 * s.m + a * square), used


@inner
def extend_inverse(support: SupportSet, share: Array, d2: float) -> None:
    """Extend the inverse by the example that is added next."""
    last = support.size[0]
    for j in range(last):
        for k in range(last):
            support.inverse[j, k] += share[j] * share[k] / d2
        support.inverse[j, last] = support.inverse[last, j] = -share[j] / d2
    support.inverse[last, last] = 1.0 / d2
