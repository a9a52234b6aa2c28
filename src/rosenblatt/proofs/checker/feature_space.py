"""What is proved of a data set in the space of a kernel, and the check of it.

All is in the dual: a hypothesis is a sum of signed examples, and margins and lengths come from the
Gram matrix. For linear and polynomial kernels of whole degree that matrix is made of whole numbers;
for others, and where that would take too long, of floats with a bound on their error.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, lcm, nextafter, sqrt
from numbers import Rational
from typing import Any

import numpy as np

from rosenblatt.proofs.checker.problem import (
    UNIT,
    Array,
    Problem,
    integers,
    read,
    root_above,
    root_below,
)
from rosenblatt.theory.rounding import at_least, at_most
from rosenblatt.theory.similarity import Similarity, fault

EXACT = 200_000_000  # products of whole numbers that a proof may cost


@dataclass(frozen=True, eq=False)
class KernelCertificate:
    """Whether a data set can be separated in a kernel's space, proved. Checked by `verify`.

    Separable: w = Σ hypothesis·(signed example), over the support, has a positive margin on every
    example, at least `margin_bracket[0]` times its length. Inseparable: the signed examples of the
    support, weighted with `coefficients` (non-negative, sum 1), add up to exactly zero. In either
    case a combination of length `margin_bracket[1]` or less proves that no margin is larger.
    """

    verdict: str  # "separable", "inseparable" or "undecided"
    similarity: Similarity  # with the square of the intercept's feature as its constant
    classes: tuple[Any, ...]
    target: Any
    examples: int
    features: int
    digest: str
    margin_bracket: tuple[float, float]
    support: Array
    hypothesis: tuple[Fraction, ...]
    coefficients: tuple[Fraction, ...]
    exact: bool  # proved in whole numbers, not by floats with a bound on their error

    @property
    def margin(self) -> float | None:
        """The margin that the hypothesis is proved to have."""
        return self.margin_bracket[0] if self.verdict == "separable" else None

    def __repr__(self) -> str:
        low, high = self.margin_bracket
        how = "exact" if self.exact else "rounding accounted for"
        if self.verdict == "inseparable":
            return f"Inseparable({len(self.support)} points, exact)"
        name = "Separable" if self.verdict == "separable" else "Undecided"
        return f"{name}(margin in [{at_least(low, 6)}, {at_most(high, 6)}], {how})"


def whole(similarity: Similarity) -> bool:
    """Whether a kernel's values on rational numbers are rational."""
    degree = similarity.degree
    return similarity.kernel == "linear" or (
        similarity.kernel == "poly" and degree == int(degree) and 1 <= degree <= 64
    )


def gram_exactly(
    similarity: Similarity, problem: Problem, rows: Array, columns: Array
) -> tuple[Array, Fraction]:
    """The kernel values of some examples with some others as whole numbers, and their unit.

    >>> poly = Similarity("poly", degree=2, gamma=0.5, coef0=1.0)
    >>> problem = read([[1.0, 2.0], [3.0, 0.0]], [0, 1])
    >>> gram_exactly(poly, problem, np.array([0]), np.array([1]))
    (array([[25]], dtype=object), Fraction(1, 4))
    """
    numbers, unit = problem.dense_exactly(np.concatenate([rows, columns]))
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
    """A margin that a hypothesis has, one that none exceeds, and whether in whole numbers."""
    if cancels(problem, support, coefficients):
        return -inf, 0.0, True
    n, d = problem.X.shape
    if whole(similarity) and n * len(support) * d <= EXACT:
        K, unit = gram_exactly(similarity, problem, np.arange(n), support)
        signs = problem.signs.astype(int).astype(object)
        S = signs[:, None] * K * signs[support]
        v, v_unit = integers(np.array(hypothesis, object))
        margins, own = S @ v, S[support]
        square, low = int(v @ own @ v) * unit * v_unit**2, min(margins) * unit * v_unit
        lower = -inf
        if square > 0:
            ratio = low * low / square
            lower = root_below(ratio) if low > 0 else -root_above(ratio)
        u, u_unit = integers(np.array(coefficients, object))
        return lower, root_above(int(u @ own @ u) * unit * u_unit**2), True
    try:
        with np.errstate(all="ignore"):  # what overflows decides nothing
            found = _bracket_in_floats(problem, similarity, support, hypothesis, coefficients)
    except OverflowError:
        found = -inf, inf
    return *found, False


