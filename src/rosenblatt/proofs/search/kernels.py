"""Looking for a proof in the space of a kernel.

A Gram matrix is that of some vectors in as many dimensions as there are examples: Wolfe's algorithm
finds the nearest point of their hull. For very many examples AdaTron does, with fewer digits. What
floats suggest is made exact where the kernel allows it.
"""

from __future__ import annotations

import time
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from rosenblatt.engine.kernel_run import kernel_runs
from rosenblatt.proofs.checker import feature_space
from rosenblatt.proofs.checker.feature_space import KernelCertificate
from rosenblatt.proofs.checker.problem import Array, Problem
from rosenblatt.proofs.search import exact
from rosenblatt.proofs.search.evidence import ONE
from rosenblatt.proofs.search.nearest import nearest
from rosenblatt.theory import rules
from rosenblatt.theory.similarity import Similarity, fault

MANY = 3000  # examples whose Gram matrix is still taken apart
PASSES = 50  # of the dual ascent at most, for more than those
FEW = 60  # examples for which a simplex method in whole numbers is quick enough
SOME = 400  # examples of a combination that may be solved for exactly

Shares = tuple[Fraction, ...]


def similarity(
    kernel: Any, degree: float, gamma: float | None, coef0: float, scaling: float
) -> Similarity:
    """A kernel of which something can be proved."""
    if scaling == inf:
        raise ValueError("with a kernel the intercept cannot be free; give a finite scaling.")
    if scaling and not 1e-150 < scaling < 1e150:
        raise ValueError(
            f"intercept_scaling={scaling!r} is too small or too large to be squared; with a kernel "
            "take one from 1e-150 to 1e150."
        )
    found = Similarity(kernel, degree, gamma, coef0, float(scaling) ** 2)
    if reason := fault(found):
        raise ValueError(reason)
    return found


def certify(problem: Problem, kernel: Similarity, gap: float, deadline: float) -> KernelCertificate:
    """Prove what can be proved."""
    if len(problem.classes) < 2:
        raise ValueError("y holds one class only; there is nothing to separate.")
    found = _twins(problem)
    if found is None:
        found = _suggested(problem, kernel, gap, deadline)
        lower, upper, _ = feature_space.bracket(problem, kernel, *found)
        if lower <= 0 < upper and feature_space.whole(kernel):
            found = _solved(problem, kernel, found, deadline) or found
    support, hypothesis, shares = found
    lower, upper, exactly = feature_space.bracket(problem, kernel, *found)
    return KernelCertificate(
        verdict=feature_space.verdict(lower, upper), similarity=kernel,
        classes=problem.classes, target=problem.target, examples=problem.X.shape[0],
        features=problem.X.shape[1], digest=problem.digest(), margin_bracket=(lower, upper),
        support=support, hypothesis=hypothesis, coefficients=shares, exact=exactly,
    )  # fmt: skip


def _twins(problem: Problem) -> tuple[Array, Shares, Shares] | None:
    """Two equal examples with different labels."""
    first: dict[Any, int] = {}
    for part in problem.chunks():
        for i, key in enumerate(problem.table.keys(part), part.start):
            other = first.setdefault(key, i)
            if problem.signs[other] != problem.signs[i]:
                half = (Fraction(1, 2),) * 2
                return np.array([other, i]), half, half
    return None


def _suggested(
    problem: Problem, kernel: Similarity, gap: float, deadline: float
) -> tuple[Array, Shares, Shares]:
    """The dual coefficients of the largest margin, as near as floats come."""
    X = problem.X.astype(float)
    if X.shape[0] <= MANY:
        with np.errstate(over="ignore", invalid="ignore"):
            gram = kernel.block(X, X)
        if not np.isfinite(gram).all():
            raise ValueError("the kernel's values are too large for floats; scale X first.")
        values, vectors = np.linalg.eigh(gram)
        used = values > values[-1] * 1e-14
        points = np.ascontiguousarray(vectors[:, used] * np.sqrt(values[used]))
        flat = Problem(points, problem.codes, problem.classes, problem.target, 0.0)
        found = nearest(flat, gap=gap, deadline=deadline)
        sizes = np.bincount(found.support, found.shares, X.shape[0])
    else:
        y = problem.signs.astype(np.int8)
        rule = rules.RULES["adatron"](gap=gap)
        run = kernel_runs(rule, kernel, X, [y], 0, count_errors=False)[0]
        while len(run.passes) < PASSES and not run.settled and time.monotonic() < deadline:
            run.advance()
        sizes = np.abs(run.h)
    numbers = np.array([int(v) for v in np.rint(sizes / (sizes.sum() or 1.0) * ONE)], object)
    numbers[int(sizes.argmax())] += ONE - sum(numbers)
    support = np.flatnonzero(numbers)
    shares = tuple(Fraction(int(v), ONE) for v in numbers[support])
    return support, shares, shares


def _solved(
    problem: Problem, kernel: Similarity, found: tuple[Array, Shares, Shares], deadline: float
) -> tuple[Array, Shares, Shares] | None:
    """A combination that is exactly zero, or for few examples whichever proof there is.

    The signed Gram matrix S says it all: S·v > 0 separates, and S·u = 0 with u >= 0 forbids it.
    """
    support, _, shares = found
    signs = problem.signs.astype(int).astype(object)

    def signed(some: Array) -> Array:
        K, _ = feature_space.gram_exactly(kernel, problem, some, some)
        return signs[some][:, None] * K * signs[some]

    if len(support) <= SOME:
        near = exact.kernel_near(signed(support), np.array([float(share) for share in shares]))
        if near is not None and (near >= 0).all() and (near > 0).any():
            return _convex(support, near)
    if len(signs) <= FEW:
        everyone = np.arange(len(signs))
        solved = exact.gordan(signed(everyone), lambda: time.monotonic() >= deadline)
        if solved is not None and solved[1]:
            return _convex(everyone, solved[0])
        if solved is not None:
            even = (Fraction(1, len(signs)),) * len(signs)
            return everyone, tuple(Fraction(int(v)) for v in solved[0]), even
    return None


def _convex(support: Array, weights: Array) -> tuple[Array, Shares, Shares]:
    kept = np.flatnonzero(weights)
    total = sum(weights[kept])
    shares = tuple(Fraction(v) / Fraction(total) for v in weights[kept])
    return support[kept], shares, shares
