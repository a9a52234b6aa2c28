"""What commands return: text for people, JSON for programs, errors on stderr, exit codes."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import Any

from rosenblatt.markup import is_printable, printable
from rosenblatt.storage.json_values import plain

EXIT_OK, EXIT_NO, EXIT_ERROR = 0, 1, 2


def show(*lines: Any) -> None:
    """Print lines or tables for people.

    Text of data is printed safely: a line stays one line, and controls no terminal.
    """
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(printable(line) if isinstance(line, str) else line, markup=False)


def show_error(message: str) -> None:
    """Print an error or a note as one line on stderr."""
    line = printable(" ".join(message.split()))
    with suppress(OSError):  # nobody may read stderr
        print(f"rosenblatt: {line}", file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print a JSON document on one line; what controls a terminal is escaped."""
    text = json.dumps(plain(document), allow_nan=False, ensure_ascii=False)
    print("".join(c if is_printable(c) else _json_escape(c) for c in text))


def _json_escape(character: str) -> str:
    code = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))


def percent(fraction: float) -> str:
    """Return a fraction as a percentage with two decimals."""
    return f"{100 * fraction:.2f} %"
