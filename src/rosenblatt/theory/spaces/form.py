"""The form of a hypothesis: its zero, its squared length, and its rows for use outside the loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.theory.spaces.space import Array
from rosenblatt.theory.verbs import verb


@verb
def origin(space: Any) -> Array:
    """The zero hypothesis."""
    return np.zeros(features(space) + 1)


@verb
def features(space: Any) -> int:
    """Number of features, the bias not counted."""
    return int(space.features if hasattr(space, "features") else space.X.shape[1])


def squares(values: Array) -> float:
    """The sum of the squares; BLAS would share it among threads, and it would depend on them."""
    return float(np.einsum("i,i->", values, values))


@verb
def squared(space: Any, h: Array) -> float:
    """<w, w>, afresh."""
    return squares(h.ravel())


@verb
def inexact(space: Any) -> int:
    """How many more terms would have the error that `squared` has beside that of a sum."""
    return 0


@verb
def tidy(space: Any, h: Array) -> None:
    """Take out of h, in place, what only rounding can have put there."""


@verb
def widest(space: Any) -> float:
    """The largest <x, x> that a step can have."""
    return float(space.norms.max())


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


@verb
def bare(space: Any, h: Array) -> tuple[Any, Array]:
    """The same margins with less to look at: a space without variances, and the weights of h."""
    return space, h


@verb
def own(space: Any) -> Any:
    """The same space with scratch of its own, so that runs may go side by side."""
    return space


@verb
def ruled(space: Any, rule: Any) -> Any:
    """The same space with another form of the rule, if there is a rule in it."""
    return space


def weights(space: Any, h: Array) -> tuple[Array, Array]:
    """A hypothesis as (coef, intercept), a row for each score."""
    rows = as_rows(space, h)
    return rows[:, :-1].copy(), rows[:, -1] * space.bias + getattr(space, "offset", 0.0)
