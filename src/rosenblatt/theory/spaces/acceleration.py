"""Verbs that make loops faster and change no bit: prefetching, screening, and measuring.

Screening computes a margin in single precision from `h32`, a copy of h, and skips the example if
that proves the margin to be above a threshold; `coarse.py` has smaller copies of examples for it.
Measuring computes <x, x> when an example is visited
for the first time, which saves a pass over a large table. All verbs are optional; their defaults do
nothing.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.theory.spaces.space import Array
from rosenblatt.theory.verbs import inner, verb


@verb
def prefetch_lines(space: Any, scattered: bool, screened: bool) -> int:
    """Return how many cache lines of an example to prefetch, roughly; 0 for none.

    Visits are scattered if they are not in the order in which the examples lie in memory. If they
    are screened, there may be smaller copies that are enough.
    """
    return 0


@verb
def prefetch_example(space: Any, near: int, far: int, lines: int, screened: bool) -> None:
    """Prefetch the example `near`, and where the later example `far` begins."""


@inner
def prefetch(array: Array, i: int, lines: int) -> None:
    """Prefetch the first cache lines of array[i]; has an effect in compiled code only."""


@verb
def screening_pays(space: Any, visits: int) -> bool:
    """Return whether screening makes this many visits faster."""
    return False


@verb
def weigh_doubts(space: Any) -> None:
    """Let screening read no smaller copies of examples where too many of them decide nothing."""


@verb
def refresh_h32(space: Any, h: Array) -> None:
    """Copy h to h32."""


@verb
def update_h32(space: Any, y: Array, i: int, r: int, h: Array) -> None:
    """Copy to h32 what a step on example i, against rival r, has changed in h."""


@verb
def clearly_above(space: Any, y: Array, i: int, h: Array, norm2: float, threshold: float) -> bool:
    """Return whether h32 proves that the margin of `look` is above a threshold."""
    return False


@inner
def single_precision_error(terms: int) -> float:
    """Return by what share of |x||w| a sum of so many products in single precision may be off.

    By about n·u, u = 2^-24. A few more terms cover the rounding of h to h32 and of the sums in
    double precision, which decide elsewhere, and the underflow of numbers too small for single
    precision, as long as neither |x| nor |w| is tiny.
    """
    return 1.05 * (terms + 8) * 2.0**-24


@inner
def exceeds_error(excess: float, terms: int, q: float, norm2: float) -> bool:
    """Return whether a margin is above a threshold despite rounding.

    It exceeds the threshold by `excess` as a sum of products in single precision.
    """
    off = single_precision_error(terms)
    return 0.0 < excess < 1e37 and min(q, norm2) > 1e-30 and excess * excess > off * off * q * norm2


@verb
def unmeasured(space: Any, i: int) -> bool:
    """Return whether <x, x> of example i is not known yet: it is NaN."""
    return False


@verb
def measure(space: Any, i: int) -> None:
    """Compute <x, x> of example i, which is in the cache as it is being visited."""
