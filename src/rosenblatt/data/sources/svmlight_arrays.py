"""Sparse text parsed as arrays: no compiler is needed, and every variant is accepted.

A block of lines is parsed at once: one search for the separators, one cast of all numbers
(pyarrow's, correctly rounded: the doubles are those of Python's `float`), and array arithmetic for
the structure.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.data.sources.sparse import csr
from rosenblatt.data.sources.svmlight_loops import LARGEST_INDEX

Array = npt.NDArray[Any]

COMMENTS = re.compile(rb"#[^\n]*")
QUERY_IDS = re.compile(rb"(?<=[ \t])qid:\d+(?=[ \t\r\n])")
_SEPARATORS = b" \t\r\n:"
_COLON, _NEWLINE = ord(":"), ord("\n")


def parse_as_arrays(text: bytes, first: int) -> tuple[Any, Array] | None:
    """Return examples and labels of complete lines, None if one is wrong.

    The text ends with a line break. Indices count from `first`.
    """
    if b"#" in text:
        text = COMMENTS.sub(b"", text)
    if b"qid:" in text:
        text = QUERY_IDS.sub(b"", text)
    if b" \n" in text:  # common, and cheaper to remove here than as empty tokens
        text = text.replace(b" \n", b"\n")
    tokens = _split(text)
    if tokens is None:
        return None
    lengths, separators = tokens
    if not len(lengths):
        return csr((0, 0)), np.zeros(0)
    structure = _structure(separators)
    numbers = None if structure is None else _numbers(text, lengths)
    if structure is None or numbers is None:
        return None
    labels, pairs = structure
    y, values = numbers[labels], numbers[pairs + 1]
    indptr = np.zeros(len(labels) + 1, np.int32)
    np.cumsum((np.diff(labels, append=len(lengths)) - 1) // 2, out=indptr[1:])
    indices = _indices(numbers[pairs], indptr, first)
    if indices is None or not (np.isfinite(values).all() and np.isfinite(y).all()):
        return None
    width = int(indices.max()) + 1 if len(indices) else 0
    return csr((values, indices, indptr), shape=(len(y), width)), y


def _split(text: bytes) -> tuple[Array, Array] | None:
    """Return lengths and end bytes of tokens, None if half a pair is empty."""
    data = np.frombuffer(text, np.uint8)
    is_separator = data == _COLON
    for other in b" \t\r\n":
        is_separator |= data == other
    ends = np.flatnonzero(is_separator)
    ends = ends.astype(np.int32 if len(data) < LARGEST_INDEX else np.int64)
    lengths = np.diff(ends, prepend=ends.dtype.type(-1)) - 1
    separators = data[ends]
    if lengths.all():
        return lengths, separators
    # Two separators side by side, as blanks at the end of a line. The line's end must not be lost
    # with the empty token: it goes to the token before.
    full = lengths > 0
    colon = separators == _COLON
    if (colon & ~full).any() or (colon[:-1] & ~full[1:]).any():
        return None
    newline = np.flatnonzero((separators == _NEWLINE) & ~full)
    before = np.cumsum(full)[newline] - 1
    separators = separators[full]
    separators[before[before >= 0]] = _NEWLINE
    return lengths[full], separators


def _structure(separators: Array) -> tuple[Array, Array] | None:
    """Return which tokens are labels and which indices, None if one is wrong.

    A line is a label, then pairs of an index (ends with a colon) and a value.
    """
    index = separators == _COLON
    label, value = np.empty(len(index), np.bool_), np.empty(len(index), np.bool_)
    label[0], label[1:] = True, separators[:-1] == _NEWLINE
    value[0], value[1:] = False, index[:-1]
    if (index & (label | value)).any() or not (index | value | label).all() or index[-1]:
        return None
    return np.flatnonzero(label), np.flatnonzero(index)


def _indices(numbers: Array, indptr: Array, first: int) -> Array | None:
    """Return indices from zero, None unless they rise within each line."""
    if not len(numbers):
        return np.zeros(0, np.int32)
    if not (numbers.min() >= first and numbers.max() <= LARGEST_INDEX):
        return None
    indices = numbers.astype(np.int32)
    rising = indices[1:] > indices[:-1]
    between = indptr[1:-1]
    rising[between[(between > 0) & (between < len(numbers))] - 1] = True
    if not rising.all() or not (indices == numbers).all():
        return None
    return indices - first


def _numbers(text: bytes, lengths: Array) -> Array | None:
    """Return all tokens as doubles by one cast, None if one is not a number."""
    joined: Any = text.translate(None, _SEPARATORS)
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    if b"+" in text:  # the cast accepts no plus in front; a zero there changes nothing
        joined = np.frombuffer(joined, np.uint8).copy()
        starts = offsets[:-1]
        following = joined[np.minimum(starts + 1, len(joined) - 1)]
        digit = (following >= ord("0")) & (following <= ord("9"))
        digit |= (following == ord(".")) & (lengths > 2)
        joined[starts[(joined[starts] == ord("+")) & (lengths > 1) & digit]] = ord("0")
    tokens = pa.StringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(joined))
    try:
        return np.asarray(pc.cast(tokens, pa.float64()))
    except pa.ArrowInvalid:
        return None
