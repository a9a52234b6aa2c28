"""The form of a hypothesis outside the loops: origin, norm, rows and state."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.journal import Updates
from rosenblatt.theory.spaces.space import Array
from rosenblatt.theory.verbs import verb


class Traits(NamedTuple):
    """What is constant about a space while a run learns in it."""

    features: int  # the bias not counted
    cost: int  # multiplications of a visit, roughly
    copies: float = 1.0  # how often <x, x> counts in a step, at most
    linear: bool = True  # a hypothesis is the plain sum of its steps
    additive: bool = False  # a step adds to each margin a multiple of an inner product of examples
    extra_terms: int = 0  # of a sum, for the rounding error of `squared_norm`
    margin_terms: int = 0  # of a margin, if they may be more than the coordinates of a score
    defers: bool = False  # a step changes few of many weights: sums of hypotheses are deferred


@verb
def traits(space: Any) -> Traits:
    """Return the traits of a space."""
    raise TypeError("not a space")


@verb
def origin(space: Any) -> Array:
    """Return the zero hypothesis."""
    return np.zeros(traits(space).features + 1)


def sum_of_squares(values: Array) -> float:
    """Return the sum of squares; that of BLAS would depend on the number of threads."""
    return float(np.einsum("i,i->", values, values))


@verb
def squared_norm(space: Any, h: Array) -> float:
    """Return <w, w>, computed from h."""
    return sum_of_squares(h.ravel())


@verb
def recentre(space: Any, h: Array) -> None:
    """Remove the mean of the class vectors from h: only rounding can make one."""


@verb
def as_rows(space: Any, h: Array) -> Array:
    """Return a hypothesis as a matrix with a row for each score, the bias last."""
    return h[None, :]


@verb
def from_rows(space: Any, rows: Array) -> Array:
    """Return a hypothesis of these scores; the rest of it is as at the origin."""
    return rows[0].copy()


@verb
def as_state(space: Any, h: Array) -> Array:
    """Return all of a hypothesis in rows that any storage can read, scores first."""
    return as_rows(space, h)


@verb
def from_state(space: Any, state: Array) -> Array:
    """Return the hypothesis of which `as_state` gave these rows."""
    return from_rows(space, state)


@verb
def rivals_exist(space: Any, i: Array, r: Array) -> bool:
    """Return whether r numbers rivals that the examples i may have."""
    return not len(r) or (int(r.min()) >= 0 and int(r.max()) < len(as_rows(space, origin(space))))


@verb
def flipped(space: Any, state: Array) -> Array:
    """Return the state of the opposite hypothesis; variances stay."""
    opposite = state.copy()
    opposite[0] *= -1.0
    return opposite


# --- made of the verbs and of the fields that spaces have in common ------------------------------

SCRATCH = (
    "h32", "scratch", "product", "scores", "shares", "transitions", "emissions", "golds", "path",
    "entries", "counts", "side",
)  # fmt: skip
"""Fields that loops write to."""


def radius2(space: Any) -> float:
    """Return the largest <x, x> that a step can have."""
    base = space
    while hasattr(base, "base"):
        base = base.base
    return float(traits(space).copies) * float(base.norms2.max())


def signed_form(space: Any, y: Array, updates: Updates) -> tuple[Array, Updates]:
    """Return labels and updates by which any reader adds up examples.

    Numbers to predict have no labels: the sign of a step tells to which side it moves the score.
    """
    if not hasattr(space, "side"):
        return y, updates
    signs = 1.0 - 2.0 * updates.r
    return np.ones(len(y), np.int8), updates._replace(a=updates.a * signs, r=0 * updates.r)


def scoring_form(space: Any, h: Array) -> tuple[Any, Array]:
    """Return a space and a hypothesis of the same margins, without variances."""
    if hasattr(space, "rule"):
        return space.base, as_rows(space, h)[0]
    if hasattr(space, "side"):
        base, row = scoring_form(space.base, h)
        return space._replace(base=base), row
    return space, h


def with_own_scratch(space: Any) -> Any:
    """Return the space with scratch of its own, so that runs can go in parallel."""
    own = {name: getattr(space, name).copy() for name in SCRATCH if hasattr(space, name)}
    if hasattr(space, "base"):
        own["base"] = with_own_scratch(space.base)
    return space._replace(**own)


def with_rule(space: Any, rule: Any) -> Any:
    """Return the space with another form of the rule, if there is a rule in it."""
    if hasattr(space, "side"):
        return space._replace(base=with_rule(space.base, rule))
    return space._replace(rule=rule) if hasattr(space, "rule") else space


def weights(space: Any, h: Array) -> tuple[Array, Array]:
    """Return a hypothesis as (coef, intercept), a row for each score."""
    rows = as_rows(space, h)
    return rows[:, :-1].copy(), rows[:, -1] * space.bias + getattr(space, "offset", 0.0)
