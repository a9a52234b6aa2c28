"""Sentences of tokens and their labels: corpora, templates of features, span encodings.

Nothing here needs an extra but `column_file`, which is not imported with the rest.
"""

from __future__ import annotations

from rosenblatt.data.sequences.corpus import Corpus
from rosenblatt.data.sequences.encodings import ENCODINGS, Transitions, allowed_transitions
from rosenblatt.data.sequences.feature_map import FeatureMap
from rosenblatt.data.sequences.feature_sets import FeatureSets
from rosenblatt.data.sequences.templates import Templates
from rosenblatt.data.sequences.tokens import as_tokens

__all__ = [
    "ENCODINGS",
    "Corpus",
    "FeatureMap",
    "FeatureSets",
    "Templates",
    "Transitions",
    "allowed_transitions",
    "as_tokens",
]
