"""The point of the hull of the signed examples nearest to 0: Wolfe's algorithm.

Its norm is the best margin and its direction the best hypothesis; if it is the origin itself, the
combination proves inseparability. The algorithm keeps a corral: affinely independent examples for
which the point of their affine hull nearest to the origin lies in their convex hull. In each step
the example of least margin enters, and examples whose share falls to zero leave. It ends after
finitely many steps.

P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11, 1976.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.execution import fast
from rosenblatt.proofs.checker.problem import Array, Problem
from rosenblatt.proofs.search.triangular import backward, downdate, forward, move_towards

CANCELLATION = 1e-7  # a relative remainder of a squared norm with at most half of its digits left
EPS = 2.0**-52
MAX_STALLED = 20  # steps in a row that do not shorten the combination, because of rounding
WORKING_SET = 2_000  # examples, at least, to which the inner loop is restricted


class NearestPoint(NamedTuple):
    """The result of the search."""

    support: Array  # examples of the corral
    rivals: Array  # the rival class of each, or -1
    shares: Array  # their shares in the combination; non-negative, sum 1
    W: Array
    b: Array
    lower: float  # least margin over norm, in floats
    upper: float  # norm of the combination, in floats
    optimal: bool  # no example can shorten the combination

    @property
    def combination(self) -> tuple[Array, Array, Array]:
        """Support, rivals and shares."""
        return self.support, self.rivals, self.shares

    @property
    def relative_gap(self) -> float:
        """The distance of the bounds, relative to the upper one."""
        return (self.upper - self.lower) / self.upper if self.upper > 0 else inf


class Corral:
    """Affinely independent atoms, their shares, and a factor of their Gram matrix.

    An atom is a signed example; with a free intercept it is the midpoint of a positive and a
    negative one, so that the point measures the distance between the hulls of both classes.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.free = problem.scaling == inf
        # Each atom: an example and its rival; with a free intercept, an example and its partner.
        self.atoms: list[tuple[int, int]] = []
        self.shares: Array = np.zeros(0)
        self._vectors: Any = None  # rows; a dense array has spare rows at the end
        self._factor: Array = np.zeros((64, 64), order="F")
        self._unit = 0.0
        self._forward, self._backward = fast(forward), fast(backward)
        self._move_towards, self._downdate = fast(move_towards), fast(downdate)
        scale = np.ones((problem.rows, problem.X.shape[1] + bool(problem.scaling)))
        if problem.scaling and not self.free:
            scale[:, -1] = problem.scaling
        self.scale = scale.ravel()

    @property
    def vectors(self) -> Any:
        """The atoms as rows."""
        return self._vectors[: len(self.atoms)]

    def atom(self, i: int, j: int) -> Array:
        """Return the vector of an atom."""
        signed = self.problem.signed_examples(np.array([i]), np.array([j]))
        if self.free:
            signed = (signed + self.problem.signed_examples(np.array([j]), np.array([i]))) / 2
        return (signed.toarray() if sp.issparse(signed) else signed)[0] * self.scale

    def add(self, i: int, j: int, new: Array) -> bool:
        """Add an atom with share 0; return False if it depends on the others."""
        k, norm2 = len(self.atoms), float(new @ new)
        if not k:
            # Wolfe's trick: the Gram matrix plus a constant is definite for independent atoms.
            self._unit = norm2 or 1.0
        row, rest2 = np.zeros(0), norm2 + self._unit
        if k:
            column = self.vectors @ new + self._unit
            row = column.copy()
            self._forward(self._factor, row)
            rest2 -= float(row @ row)
            if rest2 <= CANCELLATION * (norm2 + self._unit):
                row, rest2 = self._residual(new, column, row)
            if rest2 <= 0:
                return False
        self._store(new)
        self._factor[k, :k], self._factor[k, k] = row, sqrt(rest2)
        self.atoms.append((i, j))
        self.shares = np.append(self.shares, 0.0 if k else 1.0)
        return True

    def _residual(self, new: Array, column: Array, row: Array) -> tuple[Array, float]:
        """Return the new row of the factor and its squared pivot, from the residual.

        A difference of squares would lose it in rounding. The pivot is 0 if the residual is no
        larger than rounding errors.
        """
        parts = column.copy()
        self._solve(parts)
        left, over = new - parts @ self.vectors, 1 - parts.sum()
        missing = self.vectors @ left + self._unit * over
        self._forward(self._factor, missing)
        rest2 = float(left @ left) + self._unit * over * over
        noise = 64 * EPS * (1 + abs(parts).sum())
        significant = rest2 > noise * noise * (float(new @ new) + self._unit)
        return row + missing, rest2 if significant else 0.0

    def _store(self, new: Array) -> None:
        """Append a row, with room for more."""
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

    def minimise(self) -> bool:
        """Move to the nearest point of the hull; return False if rounding prevents it."""
        while True:
            goal = np.full(len(self.atoms), self._unit)
            self._solve(goal)
            # One step of refinement: the error grows with the condition, not with its square.
            left = self._unit * (1 - goal.sum()) - self.vectors @ (goal @ self.vectors)
            self._solve(left)
            goal += left
            goal /= goal.sum()
            if not isfinite(abs(goal).sum()):
                return False
            if self._move_towards(self.shares, goal):
                return True
            self.drop_zero_shares()

    def _solve(self, right: Array) -> None:
        self._forward(self._factor, right)
        self._backward(self._factor, right)

    def drop_zero_shares(self) -> None:
        """Remove the atoms whose share is zero."""
        kept = self.shares > 0
        for j in np.flatnonzero(~kept)[::-1].tolist():
            k = len(self.atoms)
            self._downdate(self._factor, j, k, self._factor[j + 1 : k, j].copy())
            if sp.issparse(self._vectors):
                self._vectors = self._vectors[np.arange(k) != j]
            else:
                self._vectors[j : k - 1] = self._vectors[j + 1 : k]
            del self.atoms[j]
        self.shares = self.shares[kept]
        self.shares /= self.shares.sum()

    def point(self) -> Array:
        """Return the combination of the atoms."""
        combined: Array = self.shares @ self.vectors
        return combined

    def hypothesis(self) -> tuple[Array, Array]:
        """Return the combination as weights and intercept."""
        V = self.point().reshape(self.problem.rows, -1)
        if not self.problem.scaling:
            return V, np.zeros(len(V))
        return V[:, :-1], np.zeros(1) if self.free else V[:, -1] * self.problem.scaling


