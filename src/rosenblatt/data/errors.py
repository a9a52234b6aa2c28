"""Errors in data: one sentence that names the place."""

from __future__ import annotations

from rosenblatt.markup import printable


class DataError(ValueError):
    """Data that cannot be read or used; `file`, `line`, `row` and `column` give the place."""

    def __init__(
        self,
        reason: str,
        *,
        file: str | None = None,
        line: int | None = None,
        row: int | None = None,
        column: str | None = None,
    ) -> None:
        number = f"line {line:,}" if line is not None else f"row {row:,}" if row is not None else ""
        place = ", ".join(part for part in (file, number) if part)
        super().__init__(printable(f"{place}: {reason}" if place else reason))
        self.reason, self.file, self.line, self.row, self.column = reason, file, line, row, column


def excerpt(value: str | bytes, length: int = 40) -> str:
    """Return the start of a value for a message, safe to print."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return printable(text[:length]) + "..." * (len(text) > length)
