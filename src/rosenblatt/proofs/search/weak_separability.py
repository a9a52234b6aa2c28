"""Weak separability: a hyperplane with examples on it, none on its wrong side.

Inseparable data may have one; then the best margin is exactly zero. Either answer is proved: by
such a hyperplane, or by signed examples with a zero combination that span all others.
"""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.checker.problem import Problem
from rosenblatt.proofs.search import rational
from rosenblatt.proofs.search.evidence import MAX_PRODUCTS, Evidence
from rosenblatt.proofs.search.steps import TINY, solve_linear_programme, split_intercept

MAX_NUMBERS = 20_000_000  # in the linear programme


def decide_weak_separability(evidence: Evidence, deadline: float) -> None:
    """Try to prove that inseparable data are weakly separable, or that they are not."""
    problem = evidence.problem
    rivals = evidence.rivals if problem.rows > 1 else np.full(len(evidence.support), -1)
    if len(evidence.support) * problem.width > MAX_PRODUCTS:
        return
    # If Σ share·z = 0 with positive shares, z·v >= 0 for all z means z·v = 0 for these z, and for
    # all z if these span all others.
    vectors = problem.exact_signed_examples(evidence.support, rivals)
    if rational.rank_at_least(vectors) >= rank_at_most(problem):
        evidence.weakly_separable = False
        return
    constraints = problem.X.shape[0] * max(1, problem.rows - 1)
    if constraints * problem.width > MAX_NUMBERS or time.monotonic() > deadline:
        return
    _find_separator(evidence, deadline)


def rank_at_most(problem: Problem) -> int:
    """Return an upper bound on the rank of the signed examples."""
    constant, zero = problem.table.constant_columns()
    redundant = constant if problem.scaling else zero
    return (int((~redundant).sum()) + bool(problem.scaling)) * max(1, problem.rows - 1)


def _find_separator(evidence: Evidence, deadline: float) -> None:
    """Maximise Σ z·v with z·v >= 0, -1 <= v <= 1: positive if and only if one exists."""
    problem = evidence.problem
    each, columns = problem.constraints()
    vectors = problem.signed_examples(each, columns)
    with np.errstate(over="ignore"):
        squares = vectors.multiply(vectors) if sp.issparse(vectors) else vectors**2
        norms = np.sqrt(squares.sum(axis=1))
    if not np.isfinite(norms).all():  # too large for a linear programme in floats
        return
    cost = -np.asarray(vectors.sum(axis=0)).ravel()
    found = solve_linear_programme(cost, -vectors, [], deadline)
    if found is None or -found.fun <= TINY * float(norms.max()):
        return
    on = np.flatnonzero(vectors @ found.x <= TINY * norms)
    if len(on) * problem.width <= MAX_PRODUCTS:
        exact = problem.exact_signed_examples(each[on], columns[on])
        separator = rational.null_vector_near(exact, found.x)
        if separator is not None:
            evidence.offer_weak_separator(*split_intercept(problem, separator))
