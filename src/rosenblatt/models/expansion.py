"""Models in kernel form: sums of kernel values over supports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.theory.spaces import Array

CELLS = 1 << 22  # kernel values in a block


@dataclass
class Expansion:
    """Scores Σ coef·K(support, x), one for each row of coef."""

    similarity: Any
    supports: Any
    coef: Array

    def scores(self, X: Any) -> Array:
        """Return the scores of the rows of X."""
        out = np.empty((X.shape[0], len(self.coef)))
        for rows, K in kernel_rows(self.similarity, X, self.supports):
            out[rows] = K @ self.coef.T.astype(K.dtype)
        return out


def kernel_rows(
    similarity: Any, X: Any, supports: Any, width: int = 0
) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of rows of X, and their kernel values with the supports.

    A block is small enough for an array of its rows by `width`, too.
    """
    size = max(1, CELLS // max(1, supports.shape[0], width))
    for first in range(0, X.shape[0], size):
        rows = slice(first, min(first + size, X.shape[0]))
        yield rows, similarity.block(X[rows], supports)
