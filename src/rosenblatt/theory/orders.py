"""Orders in which examples are visited: index arrays drawn from a generator.

Loops never draw random numbers; a run's order is data that can be saved and replayed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.theory.verbs import inner

Array = npt.NDArray[Any]
Shuffler = Callable[[Array, Array], None]

GIVEN, LEAST, VIOLATED, NEAREST = range(4)
"""What chooses the example: the order, or a greedy loop in one of three ways."""

BLOCK = 256  # consecutive examples that the block order keeps together


class Order(NamedTuple):
    """A way to make one pass; `draw(n, rng, shuffle)` returns the visits."""

    draw: Callable[[int, np.random.Generator, Shuffler], Array]
    covers: bool  # every pass visits, or looks at, every example
    pick: int = GIVEN  # unless GIVEN, the loop chooses an example for each visit
    words: Callable[[int], int] | None = None  # random words of 64 bits that a shuffle of n takes


def _index(n: int) -> Array:
    return np.arange(n, dtype=np.uint32 if n < 2**32 else np.int64)


@inner
def shuffle(words: Array, visits: Array) -> None:
    """Shuffle in place as Fisher and Yates do, with one random word for each exchange.

    A word of b bits times the number of choices, over 2^b, is a choice: uniform but for one part
    in 2^b over that number, which no run could ever detect.
    """
    bits = 8 * words.itemsize
    for last in range(len(visits) - 1, 0, -1):
        other = (int(words[last]) * (last + 1)) >> bits
        visits[last], visits[other] = visits[other], visits[last]


def _cyclic(n: int, rng: np.random.Generator, mix: Shuffler) -> Array:
    return _index(n)


def _half_words(n: int) -> int:
    # Words of 32 bits are drawn twice as fast; their products stay within 63 bits for such n.
    return n // 2 + 1


def _no_words(n: int) -> int:
    return 0


def _shuffled(n: int, rng: np.random.Generator, mix: Shuffler) -> Array:
    visits = _index(n)
    mix(random_words(rng, _half_words(n)), visits)
    return visits


def random_words(rng: np.random.Generator, words: int) -> Array:
    """Return random words of 32 bits, as many as `words` of 64 bits hold."""
    return np.asarray(rng.bit_generator.random_raw(words)).view(np.uint32)


def _blocks(n: int, rng: np.random.Generator, mix: Shuffler) -> Array:
    visits, whole = _index(n), n - n % BLOCK
    blocks = rng.permuted(visits[:whole].reshape(-1, BLOCK), axis=1)
    tail = rng.permutation(visits[whole:])
    return np.concatenate([rng.permutation(blocks).ravel(), tail])


def _sampled(n: int, rng: np.random.Generator, mix: Shuffler) -> Array:
    return rng.integers(0, n, n).astype(_index(n).dtype)


def _words(n: int, rng: np.random.Generator, mix: Shuffler) -> Array:
    return random_words(rng, _half_words(n))[:n]


ORDERS = {
    "cyclic": Order(_cyclic, True, words=_no_words),
    "shuffled": Order(_shuffled, True, words=_half_words),
    "blocks": Order(_blocks, True),
    "sampled": Order(_sampled, False),
    "least": Order(_cyclic, True, LEAST),
    "violated": Order(_words, True, VIOLATED),
    "nearest": Order(_cyclic, True, NEAREST),
}
"""Orders by name: as given; a new permutation per pass; permuted blocks of neighbours, which suit
the cache; drawn with replacement. The last three choose, before every visit, among all examples for
which the rule would step: the least margin, a random one, the greatest margin."""


def picks(order: Any) -> bool:
    """Return whether an order by name leaves the choice of examples to the loop."""
    return isinstance(order, str) and order in ORDERS and ORDERS[order].pick != GIVEN


def given(visits: npt.ArrayLike, n: int) -> Order:
    """Return the order that makes the same visits in every pass."""
    fixed = np.asarray(visits)
    if fixed.ndim != 1 or len(fixed) == 0 or fixed.dtype.kind not in "iu":
        raise ValueError("order must be a name or a non-empty list of example numbers.")
    if fixed.min() < 0 or fixed.max() >= n:
        raise ValueError(f"order names an example outside 0 to {n - 1}, the examples given.")
    fixed = fixed.astype(_index(n).dtype)
    covers = len(np.unique(fixed)) == n
    return Order(lambda n, rng, mix: fixed, covers, words=_no_words)


def permuted(visits: Array) -> Order:
    """Return the order of a permutation, which is not checked."""
    fixed = visits.astype(_index(len(visits)).dtype)
    return Order(lambda n, rng, mix: fixed, True, words=_no_words)


def find(order: str | npt.ArrayLike, n: int) -> Order:
    """Return an order by name, or that of the given visits."""
    if isinstance(order, str):
        if order not in ORDERS:
            raise ValueError(f"order={order!r} is not known; take one of {', '.join(ORDERS)}.")
        return ORDERS[order]
    return given(order, n)
