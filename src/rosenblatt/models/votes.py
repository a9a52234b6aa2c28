"""Hypotheses that vote: all those of a run, of several runs, of one run for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.models.linear import Linear, blocks, product
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.spaces import Array


@dataclass
class Votes:
    """Hypotheses in the order of their birth, each with the votes it earned by surviving.

    Stored as the paper's kernel form: the examples that were learned (`supports`), and the updates
    that say when each came in. All hypotheses then score a row from one product with the supports
    and a running sum (Freund & Schapire 1999, section 3).
    """

    start: Linear  # before the first update
    supports: Any  # rows of X that were learned, each once
    bias: float  # the constant feature of every example
    signs: Array  # -1 or +1 of each support; its class with many classes
    updates: Updates  # `i` numbers the supports
    lives: Array  # votes of the start, then of the hypothesis after each update

    def __post_init__(self) -> None:
        self.plain = bool((self.updates.c == 1.0).all())

    def then(self, later: Votes) -> Votes:
        """These hypotheses, then those of a run that went on from the last of them."""
        stack = sp.vstack if sp.issparse(self.supports) else np.concatenate
        i = np.concatenate([self.updates.i, later.updates.i + self.supports.shape[0]])
        rest = zip(self.updates, later.updates, strict=True)
        updates = Updates(*map(np.concatenate, rest))._replace(i=i)
        lives = np.concatenate([self.lives, later.lives[1:]])
        lives[len(self.lives) - 1] += later.lives[0]
        supports = stack([self.supports, later.supports])
        signs = np.concatenate([self.signs, later.signs])
        return Votes(self.start, supports, self.bias, signs, updates, lives)

    def scores(self, X: Any) -> Array:
        """Votes for each class, or with two classes votes for minus votes against."""
        many = len(self.start.coef) > 1
        out = np.empty((X.shape[0], len(self.start.coef)))
        for rows, part in blocks(X, max(X.shape[1], len(self.lives))):
            first = product(part, self.start.coef) + self.start.intercept
            gram = product(part, _dense64(self.supports)) + self.bias * self.bias
            steps = gram[:, self.updates.i] * self.updates.a
            out[rows] = self._poll(first, steps) if many else self._count(first, steps)
        return out

    def _count(self, first: Array, steps: Array) -> Array:
        """Two classes: the sum of the signs of all scores, weighted by votes; a tie is against."""
        steps *= self.signs[self.updates.i]
        course = self._running(first, steps)
        ayes = (course > 0).astype(float) @ self.lives.astype(float)
        return 2.0 * ayes[:, None] - self.lives.sum()

    def _poll(self, first: Array, steps: Array) -> Array:
        """Many classes: each hypothesis votes for its best class, the first of equals."""
        own, lives = self.signs[self.updates.i], self.lives.astype(float)
        best = np.full((len(first), steps.shape[1] + 1), -np.inf)
        choice = np.zeros(best.shape, np.int32)
        for c in range(first.shape[1]):
            part = steps * ((own == c) * 1.0 - (self.updates.r == c) * 1.0)
            course = self._running(first[:, [c]], part)
            better = course > best
            choice[better] = c
            np.copyto(best, course, where=better)
        return np.column_stack([(choice == c).astype(float) @ lives for c in range(first.shape[1])])

    def _running(self, first: Array, steps: Array) -> Array:
        """Scores under the start and after each update."""
        course = np.empty((len(steps), steps.shape[1] + 1))
        course[:, :1] = first
        if self.plain:
            np.cumsum(steps, axis=1, out=course[:, 1:])
            course[:, 1:] += first
            return course
        for e, c in enumerate(self.updates.c):
            np.multiply(course[:, e], c, out=course[:, e + 1])
            course[:, e + 1] += steps[:, e]
        return course


@dataclass
class Assembly:
    """Crowds that learned apart; their votes add up."""

    parts: list[Votes]

    def scores(self, X: Any) -> Array:
        total: Array = self.parts[0].scores(X)
        for part in self.parts[1:]:
            total = total + part.scores(X)
        return total


@dataclass
class Jury:
    """One vote for each class against the rest; the scores are the votes."""

    votes: Sequence[Votes | Assembly]

    def scores(self, X: Any) -> Array:
        return np.hstack([vote.scores(X) for vote in self.votes])


def _dense64(supports: Any) -> Any:
    return supports if sp.issparse(supports) else supports.astype(np.float64, copy=False)
