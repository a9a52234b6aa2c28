"""The point nearest to the origin in the convex hull of the signed examples: Wolfe's algorithm.

Its length is the best margin, its direction the best hypothesis, and at the origin itself it is the
combination that proves inseparability. The method holds a corral of affinely independent examples
whose affine hull is nearest to the origin within their convex hull; it takes in the example of
least margin, and lets go of those whose weight falls to zero. It ends after finitely many steps.

P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11, 1976.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf, isfinite, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.checker.problem import Array, Problem

CANCELLED = 1e-7  # of a squared length: what is left of it is known to half its digits
EPS = 2.0**-52
PATIENCE = 20  # steps that rounding may keep from making the combination shorter
WORKING = 2_000  # examples, at the least, among which the corral is settled before all are asked


class Nearest(NamedTuple):
    """Where the search stood when it ended."""

    support: Array  # examples of the corral
    rivals: Array  # and the rival class of each, or -1
    shares: Array  # their weights in the combination; non-negative, sum 1
    W: Array
    b: Array
    lower: float  # least margin over length, in floats
    upper: float  # length of the combination, in floats
    optimal: bool  # no example can shorten it further

    @property
    def relative_gap(self) -> float:
        """How far the bounds are apart."""
        return (self.upper - self.lower) / self.upper if self.upper > 0 else inf


def forward(L: Array, right: Array) -> None:
    """Replace a right side by L⁻¹ times it, L being lower triangular."""
    k = len(right)
    for j in range(k):
        if L[j, j] == 0:  # underflow: there is no solution to be had
            right[:] = nan
            return
        right[j] /= L[j, j]
        for i in range(j + 1, k):
            right[i] -= L[i, j] * right[j]


def backward(L: Array, right: Array) -> None:
    """The same with the transpose of L."""
    k = len(right)
    for j in range(k - 1, -1, -1):
        rest = right[j]
        for i in range(j + 1, k):
            rest -= L[i, j] * right[i]
        right[j] = rest / L[j, j] if L[j, j] else nan


def walk(shares: Array, aim: Array) -> bool:
    """Go from the shares to the aim, or until the first share falls to zero: then False."""
    theta, first = 1.0, -1
    for j in range(len(aim)):
        if aim[j] <= 0:
            step = shares[j] / max(shares[j] - aim[j], 5e-324)  # 0/0 is no step
            if first < 0 or step < theta:
                theta, first = min(step, 1.0), j
    if first < 0:
        for j in range(len(aim)):
            shares[j] = aim[j]
        return True
    for j in range(len(aim)):
        shares[j] = (1 - theta) * shares[j] + theta * aim[j]
    shares[first] = 0.0
    return False


def shed(L: Array, j: int, k: int, lost: Array) -> None:
    """Take row and column j out of a matrix of order k by way of its Cholesky factor, in place.

    `lost` is what column j has below the diagonal, and is used up.
    """
    for column in range(k - 1):
        for row in range(max(j, column), k - 1):
            L[row, column] = L[row + 1, column if column < j else column + 1]
    # The rows below j lose a column: what it contributed goes back into the others.
    for m in range(j, k - 1):
        part = lost[m - j]
        whole = sqrt(L[m, m] * L[m, m] + part * part)
        cosine, sine = whole / L[m, m], part / L[m, m]
        L[m, m] = whole
        for row in range(m + 1, k - 1):
            L[row, m] = (L[row, m] + sine * lost[row - j]) / cosine
            lost[row - j] = cosine * lost[row - j] - sine * L[row, m]


class Corral:
    """Affinely independent atoms, their Gram matrix as a Cholesky factor, and their weights.

    An atom is a signed example; with a free intercept it is the middle of a positive and a negative
    one, so that the hulls of both classes approach each other.
    """

    def __init__(self, problem: Problem) -> None:
        from rosenblatt.engine.compiled import kernel

        self.problem = problem
        self.free = problem.scaling == inf
        # Each atom: an example and its rival, or its partner with a free intercept.
        self.atoms: list[tuple[int, int]] = []
        self.shares: Array = np.zeros(0)
        self._vectors: Any = None  # rows; of a dense matrix the first ones count
        self._factor: Array = np.zeros((64, 64), order="F")
        self._unit = 0.0
        self._forward, self._backward = kernel(forward), kernel(backward)
        self._walk, self._shed = kernel(walk), kernel(shed)
        scale = np.ones((problem.rows, problem.X.shape[1] + bool(problem.scaling)))
        if problem.scaling and not self.free:
            scale[:, -1] = problem.scaling
        self.scale = scale.ravel()

    @property
    def vectors(self) -> Any:
        """The atoms, a row for each."""
        return self._vectors[: len(self.atoms)]

    def atom(self, i: int, j: int) -> Array:
        """The vector of an example, against a rival or halfway to a partner."""
        signed = self.problem.vectors(np.array([i]), np.array([j]))
        if self.free:
            signed = (signed + self.problem.vectors(np.array([j]), np.array([i]))) / 2
        return (signed.toarray() if sp.issparse(signed) else signed)[0] * self.scale

    def take(self, i: int, j: int, new: Array) -> bool:
        """Take in an atom with weight 0; False if it depends on those held."""
        k, square = len(self.atoms), float(new @ new)
        if not k:
            # Wolfe's trick: the Gram matrix plus a constant is definite for independent atoms.
            self._unit = square or 1.0
        row, rest = np.zeros(0), square + self._unit
        if k:
            column = self.vectors @ new + self._unit
            row = column.copy()
            self._forward(self._factor, row)
            rest -= float(row @ row)
            if rest <= CANCELLED * (square + self._unit):
                row, rest = self._residual(new, column, row)
            if rest <= 0:
                return False
        self._store(new)
        self._factor[k, :k], self._factor[k, k] = row, sqrt(rest)
        self.atoms.append((i, j))
        self.shares = np.append(self.shares, 0.0 if k else 1.0)
        return True

    def _residual(self, new: Array, column: Array, row: Array) -> tuple[Array, float]:
        """The row of the factor and the pivot, from what is left of the atom itself.

        A difference of squares would have lost it in rounding; 0 if it is rounding in truth.
        """
        parts = column.copy()
        self._solve(parts)
        left, over = new - parts @ self.vectors, 1 - parts.sum()
        missing = self.vectors @ left + self._unit * over
        self._forward(self._factor, missing)
        rest = float(left @ left) + self._unit * over * over
        noise = 64 * EPS * (1 + abs(parts).sum())
        seen = rest > noise * noise * (float(new @ new) + self._unit)
        return row + missing, rest if seen else 0.0

    def _store(self, new: Array) -> None:
        """Add a row, with room for the next ones."""
        k = len(self.atoms)
        if k == len(self._factor):
            larger = np.zeros((2 * k, 2 * k), order="F")
            larger[:k, :k] = self._factor
            self._factor = larger
        if sp.issparse(self.problem.X):
            row = sp.csr_array(new[None])
            self._vectors = sp.vstack([self._vectors, row], format="csr") if k else row
            return
        if self._vectors is None or k == len(self._vectors):
            room = np.empty((max(64, 2 * k), len(new)))
            room[:k] = self._vectors if k else 0
            self._vectors = room
        self._vectors[k] = new

    def settle(self) -> bool:
        """Go to the nearest point of the hull of a subset; False if rounding forbids it."""
        while True:
            aim = np.full(len(self.atoms), self._unit)
            self._solve(aim)
            # Once more with what is left: the error then grows with the condition, not its square.
            left = self._unit * (1 - aim.sum()) - self.vectors @ (aim @ self.vectors)
            self._solve(left)
            aim += left
            aim /= aim.sum()
            if not isfinite(abs(aim).sum()):
                return False
            if self._walk(self.shares, aim):
                return True
            self._keep()

    def _solve(self, right: Array) -> None:
        self._forward(self._factor, right)
        self._backward(self._factor, right)

    def _keep(self) -> None:
        """Let go of the atoms without a share."""
        kept = self.shares > 0
        for j in np.flatnonzero(~kept)[::-1].tolist():
            k = len(self.atoms)
            self._shed(self._factor, j, k, self._factor[j + 1 : k, j].copy())
            if sp.issparse(self._vectors):
                self._vectors = self._vectors[np.arange(k) != j]
            else:
                self._vectors[j : k - 1] = self._vectors[j + 1 : k]
            del self.atoms[j]
        self.shares = self.shares[kept]
        self.shares /= self.shares.sum()

    def point(self) -> Array:
        """The combination of the atoms."""
        combined: Array = self.shares @ self.vectors
        return combined

    def hypothesis(self) -> tuple[Array, Array]:
        """The same as weights and intercept."""
        V = self.point().reshape(self.problem.rows, -1)
        if not self.problem.scaling:
            return V, np.zeros(len(V))
        return V[:, :-1], np.zeros(1) if self.free else V[:, -1] * self.problem.scaling


def nearest(
    problem: Problem, *, gap: float = 1e-6, deadline: float = inf,
    clock: Callable[[], float] = time.monotonic,
) -> Nearest:  # fmt: skip
    """Close in on the nearest point until the bounds are within `gap`, or no step is left."""
    corral = Corral(problem)
    best: tuple[float, Array, Array] | None = None
    upper, optimal, done = inf, False, False
    W = np.zeros((problem.rows, problem.X.shape[1]))
    b = np.zeros(problem.rows)
    if not _first(corral):
        return _result(corral, best, W, b, 0.0, True)
    while True:
        W, b = corral.hypothesis()
        margins, b = _margins(problem, W, b)
        length = problem.length(W, b)
        upper = min(upper, length)
        lower = float(margins.min()) / length if length else 0.0
        if best is None or lower > best[0]:
            best = lower, W, b
        within = best[0] > 0 and best[0] >= upper * (1 - gap)
        if within or done or clock() > deadline:
            break
        working = _worst(problem, margins, corral)
        part = Problem(
            problem.X[working], problem.codes[working], problem.classes, problem.target,
            problem.scaling,
        )  # fmt: skip
        # Among few examples, settle to the end; then see whether all the others agree.
        changed, optimal = _settle(corral, part, working, gap / 4, lambda: clock() > deadline)
        # Every step makes the combination shorter, but for rounding: then there is no use in more.
        done = not changed or not problem.length(*corral.hypothesis()) < upper
    return _result(corral, best, W, b, upper, optimal and done)


def _settle(
    corral: Corral, part: Problem, working: Array, gap: float, late: Callable[[], bool]
) -> tuple[bool, bool]:
    """Take in the example of least margin among `part` until there is none to take."""
    changed, shortest, idle = False, inf, 0
    price = _priced(corral, part, working)
    while not late() and idle < PATIENCE:
        point = corral.point()
        least, i, j, new = price(point)
        square = float(point @ point)
        shortest, idle = min(shortest, square), idle + 1 if square >= shortest else 0
        if least >= square * (1 - gap):
            return changed, True
        if (i, j) in corral.atoms or not corral.take(i, j, new()):
            return changed, True  # beyond what rounding lets us see
        changed = True
        if not corral.settle():
            return changed, False
    return changed, False


Price = tuple[float, int, int, Callable[[], Array]]


def _priced(corral: Corral, part: Problem, working: Array) -> Callable[[Array], Price]:
    """How to find the least margin, its atom (i, j), and the vector of that atom."""
    if part.rows > 1 or sp.issparse(part.X):
        return lambda point: _general(corral, part, working)
    # Dense and of two classes: one product with the signed examples, made once.
    order = np.argsort(-part.signs, kind="stable")  # the positive ones first
    numbers, count = working[order], int((part.signs > 0).sum())
    signed = part.vectors(order, np.full(len(order), -1)) * corral.scale

    def free(point: Array) -> Price:
        lead = signed @ point
        i, j = int(lead[:count].argmin()), count + int(lead[count:].argmin())
        vector = lambda: (signed[i] + signed[j]) / 2  # noqa: E731
        return float(lead[i] + lead[j]) / 2, int(numbers[i]), int(numbers[j]), vector

    def bound(point: Array) -> Price:
        lead = signed @ point
        i = int(lead.argmin())
        return float(lead[i]), int(numbers[i]), -1, lambda: signed[i]

    return free if corral.free else bound


def _general(corral: Corral, part: Problem, working: Array) -> Price:
    margins, _ = _margins(part, *corral.hypothesis())
    if corral.free:  # the worst of either class
        ends = [np.flatnonzero(part.signs == sign) for sign in (1, -1)]
        i, j = (int(working[side[margins[side, 0].argmin()]]) for side in ends)
    else:
        row, column = (int(k) for k in np.unravel_index(margins.argmin(), margins.shape))
        i, j = int(working[row]), column if part.rows > 1 else -1
    return float(margins.min()), i, j, lambda: corral.atom(i, j)


def _first(corral: Corral) -> bool:
    """Begin with a short example; False if it is the origin itself."""
    problem = corral.problem
    squares = np.zeros(problem.X.shape[0])
    for part in problem.chunks():
        block = problem.X[part].astype(float)
        squares[part] = (block.multiply(block) if sp.issparse(block) else block**2).sum(axis=1)
    i = int(squares.argmin())
    other = -1
    if corral.free:
        i = int(np.where(problem.signs > 0, squares, inf).argmin())
        other = int(np.where(problem.signs < 0, squares, inf).argmin())
    elif problem.rows > 1:
        other = int(problem.codes[i] == 0)
    return corral.take(i, other, corral.atom(i, other))


def _margins(problem: Problem, W: Array, b: Array) -> tuple[Array, Array]:
    """Margins; a free intercept is put halfway between the classes."""
    margins = problem.margins(W, b)
    if problem.scaling == inf:
        signs = problem.signs
        shift = (margins[signs < 0].min() - margins[signs > 0].min()) / 2
        return margins + (signs * shift)[:, None], b + shift
    return margins, b


def _worst(problem: Problem, margins: Array, corral: Corral) -> Array:
    """Examples of least margin: those that may still have a say."""
    n, size = len(margins), max(WORKING, 4 * len(corral.atoms))
    if n <= 2 * size:
        return np.arange(n)
    low = margins.min(axis=1)
    chosen = np.argpartition(low, size)[:size]
    if corral.free:  # some of either class
        halves = [np.flatnonzero(problem.signs == sign) for sign in (1, -1)]
        chosen = np.concatenate(
            [half[np.argsort(low[half], kind="stable")[: size // 2]] for half in halves]
        )
    return np.sort(chosen)


def _result(corral: Corral, best: Any, W: Array, b: Array, upper: float, optimal: bool) -> Nearest:
    lower = -inf
    if best is not None:
        lower, W, b = best
    support, rivals = np.array(corral.atoms, np.int64).reshape(-1, 2).T
    shares = corral.shares
    if corral.free:  # each pair gives half its weight to either end
        both = np.concatenate([support, rivals])
        support, inverse = np.unique(both, return_inverse=True)
        shares = np.bincount(inverse, np.tile(shares / 2, 2))
        rivals = np.full(len(support), -1)
    return Nearest(support, rivals, shares, W, b, lower, upper, optimal)
