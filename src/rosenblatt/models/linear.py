"""A linear map: scores in double precision whatever the input, in blocks, with BLAS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.theory.spaces import Array

CELLS = 1 << 21  # numbers in a block: a block and its result stay in the cache


def blocks(X: Any, width: int) -> Iterator[tuple[slice, Any]]:
    """Rows of X in doubles, as many at a time as keep rows x width small."""
    size = max(1, CELLS // max(1, width))
    for first in range(0, X.shape[0], size):
        rows = slice(first, min(first + size, X.shape[0]))
        part = X[rows]
        yield rows, part if part.dtype == np.float64 else part.astype(np.float64)


def product(X: Any, coef: Array) -> Array:
    """X times the rows of coef."""
    result = X @ coef.T
    return result.toarray() if sp.issparse(result) else np.asarray(result)


@dataclass
class Linear:
    """Scores X·coef + intercept, one for each row of coef."""

    coef: Array
    intercept: Array

    def scores(self, X: Any) -> Array:
        out = np.empty((X.shape[0], len(self.coef)))
        for rows, part in blocks(X, X.shape[1] if not sp.issparse(X) else len(self.coef)):
            out[rows] = product(part, self.coef) + self.intercept
        return out
