"""The verbs of a space: what an algorithm asks of the place where examples and hypotheses live.

A space is a record of arrays. `look` reads an example's margin, `move` adds a multiple of the
example to the hypothesis h. The bias is a constant last feature: it has a coordinate in h and
counts in <x, x>. A new space must write `look` and `move`; the others have defaults.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from rosenblatt.theory.verbs import verb

Array = npt.NDArray[Any]


@verb
def look(space: Any, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    """Margin of example i, how often its `size` counts in a step, and its rival (0 for none)."""
    raise TypeError("not a space")


@verb
def lead(space: Any, y: Array, i: int, m: float, r: int) -> float:
    """Margin over the best rival r of an example just looked at; m may be over several rivals."""
    return m


@verb
def size(space: Any, i: int) -> float:
    """<x, x> of example i, the bias included."""
    return space.norms[i]


@verb
def move(space: Any, y: Array, i: int, r: int, a: float, h: Array) -> None:
    """Add a times the signed example to h."""
    raise TypeError("not a space")


@verb
def sign(space: Any, y: Array, i: int) -> float:
    """The label's sign."""
    return 1.0


@verb
def rivals(space: Any) -> int:
    """How many classes may share the blame for one mistake."""
    return 1


@verb
def share(space: Any, r: int, s: int) -> tuple[int, float]:
    """The s-th rival and its share of the blame."""
    return r, 1.0


@verb
def length(
    space: Any, y: Array, i: int, h: Array, m: float, q: float, ww: float, a: float, c: float
) -> float:
    """<w, w> after w <- c·w + a·y·x, by algebra from what is known before."""
    return c * c * ww + 2.0 * a * c * m + a * (a * q)


@verb
def conic(space: Any) -> bool:
    """Whether steps add up to the factors of the examples in w: then they bound the best margin."""
    return True
