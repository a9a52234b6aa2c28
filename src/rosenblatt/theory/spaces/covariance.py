"""Spaces in which every weight has a variance, for the rules of second order.

A hypothesis is a mean and a covariance S. `look` gives the margin of the mean and v = x'Sx; a step
of a adds a·y·Sx to the mean, and g·xx' to the inverse of S, g being the rule's `confidence_gain`;
where the mean is S times a sum of examples it then shrinks as S does. The rule is part of the
space, so that a journal of steps replays. Only the mean predicts.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.rules import confidence_gain, mean_shrinks, prior_variance
from rosenblatt.theory.spaces.acceleration import prefetch_example, prefetch_lines
from rosenblatt.theory.spaces.csr import CSR, sparse_dot
from rosenblatt.theory.spaces.dense import Dense, dense_dot
from rosenblatt.theory.spaces.form import (
    Traits,
    as_rows,
    as_state,
    from_rows,
    from_state,
    origin,
    squared_norm,
    sum_of_squares,
    traits,
)
from rosenblatt.theory.spaces.space import (
    Array,
    conic,
    example_norm2,
    look,
    move,
    norm2_after,
    sign,
)
from rosenblatt.theory.verbs import inner, reduction, verb


class Diagonal(NamedTuple):
    """A variance for each weight; h is features x (mean, variance): the two are contiguous."""

    base: Any  # Dense or CSR
    rule: Any
    bias: float  # the base's
    offset: float  # the base's


class Full(NamedTuple):
    """A covariance for each pair of weights; h has the mean in its first row, then S."""

    base: Any
    rule: Any
    bias: float
    offset: float
    product: Array  # scratch: Sx of the example last looked at


# --- the verbs of a base --------------------------------------------------------------------


@verb
def entry_range(base: Any, i: int) -> tuple[int, int]:
    """Return the first entry of an example and the one after its last."""
    raise TypeError("not a base")


@verb
def entry(base: Any, i: int, p: int) -> tuple[int, float]:
    """Return the feature and the value of an entry of example i."""
    raise TypeError("not a base")


@verb
def dot(base: Any, i: int, row: Array) -> float:
    """Return <x, row>, the bias included."""
    raise TypeError("not a base")


@entry_range.of(Dense)
def _entry_range_dense(base: Dense, i: int) -> tuple[int, int]:
    return 0, base.X.shape[1]


@entry_range.of(CSR)
def _entry_range_csr(base: CSR, i: int) -> tuple[int, int]:
    return base.indptr[i], base.indptr[i + 1]


@entry.of(Dense)
def _entry_dense(base: Dense, i: int, p: int) -> tuple[int, float]:
    return p, np.float64(base.X[i, p])


@entry.of(CSR)
def _entry_csr(base: CSR, i: int, p: int) -> tuple[int, float]:
    return base.indices[p], np.float64(base.data[p])


@dot.of(Dense)
def _dot_dense(base: Dense, i: int, row: Array) -> float:
    return dense_dot(base.X, i, row) + base.bias * row[base.X.shape[1]]


@dot.of(CSR)
def _dot_csr(base: CSR, i: int, row: Array) -> float:
    start, stop = base.indptr[i], base.indptr[i + 1]
    return sparse_dot(base.data, base.indices, start, stop, row) + base.bias * row[len(row) - 1]


# --- a diagonal -----------------------------------------------------------------------------


@inner
def score_and_variance(base: Any, i: int, h: Array) -> tuple[float, float]:
    """Return the score of the mean and its variance, without the bias."""
    s = v = 0.0
    start, stop = entry_range(base, i)
    for p in range(start, stop):
        j, x = entry(base, i, p)
        s += x * h[j, 0]
        v += x * x * h[j, 1]
    return s, v


@inner
def sx_products(base: Any, i: int, h: Array) -> tuple[float, float]:
    """Return <w, Sx> and <Sx, Sx>, without the bias."""
    s = v = 0.0
    start, stop = entry_range(base, i)
    for p in range(start, stop):
        j, x = entry(base, i, p)
        z = x * h[j, 1]
        s += z * h[j, 0]
        v += z * z
    return s, v


@inner
def update_coordinate(j: int, x: float, a: float, g: float, tied: bool, h: Array) -> None:
    """Make a step in one coordinate; a tied mean shrinks with its variance."""
    z = h[j, 1] * x
    part = 1.0 + g * x * z
    h[j, 0] += a * z
    if tied:
        h[j, 0] /= part
    h[j, 1] /= part


@inner
def norm2_change(j: int, x: float, a: float, g: float, h: Array) -> float:
    """Return what a step in one coordinate adds to <w, w> if the mean shrinks."""
    z = h[j, 1] * x
    new = (h[j, 0] + a * z) / (1.0 + g * x * z)
    return new * new - h[j, 0] * h[j, 0]


def _reassociated(function: Any) -> Any:
    """Return a copy of the function whose sums may be reassociated."""
    return reduction(FunctionType(function.__code__, function.__globals__, function.__name__))


# In a sparse row the gathers that reassociation leads to are slower than plain loads.
dense_score_and_variance = _reassociated(score_and_variance)
dense_sx_products = _reassociated(sx_products)


@verb
def fast_score_and_variance(base: Any, i: int, h: Array) -> tuple[float, float]:
    """`score_and_variance`, as fast as the base allows."""
    return score_and_variance(base, i, h)


@verb
def fast_sx_products(base: Any, i: int, h: Array) -> tuple[float, float]:
    """`sx_products`, as fast as the base allows."""
    return sx_products(base, i, h)


@fast_score_and_variance.of(Dense)
def _fast_score_and_variance_dense(base: Dense, i: int, h: Array) -> tuple[float, float]:
    return dense_score_and_variance(base, i, h)


@fast_sx_products.of(Dense)
def _fast_sx_products_dense(base: Dense, i: int, h: Array) -> tuple[float, float]:
    return dense_sx_products(base, i, h)


@look.of(Diagonal)
def _look_diagonal(space: Diagonal, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    s, v = fast_score_and_variance(space.base, i, h)
    last, b = h.shape[0] - 1, space.bias
    return y[i] * (s + b * h[last, 0] + space.offset), v + b * b * h[last, 1], 0


@norm2_after.of(Diagonal)
def _norm2_after_diagonal(
    space: Any, y: Array, i: int, h: Array, m: float, q: float, norm2: float, a: float, c: float
) -> float:
    last = h.shape[0] - 1
    if mean_shrinks(space.rule):
        g, s = confidence_gain(space.rule, q, a), a * y[i]
        start, stop = entry_range(space.base, i)
        norm2 += norm2_change(last, space.bias, s, g, h)
        for p in range(start, stop):
            j, x = entry(space.base, i, p)
            norm2 += norm2_change(j, x, s, g, h)
        return norm2
    s, v = fast_sx_products(space.base, i, h)
    z = space.bias * h[last, 1]
    return c * c * norm2 + 2.0 * a * c * y[i] * (s + z * h[last, 0]) + a * a * (v + z * z)


@move.of(Diagonal)
def _move_diagonal(space: Diagonal, y: Array, i: int, r: int, a: float, h: Array) -> None:
    _, v, _ = look(space, y, i, h)
    g, s, tied = confidence_gain(space.rule, v, a), a * y[i], mean_shrinks(space.rule)
    start, stop = entry_range(space.base, i)
    for p in range(start, stop):
        j, x = entry(space.base, i, p)
        update_coordinate(j, x, s, g, tied, h)
    update_coordinate(h.shape[0] - 1, space.bias, s, g, tied, h)


@origin.of(Diagonal)
def _origin_diagonal(space: Diagonal) -> Array:
    h = np.zeros((traits(space).features + 1, 2))
    h[:, 1] = prior_variance(space.rule)
    return h


@squared_norm.of(Diagonal)
def _squared_norm_diagonal(space: Diagonal, h: Array) -> float:
    return sum_of_squares(h[:, 0])


@traits.of(Diagonal)
def _traits_diagonal(space: Diagonal) -> Traits:
    base = traits(space.base)
    return Traits(base.features, 2 * base.cost, linear=False)


@as_rows.of(Diagonal)
def _as_rows_diagonal(space: Diagonal, h: Array) -> Array:
    return h.T[:1].copy()


@from_rows.of(Diagonal)
def _from_rows_diagonal(space: Diagonal, rows: Array) -> Array:
    h = _origin_diagonal(space)
    h[:, 0] = rows[0]
    return h


@as_state.of(Diagonal)
@from_state.of(Diagonal)
def _turned(space: Diagonal, h: Array) -> Array:
    return np.ascontiguousarray(h.T)


# --- a full matrix --------------------------------------------------------------------------


@inner
def compute_sx(space: Any, i: int, h: Array) -> float:
    """Write Sx to `product` and return x'Sx."""
    for j in range(h.shape[1]):
        space.product[j] = dot(space.base, i, h[1 + j])
    return dot(space.base, i, space.product)


