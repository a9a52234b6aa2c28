"""Exact answers about small data sets, in whole numbers and fractions.

The package's own proofs are not used here: this file is what they are compared with.

A set of signed examples can be separated exactly if its convex hull does not hold the origin, and
the distance between the two is the best margin. Both follow from inner products alone, so that one
function, `hull`, serves vectors, kernels and Kesler's construction for many classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import inf, isqrt, lcm

DIGITS = 80  # of numbers that are not rational
Matrix = list[list[Fraction]]


def fractions(rows: Iterable[Iterable[float]]) -> Matrix:
    """Numbers as they are stored: every float is a fraction."""
    return [[Fraction(x) for x in row] for row in rows]


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))


def whole(rows: Matrix) -> tuple[list[list[int]], Fraction]:
    """The same matrix as integers times a unit: their sums need no common denominators."""
    unit = lcm(*(x.denominator for row in rows for x in row))
    return [[x.numerator * (unit // x.denominator) for x in row] for row in rows], Fraction(1, unit)


def products(rows: Matrix) -> Matrix:
    """The Gram matrix."""
    table, unit = whole(rows)
    square = unit * unit
    gram = [[Fraction(0)] * len(table) for _ in table]
    for i, a in enumerate(table):
        for j, b in enumerate(table[: i + 1]):
            value = sum(x * y for x, y in zip(a, b, strict=True) if x and y)
            gram[i][j] = gram[j][i] = value * square
    return gram


# --- the distance of the origin from a convex hull ----------------------------------------------


@dataclass(frozen=True)
class Best:
    """The square of the best margin, exact or with a bound on its error; 0 if inseparable."""

    squared: Fraction
    error: Fraction = Fraction(0)

    @property
    def separable(self) -> bool:
        return self.squared > self.error

    @property
    def inseparable(self) -> bool:
        return self.squared == 0 and self.error == 0

    def surely_below(self, claim: float) -> bool:
        """Whether the best margin is less than a claimed lower bound."""
        if not self.separable and not self.inseparable:
            return False
        return claim > 0 and (claim == inf or Fraction(claim) ** 2 > self.squared + self.error)

    def surely_above(self, claim: float) -> bool:
        """Whether the best margin is more than a claimed upper bound."""
        if not self.separable or claim == inf:
            return False
        return claim < 0 or Fraction(claim) ** 2 < self.squared - self.error

    def __float__(self) -> float:
        return root(self.squared)


def root(value: Fraction) -> float:
    """The square root, also of what is out of the range of floats."""
    if value <= 0:
        return 0.0
    shift = 2 * ((value.denominator.bit_length() - value.numerator.bit_length()) // 2 + 60)
    scaled = value * Fraction(2) ** shift
    try:
        whole_root = isqrt(scaled.numerator // scaled.denominator)
        return float(Fraction(whole_root) / Fraction(2) ** (shift // 2))
    except OverflowError:
        return inf


def solve(matrix: list[list[int]], right: list[int]) -> tuple[list[int], int]:
    """Numerators and the common denominator of the solution, by elimination without fractions."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    before = 1
    for k in range(len(rows)):
        swap = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[swap] = rows[swap], rows[k]
        pivot, top = rows[k][k], rows[k]
        for i, row in enumerate(rows):
            if i != k:
                factor = row[k]
                rows[i] = [
                    (pivot * x - factor * t) // before for x, t in zip(row, top, strict=True)
                ]
        before = pivot
    return [row[-1] for row in rows], before


def hull(gram: Matrix, gap: Fraction = Fraction(0)) -> Fraction:
    """The squared distance of the origin from the convex hull of points with these products.

    Wolfe's algorithm (1976): walk to the nearest point of the affine hull of a few points, drop
    those that it would leave behind, take in a point that is nearer to the origin's side. It ends
    with the nearest point of all, or with one whose square is off by no more than twice `gap`.
    """
    G, unit = whole(gram)
    gap = gap / unit
    first = min(range(len(G)), key=lambda i: G[i][i])
    shares = {first: Fraction(1)}
    while True:
        along = [sum(s * G[i][j] for i, s in shares.items()) for j in range(len(G))]
        square = sum(s * along[i] for i, s in shares.items())
        nearest = min(range(len(G)), key=along.__getitem__)
        if along[nearest] >= square - gap:
            return Fraction(square) * unit
        shares[nearest] = Fraction(0)
        shares = _nearest(G, shares)


