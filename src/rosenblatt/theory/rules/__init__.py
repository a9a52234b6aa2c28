"""Rules: when to update and how far, each from its paper.

A rule is a record with a `step` and a few smaller verbs (`rule.py`); `RULES` lists them by name.
"""

# ruff: noqa: I001 - the order of these imports is that of the table, in docs and elsewhere
from rosenblatt.theory.rules.rule import (
    RULES,
    Look,
    Step,
    ball_radius2,
    shared_margin,
    reads_norm2,
    stopping_gap,
    margin_limit,
    named,
    confidence_gain,
    prior_variance,
    compares_unit_margins,
    mean_shrinks,
    optimality_gap,
    step,
    full_step_only,
)
from rosenblatt.theory.rules.by_address import RuleByAddress
from rosenblatt.theory.rules.fixed import (
    Descent,
    Margin,
    Normalised,
    Plain,
    Relaxation,
    Uneven,
    Winnow,
)
from rosenblatt.theory.rules.adaptive import PA, PA1, PA2, Alma, Ballsep, Dynamic, Mira, Romma
from rosenblatt.theory.rules.second import CW, SCW1, SCW2, Arow, CWVariance, Nherd, Sop
from rosenblatt.theory.rules.dual import Adatron
from rosenblatt.theory.rules.annealed import Maxover, Thermal

__all__ = [
    "CW",
    "PA",
    "PA1",
    "PA2",
    "RULES",
    "SCW1",
    "SCW2",
    "Adatron",
    "Alma",
    "Arow",
    "Ballsep",
    "CWVariance",
    "Descent",
    "Dynamic",
    "Look",
    "Margin",
    "Maxover",
    "Mira",
    "Nherd",
    "Normalised",
    "Plain",
    "Relaxation",
    "Romma",
    "RuleByAddress",
    "Sop",
    "Step",
    "Thermal",
    "Uneven",
    "Winnow",
    "ball_radius2",
    "compares_unit_margins",
    "confidence_gain",
    "full_step_only",
    "margin_limit",
    "mean_shrinks",
    "named",
    "optimality_gap",
    "prior_variance",
    "reads_norm2",
    "shared_margin",
    "step",
    "stopping_gap",
]
