"""Kernel values that several runs share: a block's rows are computed once, for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.theory.similarity import Precomputed
from rosenblatt.theory.spaces import Array


class KernelCache:
    """The examples that any of some runs has a coefficient for, and kernel values with them.

    Examples that an earlier run learned come after those of X in the numbering.
    """

    def __init__(self, similarity: Any, X: Any, before: Any = None) -> None:
        self.similarity, self.X = similarity, X
        self.before = X[:0] if before is None else before
        self.numbers: Array = np.zeros(0, np.int64)  # of the support set
        self._coefficients: list[Callable[[], Array]] = []  # of each run, as they are now
        self._known = np.zeros(X.shape[0] + self.before.shape[0], bool)
        self._block = b""  # the visits that the scores below belong to,
        self._served: set[int] = set()  # and the runs that have had them
        self._scores: list[Array] = []
        self._gram: Array = np.zeros((0, 0))

    def join(self, coefficients: Callable[[], Array]) -> int:
        """Enter a run, which gives its coefficients in rows when asked; return its number."""
        self._coefficients.append(coefficients)
        return len(self._coefficients) - 1

    @cached_property
    def error(self) -> float:
        """A bound on the rounding error of a kernel value."""
        return float(self.similarity.rounding(self.X, self.before))

    def rows(self, numbers: Array) -> Any:
        """Examples by their numbers."""
        n = self.X.shape[0]
        old = np.asarray(numbers) >= n
        if not old.any():
            return self.X[numbers]
        both = stack(self.X[numbers[~old]], self.before[numbers[old] - n])
        place = np.empty(len(numbers), np.int64)
        place[np.concatenate([np.flatnonzero(~old), np.flatnonzero(old)])] = np.arange(len(numbers))
        return both[place]

    def pick(self, numbers: Array) -> Any:
        """Examples as the similarity wants its second side."""
        return numbers if isinstance(self.similarity, Precomputed) else self.rows(numbers)

    def add(self, examples: Array) -> None:
        """Take in examples that have got a coefficient."""
        fresh = np.unique(examples[~self._known[examples]])
        self._known[fresh] = True
        # Sorted by example, not by arrival: sums are then taken alike in a run that was restored.
        self.numbers = np.flatnonzero(self._known) if len(fresh) else self.numbers

    def block(self, run: int, visits: Array) -> tuple[Array, Array]:
        """Scores of the next examples under a run's hypothesis, and their own Gram matrix."""
        if self._block != visits.tobytes() or run in self._served:
            self._compute(visits)
        self._served.add(run)
        scores = self._scores[run]
        return (scores[:, 0] if scores.shape[1] == 1 else scores).copy(), self._gram

    def _compute(self, visits: Array) -> None:
        """Score a block under the hypotheses of all runs, by one product."""
        block = self.X[visits]
        self._gram = self.similarity.block(block, self.pick(visits))
        coefficients = [rows()[:, self.numbers] for rows in self._coefficients]
        scores = np.zeros((len(visits), sum(map(len, coefficients))))
        if len(self.numbers):
            K = self.similarity.block(block, self.pick(self.numbers))
            scores = (K @ np.concatenate(coefficients).T.astype(K.dtype)).astype(float)
        ends = np.cumsum([len(part) for part in coefficients])[:-1]
        self._scores = np.split(scores, ends, axis=1)
        self._block, self._served = visits.tobytes(), set()


def stack(first: Any, second: Any) -> Any:
    """Examples below each other, stored as the first."""
    if sp.issparse(first):
        return sp.vstack([first, sp.csr_array(second)], format="csr")
    return np.concatenate([first, second.toarray() if sp.issparse(second) else second])