def _nearest(G: list[list[int]], shares: dict[int, Fraction]) -> dict[int, Fraction]:
    """Shares of the nearest point of a simplex, walking from a point in it."""
    while True:
        corral = list(shares)
        border = [[0] + [1] * len(corral)]
        rows = border + [[1] + [G[i][j] for j in corral] for i in corral]
        numbers, denominator = solve(rows, [1] + [0] * len(corral))
        aim = {i: Fraction(v, denominator) for i, v in zip(corral, numbers[1:], strict=True)}
        if all(share > 0 for share in aim.values()):
            return aim
        steps = {i: shares[i] / (shares[i] - aim[i]) for i in corral if aim[i] <= 0}
        step = min(steps.values())
        shares = {i: shares[i] + step * (aim[i] - shares[i]) for i in corral}
        shares = {i: share for i, share in shares.items() if share > 0}


# --- signed examples ----------------------------------------------------------------------------


def two_sided(gram: Matrix, signs: Sequence[int]) -> Matrix:
    """Products of the examples of two classes, each times its sign."""
    return [[v * s * t for v, t in zip(row, signs, strict=True)]
            for row, s in zip(gram, signs, strict=True)]  # fmt: skip


def kesler(gram: Matrix, codes: Sequence[int], classes: int) -> Matrix:
    """Products of the examples of many classes, each in its own place against every rival's."""
    points = [(i, own, r) for i, own in enumerate(codes) for r in range(classes) if r != own]
    return [
        [gram[i][j] * ((a == b) - (a == s) - (r == b) + (r == s)) for j, b, s in points]
        for i, a, r in points
    ]


def directions(gram: Matrix) -> Matrix:
    """Products of the examples scaled to length 1, to many digits; those of length 0 stay.

    Factors are rounded, not products: these stay the inner products of vectors.
    """
    with localcontext(Context(prec=DIGITS)):
        sizes = [gram[i][i] for i in range(len(gram))]
        factors = [Fraction(1 / _decimal(q).sqrt()) if q else Fraction(1) for q in sizes]
    return [[v * f * g for v, g in zip(row, factors, strict=True)]
            for row, f in zip(gram, factors, strict=True)]  # fmt: skip


def best_margin(gram: Matrix, error: Fraction = Fraction(0)) -> Best:
    """The best margin of signed examples; `error` bounds that of each product."""
    return Best(hull(gram, error), 4 * error)


def separable_with_offset(points: Matrix, signs: Sequence[int], offset: Fraction) -> bool:
    """Whether some w gives y·(w·x + offset) > 0 on all examples."""
    signed = [[s * x for x in row] + [s * offset] for row, s in zip(points, signs, strict=True)]
    scale = [Fraction(0)] * len(points[0]) + [Fraction(1)]
    return hull(products([*signed, scale])) > 0


# --- kernels ------------------------------------------------------------------------------------

IRRATIONAL = Fraction(1, 10 ** (DIGITS - 15))
"""A bound on the error of a kernel value that is at most 1 in size and not rational."""


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _gaussian(inside: Fraction) -> Fraction:
    with localcontext(Context(prec=DIGITS, Emin=-(10**6), Emax=10**6)):
        return Fraction(_decimal(-inside).exp()) if inside < 10**4 else Fraction(0)


def _hyperbolic_tangent(inside: Fraction) -> Fraction:
    if abs(inside) > 200:
        return Fraction(1 if inside > 0 else -1)
    with localcontext(Context(prec=DIGITS)):
        grown = _decimal(2 * inside).exp()
        return Fraction((grown - 1) / (grown + 1))


def kernel(rows: Matrix, name: str, gamma: Fraction, coef0: Fraction, degree: int) -> Matrix:
    """The kernel matrix: exact for "linear" and "poly", else within `IRRATIONAL`."""
    plain = products(rows)
    if name == "linear":
        return plain
    value: Callable[[int, int], Fraction] = {
        "poly": lambda i, j: (gamma * plain[i][j] + coef0) ** degree,
        "sigmoid": lambda i, j: _hyperbolic_tangent(gamma * plain[i][j] + coef0),
        "rbf": lambda i, j: _gaussian(gamma * (plain[i][i] - 2 * plain[i][j] + plain[j][j])),
    }[name]
    return [[value(i, j) for j in range(len(rows))] for i in range(len(rows))]


def positive(gram: Matrix) -> bool:
    """Whether a matrix is symmetric and has no negative eigenvalue, by exact elimination."""
    rows = [list(row) for row in gram]
    size = len(rows)
    if any(rows[i][j] != rows[j][i] for i in range(size) for j in range(i)):
        return False
    for k in range(size):
        pivot = rows[k][k]
        if pivot < 0 or (pivot == 0 and any(rows[k][k:])):
            return False
        for i in range(k + 1, size if pivot else 0):
            factor = rows[i][k] / pivot
            rows[i] = [x - factor * t for x, t in zip(rows[i], rows[k], strict=True)]
    return True


def separable_by_coefficients(gram: Matrix, signs: Sequence[int]) -> bool:
    """Whether some sum of a·K(x_j, ·) has the right sign on all examples, kernel or not."""
    return hull(products([[s * v for v in row] for row, s in zip(gram, signs, strict=True)])) > 0
