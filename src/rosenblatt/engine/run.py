"""A run: a rule at work on one labelled problem, pass after pass.

It feeds the loop with visits in chunks, hands each chunk's updates to the readout, the recorder and
the observers, and knows when to stop. It can be stopped anywhere, saved, restored and continued,
and ends in the same bits as if it had never stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import inf, isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.engine.bracket import Bracketed
from rosenblatt.engine.execution import Prepared, by_address, fast
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.plateau import Plateau
from rosenblatt.engine.recorder import Recorder
from rosenblatt.engine.state import Pass, Position, RunState, State, Stretch
from rosenblatt.storage.atomic import write
from rosenblatt.storage.codec import npz_content, read_npz
from rosenblatt.theory import journal, loops, orders, rules, spaces
from rosenblatt.theory.journal import Journal, Updates
from rosenblatt.theory.loops import Counters, Table, greedy
from rosenblatt.theory.readouts import Last, Readout
from rosenblatt.theory.spaces import CSR, Array, Dense, Residual, Rows, RowsCSR, Sequences

__all__ = ["Pass", "Progress", "Run"]

BUFFER = 1 << 16  # updates between two flushes
CHUNK = 50_000_000  # multiplications between two looks at the clock and the keyboard
PER_WEIGHT = 32  # multiplications of a chunk, at least, for each weight that it copies
SHORT_PASSES = 64  # that are made in one call, at most
HYPOTHESES = 1 << 20  # numbers that may be kept of the hypotheses before each of them


class Progress(NamedTuple):
    """How far a run is."""

    passes: int
    visits: int
    updates: int
    last: Pass | None
    converged: bool
    seconds: float


class Run(Bracketed):
    """A rule at work in a space, over labelled examples in some order.

    >>> import numpy as np
    >>> from rosenblatt.engine import inputs
    >>> from rosenblatt.theory import rules
    >>> X, y = np.array([[2.0, 1.0], [-1.0, -2.0]]), np.array([1, -1], np.int8)
    >>> run = Run(rules.Plain(), inputs.binary_space(X, bias=1.0), y, order="cyclic")
    >>> run.go(10).converged
    True
    """

    makes_short_passes = True
    """Whether its loop is `online`, of which several passes can be made in one call."""

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
        readout: Readout | None = None,
        count_errors: bool = False,
        proves: bool = True,
        keep: int = 100_000,
        criterion: bool = False,
        compiled: bool = True,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.rule, self.space, self.y, self.traits = rule, space, y, spaces.traits(space)
        self.order = order if isinstance(order, orders.Order) else orders.find(order, len(y))
        self._seed = rng
        self.weights = np.ones(1) if weights is None else weights
        self.readout = Last() if readout is None else readout
        self.count_errors, self.compiled, self.observers = count_errors, compiled, observers
        self.proves = proves  # whether a hypothesis that separates the examples proves anything
        self.h = spaces.origin(space) if start is None else np.array(start, float)
        self.dual = np.zeros(len(y) if getattr(rule, "needs_dual", False) else 0)
        self.margin_cache = greedy.empty_margin_cache(space, len(y)) if self.order.pick else None
        self.n = Counters(norm2=0.0 if start is None else self._norm2(self.h))
        self.passes: list[Pass] = []
        self.criterion: list[float] | None = [] if criterion else None
        self.settled = False  # a pass over all examples changed nothing: none ever will
        self.separated = False  # the hypothesis after the last pass is proved to separate them
        self.converged = False  # both
        self.stalled = False  # its passes no longer get better: it need not go on
        self.optimality_gap = inf  # how far w may be from the optimum, after the last pass
        self.lower, self.dual_length = -inf, 0.0
        self.seconds = 0.0
        self.from_zero = start is None or not spaces.as_rows(space, self.h).any()
        self.recorder = Recorder(keep, BUFFER)
        rivals = spaces.rivals(space)
        self._buffer = journal.blank(max(rivals, min(BUFFER, 4 * len(y) * rivals + 1024)))
        self._spare: Array | None = None
        self._visits = np.zeros(0, np.uint32)  # of the pass
        self._position = 0  # in them
        self._drawn: dict[str, Any] = {}  # state of the random numbers before they were drawn
        self.opened, self.entries, self.least, self._scaled = self.n, 0, inf, False

    @cached_property
    def rng(self) -> np.random.Generator:
        """The source of random numbers; most streams need none."""
        return np.random.default_rng(self._seed)

    @cached_property
    def draws(self) -> bool:
        """Whether a pass draws random numbers."""
        return self.order.words is None or self.order.words(len(self.y)) > 0

    # --- how code is executed ---------------------------------------------------------------

    def compiled_form(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The compiled loop, or the plain one."""
        return fast(function) if self.compiled else function

    @cached_property
    def _executed(self) -> tuple[Any, Any]:
        """The space and the rule as the executed loop needs them."""
        if not self.compiled:
            return self.space, self.rule
        rule = by_address(self.rule)
        return spaces.with_rule(self.space, rule), rule

    @cached_property
    def _prepared(self) -> tuple[Any, ...]:
        """What does not change from call to call, as the executed loop needs it."""
        space, rule = self._executed
        fixed = (space, self.y, self.weights, rule, self._buffer)
        return tuple(map(Prepared, fixed)) if self.compiled else fixed

    # --- driving the loop -------------------------------------------------------------------

    def passing(self, limit: int) -> Iterator[Progress]:
        """Go on to the end of pass `limit`, yielding the progress after each pass."""
        while len(self.passes) < limit and not self.settled:
            self.advance()
            yield self.progress()

    def go(self, limit: int) -> Progress:
        """Go on to the end of pass `limit`, or until nothing changes any more."""
        for _ in self.passing(limit):
            pass
        return self.progress()

    def progress(self) -> Progress:
        """How far the run is."""
        last = self.passes[-1] if self.passes else None
        n = self.n
        return Progress(len(self.passes), n.t, n.k, last, self.converged, self.seconds)

    @property
    def rests(self) -> bool:
        """Whether it makes no further pass."""
        return self.settled or self.stalled

    @property
    def part_done(self) -> float:
        """Share of the pass that is done; 1 when it is over."""
        return self._position / max(1, len(self._visits))

    def advance(self, visits: int | None = None, updates: int | None = None) -> int:
        """Advance by at most `visits` visits or `updates` updates, within the pass."""
        started = time.perf_counter()
        if self._position == len(self._visits):
            self._open()
        left = len(self._visits) - self._position
        budget = left if visits is None else min(visits, left)
        room = len(self._buffer.t)
        if updates is not None:
            room = min(updates * spaces.rivals(self.space), room)
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

    # --- several passes in one call -----------------------------------------------------------

    def make_passes(self, most: int, plateau: Plateau) -> int:
        """Make at least one pass and at most `most`, as many as one call can; return how many.

        A pass under way is finished first. It ends no later than the plateau.
        """
        under_way = self._position < len(self._visits)
        alone = under_way or most == 1 or spaces.unmeasured(self.space, 0)
        count = 1 if alone else min(most, self._passes_per_call)
        if count < 2:
            self.advance()
            return 1
        started = time.perf_counter()
        made = self._make_short_passes(count, plateau)
        self.seconds += time.perf_counter() - started
        return made

    @cached_property
    def _passes_per_call(self) -> int:
        """How many passes one call makes: one, unless they are short and nobody looks at them."""
        looks = self.observers or self.count_errors or self.criterion is not None
        chosen = self.order.words is None or self.margin_cache is not None or len(self.dual)
        plain = self.makes_short_passes and self.traits.linear and not self.traits.defers
        if looks or chosen or not plain or rules.stopping_gap(self.rule) > 0:
            return 1
        n = len(self.y) if self.draws else len(self._fixed_visits)
        if len(self._buffer.t) < 2 * n * spaces.rivals(self.space):
            return 1
        kept = HYPOTHESES // self.h.size if self._folds else SHORT_PASSES
        return max(1, min(SHORT_PASSES, CHUNK // (n * self.traits.cost), kept))

    @property
    def _folds(self) -> bool:
        """Whether the readout takes the updates of every pass."""
        return type(self.readout).take is not Readout.take

    def _draw_words(self, count: int) -> tuple[Array, Array]:
        """The visits of a pass, and random words to shuffle them by in each of some passes."""
        if not self.draws:
            return self._fixed_visits, np.zeros((count, 0), np.uint32)
        words = self._words_per_pass
        drawn = orders.random_words(self.rng, count * words)
        return np.empty(len(self.y), np.uint32), drawn.reshape(count, 2 * words)

    @property
    def _words_per_pass(self) -> int:
        assert self.order.words is not None
        return self.order.words(len(self.y))

    def _rewind(self, drawn: Any, passes: int) -> None:
        """Let the random numbers be as after some of the passes that were drawn."""
        words, generator = self._words_per_pass, self.rng.bit_generator
        generator.state = drawn
        generator.random_raw((passes - 1) * words, output=False)
        self._drawn = generator.state  # type: ignore[assignment]
        generator.random_raw(words, output=False)

    def _make_short_passes(self, count: int, plateau: Plateau) -> int:
        drawn = self.rng.bit_generator.state if self.draws else None
        opened, before = self.n, self.h.copy()
        visits, words = self._draw_words(count)
        rows = count if self._folds else 0
        table = Table(
            np.empty((rows, self.h.size)), np.empty((count, 4), np.int64), np.empty((count, 4))
        )
        level, known = plateau.level(len(self.passes) + count), len(self.passes)
        space, y, weights, rule, buffer = self._prepared
        self.h, h = before, self.h
        made, used, n = self.compiled_form(loops.passes)(
            space, y, weights, visits, words, rule, h, self.dual, opened, buffer, self._proof,
            level, known, table,
        )  # fmt: skip
        self.h, self.n = h, Counters._make(n)
        self._visits, self._position = visits, len(visits)
        if drawn is not None:
            self._rewind(drawn, made)
        if not isfinite(self.n.norm2):
            raise self._overflow()
        updates = Updates(*(column[:used].copy() for column in self._buffer))
        self._take_short_passes(updates, before, opened, table, made)
        self._close()
        return made

    def _take_short_passes(
        self, updates: Updates, before: Array, opened: Counters, table: Table, made: int
    ) -> None:
        """Take over what several passes made; the last of them is not closed yet."""
        counts, h, first, last = table.counts[:made].tolist(), self.h, 0, opened
        for number, (t, k, mistakes, stop) in enumerate(counts):
            if self._folds:
                start = table.before[number].reshape(h.shape)
                over = number == made - 1
                self.h = h if over else table.before[number + 1].reshape(h.shape)
                self.readout.take(self, updates.part(first, stop), start, last.t, t)
            if number < made - 1:
                visits, made_k = t - last.t, k - last.k
                self.passes.append(Pass(visits, made_k, mistakes - last.mistakes, -1))
                last, first = last._replace(t=t, k=k, mistakes=mistakes), stop
        norm2, step_sum, upper, drift = table.numbers[made - 1].tolist()
        self.opened = last._replace(
            norm2=norm2, step_sum=step_sum, upper=upper, drift=drift, best_norm2=inf,
            best_step_sum=1.0,
        )  # fmt: skip
        self.entries, self.least, self._scaled = 0, inf, False
        self._count(updates.part(first, len(updates.t)))
        self.recorder.add(updates, before, opened)

    # --- one pass -----------------------------------------------------------------------------

    def _open(self) -> None:
        """Begin a pass."""
        if self.draws:
            self._drawn = self.rng.bit_generator.state  # type: ignore[assignment]
            mix = self.compiled_form(orders.shuffle)
            self._visits = self.order.draw(len(self.y), self.rng, mix)
        else:
            self._visits = self._fixed_visits
        self._position = 0
        self._begin_pass()

    @cached_property
    def _fixed_visits(self) -> Array:
        """The visits of every pass, in an order that draws nothing."""
        no_numbers: Any = None
        return self.order.draw(len(self.y), no_numbers, orders.shuffle)

    def _begin_pass(self) -> None:
        self.n = self.n._replace(best_norm2=inf, best_step_sum=1.0)
        self.opened, self.entries, self.least, self._scaled = self.n, 0, inf, False

    def _count(self, updates: Updates) -> None:
        """Note how many steps a pass makes, the shortest, and whether any of them scales w."""
        if len(updates.a):
            self.entries += len(updates.a)
            self.least = min(self.least, float(updates.a.min()))
            self._scaled = self._scaled or bool((updates.c != 1.0).any())

    def _chunk(self, budget: int, room: int) -> tuple[int, int]:
        """One call of the loop, and the flush of what it wrote."""
        visits = self._visits[self._position : self._position + min(budget, self._chunk_size())]
        before, opened = self._copy_of_h(), self.n
        self.h, h = before, self.h
        cache = self.margin_cache
        if cache is not None:
            self.margin_cache = cache._replace(margins=cache.margins.copy())
        done, used, n = self._visit(visits, h, self._buffer.part(0, room), cache)
        self.n = Counters._make((*n, self.n.upper, self.n.drift))
        self.h, self.margin_cache = h, cache
        if not isfinite(self.n.norm2):
            raise self._overflow()
        self._position += done
        self._flush(self._buffer.part(0, used), before, opened)
        return used, done

    def _copy_of_h(self) -> Array:
        """The hypothesis before a chunk, in memory used again: new pages cost more than a copy."""
        if self._spare is None or self._spare is self.h:  # as after a chunk that was interrupted
            self._spare = np.empty_like(self.h)
        np.copyto(self._spare, self.h)
        return self._spare

    def _flush(self, updates: Updates, before: Array, opened: Counters) -> None:
        """Hand updates to the readout, the recorder and the observers."""
        self._count(updates)
        self.readout.take(self, updates, before, opened.t, self.n.t)
        self.recorder.add(updates, before, opened)
        for observer in self.observers:
            observer.on_chunk(self, updates)

    def _overflow(self) -> ValueError:
        """What to report of weights that are not finite any more."""
        own = not type(self.rule).__module__.startswith("rosenblatt.")
        return ValueError(
            f"the weights overflowed after {self.n.k} updates; scale the features "
            "(for instance with StandardScaler) or bound the step."
            + " If your rule may have raised an error, call it on a Look to see."
            * own
        )

    def _chunk_size(self) -> int:
        """Visits between two flushes."""
        size = self._largest_chunk
        for observer in self.observers:
            if observer.chunk is not None:
                size = min(size, observer.chunk)
        return size

    @cached_property
    def _largest_chunk(self) -> int:
        looks = len(self.y) if self.margin_cache else 1  # at examples, for one visit
        return max(1, max(CHUNK, PER_WEIGHT * self.h.size) // (self.traits.cost * looks))

    def _visit(
        self, visits: Array, h: Array, room: Updates, cache: greedy.MarginCache | None
    ) -> Any:
        """Visit examples, changing h: visits done, journal entries used, counters."""
        space, y, weights, rule, buffer = self._prepared
        data, state = (space, y, weights, visits), (h, self.dual, self.n)
        room = buffer if room is self._buffer else room
        if cache is None:
            return self.compiled_form(loops.online)(*data, rule, *state, room)
        pick = self.order.pick
        return self.compiled_form(greedy.greedy)(*data, pick, rule, *state, room, cache)

    # --- the end of a pass ------------------------------------------------------------------

    def _close(self) -> None:
        """End a pass: count, prove, and see whether it was the last."""
        n, opened = self.n, self.opened
        mistakes, updates = n.mistakes - opened.mistakes, n.k - opened.k
        seeks = rules.stopping_gap(self.rule) > 0
        margins = np.empty(len(self.y) if seeks else 0)
        # Once per pass rounding errors are removed: those that scaling lets grow in w, and those
        # of its squared length, which is carried by algebra.
        if self.from_zero and self._scaled:
            spaces.recentre(self.space, self.h)
        self.n = n._replace(norm2=self._squared())
        # Without a mistake the hypothesis may separate the examples: that is worth a look, as is
        # the hypothesis of a run at rest.
        if self.order.covers and not (updates or self.proves or seeks):
            errors, low = mistakes, -inf  # those of the hypothesis that did not change
        elif self.count_errors or seeks or not mistakes or not updates:
            errors, low = self._review(margins)
        else:
            errors, low = -1, -inf
        self.passes.append(Pass(n.t - opened.t, updates, mistakes, errors))
        self.separated = low > 0.0 and bool(low > self._error(self.n.norm2))
        self._prove(low)
        if seeks and self.from_zero and not getattr(self.space, "offset", 0.0):
            self.optimality_gap = self._optimality_gap(margins, low)
        still = updates == 0 and (self.order.covers or not self._unsettled())
        self.settled = bool(still or self.reached)
        self.converged = self.settled and self.separated
        if self.criterion is not None:
            self.criterion.append(self._criterion())

    def _squared(self) -> float:
        """<w, w> afresh."""
        return self._norm2(self.h)

    def _norm2(self, h: Array) -> float:
        """<w, w> of a hypothesis."""
        if self.traits.linear:  # as between passes that are made in one call
            return float(self.compiled_form(loops.square)(h))
        return float(spaces.squared_norm(self.space, h))

    def _review(self, margins: Array) -> tuple[int, float]:
        """Training mistakes of the hypothesis and its least margin."""
        return self.survey(self.h, margins)

    def _unsettled(self) -> bool:
        """Whether the rule would step on any example; asked where a pass does not visit all."""
        space, rule = self._executed
        asked = self.compiled_form(loops.unsettled)
        return bool(asked(space, self.y, rule, self.h, self.dual, self.n))

    def _criterion(self) -> float:
        """The perceptron criterion: minus the sum of the margins of the mistakes."""
        margins = np.empty(len(self.y))
        self.survey(self.h, margins)
        return float(-np.minimum(margins, 0.0) @ self.example_weights)

    @property
    def example_weights(self) -> Array:
        """The weight of each example."""
        return self.weights if len(self.weights) == len(self.y) else np.ones(len(self.y))

    @property
    def reached(self) -> bool:
        """Whether the rule is as near to what it seeks as it asks to be."""
        return self.optimality_gap <= rules.stopping_gap(self.rule)

    # --- what a readout may ask -------------------------------------------------------------

    @property
    def defers(self) -> bool:
        """Whether sums over hypotheses are deferred."""
        return self.traits.defers

    def add(self, updates: Updates, factors: Array, h: Array) -> None:
        """Add to h the examples of some updates, each times a factor."""
        self.compiled_form(loops.add)(self.space, self.y, updates, factors, h)

    def blend(self, updates: Updates, lives: Array, before: Array) -> Array:
        """Sum of the hypotheses over their lives."""
        if not self.traits.linear:
            h, total = before.copy(), np.zeros_like(before)
            space, _ = self._executed
            self.compiled_form(loops.replay)(space, self.y, updates, lives, h, total)
            return total
        g = np.empty(len(lives))
        self.compiled_form(journal.pull)(updates.c, lives, g)
        h = g[0] * before
        self.add(updates, g[1:] * updates.a, h)
        return h

    def survey(self, h: Array, margins: Array | None = None) -> tuple[int, float]:
        """Training mistakes of a hypothesis and its least margin."""
        out = np.zeros(0) if margins is None else margins
        space, w = spaces.scoring_form(self.space, h)
        y: Any = self.y
        if space is self._executed[0]:
            space, y = self._prepared[:2]
        mistakes, low = self.compiled_form(loops.survey)(space, y, w, out)
        return mistakes, low

    def mistakes(self, h: Array) -> float:
        """Weight of the training examples that h gets wrong."""
        if len(self.weights) == 1:
            return self.survey(h)[0]
        margins = np.empty(len(self.y))
        self.survey(h, margins)
        return float(self.weights[margins <= 0].sum())

    # --- the journal ------------------------------------------------------------------------

    def journal(self) -> Journal:
        """The run as a journal."""
        kept = self.recorder.stretches
        first = kept[0] if kept else Stretch(self.h.copy(), self.n, [], 0)
        labels, updates = spaces.signed_form(self.space, self.y, self.recorder.updates())
        base = self.space.base if isinstance(self.space, Residual) else self.space
        columns = zip(*self.passes, strict=True) if self.passes else [()] * len(Pass._fields)
        return Journal(
            config={
                "rule": type(self.rule).__name__,
                "parameters": self.rule._asdict(),
                "bias": getattr(self.space, "bias", 0.0),
                "from_zero": self.from_zero,
                "linear": isinstance(base, (Dense, CSR, Rows, RowsCSR)),
                **({"sequences": True} if isinstance(self.space, Sequences) else {}),
            },
            start=spaces.as_rows(self.space, first.before),
            started=first.opened.named_for_journal(),
            updates=updates,
            passes={f: list(c) for f, c in zip(Pass._fields, columns, strict=True)},
            counters=self.n.named_for_journal(),
            labels=labels,
        )

    # --- state out and in -------------------------------------------------------------------

    def portable(self, h: Array) -> Array:
        """A hypothesis in rows that another storage can read."""
        return np.asarray(spaces.as_state(self.space, h))

    def native(self, rows: Array) -> Array:
        """The inverse of `portable`, in this run's space."""
        h = np.asarray(spaces.from_state(self.space, rows))
        if h.shape != self.h.shape:  # compiled code would read beyond its end
            raise ValueError(
                f"what was learned has the shape {h.shape}, these data and parameters need "
                f"{self.h.shape}; a parameter was changed, or the file is wrong."
            )
        return h

    def memory(self) -> dict[str, Array]:
        """What this kind of run remembers besides."""
        return {}

    def remember(self, memory: dict[str, Array]) -> None:
        """Take over what `memory` gave."""

    def export_state(self, here: bool = True) -> RunState:
        """The state; `here` includes what is of use on the same examples only."""
        readout = self.readout.copy()
        if not here:
            readout.drop_examples()
        readout.convert(self.portable)
        return RunState(
            hypothesis=self.portable(self.h).copy(order="K"),
            counters=self.n,
            passes=list(self.passes),
            readout=readout,
            from_zero=self.from_zero,
            memory=self.memory(),
            position=self._export_position() if here else None,
        )

    def _export_position(self) -> Position:
        empty = np.zeros(0)
        return Position(
            dual=self.dual,
            margins=empty if self.margin_cache is None else self.margin_cache.margins,
            sizes=empty if self.margin_cache is None else self.margin_cache.norms2,
            visit=self._position,
            opened=self.opened,
            entries=self.entries,
            least=self.least,
            scaled=self._scaled,
            in_pass=bool(len(self._visits)),
            generator=dict(self.rng.bit_generator.state),
            drawn=dict(self._drawn or self.rng.bit_generator.state),
            kept=self.recorder.exported(),
            settled=self.settled,
            separated=self.separated,
            converged=self.converged,
            lower=self.lower,
            seconds=self.seconds,
        )

    def import_state(self, state: RunState) -> None:
        """Go on from a state: of this run, or of an earlier one over other examples."""
        self.h = self.native(state.hypothesis)
        self.readout = state.readout.copy()
        self.readout.convert(self.native)
        self.passes, self.from_zero = list(state.passes), state.from_zero
        self.remember(state.memory)
        if state.position is None:
            self.n = state.counters._replace(norm2=self._norm2(self.h))
            self._forget_margins()
        else:
            self.n = state.counters
            self._import_position(state.position)

    def _import_position(self, position: Position) -> None:
        greedy_order = self.margin_cache is not None
        if greedy_order != bool(len(position.margins)):
            raise ValueError("the state is that of another kind of order than this run's.")
        if len(position.dual) != len(self.dual):
            raise ValueError("position.dual has coefficients of other examples than this run's.")
        if greedy_order and len(position.margins) != len(self.y):
            raise ValueError("position.margins are those of other examples than this run's.")
        counters = self.n
        self.dual = position.dual.copy()
        if self.margin_cache is not None:
            self.margin_cache.margins[:], self.margin_cache.norms2[:] = (
                position.margins,
                position.sizes,
            )
        self.recorder.stretches = list(position.kept)
        self.settled, self.separated = position.settled, position.separated
        self.converged, self.lower = position.converged, position.lower
        self.seconds = position.seconds
        if position.in_pass:
            self.rng.bit_generator.state = position.drawn
            self._open()
            self.opened, self.entries = position.opened, position.entries
            self.least, self._scaled = position.least, position.scaled
        if not 0 <= position.visit <= len(self._visits):
            raise ValueError("position.visit is a visit that the pass does not have.")
        self.n, self._position = counters, position.visit
        self.rng.bit_generator.state = position.generator

    def _forget_margins(self) -> None:
        if self.margin_cache is not None:
            self.margin_cache.margins[:] = nan  # those of another hypothesis

    def begin_round(self, state: RunState, generator: dict[str, Any] | None) -> None:
        """Begin a pass from a mixture; `generator` continues the random numbers, None restarts."""
        if generator is None:
            # Restart the generator, so that a repeated pass draws the same numbers.
            seed: Any = self.rng.bit_generator.seed_seq
            self.rng = np.random.default_rng(seed)
        else:
            self.rng.bit_generator.state = generator
        self.import_state(state)
        self.passes, self.lower, self.recorder.stretches = [], -inf, []
        self._visits, self._position = self._visits[:0], 0
        self.settled = self.converged = False

    def save(self, path: str | Path) -> None:
        """Write the state to a file; `restore` on the same data goes on from there."""
        settings = {"rule": type(self.rule).__name__, "examples": len(self.y)}
        state = State(np.arange(2), [self.export_state()], settings=settings)
        write(path, npz_content(state.to_arrays()))

    def restore(self, path: str | Path) -> Self:
        """Take over a saved state; this run must have been made with the same data and options."""
        try:
            state = State.from_arrays(read_npz(path))
        except ValueError as error:
            raise ValueError(f"{path} cannot be read as a saved run: {error}.") from error
        for what, mine in (("rule", type(self.rule).__name__), ("examples", len(self.y))):
            found = state.settings.get(what)
            if found != mine:
                raise ValueError(f"{path} was saved with {what} {found}, this run has {mine}.")
        try:
            state.runs[0].check_examples(self.space, len(self.y), self.h.shape)
            self.import_state(state.runs[0])
        except ValueError as error:
            raise ValueError(
                f"{path} cannot be restored here: {str(error).rstrip('.')}."
            ) from error
        return self
