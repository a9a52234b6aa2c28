"""The space of a plan: the one place that selects it, from one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.engine import inputs
from rosenblatt.engine.plan import Plan
from rosenblatt.engine.sentences import Sentences
from rosenblatt.theory import rules
from rosenblatt.theory.spaces import Array, Residual

Builder = Callable[[Plan, Any, Array | None], Any]


def _linear(plan: Plan, X: Any, norms2: Array | None) -> Any:
    """Two classes; with p other than 2, through the link of the p-norm."""
    return inputs.binary_space(X, plan.bias, plan.offset, plan.p, norms2)


def _variances(plan: Plan, X: Any, norms2: Array | None) -> Any:
    """Two classes, with a variance for each weight or for each pair."""
    return inputs.variance_space(_linear(plan, X, norms2), plan.rule)


def _classes(plan: Plan, X: Any, norms2: Array | None) -> Any:
    """Three classes or more, learned by one rule."""
    return inputs.class_space(X, len(plan.classes), plan.bias, plan.scheme, plan.rule, norms2)


def _sequences(plan: Plan, X: Sentences, norms2: Array | None) -> Any:
    """Sentences, whose labels are decoded together."""
    assert plan.sequences is not None
    return X.space(plan.sequences, norms2)


def _residuals(plan: Plan, X: Any, norms2: Array | None) -> Any:
    """Numbers to predict, with or without variances."""
    base = _linear(plan, X, norms2)
    if rules.prior_variance(plan.rule):
        base = inputs.variance_space(base, plan.rule)
    side = np.ones(X.shape[0], np.int8)
    return Residual(base, plan.epsilon, plan.bias, side)


SPACES: dict[str, Builder] = {
    "linear": _linear,
    "link": _linear,
    "variances": _variances,
    "classes": _classes,
    "sequences": _sequences,
    "residuals": _residuals,
}
"""Builders by the name that `Plan.space` has; a rule asks for one by its attribute `space`."""


def build_space(plan: Plan, X: Any, norms2: Array | None = None) -> Any:
    """Return the space of a plan's linear runs over some examples."""
    if plan.space not in SPACES:
        raise ValueError(
            f"the rule {type(plan.rule).__name__} asks for the space {plan.space!r}, which is not "
            f"known; the spaces are {', '.join(SPACES)}."
        )
    return SPACES[plan.space](plan, X, norms2)
