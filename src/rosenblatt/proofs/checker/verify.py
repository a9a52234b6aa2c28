"""Checking a certificate against the data, in exact arithmetic and without what made it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, inf, isqrt, nan, sqrt
from numbers import Rational
from typing import Any

import numpy as np

from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.feature_space import KernelCertificate, check
from rosenblatt.proofs.checker.problem import UNIT, Array, Problem, integers, read

CELLS = 1 << 20  # whole numbers of any size that are held at a time
PRIME = (1 << 31) - 1  # the product of two remainders fits into 64 bits
NUMBERS = (Rational, float)  # and no words that read like them
TINY = 2.0**-1070  # more than floats lose where they run out of exponents


class VerificationError(ValueError):
    """A certificate that does not prove what it states."""


def verify(certificate: Any, X: Any, y: Any) -> Any:
    """Return the certificate if the data prove it; raise `VerificationError` if not.

    No rounding error can deceive it: floats, with a bound on their error, only sort out what is
    clear, and whole numbers decide the rest. A statement that is weaker than it could be, such as
    a bracket wider than need be, is accepted, for it is true. The note is not looked at.
    """
    try:
        (check if isinstance(certificate, KernelCertificate) else _check)(certificate, X, y)
    except VerificationError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise VerificationError(f"The certificate or the data cannot be read: {error}") from error
    return certificate


def _require(condition: Any, reason: str) -> None:
    if not condition:
        raise VerificationError(reason)


def _check(given: Certificate, X: Any, y: Any) -> None:
    c, radius, weak = float(given.scaling), float(given.radius), given.weakly_separable
    lower, upper = (float(bound) for bound in given.margin_bracket)
    problem = read(X, y, fit_intercept=c != 0, scaling=c or 1.0, target=given.target)
    stated = (given.examples, given.features, tuple(given.classes), given.digest)
    actual = (*problem.X.shape, problem.classes, problem.digest())
    _require(stated == actual, "The certificate was made for other data.")
    _require(c < inf or problem.rows == 1, "An intercept is free only in a problem with one row.")
    _require(lower <= upper, "The lower end of the bracket must not be above the upper end.")
    _check_radius(problem, radius)
    positive = zero = False
    if given.weights is None and given.intercept is None:
        _require(lower <= -radius, "A lower end above -radius needs weights that reach it.")
    else:
        positive = _check_lower(problem, *_hypothesis(given, problem), lower)
    support, rivals, shares, unit = _combination(given, problem)
    if len(support):
        sums, scale = problem.combination(support, rivals, shares)
        square = Fraction(sum(v * v for v in sums[:, :-1].flat))
        constant = Fraction(sum(v * v for v in sums[:, -1]))
        _require(c < inf or not constant, "With a free intercept the signs must cancel.")
        square += Fraction(c) ** 2 * constant if constant else 0
        zero = upper == 0 and not square
        short = upper == inf or square * (scale * unit) ** 2 <= Fraction(upper) ** 2
        _require(upper >= 0 and short, "The combination is longer than the bracket's upper end.")
    else:
        # A free intercept puts examples of a single sign on its side by any margin.
        alone = c == inf and len(np.unique(problem.signs)) == 1
        _require(upper >= (inf if alone else radius), "An upper end below radius needs a support.")
    proved = {"separable": positive and lower > 0, "inseparable": zero, "undecided": True}
    _require(proved.get(given.verdict), f"The verdict {given.verdict!r} is not proved.")
    settled = weak is None or (given.verdict == "inseparable" and isinstance(weak, bool))
    _require(settled, "Weak separability is a matter of inseparable data: True, False or None.")
    touching = not weak or (positive and lower == 0)
    _require(touching, "Weak separability needs margins of 0 and more, not all of them 0.")
    if weak is False:
        used = shares > 0
        _check_rank(problem, support[used], rivals[used])


def _hypothesis(given: Certificate, problem: Problem) -> tuple[Array, Array]:
    """Weights and intercept as floats, or as fractions of the largest."""
    W, b = np.asarray(given.weights), np.asarray(given.intercept)
    fits = W.shape == (problem.rows, problem.X.shape[1]) and b.shape == (problem.rows,)
    _require(fits, "Weights and intercept must be there, with a row for each class.")
    if W.dtype != np.float64 or b.dtype != np.float64:
        W, b = W.astype(object), b.astype(object)
        numbers = all(isinstance(v, NUMBERS) for v in (*W.flat, *b.flat))
        _require(numbers, "The weights must be floats or fractions.")
        W, b = (np.frompyfunc(Fraction, 1, 1)(part) for part in (W, b))
        largest = max(abs(v) for v in (*W.flat, *b.flat)) or 1
        W, b = W / largest, b / largest
        sound = all(not v or abs(v) > 1e-290 for v in (*W.flat, *b.flat))
    else:
        sound = np.isfinite(W).all() and np.isfinite(b).all()
    _require(sound, "The weights must be finite and of sizes that floats can hold.")
    _require(problem.scaling or not b.any(), "Without an intercept it must be 0.")
    return W, b


def _combination(given: Certificate, problem: Problem) -> tuple[Array, Array, Array, Fraction]:
    """Support, rivals, and coefficients as whole numbers with their unit."""
    n, many, k = problem.X.shape[0], problem.rows > 1, len(given.support)
    arrays: list[Array] = []
    for array, size, end in ((given.support, k, n), (given.rivals, k * many, problem.rows)):
        array = np.asarray(array)
        whole = array.shape == (size,) and (array.dtype.kind in "iu" or not size)
        inside = whole and ((array >= 0) & (array < end)).all()
        _require(inside, f"The support or its rivals are not {size} numbers from 0 to {end - 1}.")
        arrays.append(array.astype(np.int64))
    support, rivals = arrays[0], arrays[1] if many else np.zeros(k, np.int64)
    own = many and (problem.codes[support] == rivals).any()
    _require(not own, "An example cannot be the rival of its own class.")
    pairs = np.unique(np.column_stack([support, rivals]), axis=0)
    _require(len(pairs) == k, "A constraint must not appear twice.")
    numbers = all(isinstance(v, NUMBERS) for v in given.coefficients)
    _require(numbers, "The coefficients must be fractions.")
    shares, unit = integers(np.array(given.coefficients, object))
    convex = shares.shape == (k,) and (not k or (min(shares) >= 0 and sum(shares) * unit == 1))
    _require(convex, "The coefficients, one for each, must not be negative and add up to 1.")
    return support, rivals, shares, unit


def _exactly(problem: Problem, at: Array) -> Iterator[tuple[Array, Array, Array, Fraction]]:
    """Some examples, each with a 1 for the intercept, as whole numbers: at, columns, x, unit."""
    step = max(1, CELLS // problem.X.shape[1])
    for some in (at[start : start + step] for start in range(0, len(at), step)):
        yield some, *problem.compact_exactly(some)


def _check_radius(problem: Problem, radius: float) -> None:
    n, d = problem.X.shape
    c = 0.0 if problem.scaling == inf else problem.scaling
    bound = problem.radius()  # generous by twice the error of sums in whatever order
    _require(0 <= radius <= bound * (1 + 1e-6) < inf, "The radius is far from the longest example.")
    clear = radius >= bound * (1 - UNIT * (d + 8))
    for _, _, x, unit in _exactly(problem, np.arange(0 if clear else n)):
        square = max((x[:, :-1] ** 2).sum(axis=1)) * unit**2 + Fraction(c) ** 2
        square *= 1 if problem.rows == 1 else 2
        _require(square <= Fraction(radius) ** 2, "An example is longer than the radius.")


def _check_lower(problem: Problem, W: Array, b: Array, lower: float) -> bool:
    """Refuse a margin below lower times the length of (W, b); whether some margin is positive."""
    V, step = integers(np.column_stack([W, b]))
    square = Fraction(sum(v * v for v in V[:, :-1].flat))
    if 0 < problem.scaling < inf:
        square += sum(v * v for v in V[:, -1]) / Fraction(problem.scaling) ** 2
    square *= step**2
    _require(lower < inf or not square, "The lower end of the bracket must be finite.")
    goal = lower * sqrt(square) if 1e-280 < square < 1e280 else nan if square else 0.0
    goal += 4 * UNIT * abs(goal) + TINY
    with np.errstate(all="ignore"):  # what overflows decides nothing
        floats = W.astype(float), b.astype(float)
        # Twice the bound: to round fractions to floats adds less than once.
        surely = problem.margins(*floats) - 2 * problem.rounding(*floats)
    rivals = (problem.rows == 1) | (np.arange(problem.rows) != problem.codes[:, None])
    positive = bool((rivals & (surely > 0)).any())
    unclear = rivals & ~(surely >= goal) & (lower > -inf)
    for some, columns, x, unit in _exactly(problem, np.flatnonzero(unclear.any(axis=1))):
        margins = x @ V[:, columns].T
        if problem.rows == 1:
            margins *= problem.signs[some].astype(int)[:, None]
        else:
            margins = margins[np.arange(len(some)), problem.codes[some]][:, None] - margins
        aim = Fraction(lower) ** 2 * square / (unit * step) ** 2 if square else Fraction(1)
        # The least whole number that is √aim or more, -√aim or more if lower is negative.
        least = isqrt(ceil(aim) - 1) + 1 if lower > 0 or not square else -isqrt(floor(aim))
        margins = margins[unclear[some]]
        _require(min(margins) >= least, "The weights fall short of the bracket's lower end.")
        positive = positive or max(margins) > 0
    return positive


def _check_rank(problem: Problem, support: Array, rivals: Array) -> None:
    """Refuse a support that might not span all: who is 0 on it must be 0 on every example."""
    d, affine = problem.X.shape[1], bool(problem.scaling)
    constant, zero = problem.table.constant()
    idle = constant if affine else zero  # a constant column adds nothing to the 1
    most = (d + affine - int(idle.sum())) * max(1, problem.rows - 1)
    M = (problem.vectors_exactly(support, rivals) % PRIME).astype(np.int64)
    rank = 0  # modulo a prime it may be lower than it is, never higher
    for column in range(M.shape[1]):
        met = rank + np.flatnonzero(M[rank:, column])
        if len(met):
            M[[rank, met[0]]] = M[[met[0], rank]]
            pivot = M[rank, column:] * pow(int(M[rank, column]), -1, PRIME) % PRIME
            below = M[met[1:], column:]
            M[met[1:], column:] = (below - below[:, :1] * pivot) % PRIME
            rank += 1
    _require(rank == most, "The support is not seen to span the examples.")
