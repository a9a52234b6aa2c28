"""When to update and how far: every rule of the family, each from its paper."""

# ruff: noqa: I001 - the order of these imports is that of the table, in docs and elsewhere
from rosenblatt.rules.rule import (
    RULES,
    Look,
    Step,
    ball,
    beta,
    curious,
    gap,
    level,
    named,
    shortfall,
    step,
    whole,
)
from rosenblatt.rules.fixed import (
    Descent,
    Margin,
    Normalised,
    Plain,
    Relaxation,
    Uneven,
    Winnow,
)
from rosenblatt.rules.adaptive import (
    PA,
    PA1,
    PA2,
    Alma,
    Ballsep,
    Dynamic,
    Mira,
    Romma,
)
from rosenblatt.rules.dual import Adatron

__all__ = [
    "PA",
    "PA1",
    "PA2",
    "RULES",
    "Adatron",
    "Alma",
    "Ballsep",
    "Descent",
    "Dynamic",
    "Look",
    "Margin",
    "Mira",
    "Normalised",
    "Plain",
    "Relaxation",
    "Romma",
    "Step",
    "Uneven",
    "Winnow",
    "ball",
    "beta",
    "curious",
    "gap",
    "level",
    "named",
    "shortfall",
    "step",
    "whole",
]
