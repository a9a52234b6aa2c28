"""Spaces with a link: weights that are a function of the sum of the steps.

The link favours few large weights over many small ones: if few features matter among many, far
fewer mistakes are made.
"""

from __future__ import annotations

from math import asinh, exp, expm1, inf, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.spaces.acceleration import prefetch_example, prefetch_lines
from rosenblatt.theory.spaces.dense import power_sum
from rosenblatt.theory.spaces.form import (
    Traits,
    as_rows,
    as_state,
    flipped,
    from_rows,
    from_state,
    origin,
    squared_norm,
    traits,
)
from rosenblatt.theory.spaces.space import Array, example_norm2, look, move, norm2_after, sign
from rosenblatt.theory.verbs import inner


class Mirror(NamedTuple):
    """Two classes, learned through the link of the p-norm (Grove, Littlestone & Schuurmans 2001).

    h has two rows: the sum of the steps, and the weights w that the link makes of it, which are the
    gradient of half its squared p-norm. <w, w> is then that squared p-norm, which equals the
    squared norm of w in the dual norm; `norms2` of the base are squared p-norms.

    An infinite p means multiplicative steps (balanced Winnow, Littlestone 1989; EG+-, Kivinen
    & Warmuth 1997). Only the direction of their weights decides; their length is taken so that the
    1-norm of w is the largest step sum, and the above holds for these two norms.
    """

    base: Any  # Dense or CSR
    p: float
    bias: float  # the base's
    offset: float  # the base's
    scratch: Array  # as long as a row of h


@inner
def link(theta: Array, p: float, w: Array) -> None:
    """Write to w the weights sign(theta)·|theta|^(p-1)/|theta|_p^(p-2)."""
    if p == inf:
        multiplicative_link(theta, w)
        return
    norm = sqrt(power_sum(theta, 0.0, p))
    for j in range(len(w)):
        magnitude = norm * (abs(theta[j]) / norm) ** (p - 1.0) if norm > 0 else 0.0
        w[j] = magnitude if theta[j] > 0 else -magnitude


@inner
def multiplicative_link(theta: Array, w: Array) -> None:
    """Write to w the differences exp(theta) - exp(-theta), scaled as in `Mirror`.

    Each step multiplies both weights of a feature by a power of e; the largest is factored out, so
    that none overflows.
    """
    largest = 0.0
    for j in range(len(theta)):
        largest = max(largest, abs(theta[j]))
    total = 0.0
    for j in range(len(theta)):
        magnitude = -exp(abs(theta[j]) - largest) * expm1(-2.0 * abs(theta[j]))
        w[j] = magnitude if theta[j] > 0 else -magnitude
        total += magnitude
    for j in range(len(theta)):
        w[j] *= largest / total if total > 0 else 0.0


def inverse_link(w: Array, p: float) -> Array:
    """Return the sum of steps that has these weights."""
    theta: Array = np.empty_like(w)
    if p < inf:
        link(w, p / (p - 1.0), theta)
        return theta
    peak, largest = float(np.abs(w).sum()), float(np.abs(w).max())
    for j, weight in enumerate(w):
        share = abs(weight) / largest if weight else 0.0
        # asinh(share·sinh(peak)); by logarithms where sinh would overflow.
        power = log(share) + peak if share else -inf
        magnitude = power if power > 20 else asinh(exp(power) * -expm1(-2.0 * peak) / 2.0)
        theta[j] = magnitude if weight > 0 else -magnitude
    return theta


@look.of(Mirror)
def _look_mirror(space: Mirror, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    m, f, r = look(space.base, y, i, h[1])
    return m, f, r


@example_norm2.of(Mirror)
def _example_norm2_mirror(space: Mirror, i: int) -> float:
    return space.base.norms2[i]


@move.of(Mirror)
def _move_mirror(space: Mirror, y: Array, i: int, r: int, a: float, h: Array) -> None:
    move(space.base, y, i, r, a, h[0])
    link(h[0], space.p, h[1])


@norm2_after.of(Mirror)
def _norm2_after_mirror(
    space: Any, y: Array, i: int, h: Array, m: float, q: float, norm2: float, a: float, c: float
) -> float:
    for j in range(len(space.scratch)):
        space.scratch[j] = c * h[0, j]
    move(space.base, y, i, 0, a, space.scratch)
    return power_sum(space.scratch, 0.0, space.p)


@sign.of(Mirror)
def _sign_mirror(space: Mirror, y: Array, i: int) -> float:
    return float(y[i])


@prefetch_lines.of(Mirror)
def _prefetch_lines_mirror(space: Mirror, scattered: bool, screened: bool) -> int:
    return prefetch_lines(space.base, scattered, screened)


@prefetch_example.of(Mirror)
def _prefetch_example_mirror(
    space: Mirror, near: int, far: int, lines: int, screened: bool
) -> None:
    prefetch_example(space.base, near, far, lines, screened)


@origin.of(Mirror)
def _origin_mirror(space: Mirror) -> Array:
    return np.zeros((2, len(space.scratch)))


@squared_norm.of(Mirror)
def _squared_norm_mirror(space: Mirror, h: Array) -> float:
    return float(power_sum(h[0], 0.0, space.p))


@traits.of(Mirror)
def _traits_mirror(space: Mirror) -> Traits:
    base = traits(space.base)
    # A power is off by about p times what its base is off by, and so are the weights.
    extra_terms = int(4 * space.p) if space.p < inf else 0
    return Traits(base.features, base.cost, linear=False, extra_terms=extra_terms)


@as_rows.of(Mirror)
def _as_rows_mirror(space: Mirror, h: Array) -> Array:
    return h[1:]


@from_rows.of(Mirror)
def _from_rows_mirror(space: Mirror, rows: Array) -> Array:
    return np.stack([inverse_link(rows[0], space.p), rows[0]])


@as_state.of(Mirror)
@from_state.of(Mirror)
def _reversed(space: Mirror, h: Array) -> Array:
    return h[::-1].copy()  # weights first, then the sum of the steps


@flipped.of(Mirror)
def _flipped_mirror(space: Mirror, state: Array) -> Array:
    return -state
