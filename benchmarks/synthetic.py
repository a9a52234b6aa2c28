"""Examples made for the benchmarks of speed."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def short_rows(examples: int = 200_000) -> tuple[Any, Any]:
    """Twenty normal numbers in a row; the first of them, with noise, gives the class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(examples, 20))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=len(X)) > 0, 1, -1)


def wide_rows(examples: int = 60_000, noise: float = 0.0) -> tuple[Any, Any]:
    """As many normal numbers as a picture of MNIST has pixels; a hyperplane gives the class.

    `noise` is the standard deviation of what is added to the score, in units of the score's.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(examples, 784)).astype(np.float32)
    w = rng.normal(size=784) / 28.0
    return X, np.where(X @ w + noise * rng.normal(size=examples) > 0, 1, -1)


def zipf(
    examples: int = 50_000, width: int = 100_000, wanted: int = 100, flipped: float = 0.1
) -> tuple[Any, Any]:
    """Sparse examples whose features fall off like words do, `wanted` non-zeros each.

    `flipped` is the share of labels that are flipped.
    """
    rng = np.random.default_rng(0)
    rows, columns = [], []
    chance = 1.0 / (1.0 + np.arange(width))
    draws = rng.choice(width, p=chance / chance.sum(), size=(examples, 2 * wanted))
    for number, words in enumerate(draws):
        distinct = np.unique(words)
        columns.append(rng.permutation(distinct)[:wanted])
        rows.append(np.full(len(columns[-1]), number))
    where = np.concatenate(rows), np.concatenate(columns)
    X = sp.csr_matrix((rng.random(len(where[0])), where), shape=(examples, width))
    y = np.where(X @ rng.normal(size=width) > 0, 1, -1)
    return X, np.where(rng.random(examples) < flipped, -y, y)
