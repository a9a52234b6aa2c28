"""All hypotheses of one run, and the ways to read them (Freund & Schapire 1999, section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.models.ballot import Steps, moved, votes_for_and_against, votes_of_classes
from rosenblatt.models.linear import Linear, product
from rosenblatt.theory.journal import Updates, joined
from rosenblatt.theory.spaces import Array

READINGS = (
    "vote", "avg_unnorm", "avg_norm", "last_unnorm", "last_norm", "rand_unnorm", "rand_norm",
)  # fmt: skip
"""Ways to read a history, by the names that Freund & Schapire give them."""
ROWS = 2048  # examples whose votes are counted at a time
CUTS = (0.0, 0.25, 0.49, 1.0)
"""Shares of the visits at which votes are divided. The last part can decide: it is the majority."""


@dataclass
class History:
    """The hypotheses of one run in the order of their birth, each with the visits it survived.

    w_0 is the start, and w_e = c·w_(e-1) + a·(signed support). So the scores of an example under
    all hypotheses are running sums of its kernel values with the supports.
    """

    updates: Updates  # `i` numbers the supports
    codes: Array  # of each update: -1 or +1; with many classes the class of the example
    lives: Array  # visits that w_0, w_1, ... survived
    lengths: Array | None = None  # |w_0|, |w_1|, ...; needed for normalised readings
    start: Linear | Array | None = None  # w_0: weights, coefficients of the supports, or zero

    @property
    def outputs(self) -> int:
        """Number of scores of an example."""
        return len(self.start.coef) if isinstance(self.start, Linear) else 1

    @property
    def unscaled(self) -> bool:
        """Whether every hypothesis is the one before plus a step."""
        return bool((self.updates.c == 1.0).all())

    @property
    def visits(self) -> int:
        """Visits of the whole run."""
        return int(self.lives.sum())

    # --- reading ------------------------------------------------------------------------------

    def scores(self, X: Any, K: Array, reading: str, moment: int) -> Array:
        """Return scores by one of READINGS; K has the kernel values of X with the supports."""
        if reading != "vote":
            return self.read(self.courses(self.first(X, K), K), reading, moment)
        # Votes are whole numbers: their sums are exact in parts of any size.
        return sum((self.votes(X, K, part) for part in range(1, len(CUTS))), np.zeros(()))

    def votes(self, X: Any, K: Array, part: int) -> Array:
        """Return the votes of the hypotheses in force in a part of the visits, cut at CUTS."""
        begin, end = (int(share * self.visits) for share in CUTS[part - 1 : part + 1])
        until = np.cumsum(self.lives)
        lived = np.minimum(until, end) - np.maximum(until - self.lives, begin)
        first, out = self.first(X, K), np.zeros((len(K), self.outputs))
        if (lived > 0).any():
            low, high = np.flatnonzero(lived > 0)[[0, -1]].tolist()
            lives = np.maximum(lived[low : high + 1], 0).astype(float)
            for row in range(0, len(K), ROWS):
                rows = slice(row, row + ROWS)
                out[rows] = self._ballot(first[rows], K[rows], lives, low, high)
        return out

    def _ballot(self, first: Array, K: Array, lives: Array, low: int, high: int) -> Array:
        """Return the votes of hypotheses `low` to `high`, from the scores under w_0."""
        used, place = np.unique(self.updates.i[:high], return_inverse=True)
        kernel, scores = np.ascontiguousarray(K.T[used]), np.ascontiguousarray(first.T)
        made, codes = self.updates.part(0, high), self.codes[:high]
        two = self.outputs == 1
        a = made.a * codes if two else made.a
        steps = Steps(kernel, place, a, made.c, *((None, None) if two else (codes, made.r)))
        scores = moved(scores, steps.part(0, low))
        count = votes_for_and_against if two else votes_of_classes
        return count(scores, steps.part(low, high), lives).T

    def first(self, X: Any, K: Array) -> Array:
        """Return the scores under w_0, in a column for each output."""
        if isinstance(self.start, Linear):
            return self.start.scores(X)
        return np.zeros((len(K), 1)) if self.start is None else (K @ self.start)[:, None]

    def courses(self, first: Array, K: Array) -> Iterator[Array]:
        """Yield, for each output, the scores under w_0, w_1, ... in a row for each example."""
        for output in range(self.outputs):
            yield self._course(first[:, [output]], K, self.signs(output))

    def signs(self, output: int) -> Array:
        """Return the sign with which each update changes an output; 0 if it does not."""
        if self.outputs == 1:
            return self.codes.astype(float)
        return (self.codes == output) * 1.0 - (self.updates.r == output) * 1.0

    def _course(self, first: Array, K: Array, signs: Array) -> Array:
        """Return `first` and the score after each update."""
        supports, steps = self.updates.i, self.updates.a * signs
        if not self.unscaled:
            return self._scaled_sums(first, K[:, supports] * steps)
        # With many classes most updates leave an output as it is: add up the others only.
        changes = np.flatnonzero(signs)
        course = np.empty((len(K), len(changes) + 1))
        course[:, :1] = first
        np.cumsum(K[:, supports[changes]] * steps[changes], axis=1, out=course[:, 1:])
        course[:, 1:] += first
        if len(changes) == len(signs):
            return course
        return course.take(np.append(0, np.cumsum(signs != 0)), axis=1)

    def _scaled_sums(self, first: Array, steps: Array) -> Array:
        """Return `first` and the sum after each step, the sum before it being scaled."""
        course = np.empty((len(steps), steps.shape[1] + 1))
        course[:, :1] = first
        for e, c in enumerate(self.updates.c):
            np.multiply(course[:, e], c, out=course[:, e + 1])
            course[:, e + 1] += steps[:, e]
        return course

    def read(self, courses: Iterable[Array], reading: str, moments: int | Array) -> Array:
        """Return scores by one of READINGS but the vote, in a column for each output.

        A random reading takes the hypotheses in force at the visits `moments`, which are the same
        for all examples or one for each.
        """
        way, _, norm = reading.partition("_")
        scale = self._inverse_lengths() if norm == "norm" else np.ones(len(self.lives))
        if way == "avg":
            return np.column_stack([course @ (self.lives * scale) for course in courses])
        number = self.alive(moments) if way == "rand" else np.int64(len(self.lives) - 1)
        return np.column_stack(
            [course[np.arange(len(course)), number] * scale[number] for course in courses]
        )

    def _inverse_lengths(self) -> Array:
        """Return 1/|w| of each hypothesis; 0 for a zero hypothesis."""
        assert self.lengths is not None
        return np.divide(1.0, self.lengths, out=np.zeros_like(self.lengths), where=self.lengths > 0)

    def alive(self, moments: int | Array) -> Any:
        """Return the number of the hypothesis in force at each visit."""
        return np.searchsorted(np.cumsum(self.lives), moments, side="right")

    # --- histories from histories -------------------------------------------------------------

    def before(self, visits: int) -> History:
        """Return the history of the first visits."""
        count = int(np.searchsorted(self.updates.t, visits))
        lives = self.lives[: count + 1].copy()
        lives[-1] = visits - int(lives[:-1].sum())
        return History(
            self.updates.part(0, count),
            self.codes[:count],
            lives,
            None if self.lengths is None else self.lengths[: count + 1],
            self.start,
        )

    def renumbered(self, numbers: Array, size: int) -> History:
        """Return the same history with support j as number `numbers[j]` of `size` supports."""
        start = self.start
        if isinstance(start, np.ndarray):
            start = np.zeros(size)
            np.add.at(start, numbers, np.asarray(self.start))
        return replace(self, updates=self.updates._replace(i=numbers[self.updates.i]), start=start)

    def prolonged(self, visits: int) -> History:
        """Return the same history, the last hypothesis surviving `visits` more."""
        lives = self.lives.copy()
        lives[-1] += visits
        return replace(self, lives=lives)

    def then(self, later: History) -> History:
        """Return this history followed by one that starts from its last hypothesis."""
        lives = self.prolonged(int(later.lives[0])).lives
        lengths = None
        if self.lengths is not None and later.lengths is not None:
            lengths = np.concatenate([self.lengths, later.lengths[1:]])
        return History(
            joined([self.updates, later.updates]),
            np.concatenate([self.codes, later.codes]),
            np.concatenate([lives, later.lives[1:]]),
            lengths,
            self.start,
        )

    def without_first(self, count: int, supports: Any, constant: float) -> History:
        """Return the history of a linear run without scales from its hypothesis `count` on."""
        assert isinstance(self.start, Linear)
        assert self.unscaled
        coef, intercept = self.start.coef.copy(), self.start.intercept.copy()
        made = self.updates.part(0, count)
        for output in range(self.outputs):
            steps = made.a * self.signs(output)[:count]
            coef[output] += product(supports[made.i].T, steps[None, :])[:, 0]
            intercept[output] += constant * steps.sum()
        return replace(
            self,
            updates=self.updates.part(count, len(self.updates.t)),
            codes=self.codes[count:],
            lives=self.lives[count:],
            start=Linear(coef, intercept),
        )