@look.of(Full)
def _look_full(space: Full, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    v = compute_sx(space, i, h)
    return y[i] * (dot(space.base, i, h[0]) + space.offset), v, 0


@norm2_after.of(Full)
def _norm2_after_full(
    space: Any, y: Array, i: int, h: Array, m: float, q: float, norm2: float, a: float, c: float
) -> float:
    s = v = 0.0
    for j in range(h.shape[1]):
        s += h[0, j] * space.product[j]
        v += space.product[j] * space.product[j]
    return c * c * norm2 + 2.0 * a * c * y[i] * s + a * a * v


@move.of(Full)
def _move_full(space: Full, y: Array, i: int, r: int, a: float, h: Array) -> None:
    # Sx is computed again: a replay moves without `look`.
    v = compute_sx(space, i, h)
    g, s, z = confidence_gain(space.rule, v, a), a * y[i], space.product
    b = g / (1.0 + g * v)
    for j in range(len(z)):
        h[0, j] += s * z[j]
        for k in range(len(z)):
            h[1 + j, k] -= b * (z[j] * z[k])  # these parentheses keep S symmetric to the bit


@origin.of(Full)
def _origin_full(space: Full) -> Array:
    d = traits(space).features + 1
    return np.vstack([np.zeros((1, d)), prior_variance(space.rule) * np.eye(d)])


@squared_norm.of(Full)
def _squared_norm_full(space: Full, h: Array) -> float:
    return sum_of_squares(h[0])


@traits.of(Full)
def _traits_full(space: Full) -> Traits:
    base = traits(space.base)
    return Traits(base.features, len(space.product) * base.cost, linear=False)


@as_rows.of(Full)
def _as_rows_full(space: Full, h: Array) -> Array:
    return h[:1].copy()


@from_rows.of(Full)
def _from_rows_full(space: Full, rows: Array) -> Array:
    h = _origin_full(space)
    h[0] = rows[0]
    return h


@as_state.of(Full)
@from_state.of(Full)
def _same(space: Full, h: Array) -> Array:
    return h.copy()


# --- both -----------------------------------------------------------------------------------


@example_norm2.of(Diagonal, Full)
def _example_norm2(space: Any, i: int) -> float:
    # v depends on the hypothesis: `look` has returned it already.
    return 1.0


@sign.of(Diagonal, Full)
def _sign(space: Any, y: Array, i: int) -> float:
    return float(y[i])


@prefetch_lines.of(Diagonal, Full)
def _prefetch_lines(space: Any, scattered: bool, screened: bool) -> int:
    return prefetch_lines(space.base, scattered, screened)


@prefetch_example.of(Diagonal, Full)
def _prefetch_example(space: Any, near: int, far: int, lines: int, screened: bool) -> None:
    prefetch_example(space.base, near, far, lines, screened)


@conic.of(Diagonal, Full)
def _conic(space: Any) -> bool:
    return False
