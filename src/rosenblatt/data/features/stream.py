"""Matrices for training: kept in memory if they fit, else read from disk in every pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError
from rosenblatt.data.features.numbers import pack, select
from rosenblatt.data.features.recipe import Recipe
from rosenblatt.data.features.recipe_builder import RecipeBuilder
from rosenblatt.data.held_out import held_out_mask
from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.formats import open_source
from rosenblatt.data.sources.parallel import parallel_map
from rosenblatt.data.sources.sparse import stack_rows

Array = npt.NDArray[Any]

BUDGET = 256 << 20
"""The most bytes of decoded data that are kept in memory."""
SAMPLE = 32 << 20
"""Bytes from which statistics are computed where the data are not kept."""


class Stream:
    """The rows of a source as features and codes of classes, pass after pass.

    Parameters
    ----------
    source : Source
    recipe : Recipe, or None to learn one; the options are then those of `RecipeBuilder`
    budget : the most bytes of decoded data that are kept in memory; statistics are then exact
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
            raise ValueError(f"validate={validate} must be a share of the rows: 0 <= share < 1.")
        self.source, self.validate, self.seed, self._dtype = source, validate, seed, dtype
        self._kept: tuple[Any, Array] | None = None
        if recipe is None:
            self.recipe, batches = _learn(source, budget, options)
        else:
            self.recipe, batches = recipe, None
            self._columns = recipe.bind(source, target=True)
            if _may_fit(source, budget):
                batches = _read_all(source, self._columns, recipe.number_columns, budget)
        self._columns = self.recipe.bind(source, target=True)
        if self.recipe.labels is None:
            raise DataError("there are no labels to learn from.", file=source.name)
        if batches is not None:
            self._kept = self._encode_all(batches)

    @property
    def in_memory(self) -> bool:
        """Whether all rows are kept in memory."""
        return self._kept is not None

    @property
    def classes(self) -> Array:
        classes = self.recipe.classes
        assert classes is not None
        return classes

    @property
    def rows(self) -> int | None:
        """The number of rows, None until it is known."""
        return len(self._kept[1]) if self._kept else self.source.rows

    def all_rows(self, held_out: bool = False) -> tuple[Any, Array]:
        """Return all training rows (or the held-out ones) at once, if they are in memory."""
        if self._kept is None:
            raise DataError("the data do not fit into the memory budget.", file=self.source.name)
        X, y = self._kept
        if not self.validate:
            return (X[:0], y[:0]) if held_out else (X, y)
        mask = held_out_mask(0, len(y), self.validate, self.seed) == held_out
        return X[mask], y[mask]

    def batches(
        self,
        pass_number: int = 0,
        seed: int | None = None,
        *,
        held_out: bool = False,
        start: int = 0,
    ) -> Iterator[tuple[Any, Array, int]]:
        """Yield (X, codes, number of the first row) of each batch, in file order.

        With a seed, rows are shuffled within each batch, by seed, pass and batch. With `held_out`,
        the rows held out of training are returned; batches that begin before `start` are left out.
        """
        for X, y, first in self._batches():
            if first < start:
                continue
            if self.validate:
                mask = held_out_mask(first, len(y), self.validate, self.seed) == held_out
                X, y = X[mask], y[mask]
            elif held_out:
                return
            if seed is not None:
                order = np.random.default_rng((seed, pass_number, first)).permutation(len(y))
                X, y = X[order], y[order]
            if len(y):
                yield X, y, first

    def passes(
        self, count: int, seed: int | None = None
    ) -> Iterator[Iterator[tuple[Any, Array, int]]]:
        """Yield the batches of each of `count` passes."""
        for number in range(count):
            yield self.batches(number, seed)

    def _batches(self) -> Iterator[tuple[Any, Array, int]]:
        if self._kept is not None:
            yield *self._kept, 0
            return
        self.source.bytes_read = 0
        first = 0
        pieces = self.source.pieces(self._columns)
        for batch, X in parallel_map(pieces, self._decode):
            if len(batch):
                yield X, self.recipe.codes(replace(batch, first_row=first)), first
                first += len(batch)
        self.source.rows = first

    def _decode(self, piece: Any) -> tuple[Batch, Any]:
        batch = self.source.decode(piece, self._columns)
        return batch, self.recipe.transform(batch, self._dtype) if len(batch) else None

    def _encode_all(self, batches: list[Batch]) -> tuple[Any, Array]:
        """Return batches as one matrix; each is freed as soon as it is encoded."""
        rows = sum(len(batch) for batch in batches)
        y = np.empty(rows, np.int64)
        X: Any = None if self.recipe.sparse else np.empty((rows, self.recipe.width), self._dtype)
        batches.reverse()

        def in_order() -> Iterator[Batch]:
            while batches:
                yield batches.pop()

        def encode(batch: Batch) -> Any:
            rows = slice(batch.first_row, batch.first_row + len(batch))
            y[rows] = self.recipe.codes(batch)
            if X is None:
                return self.recipe.transform(batch, self._dtype)
            self.recipe.transform(batch, self._dtype, X[rows])
            return None

        parts = list(parallel_map(in_order(), encode))
        return (stack_rows(parts) if X is None else X), y


