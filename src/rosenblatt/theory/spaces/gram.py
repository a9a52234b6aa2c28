"""Kernel spaces: coefficients of examples, and margins from Gram matrices.

The algorithm is the sequential one, in blocks: the examples of a block are scored against the
supports by a matrix product, then visited in order with the block's own Gram matrix, by which a
step on one changes the scores of those after it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.spaces.form import Traits, as_rows, from_rows, origin, traits
from rosenblatt.theory.spaces.rows import Rows, share_step
from rosenblatt.theory.spaces.space import Array, best_rival_margin, look, move, rivals, share, sign


class Gram(NamedTuple):
    """A block of examples; h holds their scores, which a step changes by a row of K."""

    K: Array  # kernel values of the block with itself
    norms2: Array  # its diagonal
    bias: float  # 0: a kernel has its own constant


class GramRows(NamedTuple):
    """The same with many classes (Kesler's construction): h has a column for each."""

    K: Array
    norms2: Array
    bias: float
    scheme: int  # an index of SCHEMES
    beta: float
    scores: Array  # scratch: the scores of the example last looked at
    shares: Array  # scratch: each class's share of a step


class Dual(NamedTuple):
    """All examples; h holds their signed coefficients, then those of examples learned before."""

    norms2: Array  # K(x, x) of each example
    bias: float  # 0
    before: int  # examples of an earlier run, which are not visited


class DualRows(NamedTuple):
    """The same with many classes: h has a row for each."""

    norms2: Array
    bias: float
    before: int
    classes: int
    scheme: int


@look.of(Gram)
def _look_gram(space: Gram, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    return y[i] * h[i], 1.0, 0


@look.of(GramRows)
def _look_gram_rows(space: GramRows, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    for c in range(len(space.scores)):
        space.scores[c] = h[i, c]
    return share_step(space, y[i], space.norms2[i])


best_rival_margin.of(GramRows)(best_rival_margin.bodies[Rows])


@move.of(Gram)
def _move_gram(space: Gram, y: Array, i: int, r: int, a: float, h: Array) -> None:
    s = a * y[i]
    for j in range(len(h)):
        h[j] += s * space.K[i, j]


@move.of(GramRows)
def _move_gram_rows(space: GramRows, y: Array, i: int, r: int, a: float, h: Array) -> None:
    own = y[i]
    for j in range(len(h)):
        x = a * space.K[i, j]
        h[j, own] += x
        h[j, r] -= x


@move.of(Dual)
def _move_dual(space: Dual, y: Array, i: int, r: int, a: float, h: Array) -> None:
    h[i] += a * y[i]


@move.of(DualRows)
def _move_dual_rows(space: DualRows, y: Array, i: int, r: int, a: float, h: Array) -> None:
    h[y[i], i] += a
    h[r, i] -= a


@sign.of(Gram, Dual)
def _sign_gram(space: Any, y: Array, i: int) -> float:
    return float(y[i])


@rivals.of(GramRows)
def _rivals_gram(space: GramRows) -> int:
    return 1 if space.scheme == 0 else len(space.scores)


@rivals.of(DualRows)
def _rivals_dual(space: DualRows) -> int:
    return 1 if space.scheme == 0 else space.classes


@share.of(GramRows)
def _share_gram(space: GramRows, r: int, s: int) -> tuple[int, float]:
    if space.scheme == 0:
        return r, 1.0
    return s, space.shares[s]


@origin.of(Dual)
def _origin_dual(space: Dual) -> Array:
    return np.zeros(len(space.norms2) + space.before)


@origin.of(DualRows)
def _origin_dual_rows(space: DualRows) -> Array:
    return np.zeros((space.classes, len(space.norms2) + space.before))


@traits.of(Dual)
def _traits_dual(space: Dual) -> Traits:
    return Traits(len(space.norms2) + int(space.before), cost=1)


@traits.of(DualRows)
def _traits_dual_rows(space: DualRows) -> Traits:
    return Traits(len(space.norms2) + int(space.before), cost=1, copies=2.0)


@as_rows.of(DualRows)
@from_rows.of(DualRows)
def _same_dual(space: DualRows, h: Array) -> Array:
    return h.copy()
