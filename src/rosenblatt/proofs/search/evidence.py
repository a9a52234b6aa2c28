"""Evidence: the best separator and the best combination found so far, each with what it proves."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import numpy as np

from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.problem import UNIT, Array, Problem, integers, root_above, root_below
from rosenblatt.proofs.search import exact

EXACT = 50_000_000  # products of whole numbers that a verdict may cost,
FEW = 1_000_000  # or the digits of a margin,
CHEAP = 2_000  # and its last digits
CLEAR = 1e-9  # of a margin: rounding beyond that touches the last digits alone
SIZE = 1 << 960  # fractions are compared with floats up to this size, and down to its inverse
ONE = 1 << 53  # the whole that the shares of a combination add up to


class Evidence:
    """What is proved of a problem, better and better; a certificate in the end.

    Floats suggest, exact arithmetic disposes: whatever is offered here is believed only as far as
    it is proved.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.radius = problem.radius()
        self.lower, self.upper = -self.radius, self.radius
        self.W: Array | None = None
        self.b: Array | None = None
        self.support: Array = np.zeros(0, np.int64)
        self.rivals: Array = np.zeros(0, np.int64)
        self.coefficients: tuple[Fraction, ...] = ()
        self.weakly_separable: bool | None = None
        self.note = ""

    @property
    def verdict(self) -> str:
        """What the evidence suffices for."""
        if self.lower > 0:
            return "separable"
        return "inseparable" if self.upper == 0 and self.coefficients else "undecided"

    def weights(self, W: Array, b: Array, rationals: bool = True) -> bool:
        """Take in a hypothesis if its margin is the best so far; True if it separates."""
        long = (W != 0).any() or (0 < self.problem.scaling < inf and (b != 0).any())
        if not long or not _plain(W, b):
            return False
        lower = self._least(W, b, rationals)
        if lower > self.lower:
            self.lower, self.W, self.b = lower, W, b
        return lower > 0

    def _least(self, W: Array, b: Array, rationals: bool) -> float:
        """A proved lower bound on the least margin of a hypothesis of length 1."""
        problem, rough = self.problem, (W.astype(float), b.astype(float))
        wide = 2.0 if W.dtype == object else 1.0  # fractions were rounded to floats
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            margins, error = problem.margins(*rough), wide * problem.rounding(*rough)
            low, high = np.nan_to_num(margins - error, nan=-inf), margins + error
            length = problem.length(*rough)
        least, slack = float(low.min()), UNIT * (W.size + 16)
        clear = least > (1 - CLEAR) * np.nanmin(high) > 0
        worth = CHEAP if clear else FEW if least > 0 else EXACT
        # Only these can have the least margin of all: it is enough to be exact about them.
        contenders = np.argwhere(~(low > np.nanmin(high)))
        if rationals and len(contenders) * W.size <= worth:
            exactly = min(problem.margins_exactly(W, b, contenders))
            square = exactly**2 / problem.square_exactly(W, b)
            return root_below(square) if exactly > 0 else -root_above(square)
        if least > 0:
            return nextafter(least / (length * (1 + slack)), 0.0)
        return max(nextafter(least / (length * (1 - slack)), -inf), -self.radius)

    def weakly(self, W: Array, b: Array) -> None:
        """Take in a hyperplane with no example on its wrong side and some on neither."""
        if not _plain(W, b):
            return
        rough = W.astype(float), b.astype(float)
        margins, error = self.problem.margins(*rough), 2 * self.problem.rounding(*rough)
        surely = np.isfinite(margins) & (margins > error)
        open_ = np.argwhere(~(margins > error))
        exactly = self.problem.margins_exactly(W, b, open_)
        if min(exactly) == 0 and (surely.any() or max(exactly) > 0):
            self.weakly_separable, self.W, self.b = True, W, b

    def combination(self, support: Array, rivals: Array, shares: Array) -> None:
        """Take in a convex combination, given in floats, if it is the shortest so far."""
        whole = self._whole(support, shares)
        if whole is None:
            return
        kept = np.flatnonzero(whole)
        self._offer(support[kept], rivals[kept], whole[kept], ONE)

    def zero(self, support: Array, rivals: Array, guess: Array) -> bool:
        """Look for a combination of these examples that is exactly zero; True if there is one."""
        if len(support) * self.problem.width > EXACT:
            return False
        found = exact.kernel_near(self.vectors(support, rivals).T, guess)
        if found is None or not (found > 0).any() or (found < 0).any():
            return False
        kept = np.flatnonzero(found)
        whole, _ = integers(found[kept])
        self._offer(support[kept], rivals[kept], whole, int(whole.sum()))
        return self.verdict == "inseparable"

    def counted(self, support: Array, rivals: Array, counts: Array) -> None:
        """Take in a combination with whole numbers as weights."""
        self._offer(support, rivals, counts.astype(object), int(counts.sum()))

    def vectors(self, support: Array, rivals: Array) -> Array:
        """Signed examples as rows of whole numbers, all in one unit."""
        return self.problem.vectors_exactly(support, rivals)

    def _offer(self, support: Array, rivals: Array, whole: Array, total: int) -> None:
        sums, unit = self.problem.combination(support, rivals, whole)
        sums, constant = sums[:, :-1].ravel(), sums[:, -1]
        square = sum(v * v for v in sums.tolist() if v)
        if self.problem.scaling == inf:
            if constant.any():
                return
        else:
            square += Fraction(self.problem.scaling) ** 2 * sum(v * v for v in constant.tolist())
        upper = root_above(Fraction(square) * (unit / total) ** 2)
        if upper < self.upper or not upper:  # of zeros alone the upper end is 0 from the start
            self.upper, self.support = upper, support
            self.rivals = rivals if self.problem.rows > 1 else np.zeros(0, np.int64)
            self.coefficients = tuple(Fraction(int(v), total) for v in whole)

    def _whole(self, support: Array, shares: Array) -> Array | None:
        """Shares as whole numbers that add up to ONE; of both classes equal if need be."""
        whole = np.zeros(len(shares), object)
        groups = [np.arange(len(shares))]
        if self.problem.scaling == inf:
            groups = [np.flatnonzero(self.problem.signs[support] == sign) for sign in (1, -1)]
        for group in groups:
            part = np.maximum(shares[group], 0.0)
            if not part.sum() > 0:
                return None
            aim = ONE // len(groups)
            numbers = [int(v) for v in np.rint(part / part.sum() * aim)]
            numbers[int(part.argmax())] += aim - sum(numbers)
            whole[group] = numbers
        return whole

    def certificate(self) -> Certificate:
        """All that is proved."""
        problem, separates = self.problem, self.lower > 0
        weak = self.weakly_separable
        W, b = (self.W, self.b) if separates or weak else (None, None)
        lower = self.lower if separates else 0.0 if weak else -self.radius
        return Certificate(
            verdict=self.verdict, classes=problem.classes, target=problem.target,
            examples=problem.X.shape[0], features=problem.X.shape[1], digest=problem.digest(),
            scaling=problem.scaling, radius=self.radius, margin_bracket=(lower, self.upper),
            weights=W, intercept=b, support=self.support, rivals=self.rivals,
            coefficients=self.coefficients, weakly_separable=weak,
            note=self.note,
        )  # fmt: skip


def _plain(W: Array, b: Array) -> bool:
    """Whether floats can hold fractions of these sizes: the checks rest on floats near them."""
    sizes = [abs(v) for v in (*W.flat, *b.flat) if v] if W.dtype == object else []
    return not sizes or (max(sizes) < SIZE and min(sizes) * SIZE > max(1, *sizes))
