"""The best margin of a small set in fractions, to compare others with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

Vector = list[Fraction]
Signed = dict[tuple[int, int], Vector]  # by example and rival class; -1 for two classes


def signed_examples(points: Any, labels: Sequence[int], bias: float) -> Signed:
    """Return each example as a vector that a separator must be positive on."""
    classes = sorted(set(labels))
    rows = [[Fraction(v) for v in [*x, *[bias] * (bias > 0)]] for x in points]
    if len(classes) < 3:
        signs = [1 if label == classes[-1] else -1 for label in labels]
        return {(i, -1): [signs[i] * v for v in x] for i, x in enumerate(rows)}
    return {
        (i, r): [((own == labels[i]) - (own == rival)) * v for own in classes for v in x]
        for i, x in enumerate(rows)
        for r, rival in enumerate(classes)
        if rival != labels[i]
    }


def squared_margin(signed: Signed, likely: list[tuple[int, int]]) -> Fraction:
    """Return the square of the best margin; search among the likely examples first."""
    sizes = range(len(likely), 0, -1)
    shortest: Vector = []
    for chosen in chain.from_iterable(combinations(likely, size) for size in sizes):
        point = _nearest([signed[one] for one in chosen])
        if point is None:
            continue
        # A combination of examples on whose side all others are is the nearest of all.
        if all(_dot(z, point) >= _dot(point, point) for z in signed.values()):
            return _dot(point, point)
        if not shortest or _dot(point, point) < _dot(shortest, shortest):
            shortest = point
    across = min(signed, key=lambda one: _dot(signed[one], shortest))
    return squared_margin(signed, [*likely, across])


def _nearest(vectors: list[Vector]) -> Vector | None:
    """Return the nearest point of a plane, if it is a convex combination of these vectors."""
    shares = _solve([[*(1 + _dot(p, q) for q in vectors), Fraction(1)] for p in vectors])
    if shares is None or min(shares) < 0:
        return None
    return [_dot(shares, column) / sum(shares) for column in zip(*vectors, strict=True)]


def _solve(rows: list[Vector]) -> Vector | None:
    """Solve a linear system, whose right side is the last column; None if it is singular."""
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i, row in enumerate(rows):
            if i != k and row[k]:
                rows[i] = [v - row[k] * own for v, own in zip(row, rows[k], strict=True)]
    return [row[-1] for row in rows]


def _dot(u: Iterable[Fraction], v: Iterable[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True) if a and b), Fraction(0))
