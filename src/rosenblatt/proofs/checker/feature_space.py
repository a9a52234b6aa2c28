"""Certificates in the feature space of a kernel, and their check.

Everything is in the dual: a hypothesis is a sum of signed examples, and margins and norms are
computed from the Gram matrix. For linear kernels and polynomial kernels of integer degree that
matrix is computed in integers; for others, and where that would take too long, in floats with a
bound on their error.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, lcm, nextafter, sqrt
from numbers import Rational
from typing import Any

import numpy as np

from rosenblatt.proofs.checker.errors import require
from rosenblatt.proofs.checker.problem import (
    UNIT,
    Array,
    Problem,
    read_problem,
    sqrt_above,
    sqrt_below,
    to_integers,
)
from rosenblatt.theory.rounding import at_least, at_most
from rosenblatt.theory.similarity import Similarity, fault

MAX_PRODUCTS = 200_000_000  # of integers in the exact Gram matrix


@dataclass(frozen=True, eq=False)
class KernelCertificate:
    """A proof that a data set is separable with a kernel, or that it is not.

    Made by `certify` with a kernel, checked by `verify`.

    Separable: w = Σ hypothesis·(signed example), over the support, has a positive margin on every
    example, at least `margin_bracket[0]` times its norm. Inseparable: the convex combination of the
    signed examples in `support` with these `coefficients` is exactly zero. In either case a convex
    combination of norm at most `margin_bracket[1]` proves that no hypothesis has a larger margin.
    """

    verdict: str  # "separable", "inseparable" or "undecided"
    similarity: Similarity  # its constant is the squared intercept_scaling
    classes: tuple[Any, ...]
    target: Any  # the class that is separated from the rest, or None
    examples: int
    features: int
    digest: str
    margin_bracket: tuple[float, float]
    support: Array
    hypothesis: tuple[Fraction, ...]
    coefficients: tuple[Fraction, ...]  # non-negative, sum 1
    exact: bool  # proved in integers, not in floats with a bound on their error

    @property
    def margin(self) -> float | None:
        """The proved margin of the hypothesis; None unless the data are separable."""
        return self.margin_bracket[0] if self.verdict == "separable" else None

    def __repr__(self) -> str:
        low, high = self.margin_bracket
        how = "exact" if self.exact else "rounding accounted for"
        if self.verdict == "inseparable":
            return f"Inseparable({len(self.support)} points, exact)"
        name = "Separable" if self.verdict == "separable" else "Undecided"
        return f"{name}(margin in [{at_least(low, 6)}, {at_most(high, 6)}], {how})"

    def _repr_html_(self) -> str:
        from rosenblatt.proofs.checker import view

        return view.html(self)


def has_rational_values(similarity: Similarity) -> bool:
    """Return whether a kernel's values on rational numbers are rational."""
    degree = similarity.degree
    return similarity.kernel == "linear" or (
        similarity.kernel == "poly" and degree == int(degree) and 1 <= degree <= 64
    )


def exact_gram(
    similarity: Similarity, problem: Problem, rows: Array, columns: Array
) -> tuple[Array, Fraction]:
    """Return kernel values of examples with others as integers, and their unit.

    >>> poly = Similarity("poly", degree=2, gamma=0.5, coef0=1.0)
    >>> problem = read_problem([[1.0, 2.0], [3.0, 0.0]], [0, 1])
    >>> exact_gram(poly, problem, np.array([0]), np.array([1]))
    (array([[25]], dtype=object), Fraction(1, 4))
    """
    numbers, unit = problem.exact_dense_rows(np.concatenate([rows, columns]))
    numbers = numbers[:, :-1]
    if (largest := max(map(abs, numbers.flat))) ** 2 * numbers.shape[1] < 2**62:
        numbers = numbers.astype(np.int64)  # no sum can overflow
    products = np.zeros((len(rows), len(columns)), np.int64)
    if largest:
        products = numbers[: len(rows)] @ numbers[len(rows) :].T
    K, unit = products.astype(object), unit * unit
    if similarity.kernel == "poly":
        gamma = 1.0 / numbers.shape[1] if similarity.gamma is None else similarity.gamma
        slope, shift = unit * Fraction(gamma), Fraction(similarity.coef0)
        over = lcm(slope.denominator, shift.denominator)
        K = (K * int(slope * over) + int(shift * over)) ** int(similarity.degree)
        unit = Fraction(1, over ** int(similarity.degree))
    constant = Fraction(similarity.constant)
    if constant:
        over = lcm(unit.denominator, constant.denominator)
        K = K * int(unit * over) + int(constant * over)
        unit = Fraction(1, over)
    return K, unit


