"""Sparse text parsed byte by byte, by loops that are compiled where Numba is loaded anyway.

A second parser of the format of `svmlight`, kept because it reads a large file more than 1.5 times
as fast as the one of arrays: `sparse_file` in `benchmarks/files.py` measures both, and its row of
the table must hold. It accepts the plain grammar only and leaves a block with anything else to the
parser of arrays, which accepts every variant and needs no compiler. Both return the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.sources.sparse import csr

Array = npt.NDArray[Any]
LoopCompiler = Callable[[Callable[..., Any]], Callable[..., Any]]
"""A function that compiles a loop."""

DIGITS = 18
"""Decimal digits that always fit into 64 bits."""
EXACT = 2**53
"""Integers up to here are doubles."""
POWERS = np.array([float(f"1e{n}") for n in range(23)])
"""The powers of ten that are doubles: one product or quotient with them is rounded correctly."""
LARGEST_INDEX = 2**31 - 1
LARGEST_EXPONENT = 100_000
"""Larger exponents are cut down to this one: the number is zero or infinite either way."""

TOKEN, BLANK, NEWLINE, COMMENT = range(4)
BYTE_KINDS = np.full(256, TOKEN, np.uint8)
BYTE_KINDS[[ord(" "), ord("\t"), ord("\r")]] = BLANK
BYTE_KINDS[ord("\n")] = NEWLINE
BYTE_KINDS[ord("#")] = COMMENT


def parse_with_loops(
    text: bytes, first: int, compile_loop: LoopCompiler
) -> tuple[Any, Array] | None:
    """Return examples and labels of plain complete lines, None for others.

    The text ends with a line break. Indices count from `first`.
    """
    data = np.frombuffer(text, np.uint8)
    # Blank lines have no label, and comments may hold colons: there is room enough.
    lines = int(np.count_nonzero(data == ord("\n")))
    colons = int(np.count_nonzero(data == ord(":")))
    label_starts, value_starts = np.empty(lines, np.int64), np.empty(colons, np.int64)
    indptr, indices = np.zeros(lines + 1, np.int32), np.empty(colons, np.int32)
    rows, pairs = compile_loop(find_tokens)(
        data, first, label_starts, indptr, indices, value_starts
    )
    if rows < 0:
        return None
    y = _numbers(text, data, label_starts[:rows], compile_loop)
    values = _numbers(text, data, value_starts[:pairs], compile_loop)
    if y is None or values is None:
        return None
    indptr, indices = indptr[: rows + 1], indices[:pairs]
    width = int(indices.max()) + 1 if pairs else 0
    return csr((values, indices, indptr), shape=(rows, width)), y


def find_tokens(
    data: Array, first: int, label_starts: Array, indptr: Array, indices: Array, value_starts: Array
) -> tuple[int, int]:
    """Fill in indices and where numbers start; count rows and pairs.

    The number of rows is -1 if an index is not a plain integer, or not larger than the one before.
    """
    rows = pairs = i = 0
    previous: Any = first - 1
    in_row = False
    while i < len(data):
        kind = BYTE_KINDS[data[i]]
        if kind == BLANK:
            i += 1
        elif kind == NEWLINE:
            i += 1
            in_row, previous = False, first - 1
        elif kind == COMMENT:
            while data[i] != 10:
                i += 1
        else:
            if in_row:
                index, start = np.int64(0), i
                while 48 <= data[i] <= 57 and i - start < 11:
                    index = index * 10 + (np.int64(data[i]) - 48)
                    i += 1
                if data[i] != 58 or i == start or not previous < index <= LARGEST_INDEX:
                    return -1, 0
                i += 1
                indices[pairs], value_starts[pairs] = index - first, i
                previous = index
                pairs += 1
            else:
                label_starts[rows] = i
                rows += 1
                in_row = True
            indptr[rows] = pairs
            while BYTE_KINDS[data[i]] == TOKEN:
                i += 1
    return rows, pairs


def read_decimals(
    data: Array, starts: Array, ends: Array, integers: Array, digits: Array, exponents: Array
) -> bool:
    """Read decimals as integer · 10^exponent; return False if one is not plain.

    `integers` holds the first 18 of the `digits` (leading zeros not counted), without the sign.
    """
    for n in range(len(starts)):
        i = starts[n]
        if data[i] == 43 or data[i] == 45:
            i += 1
        integer, exponent = np.int64(0), np.int64(0)
        count: Any = 0
        start = i
        while 48 <= data[i] <= 57:
            if count < DIGITS:
                integer = integer * 10 + (np.int64(data[i]) - 48)
            count += integer > 0
            i += 1
        correct = i > start
        if data[i] == 46:
            i += 1
            start = i
            while 48 <= data[i] <= 57:
                if count < DIGITS:
                    integer = integer * 10 + (np.int64(data[i]) - 48)
                count += integer > 0
                i += 1
            correct &= i > start
            exponent = np.int64(start - i)
        if data[i] | 32 == 101:
            i += 1
            negative = data[i] == 45
            if negative or data[i] == 43:
                i += 1
            start, size = i, np.int64(0)
            while 48 <= data[i] <= 57:
                size = min(size * 10 + (np.int64(data[i]) - 48), np.int64(LARGEST_EXPONENT))
                i += 1
            correct &= i > start
            exponent += size * (1 - 2 * np.int64(negative))
        if not correct or BYTE_KINDS[data[i]] == TOKEN:
            return False
        ends[n], integers[n], digits[n], exponents[n] = i, integer, count, exponent
    return True


def _numbers(text: bytes, data: Array, starts: Array, compile_loop: LoopCompiler) -> Array | None:
    """Return the doubles that start at these places, None if one is not plain."""
    ends, integers, digits, exponents = (np.empty(len(starts), np.int64) for _ in range(4))
    if not compile_loop(read_decimals)(data, starts, ends, integers, digits, exponents):
        return None
    largest = len(POWERS) - 1
    numbers = integers * POWERS[exponents.clip(0, largest)]
    numbers /= POWERS[(-exponents).clip(0, largest)]
    np.negative(numbers, out=numbers, where=data[starts] == ord("-"))
    inexact = (digits > DIGITS) | (integers > EXACT) | (np.abs(exponents) > largest)
    # More than one rounding is needed for these.
    for n in np.flatnonzero(inexact & (integers > 0)).tolist():
        numbers[n] = float(text[starts[n] : ends[n]])
    return numbers if np.isfinite(numbers).all() else None
