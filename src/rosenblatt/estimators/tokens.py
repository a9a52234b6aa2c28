"""Rows of a table as tokens of sentences, and labels as users give them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.sequences import Corpus
from rosenblatt.engine import inputs
from rosenblatt.theory.spaces import Array


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
        raise ValueError(f"sentence {place} has no token; leave it out.")
    if counts.sum() != X.shape[0]:
        raise ValueError(
            f"lengths add up to {counts.sum():,} tokens, but X has {X.shape[0]:,} rows."
        )
    return X, counts.astype(np.int64)


def labels_of(X: Any, y: Any, lengths: Array) -> list[Any]:
    """Return the labels of all tokens, given for each sentence or one after the other.

    A corpus may have labels of its own.
    """
    if y is None and isinstance(X, Corpus) and X.label_codes is not None:
        return [X.values[code] for code in X.label_codes.tolist()]
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
            raise ValueError(f"sentence {place} has {length:,} tokens, but {count} in y.")
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
