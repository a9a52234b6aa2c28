"""The search for a certificate in the feature space of a kernel.

The Gram matrix of n examples is that of some vectors in n dimensions, and Wolfe's algorithm finds
the nearest point of their hull. For many examples AdaTron finds it less precisely. The result is
solved for exactly where the kernel allows it.
"""

from __future__ import annotations

import time
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.kernel_run import kernel_runs
from rosenblatt.proofs.checker.feature_space import (
    KernelCertificate,
    bracket,
    exact_gram,
    has_rational_values,
    verdict,
)
from rosenblatt.proofs.checker.problem import Array, Problem
from rosenblatt.proofs.search import rational
from rosenblatt.proofs.search.evidence import SHARE_TOTAL
from rosenblatt.proofs.search.nearest import nearest_point
from rosenblatt.theory import rules
from rosenblatt.theory.similarity import Similarity, fault

MAX_GRAM = 3000  # examples whose Gram matrix is factorised
MAX_PASSES = 50  # of AdaTron, for more examples than that
MAX_SIMPLEX = 60  # examples for the simplex method in integers
MAX_SUPPORT = 400  # examples of a combination that is solved for exactly

Shares = tuple[Fraction, ...]


class Found(NamedTuple):
    """Coefficients of a hypothesis and of a convex combination."""

    support: Array
    hypothesis: Shares
    coefficients: Shares


def proved_similarity(
    kernel: Any, degree: float, gamma: float | None, coef0: float, scaling: float
) -> Similarity:
    """Return a kernel with which something can be proved."""
    if scaling == inf:
        raise ValueError(
            "with a kernel the intercept cannot be free; give a finite intercept_scaling."
        )
    if scaling and not 1e-150 < scaling < 1e150:
        raise ValueError(
            f"intercept_scaling={scaling!r} is too small or too large to be squared; with a kernel "
            "it must be between 1e-150 and 1e150."
        )
    found = Similarity(kernel, degree, gamma, coef0, float(scaling) ** 2)
    if reason := fault(found):
        raise ValueError(reason)
    return found


def certify_in_feature_space(
    problem: Problem, kernel: Similarity, gap: float, deadline: float
) -> KernelCertificate:
    """Search for a certificate in the feature space of a kernel."""
    if len(problem.classes) < 2:
        raise ValueError("y holds a single class; certify needs at least two.")
    found = _duplicates(problem)
    if found is None:
        found = _approximate(problem, kernel, gap, deadline)
        lower, upper, _ = bracket(problem, kernel, *found)
        if lower <= 0 < upper and has_rational_values(kernel):
            found = _solve_exactly(problem, kernel, found, deadline) or found
    lower, upper, exact = bracket(problem, kernel, *found)
    return KernelCertificate(
        verdict=verdict(lower, upper), similarity=kernel,
        classes=problem.classes, target=problem.target, examples=problem.X.shape[0],
        features=problem.X.shape[1], digest=problem.digest(), margin_bracket=(lower, upper),
        **found._asdict(), exact=exact,
    )  # fmt: skip


def _duplicates(problem: Problem) -> Found | None:
    """Look for two equal examples with different labels."""
    first: dict[Any, int] = {}
    for part in problem.chunks():
        for i, key in enumerate(problem.table.keys(part), part.start):
            other = first.setdefault(key, i)
            if problem.signs[other] != problem.signs[i]:
                half = (Fraction(1, 2),) * 2
                return Found(np.array([other, i]), half, half)
    return None


def _approximate(problem: Problem, kernel: Similarity, gap: float, deadline: float) -> Found:
    """Return the dual coefficients of the largest margin, computed in floats."""
    X = problem.X.astype(float)
    if X.shape[0] <= MAX_GRAM:
        with np.errstate(over="ignore", invalid="ignore"):
            gram = kernel.block(X, X)
        if not np.isfinite(gram).all():
            raise ValueError("the kernel's values are too large for floats; scale X first.")
        values, vectors = np.linalg.eigh(gram)
        used = values > values[-1] * 1e-14
        points = np.ascontiguousarray(vectors[:, used] * np.sqrt(values[used]))
        flat = Problem(points, problem.codes, problem.classes, problem.target, 0.0)
        found = nearest_point(flat, gap=gap, deadline=deadline)
        sizes = np.bincount(found.support, found.shares, X.shape[0])
    else:
        y = problem.signs.astype(np.int8)
        rule = rules.RULES["adatron"](gap=gap)
        run = kernel_runs(rule, kernel, X, [y], 0)[0]
        while len(run.passes) < MAX_PASSES and not run.settled and time.monotonic() < deadline:
            run.advance()
        sizes = np.abs(run.h)
    rounded = np.rint(sizes / (sizes.sum() or 1.0) * SHARE_TOTAL)
    numbers = np.array([int(v) for v in rounded], object)
    numbers[int(sizes.argmax())] += SHARE_TOTAL - sum(numbers)
    support = np.flatnonzero(numbers)
    shares = tuple(Fraction(int(v), SHARE_TOTAL) for v in numbers[support])
    return Found(support, shares, shares)


def _solve_exactly(
    problem: Problem, kernel: Similarity, found: Found, deadline: float
) -> Found | None:
    """Look for a zero combination or, with few examples, for either proof.

    With the signed Gram matrix S, S·v > 0 proves separability, and S·u = 0 with u >= 0, u ≠ 0
    inseparability.
    """
    signs = problem.signs.astype(int).astype(object)

    def signed_gram(some: Array) -> Array:
        K, _ = exact_gram(kernel, problem, some, some)
        return signs[some][:, None] * K * signs[some]

    if len(found.support) <= MAX_SUPPORT:
        guess = np.array([float(share) for share in found.coefficients])
        near = rational.null_vector_near(signed_gram(found.support), guess)
        if near is not None and (near >= 0).all() and (near > 0).any():
            return _convex_combination(found.support, near)
    if len(signs) <= MAX_SIMPLEX:
        everyone = np.arange(len(signs))
        solved = rational.gordan(signed_gram(everyone), lambda: time.monotonic() >= deadline)
        if solved is not None and solved[1]:
            return _convex_combination(everyone, solved[0])
        if solved is not None:
            equal = (Fraction(1, len(signs)),) * len(signs)
            return Found(everyone, tuple(Fraction(int(v)) for v in solved[0]), equal)
    return None


def _convex_combination(support: Array, weights: Array) -> Found:
    kept = np.flatnonzero(weights)
    total = sum(weights[kept])
    shares = tuple(Fraction(v) / Fraction(total) for v in weights[kept])
    return Found(support[kept], shares, shares)
