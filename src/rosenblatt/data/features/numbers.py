"""Columns of numbers, side by side as a matrix: a few large operations instead of many small ones.

Threads that parse take turns for the interpreter's lock with the thread that learns, or imports, at
every operation; a table of fifty columns has too many if each column has its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from rosenblatt.data.errors import DataError
from rosenblatt.data.sources.batch import Batch

Array = npt.NDArray[Any]

CELLS = 1 << 18
"""Cells that are worked on at a time: they stay in the caches."""


class Sums(NamedTuple):
    """Of each column: missing cells, cells, their mean, the sum of squared distances from it."""

    missing: Array
    cells: Array
    mean: Array
    spread: Array

    def joined(self, other: Sums) -> Sums:
        """Of the rows of both."""
        total = self.cells + other.cells
        apart = other.mean - self.mean
        share = other.cells / np.maximum(total, 1)
        spread = self.spread + other.spread + apart * (apart * (self.cells * share))
        return Sums(self.missing + other.missing, total, self.mean + apart * share, spread)

    @classmethod
    def of(cls, cells: Array, names: Sequence[str], first: int = 0) -> Sums:
        """Of cells whose first row is that number in its batch."""
        rows, columns = cells.shape
        missing = np.zeros(columns, np.int64)
        with np.errstate(over="ignore", invalid="ignore"):  # told when a column settles
            sums = cells.sum(axis=0, dtype=np.float64)
            if not np.isfinite(sums).all():
                gone = np.isnan(cells)
                _finite(np.isinf(cells), names, first)
                missing = gone.sum(axis=0)
                sums = np.where(gone, 0.0, cells).sum(axis=0, dtype=np.float64)
            count = rows - missing
            mean = sums / np.maximum(count, 1)
            away = cells - mean
            if missing.any():
                np.nan_to_num(away, copy=False, posinf=np.inf, neginf=-np.inf)
            return cls(missing, count, mean, np.einsum("ij,ij->j", away, away))


def packed(batch: Batch, names: Sequence[str]) -> Batch:
    """The batch with these columns taken out of its table and made a matrix of few bytes."""
    if batch.table is None or not names or not len(batch):
        return batch
    parts = [_fewest(part) for part in _parts(batch.table, names)]
    others = batch.table.select([n for n in batch.table.schema.names if n not in set(names)])
    return replace(batch, table=others, numbers=np.concatenate(parts))


def summed(batch: Batch, names: Sequence[str]) -> Sums:
    """What a batch tells of its columns of numbers."""
    first, sums = 0, []
    for part in _cells(batch, names):
        sums.append(Sums.of(part, names, first))
        first += len(part)
    return reduce(Sums.joined, sums)


def _finite(infinite: Array, names: Sequence[str], first: int) -> None:
    if infinite.any():
        row, k = (int(place) for place in np.argwhere(infinite)[0])
        raise DataError(
            f"'{names[k]}' holds an infinite number; correct it or leave the row out.",
            row=first + row + 1,
            column=names[k],
        )


def encode(
    batch: Batch, columns: Sequence[Any], places: Sequence[int], out: Array, tally: Counter[str]
) -> None:
    """Write the features of number columns into `out`, from the place of each on."""
    centre = np.array([column.centre for column in columns])
    scale = np.array([column.scale for column in columns])
    names = [column.name for column in columns]
    flagged = [(k, place + 1) for k, place in enumerate(places) if columns[k].missing]
    whole = list(places) == list(range(out.shape[1]))
    first = 0
    for cells in _cells(batch, names):
        into = out[first : first + len(cells)]
        gone = None
        with np.errstate(over="ignore", invalid="ignore"):
            values = cells - centre
            values /= scale
            doubtful = not np.isfinite(values.sum())  # one look at all, as most are fine
        if doubtful:
            gone = np.isnan(cells)
            tally["missing"] += int(gone.sum())
            usual = np.array([(column.mean - column.centre) / column.scale for column in columns])
            values = np.where(gone, usual, values)
            _finite(~np.isfinite(values), names, first)
        if whole:
            into[:] = values
        else:
            into[:, places] = values
        for k, place in flagged:
            into[:, place] = 0.0 if gone is None else gone[:, k]
        first += len(cells)


def _cells(batch: Batch, names: Sequence[str]) -> Iterator[Array]:
    """The cells, some rows at a time: whole numbers, or floats that are NaN where missing."""
    if batch.numbers is None:
        yield from _parts(batch.table, names)
        return
    size = max(1, CELLS // len(names))
    for first in range(0, len(batch), size):
        yield batch.numbers[first : first + size]


def _parts(table: Any, names: Sequence[str]) -> Iterator[Array]:
    columns = [_plain(table.column(name)) for name in names]
    null = any(column.null_count for column in columns)
    numbers = pa.RecordBatch.from_arrays(columns, names=list(map(str, range(len(columns)))))
    size = max(1, CELLS // len(names))
    for first in range(0, numbers.num_rows, size):
        yield numbers.slice(first, size).to_tensor(null_to_nan=null).to_numpy()


def _plain(column: Any) -> Any:
    kind = column.type
    if pa.types.is_uint64(kind):  # they would wrap around beside numbers that have a sign
        return column.cast(pa.float64(), safe=False)
    if pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return column
    return column.cast(pa.float64())


def _fewest(cells: Array) -> Array:
    """The same numbers in as few bytes as they need: more data fit into memory."""
    if cells.dtype.kind == "f":
        single = cells.astype(np.float32)
        return single if np.array_equal(single, cells, equal_nan=True) else cells
    least, most = int(cells.min()), int(cells.max())
    # A signed type reaches one further below.
    return cells.astype(np.promote_types(np.min_scalar_type(least), np.min_scalar_type(-most - 1)))
