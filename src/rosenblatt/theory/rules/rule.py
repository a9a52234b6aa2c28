"""When to update and how far.

A rule is a record of parameters and a `step`: a pure function of the few numbers in `Look` that
returns (a, c), meaning w <- c·w + a·y·x. A step of zero leaves the hypothesis alone.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from rosenblatt.theory.verbs import verb


class Look(NamedTuple):
    """What a rule may know when an example is visited."""

    m: float  # margin y·<w, x>; with many classes the lead over the rival
    q: float  # <x, x>, the bias feature included; with variances v, the variance of <w, x>
    ww: float  # <w, w>
    b: float  # this example's own dual coefficient (0 unless the rule says it needs it)
    t: int  # visits made before
    k: int  # updates made before
    sa: float  # sum of the steps so far
    y: float  # the label's sign; +1 with many classes


Step = tuple[float, float]

RULES: dict[str, type] = {}
"""Rules by name. Documentation, estimators, tests and controls are all driven by this table."""


@verb
def step(rule: Any, s: Look) -> Step:
    """How far to move: (a, c) in w <- c·w + a·y·x."""
    raise TypeError(
        "not a rule: give a name from RULES, a record with a step, or a function of Look"
    )


@verb
def ball(rule: Any) -> float:
    """Squared radius of the ball that w is projected to after an update; infinite for none."""
    return inf


@verb
def beta(rule: Any) -> float:
    """The margin a rule asks for when several rivals are to share one update."""
    return 0.0


@verb
def curious(rule: Any) -> bool:
    """Whether the step depends on q; if not, q is not fetched before a step is due."""
    return True


@verb
def level(rule: Any) -> float:
    """A margin above which the rule never steps, 0 or more; infinite if there is none."""
    return inf


@verb
def scaled(rule: Any) -> bool:
    """Whether a greedy loop compares the margins of examples scaled to length 1."""
    return False


@verb
def whole(rule: Any) -> bool:
    """Whether a step is a whole that must not be overshot: then only ratios of weights count."""
    return False


@verb
def prior(rule: Any) -> float:
    """Variance of each weight before the first example; 0 for rules that keep no variances."""
    return 0.0


@verb
def narrow(rule: Any, v: float, a: float) -> float:
    """The g by which a step makes us surer of w: the inverse covariance grows by g·xx'."""
    return 0.0


@verb
def shrinks(rule: Any) -> bool:
    """Whether the mean is S·u for a sum u of examples, so that it shrinks where S does."""
    return False


@verb
def gap(rule: Any) -> float:
    """The shortfall at which a run may end though updates are still made; 0 for none."""
    return 0.0


@verb
def shortfall(rule: Any, ww: float, sa: float, low: float, loss: float) -> float:
    """How far w may still be from what the rule seeks, as a part of that; infinite if unknown.

    low is the least margin of an example, loss the sum of what margins lack of 1.
    """
    return inf


def named(name: str) -> Any:
    """Enter a rule in the table under its name."""

    def register(kind: type) -> type:
        RULES[name] = kind
        return kind

    return register