def bracket(
    problem: Problem, similarity: Similarity, support: Array, hypothesis: tuple[Fraction, ...],
    coefficients: tuple[Fraction, ...],
) -> tuple[float, float, bool]:  # fmt: skip
    """Return the bracket that is proved, and whether it was computed in integers."""
    if cancels(problem, support, coefficients):
        return -inf, 0.0, True
    n, d = problem.X.shape
    if has_rational_values(similarity) and n * len(support) * d <= MAX_PRODUCTS:
        K, unit = exact_gram(similarity, problem, np.arange(n), support)
        signs = problem.signs.astype(int).astype(object)
        S = signs[:, None] * K * signs[support]
        v, v_unit = to_integers(np.array(hypothesis, object))
        margins, own = S @ v, S[support]
        norm2, low = int(v @ own @ v) * unit * v_unit**2, min(margins) * unit * v_unit
        lower = -inf
        if norm2 > 0:
            margin2 = low * low / norm2
            lower = sqrt_below(margin2) if low > 0 else -sqrt_above(margin2)
        u, u_unit = to_integers(np.array(coefficients, object))
        return lower, sqrt_above(int(u @ own @ u) * unit * u_unit**2), True
    try:
        with np.errstate(all="ignore"):  # an overflow proves nothing
            found = _bracket_in_floats(problem, similarity, support, hypothesis, coefficients)
    except OverflowError:
        found = -inf, inf
    return *found, False


def _bracket_in_floats(
    problem: Problem, similarity: Similarity, support: Array, hypothesis: tuple[Fraction, ...],
    coefficients: tuple[Fraction, ...],
) -> tuple[float, float]:  # fmt: skip
    """Return a bracket that allows for every rounding error."""
    X = problem.X.astype(float)
    if not np.isfinite(similarity.rounding(X)):
        return -inf, inf
    top = float(similarity.diagonal(X).max()) * (1 + 1e-9)
    # Error of a kernel value, and of its product with a coefficient that was rounded to a float.
    error = similarity.rounding(X) + 2 * UNIT * (len(support) + 8) * top
    own = similarity.block(X[support], X[support])
    signs = problem.signs[support]

    def norm2(shares: Array) -> tuple[float, float]:
        """Return a squared norm and a bound on its error."""
        signed = shares * signs
        return float(signed @ own @ signed), 2 * error * float(np.abs(shares).sum()) ** 2

    v, u = (np.array([float(f) for f in fractions]) for fractions in (hypothesis, coefficients))
    low = inf
    for part in problem.chunks():
        scores = similarity.block(X[part], X[support]) @ (v * signs)
        low = min(low, float((problem.signs[part] * scores).min()))
    low -= error * float(np.abs(v).sum())
    computed, off = norm2(v)
    divisor2 = computed + off if low > 0 else computed - off
    lower = low / sqrt(divisor2) * (1 - 1e-15 if low > 0 else 1 + 1e-15) if divisor2 > 0 else -inf
    computed, off = norm2(u)
    most2 = computed + off
    # An overflow or a NaN bounds nothing.
    return lower, nextafter(sqrt(most2) * (1 + 1e-15), inf) if 0 <= most2 < inf else inf


def cancels(problem: Problem, support: Array, coefficients: tuple[Fraction, ...]) -> bool:
    """Return whether a combination of equal examples is zero, in any feature space."""
    sums: dict[Any, Fraction] = {}
    keys = problem.table.keys(support)
    for key, sign, share in zip(keys, problem.signs[support], coefficients, strict=True):
        sums[key] = sums.get(key, Fraction(0)) + int(sign) * share
    return not any(sums.values())


def verdict(lower: float, upper: float) -> str:
    """Return what a bracket proves; floats never give an upper end of exactly 0."""
    if lower > 0:
        return "separable"
    return "inseparable" if upper == 0 else "undecided"


def check(given: KernelCertificate, X: Any, y: Any) -> None:
    """Raise a VerificationError if a statement of the certificate is not proved."""
    problem = read_problem(X, y, target=given.target)
    stated = (given.examples, given.features, tuple(given.classes), given.digest)
    actual = (*problem.X.shape, problem.classes, problem.digest())
    require(stated == actual, "The certificate was made for other data.")
    require(problem.rows == 1, "With a kernel the certificate must be about two classes.")
    reason = fault(given.similarity)
    require(not reason, f"Nothing can be proved with this kernel: {reason}")
    support, coefficients = _combination(given)
    hypothesis = tuple(map(Fraction, given.hypothesis))
    lower, upper, exact = bracket(problem, given.similarity, support, hypothesis, coefficients)
    proved = given.verdict in ("undecided", verdict(lower, upper))
    require(proved, f"The verdict {given.verdict!r} is not proved.")
    require(exact or not given.exact, "It is not proved in integers.")
    low, high = given.margin_bracket
    require(low <= lower and high >= upper, "The bracket is narrower than what is proved.")


def _combination(given: KernelCertificate) -> tuple[Array, tuple[Fraction, ...]]:
    """Return the support and the coefficients of a certificate after checking them."""
    support, size = np.asarray(given.support), len(given.coefficients)
    inside = support.dtype.kind in "iu" and ((support >= 0) & (support < given.examples)).all()
    distinct = len(set(support.tolist())) == size == len(given.hypothesis)
    reason = "The support must hold different examples, each with its coefficients."
    require(inside and distinct, reason)
    rational = all(isinstance(v, Rational) for v in (*given.hypothesis, *given.coefficients))
    require(rational, "The hypothesis and the coefficients must be fractions.")
    coefficients = tuple(map(Fraction, given.coefficients))
    convex = min(coefficients, default=-1) >= 0 and sum(coefficients) == 1
    require(convex, "The coefficients must be non-negative and sum to 1.")
    return support, coefficients
