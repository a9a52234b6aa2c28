"""Rules that compiled loops call by the address of their code.

A loop that contained the rule would have to be compiled for each pair of rule and space. So a loop
is compiled once for each space, a step once for each rule, and any rule works in any loop.
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


class RuleByAddress(NamedTuple):
    """The addresses of a rule's compiled code, its parameters, and its facts."""

    step: int  # an address
    narrow: int  # an address
    fields: Any
    ball: float
    level: float
    curious: bool
    scaled: bool
    shrinks: bool


@inner
def call_address(address: int, fields: Any, s: Look) -> Step:
    """Return what the code at an address makes of parameters and a look."""
    raise TypeError("code is called by compiled loops only")


# --- functions that are compiled for each rule: a rule and a look make two numbers -------------


@inner
def plain_step(rule: Any, s: Look) -> Step:
    """Return the step."""
    a, c = step(rule, s)
    return a, c


@inner
def step_or_nan(rule: Any, s: Look) -> Step:
    """Return the step, or nan where a rule raises: no exception can pass through a loop."""
    try:
        a, c = step(rule, s)
    except Exception:
        return nan, 1.0
    return a, c


@inner
def gain_from_look(rule: Any, s: Look) -> Step:
    """Return the g of `narrow`; m and q of the look stand for its v and a."""
    return narrow(rule, s.m, s.q), 0.0


# --- the verbs of a rule -----------------------------------------------------------------------


@step.of(RuleByAddress)
def _step(rule: RuleByAddress, s: Look) -> Step:
    return call_address(rule.step, rule.fields, s)


@narrow.of(RuleByAddress)
def _narrow(rule: RuleByAddress, v: float, a: float) -> float:
    return call_address(rule.narrow, rule.fields, Look(v, a, 0.0, 0.0, 0, 0, 0.0, 0.0))[0]


@ball.of(RuleByAddress)
def _ball(rule: RuleByAddress) -> float:
    return rule.ball


@level.of(RuleByAddress)
def _level(rule: RuleByAddress) -> float:
    return rule.level


@curious.of(RuleByAddress)
def _curious(rule: RuleByAddress) -> bool:
    return rule.curious


@scaled.of(RuleByAddress)
def _scaled(rule: RuleByAddress) -> bool:
    return rule.scaled


@shrinks.of(RuleByAddress)
def _shrinks(rule: RuleByAddress) -> bool:
    return rule.shrinks
