"""A run: the one driver of fit, command line, lab and cluster.

It feeds the loop with visits in chunks, hands each chunk's updates to the readout and the journal,
and knows when to stop. It can be stopped anywhere, saved, restored and continued, and ends in the
same bits as if it had never stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cached_property
from math import inf, isfinite, nan, sqrt
from typing import Any

import numpy as np

from rosenblatt.engine.standing import Pass, Progress, Standing
from rosenblatt.theory import journal, loops, orders, rounding, rules, spaces
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops import Counters, greedy
from rosenblatt.theory.readouts import Last
from rosenblatt.theory.spaces import Array

__all__ = ["Pass", "Progress", "Run"]

SMALLEST = 1e-140  # a number whose square keeps all its digits
BUFFER = 1 << 16  # updates between two flushes
CHUNK = 50_000_000  # multiplications between two looks at the clock and the keyboard


class Run(Standing):
    """A rule at work in a space, over labelled examples in some order.

    >>> import numpy as np
    >>> from rosenblatt.engine import inputs
    >>> from rosenblatt.theory import rules
    >>> X, y = np.array([[2.0, 1.0], [-1.0, -2.0]]), np.array([1, -1], np.int8)
    >>> run = Run(rules.Plain(), inputs.binary_space(X, bias=1.0), y, order="cyclic")
    >>> run.go(10).converged
    True
    """

    def __init__(
        self,
        rule: Any,
        space: Any,
        y: Array,
        *,
        order: Any = "shuffled",
        rng: np.random.Generator | int | None = None,
        weights: Array | None = None,
        start: Array | None = None,
        readout: Last | None = None,
        count_errors: bool = True,
        keep: int = 100_000,
        compiled: bool = True,
    ) -> None:
        self.rule, self.space, self.y = rule, space, y
        self.order = orders.find(order, len(y))
        self.rng = np.random.default_rng(rng)
        self.weights = np.ones(1) if weights is None else weights
        self.readout = Last() if readout is None else readout
        self.count_errors, self.keep, self.compiled = count_errors, keep, compiled
        self.h = spaces.origin(space) if start is None else np.array(start, float)
        self.dual = np.zeros(len(y) if getattr(rule, "needs_dual", False) else 0)
        self.seen = greedy.overlaps(space, len(y)) if self.order.pick else None
        self.n = Counters(ww=spaces.squared(space, self.h))
        self.passes = []
        self.settled = self.converged = self.separated = False
        self.shortfall = inf  # how far the rule may be from what it seeks, after the last pass
        self._lower = -inf
        self._dual_length = 0.0  # of the sum of all examples times their coefficients, at most
        self.seconds = 0.0
        self._from_zero = start is None or not spaces.as_rows(space, self.h).any()
        self._buffer = journal.blank(BUFFER)
        self._kept = []
        self._visits = np.zeros(0, np.uint32)
        self._position = 0
        self._drawn = {}
        self._opened = self.n
        self._entries, self._least, self._scaled = 0, inf, False
        self._kernels: dict[Callable[..., Any], Callable[..., Any]] = {}

    # --- the engine -------------------------------------------------------------------------

    def _kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The compiled loop, or the plain one."""
        if not self.compiled:
            return function
        if function not in self._kernels:
            from rosenblatt.engine.compiled import kernel

            self._kernels[function] = kernel(function)
        return self._kernels[function]

    @cached_property
    def _known(self) -> tuple[Any, Any]:
        """The space and the rule as the loop knows them."""
        if not self.compiled:
            return self.space, self.rule
        from rosenblatt.engine.compiled import coded

        rule = coded(self.rule)
        return spaces.ruled(self.space, rule), rule

    def passing(self, limit: int) -> Iterator[Progress]:
        """Go on to the end of pass `limit`, telling where the run stands after each pass."""
        while len(self.passes) < limit and not self.settled:
            self.advance()
            yield self.progress()

    def go(self, limit: int) -> Progress:
        """Go on to the end of pass `limit`, or until nothing changes any more."""
        for _ in self.passing(limit):
            pass
        return self.progress()

    def advance(self, visits: int | None = None, updates: int | None = None) -> int:
        """Make at most so many visits or updates, but not beyond the end of the pass."""
        started = time.perf_counter()
        if self._position == len(self._visits):
            self._open()
        left = len(self._visits) - self._position
        budget = left if visits is None else min(visits, left)
        room = BUFFER if updates is None else min(updates * spaces.rivals(self.space), BUFFER)
        made = 0
        while made < budget:
            used, done = self._chunk(budget - made, room)
            made += done
            if updates is not None and used:
                break
        if self._position == len(self._visits):
            self._close()
        self.seconds += time.perf_counter() - started
        return made

    def _open(self) -> None:
        """Begin a pass."""
        self._drawn = self.rng.bit_generator.state  # type: ignore[assignment]
        self._visits = self.order.draw(len(self.y), self.rng, self._kernel(orders.shuffle))
        self._position = 0
        self._begin_pass()

    def _begin_pass(self) -> None:
        self.n = self.n._replace(bw=inf, bs=1.0)
        self._opened, self._entries, self._least, self._scaled = self.n, 0, inf, False

    def _count(self, updates: Updates) -> None:
        """Note how many steps a pass makes, the shortest, and whether any of them scales w."""
        if len(updates.a):
            self._entries += len(updates.a)
            self._least = min(self._least, float(updates.a.min()))
            self._scaled = self._scaled or bool((updates.c != 1.0).any())

    def _chunk(self, budget: int, room: int) -> tuple[int, int]:
        """One call of the loop, and the flush of what it wrote."""
        visits = self._visits[self._position : self._position + min(budget, self._size())]
        before, opened = self.h.copy(), self.n
        self.h, h = before, self.h
        seen = self.seen
        if seen is not None:
            self.seen = seen._replace(margins=seen.margins.copy())
        try:
            done, used, n = self._visit(visits, h, self._buffer.part(0, room), seen)
        except Exception as error:
            if not type(error).__module__.startswith("numba."):
                raise
            raise TypeError(
                f"the rule {type(self.rule).__name__} cannot be compiled. Let it use arithmetic, "
                "comparisons and functions of math only; what must be kept goes into a space."
            ) from error
        t, k, mistakes, ww, sa, bw, bs = n
        self.n = self.n._replace(t=t, k=k, mistakes=mistakes, ww=ww, sa=sa, bw=bw, bs=bs)
        self.h, self.seen = h, seen
        if not isfinite(self.n.ww):
            own = not type(self.rule).__module__.startswith("rosenblatt.")
            raise ValueError(
                f"the weights overflowed after {self.n.k} updates; scale the features "
                "(for instance with StandardScaler) or bound the step."
                + " If your rule may have raised an error, call it on a Look to see."
                * own
            )
        self._position += done
        updates = self._buffer.part(0, used)
        self._count(updates)
        self.readout.take(self, updates, before, opened.t, self.n.t)
        self._keep(updates, before, opened)
        return used, done

    def _size(self) -> int:
        """Visits between two flushes."""
        looks = len(self.y) if self.seen else 1  # at examples, for one visit
        return max(1, CHUNK // (self._cost * looks))

    @cached_property
    def _cost(self) -> int:
        return int(spaces.cost(self.space))

    def _visit(self, visits: Array, h: Array, room: Updates, seen: greedy.Overlaps | None) -> Any:
        """Visit examples, changing h: visits done, journal entries used, counters."""
        space, rule = self._known
        data, state = (space, self.y, self.weights, visits), (h, self.dual, self.n, room)
        if seen is None:
            return self._kernel(loops.online)(*data, rule, *state)
        return self._kernel(greedy.greedy)(*data, self.order.pick, rule, *state, seen)

    def _squared(self) -> float:
        """<w, w> afresh."""
        return float(spaces.squared(self.space, self.h))

    @cached_property
    def _shape(self) -> tuple[int, int]:
        """Scores, and coordinates of each."""
        rows, columns = spaces.as_rows(self.space, self.h).shape
        return rows, columns

    @cached_property
    def _terms(self) -> int:
        """The terms of a sum over a hypothesis, as far as its error goes."""
        return self._shape[0] * self._shape[1] + int(spaces.inexact(self.space))

    def _error(self, norm2: float) -> float:
        """What rounding may have done to the margins of a hypothesis of this squared length."""
        length = rounding.longest(norm2, self._terms)
        return rounding.margin_error(self._radius_above, length, self._shape[1])

    def proved_margin(self, h: Array, low: float) -> float:
        """The margin that a hypothesis with this least margin is proved to have."""
        if low <= 0.0 or getattr(self.space, "offset", 0.0) != 0.0:
            return -inf
        norm2 = float(spaces.squared(self.space, h))
        return rounding.floor(low, self._error(norm2), rounding.longest(norm2, self._terms))

    def _close(self) -> None:
        """End a pass: count, and see whether it was the last."""
        n, opened = self.n, self._opened
        mistakes, updates = n.mistakes - opened.mistakes, n.k - opened.k
        seeks = rules.gap(self.rule) > 0
        margins = np.empty(len(self.y) if seeks else 0)
        # Once a pass rounding errors are wiped out: those that scaling lets grow in w, and those of
        # its squared length, which is carried by algebra.
        if self._from_zero and self._scaled:
            spaces.tidy(self.space, self.h)
        self.n = n._replace(ww=self._squared())
        look = self.count_errors or seeks or not updates
        errors, low = self._review(margins) if look else (-1, -inf)
        self.passes.append(Pass(n.t - opened.t, updates, mistakes, errors))
        self.separated = bool(low > self._error(self.n.ww))
        self._prove(low)
        if seeks and self._from_zero and not getattr(self.space, "offset", 0.0):
            self.shortfall = self._shortfall(margins, low)
        still = updates == 0 and (self.order.covers or not self._unsettled())
        self.settled = bool(still or self.reached)
        self.converged = self.settled and self.separated

    def _shortfall(self, margins: Array, low: float) -> float:
        """How far w may be from what the rule seeks, with every rounding error against it."""
        n, error = self.n, self._error(self.n.ww)
        missing = float(np.maximum(0.0, 1.0 - margins).sum())
        length = max(rounding.longest(n.ww, self._terms), self._dual_length)
        steps = n.sa * (1.0 - 4 * (len(self.y) + 16) * rounding.UNIT)
        loss = missing * (1.0 + len(self.y) * rounding.UNIT) + len(self.y) * error
        return float(rules.shortfall(self.rule, length * length, steps, low - error, loss))

    def _review(self, margins: Array) -> tuple[int, float]:
        """Training mistakes of the hypothesis and its least margin."""
        return self.survey(self.h, margins)

    def _prove(self, low: float) -> None:
        """Bracket the best margin by what this pass has shown.

        All margins above what rounding could fake prove a lower end: no tolerance is involved.
        """
        self._lower = max(self._lower, self.proved_margin(self.h, low))
        if self._from_zero and spaces.conic(self.space):
            self.n = self._lowered(self.n)

    def _lowered(self, n: Counters) -> Counters:
        """Counters with the upper end that |w|/sa now proves."""
        if len(self.dual):
            return self._lowered_by_dual(n)
        reach = self._radius_above
        if self._opened.sa > 0.0:
            before = rounding.longest(self._opened.ww, self._terms) / self._opened.sa
            reach = max(reach, before + self._opened.drift)
        scores = self._shape[0]
        drift = n.drift + rounding.drift(self._entries, scores, reach, self._terms, self._least)
        # At the end of the pass <w, w> is computed afresh; on the way it is carried by algebra.
        ends = rounding.ceiling(n.ww, n.sa, drift, self._terms)
        grown = rounding.carried(self._entries, reach, self._terms + scores)
        best = inf
        if SMALLEST < n.bs < 1 / SMALLEST and n.bw > SMALLEST * SMALLEST:  # squares keep digits
            best = rounding.ceiling(n.bw + grown * n.bs * n.bs, n.bs, drift, self._terms)
        return n._replace(upper=min(n.upper, ends, best), drift=drift)

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
        self._kernel(loops.add)(self.space, self.y, entries, self.dual[used], w)
        steps, least = float(self.dual.sum()), float(self.dual[used].min())
        drift = rounding.drift(len(used), 1, self._radius_above, self._terms, least)
        norm2 = float(spaces.squared(self.space, w))
        self._dual_length = rounding.longest(norm2, self._terms) + drift * steps
        return n._replace(
            upper=min(n.upper, rounding.ceiling(norm2, steps, drift, self._terms)), sa=steps
        )

    def _unsettled(self) -> bool:
        """Whether the rule would step on any example; asked where a pass does not visit all."""
        space, rule = self._known
        return bool(self._kernel(loops.unsettled)(space, self.y, rule, self.h, self.dual, self.n))

    @property
    def reached(self) -> bool:
        """Whether the rule is as near to what it seeks as it asks to be."""
        return self.shortfall <= rules.gap(self.rule)

    def resume(self, counters: Counters, passes: list[Pass], from_zero: bool) -> None:
        """Count on from an earlier run over other examples, whose hypothesis this one took over."""
        ww = spaces.squared(self.space, self.h)
        self.n = counters._replace(ww=ww)
        self.passes, self._from_zero = passes, from_zero
        if self.seen is not None:
            self.seen.margins[:] = nan  # those of another hypothesis

    def transplant(
        self, h: Array, counters: Counters, from_zero: bool, readout: Last,
        drawn: dict[str, Any] | None,
    ) -> None:  # fmt: skip
        """Begin a pass from elsewhere; `drawn` is the state of the random numbers, None afresh."""
        self.h, self.readout = h, readout
        if drawn is None:
            # The same numbers as the first time, also if this pass is made once more.
            seed: Any = self.rng.bit_generator.seed_seq
            self.rng = np.random.default_rng(seed)
        else:
            self.rng.bit_generator.state = drawn
        self.resume(counters, [], from_zero)
        self._lower, self._kept, self._visits, self._position = -inf, [], self._visits[:0], 0
        self.settled = self.converged = False

    # --- what a readout may ask -------------------------------------------------------------

    def blend(self, updates: Updates, lives: Array, before: Array) -> Array:
        """Sum of the hypotheses over their lives."""
        if not spaces.linear(self.space):
            h, total = before.copy(), np.zeros_like(before)
            space, _ = self._known
            self._kernel(loops.replay)(space, self.y, updates, lives, h, total)
            return total
        g = np.empty(len(lives))
        self._kernel(journal.pull)(updates.c, lives, g)
        h = g[0] * before
        self._kernel(loops.add)(self.space, self.y, updates, g[1:] * updates.a, h)
        return h

    def survey(self, h: Array, margins: Array | None = None) -> tuple[int, float]:
        """Training mistakes of a hypothesis and its least margin."""
        out = np.zeros(0) if margins is None else margins
        space, w = spaces.bare(self.space, h)
        mistakes, low = self._kernel(loops.survey)(space, self.y, w, out)
        return mistakes, low

    def mistakes(self, h: Array) -> float:
        """Weight of the training examples that h gets wrong."""
        if len(self.weights) == 1:
            return self.survey(h)[0]
        margins = np.empty(len(self.y))
        self.survey(h, margins)
        return float(self.weights[margins <= 0].sum())

    # --- what is known ----------------------------------------------------------------------

    @cached_property
    def radius(self) -> float:
        """The largest length of an example in this space."""
        return sqrt(max(0.0, spaces.widest(self.space)))

    @cached_property
    def _radius_above(self) -> float:
        """No example is longer, whatever rounding has done to the radius."""
        terms = self._shape[1] + int(spaces.inexact(self.space))
        return rounding.longest(spaces.widest(self.space), terms)

    @property
    def bracket(self) -> tuple[float, float]:
        """Bounds on the best margin in this space that the run itself has proved."""
        if getattr(self.space, "offset", 0.0):
            return -inf, inf  # a fixed offset has no scale to compare margins at
        upper = self.n.upper if self._from_zero else inf
        return self._lower, min(upper, self._radius_above)
