"""The nearest point of the hull: known geometry, other ways to the same point, and its factor."""

from __future__ import annotations

from itertools import combinations
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.proofs.checker import read_problem
from rosenblatt.proofs.search import nearest as module
from rosenblatt.proofs.search.nearest import Corral, NearestPoint, downdate, nearest_point


def cloud(X: Any, gap: float = 1e-9, **options: Any) -> NearestPoint:
    """The point nearest to the origin in the hull of some points."""
    return nearest_point(
        read_problem(X, np.ones(np.shape(X)[0]), fit_intercept=False), gap=gap, **options
    )


def point(X: Any, found: NearestPoint) -> Any:
    return found.shares @ np.asarray(X, float)[found.support]


def is_nearest(X: Any, p: Any, tolerance: float = 1e-9) -> bool:
    """x·p >= p·p for every point x: the hull is behind the plane through p."""
    X = np.asarray(X, float)
    return bool((X @ p).min() >= p @ p - tolerance * (X**2).sum(axis=1).max())


# Known geometry.

PLACES = {
    "a point": ([[3.0, 4.0]], [3.0, 4.0]),
    "the middle of a segment": ([[1.0, 1.0], [1.0, -1.0]], [1.0, 0.0]),
    "the foot of a perpendicular": ([[0.0, 2.0], [2.0, 0.0], [5.0, 5.0]], [1.0, 1.0]),
    "an end of a segment": ([[1.0, 1.0], [3.0, 2.0]], [1.0, 1.0]),
    "a face of a simplex": ([*np.eye(3).tolist(), [2.0, 2.0, 2.0]], [1 / 3] * 3),
    "a corner of a square": ([[2.0, 1.0], [3.0, 1.0], [2.0, 4.0], [3.0, 4.0]], [2.0, 1.0]),
    "points on a line": ([[1.0, k] for k in (5.0, 3.0, -1.0, -4.0)], [1.0, 0.0]),
    "the same point again and again": ([[2.0, 1.0]] * 5, [2.0, 1.0]),
    "pairs of equal points": ([[1.0, 1.0], [1.0, -1.0]] * 4, [1.0, 0.0]),
    "far away": ([[1e3, 1.0], [1e3, -1.0], [1e3 + 1, 0.0]], [1e3, 0.0]),
    "small": ([[1e-9, 3e-9], [1e-9, -1e-9]], [1e-9, 0.0]),
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("storage", [np.array, sp.csr_array])
def test_known_places(name: str, storage: Any) -> None:
    X, p = PLACES[name]
    found = cloud(storage(np.array(X)))
    assert point(X, found) == pytest.approx(p, rel=1e-9, abs=1e-9 * np.linalg.norm(p))
    assert found.W[0] == pytest.approx(p, rel=1e-9, abs=1e-9 * np.linalg.norm(p))
    assert found.lower == pytest.approx(np.linalg.norm(p))
    assert found.upper == pytest.approx(np.linalg.norm(p))


@pytest.mark.parametrize(
    "X",
    [
        [[1.0], [-1.0]],
        [[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]],
        [[1.0, 0.0], [-2.0, 0.0], [0.0, 1.0]],
        [[0.0, 0.0], [1.0, 1.0]],
        [[0.0, 0.0]],
        [[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [5.0, 0.0, 1.0], [4.0, 4.0, 4.0]],
    ],
    ids=str,
)
def test_the_origin_in_the_hull(X: list[list[float]]) -> None:
    found = cloud(X)
    assert found.lower <= 0
    assert abs(point(X, found)) == pytest.approx(np.zeros(len(X[0])), abs=1e-12)
    assert found.upper == pytest.approx(0, abs=1e-12)


def test_an_intercept_is_a_coordinate() -> None:
    """-1 and 3 become (1, -c) and (3, c): the nearest point is (3 - 2t, c(1 - 2t)) for some t."""
    for c, best in ((0.5, sqrt(1.25)), (1.0, sqrt(2.0)), (2.0, sqrt(3.2))):
        found = nearest_point(read_problem([[-1.0], [3.0]], [0, 1], scaling=c), gap=1e-12)
        assert found.upper == pytest.approx(best)
        assert found.lower == pytest.approx(best)


def test_a_free_intercept_measures_the_distance_of_the_hulls() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [3.0, 0.5], [3.0, 7.0]]) + 1000
    found = nearest_point(read_problem(X, [0, 0, 1, 1], scaling=inf), gap=1e-12)
    assert found.lower == pytest.approx(1.5)
    assert found.upper == pytest.approx(1.5)
    signs = np.where(found.support > 1, 1.0, -1.0)
    assert found.shares @ signs == pytest.approx(0, abs=1e-12)
    assert X @ found.W[0] + found.b == pytest.approx(
        found.upper * found.lower * np.array([-1, -1, 1, 1])
    )


