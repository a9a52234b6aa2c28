"""The search for evidence: shortcuts, a perceptron, the nearest point, a linear programme.

Each step is cheaper or surer than the next; none is believed, `Evidence` checks what they find.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.checker.problem import Array, Problem
from rosenblatt.proofs.search import exact
from rosenblatt.proofs.search.evidence import Evidence
from rosenblatt.proofs.search.nearest import Nearest, nearest

PASSES = 200  # of the perceptron at most,
PRODUCTS = 400_000_000  # and about so many multiplications
RETRACED = 2_000  # updates among which a return to an earlier hypothesis is looked for
TRACE = 50_000_000  # numbers that this may keep
TINY = 1e-9  # relative to the data: smaller numbers of a linear programme may be zeros
SMALL = 100_000  # numbers that a simplex method in whole numbers may hold
BATCH = 1_000  # constraints that enter a linear programme at a time


def twins(evidence: Evidence) -> None:
    """Equal examples of different classes, or a zero example without an intercept."""
    problem = evidence.problem
    seen: dict[Any, int] = {}
    keys = problem.table.keys(slice(None))
    for i, key in enumerate(keys):
        first = seen.setdefault(key, i)
        if problem.codes[first] != problem.codes[i] and _against(problem, first, i, evidence):
            return
    if not problem.scaling:
        filled = np.asarray((problem.X != 0).sum(axis=1)).ravel()
        for i in np.flatnonzero(filled == 0)[:1]:
            other = int(problem.codes[i] == 0)
            evidence.zero(np.array([i]), np.array([other]), np.ones(1))


def _against(problem: Problem, i: int, j: int, evidence: Evidence) -> bool:
    """Two equal examples prove inseparability if they stand on different sides."""
    pair = np.array([i, j])
    if problem.rows == 1 and problem.signs[i] == problem.signs[j]:
        return False
    return evidence.zero(pair, problem.codes[pair[::-1]], np.ones(2))


def perceptron(evidence: Evidence, deadline: float) -> None:
    """A run of the plain perceptron: it may separate the data, or return to where it was."""
    from rosenblatt.engine import inputs
    from rosenblatt.engine.run import Run
    from rosenblatt.theory import rules, spaces

    problem = evidence.problem
    bias = 1.0 if problem.scaling == inf else problem.scaling
    if problem.rows == 1:
        space = inputs.binary_space(problem.X, bias)
        y = problem.signs.astype(np.int8)
    else:
        space = inputs.class_space(problem.X, problem.rows, bias)
        y = problem.codes.astype(np.int32)
    run = Run(rules.Plain(), space, y, order="shuffled", rng=0, count_errors=False)
    size = problem.X.nnz if sp.issparse(problem.X) else problem.X.size
    limit = max(3, min(PASSES, PRODUCTS // max(1, size * problem.rows)))
    try:
        for _ in run.passing(limit):
            if time.monotonic() > deadline:
                break
    except ValueError:  # the numbers are too large for it
        return
    if run.settled:
        evidence.weights(*spaces.weights(space, run.h))
    elif problem.width * RETRACED <= TRACE:
        _retrace(evidence, run, bias)


def _retrace(evidence: Evidence, run: Any, bias: float) -> None:
    """Between two visits of the same hypothesis the updates add up to zero: that is a proof."""
    problem, updates = evidence.problem, run.journal().updates
    if run.n.k > len(updates.t):
        return  # the beginning was forgotten
    V = np.zeros((problem.rows, problem.X.shape[1] + 1))
    seen = {V.tobytes(): 0}
    X = problem.X
    for k, (i, r) in enumerate(zip(updates.i[:RETRACED], updates.r, strict=False)):
        x = X[[i]].toarray()[0] if sp.issparse(X) else X[i]
        step = np.append(x, bias)
        if problem.rows == 1:
            V[0] += problem.signs[i] * step
        else:
            V[problem.codes[i]] += step
            V[r] -= step
        V += 0.0
        first = seen.setdefault(V.tobytes(), k + 1)
        if first <= k:
            part = slice(first, k + 1)
            pairs = np.column_stack([updates.i[part], updates.r[part]])
            unique, counts = np.unique(pairs, axis=0, return_counts=True)
            evidence.counted(unique[:, 0], unique[:, 1], counts)
            if evidence.upper == 0:
                return


def hull(evidence: Evidence, gap: float, deadline: float, rationals: bool) -> Nearest:
    """The nearest point of the hull: a bracket of the margin, and often the verdict."""
    problem = evidence.problem
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows proves nothing
        found = nearest(problem, gap=gap, deadline=deadline)
    _use(evidence, found, rationals)
    return found


def _use(evidence: Evidence, found: Nearest, rationals: bool) -> None:
    """Offer a nearest point, first as it is, then made exact."""
    if not all(np.isfinite(part).all() for part in (found.W, found.b, found.shares)):
        return
    if found.lower > -inf:
        evidence.weights(found.W, found.b, rationals)
    # At the origin the corral is a proof, once its weights are solved for exactly; elsewhere it
    # says on which examples the margins of the best hypothesis are equal.
    open_ = rationals and evidence.lower <= 0
    if open_ and not evidence.zero(found.support, found.rivals, found.shares):
        equalise(evidence, found.support, found.rivals, found.W, found.b)
    if evidence.upper > 0:
        evidence.combination(found.support, found.rivals, found.shares)


def equalise(evidence: Evidence, support: Array, rivals: Array, W: Array, b: Array) -> bool:
    """A rational hypothesis near W whose margins on these examples are equal."""
    problem = evidence.problem
    vectors = evidence.vectors(support, rivals)
    guess = np.column_stack([W, b] if problem.scaling else [W]).ravel().astype(float)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            margin = float(np.median(vectors.astype(float) @ guess))
    except OverflowError:  # in one unit these numbers are too large for floats
        return False
    if not np.isfinite(margin):
        return False
    system = np.column_stack([vectors, np.full(len(vectors), -1, object)])
    found = exact.kernel_near(system, np.append(guess, margin))
    if found is None or not found[-1]:
        return False
    return evidence.weights(*halves(problem, found[:-1] * (1 if found[-1] > 0 else -1)))


class Balanced(NamedTuple):
    """A problem with columns of like size, in which floats suggest more than in the given one."""

    problem: Problem
    powers: Array  # each column was multiplied by one, a power of two,
    shift: Array | None  # after this number had been taken from it, if any

    def restored(self, W: Array, b: Array) -> tuple[Array, Array]:
        """The hypothesis of the given problem that has the same scores."""
        W = W * self.powers
        if self.shift is None:
            return W, b
        exactly: Any = np.frompyfunc(Fraction, 1, 1)
        W, b = exactly(W), exactly(b)
        return W, b - W @ self.shift


def balanced(problem: Problem) -> Balanced:
    """The same problem with columns of like size, by powers of two.

    Where floats only approach the numbers and there is an intercept, each column first loses the
    number in its first row, exactly: large numbers that differ little then differ in floats too.
    """
    X, shift = problem.X, None
    if problem.fine is not None and problem.scaling and not sp.issparse(X):
        X, shift = _shifted(problem)
    top = abs(X).max(axis=0)
    top = np.asarray(top.toarray() if sp.issparse(top) else top, float).ravel()
    powers = np.exp2(np.clip(-np.round(np.log2(np.where(top > 0, top, 1.0))), -1000, 1000))
    scaled = X * powers[None, :]
    X = sp.csr_array(scaled) if sp.issparse(X) else np.ascontiguousarray(scaled)
    scaling = 1.0 if problem.scaling else 0.0
    return Balanced(replace(problem, X=X, scaling=scaling, fine=None), powers, shift)


def _shifted(problem: Problem) -> tuple[Array, Array]:
    """The columns that floats only approach, less their first number; what was taken from each."""
    assert problem.fine is not None
    X, shift = problem.X.astype(float), np.full(problem.X.shape[1], Fraction(0), object)
    for j in np.flatnonzero(problem.fine.over):
        own, over = problem.fine.whole[:, j], int(problem.fine.over[j])
        shift[j] = Fraction(int(own[0]), over)
        X[:, j] = [(v - int(own[0])) / over for v in own.tolist()]
    return X, shift


def programme(evidence: Evidence, deadline: float) -> None:
    """max t, z·v >= t, -1 <= v <= 1, by HiGHS, with the constraints that matter.

    A dual solution of value 0 names the examples of a proof of inseparability; a positive t gives
    a separator, or the examples on which an exact one has equal margins.
    """
    level = balanced(evidence.problem)
    problem = level.problem
    with np.errstate(over="ignore", invalid="ignore"):
        first = nearest(problem, deadline=deadline)
    if first.lower > -inf and evidence.weights(*level.restored(first.W, first.b)):
        return
    if evidence.zero(first.support, first.rivals, first.shares):
        return
    chosen = np.column_stack([first.support, first.rivals])
    v = np.column_stack([first.W, first.b] if problem.scaling else [first.W]).ravel()
    while time.monotonic() < deadline:
        margins = _margins(problem, v)
        margins[chosen[:, 0], np.maximum(chosen[:, 1], 0)] = inf
        worst = np.argsort(margins, axis=None, kind="stable")[:BATCH]
        fresh = np.column_stack(np.unravel_index(worst, margins.shape))
        fresh = fresh[np.isfinite(margins[fresh[:, 0], fresh[:, 1]])]
        chosen = np.concatenate([chosen, fresh if problem.rows > 1 else fresh - [0, 1]])
        solved = _solve(problem, chosen, deadline)
        if solved is None:
            return
        t, v, duals = solved
        at = duals > 0
        if evidence.zero(chosen[at, 0], chosen[at, 1], duals[at]):
            return
        strong = duals > TINY
        if evidence.zero(chosen[strong, 0], chosen[strong, 1], duals[strong]):
            return
        W, b = level.restored(*halves(problem, v))
        if evidence.weights(W, b) or not len(fresh):
            return
        if _margins(problem, v).min() >= t - TINY and t > 0:
            equalise(evidence, chosen[strong, 0], chosen[strong, 1], W, b)
            return


def whole(evidence: Evidence, deadline: float) -> None:
    """A simplex method in whole numbers: it needs no float to suggest anything, but time."""
    problem = evidence.problem
    each, rivals = problem.constraints()
    width = problem.width + 1
    if (len(each) + width) * width > SMALL:
        return
    found = exact.gordan(evidence.vectors(each, rivals), lambda: time.monotonic() > deadline)
    if found is None:
        return
    if found[1]:
        at = np.flatnonzero(found[0])
        evidence.counted(each[at], rivals[at], found[0][at])
    else:
        top = max(map(abs, found[0]))  # floats hold the ratios, if not the numbers
        evidence.weights(*halves(problem, np.array([Fraction(v, top) for v in found[0]], object)))


def _solve(problem: Problem, chosen: Array, deadline: float) -> tuple[float, Array, Array] | None:
    """The linear programme of some constraints: its value, its solution, its dual."""
    vectors = problem.vectors(chosen[:, 0], chosen[:, 1])
    stack = sp.hstack if sp.issparse(vectors) else np.hstack
    cost = np.append(np.zeros(vectors.shape[1]), -1.0)
    solved = optimum(cost, stack([-vectors, np.ones((len(chosen), 1))]), [(None, None)], deadline)
    if solved is None:
        return None
    return -float(solved.fun), solved.x[:-1], -np.asarray(solved.ineqlin.marginals)


def optimum(cost: Array, A: Any, more: list[Any], deadline: float) -> Any:
    """min cost·v, A·v <= 0, -1 <= v <= 1 but for the last, whose limits are given."""
    from scipy.optimize import linprog

    solved = linprog(
        cost, A_ub=A, b_ub=np.zeros(A.shape[0]), method="highs-ds",
        bounds=[*[(-1, 1)] * (A.shape[1] - len(more)), *more],
        options={"time_limit": max(0.1, min(deadline - time.monotonic(), 1e6))},
    )  # fmt: skip
    return solved if solved.status == 0 else None


def halves(problem: Problem, v: Array) -> tuple[Array, Array]:
    """A flat hypothesis as weights and intercept."""
    V = v.reshape(problem.rows, -1)
    if problem.scaling:
        return V[:, :-1], V[:, -1]
    return V, np.zeros(problem.rows, V.dtype)


def _margins(problem: Problem, v: Array) -> Array:
    return problem.margins(*halves(problem, v))
