"""Verbs that make loops faster and change no bit: prefetching, a shadow of h, overlaps.

All are optional; their defaults do nothing.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.theory.spaces.space import Array
from rosenblatt.theory.verbs import inner, verb


@verb
def reach(space: Any, scattered: bool) -> int:
    """About how many cache lines of an example to ask for before it is visited; 0 for none.

    Visits are scattered if they are not in the order in which the examples lie in memory.
    """
    return 0


@verb
def ahead(space: Any, near: int, far: int, lines: int) -> None:
    """Ask memory for an example soon to be visited, and where a later one lies."""


@inner
def prefetch(array: Array, i: int, lines: int) -> None:
    """Ask memory for the first cache lines of array[i]; has an effect in compiled code only."""


@verb
def shaded(space: Any, visits: int) -> bool:
    """Whether so many visits are quicker with a shadow of the hypothesis; not if rivals share."""
    return False


@verb
def shade(space: Any, h: Array) -> None:
    """Make the shadow that of h."""


@verb
def follow(space: Any, y: Array, i: int, r: int, h: Array) -> None:
    """Make the shadow that of h where a step on example i, against rival r, has changed it."""


@verb
def beyond(space: Any, y: Array, i: int, h: Array, ww: float, level: float) -> bool:
    """Whether the shadow proves that the margin of example i, as `look` has it, is above level."""
    return False


@inner
def surely(gap: float, terms: int, q: float, ww: float) -> bool:
    """Whether a margin this far above a level, taken in single precision, is above it in truth.

    A sum of n products is off by at most about n·u·|x||w|, u = 2^-24; rounding h to its shadow and
    the sums in double precision, which decide elsewhere, are covered by some terms more. So is what
    numbers lose that are too small for single precision, as long as neither |x| nor |w| is tiny.
    """
    off = 1.05 * (terms + 8) * 2.0**-24
    return 0.0 < gap < 1e37 and min(q, ww) > 1e-30 and gap * gap > off * off * q * ww