def test_many_classes_are_points_of_a_larger_space() -> None:
    """The same as the signed examples of Kesler's construction, written out."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    X += 4 * np.eye(3)[y]
    problem = read_problem(X, y)
    pairs = np.array([(i, r) for i in range(40) for r in range(3) if r != y[i]])
    found, flat = (
        nearest_point(problem, gap=1e-12),
        cloud(problem.signed_examples(*pairs.T), gap=1e-12),
    )
    assert found.upper == pytest.approx(flat.upper)
    assert np.column_stack([found.W, found.b]).ravel() == pytest.approx(flat.W[0], abs=1e-9)


# Another way to the same point: every face, the affine way.


def by_faces(X: Any) -> Any:
    """The nearest point as the best of those whose weights on some affine hull are positive."""
    best = None
    for size in range(1, min(len(X), X.shape[1] + 1) + 1):
        for face in combinations(range(len(X)), size):
            A = X[list(face)]
            system = np.block(
                [[A @ A.T, np.ones((size, 1))], [np.ones((1, size)), np.zeros((1, 1))]]
            )
            weights = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0][:size]
            if weights.min() < -1e-12 or abs(weights.sum() - 1) > 1e-9:
                continue
            p = weights @ A
            if best is None or p @ p < best @ best:
                best = p
    return best


@st.composite
def clouds(draw: Any) -> Any:
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    X = rng.normal(size=(n, d)) if draw(st.booleans()) else rng.integers(-3, 4, (n, d))
    return X.astype(float) + draw(st.sampled_from([0.0, 1.0, 3.0]))


@settings(max_examples=150, deadline=None)
@given(clouds())
def test_it_is_the_best_of_all_faces(X: Any) -> None:
    found, best = cloud(X, gap=1e-12), by_faces(X)
    assert point(X, found) == pytest.approx(best, abs=1e-7 * (1 + abs(X).max()))
    assert found.shares.min() >= 0
    assert found.shares.sum() == pytest.approx(1)
    assert is_nearest(X, point(X, found))


@settings(max_examples=60, deadline=None)
@given(clouds())
def test_sparse_is_dense(X: Any) -> None:
    dense, sparse = cloud(X), cloud(sp.csr_array(X))
    assert sparse.upper == pytest.approx(dense.upper, abs=1e-9)
    if dense.upper > 1e-6:  # at the origin the lower end is rounding
        assert sparse.lower == pytest.approx(dense.lower, rel=1e-6)
    assert point(X, sparse) == pytest.approx(point(X, dense), abs=1e-9 * (1 + abs(X).max()))


@pytest.mark.parametrize(("n", "d"), [(60, 40), (500, 10), (9000, 5), (30, 100)])
def test_larger_clouds(n: int, d: int) -> None:
    """No point is in front of the plane; and so it is if the points come in working sets."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)) + 6 / sqrt(d)
    found = cloud(X, gap=1e-12)
    assert is_nearest(X, point(X, found), 1e-12)
    assert found.lower == pytest.approx(found.upper, rel=1e-9)
    assert len(found.support) <= d + 1


def test_examples_outside_the_working_set_are_asked(monkeypatch: Any) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6)) + 2.0
    complete = cloud(X, gap=1e-12)
    monkeypatch.setattr(module, "WORKING_SET", 8)
    parts = cloud(X, gap=1e-12)
    assert parts.upper == pytest.approx(complete.upper)
    assert is_nearest(X, point(X, parts), 1e-12)
    y = (X[:, 0] > 2).astype(int)
    free = nearest_point(read_problem(X[:, 1:] + 3 * y[:, None], y, scaling=inf), gap=1e-9)
    monkeypatch.undo()
    assert free.upper == pytest.approx(
        nearest_point(read_problem(X[:, 1:] + 3 * y[:, None], y, scaling=inf), gap=1e-9).upper
    )


