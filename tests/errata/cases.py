"""Small sets, separable through the origin or not at all, and the course of a fit on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt import Perceptron, PerceptronClassifier

Array = npt.NDArray[Any]
AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])
XOR = AND[0], np.array([0, 1, 1, 0])


def signs(y: Array) -> Array:
    return np.where(y == 1, 1.0, -1.0)


def separable(seed: int, n: int = 60, d: int = 3) -> tuple[Array, Array, Array, float]:
    """Random examples, labels, a unit vector that separates them through 0, and its margin."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(4 * n, d))
    X = X[np.abs(X @ u) > 0.1][:n]
    return X, (X @ u > 0).astype(int), u, float(np.abs(X @ u).min())


def through_origin(kind: type = Perceptron, **options: Any) -> PerceptronClassifier:
    """Without intercept and in the order of the data."""
    return kind(fit_intercept=False, shuffle=False, max_iter=10_000, **options)


def course(clf: PerceptronClassifier, X: Array, y: Array, start: Array | None = None) -> Array:
    """Every hypothesis of a two-class run without intercept, the start first."""
    updates = clf.journal_.updates
    steps = (updates.a * signs(y)[updates.i])[:, None] * X[updates.i]
    first = np.zeros(X.shape[1]) if start is None else start
    return np.vstack([first, first + np.cumsum(steps, axis=0)])
