"""How the columns of a table become features and classes: learned once, always applied alike."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError
from rosenblatt.data.features import numbers
from rosenblatt.data.features.columns import KINDS, LONGEST_NGRAM, Category, Flag, Number, Text
from rosenblatt.data.features.labels import Labels
from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.sparse import csr, stack_columns

Array = npt.NDArray[Any]

FORMAT = "rosenblatt-recipe/1"


@dataclass(frozen=True)
class NumberedNames(Sequence[str]):
    """The names x1, x2, ..., made when they are looked up: there may be millions."""

    prefix: str
    numbers: range

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return NumberedNames(self.prefix, self.numbers[place])
        return f"{self.prefix}{self.numbers[place]}"


@dataclass(eq=False)
class Recipe:
    """Columns to features, and labels to classes.

    `kind` is that of the source: a table has `columns`; svmlight and images are used as they are,
    with `width` features.
    """

    kind: str
    target_name: str | None
    labels: Labels | None
    columns: list[Any] = field(default_factory=list)
    width: int = 0
    zero_based: bool = False
    rows: int = 0
    tally: Counter[str] = field(default_factory=Counter)
    """Missing cells and unseen values in the data transformed so far."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        if self.kind == "table":
            self.width = sum(self._widths())

    def __reduce__(self) -> tuple[Any, ...]:
        return Recipe.from_dict, (self.to_dict(), self.arrays())

    @classmethod
    def learn(cls, source: Source, **options: Any) -> Recipe:
        """Learn a recipe from all rows; the options are those of `RecipeBuilder`."""
        from rosenblatt.data.features.recipe_builder import RecipeBuilder  # which imports this

        builder = RecipeBuilder(source, **options)
        for batch in source.batches(builder.input_columns):
            builder.add(builder.summarise(batch))
        return builder.build()

    @property
    def classes(self) -> Array | None:
        """The labels in the order of their codes."""
        return self.labels.array() if self.labels else None

    @property
    def sparse(self) -> bool:
        """Whether `transform` returns CSR matrices."""
        if self.kind != "table":
            return self.kind == "svmlight"
        return any(isinstance(column, (Category, Text)) for column in self.columns)

    @property
    def number_columns(self) -> list[str]:
        return [column.name for column in self.columns if isinstance(column, Number)]

    @property
    def text_columns(self) -> list[str]:
        """Columns that are read as text, even where a file's first rows look like numbers."""
        names = [column.name for column in self.columns if column.read_as == "text"]
        if self.labels is not None and self.labels.read_as == "text" and self.target_name:
            names.append(self.target_name)
        return names

    @property
    def feature_names(self) -> Sequence[str]:
        """The names of the features, in their order."""
        if self.kind == "table":
            return [name for column in self.columns for name in column.features]
        prefix = "pixel" if self.kind == "images" else "x"
        first = 0 if self.zero_based or self.kind == "images" else 1
        return NumberedNames(prefix, range(first, first + self.width))

    def _widths(self) -> list[int]:
        return [
            1 << column.bits if isinstance(column, Text) else len(column.features)
            for column in self.columns
        ]

    def bind(self, source: Source, target: bool = False) -> list[str] | None:
        """Give a source the types of the recipe; return the columns to read.

        The source may have its columns in any order, and more of them.
        """
        if source.kind != self.kind:
            raise DataError(
                f"the model was learned from {_KINDS[self.kind]}, this is {_KINDS[source.kind]}.",
                file=source.name,
            )
        if self.kind != "table":
            if self.kind == "svmlight":
                source.zero_based = self.zero_based  # type: ignore[attr-defined]
            elif len(source.names) != self.width:
                reason = f"{len(source.names)} pixels, but the model has {self.width}."
                raise DataError(reason, file=source.name)
            return None
        types = {column.name: column.read_as for column in self.columns}
        if target and self.target_name is not None and self.labels:
            types[self.target_name] = self.labels.read_as
        present = set(source.names)
        absent = [name for name in types if name not in present]
        if absent:
            named = ", ".join(f"'{name}'" for name in absent[:5])
            more = f" and {len(absent) - 5} more" if len(absent) > 5 else ""
            has = ", ".join(source.names[:8]) + (", ..." if len(source.names) > 8 else "")
            reason = f"the model needs column {named}{more}, which is not there (there are: {has})."
            raise DataError(reason, file=source.name, column=absent[0])
        source.types.update(types)
        return list(types)

    def transform(self, batch: Batch, dtype: Any = np.float32, out: Array | None = None) -> Any:
        """Return the features of a batch: an array (`out`, if given), or CSR."""
        if batch.table is None:
            X = self._fit_width(batch.X)
            if out is None:
                return X
            out[:] = X
            return out
        names = set(batch.table.schema.names)
        absent = [
            c.name for c in self.columns
            if c.name not in names and not (isinstance(c, Number) and batch.numbers is not None)
        ]  # fmt: skip
        if absent:
            raise DataError(f"the model needs column '{absent[0]}'.", file=batch.file)
        tally: Counter[str] = Counter()
        try:
            X = self._encode(batch, dtype, tally, out)
        except DataError as error:
            row = None if error.row is None else batch.first_row + error.row
            raise DataError(error.reason, file=batch.file, row=row, column=error.column) from None
        with self._lock:
            self.tally.update(tally)
        return X

    def _encode(
        self, batch: Batch, dtype: Any, tally: Counter[str], out: Array | None = None
    ) -> Any:
        """Return the features of a table, sparse with categories or text."""
        table: Any = batch.table
        dense = [c for c in self.columns if isinstance(c, (Number, Flag))]
        ends = list(accumulate((len(c.features) for c in dense), initial=0))
        X = np.empty((len(batch), ends[-1]), dtype) if out is None else out
        places = {c.name: (c, place) for c, place in zip(dense, ends, strict=False)}
        of_numbers = [pair for pair in places.values() if isinstance(pair[0], Number)]
        if of_numbers:
            columns, starts = zip(*of_numbers, strict=True)
            numbers.encode(batch, columns, starts, X, tally)
        for column, place in places.values():
            if isinstance(column, Flag):
                for j, values in enumerate(column.encode(table.column(column.name), tally)):
                    X[:, place + j] = values
        if not self.sparse:
            return X
        encoded = [
            list(X[:, places[c.name][1] :][:, : len(c.features)].T) if c.name in places
            else c.encode(table.column(c.name), tally)
            for c in self.columns
        ]  # fmt: skip
        return self._join(encoded, len(batch), dtype)

    def _join(self, encoded: list[Any], rows: int, dtype: Any) -> Any:
        """Join the features of all columns in a sparse matrix.

        Numbers and categories have slots of at most one entry per row; text has a matrix.
        """
        parts: list[Any] = []
        slots: list[tuple[Any, Any]] = []  # the feature(s) and the value(s) of each
        slots_width = 0

        def end_slots() -> None:
            nonlocal slots, slots_width
            if slots_width:
                parts.append(_matrix_of_slots(slots, rows, slots_width, dtype))
            slots, slots_width = [], 0

        for column, values, width in zip(self.columns, encoded, self._widths(), strict=True):
            if isinstance(column, Text):
                end_slots()
                parts.append(values.astype(dtype))
            elif isinstance(column, Category):
                slots.append((np.where(values < 0, -1, values + slots_width), 1.0))
                slots_width += width
            else:
                slots.extend((slots_width + i, one) for i, one in enumerate(values))
                slots_width += width
        end_slots()
        return stack_columns(parts)

    def _fit_width(self, X: Any) -> Any:
        """Return a matrix with as many features as the recipe has; count what is left out."""
        if X.shape[1] == self.width:
            return X
        if isinstance(X, np.ndarray):
            raise DataError(f"{X.shape[1]} pixels, but the model has {self.width}.")
        if X.shape[1] < self.width:
            return csr((X.data, X.indices, X.indptr), shape=(X.shape[0], self.width))
        with self._lock:
            self.tally["unseen indices"] += int((X.indices >= self.width).sum())
        return csr(X[:, : self.width])

    def target(self, batch: Batch) -> Array | None:
        """Return the labels of a batch as they are, None if it has none."""
        cells = self._labels_of(batch)
        return cells if cells is None else np.asarray(cells)

    def _labels_of(self, batch: Batch) -> Any:
        if batch.table is None:
            return batch.y
        if self.labels is None or self.target_name not in batch.table.schema.names:
            return None
        return self.labels.cells(batch.table.column(self.target_name), batch)

    def codes(self, batch: Batch) -> Array:
        """Return the labels of a batch as positions in `classes`; a new label is an error."""
        if self.labels is None:
            raise DataError("the recipe was learned without a target.")
        labels = self._labels_of(batch)
        if labels is None:
            raise DataError(f"there are no labels ('{self.target_name}').", file=batch.file)
        return self.labels.codes(labels, batch)

    def report(self) -> str:
        """Return one line on the columns."""
        if self.kind != "table":
            return f"{self.width:,} {'pixels' if self.kind == 'images' else 'features'}"
        counts = Counter(column.kind for column in self.columns)
        parts = [
            f"{counts[kind]:,} {one if counts[kind] == 1 else many}"
            for kind, (one, many) in _PLURALS.items()
            if counts[kind]
        ]
        missing = sum(column.missing for column in self.columns)
        if missing:
            parts.append(f"{missing:,} missing (imputed, with indicator)")
        return ", ".join(parts)

    def unseen(self) -> str:
        """Return one line on values that did not occur in learning, or nothing."""
        return ", ".join(
            f"{count:,} {key}" if key == "unseen indices" else f"'{key[7:]}' {count:,} unseen"
            for key, count in sorted(self.tally.items())
            if key.startswith("unseen")
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; the large arrays are in `arrays()`."""
        columns = []
        for column in self.columns:
            row = {"kind": column.kind, **asdict(column)}
            row.pop("idf", None)
            if "spelling" in row:
                row["spelling"] = {str(key): value for key, value in row["spelling"].items()}
            columns.append(row)
        return {
            "format": FORMAT,
            "kind": self.kind,
            "target": self.target_name,
            "labels": None if self.labels is None else self.labels.to_dict(),
            "columns": columns,
            "width": self.width,
            "zero_based": self.zero_based,
            "rows": self.rows,
        }

    def arrays(self) -> dict[str, Array]:
        """Return the arrays that are too large for JSON, by name."""
        return {
            f"recipe.idf.{i}": column.idf
            for i, column in enumerate(self.columns)
            if isinstance(column, Text)
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], arrays: dict[str, Array] | None = None) -> Recipe:
        """Return the recipe of `to_dict` and `arrays`; anything else is a ValueError."""
        try:
            if data["format"] != FORMAT or data["kind"] not in _KINDS:
                raise ValueError(f"the recipe's format is not {FORMAT}.")
            columns = [_column(i, row, arrays or {}) for i, row in enumerate(data["columns"])]
            labels = None if data["labels"] is None else Labels.from_dict(data["labels"])
            target = _typed(data, "target", (str, type(None)))
            width, rows = _typed(data, "width", int), _typed(data, "rows", int)
            zero_based = _typed(data, "zero_based", bool)
            recipe = cls(data["kind"], target, labels, columns, width, zero_based, rows)
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"the recipe is damaged ({error}).") from None
        if recipe.width != width or width < 0:
            raise ValueError("the recipe is damaged: its width does not fit its columns.")
        return recipe


def _typed(data: dict[str, Any], key: str, kind: Any) -> Any:
    if not isinstance(data[key], kind):
        raise TypeError(key)
    return data[key]


def _column(place: int, row: dict[str, Any], arrays: dict[str, Array]) -> Any:
    kind = KINDS.get(row["kind"])
    if kind is None:
        raise ValueError(f"the recipe has a column of the unknown kind {row['kind']!r}.")
    values: dict[str, Any] = {key: value for key, value in row.items() if key != "kind"}
    for key, value in values.items():
        _typed(values, key, _TYPES[key])
        if _TYPES[key] is _REAL and not np.isfinite(value):
            raise TypeError(f"{key} of a column")
    if kind is Number and float(values["scale"]) <= 0:
        raise TypeError("scale of a column")
    if kind is Category and not all(isinstance(value, str) for value in values["values"]):
        raise TypeError("values of a column")
    if kind is Text:
        values = _text_fields(values, arrays[f"recipe.idf.{place}"])
    if set(values) != {part.name for part in fields(kind)}:
        raise TypeError("fields of a column")
    return kind(**values)


def _text_fields(values: dict[str, Any], idf: Array) -> dict[str, Any]:
    """Return the fields of a text column, checked."""
    if not (8 <= values["bits"] <= 26 and 1 <= values["longest"] <= LONGEST_NGRAM):
        raise TypeError("bits of a column")
    idf = np.asarray(idf)
    if idf.shape != (1 << values["bits"],):
        raise TypeError("idf of a column")
    spelling = {int(key): str(value) for key, value in values["spelling"].items()}
    return values | {"spelling": spelling, "idf": idf}


def _matrix_of_slots(slots: list[tuple[Any, Any]], rows: int, width: int, dtype: Any) -> Any:
    """Return a CSR matrix; each slot fills at most one entry per row, features rising."""
    columns = np.empty((rows, len(slots)), np.int32)
    values = np.empty((rows, len(slots)), dtype)
    for j, (feature, value) in enumerate(slots):
        columns[:, j] = feature
        values[:, j] = value
    stored = (columns >= 0) & (values != 0)
    indptr = np.zeros(rows + 1, np.int32)
    np.cumsum(stored.sum(axis=1), out=indptr[1:])
    return csr((values[stored], columns[stored], indptr), shape=(rows, width))


_REAL = (int, float)
_TYPES: dict[str, Any] = {
    "name": str,
    "missing": int,
    "count": int,
    "longest": int,
    "bits": int,
    "mean": _REAL,
    "centre": _REAL,
    "scale": _REAL,
    "spread": _REAL,
    "values": list,
    "spelling": dict,
}
_KINDS = {"table": "a table", "svmlight": "svmlight text", "images": "images"}
_PLURALS = {
    "number": ("number", "numbers"),
    "category": ("category", "categories"),
    "text": ("text", "texts"),
    "flag": ("flag", "flags"),
}
