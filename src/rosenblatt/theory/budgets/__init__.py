"""Kernel hypotheses on a budget: the examples they hold, and what to do when there is no room."""

from rosenblatt.theory.budgets.policies import (
    BUDGETS,
    admit,
    find,
    grows,
    manner,
    named,
    projects,
)
from rosenblatt.theory.budgets.support_set import Held, Visit, shrink, value

__all__ = [
    "BUDGETS",
    "Held",
    "Visit",
    "admit",
    "find",
    "grows",
    "manner",
    "named",
    "projects",
    "shrink",
    "value",
]
