"""Sentences of tokens and their labels: column files, templates of features, span encodings.

`Corpus` is what the rest works on. Only files need an extra, so names are imported at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.data.extras import extra

if TYPE_CHECKING:
    from rosenblatt.data.sequences.column_file import ColumnFile
    from rosenblatt.data.sequences.corpus import Corpus
    from rosenblatt.data.sequences.encodings import ENCODINGS, Transitions, allowed_transitions
    from rosenblatt.data.sequences.feature_map import FeatureMap
    from rosenblatt.data.sequences.feature_sets import FeatureSets
    from rosenblatt.data.sequences.templates import Templates
    from rosenblatt.data.sequences.tokens import as_tokens

_MODULES = {
    "ENCODINGS": "encodings",
    "ColumnFile": "column_file",
    "Corpus": "corpus",
    "FeatureMap": "feature_map",
    "FeatureSets": "feature_sets",
    "Templates": "templates",
    "Transitions": "encodings",
    "allowed_transitions": "encodings",
    "as_tokens": "tokens",
}

__all__ = [
    "ENCODINGS",
    "ColumnFile",
    "Corpus",
    "FeatureMap",
    "FeatureSets",
    "Templates",
    "Transitions",
    "allowed_transitions",
    "as_tokens",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rosenblatt.data.sequences' has no attribute {name!r}")
    with extra("cli", "reading files"):
        return getattr(import_module(f"rosenblatt.data.sequences.{_MODULES[name]}"), name)
