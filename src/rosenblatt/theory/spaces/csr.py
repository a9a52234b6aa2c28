"""Two classes, sparse examples: the rows of a CSR matrix."""

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
)
from rosenblatt.theory.spaces.dense import Dense, power_sum
from rosenblatt.theory.spaces.form import Traits, traits
from rosenblatt.theory.spaces.space import Array, look, move, norm2_after, sign
from rosenblatt.theory.verbs import inner, reduction

FETCHED = 512  # entries of an example to prefetch, at most


class CSR(NamedTuple):
    """Two classes, rows of a sparse matrix with unsigned indices; h has d + 1 coordinates."""

    data: Array
    indices: Array
    indptr: Array
    features: int
    norms2: Array
    bias: float
    offset: float
    h32: Array  # h in single precision if it is too large for a cache; else empty


@inner
def sparse_dot(data: Array, indices: Array, start: int, stop: int, h: Array) -> float:
    # Four independent sums, so that none waits for another. They are added in a fixed order: plain
    # and compiled code agree to the bit, whatever the data.
    a = b = c = d = 0.0
    p = start
    while p + 4 <= stop:
        a += data[p] * h[indices[p]]
        b += data[p + 1] * h[indices[p + 1]]
        c += data[p + 2] * h[indices[p + 2]]
        d += data[p + 3] * h[indices[p + 3]]
        p += 4
    while p < stop:
        a += data[p] * h[indices[p]]
        p += 1
    return (a + b) + (c + d)


@look.of(CSR)
def _look_csr(space: CSR, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    score = sparse_dot(space.data, space.indices, space.indptr[i], space.indptr[i + 1], h)
    score += space.bias * h[len(h) - 1] + space.offset
    return y[i] * score, 1.0, 0


@screening_pays.of(CSR)
def _screening_pays_csr(space: CSR, visits: int) -> bool:
    # To copy h takes as long as screening saves on a few entries for each feature.
    enough = visits * (len(space.data) // max(1, len(space.norms2))) > 2 * len(space.h32)
    return len(space.h32) > 0 and space.offset == 0.0 and enough


@update_h32.of(CSR)
def _update_h32_csr(space: CSR, y: Array, i: int, r: int, h: Array) -> None:
    for p in range(space.indptr[i], space.indptr[i + 1]):
        space.h32[space.indices[p]] = h[space.indices[p]]


@clearly_above.of(CSR)
def _clearly_above_csr(
    space: CSR, y: Array, i: int, h: Array, norm2: float, threshold: float
) -> bool:
    # Half of the memory to gather from. Sums are in double precision: only the weights are rounded,
    # and with data in single precision the products.
    m = sparse_dot(space.data, space.indices, space.indptr[i], space.indptr[i + 1], space.h32)
    m += space.bias * h[len(h) - 1]
    return exceeds_error(y[i] * m - threshold, 0, space.norms2[i], norm2)


@move.of(CSR)
def _move_csr(space: CSR, y: Array, i: int, r: int, a: float, h: Array) -> None:
    s = a * y[i]
    for p in range(space.indptr[i], space.indptr[i + 1]):
        h[space.indices[p]] += s * space.data[p]
    h[len(h) - 1] += s * space.bias


@traits.of(CSR)
def _traits_csr(space: CSR) -> Traits:
    cost = 1 + len(space.data) // max(1, len(space.norms2))
    return Traits(int(space.features), cost, additive=space.offset == 0.0)


@prefetch_lines.of(CSR)
def _prefetch_lines_csr(space: CSR, scattered: bool, screened: bool) -> int:
    # Also in order: hardware prefetching is slow to follow two arrays and the hypothesis at once.
    taken = len(space.data) * (space.data.itemsize + space.indices.itemsize)
    return min(1 + taken // (64 * max(1, len(space.norms2))), 64)


@prefetch_example.of(CSR)
def _prefetch_example_csr(space: CSR, near: int, far: int, lines: int, screened: bool) -> None:
    # Sixteen entries at a time: two cache lines of numbers, one of indices.
    p = space.indptr[near]
    stop = min(space.indptr[near + 1], p + FETCHED)
    while p < stop:
        prefetch(space.data, p, 1)
        prefetch(space.data, p + 8, 1)
        prefetch(space.indices, p, 1)
        p += 16
    prefetch(space.indptr, far, 1)


for _verb in (norm2_after, sign, refresh_h32):
    _verb.of(CSR)(_verb.bodies[Dense])


@reduction
def sparse_square(data: Array, start: int, stop: int) -> float:
    total = 0.0
    for p in range(start, stop):
        x = np.float64(data[p])  # compiled, float() would leave single precision as it is
        total += x * x
    return total


@unmeasured.of(CSR)
def _unmeasured_csr(space: Any, i: int) -> bool:
    return bool(space.norms2[i] != space.norms2[i])


@measure.of(CSR)
def _measure_csr(space: Any, i: int) -> None:
    square = sparse_square(space.data, space.indptr[i], space.indptr[i + 1])
    space.norms2[i] = square + space.bias * space.bias


def sparse_norms2(data: Array, indptr: Array, bias: float, p: float, out: Array) -> None:
    """Write the squared norms of all examples to `out`."""
    for i in range(len(out)):
        if p == 2.0:
            out[i] = sparse_square(data, indptr[i], indptr[i + 1]) + bias * bias
        else:
            out[i] = power_sum(data[indptr[i] : indptr[i + 1]], bias, p)


def repeats(indices: Array, indptr: Array, last: Array) -> bool:
    """Return whether a row stores a coordinate twice; `last` is zero for each."""
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            if last[indices[e]] == i + 1:
                return True
            last[indices[e]] = i + 1
    return False
