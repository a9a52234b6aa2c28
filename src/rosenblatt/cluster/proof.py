"""A separator checked on a shard in exact arithmetic, and the space in which weights travel."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.plan import Plan
from rosenblatt.engine.spaces import build_space
from rosenblatt.proofs.checker import Problem
from rosenblatt.proofs.search import Evidence
from rosenblatt.theory.spaces import Array


def separated(
    shard: Any, coef: Array, intercept: Array, classes: Array, bias: float, multiclass: str
) -> float:
    """The least margin that these weights are proved to have on a shard; not positive if none.

    Margins are those of the whole hypothesis, or one-vs-rest of the worst class.
    """
    codes = np.searchsorted(classes, shard.y)
    labels = tuple(classes.tolist())
    if len(classes) == 2 or multiclass == "native":
        problem = Problem(shard.X, codes, labels, None, bias)
        return _proved(problem, coef, intercept)
    found = inf
    for place, label in enumerate(labels):
        problem = Problem(shard.X, codes, labels, label, bias)
        found = min(found, _proved(problem, coef[[place]], intercept[[place]]))
    return found


def _proved(problem: Problem, coef: Array, intercept: Array) -> float:
    evidence = Evidence(problem)
    return evidence.lower if evidence.offer_hypothesis(coef, intercept) else -inf


def space(facts: dict[str, Any], plan: Plan) -> Any:
    """The space of a fit, with one made-up example: enough to turn a hypothesis into weights."""
    shape = (1, facts["features"])
    X: Any = sp.csr_array(shape) if facts["sparse"] else np.zeros(shape)
    return build_space(plan, X)
