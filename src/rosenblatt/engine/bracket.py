"""What a run proves on its way: bounds on the best margin that allow for every rounding error."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import inf, sqrt
from typing import Any

import numpy as np

from rosenblatt.theory import loops, rounding, rules, spaces
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.spaces import Array


class Bracketed:
    """The part of a run that bounds the best margin.

    Margins that are all above what rounding could fake prove a lower end; |w| over the sum of the
    steps is an upper end, as long as w is a combination of signed examples.
    """

    rule: Any
    space: Any
    traits: spaces.Traits
    y: Array
    h: Array
    dual: Array
    n: Counters
    lower: float  # margin of the best hypothesis that separated after some pass
    from_zero: bool  # it began without weights
    opened: Counters  # when the pass began
    entries: int  # steps of the pass so far
    least: float  # the shortest of them
    dual_length: float  # of the sum of all examples times their coefficients, at most

    def compiled_form(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function as it is executed."""
        raise NotImplementedError

    @cached_property
    def _shape(self) -> tuple[int, int]:
        """Scores, and coordinates of each."""
        rows, columns = spaces.as_rows(self.space, self.h).shape
        return rows, columns

    @cached_property
    def _terms(self) -> int:
        """The terms of a sum over a hypothesis, as far as its error goes."""
        return self._shape[0] * self._shape[1] + self.traits.extra_terms

    @cached_property
    def radius(self) -> float:
        """The largest length of an example in this space."""
        return sqrt(max(0.0, spaces.radius2(self.space)))

    @cached_property
    def _radius_above(self) -> float:
        """No example is longer, whatever rounding has done to the radius."""
        terms = self._shape[1] + self.traits.extra_terms
        return rounding.longest(spaces.radius2(self.space), terms)

    @property
    def bracket(self) -> tuple[float, float]:
        """Bounds on the best margin in this space that the run itself has proved."""
        if getattr(self.space, "offset", 0.0):
            return -inf, inf  # a fixed offset has no scale to compare margins at
        upper = self.n.upper if self.from_zero else inf
        return self.lower, min(upper, self._radius_above)

    def _error(self, norm2: float) -> float:
        """What rounding may have done to the margins of a hypothesis of this squared length."""
        length = rounding.longest(norm2, self._terms)
        terms = max(self._shape[1], self.traits.margin_terms)
        return rounding.margin_error(self._radius_above, length, terms)

    def proved_margin(self, h: Array, low: float) -> float:
        """The margin that a hypothesis with this least margin is proved to have."""
        if low <= 0.0 or getattr(self.space, "offset", 0.0) != 0.0:
            return -inf
        norm2 = float(spaces.squared_norm(self.space, h))
        return rounding.floor(low, self._error(norm2), rounding.longest(norm2, self._terms))

    @property
    def _proof(self) -> loops.Proof:
        """What the upper end of the best margin depends on."""
        holds = bool(self.from_zero and spaces.conic(self.space))
        return loops.Proof(holds, self._radius_above, self._terms, self._shape[0])

    def _prove(self, low: float) -> None:
        """Bracket the best margin by what this pass has shown."""
        self.lower = max(self.lower, self.proved_margin(self.h, low))
        if self.from_zero and spaces.conic(self.space):
            self.n = self._lowered(self.n)

    def _lowered(self, n: Counters) -> Counters:
        """Counters with the upper end that |w|/step_sum now proves."""
        if len(self.dual):
            return self._lowered_by_dual(n)
        opened = self.opened
        opening = loops.Opening(opened.norm2, opened.step_sum, opened.drift)
        upper, drift = loops.upper_end(opening, n, self.entries, self.least, self._proof)
        return n._replace(upper=upper, drift=drift)

    def _lowered_by_dual(self, n: Counters) -> Counters:
        """The upper end by the sum of all examples, each times its coefficient, taken afresh.

        Where steps are taken back, errors do not shrink with the sum of the steps.
        """
        used = np.flatnonzero(self.dual)
        if not len(used) or self.dual.min() < 0.0:
            return n
        w = spaces.origin(self.space)
        each = np.zeros(len(used))
        entries = Updates(used, used, each.astype(np.int32), each, each)
        self.compiled_form(loops.add)(self.space, self.y, entries, self.dual[used], w)
        steps, least = float(self.dual.sum()), float(self.dual[used].min())
        drift = rounding.drift(len(used), 1, self._radius_above, self._terms, least)
        norm2 = float(spaces.squared_norm(self.space, w))
        self.dual_length = rounding.longest(norm2, self._terms) + drift * steps
        return n._replace(
            upper=min(n.upper, rounding.ceiling(norm2, steps, drift, self._terms)), step_sum=steps
        )

    def _optimality_gap(self, margins: Array, low: float) -> float:
        """How far w may be from what the rule seeks, with every rounding error against it."""
        n, error = self.n, self._error(self.n.norm2)
        missing = float(np.maximum(0.0, 1.0 - margins).sum())
        length = max(rounding.longest(n.norm2, self._terms), self.dual_length)
        steps = n.step_sum * (1.0 - 4 * (len(self.y) + 16) * rounding.UNIT)
        loss = missing * (1.0 + len(self.y) * rounding.UNIT) + len(self.y) * error
        return float(rules.optimality_gap(self.rule, length * length, steps, low - error, loss))
