"""The verbs of a rule: when to update, and how far.

A rule is a record of parameters and a `step`: a pure function of the few numbers in `Look` that
returns (a, c), meaning w <- c·w + a·y·x. A step of zero leaves the hypothesis alone.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from rosenblatt.theory.verbs import verb


class Look(NamedTuple):
    """What a rule may read when an example is visited."""

    m: float  # margin y·<w, x>; with many classes the lead over the rival
    q: float  # <x, x>, the bias feature included; with variances v, the variance of <w, x>
    norm2: float  # <w, w>
    b: float  # this example's own dual coefficient (0 unless the rule has `needs_dual`)
    t: int  # visits made before
    k: int  # updates made before
    step_sum: float  # sum of the steps so far
    y: float  # the label's sign; +1 with many classes


Step = tuple[float, float]

RULES: dict[str, type] = {}
"""Rules by name; documentation, estimators, tests and the lab are driven by this table."""


@verb
def step(rule: Any, s: Look) -> Step:
    """Return (a, c), the step and the scale in w <- c·w + a·y·x."""
    raise TypeError(
        "not a rule: give a name from RULES, a record with a step, or a function of Look"
    )


@verb
def ball_radius2(rule: Any) -> float:
    """Return the squared radius of the ball to which w is projected, or inf."""
    return inf


@verb
def shared_margin(rule: Any) -> float:
    """Return the margin that the rule aims at when several rivals share one update."""
    return 0.0


@verb
def reads_norm2(rule: Any) -> bool:
    """Return whether the step depends on q; if not, q is read only once a step is due."""
    return True


@verb
def margin_limit(rule: Any) -> float:
    """Return a margin >= 0 above which the rule never steps; inf for none."""
    return inf


@verb
def compares_unit_margins(rule: Any) -> bool:
    """Return whether a greedy loop compares margins of examples of length 1."""
    return False


@verb
def full_step_only(rule: Any) -> bool:
    """Return whether a longer step would overshoot: then the largest weight is 1."""
    return False


@verb
def prior_variance(rule: Any) -> float:
    """Return the variance of each weight at the start; 0 for rules without variances."""
    return 0.0


@verb
def confidence_gain(rule: Any, v: float, a: float) -> float:
    """Return g: after a step of a, the inverse covariance grows by g·xx'."""
    return 0.0


@verb
def mean_shrinks(rule: Any) -> bool:
    """Return whether the mean is S·u, u a sum of examples, and shrinks as S does."""
    return False


@verb
def stopping_gap(rule: Any) -> float:
    """Return the optimality gap at which a run may end despite updates; 0 for none."""
    return 0.0


@verb
def optimality_gap(rule: Any, norm2: float, step_sum: float, low: float, loss: float) -> float:
    """Return how far w may be from the optimum, relative to it; inf if unknown.

    `low` is the least margin of an example, `loss` the sum of the hinge losses max(0, 1 - m).
    """
    return inf


def named(name: str) -> Any:
    """Register a rule in RULES under a name."""

    def register(kind: type) -> type:
        RULES[name] = kind
        return kind

    return register
