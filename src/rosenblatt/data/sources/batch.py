"""A batch of rows, and what every source of batches has in common."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy.typing as npt
import pyarrow as pa

from rosenblatt.data.sources.ahead import ahead
from rosenblatt.data.sources.files import BLOCK, File, digest

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows: a `table`, or a matrix `X` with labels `y` (None if there are none).

    The columns of numbers may have been taken out of the table and made a matrix, `numbers`.
    """

    table: pa.RecordBatch | None
    X: Any
    y: Array | None
    first: int
    where: str
    numbers: Array | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0]) if self.table is None else int(self.table.num_rows)

    def skip(self, rows: int) -> Batch:
        """The batch without its first rows."""
        return replace(
            self,
            table=None if self.table is None else self.table.slice(rows),
            numbers=None if self.numbers is None else self.numbers[rows:],
            X=None if self.X is None else self.X[rows:],
            y=None if self.y is None else self.y[rows:],
            first=self.first + rows,
        )


class Source:
    """Rows from files, in batches, as often as wanted; never the whole in memory.

    A kind of source gives `pieces` (in order, cheap: bytes or positions) and `decode` (a piece to
    a batch, by any thread).
    """

    kind = "table"
    names: list[str]
    types: dict[str, str]
    """Of a table's columns: number, integer, flag, text, date, empty or other."""
    rows: int | None = None

    def __init__(self, files: list[File]) -> None:
        self.files = files
        self.progress = 0

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
    def weight(self) -> int | None:
        """About how many bytes the rows take when decoded, None if that is not known."""
        return None

    def digest(self) -> str:
        return digest(self.files)

    def seen(self, count: int) -> None:
        self.progress += count

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        raise NotImplementedError

    def decode(self, piece: Any, columns: Sequence[str] | None = None) -> Batch:
        raise NotImplementedError

    def batches(self, columns: Sequence[str] | None = None, start: int = 0) -> Iterator[Batch]:
        """The rows from number `start` on; of a table, only the columns named."""
        self.progress = 0
        decoded = ahead(self.pieces(columns), lambda piece: self.decode(piece, columns))
        count = 0
        for batch in numbered(decoded):
            count = batch.first + len(batch)
            if batch.first + len(batch) > start:
                yield batch.skip(start - batch.first) if batch.first < start else batch
        self.rows = count

    def cut(self, file: File, parts: int) -> list[File]:
        """A file in so many stretches, or in fewer where it cannot be cut."""
        return [file]

    def line(self, piece: Any, row: int) -> int | None:
        """The line of a row of a piece, from 0; None if the format has no lines."""
        return None

    def sample(self, size: int, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Batches from all over the source, about `size` bytes in all; rows are not numbered."""
        chosen = reservoir(self.pieces(columns), max(1, size // BLOCK))
        yield from ahead(chosen, lambda piece: self.decode(piece, columns))


def numbered(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Give batches the numbers of their first rows; leave out the empty ones."""
    first = 0
    for batch in batches:
        if len(batch):
            yield replace(batch, first=first)
            first += len(batch)


def reservoir(items: Iterable[Any], size: int) -> list[Any]:
    """Every item with the same chance, in order; the same ones every time."""
    draw = random.Random(0)
    kept: list[tuple[int, Any]] = []
    for n, item in enumerate(items):
        if n < size:
            kept.append((n, item))
        elif (place := draw.randrange(n + 1)) < size:
            kept[place] = (n, item)
    return [item for _, item in sorted(kept, key=lambda pair: pair[0])]
