"""A file to learn from, with the recipe that turns its columns into features."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import rosenblatt.cli.fast_imports  # noqa: F401 (before anything that imports scikit-learn)
from rosenblatt.cli.file_roles import parse_validate
from rosenblatt.cli.options import TableOptions
from rosenblatt.cli.sources import check_classes, open_training_source
from rosenblatt.data import Stream, open_source
from rosenblatt.engine.execution import fast
from rosenblatt.estimators.sources import FromStream
from rosenblatt.storage.checkpoint import EVERY
from rosenblatt.theory.spaces import Array


class TrainingTable(FromStream):
    """A file to learn from; `every` rows at most are learned between two checkpoints."""

    def __init__(
        self,
        stream: Any,
        options: TableOptions,
        *,
        shuffle: bool = True,
        held_out: Callable[[], Iterator[Any]] | None = None,
        every: int = EVERY,
    ) -> None:
        rows, seed = every if stream.in_memory else None, options.seed if shuffle else None
        super().__init__(stream, seed=seed, held_out=held_out, rows=rows)
        self.recipe = stream.recipe
        self._options = {"validate": options.validate, "shuffle": shuffle}

    @property
    def kept(self) -> bool:
        """Whether all rows are in memory, so that reading them again costs little."""
        return bool(self.stream.in_memory)

    @property
    def rows(self) -> int | None:
        """Rows per pass, if known."""
        return None if self.memory is None else len(self.memory.y)

    def description(self) -> str:
        """Return one line about what was read."""
        source, count = self.stream.source, self.stream.rows
        rows = f"{count:,} rows · " if count else ""
        return f"reading {source.name}    {rows}{self.recipe.report()}"

    def all_rows(self) -> tuple[Any, Array]:
        """Return all training rows and their labels."""
        X, y = self.stream.all_rows()
        return X, self.stream.classes[y]

    def settings(self) -> dict[str, Any]:
        """Return what a resumed training must agree with, as far as it is known."""
        source, recipe = self.stream.source, self.recipe
        known = all(file.digest for file in source.files)
        return self._options | {
            "data": source.name,
            "size": source.size,
            "digest": source.digest() if known else None,
            "target": recipe.target_name,
            "columns": [column.name for column in recipe.columns],
            "features": recipe.width,
            "ngrams": [column.longest for column in recipe.columns if column.kind == "text"],
        }

    def origin(self) -> dict[str, Any]:
        """Return the provenance of a model that was trained on this table."""
        source = self.stream.source
        return {
            "data": source.name,
            "digest": source.digest(),
            "target": self.recipe.target_name,
            "read_rows": self.stream.rows,
        }


def read_table(
    options: TableOptions, *, shuffle: bool = True, every: int = EVERY, **stream_options: Any
) -> TrainingTable:
    """Read a file to learn from; `stream_options` are passed to `Stream`."""
    source = open_training_source(options)
    if source.kind == "svmlight":
        source.compile_loop = fast
    fraction, file = parse_validate(options.validate)
    stream = Stream(
        source,
        validate=fraction,
        seed=options.seed,
        target=options.target,
        text=options.text or (),
        drop=options.drop or (),
        ngrams=options.ngrams,
        **stream_options,
    )
    check_classes(stream.classes, source)
    held_out = None if file is None else _held_out(file, options, stream.recipe)
    return TrainingTable(stream, options, shuffle=shuffle, held_out=held_out, every=every)


def _held_out(file: str, options: TableOptions, recipe: Any) -> Callable[[], Iterator[Any]]:
    """Return a function that reads the held-out rows of a file."""
    stream = Stream(open_source(file, strings=tuple(options.text or ())), recipe)

    def parts() -> Iterator[Any]:
        for X, y, _ in stream.batches():
            yield X, y

    return parts
