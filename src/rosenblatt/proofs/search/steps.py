"""Steps of the search for a proof.

They are tried from the cheapest to the most reliable. `Evidence` checks whatever they find.
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
from rosenblatt.proofs.checker.table import ColumnFractions
from rosenblatt.proofs.search import rational
from rosenblatt.proofs.search.evidence import Evidence
from rosenblatt.proofs.search.nearest import NearestPoint, nearest_point

MAX_PASSES = 200  # of the perceptron
MAX_PRODUCTS = 400_000_000  # of the perceptron, approximately
MAX_CYCLE_UPDATES = 2_000  # updates that are searched for a return to an earlier hypothesis
MAX_CYCLE_NUMBERS = 50_000_000  # numbers that this search may keep
TINY = 1e-9  # relative to the data: smaller numbers in a linear programme may be zeros
MAX_TABLEAU = 100_000  # numbers in the tableau of the integer simplex method
BATCH = 1_000  # constraints that enter a linear programme at a time


def duplicates(evidence: Evidence) -> None:
    """Look for equal examples of different classes, or a signed example of zero."""
    problem = evidence.problem
    seen: dict[Any, int] = {}
    keys = problem.table.keys(slice(None))
    for i, key in enumerate(keys):
        first = seen.setdefault(key, i)
        if problem.codes[first] != problem.codes[i] and _offer_pair(evidence, first, i):
            return
    if not problem.scaling:
        filled = np.asarray((problem.X != 0).sum(axis=1)).ravel()
        for i in np.flatnonzero(filled == 0)[:1]:
            other = int(problem.codes[i] == 0)
            evidence.offer_zero_combination(np.array([i]), np.array([other]), np.ones(1))


def _offer_pair(evidence: Evidence, i: int, j: int) -> bool:
    """Offer two equal examples, which prove inseparability if their signs differ."""
    problem = evidence.problem
    pair = np.array([i, j])
    if problem.rows == 1 and problem.signs[i] == problem.signs[j]:
        return False
    return evidence.offer_zero_combination(pair, problem.codes[pair[::-1]], np.ones(2))


def perceptron(evidence: Evidence, deadline: float) -> None:
    """Run the plain perceptron: it may separate the data, or enter a cycle."""
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
    run = Run(rules.Plain(), space, y, order="shuffled", rng=0)
    size = problem.X.nnz if sp.issparse(problem.X) else problem.X.size
    limit = max(3, min(MAX_PASSES, MAX_PRODUCTS // max(1, size * problem.rows)))
    try:
        for _ in run.passing(limit):
            if time.monotonic() > deadline:
                break
    except ValueError:  # an overflow
        return
    if run.settled:
        evidence.offer_hypothesis(*spaces.weights(space, run.h))
    elif problem.width * MAX_CYCLE_UPDATES <= MAX_CYCLE_NUMBERS:
        find_cycle(evidence, run, bias)


def find_cycle(evidence: Evidence, run: Any, bias: float) -> None:
    """Look for a return to an earlier hypothesis: the updates in between sum to zero."""
    problem, updates = evidence.problem, run.journal().updates
    if run.n.k > len(updates.t):
        return  # the journal does not reach back to the start
    V = np.zeros((problem.rows, problem.X.shape[1] + 1))
    seen = {V.tobytes(): 0}
    X = problem.X
    for k, (i, r) in enumerate(zip(updates.i[:MAX_CYCLE_UPDATES], updates.r, strict=False)):
        x = X[[i]].toarray()[0] if sp.issparse(X) else X[i]
        step = np.append(x, bias)
        if problem.rows == 1:
            V[0] += problem.signs[i] * step
        else:
            V[problem.codes[i]] += step
            V[r] -= step
        V += 0.0  # turns -0.0 into 0.0
        first = seen.setdefault(V.tobytes(), k + 1)
        if first <= k:
            part = slice(first, k + 1)
            pairs = np.column_stack([updates.i[part], updates.r[part]])
            unique, counts = np.unique(pairs, axis=0, return_counts=True)
            evidence.offer_counts(unique[:, 0], unique[:, 1], counts)
            if evidence.upper == 0:
                return


def hull(evidence: Evidence, gap: float, deadline: float, exact: bool) -> None:
    """Offer the point of the hull nearest to the origin: it brackets the margin."""
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow proves nothing
        found = nearest_point(evidence.problem, gap=gap, deadline=deadline)
    _offer_nearest(evidence, found, exact)


def _offer_nearest(evidence: Evidence, found: NearestPoint, exact: bool) -> None:
    """Offer a nearest point, first in floats, then solved for exactly."""
    if not all(np.isfinite(part).all() for part in (found.W, found.b, found.shares)):
        return
    if found.lower > -inf:
        evidence.offer_hypothesis(found.W, found.b, exact=exact)
    # At the origin the corral proves inseparability once its shares are solved for exactly;
    # elsewhere it holds the examples on which the best hypothesis has equal margins.
    unproved = exact and evidence.lower <= 0
    if unproved and not evidence.offer_zero_combination(*found.combination):
        equalise_margins(evidence, found.support, found.rivals, found.W, found.b)
    if evidence.upper > 0:
        evidence.offer_combination(*found.combination)


def equalise_margins(evidence: Evidence, support: Array, rivals: Array, W: Array, b: Array) -> None:
    """Offer a rational hypothesis near (W, b) with equal margins on these examples."""
    problem = evidence.problem
    vectors = problem.exact_signed_examples(support, rivals)
    guess = np.column_stack([W, b] if problem.scaling else [W]).ravel().astype(float)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            margin = float(np.median(vectors.astype(float) @ guess))
    except OverflowError:  # with a common unit these integers are too large for floats
        return
    if not np.isfinite(margin):
        return
    system = np.column_stack([vectors, np.full(len(vectors), -1, object)])
    found = rational.null_vector_near(system, np.append(guess, margin))
    if found is not None and found[-1]:
        v = found[:-1] * (1 if found[-1] > 0 else -1)
        evidence.offer_hypothesis(*split_intercept(problem, v))


class ScaledProblem(NamedTuple):
    """A problem with columns of similar size, which suits floats better."""

    problem: Problem
    powers: Array  # each column was multiplied by a power of two, ...
    shift: Array | None  # ... after this number had been subtracted, if any

    def unscale(self, W: Array, b: Array) -> tuple[Array, Array]:
        """Return the hypothesis of the original problem that has the same scores."""
        W = W * self.powers
        if self.shift is None:
            return W, b
        to_fractions: Any = np.frompyfunc(Fraction, 1, 1)
        W, b = to_fractions(W), to_fractions(b)
        return W, b - W @ self.shift


def scale_columns(problem: Problem) -> ScaledProblem:
    """Return the problem with columns scaled to similar size by powers of two.

    If there is an intercept, columns that floats round are first shifted by the number in their
    first row, exactly: large numbers that differ little then differ as floats, too.
    """
    X, shift = problem.X, None
    if problem.fractions is not None and problem.scaling and not sp.issparse(X):
        X, shift = _shift_columns(problem.X, problem.fractions)
    top = abs(X).max(axis=0)
    top = np.asarray(top.toarray() if sp.issparse(top) else top, float).ravel()
    powers = np.exp2(np.clip(-np.round(np.log2(np.where(top > 0, top, 1.0))), -1000, 1000))
    scaled = X * powers[None, :]
    X = sp.csr_array(scaled) if sp.issparse(X) else np.ascontiguousarray(scaled)
    scaling = 1.0 if problem.scaling else 0.0
    scaled_problem = replace(problem, X=X, scaling=scaling, fractions=None)
    return ScaledProblem(scaled_problem, powers, shift)


def _shift_columns(X: Array, fractions: ColumnFractions) -> tuple[Array, Array]:
    """Return X with rounded columns shifted by their first number, and all shifts."""
    X, shift = X.astype(float), np.full(X.shape[1], Fraction(0), object)
    for j in np.flatnonzero(fractions.denominators):
        numerators, denominator = fractions.numerators[:, j], int(fractions.denominators[j])
        first = int(numerators[0])
        shift[j] = Fraction(first, denominator)
        X[:, j] = [(v - first) / denominator for v in numerators.tolist()]
    return X, shift


def linear_programme(evidence: Evidence, deadline: float) -> None:
    """Maximise t with z·v >= t and -1 <= v <= 1, adding constraints in batches.

    A dual solution of value 0 has the examples of a proof of inseparability as its support; a
    positive t gives a separator, or the examples on which an exact one has equal margins.
    """
    scaled = scale_columns(evidence.problem)
    problem = scaled.problem
    with np.errstate(over="ignore", invalid="ignore"):
        first = nearest_point(problem, deadline=deadline)
    if first.lower > -inf and evidence.offer_hypothesis(*scaled.unscale(first.W, first.b)):
        return
    if evidence.offer_zero_combination(*first.combination):
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
        solved = _solve_constraints(problem, chosen, deadline)
        if solved is None:
            return
        t, v, duals = solved
        for active in (duals > 0, duals > TINY):
            support, rivals = chosen[active, 0], chosen[active, 1]
            if evidence.offer_zero_combination(support, rivals, duals[active]):
                return
        W, b = scaled.unscale(*split_intercept(problem, v))
        if evidence.offer_hypothesis(W, b) or not len(fresh):
            return
        strong = duals > TINY
        if _margins(problem, v).min() >= t - TINY and t > 0:
            equalise_margins(evidence, chosen[strong, 0], chosen[strong, 1], W, b)
            return


def integer_simplex(evidence: Evidence, deadline: float) -> None:
    """Decide small problems by a simplex method in integers: slow, but exact."""
    problem = evidence.problem
    each, rivals = problem.constraints()
    width = problem.width + 1
    if (len(each) + width) * width > MAX_TABLEAU:
        return
    vectors = problem.exact_signed_examples(each, rivals)
    found = rational.gordan(vectors, lambda: time.monotonic() > deadline)
    if found is None:
        return
    numbers, inseparable = found
    if inseparable:
        used = np.flatnonzero(numbers)
        evidence.offer_counts(each[used], rivals[used], numbers[used])
    else:
        top = max(map(abs, numbers))  # the ratios fit into floats even if the numbers do not
        v = np.array([Fraction(number, top) for number in numbers], object)
        evidence.offer_hypothesis(*split_intercept(problem, v))


def _solve_constraints(
    problem: Problem, chosen: Array, deadline: float
) -> tuple[float, Array, Array] | None:
    """Return value, solution and dual of the linear programme with these constraints."""
    vectors = problem.signed_examples(chosen[:, 0], chosen[:, 1])
    stack = sp.hstack if sp.issparse(vectors) else np.hstack
    cost = np.append(np.zeros(vectors.shape[1]), -1.0)
    A = stack([-vectors, np.ones((len(chosen), 1))])
    solved = solve_linear_programme(cost, A, [(None, None)], deadline)
    if solved is None:
        return None
    return -float(solved.fun), solved.x[:-1], -np.asarray(solved.ineqlin.marginals)


def solve_linear_programme(
    cost: Array, A: Any, last_bounds: list[tuple[Any, Any]], deadline: float
) -> Any:
    """Minimise cost·v with A·v <= 0, -1 <= v <= 1; the last v have own bounds."""
    from scipy.optimize import linprog

    solved = linprog(
        cost, A_ub=A, b_ub=np.zeros(A.shape[0]), method="highs-ds",
        bounds=[*[(-1, 1)] * (A.shape[1] - len(last_bounds)), *last_bounds],
        options={"time_limit": max(0.1, min(deadline - time.monotonic(), 1e6))},
    )  # fmt: skip
    return solved if solved.status == 0 else None


def split_intercept(problem: Problem, v: Array) -> tuple[Array, Array]:
    """Return weights and intercept of a hypothesis that is given as one vector."""
    V = v.reshape(problem.rows, -1)
    if problem.scaling:
        return V[:, :-1], V[:, -1]
    return V, np.zeros(problem.rows, V.dtype)


def _margins(problem: Problem, v: Array) -> Array:
    return problem.margins(*split_intercept(problem, v))
