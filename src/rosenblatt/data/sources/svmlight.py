"""The sparse text format of SVMlight and LIBSVM: `label index:value index:value # comment`.

A block of lines is parsed as a whole: one look for the separators, one cast of all numbers at
once (pyarrow's, correctly rounded: the doubles are those of Python's `float`), and array
arithmetic for the structure. No compiler is needed, so prediction starts as fast as fitting.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.data.errors import DataError, shown
from rosenblatt.data.sources.sparse import csr
from rosenblatt.data.sources.tokens import LARGEST, scan

Array = npt.NDArray[Any]
Kernel = Callable[[Callable[..., Any]], Callable[..., Any]]

_COMMENT = re.compile(rb"#[^\n]*")
_QUERY = re.compile(rb"(?<=[ \t])qid:\d+(?=[ \t\r\n])")
_LINE = re.compile(rb"[^\s:#,]+[ \t]*( qid:\d+)?([ \t]+\d+:[^\s:,]+)*[ \t\r]*(#.*)?$")
_SEPARATORS = b" \t\r\n:"
_COLON, _NEWLINE = ord(":"), ord("\n")


def looks_like(line: bytes) -> bool:
    """Whether a line of text is of this format (a label alone is not proof)."""
    return b":" in line and _LINE.match(line) is not None


def parse(
    block: bytes,
    *,
    file: str | None = None,
    line: int = 1,
    zero_based: bool = False,
    kernel: Kernel | None = None,
) -> tuple[Any, Array]:
    """Examples and labels of whole lines; `line` is the number of the first.

    Indices count from one in files; pass `zero_based=True` where they count from zero. `kernel`
    compiles a loop (`rosenblatt.engine.compiled.kernel`), which is several times faster.

    Example
    -------
    >>> X, y = parse(b"+1 1:0.5 3:2\\n-1 2:1e-3 # a comment\\n")
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 0.001, 0.0]], [1.0, -1.0])
    """
    if kernel is not None:
        found = _scanned(block, 0 if zero_based else 1, kernel(scan))
        if found is not None:
            return found
    text = block if block.endswith(b"\n") else block + b"\n"
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    if b"qid:" in text:
        text = _QUERY.sub(b"", text)
    if b" \n" in text:  # common, and cheaper to remove here than as empty tokens
        text = text.replace(b" \n", b"\n")
    data = np.frombuffer(text, np.uint8)
    separator = data == _COLON
    for other in b" \t\r\n":
        separator |= data == other
    ends = np.flatnonzero(separator).astype(np.int32 if len(data) < LARGEST else np.int64)
    lengths = np.diff(ends, prepend=ends.dtype.type(-1)) - 1
    mark = data[ends]
    if not lengths.all():
        # Two separators side by side, as blanks at the end of a line. The line's end must not be
        # lost with the empty token: it goes to the token before.
        full = lengths > 0
        colon = mark == _COLON
        if (colon & ~full).any() or (colon[:-1] & ~full[1:]).any():  # half of a pair is empty
            raise _wrong(block, file, line)
        newline = np.flatnonzero((mark == _NEWLINE) & ~full)
        before = np.cumsum(full)[newline] - 1
        mark, ends, lengths = mark[full], ends[full], lengths[full]
        mark = mark.copy()
        mark[before[before >= 0]] = _NEWLINE
    if not len(ends):
        return csr((0, 0)), np.zeros(0)

    # The structure of a line: a label, then pairs of an index (ends with a colon) and a value.
    index = mark == _COLON
    label = np.empty(len(mark), np.bool_)
    label[0], label[1:] = True, mark[:-1] == _NEWLINE
    value = np.empty(len(mark), np.bool_)
    value[0], value[1:] = False, index[:-1]
    if (index & (label | value)).any() or not (index | value | label).all() or index[-1]:
        raise _wrong(block, file, line)

    numbers = _numbers(text, lengths)
    if numbers is None:
        raise _wrong(block, file, line)
    starts, pairs = np.flatnonzero(label), np.flatnonzero(index)
    y, columns, values = numbers[starts], numbers[pairs], numbers[pairs + 1]
    first = 0 if zero_based else 1
    counts = (np.diff(starts, append=len(mark)) - 1) // 2
    indptr = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    if len(columns):
        if not (columns.min() >= first and columns.max() <= LARGEST):
            raise _wrong(block, file, line, zero_based)
        whole = columns.astype(np.int32)
        rising = whole[1:] > whole[:-1]
        between = indptr[1:-1]
        rising[between[(between > 0) & (between < len(columns))] - 1] = True
        if not rising.all() or not (whole == columns).all():
            raise _wrong(block, file, line, zero_based)
        whole -= first
    else:
        whole = np.zeros(0, np.int32)
    if not (np.isfinite(values).all() and np.isfinite(y).all()):
        raise _wrong(block, file, line, zero_based)
    width = int(whole.max()) + 1 if len(whole) else 0
    X = csr((values, whole, indptr.astype(np.int32)), shape=(len(y), width))
    return X, y


def _scanned(
    block: bytes, first: int, loop: Callable[..., tuple[int, int, int]]
) -> tuple[Any, Array] | None:
    """The same by the loop over bytes; None if the block is beyond it."""
    data = np.frombuffer(block, np.uint8)
    # The last line may lack its end, and a comment may hold colons: there is room enough.
    lines = int(np.count_nonzero(data == _NEWLINE)) + 1
    most = int(np.count_nonzero(data == _COLON))
    y, indptr = np.empty(lines), np.empty(lines + 1, np.int32)
    indices, values = np.empty(most, np.int32), np.empty(most)
    places, spans = np.empty(lines + most, np.int64), np.empty((lines + most, 2), np.int64)
    rows, pairs, left = loop(data, first, y, indptr, indices, values, places, spans)
    if rows < 0:
        return None
    if left:
        places = places[:left]
        numbers = np.array([float(block[start:end]) for start, end in spans[:left].tolist()])
        if not np.isfinite(numbers).all():
            return None
        label = places < 0
        y[-places[label] - 1] = numbers[label]
        values[places[~label]] = numbers[~label]
    y, indptr, indices, values = y[:rows], indptr[: rows + 1], indices[:pairs], values[:pairs]
    width = int(indices.max()) + 1 if pairs else 0
    return csr((values, indices, indptr), shape=(rows, width)), y


def _numbers(text: bytes, lengths: Array) -> Array | None:
    """All tokens as doubles by one cast, or None if one is not a number."""
    joined: Any = text.translate(None, _SEPARATORS)
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    if b"+" in text:  # the cast takes no plus in front; a zero there changes nothing
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


_VALUE = re.compile(rb":\+?([^\s:]+)")
_LABEL = re.compile(rb"^[ \t\r]*\+?([^\s:]+)", re.MULTILINE)


def values_of(block: bytes) -> tuple[list[str], list[str]]:
    """The values and the labels of whole lines as they are written, without a plus in front.

    The lines must be of the format: `parse` has read them.

    Example
    -------
    >>> values_of(b"+1 1:0.5 3:+2 # 7:8\\n\\n-1 qid:3 2:1e-3\\n")
    (['0.5', '2', '1e-3'], ['1', '-1'])
    """
    text = _QUERY.sub(b"", _COMMENT.sub(b"", block))
    values, labels = _VALUE.findall(text), _LABEL.findall(text)
    return [value.decode() for value in values], [label.decode() for label in labels]


_INDEX = re.compile(rb"\+?\d+")


def _wrong(block: bytes, file: str | None, line: int, zero_based: bool = False) -> DataError:
    """The first line of a block that is not of the format, and why."""
    first = 0 if zero_based else 1
    for number, text in enumerate(block.split(b"\n"), line):
        reason = _fault(text.split(b"#")[0], first)
        if reason:
            return DataError(reason, file=file, line=number)
    return DataError("not of the form: label index:value ...", file=file, line=line)


def _fault(text: bytes, first: int) -> str | None:
    tokens = text.split()
    if not tokens:
        return None
    if not _is_number(tokens[0]):
        return f'the label "{shown(tokens[0])}" is not a number.'
    last = -1
    for position, token in enumerate(tokens[1:]):
        name, colon, value = token.partition(b":")
        if position == 0 and name == b"qid" and value.isdigit():
            continue
        if not colon or not _INDEX.fullmatch(name):
            return f'"{shown(token)}" is not of the form index:value.'
        if not _is_number(value):
            return f'the value of "{shown(token)}" is not a number.'
        if int(name[:20]) < first:
            return "index 0, but indices were counted from 1: is the file zero-based?"
        if int(name[:20]) > LARGEST:
            return f"index {shown(name)} is larger than {LARGEST:,}."
        if int(name) <= last:
            return f"index {int(name)} comes after {last}: indices must rise within a line."
        last = int(name)
    return None


def _is_number(token: bytes) -> bool:
    if b"_" in token:
        return False
    try:
        return bool(np.isfinite(float(token)))
    except ValueError:
        return False
