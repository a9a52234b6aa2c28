"""Weak separability: a hyperplane with examples on it, but none on its wrong side.

Inseparable data may still have one; then the best margin is exactly zero. Either answer is proved:
by such a hyperplane, or by a combination of examples, zero in sum, that spans all of them.
"""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.checker.problem import Problem
from rosenblatt.proofs.search import exact
from rosenblatt.proofs.search.evidence import EXACT, Evidence
from rosenblatt.proofs.search.steps import TINY, halves, optimum

LARGEST = 20_000_000  # numbers in a linear programme that is worth the wait


def decide(evidence: Evidence, deadline: float) -> None:
    """Settle whether inseparable data are weakly separable, if that can be proved."""
    problem = evidence.problem
    rivals = evidence.rivals if problem.rows > 1 else np.full(len(evidence.support), -1)
    if len(evidence.support) * problem.width > EXACT:
        return
    # z·v >= 0 for examples with zero sum means z·v = 0, so if they span all then v = 0.
    if exact.rank_at_least(evidence.vectors(evidence.support, rivals)) >= ceiling(problem):
        evidence.weakly_separable = False
        return
    constraints = problem.X.shape[0] * max(1, problem.rows - 1)
    if constraints * problem.width > LARGEST or time.monotonic() > deadline:
        return
    _search(evidence, deadline)


def ceiling(problem: Problem) -> int:
    """An upper bound on the rank of the signed examples: columns that say something new."""
    constant, zero = problem.table.constant()
    idle = constant if problem.scaling else zero
    return (int((~idle).sum()) + bool(problem.scaling)) * max(1, problem.rows - 1)


def _search(evidence: Evidence, deadline: float) -> None:
    """max Σ z·v, z·v >= 0, -1 <= v <= 1: positive if and only if there is such a hyperplane."""
    problem = evidence.problem
    each, columns = problem.constraints()
    vectors = problem.vectors(each, columns)
    with np.errstate(over="ignore"):
        squares = vectors.multiply(vectors) if sp.issparse(vectors) else vectors**2
        lengths = np.sqrt(squares.sum(axis=1))
    if not np.isfinite(lengths).all():  # floats suggest nothing of such sizes
        return
    found = optimum(-np.asarray(vectors.sum(axis=0)).ravel(), -vectors, [], deadline)
    if found is None or -found.fun <= TINY * float(lengths.max()):
        return
    on = np.flatnonzero(vectors @ found.x <= TINY * lengths)
    if len(on) * problem.width <= EXACT:
        exactly = exact.kernel_near(evidence.vectors(each[on], columns[on]), found.x)
        if exactly is not None:
            evidence.weakly(*halves(problem, exactly))
