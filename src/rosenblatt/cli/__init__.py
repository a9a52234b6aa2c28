"""The command line: from a file to a model, its predictions, a proof or a report.

Each command is a module of `commands` and a thin client of the library. `main` runs one; heavy
modules are imported by the command that needs them, so that help appears at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.cli.app import main

__all__ = ["main"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'rosenblatt.cli' has no attribute {name!r}")
    from rosenblatt.cli import app

    return getattr(app, name)
