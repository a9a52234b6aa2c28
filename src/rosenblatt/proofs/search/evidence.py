"""Evidence: the best hypothesis and combination so far, and what they prove."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import numpy as np

from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.problem import (
    UNIT,
    Array,
    Problem,
    sqrt_above,
    sqrt_below,
    to_integers,
)
from rosenblatt.proofs.search import rational

# Most products of integers that may be spent on exact margins: to decide their sign, ...
MAX_PRODUCTS = 50_000_000
MAX_PRODUCTS_FOR_DIGITS = 1_000_000  # ... to improve a bound on a positive margin, ...
MAX_PRODUCTS_FOR_LAST_DIGITS = 2_000  # ... to improve a bound that is already good
GOOD_BOUND = 1e-9  # relative error of a bound that is already good
MAX_SIZE = 1 << 960  # fractions between 1/MAX_SIZE and MAX_SIZE are compared with floats
SHARE_TOTAL = 1 << 53  # sum of the integer shares of a combination


class Evidence:
    """What is proved about a problem so far; in the end, a certificate.

    The methods `offer_*` take suggestions that were computed in floats, and keep what can be proved
    of them in exact arithmetic.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.radius = problem.radius()
        self.lower, self.upper = -self.radius, self.radius
        self.weights: Array | None = None
        self.intercept: Array | None = None
        self.support: Array = np.zeros(0, np.int64)
        self.rivals: Array = np.zeros(0, np.int64)
        self.coefficients: tuple[Fraction, ...] = ()
        self.weakly_separable: bool | None = None
        self.note = ""

    @property
    def verdict(self) -> str:
        """The verdict that is proved so far."""
        if self.lower > 0:
            return "separable"
        return "inseparable" if self.upper == 0 and self.coefficients else "undecided"

    def offer_hypothesis(self, W: Array, b: Array, *, exact: bool = True) -> bool:
        """Keep a hypothesis if its margin is the best so far; return whether it separates.

        With `exact=False` its margins are only computed in floats, with a bound on their error.
        """
        nonzero = (W != 0).any() or (0 < self.problem.scaling < inf and (b != 0).any())
        if not nonzero or not _within_float_range(W, b):
            return False
        lower = self._proved_margin(W, b, exact)
        if lower > self.lower:
            self.lower, self.weights, self.intercept = lower, W, b
        return lower > 0

    def _proved_margin(self, W: Array, b: Array, exact: bool) -> float:
        """Return a proved lower bound on the least margin over the norm."""
        problem, rounded = self.problem, (W.astype(float), b.astype(float))
        factor = 2.0 if W.dtype == object else 1.0  # fractions were rounded to floats
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            margins, error = problem.margins(*rounded), factor * problem.margin_errors(*rounded)
            low, high = np.nan_to_num(margins - error, nan=-inf), margins + error
            norm = problem.norm(*rounded)
        least, slack = float(low.min()), UNIT * (W.size + 16)
        if least > (1 - GOOD_BOUND) * np.nanmin(high) > 0:
            products = MAX_PRODUCTS_FOR_LAST_DIGITS
        else:
            products = MAX_PRODUCTS_FOR_DIGITS if least > 0 else MAX_PRODUCTS
        # Only these can have the least margin, so only they need exact arithmetic.
        candidates = np.argwhere(~(low > np.nanmin(high)))
        if exact and len(candidates) * W.size <= products:
            margin = min(problem.exact_margins(W, b, candidates))
            margin2 = margin**2 / problem.exact_norm2(W, b)
            return sqrt_below(margin2) if margin > 0 else -sqrt_above(margin2)
        if least > 0:
            return nextafter(least / (norm * (1 + slack)), 0.0)
        return max(nextafter(least / (norm * (1 - slack)), -inf), -self.radius)

    def offer_weak_separator(self, W: Array, b: Array) -> None:
        """Keep a hypothesis whose margins are all at least 0 and not all 0."""
        if not _within_float_range(W, b):
            return
        rounded = W.astype(float), b.astype(float)
        margins, error = self.problem.margins(*rounded), 2 * self.problem.margin_errors(*rounded)
        clear = np.isfinite(margins) & (margins > error)
        unclear = np.argwhere(~(margins > error))
        exact = self.problem.exact_margins(W, b, unclear)
        if min(exact) == 0 and (clear.any() or max(exact) > 0):
            self.weakly_separable, self.weights, self.intercept = True, W, b

    def offer_combination(self, support: Array, rivals: Array, shares: Array) -> None:
        """Keep a convex combination with floats as shares if it is the shortest so far."""
        integers = self._integer_shares(support, shares)
        if integers is None:
            return
        kept = np.flatnonzero(integers)
        self._keep_combination(support[kept], rivals[kept], integers[kept], SHARE_TOTAL)

    def offer_zero_combination(self, support: Array, rivals: Array, shares: Array) -> bool:
        """Solve for a zero combination near these shares; return whether it exists."""
        if len(support) * self.problem.width > MAX_PRODUCTS:
            return False
        vectors = self.problem.exact_signed_examples(support, rivals)
        found = rational.null_vector_near(vectors.T, shares)
        if found is None or not (found > 0).any() or (found < 0).any():
            return False
        kept = np.flatnonzero(found)
        integers, _ = to_integers(found[kept])
        self._keep_combination(support[kept], rivals[kept], integers, int(integers.sum()))
        return self.verdict == "inseparable"

    def offer_counts(self, support: Array, rivals: Array, counts: Array) -> None:
        """Keep a combination with integers as shares if it is the shortest so far."""
        self._keep_combination(support, rivals, counts.astype(object), int(counts.sum()))

    def _keep_combination(self, support: Array, rivals: Array, integers: Array, total: int) -> None:
        sums, unit = self.problem.combine(support, rivals, integers)
        sums, constant = sums[:, :-1].ravel(), sums[:, -1]
        norm2 = sum(v * v for v in sums.tolist() if v)
        if self.problem.scaling == inf:
            if constant.any():
                return
        else:
            norm2 += Fraction(self.problem.scaling) ** 2 * sum(v * v for v in constant.tolist())
        upper = sqrt_above(Fraction(norm2) * (unit / total) ** 2)
        # If all examples are zero, the upper end is 0 before there is any combination.
        if upper < self.upper or not upper:
            self.upper, self.support = upper, support
            self.rivals = rivals if self.problem.rows > 1 else np.zeros(0, np.int64)
            self.coefficients = tuple(Fraction(int(v), total) for v in integers)

    def _integer_shares(self, support: Array, shares: Array) -> Array | None:
        """Return shares as integers with sum SHARE_TOTAL, or None if they are all zero.

        With a free intercept both classes get the same sum.
        """
        integers = np.zeros(len(shares), object)
        groups = [np.arange(len(shares))]
        if self.problem.scaling == inf:
            groups = [np.flatnonzero(self.problem.signs[support] == sign) for sign in (1, -1)]
        for group in groups:
            part = np.maximum(shares[group], 0.0)
            if not part.sum() > 0:
                return None
            total = SHARE_TOTAL // len(groups)
            numbers = [int(v) for v in np.rint(part / part.sum() * total)]
            numbers[int(part.argmax())] += total - sum(numbers)
            integers[group] = numbers
        return integers

    def certificate(self) -> Certificate:
        """Return all that is proved."""
        problem, separates = self.problem, self.lower > 0
        weak = self.weakly_separable
        W, b = (self.weights, self.intercept) if separates or weak else (None, None)
        lower = self.lower if separates else 0.0 if weak else -self.radius
        return Certificate(
            verdict=self.verdict, classes=problem.classes, target=problem.target,
            examples=problem.X.shape[0], features=problem.X.shape[1], digest=problem.digest(),
            scaling=problem.scaling, radius=self.radius, margin_bracket=(lower, self.upper),
            weights=W, intercept=b, support=self.support, rivals=self.rivals,
            coefficients=self.coefficients, weakly_separable=weak,
            note=self.note,
        )  # fmt: skip


def _within_float_range(W: Array, b: Array) -> bool:
    """Return whether fractions can be rounded to floats without overflow or underflow."""
    sizes = [abs(v) for v in (*W.flat, *b.flat) if v] if W.dtype == object else []
    return not sizes or (max(sizes) < MAX_SIZE and min(sizes) * MAX_SIZE > max(1, *sizes))
