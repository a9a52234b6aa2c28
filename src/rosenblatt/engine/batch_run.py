"""Descent on the perceptron criterion by batch steps: one step per pass, by matrix products."""

from __future__ import annotations

import time
from math import inf
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.run import Run
from rosenblatt.models import Linear, blocks, product
from rosenblatt.models.decisions import rivals
from rosenblatt.theory import loops, spaces
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.rules import Look, step
from rosenblatt.theory.spaces import Array


class BatchRun(Run):
    """A run whose pass is one step: w <- w + e·(sum of weight·y·x over the mistakes).

    With many classes a mistake's rival is the best wrong class, the first of equals. In the
    journal the examples of a step share a visit, the first of the pass, as rivals do elsewhere.
    """

    makes_short_passes = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._looked: tuple[Array, Array, Array] | None = None  # a hypothesis, its margins, rivals

    def advance(self, visits: int | None = None, updates: int | None = None) -> int:
        """Make one pass; it cannot be divided."""
        started = time.perf_counter()
        n, before, total = self.n, self.h.copy(), len(self.y)
        margins, against = self._look(self.h)
        wrong = np.flatnonzero(margins <= 0.0)
        rate = step(self.rule, Look(0.0, 0.0, n.norm2, 0.0, n.t, n.k, n.step_sum, 1.0))[0]
        a = rate * self.example_weights[wrong]
        made = Updates(np.full(len(a), n.t), wrong, against[wrong], a, np.ones(len(a)))
        self._begin_pass()
        if len(wrong):
            self.h = before + self._sum(wrong, against[wrong], a)
            norm2, step_sum = spaces.squared_norm(self.space, self.h), float(n.step_sum + a.sum())
            if not np.isfinite(norm2):
                raise ValueError(
                    "the weights overflowed; scale the features (for instance with "
                    "StandardScaler) or lower eta0."
                )
            now = loops.count_update(loops.totals(n), norm2, step_sum, bool((a >= 0).all()))
            n = n._replace(**now._asdict())
        self.n = n._replace(t=n.t + total, mistakes=n.mistakes + len(wrong))
        self._flush(made, before, self.opened)
        self._close()
        # No mistake, no step: the next pass would find the same.
        self.settled = not len(wrong)
        self.seconds += time.perf_counter() - started
        return total

    def survey(self, h: Array, margins: Array | None = None) -> tuple[int, float]:
        """Training mistakes of a hypothesis and its least margin."""
        found = self._look(h)[0]
        if margins is not None and len(margins):
            margins[:] = found
        return int((found <= 0.0).sum()), float(found.min(initial=inf))

    def _look(self, h: Array) -> tuple[Array, Array]:
        """Margin and rival of every example; kept, since a pass begins where the last ended."""
        if self._looked is None or not np.array_equal(self._looked[0], h):
            scores = Linear(*spaces.weights(self.space, h)).scores(_matrix(self.space))
            if scores.shape[1] == 1:
                found = self.y * scores[:, 0], np.zeros(len(self.y), np.int32)
            else:
                own = scores[np.arange(len(self.y)), self.y]
                best, classes = rivals(scores, self.y)
                found = own - best, classes.astype(np.int32)
            self._looked = h.copy(), *found
        return self._looked[1:]

    def _sum(self, wrong: Array, against: Array, a: Array) -> Array:
        """The mistakes, each times its step, added up."""
        rows = spaces.as_rows(self.space, self.h)
        factors = np.zeros((len(self.y), len(rows)))
        if len(rows) == 1:
            factors[wrong, 0] = a * self.y[wrong]
        else:
            factors[wrong, self.y[wrong]] = a
            factors[wrong, against] -= a
        total = np.zeros_like(rows)
        X = _matrix(self.space)
        for part, block in blocks(X, X.shape[1] if not sp.issparse(X) else len(rows)):
            total[:, :-1] += product(block.T, factors[part].T).T
        total[:, -1] = self.space.bias * factors.sum(axis=0)
        return np.asarray(spaces.from_rows(self.space, total))


def _matrix(space: Any) -> Any:
    """The examples of a space as a table."""
    if hasattr(space, "X"):
        return space.X
    signed = {4: np.int32, 8: np.int64}
    indices, indptr = (a.view(signed[a.itemsize]) for a in (space.indices, space.indptr))
    return sp.csr_matrix((space.data, indices, indptr), (len(space.norms2), space.features))
