"""Which rows are held out of training."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def held_out_mask(first_row: int, rows: int, share: float, seed: int) -> npt.NDArray[Any]:
    """Return which rows are held out; this depends on seed, share and row number only.

    Example
    -------
    >>> held_out_mask(0, 1000, 0.2, seed=7).mean().round(1)
    np.float64(0.2)
    >>> bool((held_out_mask(0, 1000, 0.2, 7)[100:] == held_out_mask(100, 900, 0.2, 7)).all())
    True
    """
    if share <= 0:
        return np.zeros(rows, np.bool_)
    h = np.arange(first_row, first_row + rows, dtype=np.uint64)
    h = h * np.uint64(0x9E3779B97F4A7C15) + np.uint64((seed * 0xD1342543DE82EF95 + 1) % 2**64)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    h ^= h >> np.uint64(31)
    return np.asarray((h >> np.uint64(11)).astype(np.float64) < share * 2.0**53)
