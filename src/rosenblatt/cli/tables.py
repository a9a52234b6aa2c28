"""Between files and models: what the commands share of reading and writing tables."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import rosenblatt.cli.start  # noqa: F401 (before anything that imports scikit-learn)
from rosenblatt.cli.reading import opened
from rosenblatt.cli.training import EVERY, Streamed
from rosenblatt.data import DataError, Recipe, open_source
from rosenblatt.estimators import report
from rosenblatt.proofs.checker import schema
from rosenblatt.storage import modelfile
from rosenblatt.storage.atomic import writing
from rosenblatt.theory.spaces import Array

# --- to learn from --------------------------------------------------------------------------


class Table(Streamed):
    """A file to learn from, with the recipe that its columns got."""

    def __init__(
        self, stream: Any, data: str, seed: int, shuffle: bool, held: Any, validate: str | None,
        rows: int = EVERY,
    ) -> None:  # fmt: skip
        chunk = rows if stream.in_memory else None
        super().__init__(stream, seed=seed if shuffle else None, held=held, rows=chunk)
        self.data, self.recipe, self._validate = data, stream.recipe, validate
        self._told = {"validate": validate, "shuffle": shuffle}

    @property
    def kept(self) -> bool:
        """Whether all rows are in memory, so that another look at them costs little."""
        return bool(self.stream.in_memory)

    @property
    def rows(self) -> int | None:
        """Rows of a pass, if that is known."""
        return None if self._memory is None else len(self._memory.y)

    def told(self) -> str:
        """What was read."""
        source, count = self.stream.source, self.stream.rows
        rows = f"{count:,} rows · " if count else ""
        return f"reading {source.name}    {rows}{self.recipe.report()}"

    def whole(self) -> tuple[Any, Array]:
        """All rows to learn from, and their labels."""
        X, y = self.stream.all_rows()
        return X, self.stream.classes[y]

    def names(self) -> list[str]:
        return list(self.recipe.feature_names)

    def settings(self) -> dict[str, Any]:
        """What tells these data from others, as far as it is known before they are read."""
        source, recipe = self.stream.source, self.recipe
        known = all(file.digest for file in source.files)
        return self._told | {
            "data": source.name,
            "size": source.size,
            "digest": source.digest() if known else None,
            "target": recipe.target_name,
            "columns": [column.name for column in recipe.columns],
            "features": recipe.width,
            "ngrams": [column.longest for column in recipe.columns if column.kind == "text"],
        }

    def origin(self) -> dict[str, Any]:
        """Where a model comes from."""
        source = self.stream.source
        told = {"data": source.name, "digest": source.digest(), "target": self.recipe.target_name}
        return told | {"read_rows": self.stream.rows}


def learned(
    data: str, target: str | None, text: list[str] | None, drop: list[str] | None,
    validate: str | None, seed: int, shuffle: bool, **options: Any,
) -> Table:  # fmt: skip
    """A file with a recipe learned from it; `validate` is a share of its rows, or another file."""
    stream, held = opened(data, target, text, drop, validate, seed, **options)
    return Table(stream, data, seed, shuffle, held, validate)


def kept_recipe(told: Any, path: Path) -> Any:
    """The recipe that a certificate brings."""
    if told is None:
        raise ValueError(
            f"{path} does not say how its examples were made from a table; check it in Python "
            "with rosenblatt.verify."
        )
    try:
        words = schema.fields(told, "the recipe", ("words", "arrays"))["words"]
        arrays = {name: np.asarray(values, float) for name, values in told["arrays"].items()}
        recipe = Recipe.from_dict(words, arrays)
        if recipe.to_dict() != words or recipe.arrays().keys() != arrays.keys():
            raise ValueError("it holds more than a recipe does.")
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: its recipe cannot be used: {error}") from None
    return recipe


# --- to predict -----------------------------------------------------------------------------


@dataclass
class Loaded(modelfile.Model):
    """A model file with its recipe at work."""

    prepare: Any = None


def model(path: Path) -> Loaded:
    """A model file made by fit; one saved in Python without a recipe predicts nothing here."""
    read = modelfile.read(path)
    told, prepare = read.recipe, None
    if told is not None:
        try:
            prepare = Recipe.from_dict(told["words"], told["arrays"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: its recipe cannot be used: {error}") from None
        if prepare.width != read.estimator.n_features_in_:
            raise ValueError(f"{path}: its recipe makes other features than it learned from.")
    return Loaded(read.estimator, told, read.provenance, read.version, prepare)


def strongest(estimator: Any, recipe: Any, k: int) -> dict[Any, dict[str, Any]]:
    """The strongest weights of each class, by the names of the table; a kernel has none."""
    if recipe is not None:
        estimator._names = recipe.feature_names
    return report.top_features(estimator, k) if hasattr(estimator, "coef_") else {}


def rows(loaded: Loaded, data: str, labelled: bool) -> Iterator[tuple[Any, Array]]:
    """The rows of a file as the model's recipe makes them, with their labels if wanted."""
    recipe = loaded.prepare
    if recipe is None:
        raise ValueError("the model was saved without a recipe for tables; use it in Python.")
    source = source_for(data, recipe)
    columns = recipe.bind(source, target=labelled)
    for batch in source.batches(columns):
        labels = recipe.target(batch) if labelled else None
        if labelled and labels is None:
            raise DataError("there are no labels to compare with.", file=source.name)
        yield recipe.transform(batch), labels if labels is not None else np.zeros(0)
    unseen = recipe.unseen()
    if unseen:
        print(f"rosenblatt: note: {unseen} (counted as nothing)", file=sys.stderr)


