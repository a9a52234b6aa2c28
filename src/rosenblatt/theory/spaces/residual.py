"""Numbers to predict: the space of regression.

The residual takes the place of the margin. With f the score of an example, y its number and a tube
of half-width epsilon, the margin is epsilon - |y - f|: how far f is inside the tube. A step moves f
towards y. So the rules of classification are rules of regression: one that steps where m <= 0 steps
where the residual is epsilon or more, and the passive-aggressive step to m = 0 is that of Crammer
et al. 2006 for the loss max(0, |y - f| - epsilon).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.spaces.acceleration import (
    measure,
    prefetch_example,
    prefetch_lines,
    unmeasured,
)
from rosenblatt.theory.spaces.form import (
    Traits,
    as_rows,
    as_state,
    from_rows,
    from_state,
    origin,
    squared_norm,
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


class Residual(NamedTuple):
    """Numbers, over a space of two classes; in a journal the rival is 0 for f too low, 1 too high.

    The base sees the example as one of the class towards which its score should move.
    """

    base: Any  # Dense, CSR, Diagonal or Full
    epsilon: float
    bias: float  # the base's
    side: Array  # scratch: +1 where the score should rise, -1 where it should fall


@look.of(Residual)
def _look_residual(space: Residual, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    space.side[i] = 1
    score, f, _ = look(space.base, space.side, i, h)
    residual = y[i] - score
    if residual < 0.0:
        space.side[i] = -1
        return space.epsilon + residual, f, 1
    return space.epsilon - residual, f, 0


@move.of(Residual)
def _move_residual(space: Residual, y: Array, i: int, r: int, a: float, h: Array) -> None:
    space.side[i] = 1 - 2 * r  # a replay moves without `look`
    move(space.base, space.side, i, 0, a, h)


@norm2_after.of(Residual)
def _norm2_after_residual(
    space: Any, y: Array, i: int, h: Array, m: float, q: float, norm2: float, a: float, c: float
) -> float:
    # The base's margin is the score, signed: y - f = side·(epsilon - m).
    signed_score = space.side[i] * y[i] - (space.epsilon - m)
    return norm2_after(space.base, space.side, i, h, signed_score, q, norm2, a, c)


@example_norm2.of(Residual)
def _example_norm2_residual(space: Residual, i: int) -> float:
    return example_norm2(space.base, i)


@sign.of(Residual)
def _sign_residual(space: Residual, y: Array, i: int) -> float:
    return float(space.side[i])


@conic.of(Residual)
def _conic_residual(space: Any) -> bool:
    return False


@prefetch_lines.of(Residual)
def _prefetch_lines_residual(space: Any, scattered: bool, screened: bool) -> int:
    return prefetch_lines(space.base, scattered, screened)


@prefetch_example.of(Residual)
def _prefetch_example_residual(space: Any, near: int, far: int, lines: int, screened: bool) -> None:
    prefetch_example(space.base, near, far, lines, screened)


@unmeasured.of(Residual)
def _unmeasured_residual(space: Any, i: int) -> bool:
    return unmeasured(space.base, i)


@measure.of(Residual)
def _measure_residual(space: Any, i: int) -> None:
    measure(space.base, i)


# --- the form of a hypothesis is the base's ---------------------------------------------------


@traits.of(Residual)
def _traits_residual(space: Residual) -> Traits:
    # What a step adds to a score depends on its side: no margin changes by a fixed multiple.
    return traits(space.base)._replace(additive=False)


@origin.of(Residual)
def _origin_residual(space: Residual) -> Array:
    return np.asarray(origin(space.base))


@squared_norm.of(Residual)
def _squared_norm_residual(space: Residual, h: Array) -> float:
    return float(squared_norm(space.base, h))


@as_rows.of(Residual)
def _as_rows_residual(space: Residual, h: Array) -> Array:
    return np.asarray(as_rows(space.base, h))


@from_rows.of(Residual)
def _from_rows_residual(space: Residual, rows: Array) -> Array:
    return np.asarray(from_rows(space.base, rows))


@as_state.of(Residual)
def _as_state_residual(space: Residual, h: Array) -> Array:
    return np.asarray(as_state(space.base, h))


@from_state.of(Residual)
def _from_state_residual(space: Residual, state: Array) -> Array:
    return np.asarray(from_state(space.base, state))
