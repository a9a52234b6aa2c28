"""Exact linear algebra: solutions in rational numbers near those that floats suggest."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
from flint import fmpz_mat, nmod_mat

from rosenblatt.proofs.checker.problem import Array

PRIME = (1 << 61) - 1
BITS = 40  # of a suggestion that are kept where it may be rounded


def _residues(M: Array) -> Any:
    rows, columns = M.shape
    return nmod_mat(rows, columns, [int(v) % PRIME for v in M.ravel()], PRIME)


def _pivots(M: Array) -> list[int]:
    """Columns that span the others, modulo a prime; over the rationals they may be fewer, not more.

    So what is built on them is a guess, and whoever uses it checks the result.
    """
    reduced, rank = _residues(M).rref()
    pivots: list[int] = []
    for row in range(rank):
        column = pivots[-1] + 1 if pivots else 0
        while not int(reduced[row, column]):
            column += 1
        pivots.append(column)
    return pivots


def rank_at_least(M: Array) -> int:
    """A lower bound of the rank of an integer matrix, nearly always the rank."""
    return int(_residues(M).rank()) if M.size else 0


def kernel_near(M: Array, guess: Array) -> Array | None:
    """Fractions x with M·x = 0 for an integer matrix, near a guess; None if there is only x = 0.

    >>> kernel_near(np.array([[1, -2, 0], [0, 1, -3]], object), np.array([0.6, 0.3, 0.1]))
    array([Fraction(6, 1), Fraction(3, 1), Fraction(1, 1)], dtype=object)
    """
    pivots = _pivots(M)
    free = [j for j in range(M.shape[1]) if j not in set(pivots)]
    if not free:
        return None
    chosen = np.ones(1, object)
    if len(free) > 1:
        near = guess[free] / (np.abs(guess[free]).max() or 1.0)
        chosen = np.rint(np.ldexp(near, BITS)).astype(np.int64).astype(object)
    x = np.zeros(M.shape[1], object)
    x[:] = Fraction(0)
    x[free] = [Fraction(int(v)) for v in chosen]
    if pivots:
        rows = _pivots(M[:, pivots].T)
        square = fmpz_mat([[int(v) for v in M[i, pivots]] for i in rows])
        right = M[np.ix_(rows, free)] @ chosen
        try:
            found = square.solve(fmpz_mat([[-int(v)] for v in right]))
        except ZeroDivisionError:  # the prime was an unlucky one
            return None
        for k, j in enumerate(pivots):
            x[j] = Fraction(int(found[k, 0].p), int(found[k, 0].q))
    along = free if len(free) > 1 else range(len(x))
    if sum(x[j] * Fraction(float(guess[j])) for j in along) < 0:
        x = -x
    return x


def gordan(Z: Array, late: Callable[[], bool]) -> tuple[Array, bool] | None:
    """Of integer rows z: weights >= 0 with Σ weight·z = 0 and True, or v with every z·v > 0, False.

    One of the two exists (Gordan 1873). A simplex method in whole numbers finds it, whatever the
    numbers, if it has the time: None if not.

    >>> gordan(np.array([[2, 1], [-1, 1], [-1, -2]], object), lambda: False)
    (array([1, 1, 1], dtype=object), True)
    >>> gordan(np.array([[2, 1], [-1, 1]], object), lambda: False)[1]
    False
    """
    # min Σ s, Z'x + s = 0, Σ x + s = 1, x and s >= 0; every row is divided by `scale` in thought.
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
        # The steepest column first; after a while the first one, which cannot cycle (Bland 1977).
        j = int(T[m, :n].argmin() if steps < 4 * m else (T[m, :n] < 0).argmax())
        rows = np.flatnonzero(T[:m, j] > 0).tolist()
        i = min(rows, key=lambda row: (Fraction(T[row, -1], T[row, j]), basis[row]))
        pivot, others = T[i, j], np.arange(m + 1) != i
        T[others] = (T[others] * pivot - T[others, j][:, None] * T[i]) // scale
        basis[i], scale = j, pivot
    if T[m, -1]:  # a positive least sum: its multipliers separate
        return T[m, n : n + m - 1] - scale, False
    x = np.zeros(n, object)
    inside = basis < n
    x[basis[inside]] = T[:m, -1][inside]
    return x // gcd(*x), True
