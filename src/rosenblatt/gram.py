"""Kernel spaces: hypotheses as coefficients of examples, margins from Gram matrices.

The algorithm is the sequential one, taken in blocks: examples to come are scored against the
supports by a matrix product, and settled in order with the block's own Gram matrix, in which a step
on one changes the scores of those after it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.spaces import (
    Array,
    ahead,
    as_rows,
    cost,
    features,
    from_rows,
    look,
    move,
    origin,
    reach,
    sign,
)


class Gram(NamedTuple):
    """A block of examples; h holds their scores, which a step changes by a row of K."""

    K: Array  # of the block with itself
    norms: Array  # its diagonal
    bias: float  # none: a kernel has its own constant


class Dual(NamedTuple):
    """All examples; h holds their signed coefficients."""

    norms: Array  # K(x, x) of each example
    bias: float  # none


@look.of(Gram)
def _look_gram(space: Gram, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    return y[i] * h[i], 1.0, 0


@move.of(Gram)
def _move_gram(space: Gram, y: Array, i: int, r: int, a: float, h: Array) -> None:
    s = a * y[i]
    for j in range(len(h)):
        h[j] += s * space.K[i, j]


@move.of(Dual)
def _move_dual(space: Dual, y: Array, i: int, r: int, a: float, h: Array) -> None:
    h[i] += a * y[i]


@sign.of(Gram, Dual)
def _sign_gram(space: Any, y: Array, i: int) -> float:
    return float(y[i])


@reach.of(Gram)
def _reach_gram(space: Gram) -> int:
    return 0


@ahead.of(Gram)
def _ahead_gram(space: Gram, near: int, far: int, lines: int) -> None:
    pass


@origin.of(Dual)
def _origin_dual(space: Dual) -> Array:
    return np.zeros(len(space.norms))


@features.of(Dual)
def _features_dual(space: Dual) -> int:
    return len(space.norms)


@cost.of(Dual)
def _cost_dual(space: Dual) -> int:
    return 1


@as_rows.of(Dual)
def _as_rows_dual(space: Dual, h: Array) -> Array:
    return h[None, :]


@from_rows.of(Dual)
def _from_rows_dual(space: Dual, rows: Array) -> Array:
    return rows[0].copy()
