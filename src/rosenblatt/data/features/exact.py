"""The numbers of a file exactly as written: integers over powers of ten, nothing rounded.

The file is read a second time, beside the reading that makes floats. `Stream` and `Recipe` decide
what the columns are; this module returns their exact numbers.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.data.errors import DataError
from rosenblatt.data.sources.batch import Source
from rosenblatt.data.sources.columnar import Columnar
from rosenblatt.data.sources.parallel import parallel_map
from rosenblatt.data.sources.svmlight import values_and_labels

Array = npt.NDArray[Any]

DIGITS = 18
"""Decimal digits that always fit into 64 bits."""
LARGEST_EXPONENT = 300
"""Numbers of a larger power of ten, or a smaller one than its negative, are rejected."""
LONGEST_NUMBER = 4_000
"""Characters of the longest number: Python converts no more than 4,300 digits."""
EXACT_FLOATS = 1 << 53
"""Integers up to here are floats."""
_PLAIN = r"^-?(\d+\.?\d*|\.\d+)$"
_NAN = re.compile(r"[+-]?nan", re.IGNORECASE)


class Numbers(NamedTuple):
    """integers / 10^decimals of each row, 0 where missing; if None, the floats are exact."""

    integers: Array | None
    decimals: int
    missing: Array

    def __len__(self) -> int:
        return len(self.missing)


def columns(source: Source, names: Sequence[str]) -> dict[str, Numbers]:
    """Return the exact numbers of columns of a table."""
    found: dict[str, list[Numbers]] = {name: [] for name in names}
    reader = _reader(source, list(names))

    def decode(piece: Any) -> dict[str, Numbers]:
        table = reader.decode(piece, list(names)).table if reader is not source else piece[0]
        return {name: _exact(table.column(name), name, source.name) for name in names}

    for part in parallel_map(reader.pieces(list(names)), decode) if names else ():
        for name, numbers in part.items():
            found[name].append(numbers)
    return {name: _concatenate(name, parts, source.name) for name, parts in found.items()}


def _exact(column: Any, name: str, file: str) -> Numbers:
    try:
        return _exact_column(column)
    except DataError as error:
        raise DataError(f"'{name}' {error.reason}", file=file, column=name) from None


def entries(source: Source) -> tuple[Numbers, Numbers]:
    """Return the exact values of svmlight text, in order, and the labels."""
    values, labels = [], []

    def decode(piece: Any) -> list[Numbers]:
        written = values_and_labels(piece[0])
        return [_exact(pa.array(part, pa.string()), "a number", source.name) for part in written]

    for value, label in parallel_map(source.pieces(), decode):
        values.append(value)
        labels.append(label)
    return _concatenate("a value", values, source.name), _concatenate(
        "a label", labels, source.name
    )


def _reader(source: Source, names: list[str]) -> Any:
    """Return a source with typed columns itself, else a copy that reads text."""
    if isinstance(source, Columnar):
        return source
    as_text = copy.copy(source)
    as_text.types = source.types | dict.fromkeys(names, "text")
    return as_text


def _exact_column(column: Any) -> Numbers:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        return Numbers(None, 0, np.asarray(pc.is_null(column, nan_is_null=True)))
    if pa.types.is_integer(column.type):
        return Numbers(np.asarray(pc.fill_null(column, 0)), 0, np.asarray(pc.is_null(column)))
    return _decimals(column.cast(pa.string()))


def _decimals(text: Any) -> Numbers:
    """Return the exact numbers of a column of text."""
    text = pc.utf8_trim_whitespace(text)
    missing = np.asarray(pc.is_null(text))
    text = pc.fill_null(text, "0")
    if not len(text):
        return Numbers(np.zeros(0, np.int64), 0, missing)
    if pc.all(pc.match_substring_regex(text, _PLAIN)).as_py():
        point, length = np.asarray(pc.find_substring(text, ".")), np.asarray(pc.binary_length(text))
        after = np.where(point < 0, 0, length - point - 1)
        decimals = int(after.max())
        if int((length - after).max()) + decimals <= DIGITS:
            digits = pc.replace_substring(text, ".", "", max_replacements=1).cast(pa.int64())
            return Numbers(np.asarray(digits) * 10 ** (decimals - after), decimals, missing)
    return _one_by_one(text.to_pylist(), missing)


def _one_by_one(cells: list[str], missing: Array) -> Numbers:
    """Return exact numbers with exponents or many digits."""
    numbers = []
    for row, cell in enumerate(cells):
        if _NAN.fullmatch(cell):
            missing = missing.copy()
            missing[row], cell = True, "0"
        if len(cell) > LONGEST_NUMBER:
            raise DataError(
                f"holds a number of {len(cell):,} characters; round it to {LONGEST_NUMBER:,} at "
                "most."
            )
        try:
            number = Decimal(cell)
        except InvalidOperation:
            raise DataError(
                f"holds {cell[:40]!r}, which is not a decimal number; write it as one, or leave "
                "the column out with --drop."
            ) from None
        if number and abs(number.adjusted()) > LARGEST_EXPONENT:
            raise DataError(f"holds a number too large or too small for floats ({cell[:40]}).")
        numbers.append(number)
    decimals = max(-int(number.as_tuple().exponent) if number else 0 for number in numbers)
    decimals = max(0, decimals)
    integers = np.zeros(len(cells), object)
    for row, number in enumerate(numbers):
        if number:
            sign, digits, exponent = number.as_tuple()
            size = int("".join(map(str, digits))) * 10 ** (int(exponent) + decimals)
            integers[row] = -size if sign else size
    return Numbers(integers, decimals, missing)


def _concatenate(name: str, parts: list[Numbers], file: str) -> Numbers:
    """Return the batches of a column as one."""
    missing = np.concatenate([part.missing for part in parts]) if parts else np.zeros(0, bool)
    known = [part for part in parts if part.integers is not None]
    if len(known) < len(parts):
        # Floats in one file and integers in another: floats must be able to hold both.
        for part in known:
            if part.decimals or not _within(part.integers, EXACT_FLOATS):
                raise DataError(
                    f"'{name}' has floats in one place and longer numbers in another; store it "
                    "as one type.",
                    file=file,
                    column=name,
                )
        return Numbers(None, 0, missing)
    decimals = max((part.decimals for part in known), default=0)
    return Numbers(_scale(known, decimals), decimals, missing)


def _scale(parts: list[Numbers], decimals: int) -> Array:
    """Return integers with this many decimals: in 64 bits if there is room."""
    factors = [10 ** (decimals - part.decimals) for part in parts]
    pairs = list(zip(parts, factors, strict=True))
    fits = all(_within(part.integers, 2**63 // factor) for part, factor in pairs)
    dtype = np.int64 if fits else object
    integers = [np.asarray(part.integers).astype(dtype) * factor for part, factor in pairs]
    return np.concatenate(integers) if integers else np.zeros(0, np.int64)


def _within(integers: Any, limit: int) -> bool:
    return not len(integers) or bool(-limit < int(integers.min()) <= int(integers.max()) < limit)
