"""A rule as compiled loops know it: by the address of its code.

A loop that held the rule itself would have to be compiled anew for each. So a loop is compiled once
for each space, a step once for each rule, and any rule works in any loop.
"""

from __future__ import annotations

from math import nan
from typing import Any, NamedTuple

from rosenblatt.theory.rules.rule import (
    Look,
    Step,
    ball,
    curious,
    level,
    narrow,
    scaled,
    shrinks,
    step,
)
from rosenblatt.theory.verbs import inner


class Coded(NamedTuple):
    """Where a rule's compiled code lies, its parameters, and what it says of itself."""

    step: int  # an address
    narrow: int  # an address
    fields: Any
    ball: float
    level: float
    curious: bool
    scaled: bool
    shrinks: bool


@inner
def call(address: int, fields: Any, s: Look) -> Step:
    """What the code at an address makes of parameters and a look; for compiled loops only."""
    raise TypeError("code is called by compiled loops only")


# --- what there is code for: a rule and a look make two numbers --------------------------------


@inner
def stepped(rule: Any, s: Look) -> Step:
    """The step."""
    a, c = step(rule, s)
    return a, c


@inner
def tried(rule: Any, s: Look) -> Step:
    """The step; no number where a rule raises an error, which cannot pass through a loop."""
    try:
        a, c = step(rule, s)
    except Exception:
        return nan, 1.0
    return a, c


@inner
def narrowed(rule: Any, s: Look) -> Step:
    """The g of `narrow`; m and q of the look stand for its v and a."""
    return narrow(rule, s.m, s.q), 0.0


# --- such a rule is a rule ---------------------------------------------------------------------


@step.of(Coded)
def _step(rule: Coded, s: Look) -> Step:
    return call(rule.step, rule.fields, s)


@narrow.of(Coded)
def _narrow(rule: Coded, v: float, a: float) -> float:
    return call(rule.narrow, rule.fields, Look(v, a, 0.0, 0.0, 0, 0, 0.0, 0.0))[0]


@ball.of(Coded)
def _ball(rule: Coded) -> float:
    return rule.ball


@level.of(Coded)
def _level(rule: Coded) -> float:
    return rule.level


@curious.of(Coded)
def _curious(rule: Coded) -> bool:
    return rule.curious


@scaled.of(Coded)
def _scaled(rule: Coded) -> bool:
    return rule.scaled


@shrinks.of(Coded)
def _shrinks(rule: Coded) -> bool:
    return rule.shrinks
