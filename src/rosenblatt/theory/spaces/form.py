"""The form of a hypothesis: its zero, its squared length, and its rows for use outside the loop."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.spaces.space import Array
from rosenblatt.theory.verbs import verb


class Facts(NamedTuple):
    """What does not change about a space while a run learns in it."""

    features: int  # the bias not counted
    cost: int  # multiplications of a visit, roughly
    copies: float = 1.0  # how often <x, x> counts in a step, at most
    linear: bool = True  # a hypothesis is the plain sum of its steps
    additive: bool = False  # a step adds to each margin a multiple of an inner product of examples
    extra_terms: int = 0  # of a sum whose error is what `squared` has beyond that of its own sum


@verb
def facts(space: Any) -> Facts:
    """Return the facts about a space."""
    raise TypeError("not a space")


@verb
def origin(space: Any) -> Array:
    """The zero hypothesis."""
    return np.zeros(facts(space).features + 1)


def squares(values: Array) -> float:
    """The sum of the squares; BLAS would share it among threads, and it would depend on them."""
    return float(np.einsum("i,i->", values, values))


@verb
def squared(space: Any, h: Array) -> float:
    """<w, w>, afresh."""
    return squares(h.ravel())


@verb
def tidy(space: Any, h: Array) -> None:
    """Take out of h, in place, what only rounding can have put there."""


@verb
def as_rows(space: Any, h: Array) -> Array:
    """A hypothesis as a matrix with a row for each score, the bias last."""
    return h[None, :]


@verb
def from_rows(space: Any, rows: Array) -> Array:
    """A hypothesis from the rows of `as_rows`; what they do not tell is as at the origin."""
    return rows[0].copy()


@verb
def as_state(space: Any, h: Array) -> Array:
    """All that a hypothesis holds, in rows that another storage can read; scores come first."""
    return as_rows(space, h)


@verb
def from_state(space: Any, state: Array) -> Array:
    """The inverse of `as_state`."""
    return from_rows(space, state)


@verb
def flipped(space: Any, state: Array) -> Array:
    """The state of the opposite hypothesis: its score changes sides, variances do not."""
    opposite = state.copy()
    opposite[0] *= -1.0
    return opposite


# --- made of the verbs and of the fields that spaces have in common ------------------------------

SCRATCH = ("shadow", "scratch", "product", "scores", "shares")  # fields that loops write to


def radius2(space: Any) -> float:
    """Return the largest <x, x> that a step can have."""
    base = getattr(space, "base", space)
    return float(facts(space).copies) * float(base.norms.max())


def scoring_form(space: Any, h: Array) -> tuple[Any, Array]:
    """Return a space and a hypothesis of the same margins: without variances, if there are any."""
    return (space.base, as_rows(space, h)[0]) if hasattr(space, "rule") else (space, h)


def with_own_scratch(space: Any) -> Any:
    """Return the space with scratch arrays of its own, so that runs may go side by side."""
    own = {name: getattr(space, name).copy() for name in SCRATCH if hasattr(space, name)}
    if hasattr(space, "base"):
        own["base"] = with_own_scratch(space.base)
    return space._replace(**own)


def with_rule(space: Any, rule: Any) -> Any:
    """Return the space with another form of the rule, if there is a rule in it."""
    return space._replace(rule=rule) if hasattr(space, "rule") else space


def weights(space: Any, h: Array) -> tuple[Array, Array]:
    """A hypothesis as (coef, intercept), a row for each score."""
    rows = as_rows(space, h)
    return rows[:, :-1].copy(), rows[:, -1] * space.bias + getattr(space, "offset", 0.0)