def nearest_point(
    problem: Problem, *, gap: float = 1e-6, deadline: float = inf,
    clock: Callable[[], float] = time.monotonic,
) -> NearestPoint:  # fmt: skip
    """Approach the nearest point until the bounds are within `gap` or no step is left."""
    corral = Corral(problem)
    _add_shortest(corral)
    best: tuple[float, Array, Array] | None = None
    upper, optimal, done = inf, False, False
    while True:
        W, b = corral.hypothesis()
        margins, b = _margins(problem, W, b)
        norm = problem.norm(W, b)
        upper = min(upper, norm)
        lower = float(margins.min()) / norm if norm else 0.0
        if best is None or lower > best[0]:
            best = lower, W, b
        within = best[0] > 0 and best[0] >= upper * (1 - gap)
        if within or done or clock() > deadline:
            break
        working = _working_set(problem, margins, corral)
        part = Problem(
            problem.X[working], problem.codes[working], problem.classes, problem.target,
            problem.scaling,
        )  # fmt: skip
        # Solve among few examples to the end, then check the others.
        changed, optimal = _solve_part(corral, part, working, gap / 4, lambda: clock() > deadline)
        # Without rounding every step would shorten the combination; if it does not, stop.
        done = not changed or not problem.norm(*corral.hypothesis()) < upper
    return _result(corral, best, upper, optimal and done)


def _solve_part(
    corral: Corral, part: Problem, working: Array, gap: float, late: Callable[[], bool]
) -> tuple[bool, bool]:
    """Add examples of least margin until none helps; return (changed, optimal)."""
    changed, shortest2, stalled = False, inf, 0
    find_worst = _worst_finder(corral, part, working)
    while not late() and stalled < MAX_STALLED:
        point = corral.point()
        worst = find_worst(point)
        norm2 = float(point @ point)
        shortest2, stalled = min(shortest2, norm2), stalled + 1 if norm2 >= shortest2 else 0
        if worst.margin >= norm2 * (1 - gap):
            return changed, True
        known = (worst.i, worst.j) in corral.atoms
        if known or not corral.add(worst.i, worst.j, worst.vector()):
            return changed, True  # rounding hides any further improvement
        changed = True
        if not corral.minimise():
            return changed, False
    return changed, False


