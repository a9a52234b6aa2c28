"""Mixing: how the hypotheses of the shards become one; unchanged weights keep their bits.

A shard sends only the weights that its pass changed, where that is shorter; those that no shard
changed stay as they are, to the bit, and the hypothesis of a single shard is taken as it is. Sums
go up a tree of fixed shape, so that the same shards give the same bits on any workers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from math import inf
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.state import RunState
from rosenblatt.models import VotedRuns
from rosenblatt.theory import rounding
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.readouts import Readout
from rosenblatt.theory.spaces import Array

SHORT = 0.5  # share of changed weights up to which indices and values are shorter than all values
FAN = 8  # parts that are joined at a time

MIXINGS = ("uniform", "mistakes")
"""Every shard counts alike, or by the updates that it made."""


@dataclass
class Moved:
    """A hypothesis, or a weighted sum of several, stored as its changed weights.

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
        """Return h as its difference from `came`, the hypothesis it started from."""
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
class Report:
    """What one shard reports of one run after a round, and needs to go on."""

    visits: int  # of this shard, in all rounds
    updates: int
    mistakes: int
    generator: dict[str, Any]  # state of its random numbers
    radius: float
    errors: int
    lower: float  # margin that is proved on the shard
    settled: bool
    separated: bool
    converged: bool
    made: int  # updates of this round


class Survey(NamedTuple):
    """What a shard finds of a mixture."""

    errors: int
    lower: float  # margin that is proved on the shard


@dataclass
class Part:
    """What shards send of one run after a round, of one of them or of several together."""

    moved: Moved
    counters: Counters  # visits, updates and mistakes of this round; sum of the steps, bound, drift
    readout: Readout  # of this round
    reports: list[Report] = field(default_factory=list)
    votes: list[VotedRuns] = field(default_factory=list)
    surveys: list[Survey] = field(default_factory=list)  # of the mixture before

    @classmethod
    def join(cls, parts: list[Part], before: RunState) -> Part:
        """Several as one."""
        if len(parts) == 1:
            return parts[0]
        moved = Moved.join([part.moved for part in parts], before.hypothesis)
        weights, counters = [part.moved.weight for part in parts], [part.counters for part in parts]
        whole, step_sum = sum(weights), before.counters.step_sum
        if whole:
            step_sum = sum(w * n.step_sum for w, n in zip(weights, counters, strict=True)) / whole
        readout = parts[0].readout
        readout.join([part.readout for part in parts[1:]])
        visits, updates = sum(n.t for n in counters), sum(n.k for n in counters)
        mistakes = sum(n.mistakes for n in counters)
        upper, drift = min(n.upper for n in counters), max(n.drift for n in counters)
        return cls(
            moved,
            Counters(visits, updates, mistakes, step_sum=step_sum, upper=upper, drift=drift),
            readout,
            list(chain.from_iterable(part.reports for part in parts)),
            list(chain.from_iterable(part.votes for part in parts)),
            list(chain.from_iterable(part.surveys for part in parts)),
        )

    @property
    def still(self) -> bool:
        """Whether no shard made an update, and none would on any of its examples."""
        # Where an order does not cover all examples, a pass without updates may not be the last.
        return self.counters.k == 0 and all(one.settled for one in self.reports)

    def mixed(self, before: RunState, bounds: bool, radius: float) -> RunState:
        """The state after the round; `bounds`: |w| over the sum of the steps bounds the margin."""
        n, old = self.counters, before.counters
        h = self.moved.mixed(before.hypothesis) if n.k else before.hypothesis
        upper, drift = n.upper, n.drift
        if bounds and before.from_zero and self.moved.summed and n.k:
            # A mixture is a combination of signed examples as well, and bounds the best margin too.
            shards, norm2 = len(self.reports), float((h * h).sum())
            drift += rounding.drift(shards, shards, radius, h.size, inf)
            upper = min(upper, rounding.ceiling(norm2, n.step_sum, drift, h.size))
        counters = Counters(
            old.t + n.t,
            old.k + n.k,
            old.mistakes + n.mistakes,
            step_sum=n.step_sum,
            upper=upper,
            drift=drift,
        )
        return replace(before, hypothesis=h, counters=counters)
