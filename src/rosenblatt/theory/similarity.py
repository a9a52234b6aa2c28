"""Kernels and blocks of the Gram matrix, computed by matrix products.

Names and parameters are those of scikit-learn's `pairwise_kernels`; all its other kernels are
available by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[Any]
FAST = ("linear", "poly", "rbf", "sigmoid")
PROVED = ("linear", "poly", "rbf")  # inner products, with known rounding errors


@dataclass(frozen=True)
class Similarity:
    """A kernel K(x, y): the inner product of two examples in its feature space.

    >>> S = Similarity("poly", degree=2, gamma=1.0, coef0=1.0)
    >>> S.block(np.array([[1.0, 2.0]]), np.array([[3.0, 0.0], [0.0, 1.0]]))
    array([[16.,  9.]])
    """

    kernel: str | Callable[[Any, Any], float]
    degree: float = 3
    gamma: float | None = None  # None: 1 / number of features
    coef0: float = 1.0
    constant: float = 0.0  # added to every value: the square of a constant feature
    more: dict[str, Any] = field(default_factory=dict)  # parameters of other kernels

    def block(self, A: Any, B: Any) -> Array:
        """Return K of every row of A with every row of B, in the precision of the data."""
        K = self._bare(A, B)
        if self.constant:
            K += self.constant
        return K

    def _bare(self, A: Any, B: Any) -> Array:
        if callable(self.kernel):
            return np.array([[self.kernel(a, b) for b in B] for a in A], float)
        if self.kernel not in FAST:
            from sklearn.metrics.pairwise import pairwise_kernels

            return np.asarray(pairwise_kernels(A, B, metric=self.kernel, **self.more))
        K = _products(A, B)
        if self.kernel == "linear":
            return K
        gamma = 1.0 / A.shape[1] if self.gamma is None else self.gamma
        if self.kernel == "rbf":
            # |a - b|² = |a|² - 2 a·b + |b|²; rounding may make it slightly negative.
            K *= -2.0
            K += _squares(A)[:, None]
            K += _squares(B)[None, :]
            np.maximum(K, 0.0, out=K)
            K *= -gamma
            return np.exp(K, out=K)
        if gamma != 1.0:
            K *= gamma
        if self.coef0:
            K += self.coef0
        if self.kernel == "sigmoid":
            return np.tanh(K, out=K)
        return _power(K, self.degree)

    def diagonal(self, A: Any) -> Array:
        """Return K of every row with itself, in double precision."""
        with np.errstate(over="ignore"):  # callers check for infinity
            return self._bare_diagonal(A) + self.constant

    def rounding(self, *tables: Any) -> float:
        """Return a bound on the error of a kernel value; 0 for kernels that are functions.

        The error of a dot product of d terms is at most about d·u times the product of the norms.
        Later operations multiply it by their slope.
        """
        filled = [A for A in tables if A.shape[0]]
        if self.kernel not in FAST or not filled:
            return 0.0
        u = max(float(np.finfo(A.dtype).eps) for A in filled)
        d = max(A.shape[1] for A in filled)
        gamma = 1.0 / d if self.gamma is None else self.gamma
        tiny = max(float(np.finfo(A.dtype).smallest_subnormal) for A in filled)  # by underflow
        square = 1.001 * max(float(_squares(A).max()) for A in filled) + d * tiny
        off = (d + 4) * (u * square + tiny)
        if self.kernel == "linear":
            return off + u * self.constant
        if self.kernel == "rbf":
            return abs(gamma) * 4 * off + 4 * u * (1 + self.constant)
        inside = abs(gamma) * square + abs(self.coef0)
        off = abs(gamma) * off + 4 * (u * inside + tiny)
        if self.kernel == "sigmoid":
            return off + 4 * u * (1 + self.constant)
        power = abs(self.degree)
        value = float(inside**power)
        slope = power * (inside + off) ** (power - 1) if power >= 1 else np.inf
        below = tiny * max(1.0, value)
        return float(slope * off + 2 * (power + 2) * (u * value + below) + u * self.constant)

    def _bare_diagonal(self, A: Any) -> Array:
        if callable(self.kernel):
            return np.array([self.kernel(a, a) for a in A], float)
        if self.kernel not in FAST:
            return np.array([self._bare(A[[i]], A[[i]])[0, 0] for i in range(A.shape[0])], float)
        if self.kernel == "rbf":
            return np.ones(A.shape[0])
        K = _squares(A).astype(float)
        if self.kernel == "linear":
            return K
        K = K * (1.0 / A.shape[1] if self.gamma is None else self.gamma) + self.coef0
        return np.tanh(K) if self.kernel == "sigmoid" else _power(K, self.degree)


@dataclass(frozen=True)
class Precomputed:
    """A given Gram matrix: examples are rows, support vectors column indices."""

    constant: float = 0.0

    def block(self, A: Any, B: Any) -> Array:
        """Return the values in the columns B."""
        return np.asarray(A[:, B], float) + self.constant

    def diagonal(self, A: Any) -> Array:
        """Return the value of each example with itself."""
        return np.asarray(A.diagonal(), float) + self.constant

    def rounding(self, *tables: Any) -> float:
        """Return 0: given values count as exact."""
        return 0.0


def fault(similarity: Any) -> str:
    """Return why nothing can be proved with a kernel, or an empty string.

    A kernel must be an inner product with known rounding errors. x·y is one; so are
    gamma·x·y + coef0 with gamma > 0 and coef0 >= 0, its positive integer powers,
    exp(-gamma·|x - y|²) with gamma > 0, and each of them plus a constant >= 0.
    """
    if type(similarity) is not Similarity or similarity.more:
        return "the kernel must be a Similarity without `more` parameters."
    if similarity.kernel not in PROVED:
        return (
            f"kernel={similarity.kernel!r} is not supported; use {', '.join(PROVED)}, whose "
            "rounding errors are known."
        )
    if similarity.gamma is not None and not _within(similarity.gamma, 0.0, open_below=True):
        return f"gamma={similarity.gamma!r} must be positive and finite."
    if not _within(similarity.constant, 0.0):
        return f"constant={similarity.constant!r} must be finite and at least 0."
    if similarity.kernel == "poly":
        degree, shift = similarity.degree, similarity.coef0
        if not (_within(degree, 1.0) and degree == int(degree) and _within(shift, 0.0)):
            return "the polynomial kernel needs an integer degree >= 1 and coef0 >= 0."
    return ""


def _within(value: Any, low: float, open_below: bool = False) -> bool:
    """Return whether a value is a finite number that is not below a limit."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    return bool(low < value < inf if open_below else low <= value < inf)


def _products(A: Any, B: Any) -> Array:
    product = A @ B.T
    return product.toarray() if sp.issparse(product) else product


def _squares(A: Any) -> Array:
    """Return |a|² of every row."""
    squares = A.multiply(A) if sp.issparse(A) else A * A
    return np.asarray(squares.sum(axis=1)).ravel()


def _power(K: Array, degree: float) -> Array:
    """Raise K to a power, in place; integer powers by squaring, which is faster."""
    if degree != int(degree) or not 1 <= degree <= 64:
        return np.power(K, degree, out=K)
    bits = f"{int(degree):b}"[1:]
    if not bits:
        return K
    base = K.copy() if "1" in bits else K
    for bit in bits:
        K *= K
        if bit == "1":
            K *= base
    return K
