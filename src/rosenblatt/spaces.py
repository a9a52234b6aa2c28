"""Where examples and hypotheses live.

A space is a record of arrays with three verbs: `look` reads an example's margin, `move` adds a
multiple of the example to the hypothesis h, `ahead` fetches an example that is soon to be visited.
The bias is a constant last feature: it has a coordinate in h and counts in <x, x>.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.verbs import inner, reduction, verb

Array = npt.NDArray[Any]


@verb
def look(space: Any, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    """Margin of example i, how often its `size` counts in a step, and its rival (0 for none)."""
    raise TypeError("not a space")


@verb
def lead(space: Any, y: Array, i: int, m: float, r: int) -> float:
    """Margin over the best rival r of an example just looked at; m may be over several rivals."""
    return m


@verb
def size(space: Any, i: int) -> float:
    """<x, x> of example i, the bias included."""
    return space.norms[i]


@verb
def move(space: Any, y: Array, i: int, r: int, a: float, h: Array) -> None:
    """Add a times the signed example to h."""
    raise TypeError("not a space")


@verb
def reach(space: Any, scattered: bool) -> int:
    """About how many cache lines of an example to ask for before it is visited; 0 for none.

    Visits are scattered if they are not in the order in which the examples lie in memory.
    """
    return 0


@verb
def ahead(space: Any, near: int, far: int, lines: int) -> None:
    """Ask memory for an example soon to be visited, and where a later one lies."""


@verb
def shaded(space: Any, visits: int) -> bool:
    """Whether so many visits are quicker with a shadow of the hypothesis; not if rivals share."""
    return False


@verb
def shade(space: Any, h: Array) -> None:
    """Make the shadow that of h."""


@verb
def follow(space: Any, y: Array, i: int, r: int, h: Array) -> None:
    """Make the shadow that of h where a step on example i, against rival r, has changed it."""


@verb
def beyond(space: Any, y: Array, i: int, h: Array, ww: float, level: float) -> bool:
    """Whether the shadow proves that the margin of example i, as `look` has it, is above level."""
    return False


@verb
def length(
    space: Any, y: Array, i: int, h: Array, m: float, q: float, ww: float, a: float, c: float
) -> float:
    """<w, w> after w <- c·w + a·y·x, by algebra from what is known before."""
    return c * c * ww + 2.0 * a * c * m + a * (a * q)


@verb
def rivals(space: Any) -> int:
    """How many classes may share the blame for one mistake."""
    return 1


@verb
def share(space: Any, r: int, s: int) -> tuple[int, float]:
    """The s-th rival and its share of the blame."""
    return r, 1.0


@verb
def sign(space: Any, y: Array, i: int) -> float:
    """The label's sign."""
    return 1.0


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
def cost(space: Any) -> int:
    """About how many multiplications a visit takes."""
    if hasattr(space, "data"):
        return 1 + len(space.data) // max(1, len(space.norms))
    return 1 + int(space.X.shape[1])


@verb
def linear(space: Any) -> bool:
    """Whether a hypothesis is the plain sum of its steps."""
    return True


@verb
def conic(space: Any) -> bool:
    """Whether steps add up to the factors of the examples in w: then they bound the best margin."""
    return True


@verb
def own(space: Any) -> Any:
    """The same space with scratch of its own, so that runs may go side by side."""
    return space


@verb
def ruled(space: Any, rule: Any) -> Any:
    """The same space with another form of the rule, if there is a rule in it."""
    return space


@verb
def additive(space: Any) -> bool:
    """Whether a step adds to each margin a multiple of an inner product of two examples."""
    return False


@verb
def as_rows(space: Any, h: Array) -> Array:
    """A hypothesis as a matrix with a row for each score, the bias last."""
    return h[None, :]


@verb
def from_rows(space: Any, rows: Array) -> Array:
    """A hypothesis from the rows of `as_rows`; what they do not tell is as at the origin."""
    return rows[0].copy()


@verb
def bare(space: Any, h: Array) -> tuple[Any, Array]:
    """The same margins with less to look at: a space without variances, and the weights of h."""
    return space, h


@verb
def as_state(space: Any, h: Array) -> Array:
    """All that a hypothesis holds, in rows that another storage can read; scores come first."""
    return as_rows(space, h)


@verb
def from_state(space: Any, state: Array) -> Array:
    """The inverse of `as_state`."""
    return from_rows(space, state)


def weights(space: Any, h: Array) -> tuple[Array, Array]:
    """A hypothesis as (coef, intercept), a row for each score."""
    rows = as_rows(space, h)
    return rows[:, :-1].copy(), rows[:, -1] * space.bias + getattr(space, "offset", 0.0)


@inner
def prefetch(array: Array, i: int, lines: int) -> None:
    """Ask memory for the first cache lines of array[i]; has an effect in compiled code only."""


class Dense(NamedTuple):
    """Two classes (y is -1 or +1), rows of a C-contiguous matrix; h has d + 1 coordinates."""

    X: Array
    norms: Array  # <x, x> of each example, the bias included
    bias: float  # the constant feature
    offset: float  # a constant added to every score and never learned
    shadow: Array  # of single-precision data: h in single precision; else empty


