"""Replays of a journal: sums of its examples, and of its hypotheses."""

from __future__ import annotations

from typing import Any

from rosenblatt.theory.arrays import flat
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.update import scale
from rosenblatt.theory.spaces import Array, move
from rosenblatt.theory.verbs import inner


@inner
def enter(h: Array, life: float, total: Array) -> None:
    """Add a hypothesis times its life to `total`."""
    row, sums = flat(h), flat(total)
    for j in range(row.size):
        sums[j] += life * row[j]


def add(space: Any, y: Array, journal: Updates, b: Array, h: Array) -> None:
    """Add to h the examples of a journal's updates, each times its own factor."""
    for e in range(len(b)):
        if b[e] != 0.0:
            move(space, y, journal.i[e], journal.r[e], b[e], h)


def replay(space: Any, y: Array, journal: Updates, lives: Array, h: Array, total: Array) -> None:
    """Repeat the updates of a journal; add each hypothesis times its life to `total`."""
    enter(h, lives[0], total)
    for e in range(len(journal.t)):
        if journal.c[e] != 1.0:
            scale(h, journal.c[e])
        move(space, y, journal.i[e], journal.r[e], journal.a[e], h)
        enter(h, lives[e + 1], total)
