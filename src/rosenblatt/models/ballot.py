"""Votes of hypotheses that come one after the other, each by a step from the one before.

Scores are rows here, with a column for each example, so that a step adds whole rows. Steps are
added one after the other always, so that votes do not depend on how they are divided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.theory.spaces import Array

CELLS = 1 << 17  # votes that are counted at a time: they stay in the cache
FEW = 64  # examples below which a call for each hypothesis costs more than it saves


class Steps(NamedTuple):
    """The steps from each hypothesis to the next."""

    kernel: Array  # a row of kernel values for each support
    i: Array  # the support of each step
    a: Array  # its length; with two classes, signed
    c: Array  # the factor of what was before
    own: Array | None  # with many classes: the one whose score rises, and
    rival: Array | None  # the one whose score falls

    def part(self, begin: int, end: int) -> Steps:
        """Some of the steps."""
        columns = (None if one is None else one[begin:end] for one in self[1:])
        return Steps(self.kernel, *columns)  # type: ignore[arg-type]

    def parts(self, size: int) -> Iterator[Steps]:
        """The steps in parts of a size."""
        for begin in range(0, len(self.a), size):
            yield self.part(begin, begin + size)

    def rows(self) -> Array:
        """What each step adds to a score."""
        return np.asarray(self.kernel[self.i] * self.a[:, None])

    def changes(self) -> Iterator[tuple[Array, float, int, int]]:
        """What each step adds, its factor, where it adds, and where it subtracts."""
        count = len(self.a)
        own = [0] * count if self.own is None else self.own.tolist()
        rival = [-1] * count if self.rival is None else self.rival.tolist()
        return zip(self.rows(), self.c.tolist(), own, rival, strict=True)


def moved(scores: Array, steps: Steps) -> Array:
    """Return the scores after some steps."""
    scores = scores.copy()
    for part in steps.parts(max(1, CELLS // scores.shape[1])):
        for row, c, up, down in part.changes():
            if c != 1.0:
                scores *= c
            scores[up] += row
            if down >= 0:
                scores[down] -= row
    return scores


def votes_for_and_against(scores: Array, steps: Steps, lives: Array) -> Array:
    """Return the votes for minus those against, of the hypothesis before each step and the last.

    A tie is a vote against, as everywhere: a hypothesis of zero votes no.
    """
    score, yes, counted = scores[0], lives[0] * (scores[0] > 0), 1
    for part in steps.parts(max(1, CELLS // len(score))):
        course = part.rows()
        for row, c in zip(course, part.c.tolist(), strict=True):
            row += score if c == 1.0 else c * score
            score = row
        yes += lives[counted : counted + len(course)] @ (course > 0).astype(float)
        counted += len(course)
    return np.asarray(2.0 * yes - lives.sum())[None]


def votes_of_classes(scores: Array, steps: Steps, lives: Array) -> Array:
    """Return the votes for each class, of the hypothesis before each step and the last.

    A hypothesis votes for the class with the best score, the first of equals.
    """
    few = scores.shape[1] < FEW and not (steps.c != 1.0).any()
    advance = _all_at_once if few else _one_by_one
    out, counted = _counted(lives[:1], (scores == scores.max(axis=0))[None]), 1
    for part in steps.parts(max(1, CELLS // scores.size)):
        scores, won = advance(scores, part)
        out += _counted(lives[counted : counted + len(won)], won)
        counted += len(won)
    return out


def _one_by_one(scores: Array, steps: Steps) -> tuple[Array, Array]:
    """Return the last scores, and which classes are best after each step."""
    scores, won = scores.copy(), np.empty((len(steps.a), *scores.shape), bool)
    for (row, c, up, down), best in zip(steps.changes(), won, strict=True):
        if c != 1.0:
            scores *= c
        scores[up] += row
        scores[down] -= row
        np.equal(scores, scores.max(axis=0), out=best)
    return scores, won


def _all_at_once(scores: Array, steps: Steps) -> tuple[Array, Array]:
    """Return the same where nothing is scaled, faster for a few examples."""
    rows, each = steps.rows(), np.arange(len(steps.a))
    course = np.zeros((len(rows), *scores.shape))
    course[each, steps.own] = rows
    course[each, steps.rival] -= rows
    course[0] += scores
    np.cumsum(course, axis=0, out=course)
    return course[-1], course == course.max(axis=1, keepdims=True)


def _counted(lives: Array, won: Array) -> Array:
    """Return the votes for each class; `won` says which classes each hypothesis has as best."""
    votes = np.tensordot(lives, won.astype(float), 1)
    tied = np.flatnonzero(votes.sum(axis=0) != lives.sum())  # counted for several classes
    if len(tied):
        first = won[:, :, tied].argmax(axis=1)
        for output in range(len(votes)):
            votes[output, tied] = lives @ (first == output)
    return np.asarray(votes)
