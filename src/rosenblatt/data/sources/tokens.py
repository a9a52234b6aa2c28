"""Sparse text, byte by byte: the loop that is compiled where there is a compiler anyway.

It reads the plain grammar only and leaves a block with anything else in it to the parser of arrays
(`rosenblatt.data.svmlight`), which knows every rule and every error. Both give the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

DIGITS = 18
"""As many as a whole number of 64 bits holds for sure."""
EXACT = 2**53
"""Whole numbers up to here are doubles."""
POWERS = np.array([float(f"1e{n}") for n in range(23)])
"""The powers of ten that are doubles: one product or quotient with them is rounded correctly."""
LARGEST = 2**31 - 1
"""The largest index."""


def scan(
    data: Array,
    first: int,
    y: Array,
    indptr: Array,
    indices: Array,
    values: Array,
    places: Array,
    spans: Array,
) -> tuple[int, int, int]:
    """Fill the arrays: rows, pairs, and numbers that are left to do; -1 rows for another grammar.

    A number whose double takes more than one rounding is left: `places` says where it goes (a
    label as minus its row and one), `spans` where its text begins and ends.
    """
    rows = pairs = left = 0
    i, size = 0, len(data)
    last: Any = first - 1
    label = True
    indptr[0] = 0
    while i < size:
        c = data[i]
        if c == 32 or c == 9 or c == 13:
            i += 1
            continue
        if c == 10:
            i += 1
            if not label:
                indptr[rows] = pairs
                label, last = True, first - 1
            continue
        if c == 35:  # a comment
            while i < size and data[i] != 10:
                i += 1
            continue
        if not label:
            index, start = np.int64(0), i
            while i < size and 48 <= data[i] <= 57 and i - start < 11:
                index = index * 10 + (np.int64(data[i]) - 48)
                i += 1
            if i == start or i >= size or data[i] != 58 or index <= last or index > LARGEST:
                return -1, 0, 0
            last = index
            i += 1

        # A number: sign, digits with a point among them, exponent.
        start = i
        minus = False
        if i < size and (data[i] == 43 or data[i] == 45):
            minus = data[i] == 45
            i += 1
        whole, digits = np.int64(0), 0
        power: Any = 0
        began = i
        while i < size and 48 <= data[i] <= 57:
            if digits < DIGITS:
                whole = whole * 10 + (np.int64(data[i]) - 48)
            if whole > 0:
                digits += 1
            i += 1
        if i == began:
            return -1, 0, 0
        if i < size and data[i] == 46:
            i += 1
            began = i
            while i < size and 48 <= data[i] <= 57:
                if digits < DIGITS:
                    whole = whole * 10 + (np.int64(data[i]) - 48)
                if whole > 0:
                    digits += 1
                i += 1
            power = began - i
            if i == began:
                return -1, 0, 0
        if i < size and (data[i] == 101 or data[i] == 69):
            i += 1
            down = False
            if i < size and (data[i] == 43 or data[i] == 45):
                down = data[i] == 45
                i += 1
            exponent, began = np.int64(0), i
            while i < size and 48 <= data[i] <= 57:
                if exponent < 100_000:
                    exponent = exponent * 10 + (np.int64(data[i]) - 48)
                i += 1
            if i == began:
                return -1, 0, 0
            power += -exponent if down else exponent
        if i < size:
            c = data[i]
            if not (c == 32 or c == 10 or c == 13 or c == 9 or c == 35):
                return -1, 0, 0
        value = float(whole)
        if whole and (digits > DIGITS or whole > EXACT or power > 22 or power < -22):
            places[left] = -rows - 1 if label else pairs
            spans[left, 0], spans[left, 1] = start, i
            left += 1
        elif power < 0:
            value = value / POWERS[min(-power, 22)]
        elif whole:
            value = value * POWERS[power]
        if minus:
            value = -value
        if label:
            y[rows] = value
            rows += 1
            label = False
        else:
            indices[pairs] = last - first
            values[pairs] = value
            pairs += 1
    indptr[rows] = pairs
    return rows, pairs, left
