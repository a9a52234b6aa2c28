"""Kernel hypotheses on a budget: support sets, and policies for full ones.

The loop that applies a policy is `rosenblatt.theory.loops.bounded`.
"""

from rosenblatt.theory.budgets.policies import (
    BUDGETS,
    admit,
    find,
    keeps_all,
    named,
    needs_inverse,
    required_rule,
)
from rosenblatt.theory.budgets.support_set import DueStep, SupportSet, rescale, score

__all__ = [
    "BUDGETS",
    "DueStep",
    "SupportSet",
    "admit",
    "find",
    "keeps_all",
    "named",
    "needs_inverse",
    "required_rule",
    "rescale",
    "score",
]
