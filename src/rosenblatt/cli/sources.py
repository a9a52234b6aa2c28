"""Sources opened for a command: to learn from, or as a recipe needs them."""

from __future__ import annotations

from typing import Any

from rosenblatt.cli.options import TableOptions
from rosenblatt.data import DataError, open_source

SHOWN = 8
"""Columns that an error message lists."""


def open_training_source(options: TableOptions) -> Any:
    """Open data to learn from; a table needs a target."""
    source = open_source(options.data, strings=tuple(options.text or ()))
    if source.kind == "table" and options.target is None:
        columns = ", ".join(source.names[:SHOWN]) + (", ..." * (len(source.names) > SHOWN))
        raise DataError(
            f"name the column to predict with --target; the columns are {columns}.",
            file=source.name,
        )
    return source


def check_classes(classes: Any, source: Any) -> None:
    """Reject a target with a single value."""
    if classes is not None and len(classes) < 2:
        raise DataError(
            f"the target has only one value, {classes.tolist()[0]!r}; a classifier needs at least "
            "two classes.",
            file=source.name,
        )


def open_for_recipe(data: str, recipe: Any) -> Any:
    """Open data for a recipe, reading the columns that it treats as text as text."""
    strings = tuple(recipe.text_columns)
    source = open_source(data, strings=strings)
    absent = not {column.name for column in recipe.columns}.issubset(source.names)
    if absent and source.kind == "table" and data != "-":
        # The first line may hold the names even if it does not look like a header.
        source = open_source(data, strings=strings, header=True)
    return source
