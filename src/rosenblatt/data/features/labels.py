"""Labels: the cells of the target, and their codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.data.errors import DataError, excerpt
from rosenblatt.data.features.columns import trim
from rosenblatt.data.sources.batch import Batch

Array = npt.NDArray[Any]

MOST_CLASSES = 1_000
"""More are a measurement or a name."""
_NUMBERS = ("number", "integer")


class Labels:
    """The classes of a target; `read_as` is the type of its column."""

    def __init__(
        self, read_as: str, classes: Sequence[Any] | None = None, name: str | None = None
    ) -> None:
        self.read_as = read_as if read_as in (*_NUMBERS, "flag") else "text"
        self.name = name
        if read_as == "date":
            raise DataError(f"the target '{name}' holds dates, not classes.", column=name)
        self.classes: list[Any] = []
        self._given = None if classes is None else sorted(set(classes))
        self._found: set[Any] = set()

    def cells(self, column: Any, batch: Batch) -> Any:
        """Return the labels of a batch, as an array or a pyarrow column of text."""
        if column.null_count:
            row = batch.first_row + int(np.flatnonzero(np.asarray(pc.is_null(column)))[0]) + 1
            raise DataError(
                f"the target '{self.name}' is missing. Remove rows without a label.",
                file=batch.file,
                row=row,
                column=self.name,
            )
        return trim(column) if self.read_as == "text" else np.asarray(column)

    def summarise(self, labels: Any) -> set[Any]:
        found = pc.unique(labels).to_pylist() if _is_text(labels) else np.unique(labels).tolist()
        return set(found)

    def add(self, summary: set[Any], file: str) -> None:
        self._found |= summary
        if len(self._found) > MOST_CLASSES:
            target = f"the target '{self.name}'" if self.name else "the label"
            example = excerpt(str(next(iter(self._found))))
            reason = (
                f"{target} has more than {MOST_CLASSES:,} values (such as {example}): these are "
                "not classes."
            )
            raise DataError(reason, file=file, column=self.name)

    def finish(self, file: str) -> bool:
        """Fix the classes; return False if there was no label at all."""
        seen = self._found
        if not seen:
            return False
        if self.read_as in _NUMBERS:
            if not all(np.isfinite(value) for value in seen):
                raise DataError(f"a label of '{self.name}' is not a finite number.", file=file)
            if all(float(value).is_integer() for value in seen):
                seen = {int(value) for value in seen}
        self.classes = self._given if self._given is not None else sorted(seen)
        new = [value for value in seen if value not in self.classes]
        if new:
            raise DataError(f"the label {new[0]!r} is not among the given classes.", file=file)
        return True

    def array(self) -> Array:
        return np.array(self.classes)

    def codes(self, labels: Any, batch: Batch) -> Array:
        """Return the positions of labels in the classes; a new label is an error."""
        if _is_text(labels):
            place = pc.index_in(labels, value_set=pa.array(self.classes, pa.string()))
            codes = np.asarray(pc.fill_null(place, -1)).astype(np.int64)
        else:
            classes = self.array()
            codes = np.searchsorted(classes, labels).astype(np.int64)
            codes[codes == len(classes)] = 0
            codes[classes[codes] != labels] = -1
        if (codes < 0).any():
            row = int(np.flatnonzero(codes < 0)[0])
            known = ", ".join(excerpt(str(value)) for value in self.classes[:8])
            new = excerpt(str(labels[row]))
            raise DataError(
                f'the label "{new}" does not occur in the training data, which have: {known}.',
                file=batch.file,
                row=batch.first_row + row + 1,
                column=self.name,
            )
        return codes

    def to_dict(self) -> dict[str, Any]:
        return {"read_as": self.read_as, "name": self.name, "classes": self.classes}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Labels:
        if data["read_as"] not in (*_NUMBERS, "flag", "text"):
            raise TypeError("type of the labels")
        if not isinstance(data["name"], (str, type(None))):
            raise TypeError("name of the labels")
        labels = cls(data["read_as"], None, data["name"])
        if not all(isinstance(value, (str, int, float)) for value in data["classes"]):
            raise TypeError("classes")
        if len({isinstance(value, str) for value in data["classes"]}) > 1:
            raise TypeError("classes")
        labels.classes = list(data["classes"])
        if labels.classes != sorted(set(labels.classes)):
            raise TypeError("classes")
        return labels


def _is_text(labels: Any) -> bool:
    return isinstance(labels, pa.Array)
