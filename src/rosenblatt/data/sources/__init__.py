"""Files of every format as batches of rows: CSV, TSV, Parquet, Arrow, SVMlight, IDX.

A source reads as often as needed, in bounded memory, and reports what is wrong with its line. Names
are imported at first use: the loops of SVMlight are compiled where there may be no pyarrow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.data.extras import extra

if TYPE_CHECKING:
    from rosenblatt.data.sources.batch import Batch, Source
    from rosenblatt.data.sources.formats import FORMATS, input_files, open_source

_MODULES = {
    "FORMATS": "formats",
    "Batch": "batch",
    "Source": "batch",
    "input_files": "formats",
    "open_source": "formats",
}

__all__ = ["FORMATS", "Batch", "Source", "input_files", "open_source"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rosenblatt.data.sources' has no attribute {name!r}")
    with extra("cli", "reading files"):
        return getattr(import_module(f"rosenblatt.data.sources.{_MODULES[name]}"), name)
