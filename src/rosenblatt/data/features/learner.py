"""A recipe in the making: statistics of columns, batch by batch."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from rosenblatt.data.errors import DataError
from rosenblatt.data.features import numbers
from rosenblatt.data.features.columns import LONGEST, Category, Flag, Number, Text
from rosenblatt.data.features.labels import Labels
from rosenblatt.data.features.recipe import Recipe
from rosenblatt.data.sources.batch import Batch, Source


class Learner:
    """A recipe in the making: sum batches up (`look`, any thread), join the sums in order.

    Parameters
    ----------
    source : Source
    target : name of the label's column (or its position, from the end if negative), None for none
    text : columns of text; `category` : columns of numbers that name things; `drop` : to leave out
    ngrams : words in a row, at most, that make a feature of a text
    standardise : False leaves numbers as they are
    classes : the labels, if some are too rare to be met in a sample
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
        if not 1 <= ngrams <= LONGEST:
            raise ValueError(f"ngrams={ngrams} must be from 1 to {LONGEST}.")
        self.source, self._standardise = source, standardise
        self.rows, self._width = 0, 0
        self.reads: list[str] | None = None
        self._columns: list[Any] = []
        self._numbers: list[Any] = []
        self._others: list[Any] = []
        self.numbers: list[str] = []  # the names of the columns of numbers
        self._target: str | None = None
        self._labels: Labels | None = Labels("number", classes)
        if source.kind != "table":
            return
        if isinstance(target, int):
            if not -len(source.names) <= target < len(source.names):
                raise DataError(f"there is no column at {target}.", file=source.name)
            target = source.names[target]
        for name in (*text, *category, *drop, *([] if target is None else [target])):
            _check(name, source)
        source.types.update(dict.fromkeys((*text, *category), "text"))
        self._target = target
        self._labels = None if target is None else Labels(source.types[target], classes, target)
        for name in source.names:
            if name == target or name in drop:
                continue
            self._columns.append(
                Text(name, longest=ngrams) if name in text else _choose(name, source)
            )
        self._columns = [column for column in self._columns if column is not None]
        if not self._columns:
            raise DataError("no column is left to learn from.", file=source.name)
        self._numbers = [c for c in self._columns if isinstance(c, Number)]
        self._others = [c for c in self._columns if not isinstance(c, Number)]
        self.numbers = [c.name for c in self._numbers]
        self.reads = [c.name for c in self._columns] + ([] if target is None else [target])

    def look(self, batch: Batch) -> Any:
        """What a batch adds."""
        labels = None
        if batch.table is None:
            if self._labels and batch.y is not None:
                labels = self._labels.look(batch.y)
            return len(batch), int(batch.X.shape[1]), labels
        try:
            looks = [c.look(batch.table.column(c.name)) for c in self._others]
            if self.numbers:
                sums = zip(
                    *(one.tolist() for one in numbers.summed(batch, self.numbers)), strict=True
                )
                looks = [*sums, *looks]
        except DataError as error:
            row = None if error.row is None else batch.first + error.row
            raise DataError(error.reason, file=batch.where, row=row, column=error.column) from None
        if self._labels:
            cells = self._labels.cells(batch.table.column(self._target), batch)
            labels = self._labels.look(cells)
        return len(batch), looks, labels

    def join(self, look: Any) -> None:
        rows, looks, labels = look
        self.rows += rows
        if labels is not None and self._labels:
            self._labels.join(labels, self.source.name)
        if isinstance(looks, int):
            self._width = max(self._width, looks)
            return
        for column, one in zip(self._numbers + self._others, looks, strict=True):
            column.join(one)

    def settle(self) -> Recipe:
        """The recipe."""
        name = self.source.name
        if not self.rows:
            raise DataError("there are no rows to learn from.", file=name)
        for column in self._columns:
            try:
                column.settle(self._standardise, self.rows)
            except DataError as error:
                raise DataError(error.reason, file=name, column=error.column) from None
        # A column without a single value says nothing.
        columns = [c for c in self._columns if not (isinstance(c, Category) and not c.values)]
        columns = [c for c in columns if not (isinstance(c, Number) and not c.count)]
        if self._columns and not columns:
            raise DataError("every column is empty.", file=name)
        labels = self._labels if self._labels and self._labels.settle(name) else None
        zero_based = bool(getattr(self.source, "zero_based", False))
        kind = self.source.kind
        return Recipe(kind, self._target, labels, columns, self._width, zero_based, self.rows)


def _check(name: str, source: Source) -> None:
    if name not in source.names:
        near = difflib.get_close_matches(name, source.names, 1)
        hint = (
            f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(source.names[:8])}."
        )
        raise DataError(f"there is no column '{name}'. {hint}", file=source.name, column=name)


def _choose(name: str, source: Source) -> Any:
    kind = source.types[name]
    if kind in ("number", "integer"):
        return Number(name)
    if kind == "flag":
        return Flag(name)
    if kind == "date":
        reason = f"'{name}' holds dates, which no rule can weigh. Make numbers of them, such as "
        reason += f"the year or the days since a start, or --drop {name}."
        raise DataError(reason, file=source.name, column=name)
    if kind == "other":
        reason = f"'{name}' holds lists or records. Flatten it, or --drop {name}."
        raise DataError(reason, file=source.name, column=name)
    return Category(name)
