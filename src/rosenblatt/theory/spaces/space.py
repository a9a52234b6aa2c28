"""The verbs of a space: what the loops need to know about examples and hypotheses.

A space is a record of arrays. `look` reads an example's margin, `move` adds a multiple of the
example to the hypothesis h. The bias is a constant last feature: it has a coordinate in h and
counts in <x, x>. A new space must define `look`, `move` and `traits`; the others have defaults.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from rosenblatt.theory.verbs import verb

Array = npt.NDArray[Any]


@verb
def look(space: Any, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    """Return the margin, how often <x, x> counts in a step, and the rival or 0."""
    raise TypeError("not a space")


@verb
def best_rival_margin(space: Any, y: Array, i: int, m: float, r: int) -> float:
    """Return the margin over the best rival r; m may be over several rivals."""
    return m


@verb
def example_norm2(space: Any, i: int) -> float:
    """Return <x, x> of example i, the bias included."""
    return space.norms2[i]


@verb
def move(space: Any, y: Array, i: int, r: int, a: float, h: Array) -> None:
    """Add a times the signed example to h."""
    raise TypeError("not a space")


@verb
def sign(space: Any, y: Array, i: int) -> float:
    """Return the sign of the label; +1 with many classes."""
    return 1.0


@verb
def rivals(space: Any) -> int:
    """Return how many rivals may share one step."""
    return 1


@verb
def share(space: Any, r: int, s: int) -> tuple[int, float]:
    """Return the s-th rival and its share of the step.

    Of a rival that takes several numbers to write, each has the whole step.
    """
    return r, 1.0


@verb
def norm2_after(
    space: Any, y: Array, i: int, h: Array, m: float, q: float, norm2: float, a: float, c: float
) -> float:
    """Return <w, w> after w <- c·w + a·y·x, by algebra from what is known before."""
    return c * c * norm2 + 2.0 * a * c * m + a * (a * q)


@verb
def conic(space: Any) -> bool:
    """Return whether steps are factors of examples in w, and so bound the margin."""
    return True
