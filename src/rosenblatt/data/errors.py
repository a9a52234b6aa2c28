"""Errors in data: one sentence that names the place; and text of data made safe to print."""

from __future__ import annotations

import unicodedata

_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that control a terminal, change the order of text or break lines."""
_JOINERS = "\u200c\u200d"
"""Characters of one of these categories that words and emoji need."""


def is_printable(character: str) -> bool:
    """Return whether a character may be printed as it is."""
    if " " <= character <= "~" or character in _JOINERS:
        return True
    return unicodedata.category(character) not in _UNSAFE


def printable(text: object) -> str:
    """Return text of data on one line, with what controls a terminal escaped.

    Example
    -------
    >>> print(printable("age\\x1b[2J"))
    age\\x1b[2J
    """
    given = str(text)
    if given.isascii() and given.isprintable():
        return given
    return "".join(c if is_printable(c) else c.encode("unicode_escape").decode() for c in given)


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
