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

from rosenblatt import greedy, journal, loops, orders, rules, spaces
from rosenblatt.journal import Updates
from rosenblatt.loops import Counters
from rosenblatt.readouts import Last
from rosenblatt.spaces import Array
from rosenblatt.standing import Pass, Progress, Standing

__all__ = ["EPS", "Pass", "Progress", "Run"]

BUFFER = 1 << 16  # updates between two flushes
CHUNK = 50_000_000  # multiplications between two looks at the clock and the keyboard
EPS = 2.0**-52


class Run(Standing):
    """A rule at work in a space, over labelled examples in some order.

    >>> import numpy as np
    >>> from rosenblatt import inputs, rules
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
        self.settled = self.converged = False
        self.shortfall = inf  # how far the rule may be from what it seeks, after the last pass
        self._lower = -inf
        self.seconds = 0.0
        self._from_zero = self.n.ww == 0.0
        self._buffer = journal.blank(BUFFER)
        self._kept = []
        self._visits = np.zeros(0, np.uint32)
        self._position = 0
        self._drawn = {}
        self._opened = self.n
        self._kernels: dict[Callable[..., Any], Callable[..., Any]] = {}

    # --- the engine -------------------------------------------------------------------------

    def _kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The compiled loop, or the plain one."""
        if not self.compiled:
            return function
        if function not in self._kernels:
            from rosenblatt.compiled import kernel

            self._kernels[function] = kernel(function)
        return self._kernels[function]

    @cached_property
    def _known(self) -> tuple[Any, Any]:
        """The space and the rule as the loop knows them."""
        if not self.compiled:
            return self.space, self.rule
        from rosenblatt.compiled import coded

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
        self._position, self._opened = 0, self.n

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
        self.h, self.n, self.seen = h, Counters(*n), seen
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

    def _slack(self) -> float:
        """What rounding may add to a margin."""
        return self._grain * sqrt(self.n.ww)

    @cached_property
    def _grain(self) -> float:
        return EPS * (float(spaces.features(self.space)) + 3) * self.radius

    def _close(self) -> None:
        """End a pass: count, and see whether it was the last."""
        n, opened = self.n, self._opened
        mistakes, updates = n.mistakes - opened.mistakes, n.k - opened.k
        seeks = rules.gap(self.rule) > 0
        margins = np.empty(len(self.y) if seeks else 0)
        look = self.count_errors or seeks or not updates
        errors, low = self.survey(self.h, margins) if look else (-1, -inf)
        self.passes.append(Pass(n.t - opened.t, updates, mistakes, errors))
        # Once a pass rounding errors are wiped out: those that add up in w, and those of its
        # squared length, which is carried by algebra.
        if self._from_zero:
            spaces.tidy(self.space, self.h)
        self.n = n._replace(ww=self._squared())
        # All margins are positive beyond what rounding could fake: a proof, not a tolerance.
        slack = self._slack()
        if low > slack:
            self._lower = max(self._lower, low / sqrt(self.n.ww))
        if seeks and self._from_zero and not getattr(self.space, "offset", 0.0):
            loss = float(np.maximum(0.0, 1.0 - margins).sum())
            self.shortfall = rules.shortfall(self.rule, self.n.ww, self.n.sa, low, loss)
        still = updates == 0 and (self.order.covers or low > slack)
        self.settled = still or self.reached
        self.converged = self.settled and low > slack

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
        return sqrt(spaces.widest(self.space))

    @property
    def bracket(self) -> tuple[float, float]:
        """Bounds on the best margin in this space that the run itself has proved."""
        if getattr(self.space, "offset", 0.0):
            return -inf, inf  # a fixed offset has no scale to compare margins at
        upper = self.n.upper if self._from_zero else self.radius
        return self._lower, min(upper, self.radius)
