"""Runs in kernel form: any rule of the family, its hypothesis a sum over examples.

A run that is stopped between two blocks and goes on ends in the same bits; within a block, where
sums are taken in another order, in the same updates but for rounding.

Several runs over the same examples in the same order, such as those of one class against the rest,
share every kernel value: a block's rows are computed once, for all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import loops
from rosenblatt.expansion import Course
from rosenblatt.gram import Dual, Gram
from rosenblatt.journal import Updates, survivals
from rosenblatt.readouts import Last
from rosenblatt.run import Run
from rosenblatt.similarity import Precomputed
from rosenblatt.spaces import Array

BLOCK = 512


class Supports:
    """Examples that any of the runs has a coefficient for, and kernel values with them."""

    def __init__(self, similarity: Any, X: Any) -> None:
        self.similarity, self.X = similarity, X
        self.numbers: Array = np.zeros(0, np.int64)
        self.runs: list[KernelRun] = []
        self._known = np.zeros(X.shape[0], bool)
        self._asked = b""
        self._scores: Array = np.zeros((0, 0))
        self._own: Array = np.zeros((0, 0))

    def pick(self, numbers: Array) -> Any:
        """Examples as the similarity wants its second side."""
        return numbers if isinstance(self.similarity, Precomputed) else self.X[numbers]

    def add(self, examples: Array) -> None:
        """Take in examples that have got a coefficient."""
        fresh = np.unique(examples[~self._known[examples]])
        self._known[fresh] = True
        # In the order of the examples, not of their coming: sums are then taken alike in a run that
        # was saved and goes on.
        self.numbers = np.flatnonzero(self._known) if len(fresh) else self.numbers

    def ask(self, run: KernelRun, visits: Array) -> tuple[Array, Array]:
        """Scores of the next examples under a run's hypothesis, and their own Gram matrix."""
        if self._asked != visits.tobytes() or run.asked:
            block = self.X[visits]
            self._own = self.similarity.block(block, self.pick(visits))
            self._scores = np.zeros((len(visits), len(self.runs)))
            if len(self.numbers):
                K = self.similarity.block(block, self.pick(self.numbers))
                coefficients = np.column_stack([r.h[self.numbers] for r in self.runs])
                self._scores = (K @ coefficients.astype(K.dtype)).astype(float)
            self._asked = visits.tobytes()
            for one in self.runs:
                one.asked = False
        run.asked = True
        return self._scores[:, self.runs.index(run)].copy(), self._own


class KernelRun(Run):
    """A rule at work on examples known by their kernel values; h holds signed coefficients."""

    def __init__(
        self, rule: Any, supports: Supports, y: Array, norms: Array, *, block: int = BLOCK,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(rule, Dual(norms, 0.0), y, **options)
        self.supports, self.block, self.asked = supports, block, False
        self.squares: list[Array] = []  # <w, w> after each update
        supports.runs.append(self)

    def _size(self) -> int:
        return self.block - self._position % self.block  # blocks begin at the same visits always

    def _visit(self, visits: Array, h: Array, room: Updates, seen: Any = None) -> Any:
        # h is being changed, self.h is the copy from before: scores are those before the block.
        scores, own = self.supports.ask(self, visits)
        weights = self.weights if len(self.weights) == 1 else self.weights[visits]
        dual = self.dual[visits] if len(self.dual) else self.dual
        space = Gram(own, self.space.norms[visits], 0.0)
        inner = np.arange(len(visits), dtype=np.uint32)
        first = scores.copy()
        done, used, n = self._kernel(loops.online, own=True)(
            space, self.y[visits], weights, inner, self.rule, scores, dual, self.n, room
        )
        made = room.part(0, used)
        self.squares.append(self._lengths(made, first, own, self.y[visits]))
        made.i[:] = visits[made.i]
        self._apply(made, h)
        if len(self.dual):
            np.abs(h, out=self.dual)
        return done, used, n

    def _lengths(self, updates: Updates, scores: Array, own: Array, y: Array) -> Array:
        """<w, w> after each update of a block: c²·<w, w> + 2·a·c·m + a²·q, m as it then was."""
        at, out, ww = updates.i, np.empty(len(updates.i)), self.n.ww
        steps, q = updates.a * y[at], own[at, at].astype(float)
        for e, (i, a, c) in enumerate(zip(at, updates.a, updates.c, strict=True)):
            ww = c * c * ww + 2.0 * a * c * y[i] * scores[i] + a * a * q[e]
            out[e] = ww
            scores *= c
            scores += steps[e] * own[i]
        return out

    def course(self) -> Course:
        """All hypotheses so far, if none was forgotten; supports are numbered as examples."""
        updates = self.journal().updates
        if len(updates.t) < self.n.k:
            raise ValueError("the journal is too short for all hypotheses; give the run keep=inf.")
        lives = survivals(updates, 0, self.n.t)
        return Course(updates, self.y[updates.i].astype(float), lives, self.lengths())

    def lengths(self) -> Array:
        """|w| at the start, zero, and after each update."""
        squares = np.concatenate([np.zeros(1), *self.squares])
        return np.sqrt(np.maximum(squares, 0.0))

    def _apply(self, updates: Updates, h: Array) -> None:
        """Make the updates on the coefficients."""
        after = np.ones(len(updates.c))  # what the later updates scale each step by
        if (updates.c != 1.0).any():
            after[:-1] = np.cumprod(updates.c[:0:-1])[::-1]
            h *= updates.c.prod()
        np.add.at(h, updates.i, updates.a * after * self.y[updates.i])
        self.supports.add(updates.i)

    def _squared(self) -> float:
        return self.n.ww  # afresh it would cost a Gram matrix; by algebra it is known

    def restore(self, path: str | Path) -> Run:
        super().restore(path)
        self.supports.add(np.flatnonzero(self.h))
        return self

    def scores(self, h: Array) -> Array:
        """Scores of all examples under some coefficients."""
        used = np.flatnonzero(h)
        out = np.zeros(len(self.y))
        X, similarity = self.supports.X, self.supports.similarity
        for first in range(0, len(out) if len(used) else 0, self.block):
            part = slice(first, first + self.block)
            out[part] = similarity.block(X[part], self.supports.pick(used)) @ h[used]
        return out

    def survey(self, h: Array, margins: Array | None = None) -> tuple[int, float]:
        found = self.y * self.scores(h)
        if margins is not None and len(margins):
            margins[:] = found
        return int((found <= 0).sum()), float(found.min())


def kernel_runs(
    rule: Any, similarity: Any, X: Any, problems: list[Array], seed: int,
    readouts: list[Last] | None = None, **options: Any,
) -> list[KernelRun]:  # fmt: skip
    """Runs for several labellings of the same examples, in the same order."""
    supports, norms = Supports(similarity, X), similarity.diagonal(X)
    given = readouts or [Last() for _ in problems]
    return [
        KernelRun(rule, supports, y, norms, rng=seed, readout=readout, **options)
        for y, readout in zip(problems, given, strict=True)
    ]
