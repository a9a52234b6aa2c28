"""Matrices for training: read once and kept if they fit, else streamed from disk in every pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError
from rosenblatt.data.features.learner import Learner
from rosenblatt.data.features.numbers import packed
from rosenblatt.data.features.recipe import Recipe
from rosenblatt.data.sources.ahead import ahead
from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.source import open_source
from rosenblatt.data.sources.sparse import stacked

Array = npt.NDArray[Any]

BUDGET = 256 << 20
"""Bytes of decoded data that are kept in memory."""
SAMPLE = 32 << 20
"""Bytes from which statistics are taken where the data are not kept."""


def heldout(first: int, rows: int, share: float, seed: int) -> Array:
    """Which of the rows from `first` on are held out: by a hash of seed and row, nothing else.

    Example
    -------
    >>> heldout(0, 1000, 0.2, seed=7).mean().round(1)
    np.float64(0.2)
    >>> bool((heldout(0, 1000, 0.2, 7)[100:] == heldout(100, 900, 0.2, 7)).all())
    True
    """
    if share <= 0:
        return np.zeros(rows, np.bool_)
    h = np.arange(first, first + rows, dtype=np.uint64)
    h = h * np.uint64(0x9E3779B97F4A7C15) + np.uint64((seed * 0xD1342543DE82EF95 + 1) % 2**64)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    h ^= h >> np.uint64(31)
    return np.asarray((h >> np.uint64(11)).astype(np.float64) < share * 2.0**53)


class Stream:
    """The rows of a source as features and codes of classes, pass after pass.

    Parameters
    ----------
    source : Source
    recipe : Recipe, or None to learn one; the options are then those of `Learner`
    budget : bytes of decoded data up to which everything is kept, and statistics are exact
    validate : share of rows held out of training, chosen by `seed` and row number
    dtype : of the matrices that tables become
    """

    def __init__(
        self,
        source: Source,
        recipe: Recipe | None = None,
        *,
        budget: float = BUDGET,
        validate: float = 0.0,
        seed: int = 0,
        dtype: Any = np.float32,
        **options: Any,
    ) -> None:
        if not 0 <= validate < 1:
            raise ValueError(f"validate={validate} is not a share of the rows: 0 <= share < 1.")
        self.source, self.validate, self.seed, self._dtype = source, validate, seed, dtype
        self._whole: tuple[Any, Array] | None = None
        if recipe is None:
            self.recipe, kept = _learn(source, budget, options)
        else:
            self.recipe, kept = recipe, None
            self._columns = recipe.bind(source, target=True)
            if _fits(source, budget):
                kept = _keep(source, self._columns, recipe.numbers, budget)
        self._columns = self.recipe.bind(source, target=True)
        if self.recipe.labels is None:
            raise DataError("there are no labels to learn from.", file=source.name)
        if kept is not None:
            self._whole = self._encoded(kept)

    @property
    def fits(self) -> bool:
        """Whether everything is kept in memory."""
        return self._whole is not None

    @property
    def classes(self) -> Array:
        classes = self.recipe.classes
        assert classes is not None
        return classes

    @property
    def rows(self) -> int | None:
        """How many rows there are, once that is known."""
        return len(self._whole[1]) if self._whole else self.source.rows

    def whole(self, held: bool = False) -> tuple[Any, Array]:
        """All training rows (or the held-out ones) at once; only where everything fits."""
        if self._whole is None:
            raise DataError("the data do not fit the memory budget.", file=self.source.name)
        X, y = self._whole
        if not self.validate:
            return (X[:0], y[:0]) if held else (X, y)
        mask = heldout(0, len(y), self.validate, self.seed) == held
        return X[mask], y[mask]

    def batches(
        self,
        pass_number: int = 0,
        seed: int | None = None,
        *,
        held: bool = False,
        start: int = 0,
    ) -> Iterator[tuple[Any, Array, int]]:
        """One pass: (X, codes, number of the batch's first row), batches in the file's order.

        With a seed, rows are shuffled within each batch, by seed, pass and batch. `held` gives the
        rows that are held out of training; `start` leaves out batches that begin before it.
        """
        for X, y, first in self._pass(start):
            if first < start:
                continue
            if self.validate:
                mask = heldout(first, len(y), self.validate, self.seed) == held
                X, y = X[mask], y[mask]
            elif held:
                return
            if seed is not None:
                order = np.random.default_rng((seed, pass_number, first)).permutation(len(y))
                X, y = X[order], y[order]
            if len(y):
                yield X, y, first

    def passes(
        self, count: int, seed: int | None = None
    ) -> Iterator[Iterator[tuple[Any, Array, int]]]:
        """`count` passes of batches."""
        for number in range(count):
            yield self.batches(number, seed)

    def _pass(self, start: int) -> Iterator[tuple[Any, Array, int]]:
        if self._whole is not None:
            yield *self._whole, 0
            return
        self.source.progress = 0
        first = 0
        pieces = self.source.pieces(self._columns)
        for batch, X in ahead(pieces, self._decode):
            if len(batch):
                yield X, self._codes(batch, first), first
                first += len(batch)
        self.source.rows = first

    def _decode(self, piece: Any) -> tuple[Batch, Any]:
        batch = self.source.decode(piece, self._columns)
        return batch, self.recipe.transform(batch, self._dtype) if len(batch) else None

    def _codes(self, batch: Batch, first: int) -> Array:
        return self.recipe.codes(replace(batch, first=first))

    def _encoded(self, kept: list[Batch]) -> tuple[Any, Array]:
        """The kept batches as one matrix; each is let go as soon as it is encoded."""
        rows = sum(len(batch) for batch in kept)
        y = np.empty(rows, np.int64)
        X: Any = None if self.recipe.sparse else np.empty((rows, self.recipe.width), self._dtype)
        kept.reverse()

        def popped() -> Iterator[Batch]:
            while kept:
                yield kept.pop()

        def encode(batch: Batch) -> Any:
            part = slice(batch.first, batch.first + len(batch))
            y[part] = self.recipe.codes(batch)
            if X is None:
                return self.recipe.transform(batch, self._dtype)
            self.recipe.transform(batch, self._dtype, X[part])
            return None

        parts = list(ahead(popped(), encode))
        return (stacked(parts) if X is None else X), y


def _fits(source: Source, budget: float) -> bool:
    """Whether it is worth while to try and keep everything."""
    weight = source.weight
    return weight is None or weight <= budget


def _size(batch: Batch) -> int:
    """Bytes of a batch now, or as features: four to a number at least."""
    if batch.table is not None:
        numbers = 0 if batch.numbers is None else max(batch.numbers.nbytes, 4 * batch.numbers.size)
        return numbers + sum(max(int(c.nbytes), 4 * len(c)) for c in batch.table.columns)
    X = batch.X
    return int(X.nbytes) if isinstance(X, np.ndarray) else 12 * int(X.nnz) + 4 * len(batch)


def _keep(
    source: Source, columns: list[str] | None, numbers: list[str], budget: float
) -> list[Batch] | None:
    """All batches, or None if they are more than the budget."""
    kept, size = [], 0
    for batch in source.batches(columns):
        kept.append(packed(batch, numbers))
        size += _size(kept[-1])
        if size > budget:
            return None
    return kept


def learned(source: Source, budget: float = BUDGET, **options: Any) -> Recipe:
    """A recipe for a source: exact up to the budget, else of a sample; sparse rows take a pass."""
    return _learn(source, budget, options)[0]


def _learn(
    source: Source, budget: float, options: dict[str, Any]
) -> tuple[Recipe, list[Batch] | None]:
    """A recipe, and the batches it was learned from if they are all the source has."""
    learner = Learner(source, **options)
    kept: list[Batch] | None = []
    size, first = 0, 0
    if source.kind == "table" and not _fits(source, budget):
        return _from_sample(source, options), None

    def work(piece: Any) -> tuple[Batch, Any]:
        batch = packed(source.decode(piece, learner.reads), learner.numbers)
        return batch, learner.look(batch) if len(batch) else None

    source.progress = 0
    for batch, look in ahead(source.pieces(learner.reads), work):
        if not len(batch):
            continue
        learner.join(look)
        size += _size(batch)
        if size > budget:
            kept = None
            # Widths and labels of sparse rows take a whole pass; columns are known by a sample.
            if source.kind == "table":
                return _from_sample(source, options), None
        if kept is not None:
            kept.append(replace(batch, first=first))
        first += len(batch)
    source.rows = first
    return learner.settle(), kept


def _from_sample(source: Source, options: dict[str, Any]) -> Recipe:
    learner = Learner(source, **options)
    for batch in source.sample(SAMPLE, learner.reads):
        if len(batch):
            learner.join(learner.look(batch))
    return learner.settle()


def read(
    path: str | Path | list[Any], target: str | int | None = None, **options: Any
) -> tuple[Any, Array, list[str]]:
    """Examples, labels and names of features from a file of any format.

    The options are those of `Learner` (text, category, drop, ngrams, standardise, classes).

    Example
    -------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "flowers.csv"
    >>> _ = file.write_text("length,colour,name\\n1,red,rose\\n3,blue,iris\\n")
    >>> X, y, names = read(file, target="name")
    >>> X.toarray().tolist(), y.tolist(), names
    ([[-1.0, 0.0, 1.0], [1.0, 1.0, 0.0]], ['rose', 'iris'], ['length', 'colour=blue', 'colour=red'])
    """
    if target is not None:
        options["target"] = target
    stream = Stream(open_source(path), budget=float("inf"), **options)
    X, y = stream.whole()
    return X, stream.classes[y], stream.recipe.feature_names
