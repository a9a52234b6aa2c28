"""How the hypotheses of the shards become one: sums that are exact about what did not change.

A shard tells only the weights that its pass changed, where that is shorter; those that no shard
changed stay as they are, to the bit, and the hypothesis of a single shard is taken as it is. Sums
go up a tree of fixed shape, so that the same shards give the same bits whoever computes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from rosenblatt.theory import rounding
from rosenblatt.theory.spaces import Array

SHORT = 0.5  # of all weights: up to here numbers and values together are shorter than all values
FAN = 8  # parts that are joined at a time

MIXINGS = ("uniform", "mistakes")
"""Every shard counts alike, or by the updates that it made."""


@dataclass
class Moved:
    """A hypothesis by what differs from the one it came from; a sum of several with their weight.

    >>> came = np.zeros(4)
    >>> one = Moved.of(np.array([0.0, 3.0, 0.0, 0.0]), came)
    >>> other = Moved.of(np.array([0.0, 1.0, 2.0, 0.0]), came)
    >>> Moved.join([one, other], came).mixed(came)
    array([0., 2., 1., 0.])
    """

    values: Array
    index: Array | None = None  # where the values belong; None: everywhere
    weight: float = 1.0
    summed: bool = False  # values are already multiplied by their weights

    @classmethod
    def of(cls, h: Array, came: Array, weight: float = 1.0) -> Moved:
        """What a hypothesis says, having come from another."""
        flat, old = h.ravel(), came.ravel()
        index = np.flatnonzero(flat != old)
        if len(index) > SHORT * len(flat):
            return cls(flat.copy(), None, weight)
        narrow = index.astype(np.uint32) if len(flat) < 2**32 else index
        return cls(flat[index], narrow, weight)

    @classmethod
    def join(cls, parts: list[Moved], came: Array) -> Moved:
        """The sum of hypotheses that all came from one, each times its weight."""
        parts = [part for part in parts if part.weight > 0]
        if len(parts) == 1:
            return parts[0]
        old = came.ravel()
        weight = sum(part.weight for part in parts)
        if not parts:
            return cls(old[:0], np.zeros(0, np.uint32), 0.0)
        index: Array | None = None
        if all(part.index is not None for part in parts):
            index = np.unique(np.concatenate([part.index for part in parts]))
        base = old if index is None else old[index]
        total = np.zeros(len(base))
        for part in parts:
            own = base * part.weight
            values = part.values if part.summed else part.values * part.weight
            if part.index is None:
                own = values
            else:
                own[part.index if index is None else np.searchsorted(index, part.index)] = values
            total += own
        return cls(total, index, weight, summed=True)

    def mixed(self, came: Array) -> Array:
        """The weighted mean, in the shape of the hypothesis that all came from."""
        h = came.ravel().copy()
        if self.weight > 0:
            values = self.values / self.weight if self.summed else self.values
            if self.index is None:
                h = values.copy()
            else:
                h[self.index] = values
        return h.reshape(came.shape)

    @property
    def nbytes(self) -> int:
        """What it takes on the wire."""
        return self.values.nbytes + (0 if self.index is None else self.index.nbytes)


@dataclass
class Stand:
    """Where one run of the whole cluster stands between two rounds."""

    h: Array
    sa: float = 0.0  # sum of the steps: h is sa times a convex combination of signed examples
    upper: float = inf  # no hypothesis has a larger margin
    drift: float = 0.0  # what rounding may have done to h, relative to sa
    total: Array | None = None  # sum of the hypotheses after each visit, for the average,
    visits: int = 0  # over so many visits
    settled: bool = False  # a whole round changed nothing
    from_zero: bool = True  # it began without weights, so that |w|/sa bounds the margin

    @property
    def nbytes(self) -> int:
        """What it takes on the wire."""
        return self.h.nbytes + (0 if self.total is None else self.total.nbytes)


@dataclass
class Part:
    """What shards say of one run after a round, of one of them or of several together."""

    moved: Moved
    sa: float
    upper: float
    drift: float
    visits: int
    updates: int
    mistakes: int
    total: Array | None = None
    shards: list[dict[str, Any]] = field(default_factory=list)  # what each needs to go on

    @classmethod
    def join(cls, parts: list[Part], stand: Stand) -> Part:
        """Several as one."""
        if len(parts) == 1:
            return parts[0]
        moved = Moved.join([part.moved for part in parts], stand.h)
        weights = [part.moved.weight for part in parts]
        whole = sum(weights)
        sa = (
            sum(w * p.sa for w, p in zip(weights, parts, strict=True)) / whole
            if whole
            else stand.sa
        )
        upper, drift = min(part.upper for part in parts), max(part.drift for part in parts)
        totals = [part.total for part in parts if part.total is not None]
        return cls(
            moved, sa, upper, drift,
            sum(part.visits for part in parts), sum(part.updates for part in parts),
            sum(part.mistakes for part in parts),
            sum(totals[1:], totals[0]) if totals else None,
            [one for part in parts for one in part.shards],
        )  # fmt: skip

    def stand(self, before: Stand, norm2: float | None, radius: float) -> Stand:
        """Where the run stands now; `norm2` is <w, w> of a mixed hypothesis."""
        h = self.moved.mixed(before.h) if self.updates else before.h
        upper, drift = self.upper, self.drift
        if norm2 is not None:
            # A mixture is a combination of signed examples as well, and bounds the best margin too.
            drift += rounding.drift(len(self.shards), len(self.shards), radius, h.size, inf)
            upper = min(upper, rounding.ceiling(norm2, self.sa, drift, h.size))
        visits = before.visits + self.visits
        # Where an order does not cover all examples, a pass without updates may not be the last.
        still = self.updates == 0 and all(one["settled"] for one in self.shards)
        return Stand(h, self.sa, upper, drift, self.total, visits, still, before.from_zero)
