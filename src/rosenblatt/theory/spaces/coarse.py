"""Coarse copies of dense examples: a byte for each number is enough to skip most visits.

Whole numbers from -127 to 127 times a scale stand for the numbers of an example. The length of the
difference is known, and bounds what it can do to any margin.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.spaces.acceleration import single_precision_error
from rosenblatt.theory.spaces.space import Array
from rosenblatt.theory.verbs import inner, reduction

LARGEST = 127
DOUBTS = 10  # copies are read unless more than one example in ten is in doubt


class Coarse(NamedTuple):
    """Coarse copies of the examples; none where they would not pay."""

    rows: Array  # whole numbers in a byte each
    scales: Array  # what 1 stands for, in each row
    slack: Array  # how far a margin may be off, by each unit of |w|
    doubtful: Array  # whether a copy decided nothing when it was last visited, in any run


@inner
def copied(coarse: Coarse) -> bool:
    """Return whether there are coarse copies."""
    return len(coarse.rows) > 0


@inner
def decides(coarse: Coarse, i: int) -> bool:
    """Return whether screening reads the copy of example i.

    Doubts last: what a copy did not decide is read in full at the next visit, and prefetched.
    """
    return copied(coarse) and not coarse.doubtful[i]


@reduction
def largest_in(X: Array, i: int) -> Any:
    """Return the largest absolute value of a row in single precision, or NaN."""
    # Bits of floats without their sign compare as whole numbers do, and are compared many at once.
    bits = np.int32(0)
    for j in range(X.shape[1]):
        unsigned = np.int32(np.float32(X[i, j]).view(np.int32) & np.int32(0x7FFFFFFF))
        bits = max(bits, unsigned)
    return np.int32(bits).view(np.float32)


@inner
def write_row(X: Array, i: int, scale: Any, row: Array) -> None:
    """Write a row in units of `scale`."""
    factor = np.float32(1.0) / scale
    for j in range(X.shape[1]):
        # To the nearest: casting cuts off, so all numbers are made positive first.
        shifted = np.float32(X[i, j]) * factor + np.float32(LARGEST + 1.5)
        row[j] = np.int8(np.int32(shifted) - np.int32(LARGEST + 1))


@reduction
def lost2(X: Array, i: int, scale: Any, row: Array) -> Any:
    """Return the squared length of what a copy has lost, in single precision."""
    total = np.float32(0.0)
    for j in range(X.shape[1]):
        rest = np.float32(X[i, j]) - scale * np.float32(row[j])
        total += rest * rest
    return total


@reduction
def coarse_dot(row: Array, h: Array) -> Any:
    total = h.dtype.type(0)
    for j in range(len(row)):
        total += h.dtype.type(row[j]) * h[j]
    return total


@inner
def copy_coarsely(X: Array, i: int, norm2: float, coarse: Coarse) -> None:
    """Make the coarse copy of example i, whose <x, x> is given."""
    largest = largest_in(X, i)
    if not 1e-6 < largest < 1e15:  # also if it is not a number: it is looked at as it is
        coarse.slack[i] = inf
        return
    scale = largest / np.float32(LARGEST)
    write_row(X, i, scale, coarse.rows[i])
    lost = sqrt(lost2(X, i, scale, coarse.rows[i]))
    coarse.scales[i] = scale
    # Eight terms more, and what is lost once more, for the rounding of `lost2` itself.
    off = single_precision_error(X.shape[1] + 8)
    coarse.slack[i] = lost + off * (sqrt(norm2) + 2.0 * lost)


@reduction
def count(flags: Array) -> int:
    """Return how many flags are set."""
    total = 0
    for i in range(len(flags)):
        total += flags[i]
    return total


@inner
def give_up_if_doubtful(coarse: Coarse) -> None:
    """Read no copies for now if too many are in doubt.

    A doubt that is new costs more than some copies save: its row was not prefetched.
    """
    if DOUBTS * count(coarse.doubtful) > len(coarse.doubtful):
        coarse.doubtful[:] = True


@inner
def exceeds_slack(excess: float, slack: float, norm2: float) -> bool:
    """Return whether a margin of a coarse copy proves that of the example above a threshold.

    It exceeds the threshold by `excess`. What `exceeds_error` says of rounding holds here too; |x|
    is not tiny, since the scale of a copy is not.
    """
    return 0.0 < excess < 1e37 and norm2 > 1e-30 and excess * excess > slack * slack * norm2


@inner
def exceeds_usual_slack(excess: float, q: float, norm2: float) -> bool:
    """Return whether a copy is likely to decide; to read its own slack would take longer."""
    return excess > 0.0 and LARGEST * LARGEST * excess * excess > q * norm2
