"""The numbers of a file as they stand in it: whole numbers over powers of ten, nothing rounded.

A second reading, beside the one that makes floats; `Stream` and `Recipe` decide what the columns
are, and this only tells what their numbers exactly are.
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
from rosenblatt.data.sources.ahead import ahead
from rosenblatt.data.sources.batch import Source
from rosenblatt.data.sources.columnar import Columnar
from rosenblatt.data.sources.svmlight import values_and_labels

Array = npt.NDArray[Any]

DIGITS = 18
"""Digits of whole numbers that 64 bits hold."""
SIZE = 300
"""Decimal places, before the point or after it, beyond which a number is refused."""
FLOATS = 1 << 53
_PLAIN = r"^-?(\d+\.?\d*|\.\d+)$"
_NAN = re.compile(r"[+-]?nan", re.IGNORECASE)


class Numbers(NamedTuple):
    """whole / 10^places for each row, 0 where missing; without `whole` its floats are exact."""

    whole: Array | None
    places: int
    missing: Array

    def __len__(self) -> int:
        return len(self.missing)


def columns(source: Source, names: Sequence[str]) -> dict[str, Numbers]:
    """The columns of numbers of a table, each with an entry for each row."""
    found: dict[str, list[Numbers]] = {name: [] for name in names}
    reader = _reader(source, list(names))

    def decode(piece: Any) -> dict[str, Numbers]:
        table = reader.decode(piece, list(names)).table if reader is not source else piece[0]
        return {name: _column(table.column(name), name, source.name) for name in names}

    for part in ahead(reader.pieces(list(names)), decode) if names else ():
        for name, numbers in part.items():
            found[name].append(numbers)
    return {name: _joined(name, parts, source.name) for name, parts in found.items()}


def _column(column: Any, name: str, where: str) -> Numbers:
    try:
        return _exactly(column)
    except DataError as error:
        raise DataError(f"'{name}' {error.reason}", file=where, column=name) from None


def entries(source: Source) -> tuple[Numbers, Numbers]:
    """Of svmlight text: the values of all entries in order, and the labels."""
    values, labels = [], []

    def decode(piece: Any) -> list[Numbers]:
        written = values_and_labels(piece[0])
        return [_column(pa.array(part, pa.string()), "a number", source.name) for part in written]

    for value, label in ahead(source.pieces(), decode):
        values.append(value)
        labels.append(label)
    return _joined("a value", values, source.name), _joined("a label", labels, source.name)


def _reader(source: Source, names: list[str]) -> Any:
    """The source if its pieces are typed columns, or one like it that reads numbers as words."""
    if isinstance(source, Columnar):
        return source
    words = copy.copy(source)
    words.types = source.types | dict.fromkeys(names, "text")
    return words


def _exactly(column: Any) -> Numbers:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        return Numbers(None, 0, np.asarray(pc.is_null(column, nan_is_null=True)))
    if pa.types.is_integer(column.type):
        return Numbers(np.asarray(pc.fill_null(column, 0)), 0, np.asarray(pc.is_null(column)))
    return _decimals(column.cast(pa.string()))


def _decimals(text: Any) -> Numbers:
    """Numbers in words."""
    text = pc.utf8_trim_whitespace(text)
    missing = np.asarray(pc.is_null(text))
    text = pc.fill_null(text, "0")
    if not len(text):
        return Numbers(np.zeros(0, np.int64), 0, missing)
    if pc.all(pc.match_substring_regex(text, _PLAIN)).as_py():
        point, length = np.asarray(pc.find_substring(text, ".")), np.asarray(pc.binary_length(text))
        after = np.where(point < 0, 0, length - point - 1)
        places = int(after.max())
        if int((length - after).max()) + places <= DIGITS:
            digits = pc.replace_substring(text, ".", "", max_replacements=1).cast(pa.int64())
            return Numbers(np.asarray(digits) * 10 ** (places - after), places, missing)
    return _one_by_one(text.to_pylist(), missing)


def _one_by_one(cells: list[str], missing: Array) -> Numbers:
    """Numbers with exponents or many digits."""
    numbers = []
    for place, cell in enumerate(cells):
        if _NAN.fullmatch(cell):
            missing = missing.copy()
            missing[place], cell = True, "0"
        try:
            number = Decimal(cell)
        except InvalidOperation:
            raise DataError(
                f"holds {cell[:40]!r}, which is not a decimal number; write it as one, or leave "
                "the column out with --drop."
            ) from None
        if number and abs(number.adjusted()) > SIZE:
            raise DataError(f"holds a number of a size that floats cannot approach ({cell[:40]}).")
        numbers.append(number)
    places = max(-int(number.as_tuple().exponent) if number else 0 for number in numbers)
    places = max(0, places)
    whole = np.empty(len(cells), object)
    for place, number in enumerate(numbers):
        sign, digits, exponent = number.as_tuple()
        size = int("".join(map(str, digits))) if number else 0
        whole[place] = (-size if sign else size) * 10 ** (int(exponent) + places if number else 0)
    return Numbers(whole, places, missing)


def _joined(name: str, parts: list[Numbers], where: str) -> Numbers:
    """The batches of a column below each other."""
    missing = np.concatenate([part.missing for part in parts]) if parts else np.zeros(0, bool)
    known = [part for part in parts if part.whole is not None]
    if len(known) < len(parts):
        # Floats in one file and whole numbers in another: floats must hold both.
        for part in known:
            if part.places or not _small(part.whole, FLOATS):
                raise DataError(
                    f"'{name}' has floats in one place and longer numbers in another; store it "
                    "as one type.",
                    file=where,
                    column=name,
                )
        return Numbers(None, 0, missing)
    places = max((part.places for part in known), default=0)
    return Numbers(_scaled(known, places), places, missing)


def _scaled(parts: list[Numbers], places: int) -> Array:
    """All in the same unit: in 64 bits if there is room."""
    limit = 2**63
    fits = all(_small(part.whole, limit // 10 ** (places - part.places)) for part in parts)
    kind = np.int64 if fits else object
    whole = [np.asarray(part.whole).astype(kind) * 10 ** (places - part.places) for part in parts]
    return np.concatenate(whole) if whole else np.zeros(0, np.int64)


def _small(whole: Any, limit: int) -> bool:
    return not len(whole) or bool(-limit < int(whole.min()) <= int(whole.max()) < limit)
