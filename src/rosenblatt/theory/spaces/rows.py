"""Spaces of many classes, by Kesler's construction from binary rules.

A hypothesis has a vector for each class; an example of class y is the difference between its copy
in y's place and its copy in a rival's. The margin is the lead of y over the rival.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.journal import centre
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
from rosenblatt.theory.spaces.csr import CSR
from rosenblatt.theory.spaces.dense import Dense, dense_norm2, lines_of, long_rows
from rosenblatt.theory.spaces.form import Traits, as_rows, from_rows, origin, recentre, traits
from rosenblatt.theory.spaces.space import Array, best_rival_margin, look, move, rivals, share
from rosenblatt.theory.verbs import inner, reduction

SCHEMES = {"max": 0, "uniform": 1, "proportional": 2, "projection": 3}
"""How the wrong classes share a step (Crammer & Singer 2003)."""


class Rows(NamedTuple):
    """Dense examples; h has a row for each class, y holds class numbers."""

    X: Array
    norms2: Array
    bias: float
    scheme: int  # an index of SCHEMES
    beta: float  # the margin for which the projection scheme solves
    scores: Array  # scratch: the scores of the example last looked at
    shares: Array  # scratch: each class's share of a step
    h32: Array  # of single-precision data: h in single precision; else empty


class RowsCSR(NamedTuple):
    """Sparse examples; h is features x classes: the weights of a feature are contiguous."""

    data: Array
    indices: Array
    indptr: Array
    features: int
    norms2: Array
    bias: float
    scheme: int
    beta: float
    scores: Array
    shares: Array


@reduction
def dense_scores(X: Array, i: int, h: Array, bias: float, scores: Array) -> None:
    """Compute the scores of all classes, as many at a time as registers hold.

    They are summed in the precision of h. The last ten overlap those before where they must: all
    sums are then taken alike, and classes of equal weights tie exactly.
    """
    d, classes, zero = X.shape[1], h.shape[0], h.dtype.type(0)
    c = 0
    while classes >= 10 and c < classes:
        c = min(c, classes - 10)
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = s8 = s9 = zero
        for j in range(d):
            x = X[i, j]
            s0 += x * h[c, j]
            s1 += x * h[c + 1, j]
            s2 += x * h[c + 2, j]
            s3 += x * h[c + 3, j]
            s4 += x * h[c + 4, j]
            s5 += x * h[c + 5, j]
            s6 += x * h[c + 6, j]
            s7 += x * h[c + 7, j]
            s8 += x * h[c + 8, j]
            s9 += x * h[c + 9, j]
        scores[c] = s0 + bias * h[c, d]
        scores[c + 1] = s1 + bias * h[c + 1, d]
        scores[c + 2] = s2 + bias * h[c + 2, d]
        scores[c + 3] = s3 + bias * h[c + 3, d]
        scores[c + 4] = s4 + bias * h[c + 4, d]
        scores[c + 5] = s5 + bias * h[c + 5, d]
        scores[c + 6] = s6 + bias * h[c + 6, d]
        scores[c + 7] = s7 + bias * h[c + 7, d]
        scores[c + 8] = s8 + bias * h[c + 8, d]
        scores[c + 9] = s9 + bias * h[c + 9, d]
        c += 10
    while classes < 10 and c < classes:
        c = max(0, min(c, classes - 3))
        s0 = s1 = s2 = zero
        for j in range(d):
            x = X[i, j]
            s0 += x * h[c, j]
            s1 += x * h[c + 1, j]
            s2 += x * h[c + 2, j]
        scores[c] = s0 + bias * h[c, d]
        scores[c + 1] = s1 + bias * h[c + 1, d]
        scores[c + 2] = s2 + bias * h[c + 2, d]
        c += 3


@inner
def dense_shift(X: Array, i: int, a: float, h: Array, up: int, down: int) -> None:
    """Add a times the example to one row and subtract it from another."""
    for j in range(X.shape[1]):
        x = a * X[i, j]
        h[up, j] += x
        h[down, j] -= x


@inner
def sparse_scores(
    data: Array, indices: Array, start: int, stop: int, h: Array, bias: float, scores: Array
) -> None:
    last = h.shape[0] - 1
    for c in range(h.shape[1]):
        scores[c] = bias * h[last, c]
    for p in range(start, stop):
        x, j = data[p], indices[p]
        for c in range(h.shape[1]):
            scores[c] += x * h[j, c]


@inner
def share_step(space: Any, own: int, norm2: float) -> tuple[float, float, int]:
    """Return the margin, how often <x, x> counts in a step, and the best rival.

    With E the classes that score at least as much as the true one: in `max` the best of them is
    the rival; in `uniform` all of E are, with equal shares, in `proportional` by their excess, in
    `projection` by the exact solution of MIRA's programme. The mixture of rivals, whose weights go
    to `shares`, acts like a single rival, so that every rule works with every scheme.
    """
    scores, shares = space.scores, space.shares
    r, best = -1, -inf
    for c in range(len(scores)):
        if c != own and scores[c] > best:
            r, best = c, scores[c]
    if space.scheme == 0:
        return scores[own] - best, 2.0, r
    total = 0.0
    if space.scheme == 3 and norm2 > 0:
        total = solve_mira(scores, own, norm2, space.beta, shares)
    if total == 0.0:
        even = space.scheme != 2 or best <= scores[own]
        for c in range(len(scores)):
            excess = scores[c] - min(scores[own], best)
            shares[c] = 0.0 if c == own or excess < 0 else 1.0 if even else excess
            total += shares[c]
    mixed, counted = 0.0, 1.0
    for c in range(len(scores)):
        shares[c] /= total
        mixed += shares[c] * scores[c]
        counted += shares[c] * shares[c]
    return scores[own] - mixed, counted, r


@inner
def solve_mira(scores: Array, own: int, norm2: float, beta: float, shares: Array) -> float:
    """Solve MIRA's programme exactly; return the sum of the rivals' steps.

    The steps go to `shares`. Rival r steps down by [s_r/q - z]_+ and the true class up by
    min(1, z - (s_y - beta)/q), where the level z makes the two sums equal. Rivals are added from
    the best down; each lowers the sum the rest could add, so the first level above the next rival
    is the solution.
    """
    floor = (scores[own] - beta) / norm2
    z, previous, total, count = floor, inf, 0.0, 0
    while True:
        following = -inf
        for c in range(len(scores)):
            if c != own and following < scores[c] / norm2 < previous:
                following = scores[c] / norm2
        if not following > z:  # also where scores have overflowed to nan
            break
        for c in range(len(scores)):
            if c != own and scores[c] / norm2 == following:
                total += following
                count += 1
        z = (total + floor) / (count + 1)
        if z - floor > 1.0:
            z = (total - 1.0) / count
        previous = following
    steps = 0.0
    for c in range(len(scores)):
        shares[c] = max(0.0, scores[c] / norm2 - z) if c != own else 0.0
        steps += shares[c]
    return steps


@look.of(Rows)
def _look_rows(space: Rows, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    dense_scores(space.X, i, h, space.bias, space.scores)
    return share_step(space, y[i], space.norms2[i])


@move.of(Rows)
def _move_rows(space: Rows, y: Array, i: int, r: int, a: float, h: Array) -> None:
    d = space.X.shape[1]
    dense_shift(space.X, i, a, h, y[i], r)
    h[y[i], d] += a * space.bias
    h[r, d] -= a * space.bias


@screening_pays.of(Rows)
def _screening_pays_rows(space: Rows, visits: int) -> bool:
    return len(space.h32) > 0 and space.scheme == 0 and long_rows(space.X)


@refresh_h32.of(Rows)
def _refresh_h32_rows(space: Rows, h: Array) -> None:
    for c in range(h.shape[0]):
        for j in range(h.shape[1]):
            space.h32[c, j] = h[c, j]


@update_h32.of(Rows)
def _update_h32_rows(space: Rows, y: Array, i: int, r: int, h: Array) -> None:
    own = y[i]
    for j in range(h.shape[1]):
        space.h32[own, j] = h[own, j]
        space.h32[r, j] = h[r, j]


@clearly_above.of(Rows)
def _clearly_above_rows(
    space: Rows, y: Array, i: int, h: Array, norm2: float, threshold: float
) -> bool:
    dense_scores(space.X, i, space.h32, space.bias, space.scores)
    own, best = y[i], -inf
    for c in range(len(space.scores)):
        if c != own:
            best = max(best, space.scores[c])
    # Two scores may be off.
    excess = space.scores[own] - best - threshold
    return exceeds_error(excess, 2 * space.X.shape[1], space.norms2[i], norm2)


@look.of(RowsCSR)
def _look_rows_csr(space: RowsCSR, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    start, stop = space.indptr[i], space.indptr[i + 1]
    sparse_scores(space.data, space.indices, start, stop, h, space.bias, space.scores)
    return share_step(space, y[i], space.norms2[i])


@move.of(RowsCSR)
def _move_rows_csr(space: RowsCSR, y: Array, i: int, r: int, a: float, h: Array) -> None:
    own, last = y[i], h.shape[0] - 1
    for p in range(space.indptr[i], space.indptr[i + 1]):
        h[space.indices[p], own] += a * space.data[p]
        h[space.indices[p], r] -= a * space.data[p]
    h[last, own] += a * space.bias
    h[last, r] -= a * space.bias


@best_rival_margin.of(Rows, RowsCSR)
def _best_rival_margin_rows(space: Any, y: Array, i: int, m: float, r: int) -> float:
    return space.scores[y[i]] - space.scores[r]


@rivals.of(Rows, RowsCSR)
def _rivals_rows(space: Any) -> int:
    return 1 if space.scheme == 0 else len(space.scores)


@share.of(Rows, RowsCSR)
def _share_rows(space: Any, r: int, s: int) -> tuple[int, float]:
    if space.scheme == 0:
        return r, 1.0
    return s, space.shares[s]


@prefetch_lines.of(Rows)
def _prefetch_lines_rows(space: Rows, scattered: bool, screened: bool) -> int:
    return lines_of(space.X, scattered)


@prefetch_example.of(Rows)
def _prefetch_example_rows(space: Rows, near: int, far: int, lines: int, screened: bool) -> None:
    prefetch(space.X, near, lines)


# How examples lie in memory does not depend on the number of classes.
for _verb in (prefetch_lines, prefetch_example):
    _verb.of(RowsCSR)(_verb.bodies[CSR])


@origin.of(Rows)
def _origin_rows(space: Rows) -> Array:
    return np.zeros((len(space.scores), traits(space).features + 1))


@origin.of(RowsCSR)
def _origin_rows_csr(space: RowsCSR) -> Array:
    return np.zeros((traits(space).features + 1, len(space.scores)))


@measure.of(Rows)
def _measure_rows(space: Rows, i: int) -> None:
    space.norms2[i] = dense_norm2(space.X, i, space.bias)


unmeasured.of(Rows)(unmeasured.bodies[Dense])
for _verb in (unmeasured, measure):
    _verb.of(RowsCSR)(_verb.bodies[CSR])


@recentre.of(Rows, RowsCSR)
def _recentre_rows(space: Any, h: Array) -> None:
    centre(h if isinstance(space, Rows) else h.T)


@traits.of(Rows)
def _traits_rows(space: Rows) -> Traits:
    features = int(space.X.shape[1])
    return Traits(features, cost=1 + features, copies=2.0)


@traits.of(RowsCSR)
def _traits_rows_csr(space: RowsCSR) -> Traits:
    cost = 1 + len(space.data) // max(1, len(space.norms2))
    return Traits(int(space.features), cost, copies=2.0)


@as_rows.of(RowsCSR)
def _as_rows_csr(space: RowsCSR, h: Array) -> Array:
    return np.ascontiguousarray(h.T)


@from_rows.of(RowsCSR)
def _from_rows_csr(space: RowsCSR, rows: Array) -> Array:
    return np.ascontiguousarray(rows.T)


@as_rows.of(Rows)
@from_rows.of(Rows)
def _same(space: Rows, h: Array) -> Array:
    return h.copy()
