"""Integer systems: exact solutions and independent rows, against elimination in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.proofs.search.integer_systems import PRIME, pivots, solve


def integers(rng, bits, *shape):
    """Random integers of either sign, of up to this many bits."""
    return np.array(
        [int.from_bytes(rng.bytes(bits // 8)) - (1 << bits - 1) for _ in range(np.prod(shape))],
        object,
    ).reshape(shape)


def eliminated(M):
    """The reduced rows of a matrix, in fractions, and their pivots."""
    T, columns = [[Fraction(int(v)) for v in row] for row in M], []
    for j in range(M.shape[1]):
        k = len(columns)
        i = next((i for i in range(k, len(T)) if T[i][j]), None)
        if i is None:
            continue
        T[k], T[i] = T[i], T[k]
        T[k] = [v / T[k][j] for v in T[k]]
        for i in range(len(T)):
            if i != k:
                T[i] = [a - T[i][j] * b for a, b in zip(T[i], T[k], strict=True)]
        columns.append(j)
    return T, columns


@pytest.mark.parametrize(("size", "bits"), [(1, 8), (2, 64), (7, 8), (12, 56), (5, 2000), (40, 8)])
def test_the_solution_is_that_of_elimination(size, bits):
    rng = np.random.default_rng(size)
    A, b = integers(rng, bits, size, size), integers(rng, bits, size)
    x, d = solve(A, b)
    reduced, columns = eliminated(np.column_stack([A, b]))
    assert columns == list(range(size))
    assert [Fraction(int(v), d) for v in x] == [row[-1] for row in reduced]


def test_a_zero_side_and_factors_of_the_prime():
    A = np.array([[1, PRIME], [PRIME, PRIME - 1]], object)
    assert solve(A, np.zeros(2, object))[0].tolist() == [0, 0]
    b = np.array([PRIME, -PRIME], object)
    x, d = solve(A, b)
    assert (A @ x == d * b).all()


@given(st.integers(0, 1000), st.integers(1, 6), st.integers(1, 6), st.integers(1, 4))
def test_pivots_are_those_of_elimination(seed, height, width, rank):
    rng = np.random.default_rng(seed)
    M = (rng.integers(-9, 10, (height, rank)) @ rng.integers(-9, 10, (rank, width))).astype(object)
    rows, columns = pivots(M)
    assert columns == eliminated(M)[1]
    assert len(eliminated(M[rows])[1]) == len(rows) == len(columns)


def test_an_empty_matrix_has_no_pivots():
    assert pivots(np.zeros((0, 3), object)) == pivots(np.zeros((3, 0), object)) == ([], [])
