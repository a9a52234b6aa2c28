"""The columns of the files that a tagger was learned from: its recipe for other files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rosenblatt.data import ColumnFile, DataError

FORMAT = "rosenblatt-columns/1"


@dataclass(frozen=True)
class Columns:
    """What a model file says of the column files that it was learned from: a recipe for others.

    `label` is the place of the label among the cells of a line, which are one more than `width`.
    """

    width: int
    label: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"format": FORMAT, "width": self.width, "label": self.label}

    def arrays(self) -> dict[str, Any]:
        """Return no arrays: there are none."""
        return {}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Columns:
        """Return what `to_dict` gave; anything else is a ValueError."""
        width, label = data.get("width"), data.get("label")
        if data.get("format") != FORMAT or type(width) is not int or type(label) is not int:
            raise ValueError(f"its format is not {FORMAT}")
        if not 0 <= label <= width or width < 1:
            raise ValueError("the place of its label is not among its columns")
        return cls(width, label)

    def open(self, data: str, labelled: bool = False) -> ColumnFile:
        """Open a file with these columns, with the label or, unless it is needed, without."""
        file = ColumnFile(data, target=None)
        if file.cells == self.width + 1:
            file.target = self.label
        elif file.cells != self.width or labelled:
            also = f" and the label in column {self.label}" if labelled else ""
            raise DataError(
                f"lines have {file.cells} cells, but the model needs {self.width} columns{also}.",
                file=file.name,
            )
        return file
