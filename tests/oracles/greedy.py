"""Algorithms that pick their examples or cool down, each as its paper defines it: slow and plain.

X is (n, d), with a constant column if a bias is wanted; y is +-1. Those that pick return all
hypotheses, from the start to the last; those with a given order do as the other oracles do.
"""

from collections.abc import Callable

import numpy as np

from tests.oracles.online import Array, Ints, Maybe, _signed, _walk

Choice = Callable[[int], int]


def scaled(X: Array, y: Array, N: float, factor: float | None = None) -> Array:
    """sigma = y xi with |xi|^2 = N, or y x times a factor; x = 0 stays."""
    if factor is not None:
        return factor * _signed(X, y)
    lengths = np.sqrt((X**2).sum(axis=1))
    return _signed(X, y) * np.sqrt(N) / np.where(lengths > 0, lengths, 1)[:, None]


def hebb(sigma: Array, N: float) -> Array:
    """The sum of all patterns, rescaled to length N."""
    total = sigma.sum(axis=0)
    return np.asarray(total * N / np.linalg.norm(total))


def r(J: Array, sigma: Array) -> Array:
    """Eq. (4), with |sigma|^2 for N: r = sigma + [(N - J.sigma) / (J^2 - J.sigma)] J if J.sigma < 0

    (Wendemuth 1995).
    """
    overlap, N = J @ sigma, sigma @ sigma
    if overlap < 0:
        return np.asarray(sigma + (N - overlap) / (J @ J - overlap) * J)
    return sigma


def maxover(
    sigma: Array, N: float, algorithm: int, kappa: float, steps: int, limit: float, choose: Choice
) -> Array:
    """Algorithms 1 to 3; choose(k) is a random number below k (Wendemuth 1995)."""
    W = [hebb(sigma, N)]
    for _ in range(steps):
        J = W[-1]
        length, overlaps = np.sqrt(J @ J), sigma @ J
        if length > limit:
            break
        if algorithm == 1:
            mu = int(np.argmin(overlaps))
        else:
            low = np.flatnonzero(overlaps / length <= kappa)
            if not len(low):
                break
            mu = low[choose(len(low))] if algorithm == 2 else low[np.argmax(overlaps[low])]
        W.append(J + r(J, sigma[mu]) / N)
    return np.array(W)


def minover(sigma: Array, N: float, c: float, steps: int) -> Array:
    """J = 0; mu of the least J.sigma; J += sigma / N if that is <= c (Krauth & Mezard 1987)."""
    W = [np.zeros(sigma.shape[1])]
    for _ in range(steps):
        overlaps = sigma @ W[-1]
        mu = int(np.argmin(overlaps))
        if overlaps[mu] > c:
            break
        W.append(W[-1] + sigma[mu] / N)
    return np.array(W)


def wendemuth(
    X: Array,
    y: Array,
    order: Ints,
    kappa: float = 0.0,
    N: float = 1.0,
    limit: float = np.inf,
    factor: float | None = None,
) -> Array:
    """Eq. (4) in a given order, from J = 0."""

    def rule(J: Array, sigma: Array, *_: int) -> Maybe:
        length = np.sqrt(J @ J)
        low = sigma.any() and length <= limit and J @ sigma <= kappa * length
        return J + r(J, sigma) / N if low else None

    return _walk(scaled(X, y, N, factor), order, None, rule)


def thermal(
    X: Array, y: Array, order: Ints, T: float = 1.0, eta0: float = 1.0, visits: int | None = None
) -> Array:
    """w += eta0 exp(-|phi| / T) z if m <= 0; T, eta0 fall linearly over the visits (Frean 1992)."""
    Z, W = _signed(X, y), [np.zeros(X.shape[1])]
    for t, i in enumerate(order):
        left = 1.0 if visits is None else max(0.0, 1 - t / visits)
        phi = W[-1] @ Z[i]
        moved = phi <= 0 and left > 0
        W.append(W[-1] + eta0 * left * np.exp(-abs(phi) / (T * left)) * Z[i] if moved else W[-1])
    return np.array(W)
