"""A batch of rows, and what all sources of batches have in common."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pyarrow as pa

from rosenblatt.data.sources.files import BLOCK_SIZE, File, digest
from rosenblatt.data.sources.parallel import parallel_map

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows: a `table`, or a matrix `X` with labels `y` (None if there are none).

    `first_row` is the number of the first row, `file` the name of the file. Columns of numbers may
    have been moved from the table to a matrix, `numbers`.
    """

    table: pa.RecordBatch | None
    X: Any
    y: Array | None
    first_row: int
    file: str
    numbers: Array | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0]) if self.table is None else int(self.table.num_rows)

    def skip(self, rows: int) -> Batch:
        """Return the batch without its first rows."""
        return replace(
            self,
            table=None if self.table is None else self.table.slice(rows),
            numbers=None if self.numbers is None else self.numbers[rows:],
            X=None if self.X is None else self.X[rows:],
            y=None if self.y is None else self.y[rows:],
            first_row=self.first_row + rows,
        )


class Source:
    """Rows of files, in batches, as often as needed; memory stays bounded.

    A subclass provides `pieces` (in order, cheap: bytes or positions) and `decode`, which turns a
    piece into a batch and is called from several threads.
    """

    kind = "table"
    names: list[str]
    types: dict[str, str]
    """The type of each column of a table: number, integer, flag, text, date, empty or other."""
    rows: int | None = None

    def __init__(self, files: list[File]) -> None:
        self.files = files
        self.bytes_read = 0

    @property
    def name(self) -> str:
        return self.files[0].name if len(self.files) == 1 else f"{len(self.files)} files"

    @property
    def paths(self) -> list[Path]:
        """The files that are read; standard input has none."""
        return [file.path for file in self.files if file.path is not None]

    @property
    def size(self) -> int | None:
        sizes = [file.size for file in self.files]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def decoded_size(self) -> int | None:
        """An estimate of the bytes that all rows take when decoded, None if unknown."""
        return None

    def digest(self) -> str:
        return digest(self.files)

    def count_bytes(self, count: int) -> None:
        self.bytes_read += count

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        raise NotImplementedError

    def decode(self, piece: Any, columns: Sequence[str] | None = None) -> Batch:
        raise NotImplementedError

    def batches(self, columns: Sequence[str] | None = None, start: int = 0) -> Iterator[Batch]:
        """Yield the rows from number `start` on; of a table, only the given columns."""
        self.bytes_read = 0
        decoded = parallel_map(self.pieces(columns), lambda piece: self.decode(piece, columns))
        count = 0
        for batch in number_rows(decoded):
            count = batch.first_row + len(batch)
            if count > start:
                yield batch.skip(start - batch.first_row) if batch.first_row < start else batch
        self.rows = count

    def split_file(self, file: File, parts: int) -> list[File]:
        """Return sections of a file: `parts` of them, or fewer where it cannot be split."""
        return [file]

    def line_number(self, piece: Any, row: int) -> int | None:
        """Return the line of a row (from 0) of a piece, None without lines."""
        return None

    def sample(self, size: int, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Yield about `size` bytes from all over the source; rows have no numbers."""
        chosen = reservoir_sample(self.pieces(columns), max(1, size // BLOCK_SIZE))
        yield from parallel_map(chosen, lambda piece: self.decode(piece, columns))


def number_rows(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Number the first row of each batch; leave out empty batches."""
    first_row = 0
    for batch in batches:
        if len(batch):
            yield replace(batch, first_row=first_row)
            first_row += len(batch)


def reservoir_sample(items: Iterable[Any], size: int) -> list[Any]:
    """Return a uniform sample of the items, in order; the same one in every call."""
    generator = random.Random(0)
    sample: list[tuple[int, Any]] = []
    for n, item in enumerate(items):
        if n < size:
            sample.append((n, item))
        elif (place := generator.randrange(n + 1)) < size:
            sample[place] = (n, item)
    return [item for _, item in sorted(sample, key=lambda pair: pair[0])]
