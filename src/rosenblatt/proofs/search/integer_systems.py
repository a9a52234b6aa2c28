"""Systems of linear equations in integers, solved exactly by way of arithmetic modulo a prime.

The solution is found digit by digit in the base of the prime, each digit with one product in
machine integers (Dixon 1982), and turned into fractions when there are enough digits.
"""

from __future__ import annotations

from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proofs.checker.problem import Array

PRIME = 16_777_213
DIGIT_BITS = 24
"""The prime is just below 2^24: up to 2^15 products of two digits add up in 63 bits."""
FIRST_DIGITS = 32  # of a solution, before it is first tried as fractions


class Pivots(NamedTuple):
    """Rows and columns of a matrix whose common submatrix is invertible."""

    rows: list[int]
    columns: list[int]


def pivots(M: Array) -> Pivots:
    """Return rows and columns that span all others modulo a prime.

    Over the rationals they are independent as well, but may not span all others, so callers must
    check what they compute from them.

    >>> pivots(np.array([[0, 2, 4], [0, 1, 2], [1, 0, 0]], object))
    Pivots(rows=[2, 1], columns=[0, 1])
    """
    T, rows = _modulo_prime(M), list(range(len(M)))
    columns: list[int] = []
    for j in range(M.shape[1]):
        k = len(columns)
        below = T[k:, j] % PRIME
        if not below.any():
            continue
        i = k + int((below != 0).argmax())
        T[[k, i]], rows[k], rows[i] = T[[i, k]], rows[i], rows[k]
        factors = T[k + 1 :, j] % PRIME * _inverse(T[k, j]) % PRIME
        T[k + 1 :, j:] -= factors[:, None] * (T[k, j:] % PRIME)
        columns.append(j)
    return Pivots(rows[: len(columns)], columns)


def solve(A: Array, b: Array) -> tuple[Array, int]:
    """Return integers x and d with A·x = d·b; A must be invertible modulo the prime.

    >>> solve(np.array([[2, 1], [1, -1]], object), np.array([1, 0], object))
    (array([1, 1], dtype=object), 3)
    """
    inverse, parts = _inverse_matrix(_modulo_prime(A)), _parts(A)
    most_a, most_b = len(A) * int(abs(A).max()), int(abs(b).max())
    digits: list[Array] = []
    goal, rest = FIRST_DIGITS, b
    while True:
        while len(digits) < goal:
            digit = inverse @ _modulo_prime(rest) % PRIME
            digits.append(digit)
            rest = (rest - _product(parts, digit)) // PRIME
        modulus = PRIME ** len(digits)
        found = _fractions(np.column_stack(digits), modulus)
        if found is not None:
            # A·x = d·b modulo the modulus; both sides are too small to differ by a multiple of it.
            x, d = found
            if most_a * int(abs(x).max()) + most_b * d < modulus:
                return x, d
        goal += goal // 2


def _modulo_prime(M: Array) -> Array:
    return np.asarray(M % PRIME).astype(np.int64)


def _inverse(number: int) -> int:
    return pow(int(number), -1, PRIME)


def _inverse_matrix(A: Array) -> Array:
    """Return the inverse of a square matrix modulo the prime."""
    n = len(A)
    T = np.concatenate([A, np.eye(n, dtype=np.int64)], axis=1)
    for k in range(n):
        i = k + int((T[k:, k] % PRIME != 0).argmax())
        T[[k, i]] = T[[i, k]]
        row = T[k] % PRIME * _inverse(T[k, k]) % PRIME
        factors = T[:, k] % PRIME
        T -= factors[:, None] * row
        T[k] = row
    return T[:, n:] % PRIME


def _parts(A: Array) -> list[Array]:
    """Split integers into machine integers of a digit's size, the lowest first."""
    sizes: Any = abs(A)
    signs, parts = np.where(A < 0, -1, 1), []
    while sizes.any():
        parts.append((sizes & ((1 << DIGIT_BITS) - 1)).astype(np.int64) * signs)
        sizes = sizes >> DIGIT_BITS
    return parts


def _product(parts: list[Array], x: Array) -> Array:
    """Return the product of a matrix, given in parts, and a vector of digits."""
    product = np.zeros(len(x), object)
    for part in reversed(parts):
        product = (product << DIGIT_BITS) + (part @ x).astype(object)
    return product


def _fractions(digits: Array, modulus: int) -> tuple[Array, int] | None:
    """Return small integers x and d with x/d = the numbers of these digits, or None.

    Each row of digits is a number modulo `modulus`.
    """
    bound, d = isqrt(modulus // 2), 1
    found: list[tuple[int, int]] = []  # numerators, each with its denominator
    for row in digits:
        residue = _joined(row.tolist()) * d % modulus
        x = _centred(residue, modulus)
        if abs(x) > bound:  # d is not yet a multiple of this denominator
            factor = _denominator(residue, modulus, bound)
            x, d = _centred(residue * factor, modulus), d * factor
            if d > bound:
                return None
        found.append((x, d))
    return np.array([x * (d // own) for x, own in found], object), d


def _joined(digits: list[int]) -> int:
    """Return the number with these digits, the lowest first; neighbours are joined in turns."""
    base = PRIME
    while len(digits) > 1:
        digits += [0] * (len(digits) % 2)
        pairs = zip(digits[::2], digits[1::2], strict=True)
        digits, base = [low + base * high for low, high in pairs], base * base
    return digits[0]


def _centred(number: int, modulus: int) -> int:
    """Return the number of least size that is equal to this one modulo `modulus`."""
    rest = number % modulus
    return rest - modulus if 2 * rest > modulus else rest


def _denominator(residue: int, modulus: int, bound: int) -> int:
    """Return d > 0 for which d·residue modulo `modulus` is at most `bound` in size."""
    larger, smaller, before, d = modulus, residue, 0, 1
    while smaller > bound:
        quotient = larger // smaller
        larger, smaller = smaller, larger - quotient * smaller
        before, d = d, before - quotient * d
    return abs(d)
