"""Check of a certificate about hyperplanes, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, inf, isqrt, nan, sqrt
from numbers import Rational
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.errors import require
from rosenblatt.proofs.checker.problem import UNIT, Array, Problem, read_problem, to_integers

CELLS = 1 << 20  # Python integers in memory at a time
PRIME = (1 << 31) - 1  # the product of two residues fits into 64 bits
NUMBERS = (Rational, float)  # strings that look like numbers are rejected
TINY = 2.0**-1070  # more than floats lose to underflow


class Combination(NamedTuple):
    """A convex combination of signed examples: unit * sum of share * signed example."""

    support: Array
    rivals: Array
    shares: Array  # non-negative integers
    unit: Fraction


def check(given: Certificate, X: Any, y: Any) -> None:
    """Raise a VerificationError if a statement of the certificate is not proved."""
    c = float(given.scaling)
    problem = read_problem(X, y, fit_intercept=c != 0, scaling=c or 1.0, target=given.target)
    stated = (given.examples, given.features, tuple(given.classes), given.digest)
    actual = (*problem.X.shape, problem.classes, problem.digest())
    require(stated == actual, "The certificate was made for other data.")
    require(c < inf or problem.rows == 1, "A free intercept needs two classes.")
    lower, upper = (float(bound) for bound in given.margin_bracket)
    require(lower <= upper, "The lower end of the bracket is above its upper end.")
    _check_radius(problem, float(given.radius))
    some_positive = _check_lower(given, problem, lower)
    combination = _combination(given, problem)
    zero = _check_upper(given, problem, combination, upper)
    separable = some_positive and lower > 0
    proved = {"separable": separable, "inseparable": zero, "undecided": True}
    require(proved.get(given.verdict), f"The verdict {given.verdict!r} is not proved.")
    _check_weak_separability(given, problem, combination, some_positive and lower == 0)


def _check_radius(problem: Problem, radius: float) -> None:
    n, d = problem.X.shape
    c = 0.0 if problem.scaling == inf else problem.scaling
    bound = problem.radius()  # exceeds the true radius by at most twice the error of the sums
    near = 0 <= radius <= bound * (1 + 1e-6) < inf
    require(near, "The radius is far from the norm of the longest example.")
    clear = radius >= bound * (1 - UNIT * (d + 8))
    for _, _, x, unit in _exact_chunks(problem, np.arange(0 if clear else n)):
        radius2 = max((x[:, :-1] ** 2).sum(axis=1)) * unit**2 + Fraction(c) ** 2
        radius2 *= 1 if problem.rows == 1 else 2
        require(radius2 <= Fraction(radius) ** 2, "An example is longer than the radius.")


def _check_lower(given: Certificate, problem: Problem, lower: float) -> bool:
    """Check the lower end of the bracket; return whether some margin is positive."""
    if given.weights is None and given.intercept is None:
        reason = "A lower end above -radius needs weights that reach it."
        require(lower <= -float(given.radius), reason)
        return False
    return _check_margins(problem, *_hypothesis(given, problem), lower)


def _hypothesis(given: Certificate, problem: Problem) -> tuple[Array, Array]:
    """Return weights and intercept as floats, or as fractions divided by the largest."""
    W, b = np.asarray(given.weights), np.asarray(given.intercept)
    fits = W.shape == (problem.rows, problem.X.shape[1]) and b.shape == (problem.rows,)
    require(fits, "The weights and the intercept must both have a row for each class.")
    if W.dtype != np.float64 or b.dtype != np.float64:
        W, b = W.astype(object), b.astype(object)
        numbers = all(isinstance(v, NUMBERS) for v in (*W.flat, *b.flat))
        require(numbers, "The weights must be floats or fractions.")
        W, b = (np.frompyfunc(Fraction, 1, 1)(part) for part in (W, b))
        largest = max(abs(v) for v in (*W.flat, *b.flat)) or 1
        W, b = W / largest, b / largest
        sound = all(not v or abs(v) > 1e-290 for v in (*W.flat, *b.flat))
    else:
        sound = np.isfinite(W).all() and np.isfinite(b).all()
    require(sound, "The weights must be finite and within the range of floats.")
    require(problem.scaling or not b.any(), "The intercept must be 0 if it is not fitted.")
    return W, b


def _check_margins(problem: Problem, W: Array, b: Array, lower: float) -> bool:
    """Check that no margin is below lower * norm; return whether one is positive."""
    V, step = to_integers(np.column_stack([W, b]))
    norm2 = Fraction(sum(v * v for v in V[:, :-1].flat))
    if 0 < problem.scaling < inf:
        norm2 += sum(v * v for v in V[:, -1]) / Fraction(problem.scaling) ** 2
    norm2 *= step**2
    require(lower < inf or not norm2, "The lower end of the bracket must be finite.")
    goal = lower * sqrt(norm2) if 1e-280 < norm2 < 1e280 else nan if norm2 else 0.0
    goal += 4 * UNIT * abs(goal) + TINY
    with np.errstate(all="ignore"):  # an overflow leaves the case to the integers
        floats = W.astype(float), b.astype(float)
        # Twice the bound, because rounding fractions to floats adds at most as much again.
        at_least = problem.margins(*floats) - 2 * problem.margin_errors(*floats)
    rivals = (problem.rows == 1) | (np.arange(problem.rows) != problem.codes[:, None])
    positive = bool((rivals & (at_least > 0)).any())
    unclear = rivals & ~(at_least >= goal) & (lower > -inf)
    for some, columns, x, unit in _exact_chunks(problem, np.flatnonzero(unclear.any(axis=1))):
        margins = x @ V[:, columns].T
        if problem.rows == 1:
            margins *= problem.signs[some].astype(int)[:, None]
        else:
            margins = margins[np.arange(len(some)), problem.codes[some]][:, None] - margins
        goal2 = Fraction(lower) ** 2 * norm2 / (unit * step) ** 2 if norm2 else Fraction(1)
        # The least integer >= √goal2, or >= -√goal2 if lower is negative.
        least = isqrt(ceil(goal2) - 1) + 1 if lower > 0 or not norm2 else -isqrt(floor(goal2))
        margins = margins[unclear[some]]
        require(min(margins) >= least, "The weights do not reach the lower end of the bracket.")
        positive = positive or max(margins) > 0
    return positive


def _combination(given: Certificate, problem: Problem) -> Combination:
    """Return the convex combination of a certificate, with integers as shares."""
    n, many, k = problem.X.shape[0], problem.rows > 1, len(given.support)
    arrays: list[Array] = []
    for name, array, size, end in (
        ("support", given.support, k, n),
        ("rivals", given.rivals, k * many, problem.rows),
    ):
        array = np.asarray(array)
        integers = array.shape == (size,) and (array.dtype.kind in "iu" or not size)
        inside = integers and ((array >= 0) & (array < end)).all()
        require(inside, f"'{name}' must hold {size} integers from 0 to {end - 1}.")
        arrays.append(array.astype(np.int64))
    support, rivals = arrays[0], arrays[1] if many else np.zeros(k, np.int64)
    own = many and (problem.codes[support] == rivals).any()
    require(not own, "The rival of an example must be another class than its own.")
    pairs = np.unique(np.column_stack([support, rivals]), axis=0)
    require(len(pairs) == k, "A signed example must not appear twice in the support.")
    numbers = all(isinstance(v, NUMBERS) for v in given.coefficients)
    require(numbers, "The coefficients must be fractions.")
    shares, unit = to_integers(np.array(given.coefficients, object))
    convex = shares.shape == (k,) and (not k or (min(shares) >= 0 and sum(shares) * unit == 1))
    require(convex, "The coefficients, one per signed example, must be non-negative and sum to 1.")
    return Combination(support, rivals, shares, unit)


def _check_upper(given: Certificate, problem: Problem, found: Combination, upper: float) -> bool:
    """Check the upper end of the bracket; return whether the combination is zero."""
    c = float(given.scaling)
    if not len(found.support):
        # With a free intercept, examples of a single class can have any margin.
        unbounded = c == inf and len(np.unique(problem.signs)) == 1
        least = inf if unbounded else float(given.radius)
        require(upper >= least, "An upper end below radius needs a support.")
        return False
    sums, scale = problem.combine(found.support, found.rivals, found.shares)
    norm2 = Fraction(sum(v * v for v in sums[:, :-1].flat))
    constant2 = Fraction(sum(v * v for v in sums[:, -1]))
    require(c < inf or not constant2, "With a free intercept the signs must cancel.")
    norm2 += Fraction(c) ** 2 * constant2 if constant2 else 0
    short = upper == inf or norm2 * (scale * found.unit) ** 2 <= Fraction(upper) ** 2
    require(upper >= 0 and short, "The combination is longer than the upper end of the bracket.")
    return upper == 0 and not norm2


def _check_weak_separability(
    given: Certificate, problem: Problem, found: Combination, touching: bool
) -> None:
    """Check `weakly_separable`; `touching`: margins are >= 0, and not all are 0."""
    weak = given.weakly_separable
    known = given.verdict == "inseparable" and isinstance(weak, bool)
    reason = "Weak separability must be None, or for inseparable data True or False."
    require(weak is None or known, reason)
    require(not weak or touching, "Weak separability needs margins of at least 0, not all 0.")
    if weak is False:
        used = found.shares > 0
        _check_rank(problem, found.support[used], found.rivals[used])


def _check_rank(problem: Problem, support: Array, rivals: Array) -> None:
    """Check that a hypothesis that is 0 on the support is 0 on every signed example."""
    d, affine = problem.X.shape[1], bool(problem.scaling)
    constant, zero = problem.table.constant_columns()
    redundant = constant if affine else zero  # a constant column depends on the column of ones
    most = (d + affine - int(redundant.sum())) * max(1, problem.rows - 1)
    M = (problem.exact_signed_examples(support, rivals) % PRIME).astype(np.int64)
    rank = 0  # the rank modulo a prime is at most the rank
    for column in range(M.shape[1]):
        filled = rank + np.flatnonzero(M[rank:, column])
        if len(filled):
            M[[rank, filled[0]]] = M[[filled[0], rank]]
            pivot = M[rank, column:] * pow(int(M[rank, column]), -1, PRIME) % PRIME
            below = M[filled[1:], column:]
            M[filled[1:], column:] = (below - below[:, :1] * pivot) % PRIME
            rank += 1
    require(rank == most, "The support is not proved to span the signed examples.")


def _exact_chunks(problem: Problem, at: Array) -> Iterator[tuple[Array, Array, Array, Fraction]]:
    """Yield chunks of examples in integers, with a 1 appended: (at, columns, x, unit)."""
    step = max(1, CELLS // problem.X.shape[1])
    for some in (at[start : start + step] for start in range(0, len(at), step)):
        yield some, *problem.exact_filled_columns(some)
