"""What users give as sentences, as a corpus or as sets of features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rosenblatt.data.errors import DataError
from rosenblatt.data.sequences.corpus import Corpus
from rosenblatt.data.sequences.feature_sets import FeatureSets


def as_tokens(sentences: Any) -> Corpus | FeatureSets:
    """Return sentences as a corpus or, where tokens are dictionaries, as sets of features.

    A token is a text, a tuple of texts (its columns), or a dictionary of features.

    Example
    -------
    >>> as_tokens([["a", "b"], ["c"]]).tokens
    3
    >>> as_tokens([[{"word": "a"}]]).names
    ['word=a']
    """
    if isinstance(sentences, (Corpus, FeatureSets)):
        return sentences
    if isinstance(sentences, (str, bytes, Mapping)) or not isinstance(sentences, Iterable):
        raise DataError("sentences must be a list of lists of tokens.")
    listed = list(sentences)
    for number, sentence in enumerate(listed):
        if isinstance(sentence, (str, bytes, Mapping)) or not hasattr(sentence, "__len__"):
            raise DataError(f"sentence {number} is not a list of tokens.")
    first = next((sentence for sentence in listed if len(sentence)), None)
    if first is not None and isinstance(first[0], Mapping):
        return FeatureSets.of(listed)
    return Corpus.of(listed)