def _may_fit(source: Source, budget: float) -> bool:
    """Return whether it is worth trying to keep all rows."""
    size = source.decoded_size
    return size is None or size <= budget


def _size(batch: Batch) -> int:
    """Return the bytes of a batch now, or as features: at least four per number."""
    if batch.table is not None:
        numbers = 0 if batch.numbers is None else max(batch.numbers.nbytes, 4 * batch.numbers.size)
        return numbers + sum(max(int(c.nbytes), 4 * len(c)) for c in batch.table.columns)
    X = batch.X
    return int(X.nbytes) if isinstance(X, np.ndarray) else 12 * int(X.nnz) + 4 * len(batch)


def _read_all(
    source: Source, columns: list[str] | None, numbers: list[str], budget: float
) -> list[Batch] | None:
    """Return all batches, or None if they exceed the budget."""
    batches, size = [], 0
    for batch in source.batches(columns):
        batches.append(pack(batch, numbers))
        size += _size(batches[-1])
        if size > budget:
            return None
    return batches


def learn_recipe(source: Source, budget: float = BUDGET, **options: Any) -> Recipe:
    """Learn a recipe from all rows or, of tables above the budget, a sample.

    The width and the labels of svmlight files need a complete pass.
    """
    return _learn(source, budget, options)[0]


def _learn(
    source: Source, budget: float, options: dict[str, Any]
) -> tuple[Recipe, list[Batch] | None]:
    """Return a recipe, and all batches of the source if they fit the budget."""
    builder = RecipeBuilder(source, **options)
    kept: list[Batch] | None = []
    size, first = 0, 0
    if source.kind == "table" and not _may_fit(source, budget):
        return _learn_from_sample(source, options), None

    def summarise(piece: Any) -> tuple[Batch, Any]:
        batch = pack(source.decode(piece, builder.input_columns), builder.number_columns)
        return batch, builder.summarise(batch) if len(batch) else None

    source.bytes_read = 0
    for batch, summary in parallel_map(source.pieces(builder.input_columns), summarise):
        if not len(batch):
            continue
        builder.add(summary)
        size += _size(batch)
        if size > budget:
            kept = None
            # Width and labels of sparse rows need a complete pass; for columns a sample will do.
            if source.kind == "table":
                return _learn_from_sample(source, options), None
        if kept is not None:
            kept.append(replace(batch, first_row=first))
        first += len(batch)
    source.rows = first
    recipe = builder.build()
    if kept is not None:  # columns without a single number are not in the recipe
        names, chosen = builder.number_columns, recipe.number_columns
        kept = [select(batch, names, chosen) for batch in kept]
    return recipe, kept


def _learn_from_sample(source: Source, options: dict[str, Any]) -> Recipe:
    builder = RecipeBuilder(source, **options)
    for batch in source.sample(SAMPLE, builder.input_columns):
        if len(batch):
            builder.add(builder.summarise(batch))
    return builder.build()


def read(
    path: str | Path | list[Any], target: str | int | None = None, **options: Any
) -> tuple[Any, Array, list[str]]:
    """Return examples, labels and names of features from a file of any format.

    The options are those of `RecipeBuilder` (text, category, drop, ngrams, standardise, classes).

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
    X, y = stream.all_rows()
    return X, stream.classes[y], list(stream.recipe.feature_names)
