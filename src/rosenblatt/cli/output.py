"""What commands print: text for people, JSON for programs, errors on stderr."""

from __future__ import annotations

import json
import sys
from math import isfinite
from typing import Any


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


def plain(value: Any) -> Any:
    """Return a value as JSON has it: lists for arrays, null for what is not finite."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def percent(fraction: float) -> str:
    """Return a fraction as a percentage with two decimals."""
    return f"{100 * fraction:.2f} %"
