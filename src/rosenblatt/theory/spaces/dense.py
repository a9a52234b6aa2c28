"""Two classes, dense examples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.spaces.acceleration import (
    clearly_above,
    exceeds_error,
    measure,
    prefetch,
    prefetch_example,
    prefetch_lines,
    refresh_h32,
    screening_pays,
    unmeasured,
    update_h32,
    weigh_doubts,
)
from rosenblatt.theory.spaces.coarse import (
    Coarse,
    coarse_dot,
    copied,
    copy_coarsely,
    count,
    decides,
    exceeds_slack,
    exceeds_usual_slack,
    give_up_if_doubtful,
)
from rosenblatt.theory.spaces.form import Traits, traits
from rosenblatt.theory.spaces.space import Array, example_norm2, look, move, norm2_after, sign
from rosenblatt.theory.verbs import inner, reduction


class Dense(NamedTuple):
    """Two classes (y is -1 or +1), rows of a C-contiguous matrix; h has d + 1 coordinates."""

    X: Array
    norms2: Array  # <x, x> of each example, the bias included
    bias: float  # the constant feature
    offset: float  # a constant added to every score, never learned
    h32: Array  # of data that are screened: h in their precision; else empty
    coarse: Coarse  # copies of a large table


@reduction
def dense_square(X: Array, i: int) -> float:
    total = 0.0
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])  # compiled, float() would leave single precision as it is
        total += x * x
    return total


@inner
def dense_norm2(X: Array, i: int, bias: float) -> float:
    """Return <x, x> of a row, the bias included."""
    return dense_square(X, i) + bias * bias


@reduction
def dense_dot(X: Array, i: int, h: Array) -> Any:
    # In the precision of h: with h32, single precision throughout needs no conversions and
    # processes twice as many numbers at a time.
    total = h.dtype.type(0)
    for j in range(X.shape[1]):
        total += X[i, j] * h[j]
    return total


@inner
def long_rows(X: Array) -> bool:
    """Return whether rows are so long that screening pays.

    Short rows wait for memory, and screening would read their norms as well.
    """
    return X.shape[1] * X.itemsize > 512


# No reduction, so nothing to reassociate; and product and sum are rounded separately on every
# machine, so that a journal replays to the bit.
@inner
def dense_add(X: Array, i: int, a: float, h: Array) -> None:
    for j in range(X.shape[1]):
        h[j] += a * X[i, j]


@look.of(Dense)
def _look_dense(space: Dense, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    score = dense_dot(space.X, i, h) + space.bias * h[space.X.shape[1]] + space.offset
    return y[i] * score, 1.0, 0


@weigh_doubts.of(Dense)
def _weigh_doubts_dense(space: Dense) -> None:
    give_up_if_doubtful(space.coarse)


@screening_pays.of(Dense)
def _screening_pays_dense(space: Dense, visits: int) -> bool:
    return len(space.h32) > 0 and space.offset == 0.0 and long_rows(space.X)


@refresh_h32.of(Dense)
def _refresh_h32_dense(space: Dense, h: Array) -> None:
    for j in range(len(space.h32)):
        space.h32[j] = h[j]


@update_h32.of(Dense)
def _update_h32_dense(space: Dense, y: Array, i: int, r: int, h: Array) -> None:
    refresh_h32(space, h)


@clearly_above.of(Dense)
def _clearly_above_dense(
    space: Dense, y: Array, i: int, h: Array, norm2: float, threshold: float
) -> bool:
    d = space.X.shape[1]
    coarse = space.coarse
    if decides(coarse, i):
        m = y[i] * (coarse.scales[i] * coarse_dot(coarse.rows[i], space.h32) + space.bias * h[d])
        coarse.doubtful[i] = not exceeds_slack(m - threshold, coarse.slack[i], norm2)
        return not coarse.doubtful[i]
    m = y[i] * (dense_dot(space.X, i, space.h32) + space.bias * h[d])
    if copied(coarse):
        coarse.doubtful[i] = not exceeds_usual_slack(m - threshold, space.norms2[i], norm2)
    return exceeds_error(m - threshold, d, space.norms2[i], norm2)


@unmeasured.of(Dense)
def _unmeasured_dense(space: Any, i: int) -> bool:
    return bool(space.norms2[i] != space.norms2[i])


@measure.of(Dense)
def _measure_dense(space: Dense, i: int) -> None:
    space.norms2[i] = dense_norm2(space.X, i, space.bias)
    if copied(space.coarse):
        copy_coarsely(space.X, i, space.norms2[i], space.coarse)


@example_norm2.of(Dense)
def _example_norm2_dense(space: Dense, i: int) -> float:
    # A short row is in the cache after the look; its norm would have to be read from memory.
    if cache_lines(space.X) <= 8:
        return dense_norm2(space.X, i, space.bias)
    return space.norms2[i]


@move.of(Dense)
def _move_dense(space: Dense, y: Array, i: int, r: int, a: float, h: Array) -> None:
    dense_add(space.X, i, a * y[i], h)
    h[space.X.shape[1]] += a * y[i] * space.bias


@norm2_after.of(Dense)
def _norm2_after_offset(
    space: Any, y: Array, i: int, h: Array, m: float, q: float, norm2: float, a: float, c: float
) -> float:
    # The offset is part of the margin but not of <w, x>.
    return c * c * norm2 + 2.0 * a * c * (m - y[i] * space.offset) + a * (a * q)


@traits.of(Dense)
def _traits_dense(space: Dense) -> Traits:
    features = int(space.X.shape[1])
    return Traits(features, cost=1 + features, additive=space.offset == 0.0)


@sign.of(Dense)
def _sign_pm(space: Any, y: Array, i: int) -> float:
    return float(y[i])


@inner
def cache_lines(X: Array) -> int:
    """Return how many cache lines a row takes."""
    return (X.shape[1] * X.itemsize + 63) // 64


@inner
def lines_of(X: Array, scattered: bool) -> int:
    """Return how many cache lines of a row to prefetch."""
    # Rows in order need no prefetching: the hardware does it.
    return min(cache_lines(X), 64) if scattered else 0


@prefetch_lines.of(Dense)
def _prefetch_lines_dense(space: Dense, scattered: bool, screened: bool) -> int:
    if screened and count(space.coarse.doubtful) < len(space.coarse.doubtful):
        return lines_of(space.coarse.rows, scattered)
    return lines_of(space.X, scattered)


@prefetch_example.of(Dense)
def _prefetch_example_dense(space: Dense, near: int, far: int, lines: int, screened: bool) -> None:
    if screened and decides(space.coarse, near):
        prefetch(space.coarse.rows, near, lines)
    else:
        prefetch(space.X, near, lines_of(space.X, lines > 0))
        if not screened and copied(space.coarse):
            prefetch(space.coarse.rows, near, cache_lines(space.coarse.rows))


@inner
def power_sum(values: Array, bias: float, p: float) -> float:
    """Return the squared p-norm of values and bias; the largest is factored out."""
    largest = abs(bias)
    for j in range(len(values)):
        largest = max(largest, abs(values[j]))
    if largest == 0.0:
        return 0.0
    total = (abs(bias) / largest) ** p
    for j in range(len(values)):
        total += (abs(values[j]) / largest) ** p
    return (largest * total ** (1.0 / p)) ** 2


def dense_norms2(X: Array, bias: float, p: float, out: Array) -> None:
    """Write the squared norms of all examples to `out`."""
    for i in range(len(out)):
        out[i] = dense_norm2(X, i, bias) if p == 2.0 else power_sum(X[i], bias, p)
