"""How the columns of a table become features and classes: learned once, applied alike for ever."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError
from rosenblatt.data.features import numbers
from rosenblatt.data.features.columns import KINDS, LONGEST, Category, Flag, Number, Text
from rosenblatt.data.features.labels import Labels
from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.sparse import beside, csr

Array = npt.NDArray[Any]

FORMAT = "rosenblatt-recipe/1"


@dataclass(eq=False)
class Recipe:
    """Columns to features, and labels to classes.

    `kind` is the source's: a table has `columns`; svmlight and images are taken as they are, with
    `width` features.
    """

    kind: str
    target_name: str | None
    labels: Labels | None
    columns: list[Any] = field(default_factory=list)
    width: int = 0
    zero_based: bool = False
    rows: int = 0
    tally: Counter[str] = field(default_factory=Counter)
    """What transform met: missing cells, unseen values."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        if self.kind == "table":
            self.width = sum(self._widths())

    def __reduce__(self) -> tuple[Any, ...]:
        return Recipe.from_dict, (self.to_dict(), self.arrays())

    @classmethod
    def learn(cls, source: Source, **options: Any) -> Recipe:
        """A recipe from all rows of a source; the options are those of `Learner`."""
        from rosenblatt.data.features.learner import Learner  # which makes recipes

        learner = Learner(source, **options)
        for batch in source.batches(learner.reads):
            learner.join(learner.look(batch))
        return learner.settle()

    @property
    def classes(self) -> Array | None:
        """The labels that codes stand for, in order."""
        return self.labels.array() if self.labels else None

    @property
    def sparse(self) -> bool:
        """Whether `transform` gives CSR matrices."""
        if self.kind != "table":
            return self.kind == "svmlight"
        return any(isinstance(column, (Category, Text)) for column in self.columns)

    @property
    def reads(self) -> list[str] | None:
        """The columns that `transform` needs, in the file's order of learning."""
        return [column.name for column in self.columns] if self.kind == "table" else None

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers."""
        return [column.name for column in self.columns if isinstance(column, Number)]

    @property
    def words(self) -> list[str]:
        """Columns that hold words, even where a file's first rows look like numbers."""
        names = [column.name for column in self.columns if column.read_as == "text"]
        if self.labels is not None and self.labels.read_as == "text" and self.target_name:
            names.append(self.target_name)
        return names

    @property
    def feature_names(self) -> list[str]:
        if self.kind == "table":
            return [name for column in self.columns for name in column.features]
        first = 0 if self.zero_based else 1
        start = "pixel" if self.kind == "images" else "x"
        first = 0 if self.kind == "images" else first
        return [f"{start}{i}" for i in range(first, first + self.width)]

    def _widths(self) -> list[int]:
        return [
            1 << column.bits if isinstance(column, Text) else len(column.features)
            for column in self.columns
        ]

    def bind(self, source: Source, target: bool = False) -> list[str] | None:
        """Make a source read the columns as they were learned; the columns to ask batches for.

        Columns may be in any order and there may be more of them; absent ones are named.
        """
        if source.kind != self.kind:
            raise DataError(
                f"the model was learned from {_CALLED[self.kind]}, this is {_CALLED[source.kind]}.",
                file=source.name,
            )
        if self.kind != "table":
            if self.kind == "svmlight":
                source.zero_based = self.zero_based  # type: ignore[attr-defined]
            elif len(source.names) != self.width:
                reason = f"{len(source.names)} pixels, but the model has {self.width}."
                raise DataError(reason, file=source.name)
            return None
        wanted = {column.name: column.read_as for column in self.columns}
        if target and self.target_name is not None and self.labels:
            wanted[self.target_name] = self.labels.read_as
        absent = [name for name in wanted if name not in source.names]
        if absent:
            named = ", ".join(f"'{name}'" for name in absent[:5])
            more = f" and {len(absent) - 5} more" if len(absent) > 5 else ""
            has = ", ".join(source.names[:8]) + (", ..." if len(source.names) > 8 else "")
            reason = f"the model needs column {named}{more}, which is not there (there are: {has})."
            raise DataError(reason, file=source.name, column=absent[0])
        source.types.update(wanted)
        return list(wanted)

    def transform(self, batch: Batch, dtype: Any = np.float32, out: Array | None = None) -> Any:
        """The features of a batch: an array (`out`, if given), or CSR with categories or text."""
        if batch.table is None:
            X = self._given(batch.X)
            if out is None:
                return X
            out[:] = X
            return out
        there = batch.table.schema.names
        absent = [
            c.name for c in self.columns
            if c.name not in there and not (isinstance(c, Number) and batch.numbers is not None)
        ]  # fmt: skip
        if absent:
            raise DataError(f"the model needs column '{absent[0]}'.", file=batch.where)
        tally: Counter[str] = Counter()
        try:
            X = self._encoded(batch, dtype, tally, out)
        except DataError as error:
            row = None if error.row is None else batch.first + error.row
            raise DataError(error.reason, file=batch.where, row=row, column=error.column) from None
        with self._lock:
            self.tally.update(tally)
        return X

    def _encoded(
        self, batch: Batch, dtype: Any, tally: Counter[str], out: Array | None = None
    ) -> Any:
        """Numbers and flags side by side; with categories and text, in a sparse matrix."""
        table: Any = batch.table
        dense = [c for c in self.columns if isinstance(c, (Number, Flag))]
        ends = list(accumulate((len(c.features) for c in dense), initial=0))
        X = np.empty((len(batch), ends[-1]), dtype) if out is None else out
        places = {c.name: (c, place) for c, place in zip(dense, ends, strict=False)}
        given = [pair for pair in places.values() if isinstance(pair[0], Number)]
        if given:
            numbers.encode(batch, [c for c, _ in given], [place for _, place in given], X, tally)
        for column, place in places.values():
            if isinstance(column, Flag):
                for j, values in enumerate(column.encode(table.column(column.name), tally)):
                    X[:, place + j] = values
        if not self.sparse:
            return X
        made = [
            list(X[:, places[c.name][1] :][:, : len(c.features)].T) if c.name in places
            else c.encode(table.column(c.name), tally)
            for c in self.columns
        ]  # fmt: skip
        return self._joined(made, len(batch), dtype)

    def _joined(self, made: list[Any], rows: int, dtype: Any) -> Any:
        """Slots of one entry per row for numbers and categories, beside matrices for text."""
        parts: list[Any] = []
        run: list[tuple[Any, Any]] = []  # (feature or features, value or values) of each slot
        wide = 0

        def close() -> None:
            nonlocal run, wide
            if wide:
                parts.append(_slots(run, rows, wide, dtype))
            run, wide = [], 0

        for column, encoded, width in zip(self.columns, made, self._widths(), strict=True):
            if isinstance(column, Text):
                close()
                parts.append(encoded.astype(dtype))
            elif isinstance(column, Category):
                run.append((np.where(encoded < 0, -1, encoded + wide), 1.0))
                wide += width
            else:
                run.extend((wide + i, values) for i, values in enumerate(encoded))
                wide += width
        close()
        return beside(parts)

    def _given(self, X: Any) -> Any:
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
        """The labels of a batch as they stand, None if it has none."""
        cells = self._labels_of(batch)
        return cells if cells is None else np.asarray(cells)

    def _labels_of(self, batch: Batch) -> Any:
        if batch.table is None:
            return batch.y
        if self.labels is None or self.target_name not in batch.table.schema.names:
            return None
        return self.labels.cells(batch.table.column(self.target_name), batch)

    def codes(self, batch: Batch) -> Array:
        """The labels of a batch as positions in `classes`; a new label is an error."""
        if self.labels is None:
            raise DataError("the recipe was learned without a target.")
        given = self._labels_of(batch)
        if given is None:
            raise DataError(f"there are no labels ('{self.target_name}').", file=batch.where)
        return self.labels.codes(given, batch)

    def report(self) -> str:
        """What the columns are, in a line."""
        if self.kind != "table":
            return f"{self.width:,} {'pixels' if self.kind == 'images' else 'features'}"
        counts = Counter(column.kind for column in self.columns)
        said = [
            f"{counts[kind]:,} {one if counts[kind] == 1 else many}"
            for kind, (one, many) in _PLURALS.items()
            if counts[kind]
        ]
        missing = sum(column.missing for column in self.columns)
        if missing:
            said.append(f"{missing:,} missing (imputed, with indicator)")
        return ", ".join(said)

    def unseen(self) -> str:
        """What transform met that learning had not, in a line; empty if nothing."""
        return ", ".join(
            f"{count:,} {key}" if key == "unseen indices" else f"'{key[7:]}' {count:,} unseen"
            for key, count in sorted(self.tally.items())
            if key.startswith("unseen")
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the large arrays are in `arrays()`."""
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
        """The arrays that are too large for JSON, by name."""
        return {
            f"recipe.idf.{i}": column.idf
            for i, column in enumerate(self.columns)
            if isinstance(column, Text)
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], arrays: dict[str, Array] | None = None) -> Recipe:
        """The recipe that `to_dict` and `arrays` describe; anything else is a ValueError."""
        try:
            if data["format"] != FORMAT or data["kind"] not in _CALLED:
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
    given: dict[str, Any] = {key: value for key, value in row.items() if key != "kind"}
    for key, value in given.items():
        _typed(given, key, _TYPES[key])
        if _TYPES[key] is _REAL and not np.isfinite(value):
            raise TypeError(f"{key} of a column")
    if kind is Number and float(given["scale"]) <= 0:
        raise TypeError("scale of a column")
    if kind is Category and not all(isinstance(value, str) for value in given["values"]):
        raise TypeError("values of a column")
    if kind is Text:
        if not (8 <= given["bits"] <= 26 and 1 <= given["longest"] <= LONGEST):
            raise TypeError("bits of a column")
        given["spelling"] = {int(key): str(value) for key, value in given["spelling"].items()}
        given["idf"] = np.asarray(arrays[f"recipe.idf.{place}"])
        if given["idf"].shape != (1 << given["bits"],):
            raise TypeError("idf of a column")
    if set(given) != {part.name for part in fields(kind)}:
        raise TypeError("fields of a column")
    return kind(**given)


def _slots(run: list[tuple[Any, Any]], rows: int, width: int, dtype: Any) -> Any:
    """A CSR matrix of which each slot fills at most one entry per row, features rising."""
    columns = np.empty((rows, len(run)), np.int32)
    values = np.empty((rows, len(run)), dtype)
    for j, (feature, value) in enumerate(run):
        columns[:, j] = feature
        values[:, j] = value
    kept = (columns >= 0) & (values != 0)
    indptr = np.zeros(rows + 1, np.int32)
    np.cumsum(kept.sum(axis=1), out=indptr[1:])
    return csr((values[kept], columns[kept], indptr), shape=(rows, width))


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
_CALLED = {"table": "a table", "svmlight": "svmlight text", "images": "images"}
_PLURALS = {
    "number": ("number", "numbers"),
    "category": ("category", "categories"),
    "text": ("text", "texts"),
    "flag": ("flag", "flags"),
}
