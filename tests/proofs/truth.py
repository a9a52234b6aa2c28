"""What is true of small sets, in exact arithmetic and without the package's own search."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt import Certificate, certify, verify

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([0, 1, 1, 0])
AND = np.array([0, 0, 0, 1])
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def rows(X: Any) -> list[list[Fraction]]:
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    exact = X if X.dtype == object else X.astype(float)
    return [[Fraction(v) for v in row] for row in exact.tolist()]


def constraints(
    X: Any, y: Any, intercept: bool, target: Any = None, at: Any = None
) -> dict[Any, list[Fraction]]:
    """Signed examples by example and rival class (of two classes the rival is 0)."""
    y = np.asarray(y)
    named, at = np.unique(y).tolist(), list(range(len(y)) if at is None else at)
    target = named[-1] if target is None and len(named) < 3 else target
    part = (sp.csr_array(X) if sp.issparse(X) else np.asarray(X))[at]
    out = {}
    for i, row, label in zip(at, rows(part), y[at].tolist(), strict=True):
        x = [*row, Fraction(1)] if intercept else row
        if target is not None:
            out[i, 0] = [v if label == target else -v for v in x]
            continue
        for rival, name in enumerate(named):
            if name != label:
                z = [[Fraction(0)] * len(x) for _ in named]
                z[named.index(label)], z[rival] = x, [-v for v in x]
                out[i, rival] = [v for block in z for v in block]
    return out


def feasible(columns: list[list[Fraction]], right: list[Fraction]) -> bool:
    """Whether λ >= 0 with Σ λ·column = right exists: a simplex in fractions, Bland's rule."""
    m, n = len(right), len(columns)
    sign = [-1 if v < 0 else 1 for v in right]
    table = [
        [sign[i] * column[i] for column in columns]
        + [Fraction(int(i == j)) for j in range(m)]
        + [sign[i] * right[i]]
        for i in range(m)
    ]
    basis = list(range(n, n + m))
    cost = [-sum((row[j] for row in table), Fraction(0)) for j in range(n)]
    cost += [Fraction(0)] * m + [-sum((row[-1] for row in table), Fraction(0))]
    while True:
        enter = next((j for j in range(n) if cost[j] < 0), None)
        if enter is None:
            return cost[-1] == 0
        leave = min(
            (row[-1] / row[enter], basis[i], i) for i, row in enumerate(table) if row[enter] > 0
        )[2]
        pivot = table[leave][enter]
        table[leave] = [v / pivot for v in table[leave]]
        for row in [*(r for i, r in enumerate(table) if i != leave), cost]:
            if factor := row[enter]:
                row[:] = [a - factor * b for a, b in zip(row, table[leave], strict=True)]
        basis[leave] = enter


def inseparable(X: Any, y: Any, intercept: bool) -> bool:
    """Gordan: no w is positive on every z if and only if some λ >= 0, Σ λ = 1, has Σ λz = 0."""
    Z = list(constraints(X, y, intercept).values())
    return feasible([[*z, Fraction(1)] for z in Z], [Fraction(0)] * len(Z[0]) + [Fraction(1)])


def weak(X: Any, y: Any, intercept: bool) -> bool:
    """Stiemke: some w has w·z >= 0, not all 0, if and only if no λ > 0 has Σ λz = 0."""
    Z = list(constraints(X, y, intercept).values())
    return not feasible(Z, [-sum(column) for column in zip(*Z, strict=True)])


def adds_up_to_zero(certificate: Certificate, X: Any, y: Any) -> bool:
    """The combination, summed again in fractions."""
    at = np.unique(certificate.support).tolist()
    Z = constraints(X, y, certificate.scaling > 0, certificate.target, at)
    rivals = certificate.rivals.tolist() or [0] * len(certificate.support)
    parts = list(zip(certificate.support.tolist(), rivals, strict=True))
    assert all(c >= 0 for c in certificate.coefficients)
    assert sum(certificate.coefficients) == 1
    sums = [Fraction(0)] * len(Z[parts[0]])
    for c, part in zip(certificate.coefficients, parts, strict=True):
        sums = [total + c * v for total, v in zip(sums, Z[part], strict=True)]
    return not any(sums)


def proved(X: Any, y: Any, verdict: str, **options: Any) -> Certificate:
    """A certificate of this verdict that is true of the data."""
    found = certify(X, y, **options)
    assert found.verdict == verdict
    assert verify(found, X, y) is found
    low, high = found.margin_bracket
    assert low <= high
    if verdict == "separable":
        assert low > 0
        assert found.mistake_bound is None or found.mistake_bound >= 1
    if verdict == "inseparable":
        assert high == 0
        assert adds_up_to_zero(found, X, y)
    return found


def cloud(rng: Any, n: int, d: int, margin: float = 0.2) -> tuple[Any, Any]:
    """Two classes that a plane, off the origin, holds apart by this margin at least."""
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    w /= np.linalg.norm(w)
    y = X @ w > 0.3
    return X + margin * np.where(y, 1.0, -1.0)[:, None] * w, y.astype(int)


def width(certificate: Certificate) -> float:
    low, high = certificate.margin_bracket
    return (high - low) / high
