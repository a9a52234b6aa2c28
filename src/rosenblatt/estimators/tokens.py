"""Sentences as users give them: tokens with features by name, or rows of a table and lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine import inputs
from rosenblatt.theory.spaces import Array

Vocabulary = dict[str, int]


def is_table(X: Any) -> bool:
    """Return whether tokens are the rows of an array or a matrix."""
    return sp.issparse(X) or hasattr(X, "__array__")


def table(X: Any, lengths: Any) -> tuple[Any, Array]:
    """Return rows of features as a CSR matrix, and the checked lengths of the sentences."""
    if lengths is None:
        raise ValueError(
            "X is a table of tokens, which needs `lengths`: how many of its rows each sentence has."
        )
    X = sp.csr_matrix(X) if not sp.issparse(X) else X.tocsr()
    if X.shape[1] >= 2**31:
        raise ValueError(f"X has {X.shape[1]:,} features; hash them to fewer than 2^31.")
    inputs.all_finite("X", X)
    counts = np.asarray(lengths)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or not len(counts):
        raise ValueError("lengths must be whole numbers, one for each sentence.")
    if counts.min() < 1:
        place = int(np.argmax(counts < 1))
        raise ValueError(f"sentence {place} (counted from 0) has no token; leave it out.")
    if counts.sum() != X.shape[0]:
        raise ValueError(
            f"lengths add up to {counts.sum():,} tokens, but X has {X.shape[0]:,} rows."
        )
    return X, counts.astype(np.int64)


def intern(X: Any, vocabulary: Vocabulary, grow: bool) -> tuple[Any, Array]:
    """Return sentences of tokens as a CSR matrix, and their lengths.

    A token is a dict of features, a list of their names, or one name. Features that the vocabulary
    does not have are added to it, or left out unless it may grow.
    """
    names: list[str] = []
    values: list[float] = []
    ends, lengths = [0], []
    for place, sentence in enumerate(_sentences(X)):
        before = len(ends)
        for token in sentence:
            for name, value in _features(token, place):
                names.append(name)
                values.append(value)
            ends.append(len(names))
        lengths.append(len(ends) - before)
    if grow:
        for name in names:
            vocabulary.setdefault(name, len(vocabulary))
    places = np.fromiter((vocabulary.get(name, -1) for name in names), np.int64, len(names))
    return _matrix(places, np.array(values), np.array(ends), len(vocabulary)), np.array(lengths)


def _matrix(places: Array, values: Array, ends: Array, features: int) -> Any:
    """Return a CSR matrix of the features that are known."""
    known = places >= 0
    offsets = np.concatenate([[0], np.cumsum(known)])[ends]
    shape = len(ends) - 1, max(1, features)
    return sp.csr_matrix((values[known], places[known].astype(np.int32), offsets), shape=shape)


def _sentences(X: Any) -> Iterator[Any]:
    """Yield the sentences, each checked to be a sequence of tokens with at least one."""
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable):
        raise TypeError("X must be a list of sentences, each a list of tokens.")
    found = False
    for place, sentence in enumerate(X):
        if isinstance(sentence, (str, bytes, Mapping)) or not isinstance(sentence, Iterable):
            raise TypeError(
                f"sentence {place} (counted from 0) is {_shown(sentence)}; it must be a list of "
                "tokens."
            )
        tokens = list(sentence)
        if not tokens:
            raise ValueError(f"sentence {place} (counted from 0) has no token; leave it out.")
        found = True
        yield tokens
    if not found:
        raise ValueError("X has no sentence.")


def _features(token: Any, place: int) -> Iterator[tuple[str, float]]:
    """Yield the names and the values of a token's features."""
    if isinstance(token, str):
        yield token, 1.0
    elif isinstance(token, Mapping):
        for name, value in token.items():
            if isinstance(value, str):
                yield f"{name}={value}", 1.0
            elif isinstance(value, (bool, int, float, np.number, np.bool_)):
                yield str(name), _finite(float(value), name, place)
            else:
                raise TypeError(
                    f"the feature {name!r} in sentence {place} (counted from 0) is "
                    f"{_shown(value)}; it must be text, a number, True or False."
                )
    elif isinstance(token, (list, tuple)) and all(isinstance(name, str) for name in token):
        for name in token:
            yield name, 1.0
    else:
        raise TypeError(
            f"sentence {place} (counted from 0) has the token {_shown(token)}; it must be text, a "
            "list of texts, or a dict of features."
        )


def _finite(value: float, name: Any, place: int) -> float:
    if not np.isfinite(value):
        raise ValueError(f"the feature {name!r} in sentence {place} (counted from 0) is {value}.")
    return value


def labels_of(y: Any, lengths: Array) -> list[Any]:
    """Return the labels of all tokens, given for each sentence or one after the other."""
    if y is None:
        raise ValueError("y is None; it must have the labels of each sentence.")
    given = y.tolist() if isinstance(y, np.ndarray) else list(y)
    if not any(isinstance(labels, (list, tuple, np.ndarray)) for labels in given):
        if len(given) != lengths.sum():
            raise ValueError(
                f"y has {len(given):,} labels for {lengths.sum():,} tokens; give a list of labels "
                "for each sentence."
            )
        return given
    if len(given) != len(lengths):
        raise ValueError(f"y has labels for {len(given):,} sentences, but X has {len(lengths):,}.")
    flat: list[Any] = []
    for place, (labels, length) in enumerate(zip(given, lengths.tolist(), strict=True)):
        if isinstance(labels, str) or len(labels) != length:
            count = "one label" if isinstance(labels, str) else f"{len(labels):,} labels"
            raise ValueError(
                f"sentence {place} (counted from 0) has {length:,} tokens, but {count} in y."
            )
        flat += labels.tolist() if isinstance(labels, np.ndarray) else labels
    return flat


def weighted(
    rows: Any, lengths: Array, labels: list[Any], sample_weight: Any
) -> tuple[Any, Array, list[Any], Array | None]:
    """Return the tokens, lengths, labels and weights of the sentences whose weight is not zero."""
    weights = inputs.sample_weights(sample_weight, len(lengths))
    if weights is None or weights.all():
        return rows, lengths, labels, weights
    chosen = weights > 0
    kept = np.flatnonzero(np.repeat(chosen, lengths))
    return rows[kept], lengths[chosen], [labels[t] for t in kept.tolist()], weights[chosen]


def distinct(labels: Iterable[Any]) -> Array:
    """Return the distinct labels in order."""
    try:
        return np.array(sorted({*labels}))
    except TypeError as error:
        raise TypeError("y has labels of different types; write all of them as text.") from error


def codes(labels: list[Any], classes: Array) -> Array:
    """Return the number of each label; an error if one is not known."""
    known = {label: number for number, label in enumerate(classes.tolist())}
    try:
        return np.fromiter(map(known.__getitem__, labels), np.int32, len(labels))
    except KeyError as error:
        raise ValueError(f"y has the label {error.args[0]!r}, which was not learned.") from error


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
