"""Runs in kernel form: any rule of the family, its hypothesis a sum over examples.

A run that is stopped between two blocks and continued ends in the same bits; within a block, where
sums are taken in another order, in the same updates but for rounding. Several runs over the same
examples in the same order, such as those of one class against the rest, share every kernel value.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt.engine.kernel_cache import KernelCache
from rosenblatt.engine.run import Run
from rosenblatt.engine.state import RunState
from rosenblatt.models import History, leads
from rosenblatt.theory import loops, rounding, rules, spaces
from rosenblatt.theory.journal import Updates, survivals
from rosenblatt.theory.readouts import Last, Readout
from rosenblatt.theory.rounding import UNIT
from rosenblatt.theory.similarity import fault
from rosenblatt.theory.spaces import SCHEMES, Array, Dual, DualRows, Gram, GramRows

BLOCK = 512


class KernelRun(Run):
    """A rule at work on examples known by their kernel values; h holds signed coefficients."""

    makes_short_passes = False

    def __init__(
        self, rule: Any, cache: KernelCache, y: Array, norms2: Array, *, block: int = BLOCK,
        classes: int = 0, scheme: str = "max", **options: Any,
    ) -> None:  # fmt: skip
        before = cache.before.shape[0]
        space: Any = Dual(norms2, 0.0, before)
        if classes:
            space = DualRows(norms2, 0.0, before, classes, SCHEMES[scheme])
        super().__init__(rule, space, y, **options)
        self.cache, self.block = cache, block
        self.number = cache.join(lambda: spaces.as_rows(self.space, self.h))
        self.squares: list[Array] = [np.zeros(1)]  # <w, w> at the start and after each update
        self._seen_scores: Array | None = None  # of all examples, after a pass

    def _chunk_size(self) -> int:
        return self.block_left

    @property
    def block_left(self) -> int:
        """Visits to the end of the block; blocks begin at the same visits always."""
        return self.block - self._position % self.block

    def _visit(self, visits: Array, h: Array, room: Updates, margin_cache: Any = None) -> Any:
        # h is being changed, self.h is the copy from before: scores are those before the block.
        scores, own = self.cache.block(self.number, visits)
        _, _, equal, rule, buffer = self._prepared
        weights = equal if len(self.weights) == 1 else self.weights[visits]
        dual = self.dual[visits] if len(self.dual) else self.dual
        inner = np.arange(len(visits), dtype=np.uint32)
        first = scores.copy()
        done, used, n = self.compiled_form(loops.online)(
            self._block_space(own, visits), self.y[visits], weights, inner, rule, scores,
            dual, self.n, buffer if room is self._buffer else room,
        )  # fmt: skip
        made = room.part(0, used)
        if isinstance(self.space, Dual):
            self.squares.append(self._lengths(made, first, own, self.y[visits]))
        made.i[:] = visits[made.i]
        self._apply(made, h)
        if len(self.dual):
            np.abs(h[: len(self.dual)], out=self.dual)
        return done, used, n

    def _block_space(self, own: Array, visits: Array) -> Any:
        """The space in which a block is settled."""
        if isinstance(self.space, Dual):
            return Gram(own, self.space.norms2[visits], 0.0)
        scratch = np.zeros(self.space.classes)
        beta = float(rules.shared_margin(self.rule))
        return GramRows(
            own, self.space.norms2[visits], 0.0, self.space.scheme, beta, scratch, scratch.copy()
        )

    def _lengths(self, updates: Updates, scores: Array, own: Array, y: Array) -> Array:
        """<w, w> after each update of a block: c²·<w, w> + 2·a·c·m + a²·q, m as it then was."""
        at, out, norm2 = updates.i, np.empty(len(updates.i)), self.n.norm2
        steps, q = updates.a * y[at], own[at, at].astype(float)
        for e, (i, a, c) in enumerate(zip(at, updates.a, updates.c, strict=True)):
            norm2 = c * c * norm2 + 2.0 * a * c * y[i] * scores[i] + a * (a * q[e])
            out[e] = norm2
            scores *= c
            scores += steps[e] * own[i]
        return out

    def history(self) -> History:
        """Return all hypotheses so far; supports are numbered as the examples."""
        updates = self.journal().updates
        if len(updates.t) < self.n.k:
            raise ValueError("the journal is too short for all hypotheses; give the run keep=inf.")
        lives = survivals(updates, 0, self.n.t)
        return History(updates, self.y[updates.i].astype(np.int32), lives, self.lengths())

    def lengths(self) -> Array:
        """|w| at the start and after each update."""
        return np.sqrt(np.maximum(np.concatenate(self.squares), 0.0))

    def _apply(self, updates: Updates, h: Array) -> None:
        """Make the updates on the coefficients."""
        after = np.ones(len(updates.c))  # what the later updates scale each step by
        if (updates.c != 1.0).any():
            after[:-1] = np.cumprod(updates.c[:0:-1])[::-1]
            h *= updates.c.prod()
        _, y, *_ = self._prepared
        self.compiled_form(loops.add)(self.space, y, updates, updates.a * after, h)
        self.cache.add(updates.i)

    def _norm2(self, h: Array) -> float:
        return float(spaces.squared_norm(self.space, h))

    def _squared(self) -> float:
        return self.n.norm2  # afresh it would cost a Gram matrix; by algebra it is known

    def _error(self, norm2: float = 0.0) -> float:
        """What rounding may add to a margin, in the kernel values and in their sum."""
        size = float(np.abs(self.h).sum())
        terms = 2 * UNIT * (np.count_nonzero(self.h) + 3) * self._radius_above**2
        return size * (self.cache.error + terms) * (1 + 1e-9)

    def _unsettled(self) -> bool:
        _, rule = self._executed
        none = np.zeros((0, 0), self.cache.X.dtype)
        space = self._block_space(none, np.arange(len(self.y)))
        scores = self.scores(self.h)
        return bool(
            self.compiled_form(loops.unsettled)(space, self.y, rule, scores, self.dual, self.n)
        )

    # --- what is proved -----------------------------------------------------------------------

    def _review(self, margins: Array) -> tuple[int, float]:
        self._seen_scores = self.scores(self.h)
        return self._margins(self._seen_scores, margins)

    def _prove(self, low: float) -> None:
        """Bracket the best margin from the coefficients and scores of all examples.

        In a space that only an inner product makes, and that is known only if the kernel is
        positive definite. What was learned before these examples is not looked at again.
        """
        scores, self._seen_scores = self._seen_scores, None
        if scores is None or self.cache.before.shape[0] or not self._positive:
            return
        table, scores = np.atleast_2d(self.h), scores.reshape(len(self.y), -1)
        size, error = float(np.abs(table).sum()), self._error()
        norm2 = float(np.einsum("ci,ic->", table, scores)) + 2 * size * error
        length = rounding.longest(norm2, table.size)
        if self.separated:
            self.lower = max(self.lower, rounding.floor(low, error, length))
        steps, off = self._steps(table)
        if steps > 0.0:
            upper = rounding.ceiling(norm2, steps, off / steps * self._radius_above, table.size)
            self.n = self.n._replace(upper=min(self.n.upper, upper))

    @cached_property
    def _positive(self) -> bool:
        return not fault(self.cache.similarity)

    def _steps(self, table: Array) -> tuple[float, float]:
        """The sum of the factors of all signed examples in w, nan if any is negative.

        And how far the coefficients may be from such factors, by rounding.
        """
        if len(table) == 1:
            factors, off = table[0] * self.y, 0.0
        else:
            each = np.arange(len(self.y))
            factors = -table
            factors[self.y, each] = 0.0
            own = table[self.y, each]
            off = float(np.abs(own - factors.sum(axis=0)).sum())
        steps = float(factors.sum()) if factors.min(initial=0.0) >= 0.0 else np.nan
        terms = table.size + 8
        return steps * (1 - terms * UNIT), (off + 4 * terms * UNIT * steps) * (1 + 1e-9)

    @property
    def bracket(self) -> tuple[float, float]:
        if not self._positive:
            return -np.inf, np.inf  # no inner product, no length, no margin
        return self.lower, min(self.n.upper, self._radius_above)

    @cached_property
    def _radius_above(self) -> float:
        return rounding.longest(spaces.radius2(self.space) + 2 * self.cache.error, 1)

    # --- state out and in ---------------------------------------------------------------------

    def begin(self, h: Array, norm2: float) -> None:
        """Start from coefficients whose hypothesis has this squared length."""
        self.h, self.n, self.from_zero = h, self.n._replace(norm2=norm2), not h.any()
        self.squares = [np.array([norm2])]
        self.cache.add(np.flatnonzero(np.atleast_2d(h).any(axis=0)))

    def import_state(self, state: RunState) -> None:
        """Go on from a state; <w, w> is taken from it: afresh it would cost a Gram matrix."""
        self.begin(self.native(state.hypothesis), state.counters.norm2)
        super().import_state(state)
        self.n = state.counters

    def memory(self) -> dict[str, Array]:
        return {"squares": np.concatenate(self.squares)}

    def remember(self, memory: dict[str, Array]) -> None:
        if "squares" in memory:
            self.squares = [memory["squares"]]

    # --- what a hypothesis makes of the examples ----------------------------------------------

    def scores(self, h: Array) -> Array:
        """Scores of all examples under some coefficients, a column for each class."""
        table = spaces.as_rows(self.space, h)
        used = np.flatnonzero(table.any(axis=0))
        out = np.zeros((len(self.y), len(table)))
        X, similarity = self.cache.X, self.cache.similarity
        for first in range(0, len(out) if len(used) else 0, self.block):
            part = slice(first, first + self.block)
            out[part] = similarity.block(X[part], self.cache.pick(used)) @ table[:, used].T
        return out[:, 0] if h.ndim == 1 else out

    def survey(self, h: Array, margins: Array | None = None) -> tuple[int, float]:
        return self._margins(self.scores(h), margins)

    def _margins(self, scores: Array, margins: Array | None) -> tuple[int, float]:
        found = self.y * scores if scores.ndim == 1 else leads(scores, self.y)
        if margins is not None and len(margins):
            margins[:] = found
        return int((found <= 0).sum()), float(found.min())


def kernel_runs(
    rule: Any, similarity: Any, X: Any, problems: list[Array], seed: int,
    readouts: list[Readout] | None = None, before: Any = None, kind: Any = KernelRun,
    **options: Any,
) -> list[KernelRun]:  # fmt: skip
    """Runs for several labellings of the same examples, in the same order."""
    cache, norms2 = KernelCache(similarity, X, before), similarity.diagonal(X)
    given = readouts or [Last() for _ in problems]
    return [
        kind(rule, cache, y, norms2, rng=seed, readout=readout, **options)
        for y, readout in zip(problems, given, strict=True)
    ]