def source_for(data: str, recipe: Any) -> Any:
    """A file, with the columns that hold words in the recipe read as words."""
    words = tuple(recipe.text_columns)
    source = open_source(data, strings=words)
    absent = any(column.name not in source.names for column in recipe.columns)
    if absent and source.kind == "table" and data != "-":
        # A first line that does not look like names may hold them all the same.
        source = open_source(data, strings=words, header=True)
    return source


# --- to write -------------------------------------------------------------------------------


class Sink:
    """Where predictions go, some columns at a time."""

    def __init__(self, put: Any) -> None:
        self._put = put
        self.told: dict[str, Any] = {}

    def __call__(self, columns: dict[str, Array]) -> None:
        self._put(columns)


@contextmanager
def answers(out: Path | None, quiet: bool) -> Iterator[Sink]:
    """A file of predictions, which appears whole or not at all; or standard output."""
    if out is None:
        yield _collector() if quiet else Sink(_Csv(sys.stdout.buffer))
        return
    if out.suffix not in (".csv", ".parquet"):
        raise ValueError(f"--out {out} must end in .csv or .parquet.")
    with writing(out) as file:
        if out.suffix == ".csv":
            yield Sink(_Csv(file))
            return
        put = _Parquet(file)
        yield Sink(put)
        put.close()


def _collector() -> Sink:
    found: dict[str, list[Any]] = {}

    def put(columns: dict[str, Array]) -> None:
        for name, values in columns.items():
            found.setdefault(name, []).extend(values.tolist())

    sink = Sink(put)
    sink.told["columns"] = found
    return sink


def _arrow(columns: dict[str, Array]) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(values) for name, values in columns.items()})


class _Csv:
    def __init__(self, file: Any) -> None:
        self.file, self.begun = file, False

    def __call__(self, columns: dict[str, Array]) -> None:
        import csv

        import pyarrow.csv as arrow

        if not self.begun:
            head = io.StringIO()
            csv.writer(head, lineterminator="\n").writerow(columns)
            self.file.write(head.getvalue().encode())
            self.begun = True
        content = io.BytesIO()
        table = _arrow(columns)
        labels = map(str, table["prediction"].unique().to_pylist())
        # pyarrow puts every text in quotes or none.
        quoted = any(set(label) & set('",\r\n') for label in labels)
        style = "needed" if quoted else "none"
        options = arrow.WriteOptions(include_header=False, quoting_style=style)
        arrow.write_csv(table, content, options)
        self.file.write(content.getvalue())


class _Parquet:
    def __init__(self, file: Any) -> None:
        self.file = file
        self.writer: Any = None

    def __call__(self, columns: dict[str, Array]) -> None:
        import pyarrow.parquet as parquet

        table = _arrow(columns)
        if self.writer is None:
            self.writer = parquet.ParquetWriter(self.file, table.schema)
        self.writer.write_table(table)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