@reduction
def dense_square(X: Array, i: int) -> float:
    total = 0.0
    for j in range(X.shape[1]):
        x = np.float64(X[i, j])  # compiled, float() would leave single precision as it is
        total += x * x
    return total


@reduction
def dense_dot(X: Array, i: int, h: Array) -> Any:
    # In the precision of h: with a shadow, single precision throughout needs no conversions and
    # takes twice as many numbers at a time.
    total = h.dtype.type(0)
    for j in range(X.shape[1]):
        total += X[i, j] * h[j]
    return total


@inner
def lengthy(X: Array) -> bool:
    """Whether rows take so long to read that a quick look pays.

    Short ones wait for memory, and a quick look would have their norms fetched besides.
    """
    return X.shape[1] * X.itemsize > 512


@inner
def surely(gap: float, terms: int, q: float, ww: float) -> bool:
    """Whether a margin this far above a level, taken in single precision, is above it in truth.

    A sum of n products is off by at most about n·u·|x||w|, u = 2^-24; rounding h to its shadow and
    the sums in double precision, which decide elsewhere, are covered by some terms more. So is what
    numbers lose that are too small for single precision, as long as neither |x| nor |w| is tiny.
    """
    off = 1.05 * (terms + 8) * 2.0**-24
    return 0.0 < gap < 1e37 and min(q, ww) > 1e-30 and gap * gap > off * off * q * ww


# No sum, so nothing to reassociate; and product and sum are rounded one by one on every machine, so
# that a journal replays to the bit.
@inner
def dense_add(X: Array, i: int, a: float, h: Array) -> None:
    for j in range(X.shape[1]):
        h[j] += a * X[i, j]


@look.of(Dense)
def _look_dense(space: Dense, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    score = dense_dot(space.X, i, h) + space.bias * h[space.X.shape[1]] + space.offset
    return y[i] * score, 1.0, 0


@shaded.of(Dense)
def _shaded_dense(space: Dense, visits: int) -> bool:
    return len(space.shadow) > 0 and space.offset == 0.0 and lengthy(space.X)


@shade.of(Dense)
def _shade_dense(space: Dense, h: Array) -> None:
    for j in range(len(space.shadow)):
        space.shadow[j] = h[j]


@follow.of(Dense)
def _follow_dense(space: Dense, y: Array, i: int, r: int, h: Array) -> None:
    shade(space, h)


@beyond.of(Dense)
def _beyond_dense(space: Dense, y: Array, i: int, h: Array, ww: float, level: float) -> bool:
    d = space.X.shape[1]
    m = y[i] * (dense_dot(space.X, i, space.shadow) + space.bias * h[d])
    return surely(m - level, d, space.norms[i], ww)


@size.of(Dense)
def _size_dense(space: Dense, i: int) -> float:
    # A short row is at hand after the look; its norm would have to be fetched.
    if cache_lines(space.X) <= 8:
        return dense_square(space.X, i) + space.bias * space.bias
    return space.norms[i]


@own.of(Dense)
def _own_dense(space: Dense) -> Dense:
    return space._replace(shadow=space.shadow.copy())


@move.of(Dense)
def _move_dense(space: Dense, y: Array, i: int, r: int, a: float, h: Array) -> None:
    dense_add(space.X, i, a * y[i], h)
    h[space.X.shape[1]] += a * y[i] * space.bias


@length.of(Dense)
def _length_offset(
    space: Any, y: Array, i: int, h: Array, m: float, q: float, ww: float, a: float, c: float
) -> float:
    # The offset is part of the margin but not of <w, x>.
    return c * c * ww + 2.0 * a * c * (m - y[i] * space.offset) + a * (a * q)


@additive.of(Dense)
def _additive_pm(space: Any) -> bool:
    return bool(space.offset == 0.0)


@sign.of(Dense)
def _sign_pm(space: Any, y: Array, i: int) -> float:
    return float(y[i])


@inner
def cache_lines(X: Array) -> int:
    """How many lines of a cache a row takes."""
    return (X.shape[1] * X.itemsize + 63) // 64


@reach.of(Dense)
def _reach_dense(space: Any, scattered: bool) -> int:
    # Rows that follow each other need no asking: the processor sees them coming.
    return min(cache_lines(space.X), 64) if scattered else 0


@ahead.of(Dense)
def _ahead_dense(space: Any, near: int, far: int, lines: int) -> None:
    prefetch(space.X, near, lines)


@inner
def power_sum(values: Array, bias: float, p: float) -> float:
    """Squared p-norm of some values and the bias; the largest is taken out against overflow."""
    largest = abs(bias)
    for j in range(len(values)):
        largest = max(largest, abs(values[j]))
    if largest == 0.0:
        return 0.0
    total = (abs(bias) / largest) ** p
    for j in range(len(values)):
        total += (abs(values[j]) / largest) ** p
    return (largest * total ** (1.0 / p)) ** 2


def dense_norms(X: Array, bias: float, p: float, out: Array) -> None:
    """Squared norms of all examples."""
    for i in range(len(out)):
        out[i] = dense_square(X, i) + bias * bias if p == 2.0 else power_sum(X[i], bias, p)
