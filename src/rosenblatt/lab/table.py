"""A table that the lab is opened with: two or more columns of numbers, then one of labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rosenblatt.data import DataError, Source, Stream, open_source
from rosenblatt.lab import schema

MOST_COLUMNS = 64  # of numbers: the page shows two of them, or two directions in all


def read_table(path: Path) -> tuple[schema.Drawn, schema.Sheet]:
    """Return points from the first two columns with their labels, and all columns."""
    source = open_source(path)
    if source.kind != "table" or not 3 <= len(source.names) <= MOST_COLUMNS + 1:
        raise DataError(
            f"the lab needs a table of two to {MOST_COLUMNS} columns of numbers, then one of "
            "labels.",
            file=source.name,
        )
    numbers = source.names[:-1]
    source.types.update(dict.fromkeys(numbers, "number"))
    _check_rows(source)
    stream = Stream(source, target=source.names[-1], standardise=False, dtype=np.float64)
    _check_columns(stream, numbers)
    X, codes = stream.all_rows()
    drawn = schema.Drawn(
        points=X[:, :2].tolist(),
        labels=(2 * codes - 1 if len(stream.classes) == 2 else codes).tolist(),
        margin=None,
        radius=None,
        separator=None,
        noise=None,
    )
    return drawn, _sheet(source.names, X, [str(stream.classes[code]) for code in codes])


def _sheet(names: list[str], X: np.ndarray, labels: list[str]) -> schema.Sheet:
    """Return a table as the page chooses columns of it."""
    rows = [[*map(repr, row), label] for row, label in zip(X.tolist(), labels, strict=True)]
    return schema.Sheet(names=names, rows=rows, lines=list(range(1, len(rows) + 1)))


def _check_rows(source: Source) -> None:
    """Reject a table of too many rows without reading all of them."""
    rows = 0
    for batch in source.batches():
        rows += len(batch)
        if rows > schema.POINTS:
            break
    if not 2 <= rows <= schema.POINTS:
        found = f"more than {schema.POINTS:,}" if rows > schema.POINTS else str(rows)
        raise DataError(
            f"the table has {found} rows; the lab takes 2 to {schema.POINTS:,}.", file=source.name
        )


def _check_columns(stream: Stream, numbers: list[str]) -> None:
    """Reject missing numbers, and too few or too many classes."""
    learned = {column.name: column for column in stream.recipe.columns}
    for name in numbers:
        if name not in learned or learned[name].missing:
            raise DataError(
                f"'{name}' has missing cells; the lab needs a number in every row.",
                file=stream.source.name,
                column=name,
            )
    if not 2 <= len(stream.classes) <= schema.CLASSES:
        raise DataError(
            f"'{stream.recipe.target_name}' has {len(stream.classes)} different labels; the lab "
            f"takes 2 to {schema.CLASSES}.",
            file=stream.source.name,
        )
