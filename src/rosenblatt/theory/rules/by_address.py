"""Rules that compiled loops call by the address of their code.

A loop that contained the rule would have to be compiled for each pair of rule and space. So a loop
is compiled once for each space, a step once for each rule, and any rule works in any loop.

The code of a rule takes its parameters, the fields of `Look`, and room for the scale; it returns
the step.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, c_double, c_int64
from math import nan
from typing import Any, NamedTuple

from rosenblatt.theory.rules.rule import (
    Look,
    Step,
    ball_radius2,
    compares_unit_margins,
    confidence_gain,
    margin_limit,
    mean_shrinks,
    prior_variance,
    reads_norm2,
    step,
)
from rosenblatt.theory.verbs import inner

NUMBERS = POINTER(c_double)
CODE = CFUNCTYPE(c_double, NUMBERS, *[c_double] * 4, c_int64, c_int64, c_double, c_double, NUMBERS)
"""The C type of a rule's code."""


class RuleByAddress(NamedTuple):
    """The addresses of a rule's compiled code, its parameters, and its facts."""

    step: int  # an address
    confidence_gain: int  # an address
    fields: Any
    ball_radius2: float
    margin_limit: float
    reads_norm2: bool
    compares_unit_margins: bool
    mean_shrinks: bool


@inner
def call_address(address: int, fields: Any, s: Look) -> Step:
    """Return what the code at an address makes of parameters and a look."""
    scale = c_double(nan)
    a = CODE(address)(fields.ctypes.data_as(NUMBERS), *s, scale)
    return a, scale.value


# --- functions that are compiled for each rule: a rule and a look make two numbers -------------


@inner
def plain_step(rule: Any, s: Look) -> Step:
    """Return the step."""
    a, c = step(rule, s)
    return a, c


@inner
def step_or_nan(rule: Any, s: Look) -> Step:
    """Return the step, or nan if a rule raises: no exception can leave a loop."""
    try:
        a, c = step(rule, s)
    except Exception:
        return nan, 1.0
    return a, c


@inner
def gain_from_look(rule: Any, s: Look) -> Step:
    """Return the g of `confidence_gain`; m and q of the look stand for its v and a."""
    return confidence_gain(rule, s.m, s.q), 0.0


# --- a loop, for where the verbs cannot be called ----------------------------------------------


def facts(rule: Any, out: Any) -> None:
    """Write the facts of a rule, in the order of `RuleByAddress`, and its prior variance."""
    out[0], out[1] = ball_radius2(rule), margin_limit(rule)
    out[2], out[3] = reads_norm2(rule), compares_unit_margins(rule)
    out[4], out[5] = mean_shrinks(rule), prior_variance(rule)


# --- the verbs of a rule -----------------------------------------------------------------------


@step.of(RuleByAddress)
def _step(rule: RuleByAddress, s: Look) -> Step:
    return call_address(rule.step, rule.fields, s)


@confidence_gain.of(RuleByAddress)
def _confidence_gain(rule: RuleByAddress, v: float, a: float) -> float:
    return call_address(rule.confidence_gain, rule.fields, Look(v, a, 0.0, 0.0, 0, 0, 0.0, 0.0))[0]


@ball_radius2.of(RuleByAddress)
def _ball_radius2(rule: RuleByAddress) -> float:
    return rule.ball_radius2


@margin_limit.of(RuleByAddress)
def _margin_limit(rule: RuleByAddress) -> float:
    return rule.margin_limit


@reads_norm2.of(RuleByAddress)
def _reads_norm2(rule: RuleByAddress) -> bool:
    return rule.reads_norm2


@compares_unit_margins.of(RuleByAddress)
def _compares_unit_margins(rule: RuleByAddress) -> bool:
    return rule.compares_unit_margins


@mean_shrinks.of(RuleByAddress)
def _mean_shrinks(rule: RuleByAddress) -> bool:
    return rule.mean_shrinks
