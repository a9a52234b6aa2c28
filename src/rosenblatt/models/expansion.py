"""Prediction in kernel form: one kernel value for each support and example, then running sums.

An expansion is one hypothesis for each class; a course is all hypotheses of a run in the order of
their birth, each a step on from the one before (Freund & Schapire 1999, section 3.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.theory.journal import Updates, joined
from rosenblatt.theory.spaces import Array

CELLS = 1 << 22  # kernel values or scores at a time


@dataclass
class Expansion:
    """Scores Σ coef·K(support, x), a row of coefficients for each class."""

    similarity: Any
    supports: Any
    coef: Array

    def scores(self, X: Any) -> Array:
        out = np.empty((X.shape[0], len(self.coef)))
        for rows, K in kernel_rows(self.similarity, X, self.supports):
            out[rows] = K @ self.coef.T.astype(K.dtype)
        return out


@dataclass
class Course:
    """The hypotheses of one run: v_0 = 0 or as given, v_e = c·v_(e-1) + a·y·x."""

    updates: Updates  # `i` numbers the supports
    signs: Array  # y of each update
    lives: Array  # visits that v_0, v_1, ... survived
    lengths: Array  # |v_e| of each
    start: Array | None = None  # coefficients of v_0, if it is not zero

    def scores(self, K: Array) -> Array:
        """Scores of examples, rows of kernel values, under every hypothesis."""
        steps = K[:, self.updates.i].astype(float) * (self.updates.a * self.signs)
        course = np.zeros((len(K), steps.shape[1] + 1))
        if self.start is not None:
            course[:, 0] = K @ self.start
        if (self.updates.c == 1.0).all():
            np.cumsum(steps, axis=1, out=course[:, 1:])
            course[:, 1:] += course[:, :1]
            return course
        for e, c in enumerate(self.updates.c):
            np.multiply(course[:, e], c, out=course[:, e + 1])
            course[:, e + 1] += steps[:, e]
        return course

    def before(self, visits: int) -> Course:
        """The course as it was after so many visits."""
        count = int(np.searchsorted(self.updates.t, visits))
        lives = self.lives[: count + 1].copy()
        lives[-1] = visits - int(lives[:-1].sum())
        part, lengths = self.updates.part(0, count), self.lengths[: count + 1]
        return Course(part, self.signs[:count], lives, lengths, self.start)

    def placed(self, place: Array, size: int) -> Course:
        """The same with the supports at other numbers, of which there are so many."""
        start = None
        if self.start is not None:
            start = np.zeros(size)
            np.add.at(start, place, self.start)
        return replace(self, updates=self.updates._replace(i=place[self.updates.i]), start=start)

    def then(self, other: Course) -> Course:
        """This course and the one that goes on from it, with the same supports."""
        lives = np.concatenate([self.lives[:-1], self.lives[-1:] + other.lives[:1],
                                other.lives[1:]])  # fmt: skip
        return Course(
            joined([self.updates, other.updates]),
            np.concatenate([self.signs, other.signs]),
            lives,
            np.concatenate([self.lengths, other.lengths[1:]]),
            self.start,
        )

    def alive(self, visit: int) -> int:
        """Which hypothesis was in force at a visit."""
        return int(np.searchsorted(np.cumsum(self.lives), visit, side="right"))

    def read(self, K: Array, how: str, moment: int) -> Array:
        """Scores by one way to read the hypotheses."""
        return self.readouts(K, np.full(len(K), moment), (how,))[how]

    def readouts(self, K: Array, moments: Array, ways: tuple[str, ...]) -> dict[str, Array]:
        """Scores by several ways; `moments` are the visits drawn for the random ones."""
        course, lives = self.scores(K), self.lives.astype(float)
        inverse = np.divide(1.0, self.lengths, out=np.zeros_like(self.lengths),
                            where=self.lengths > 0)  # fmt: skip
        last, drawn = len(lives) - 1, np.array([self.alive(int(v)) for v in moments])
        picked = course[np.arange(len(K)), drawn]
        found: dict[str, Callable[[], Array]] = {
            # A tie is against, as everywhere: a hypothesis of zero votes no.
            "vote": lambda: np.where(course > 0, 1.0, -1.0) @ lives,
            "avg_unnorm": lambda: course @ lives,
            "avg_norm": lambda: course @ (lives * inverse),
            "last_unnorm": lambda: course[:, last],
            "last_norm": lambda: course[:, last] * inverse[last],
            "rand_unnorm": lambda: picked,
            "rand_norm": lambda: picked * inverse[drawn],
        }
        return {way: found[way]() for way in ways}


@dataclass
class Crowd:
    """All hypotheses of the runs, read in one way; a course for each class."""

    similarity: Any
    supports: Any
    courses: list[Course]
    how: str
    moment: int  # the visit whose hypotheses a random reading takes

    def scores(self, X: Any) -> Array:
        out = np.empty((X.shape[0], len(self.courses)))
        longest = max(len(course.lives) for course in self.courses)
        for rows, K in kernel_rows(self.similarity, X, self.supports, longest):
            for number, course in enumerate(self.courses):
                out[rows, number] = course.read(K, self.how, self.moment)
        return out


def kernel_rows(
    similarity: Any, X: Any, supports: Any, width: int = 0
) -> Iterator[tuple[slice, Array]]:
    """Kernel values of examples with the supports, as many rows at a time as stay small."""
    size = max(1, CELLS // max(1, supports.shape[0], width))
    for first in range(0, X.shape[0], size):
        rows = slice(first, min(first + size, X.shape[0]))
        yield rows, similarity.block(X[rows], supports)
