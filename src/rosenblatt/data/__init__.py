"""From files to features: sources of batches, recipes for columns, streams for training.

Names are loaded when they are first used: pyarrow takes its time to start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Batch": "batch",
    "DataError": "errors",
    "Recipe": "recipe",
    "Source": "batch",
    "Stream": "stream",
    "open_source": "source",
    "read": "stream",
}
__all__ = ["Batch", "DataError", "Recipe", "Source", "Stream", "open_source", "read"]

if TYPE_CHECKING:
    from rosenblatt.data.batch import Batch, Source
    from rosenblatt.data.errors import DataError
    from rosenblatt.data.recipe import Recipe
    from rosenblatt.data.source import open_source
    from rosenblatt.data.stream import Stream, read


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt.data' has no attribute {name!r}")
    value = getattr(import_module(f"rosenblatt.data.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