# When it stops.


def test_it_stops_at_the_gap() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 80)) + 0.8
    gaps = (0.5, 1e-2, 1e-4)
    found = [cloud(X, gap=gap) for gap in gaps]
    for gap, one in zip(gaps, found, strict=True):
        assert 0 < one.relative_gap <= gap
        assert one.lower == pytest.approx((X @ one.W[0]).min() / np.linalg.norm(one.W))
    assert found[0].relative_gap > 1e-2  # it did not go on
    best = found[-1].upper
    assert all(one.lower <= best * (1 + 1e-9) and one.upper >= found[-1].lower for one in found)


def test_it_stops_when_time_is_up() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 80)) + 0.8
    ticks = iter(range(10**9))
    late = cloud(X, gap=1e-9, clock=lambda: float(next(ticks)), deadline=5.0)
    assert not late.optimal
    assert late.upper > cloud(X, gap=1e-9).upper
    assert late.shares.sum() == pytest.approx(1)


def test_rounding_does_not_keep_it_for_ever() -> None:
    """Three classes 2^-60 apart: steps that exchange the same examples end."""
    e = 2.0**-60
    ticks = iter(range(10**9))
    problem = read_problem([[-1.0], [-e], [0.0], [e], [2.0]], [0, 0, 1, 2, 2])
    found = nearest_point(problem, gap=1e-3, clock=lambda: float(next(ticks)), deadline=10_000.0)
    assert next(ticks) < 5_000
    assert found.upper < 1e-15


# The corral.


def factor(G: Any) -> Any:
    return np.linalg.cholesky(G)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 12), st.integers(0, 10**9), st.data())
def test_shed_is_the_factor_of_what_is_left(k: int, seed: int, data: Any) -> None:
    A = np.random.default_rng(seed).normal(size=(k, k + 3))
    G = A @ A.T
    L = np.zeros((16, 16), order="F")
    L[:k, :k] = factor(G)
    while k > 1:
        j = data.draw(st.integers(0, k - 1))
        downdate(L, j, k, L[j + 1 : k, j].copy())
        G = np.delete(np.delete(G, j, 0), j, 1)
        k -= 1
        assert np.tril(L[:k, :k]) == pytest.approx(factor(G), rel=1e-9, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.booleans(), st.data())
def test_the_factor_stays_true(seed: int, sparse: bool, data: Any) -> None:
    """After many exchanges it is still that of the Gram matrix plus a constant."""
    X = np.random.default_rng(seed).normal(size=(30, 12))
    problem = read_problem(sp.csr_array(X) if sparse else X, np.ones(30), fit_intercept=False)
    corral, kept = Corral(problem), []
    for i in data.draw(st.lists(st.integers(0, 29), min_size=5, max_size=60)):
        if i in kept and len(kept) > 1:
            corral.shares = np.array([float(atom != (i, -1)) for atom in corral.atoms])
            corral.drop_zero_shares()
            kept.remove(i)
        elif i not in kept and len(kept) < 12:
            assert corral.add(i, -1, corral.atom(i, -1))
            kept.append(i)
        k = len(kept)
        assert corral.atoms == [(i, -1) for i in kept]
        rows = corral.vectors.toarray() if sparse else corral.vectors
        assert (rows == X[kept]).all()
        G = X[kept] @ X[kept].T + corral._unit
        assert np.tril(corral._factor[:k, :k]) == pytest.approx(factor(G), rel=1e-6, abs=1e-8)


def test_a_dependent_atom_is_not_taken() -> None:
    """Affinely dependent on two others: their middle, and one of them again."""
    X = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.25, 0.7500001]]
    corral = Corral(read_problem(X, np.ones(4), fit_intercept=False))
    assert corral.add(0, -1, corral.atom(0, -1))
    assert corral.add(1, -1, corral.atom(1, -1))
    assert not corral.add(2, -1, corral.atom(2, -1))
    assert not corral.add(1, -1, corral.atom(1, -1))
    assert corral.atoms == [(0, -1), (1, -1)]
    assert corral.add(3, -1, corral.atom(3, -1))
