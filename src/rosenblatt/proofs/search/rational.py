"""Linear algebra in rational numbers: exact solutions near given floats."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd

import numpy as np

from rosenblatt.proofs.checker.problem import Array
from rosenblatt.proofs.search.integer_systems import pivots, solve

GUESS_BITS = 40  # precision to which free coordinates of a guess are kept


def rank_at_least(M: Array) -> int:
    """Return a lower bound on the rank of an integer matrix, almost always the rank."""
    return len(pivots(M).columns)


def null_vector_near(M: Array, guess: Array) -> Array | None:
    """Return fractions x near a guess with M·x = 0, or None if only x = 0 was found.

    >>> null_vector_near(np.array([[1, -2, 0], [0, 1, -3]], object), np.array([0.6, 0.3, 0.1]))
    array([Fraction(6, 1), Fraction(3, 1), Fraction(1, 1)], dtype=object)
    """
    rows, columns = pivots(M)
    free = [j for j in range(M.shape[1]) if j not in set(columns)]
    if not free:
        return None
    chosen = np.ones(1, object)
    if len(free) > 1:
        near = guess[free] / (np.abs(guess[free]).max() or 1.0)
        chosen = np.rint(np.ldexp(near, GUESS_BITS)).astype(np.int64).astype(object)
    x = np.zeros(M.shape[1], object)
    x[:] = Fraction(0)
    x[free] = [Fraction(int(v)) for v in chosen]
    if columns:
        numerators, denominator = solve(M[np.ix_(rows, columns)], -M[np.ix_(rows, free)] @ chosen)
        x[columns] = [Fraction(v, denominator) for v in numerators]
    along = free if len(free) > 1 else range(len(x))
    if sum(x[j] * Fraction(float(guess[j])) for j in along) < 0:
        x = -x
    return x


def gordan(Z: Array, late: Callable[[], bool]) -> tuple[Array, bool] | None:
    """Return (weights, True) with Σ weight·z = 0, or (v, False) with all z·v > 0.

    The weights are integers >= 0, not all 0. Exactly one of the two exists (Gordan 1873). A simplex
    method in integers finds it; None if `late()` becomes true first.

    >>> gordan(np.array([[2, 1], [-1, 1], [-1, -2]], object), lambda: False)
    (array([1, 1, 1], dtype=object), True)
    >>> gordan(np.array([[2, 1], [-1, 1]], object), lambda: False)[1]
    False
    """
    # min Σ s, Z'x + s = 0, Σ x + s = 1, x and s >= 0; the tableau is T/scale.
    n, m = len(Z), Z.shape[1] + 1
    T = np.zeros((m + 1, n + m + 1), object)
    T[: m - 1, :n], T[m - 1, :n], T[m - 1, -1] = Z.T, 1, 1
    T[np.arange(m), n + np.arange(m)] = 1
    T[m] = -T[:m].sum(axis=0)
    T[m, n:-1] = 0
    basis, scale, steps = np.arange(n, n + m), 1, 0
    while (T[m, :n] < 0).any():
        if late():
            return None
        steps += 1
        # The steepest column at first; later the first one, which cannot cycle (Bland 1977).
        j = int(T[m, :n].argmin() if steps < 4 * m else (T[m, :n] < 0).argmax())
        rows = np.flatnonzero(T[:m, j] > 0).tolist()
        i = min(rows, key=lambda row: (Fraction(T[row, -1], T[row, j]), basis[row]))
        pivot, others = T[i, j], np.arange(m + 1) != i
        T[others] = (T[others] * pivot - T[others, j][:, None] * T[i]) // scale
        basis[i], scale = j, pivot
    if T[m, -1]:  # the least sum is positive: its multipliers separate
        return T[m, n : n + m - 1] - scale, False
    x = np.zeros(n, object)
    inside = basis < n
    x[basis[inside]] = T[:m, -1][inside]
    return x // gcd(*x), True