class Worst(NamedTuple):
    """The atom (i, j) of least margin."""

    margin: float
    i: int
    j: int
    vector: Callable[[], Array]


def _worst_finder(corral: Corral, part: Problem, working: Array) -> Callable[[Array], Worst]:
    """Return a function that finds the atom of least margin at a point."""
    if part.rows > 1 or sp.issparse(part.X):
        return lambda point: _worst_by_margins(corral, part, working)
    # Dense, two classes: one product with the signed examples, which are made once.
    order = np.argsort(-part.signs, kind="stable")  # positive examples first
    numbers, count = working[order], int((part.signs > 0).sum())
    signed = part.signed_examples(order, np.full(len(order), -1)) * corral.scale

    def worst_pair(point: Array) -> Worst:
        margins = signed @ point
        i, j = int(margins[:count].argmin()), count + int(margins[count:].argmin())
        margin = float(margins[i] + margins[j]) / 2
        return Worst(margin, int(numbers[i]), int(numbers[j]), lambda: (signed[i] + signed[j]) / 2)

    def worst_example(point: Array) -> Worst:
        margins = signed @ point
        i = int(margins.argmin())
        return Worst(float(margins[i]), int(numbers[i]), -1, lambda: signed[i])

    return worst_pair if corral.free else worst_example


def _worst_by_margins(corral: Corral, part: Problem, working: Array) -> Worst:
    """Return the atom of least margin, for more than two classes or sparse data."""
    margins, _ = _margins(part, *corral.hypothesis())
    if corral.free:  # the worst of each class
        ends = [np.flatnonzero(part.signs == sign) for sign in (1, -1)]
        i, j = (int(working[side[margins[side, 0].argmin()]]) for side in ends)
    else:
        row, column = (int(k) for k in np.unravel_index(margins.argmin(), margins.shape))
        i, j = int(working[row]), column if part.rows > 1 else -1
    return Worst(float(margins.min()), i, j, lambda: corral.atom(i, j))


def _add_shortest(corral: Corral) -> None:
    """Add a shortest example, the first atom."""
    problem = corral.problem
    norms2 = np.zeros(problem.X.shape[0])
    for part in problem.chunks():
        block = problem.X[part].astype(float)
        norms2[part] = (block.multiply(block) if sp.issparse(block) else block**2).sum(axis=1)
    i = int(norms2.argmin())
    other = -1
    if corral.free:
        i = int(np.where(problem.signs > 0, norms2, inf).argmin())
        other = int(np.where(problem.signs < 0, norms2, inf).argmin())
    elif problem.rows > 1:
        other = int(problem.codes[i] == 0)
    corral.add(i, other, corral.atom(i, other))


def _margins(problem: Problem, W: Array, b: Array) -> tuple[Array, Array]:
    """Return margins and intercept; a free one is put halfway between the classes."""
    margins = problem.margins(W, b)
    if problem.scaling == inf:
        signs = problem.signs
        shift = (margins[signs < 0].min() - margins[signs > 0].min()) / 2
        return margins + (signs * shift)[:, None], b + shift
    return margins, b


def _working_set(problem: Problem, margins: Array, corral: Corral) -> Array:
    """Return the examples of least margin, which are likely to enter the corral."""
    n, size = len(margins), max(WORKING_SET, 4 * len(corral.atoms))
    if n <= 2 * size:
        return np.arange(n)
    low = margins.min(axis=1)
    chosen = np.argpartition(low, size)[:size]
    if corral.free:  # half of them from each class
        sides = [np.flatnonzero(problem.signs == sign) for sign in (1, -1)]
        chosen = np.concatenate(
            [side[np.argsort(low[side], kind="stable")[: size // 2]] for side in sides]
        )
    return np.sort(chosen)


def _result(
    corral: Corral, best: tuple[float, Array, Array], upper: float, optimal: bool
) -> NearestPoint:
    lower, W, b = best
    support, rivals = np.array(corral.atoms, np.int64).reshape(-1, 2).T
    shares = corral.shares
    if corral.free:  # each pair gives half its share to each of its examples
        both = np.concatenate([support, rivals])
        support, inverse = np.unique(both, return_inverse=True)
        shares = np.bincount(inverse, np.tile(shares / 2, 2))
        rivals = np.full(len(support), -1)
    return NearestPoint(support, rivals, shares, W, b, lower, upper, optimal)
