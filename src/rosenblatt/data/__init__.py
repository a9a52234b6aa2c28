"""From files to features: `sources` of batches, and `features` made of their columns by a recipe.
Sentences of tokens are in `sequences`.

Toy sets are in `toys`. Names are imported when they are first used, since files need pyarrow, which
only an extra installs and which starts slowly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_MODULES = {
    "TOYS": "toys",
    "Batch": "sources",
    "ColumnFile": "sequences.column_file",
    "Corpus": "sequences",
    "DataError": "errors",
    "FeatureMap": "sequences",
    "Recipe": "features",
    "Source": "sources",
    "Stream": "features",
    "Templates": "sequences",
    "allowed_transitions": "sequences",
    "held_out_mask": "held_out",
    "input_files": "sources",
    "learn_recipe": "features",
    "open_source": "sources",
    "read": "features",
    "read_matrix": "features",
    "split_source": "features",
}
__all__ = [
    "TOYS",
    "Batch",
    "ColumnFile",
    "Corpus",
    "DataError",
    "FeatureMap",
    "Recipe",
    "Source",
    "Stream",
    "Templates",
    "allowed_transitions",
    "held_out_mask",
    "input_files",
    "learn_recipe",
    "open_source",
    "read",
    "read_matrix",
    "split_source",
]

if TYPE_CHECKING:
    from rosenblatt.data.errors import DataError
    from rosenblatt.data.features import (
        Recipe,
        Stream,
        learn_recipe,
        read,
        read_matrix,
        split_source,
    )
    from rosenblatt.data.held_out import held_out_mask
    from rosenblatt.data.sequences import Corpus, FeatureMap, Templates, allowed_transitions
    from rosenblatt.data.sequences.column_file import ColumnFile
    from rosenblatt.data.sources import Batch, Source, input_files, open_source
    from rosenblatt.data.toys import TOYS


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rosenblatt.data' has no attribute {name!r}")
    value = getattr(import_module(f"rosenblatt.data.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