def _bracket_in_floats(
    problem: Problem, similarity: Similarity, support: Array, hypothesis: tuple[Fraction, ...],
    coefficients: tuple[Fraction, ...],
) -> tuple[float, float]:  # fmt: skip
    X = problem.X.astype(float)
    if not np.isfinite(similarity.rounding(X)):
        return -inf, inf
    top = float(similarity.diagonal(X).max()) * (1 + 1e-9)
    # Of a value; of a sum of values with their coefficients, rounded to floats.
    each = similarity.rounding(X) + 2 * UNIT * (len(support) + 8) * top
    own = similarity.block(X[support], X[support])
    signs = problem.signs[support]

    def square(shares: Array) -> tuple[float, float]:
        signed = shares * signs
        return float(signed @ own @ signed), 2 * each * float(np.abs(shares).sum()) ** 2

    v, u = (np.array([float(f) for f in fractions]) for fractions in (hypothesis, coefficients))
    low = inf
    for part in problem.chunks():
        scores = similarity.block(X[part], X[support]) @ (v * signs)
        low = min(low, float((problem.signs[part] * scores).min()))
    low -= each * float(np.abs(v).sum())
    length, off = square(v)
    least = length + off if low > 0 else length - off
    lower = low / sqrt(least) * (1 - 1e-15 if low > 0 else 1 + 1e-15) if least > 0 else -inf
    length, off = square(u)
    most = length + off
    # What overflowed, or is no number, bounds nothing.
    return lower, nextafter(sqrt(most) * (1 + 1e-15), inf) if 0 <= most < inf else inf


def cancels(problem: Problem, support: Array, coefficients: tuple[Fraction, ...]) -> bool:
    """Whether equal examples with different labels cancel: then in whatever space."""
    sums: dict[Any, Fraction] = {}
    keys = problem.table.keys(support)
    for key, sign, share in zip(keys, problem.signs[support], coefficients, strict=True):
        sums[key] = sums.get(key, Fraction(0)) + int(sign) * share
    return not any(sums.values())


def verdict(lower: float, upper: float) -> str:
    """What a bracket proves; floats with a bound on their error never give an upper end of 0."""
    if lower > 0:
        return "separable"
    return "inseparable" if upper == 0 else "undecided"


def check(given: KernelCertificate, X: Any, y: Any) -> None:
    """Raise an error if a certificate states what is not proved of the data."""
    wrong = _wrong(given, read(X, y, target=given.target))
    if wrong:
        raise ValueError(wrong)


def _wrong(given: KernelCertificate, problem: Problem) -> str:
    """What is wrong with a certificate; nothing if all that it states is true."""
    stated = (given.examples, given.features, tuple(given.classes), given.digest)
    if stated != (*problem.X.shape, problem.classes, problem.digest()):
        return "The certificate was made for other data."
    if problem.rows > 1:
        return "It must be of two classes."
    if reason := fault(given.similarity):
        return f"It is not about a kernel: {reason}"
    support, size = np.asarray(given.support), len(given.coefficients)
    inside = support.dtype.kind in "iu" and ((support >= 0) & (support < given.examples)).all()
    if not inside or len(set(support.tolist())) != size or len(given.hypothesis) != size:
        return "The support must be different examples, with a coefficient each."
    if not all(isinstance(v, Rational) for v in (*given.hypothesis, *given.coefficients)):
        return "The hypothesis and the coefficients must be fractions."
    shares = [Fraction(share) for share in given.coefficients]
    if min(shares, default=-1) < 0 or sum(shares) != 1:
        return "The coefficients must not be negative and add up to 1."
    vectors = tuple(map(Fraction, given.hypothesis)), tuple(shares)
    lower, upper, exact = bracket(problem, given.similarity, support, *vectors)
    low, high = given.margin_bracket
    if given.verdict != "undecided" and given.verdict != verdict(lower, upper):
        return f"The verdict {given.verdict!r} is not proved."
    if given.exact and not exact:
        return "It is not proved in whole numbers."
    return "" if low <= lower and high >= upper else "The bracket is closer than what is proved."
