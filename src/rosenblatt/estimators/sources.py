"""Data that come in parts: from memory in a fresh order each pass, or batch by batch from files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.engine import inputs
from rosenblatt.engine.plan import Examples, Source
from rosenblatt.theory.spaces import Array

Rows = tuple[Any, Array]
"""Examples and their labels."""

SCORED = 16_384  # rows that are scored at a time: their scores stay in the caches
KEPT = 10_000_000  # numbers that are kept rather than read again


class InMemory:
    """Examples in memory, in a fresh order each pass, at most `rows` at a time.

    The order of a pass depends on the seed and the number of the pass alone, so that it is the same
    when training is resumed.
    """

    def __init__(
        self, X: Any, y: Array, *, seed: int | None, held_out: Sequence[Rows] = (),
        rows: int | None = None,
    ) -> None:  # fmt: skip
        self.X, self.y, self.seed, self.rows = X, y, seed, rows or len(y)
        self.classes, self._held_out = np.unique(y), held_out
        self.files: Sequence[Path] = ()

    def parts(self, number: int) -> Iterator[Examples]:
        """The parts of a pass."""
        order = np.arange(len(self.y))
        if self.seed is not None:
            order = np.random.default_rng([self.seed, number]).permutation(len(self.y))
        if self.rows >= len(order):
            yield Examples(self.X, self.y, visits=order)  # no copy
            return
        for first in range(0, len(order), self.rows):
            part = order[first : first + self.rows]
            yield Examples(_take(self.X, part), self.y[part])

    def held_out(self) -> Iterator[Rows]:
        """Examples that are not learned."""
        yield from self._held_out


class FromStream:
    """Examples from a file: in memory and well mixed if they fit, else batch by batch.

    Labels are codes, the positions in the stream's classes: whole numbers are quick to compare.
    """

    def __init__(
        self, stream: Any, *, seed: int | None,
        held_out: Callable[[], Iterator[Rows]] | None = None, rows: int | None = None,
    ) -> None:  # fmt: skip
        self.stream, self.seed, self._given = stream, seed, held_out
        self.classes, self.files = np.arange(len(stream.classes)), stream.source.paths
        self._kept: list[Rows] | None = None  # what is held out, if it is small
        self.memory: InMemory | None = None
        if stream.in_memory:
            self.memory = InMemory(*stream.all_rows(), seed=seed, rows=rows)

    def parts(self, number: int) -> Iterator[Examples]:
        """The parts of a pass."""
        if self.memory is not None:
            yield from self.memory.parts(number)
            return
        for X, y, _ in self.stream.batches(number, self.seed):
            yield Examples(X, y)

    def in_order(self) -> Iterator[Rows]:
        """The training rows that are in memory, as they are in the file."""
        memory = self.memory
        for first in range(0, 0 if memory is None else len(memory.y), SCORED):
            part = slice(first, first + SCORED)
            yield memory.X[part], memory.y[part]  # type: ignore[union-attr]

    def held_out(self) -> Iterator[Rows]:
        """Examples that are not learned; few of them are kept from the first reading on."""
        if self._given is not None:
            yield from self._given()
        elif self._kept is not None:
            yield from self._kept
        elif self.stream.validate:
            kept, size = [], 0
            for X, y, _ in self.stream.batches(held_out=True):
                yield X, y
                size += X.shape[0] * X.shape[1] if isinstance(X, np.ndarray) else X.nnz
                if size <= KEPT:
                    kept.append((X, y))
            self._kept = kept if size <= KEPT else None


class Weighted:
    """A source whose parts are laid out as the engine reads them, with the weights of classes."""

    def __init__(self, source: Source, class_weight: dict[Any, float] | None) -> None:
        self.source, self.classes, self.files = source, source.classes, source.files
        self.factors: Array | None = None
        if class_weight is not None:
            factors = [class_weight.get(c, 1.0) for c in source.classes.tolist()]
            self.factors = inputs.sample_weights(factors, len(factors))

    def parts(self, number: int) -> Iterator[Examples]:
        """The parts of a pass."""
        for part in self.source.parts(number):
            check_part(part, self.classes)
            if self.factors is not None:
                part = replace(part, weights=self.factors[np.searchsorted(self.classes, part.y)])
            if part.weights is not None and not part.weights.all():
                part = _without_zeros(part)
            if len(part.y):
                yield replace(part, X=inputs.contiguous(part.X))

    def held_out(self) -> Iterator[Rows]:
        """Examples that are not learned."""
        return self.source.held_out()


def _without_zeros(part: Examples) -> Examples:
    """Return a part without the examples of weight zero."""
    assert part.weights is not None
    kept = part.weights > 0
    chosen, visits = np.flatnonzero(kept), part.visits
    if visits is not None:
        visits = (np.cumsum(kept) - 1)[visits[kept[visits]]]
    return Examples(_take(part.X, chosen), part.y[chosen], part.weights[chosen], visits=visits)


def check_part(part: Examples, classes: Array) -> None:
    """Reject a part that compiled code could not read: wrong lengths, labels or visits."""
    rows = part.X.shape[0]
    if not rows:
        raise ValueError("a part of the source is empty; leave it out.")
    for name, array in (("y", part.y), ("weights", part.weights), ("visits", part.visits)):
        if array is not None and len(array) != rows:
            raise ValueError(f"a part of the source has {rows} rows, but {len(array)} {name}.")
    if part.visits is not None and not 0 <= part.visits.min() <= part.visits.max() < rows:
        raise ValueError("a part of the source has visits to rows that it does not have.")
    place = np.minimum(np.searchsorted(classes, part.y), len(classes) - 1)
    if not np.array_equal(classes[place], part.y):
        raise ValueError("a part of the source has labels that are not among its classes.")


def _take(X: Any, rows: Array) -> Any:
    """Some rows; of an array twice as fast as by indexing."""
    return X.take(rows, axis=0) if isinstance(X, np.ndarray) else X[rows]
