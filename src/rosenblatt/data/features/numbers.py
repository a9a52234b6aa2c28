"""Columns of numbers together, as a matrix: a few large operations instead of many small ones.

Threads that parse compete for the interpreter's lock with the thread that learns, or imports, at
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

BLOCK_CELLS = 1 << 18
"""Cells that are processed at a time: they stay in the caches."""


class Moments(NamedTuple):
    """Of each column: missing cells, cells, their mean, the sum of squared deviations from it."""

    missing: Array
    cells: Array
    mean: Array
    spread: Array

    def combine(self, other: Moments) -> Moments:
        """Return the moments of the rows of both."""
        total = self.cells + other.cells
        difference = other.mean - self.mean
        share = other.cells / np.maximum(total, 1)
        between = difference * (difference * (self.cells * share))
        spread = self.spread + other.spread + between
        return Moments(self.missing + other.missing, total, self.mean + difference * share, spread)

    @classmethod
    def of(cls, cells: Array, names: Sequence[str], first_row: int = 0) -> Moments:
        """Return the moments of cells; `first_row` is the number of their first row."""
        rows, columns = cells.shape
        missing = np.zeros(columns, np.int64)
        # An overflow is reported when a column is finished.
        with np.errstate(over="ignore", invalid="ignore"):
            sums = cells.sum(axis=0, dtype=np.float64)
            if not np.isfinite(sums).all():
                nan = np.isnan(cells)
                _reject_infinite(np.isinf(cells), names, first_row)
                missing = nan.sum(axis=0)
                sums = np.where(nan, 0.0, cells).sum(axis=0, dtype=np.float64)
            count = rows - missing
            mean = sums / np.maximum(count, 1)
            deviations = cells - mean
            if missing.any():
                np.nan_to_num(deviations, copy=False, posinf=np.inf, neginf=-np.inf)
            return cls(missing, count, mean, np.einsum("ij,ij->j", deviations, deviations))


def pack(batch: Batch, names: Sequence[str]) -> Batch:
    """Move these columns of a batch from its table to a matrix of few bytes."""
    if batch.table is None or not names or not len(batch):
        return batch
    parts = [_shrink(part) for part in _table_blocks(batch.table, names)]
    packed = set(names)
    others = batch.table.select([n for n in batch.table.schema.names if n not in packed])
    return replace(batch, table=others, numbers=np.concatenate(parts))


def select(batch: Batch, names: Sequence[str], chosen: Sequence[str]) -> Batch:
    """Return a packed batch, with the columns `names`, with only the chosen ones."""
    if batch.numbers is None or list(names) == list(chosen):
        return batch
    places = {name: place for place, name in enumerate(names)}
    return replace(batch, numbers=batch.numbers[:, [places[name] for name in chosen]])


def summarise(batch: Batch, names: Sequence[str]) -> Moments:
    """Return the moments of a batch's columns of numbers."""
    first_row, moments = 0, []
    for part in _blocks(batch, names):
        moments.append(Moments.of(part, names, first_row))
        first_row += len(part)
    return reduce(Moments.combine, moments)


def _reject_infinite(infinite: Array, names: Sequence[str], first_row: int) -> None:
    if infinite.any():
        row, k = (int(place) for place in np.argwhere(infinite)[0])
        raise DataError(
            f"'{names[k]}' holds an infinite number; correct it or leave the row out.",
            row=first_row + row + 1,
            column=names[k],
        )


def encode(
    batch: Batch, columns: Sequence[Any], places: Sequence[int], out: Array, tally: Counter[str]
) -> None:
    """Write the features of number columns to `out`, each from its place on."""
    centre = np.array([column.centre for column in columns])
    scale = np.array([column.scale for column in columns])
    names = [column.name for column in columns]
    indicators = [(k, place + 1) for k, place in enumerate(places) if columns[k].missing]
    fill_all = list(places) == list(range(out.shape[1]))
    first_row = 0
    for cells in _blocks(batch, names):
        rows = out[first_row : first_row + len(cells)]
        missing = None
        with np.errstate(over="ignore", invalid="ignore"):
            values = cells - centre
            values /= scale
            finite = bool(np.isfinite(values.sum()))  # one test of all, as most are finite
        if not finite:
            missing = np.isnan(cells)
            tally["missing"] += int(missing.sum())
            means = np.array([(column.mean - column.centre) / column.scale for column in columns])
            values = np.where(missing, means, values)
            _reject_infinite(~np.isfinite(values), names, first_row)
        if fill_all:
            rows[:] = values
        else:
            rows[:, places] = values
        for k, place in indicators:
            rows[:, place] = 0.0 if missing is None else missing[:, k]
        first_row += len(cells)


def _blocks(batch: Batch, names: Sequence[str]) -> Iterator[Array]:
    """Yield cells of some rows: integers, or floats that are NaN where missing."""
    if batch.numbers is None:
        yield from _table_blocks(batch.table, names)
        return
    size = max(1, BLOCK_CELLS // len(names))
    for first_row in range(0, len(batch), size):
        yield batch.numbers[first_row : first_row + size]


def _table_blocks(table: Any, names: Sequence[str]) -> Iterator[Array]:
    columns = [_plain(table.column(name)) for name in names]
    null = any(column.null_count for column in columns)
    numbers = pa.RecordBatch.from_arrays(columns, names=list(map(str, range(len(columns)))))
    size = max(1, BLOCK_CELLS // len(names))
    for first_row in range(0, numbers.num_rows, size):
        yield numbers.slice(first_row, size).to_tensor(null_to_nan=null).to_numpy()


def _plain(column: Any) -> Any:
    kind = column.type
    if pa.types.is_uint64(kind):  # they would wrap around beside signed numbers
        return column.cast(pa.float64(), safe=False)
    if pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return column
    return column.cast(pa.float64())


def _shrink(cells: Array) -> Array:
    """Return the same numbers in as few bytes as they need: more data fit into memory."""
    if cells.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):  # these stay in double precision
            single = cells.astype(np.float32)
        return single if np.array_equal(single, cells, equal_nan=True) else cells
    least, most = int(cells.min()), int(cells.max())
    # A signed type reaches one further below.
    return cells.astype(np.promote_types(np.min_scalar_type(least), np.min_scalar_type(-most - 1)))
