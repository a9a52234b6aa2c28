"""Regression as the papers write it: Crammer et al. 2006, section 5, and Vaits & Crammer 2011."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def passive_aggressive(
    X: Array, y: Array, visits: Array, variant: str, C: float, epsilon: float
) -> Iterator[Array]:
    """Yield the weights before the first visit and after each."""
    w = np.zeros(X.shape[1])
    yield w
    for t in visits:
        loss = max(0.0, abs(y[t] - float(w @ X[t])) - epsilon)
        square = float(X[t] @ X[t])
        tau = {"PA": loss / square, "PA-I": min(C, loss / square),
               "PA-II": loss / (square + 1 / (2 * C))}[variant]  # fmt: skip
        w = w + np.sign(y[t] - float(w @ X[t])) * tau * X[t]
        yield w


def losses(X: Array, y: Array, w: Array, epsilon: float) -> Array:
    """Return the epsilon-insensitive loss of each example."""
    found: Array = np.maximum(0.0, np.abs(y - X @ w) - epsilon)
    return found


def recursive_least_squares(X: Array, y: Array, r: float) -> Array:
    """Return the minimiser of r·|w|² plus the sum of squared residuals."""
    solved: Array = np.linalg.solve(r * np.eye(X.shape[1]) + X.T @ X, X.T @ y)
    return solved
