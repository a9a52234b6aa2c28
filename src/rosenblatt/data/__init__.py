"""From files to features: sources of batches, recipes for columns, streams for training.

Names are loaded when they are first used: pyarrow takes its time to start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Batch": "sources.batch",
    "DataError": "errors",
    "Recipe": "features.recipe",
    "Source": "sources.batch",
    "Stream": "features.stream",
    "open_source": "sources.source",
    "read": "features.stream",
}
__all__ = ["Batch", "DataError", "Recipe", "Source", "Stream", "open_source", "read"]

if TYPE_CHECKING:
    from rosenblatt.data.errors import DataError
    from rosenblatt.data.features.recipe import Recipe
    from rosenblatt.data.features.stream import Stream, read
    from rosenblatt.data.sources.batch import Batch, Source
    from rosenblatt.data.sources.source import open_source


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt.data' has no attribute {name!r}")
    value = getattr(import_module(f"rosenblatt.data.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
