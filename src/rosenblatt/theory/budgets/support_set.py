"""The examples that a kernel hypothesis on a budget holds, and how they come and go."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.theory.journal import Updates, write_entry
from rosenblatt.theory.spaces import Array
from rosenblatt.theory.verbs import inner


class Held(NamedTuple):
    """The examples held, oldest first, and their kernel values with those of a block."""

    K: Array  # of the block's examples, then of those held before it, with one another
    numbers: Array  # which examples are held; one place more than the budget
    columns: Array  # where in K they are
    coef: Array  # their signed coefficients
    signs: Array  # their labels
    size: Array  # how many there are
    inverse: Array  # of their own kernel matrix, for a policy that projects; else empty
    share: Array  # scratch: the shares that they have in a projection
    memory: Array  # Forgetron's sum of damages; the shrinking that waits for an entry
    words: Array  # a random number from 0 to 1 for each visit


class Visit(NamedTuple):
    """A visit at which a step is due; the hypothesis has been scaled already."""

    v: int  # where in the block
    number: int  # of the example
    at: int  # its place if it is held, else -1
    y: float
    a: float  # the step
    c: float  # the scale, for the journal
    m: float  # the margin
    q: float  # K(x, x)
    t: int
    mistakes: int  # this one included


@inner
def value(held: Held, column: int) -> float:
    """The score of an example."""
    total = 0.0
    for j in range(held.size[0]):
        total += held.coef[j] * held.K[column, held.columns[j]]
    return total


@inner
def put(held: Held, s: Visit, coefficient: float) -> None:
    """Hold the example that is visited."""
    last = held.size[0]
    held.numbers[last], held.columns[last] = s.number, s.v
    held.coef[last], held.signs[last] = coefficient, s.y
    held.size[0] = last + 1


@inner
def drop(held: Held, r: int, ww: float) -> float:
    """Let an example go; <w, w> without it."""
    column, lost = held.columns[r], held.coef[r]
    ww += lost * (lost * held.K[column, column] - 2.0 * value(held, column))
    for j in range(r + 1, held.size[0]):
        held.numbers[j - 1], held.columns[j - 1] = held.numbers[j], held.columns[j]
        held.coef[j - 1], held.signs[j - 1] = held.coef[j], held.signs[j]
    held.size[0] -= 1
    return ww


@inner
def shrink(held: Held, c: float) -> None:
    """Scale the hypothesis."""
    for j in range(held.size[0]):
        held.coef[j] *= c


@inner
def full(held: Held) -> bool:
    return held.size[0] == len(held.numbers) - 1


@inner
def renew(held: Held, s: Visit, ww: float, journal: Updates, used: int) -> tuple[float, int]:
    """The plain step: of an example that is held, or for which there is room."""
    if s.at >= 0:
        held.coef[s.at] += s.a * s.y
    else:
        put(held, s, s.a * s.y)
    ww += s.a * (2.0 * s.m + s.a * s.q)
    return ww, write_entry(journal, used, s.t, s.number, 0, s.a, s.c)


@inner
def replace(
    held: Held, s: Visit, r: int, extra: float, ww: float, journal: Updates, used: int
) -> tuple[float, int]:
    """Drop the example at place r, and take in the one that is visited.

    `extra` is added to the coefficient that the step gives it.
    """
    used = write_entry(journal, used, s.t, held.numbers[r], 0, -held.coef[r] * held.signs[r], s.c)
    ww = drop(held, r, ww)
    a = s.a + extra * s.y
    ww += a * (2.0 * s.y * value(held, s.v) + a * s.q)
    put(held, s, a * s.y)
    return ww, write_entry(journal, used, s.t, s.number, 0, a, 1.0)


# --- their span ---------------------------------------------------------------------------------


@inner
def span(held: Held, s: Visit, share: Array) -> float:
    """The example's projection on the span of those held, and its squared distance from it."""
    left = s.q
    for j in range(held.size[0]):
        share[j] = 1.0 if j == s.at else 0.0
    if s.at >= 0:
        return 0.0
    for j in range(held.size[0]):
        for k in range(held.size[0]):
            share[j] += held.inverse[j, k] * held.K[s.v, held.columns[k]]
    for j in range(held.size[0]):
        left -= share[j] * held.K[s.v, held.columns[j]]
    return max(left, 0.0)


@inner
def project(
    held: Held, s: Visit, share: Array, a: float, square: float, ww: float, journal: Updates,
    used: int,
) -> tuple[float, int]:  # fmt: skip
    """Add the projection a times; `square` is its squared length."""
    c = s.c
    for j in range(held.size[0]):
        if share[j] != 0.0:
            part = a * s.y * share[j]
            held.coef[j] += part
            used = write_entry(journal, used, s.t, held.numbers[j], 0, part * held.signs[j], c)
            c = 1.0
    return ww + a * (2.0 * s.m + a * square), used


@inner
def enlarge(held: Held, share: Array, d2: float) -> None:
    """The inverse with the example that is taken in next."""
    last = held.size[0]
    for j in range(last):
        for k in range(last):
            held.inverse[j, k] += share[j] * share[k] / d2
        held.inverse[j, last] = held.inverse[last, j] = -share[j] / d2
    held.inverse[last, last] = 1.0 / d2
