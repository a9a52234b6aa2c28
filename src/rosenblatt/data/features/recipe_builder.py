"""The statistics of columns, batch by batch, from which a recipe is built."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.data.errors import DataError
from rosenblatt.data.features import numbers
from rosenblatt.data.features.columns import LONGEST_NGRAM, Category, Flag, Number, Text
from rosenblatt.data.features.labels import Labels
from rosenblatt.data.features.recipe import Recipe
from rosenblatt.data.sources.batch import Batch, Source

MOST_FEATURES = 1 << 22
"""Features of svmlight text with few numbers: a wrong index must not take all memory."""
FEATURES_PER_NUMBER = 100
"""Features at most for each number, in longer text."""


class RecipeBuilder:
    """A recipe in the making: summarise batches (in any thread), then add them in order.

    Parameters
    ----------
    source : Source
    target : name of the label's column (or its position, from the end if negative), None for none
    text : columns of text; `category` : columns of numbers that are names; `drop` : to leave out
    ngrams : the most words in a row that make a feature of a text
    standardise : False leaves numbers as they are
    classes : the labels, if some are too rare to occur in a sample
    """

    def __init__(
        self,
        source: Source,
        *,
        target: str | int | None = None,
        text: Sequence[str] = (),
        category: Sequence[str] = (),
        drop: Sequence[str] = (),
        ngrams: int = 1,
        standardise: bool = True,
        classes: Sequence[Any] | None = None,
    ) -> None:
        if not 1 <= ngrams <= LONGEST_NGRAM:
            raise ValueError(f"ngrams={ngrams} must be from 1 to {LONGEST_NGRAM}.")
        self.source, self._standardise = source, standardise
        self.rows, self._width, self._count = 0, 0, 0
        self.input_columns: list[str] | None = None
        self._columns: list[Any] = []
        self._target: str | None = None
        self._labels: Labels | None = Labels("number", classes)
        if source.kind == "table":
            self._target = target = _target_name(source, target)
            named = [] if target is None else [target]
            _check_columns((*text, *category, *drop, *named), source)
            source.types.update(dict.fromkeys((*text, *category), "text"))
            self._labels = None if target is None else Labels(source.types[target], classes, target)
            texts, unused = set(text), {target, *drop}
            for name in source.names:
                if name not in unused:
                    is_text = name in texts
                    column = Text(name, longest=ngrams) if is_text else _column_for(name, source)
                    self._columns.append(column)
            if not self._columns:
                raise DataError("no column is left to learn from.", file=source.name)
            self.input_columns = [column.name for column in self._columns] + named
        self._numbers = [c for c in self._columns if isinstance(c, Number)]
        self._others = [c for c in self._columns if not isinstance(c, Number)]
        self.number_columns = [column.name for column in self._numbers]

    def summarise(self, batch: Batch) -> Any:
        """Return the statistics of a batch."""
        labels = None
        if batch.table is None:
            if self._labels and batch.y is not None:
                labels = self._labels.summarise(batch.y)
            return len(batch), (int(batch.X.shape[1]), _stored_numbers(batch.X)), labels
        try:
            summaries = [c.summarise(batch.table.column(c.name)) for c in self._others]
            if self.number_columns:
                moments = numbers.summarise(batch, self.number_columns)
                by_column = zip(*(one.tolist() for one in moments), strict=True)
                summaries = [*by_column, *summaries]
        except DataError as error:
            row = None if error.row is None else batch.first_row + error.row
            raise DataError(error.reason, file=batch.file, row=row, column=error.column) from None
        if self._labels:
            cells = self._labels.cells(batch.table.column(self._target), batch)
            labels = self._labels.summarise(cells)
        return len(batch), summaries, labels

    def add(self, summary: Any) -> None:
        """Add the statistics of the next batch."""
        rows, of_columns, labels = summary
        self.rows += rows
        if labels is not None and self._labels:
            self._labels.add(labels, self.source.name)
        if isinstance(of_columns, tuple):
            width, count = of_columns
            self._width, self._count = max(self._width, width), self._count + count
            return
        for column, one in zip(self._numbers + self._others, of_columns, strict=True):
            column.add(one)

    def build(self) -> Recipe:
        """Return the recipe of the batches added so far."""
        name = self.source.name
        if not self.rows:
            raise DataError("there are no rows to learn from.", file=name)
        if self._width > max(MOST_FEATURES, FEATURES_PER_NUMBER * self._count):
            raise DataError(
                f"an index makes {self._width:,} features, far more than the {self._count:,} "
                "numbers of the file; correct the index, or number the features without gaps.",
                file=name,
            )
        for column in self._columns:
            try:
                column.finish(self._standardise)
            except DataError as error:
                raise DataError(error.reason, file=name, column=error.column) from None
        # A column without a single value has no information.
        columns = [c for c in self._columns if not (isinstance(c, Category) and not c.values)]
        columns = [c for c in columns if not (isinstance(c, Number) and not c.count)]
        if self._columns and not columns:
            raise DataError("every column is empty.", file=name)
        labels = self._labels if self._labels and self._labels.finish(name) else None
        zero_based = bool(getattr(self.source, "zero_based", False))
        kind = self.source.kind
        return Recipe(kind, self._target, labels, columns, self._width, zero_based, self.rows)


def _stored_numbers(X: Any) -> int:
    """Return how many numbers a matrix holds."""
    return int(X.size if isinstance(X, np.ndarray) else X.nnz)


def _target_name(source: Source, target: str | int | None) -> str | None:
    if not isinstance(target, int):
        return target
    if not -len(source.names) <= target < len(source.names):
        raise DataError(f"there is no column at position {target}.", file=source.name)
    return source.names[target]


def _check_columns(names: Sequence[str], source: Source) -> None:
    """Reject a name that no column has; suggest one that is near."""
    present = set(source.names)
    for name in names:
        if name in present:
            continue
        near = difflib.get_close_matches(name, source.names, 1)
        listed = ", ".join(source.names[:8]) + ", ..." * (len(source.names) > 8)
        hint = f"Did you mean '{near[0]}'?" if near else f"The columns are {listed}."
        raise DataError(f"there is no column '{name}'. {hint}", file=source.name, column=name)


def _column_for(name: str, source: Source) -> Number | Flag | Category:
    """Return the kind of column that fits the type of a source's column."""
    kind = source.types[name]
    if kind in ("number", "integer"):
        return Number(name)
    if kind == "flag":
        return Flag(name)
    if kind == "date":
        reason = f"'{name}' holds dates. Turn them into numbers, such as the year or the days "
        reason += f"since a start, or use --drop {name}."
        raise DataError(reason, file=source.name, column=name)
    if kind == "other":
        reason = f"'{name}' holds lists or records. Flatten it, or use --drop {name}."
        raise DataError(reason, file=source.name, column=name)
    return Category(name)
