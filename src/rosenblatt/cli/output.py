"""What commands return: text for people, JSON for programs, errors on stderr, exit codes."""

from __future__ import annotations

import json
import sys
from typing import Any

from rosenblatt.storage.json_values import plain

EXIT_OK, EXIT_NO, EXIT_ERROR = 0, 1, 2
EXIT_INTERRUPTED = 130


def show(*parts: Any) -> None:
    """Print text or a table for people."""
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(*parts, markup=False)


def show_error(message: str) -> None:
    """Print an error or a note as one line on stderr."""
    print(f"rosenblatt: {' '.join(message.split())}", file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print a JSON document on one line."""
    print(json.dumps(plain(document), allow_nan=False, ensure_ascii=False))


def percent(fraction: float) -> str:
    """Return a fraction as a percentage with two decimals."""
    return f"{100 * fraction:.2f} %"
