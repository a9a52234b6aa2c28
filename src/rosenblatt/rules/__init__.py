"""When to update and how far: every rule of the family, each from its paper."""

# ruff: noqa: I001 - the order of these imports is that of the table, in docs and elsewhere
from rosenblatt.rules.rule import (
    RULES,
    Look,
    Step,
    ball,
    beta,
    curious,
    level,
    measure,
    named,
    step,
    whole,
)
from rosenblatt.rules.fixed import (
    Margin,
    Normalised,
    Plain,
    Relaxation,
    Uneven,
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
from rosenblatt.rules.annealed import (
    Maxover,
    Thermal,
)

__all__ = [
    "PA",
    "PA1",
    "PA2",
    "RULES",
    "Alma",
    "Ballsep",
    "Dynamic",
    "Look",
    "Margin",
    "Maxover",
    "Mira",
    "Normalised",
    "Plain",
    "Relaxation",
    "Romma",
    "Step",
    "Thermal",
    "Uneven",
    "ball",
    "beta",
    "curious",
    "level",
    "measure",
    "named",
    "step",
    "whole",
]
