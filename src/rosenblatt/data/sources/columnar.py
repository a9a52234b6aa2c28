"""Parquet and Arrow (Feather): typed columns, read batch by batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rosenblatt.data.errors import DataError
from rosenblatt.data.sources.batch import Batch, Source, reservoir
from rosenblatt.data.sources.files import BLOCK, File, Stretch

ROWS = 65_536
"""The longest batch."""


def kind_of(kind: pa.DataType) -> str:
    """What a column of this type holds, in the words of `Source.types`."""
    is_a = pa.types
    if is_a.is_dictionary(kind):
        return kind_of(kind.value_type)
    if is_a.is_boolean(kind):
        return "flag"
    if is_a.is_integer(kind):
        return "integer"
    if is_a.is_floating(kind) or is_a.is_decimal(kind):
        return "number"
    if is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_string_view(kind):
        return "text"
    if is_a.is_temporal(kind):
        return "date"
    return "empty" if is_a.is_null(kind) else "other"


def _borders(about: Any) -> list[int]:
    """The rows at which row groups begin, and the last one ends."""
    lengths = (about.row_group(k).num_rows for k in range(about.num_row_groups))
    return list(accumulate(lengths, initial=0))


def _groups(about: Any, stretch: Stretch) -> tuple[list[int], int, int]:
    """The row groups that hold a stretch, the first row in them, and where the stretch ends."""
    borders = list(pairwise(_borders(about)))
    groups = [k for k, (a, b) in enumerate(borders) if a < stretch.end and b > stretch.start]
    return groups, borders[groups[0]][0] if groups else 0, stretch.end


class Columnar(Source):
    """A table from Parquet or Arrow files."""

    def __init__(self, files: list[File], form: str) -> None:
        super().__init__(files)
        self._form = form
        self.rows = 0
        for file in files:
            with file.errors():
                schema, rows = self._look(file)
                names = list(schema.names)
            if file is files[0]:
                self.names = names
                self.types = {field.name: kind_of(field.type) for field in schema}
                if len(set(names)) < len(names):
                    twice = next(name for name in names if names.count(name) > 1)
                    raise DataError(f"column '{twice}' comes twice.", file=file.name, column=twice)
            absent = [name for name in self.names if name not in names]
            if absent:
                raise DataError(f"has no column '{absent[0]}'.", file=file.name, column=absent[0])
            self.rows = None if rows is None or self.rows is None else self.rows + rows

    def _look(self, file: File) -> tuple[pa.Schema, int | None]:
        if self._form == "parquet":
            about = pq.ParquetFile(file.handle())
            return about.schema_arrow, about.metadata.num_rows
        with self._arrow(file) as reader:
            return reader.schema, None

    @contextlib.contextmanager
    def _arrow(self, file: File) -> Iterator[Any]:
        """A reader of an Arrow file or, without its closing index, of an Arrow stream."""
        with file.open() as tap:
            indexed = tap.read(6) == b"ARROW1"
        if indexed:
            with pa.ipc.open_file(file.handle()) as reader:
                yield reader
            return
        with file.open(self.seen) as tap:
            with pa.ipc.open_stream(pa.PythonFile(tap, mode="r")) as reader:
                yield reader
            while tap.read(BLOCK):  # past the mark of the end, so that all bytes are counted
                pass

    @property
    def weight(self) -> int | None:
        return None if self.rows is None else 8 * self.rows * len(self.names)

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        wanted = list(self.names if columns is None else columns)
        for file in self.files:
            before = self.progress
            with file.errors():
                for batch, share in self._batches(file, wanted):
                    if share is not None:  # of the file; else the tap counts its bytes
                        self.progress = before + int(share * (file.size or 0))
                    yield batch, file.name

    def _batches(self, file: File, wanted: list[str]) -> Iterator[tuple[Any, float | None]]:
        """Short batches, with the share of the file that is read then."""
        if self._form == "parquet":
            about = pq.ParquetFile(file.handle()).metadata
            rows = max(1, about.num_rows)
            whole = Stretch(0, about.num_rows)
            groups, done, last = _groups(about, file.stretch or whole)
            start = (file.stretch or whole).start
            for batch in self._parquet(file, wanted, groups):
                first, done = done, done + batch.num_rows
                batch = batch.slice(max(0, start - first), last - max(first, start))
                yield batch, min(done, last) / rows
                if done >= last:
                    return
            return
        with self._arrow(file) as reader:
            count = getattr(reader, "num_record_batches", None)
            found = reader if count is None else map(reader.get_batch, range(count))
            for n, batch in enumerate(found, 1):
                # Offsets in a damaged file may point anywhere: look before use.
                batch.validate(full=True)
                batch = batch.select(wanted)
                for start in range(0, batch.num_rows, ROWS):
                    yield batch.slice(start, ROWS), None if count is None else n / count

    def _parquet(self, file: File, wanted: list[str], groups: list[int] | None) -> Iterator[Any]:
        # Without pre-buffering, or a whole row group would be held, however large.
        reader = pq.ParquetFile(file.handle(), buffer_size=1 << 20, pre_buffer=False)
        rows = max(1024, min(ROWS, (BLOCK * 4) // (8 * max(1, len(wanted)))))
        yield from reader.iter_batches(rows, groups, columns=wanted)

    def cut(self, file: File, parts: int) -> list[File]:
        """By rows; at the borders of row groups where there are enough."""
        if self._form != "parquet" or parts < 2:
            return [file]
        with file.errors():
            borders = _borders(pq.ParquetFile(file.handle()).metadata)
        rows = borders[-1]
        edges = [rows * k // parts for k in range(1, parts)]
        if len(borders) > parts:
            edges = [min(borders, key=lambda border: abs(border - edge)) for edge in edges]
        return file.cut([(e,) for e in sorted({0, *edges} - {rows})], rows)

    def sample(self, size: int, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Batches from row groups all over the files, where there are several."""
        wanted = list(self.names if columns is None else columns)
        count = max(1, size // (4 * BLOCK))
        with self.files[0].errors():
            groups = (
                [
                    (file, group)
                    for file in self.files
                    for group in range(pq.ParquetFile(file.handle()).num_row_groups)
                ]
                if self._form == "parquet"
                else []
            )
        if len(groups) < 8:
            for piece in reservoir(self.pieces(columns), count):
                yield self.decode(piece, columns)
            return
        for file, group in groups[:: max(1, len(groups) // count)]:
            with file.errors():
                for batch in self._parquet(file, wanted, [group]):
                    yield self.decode((batch, file.name), columns)
                    break

    def decode(self, piece: Any, columns: Sequence[str] | None = None) -> Batch:
        batch, where = piece
        plain = []
        try:
            for column in batch.columns:
                kind = column.type
                if pa.types.is_dictionary(kind):
                    column, kind = column.dictionary_decode(), kind.value_type
                if kind_of(kind) == "text" and not pa.types.is_string(kind):
                    column = column.cast(pa.string())
                elif pa.types.is_decimal(kind) or pa.types.is_float16(kind):
                    column = column.cast(pa.float64())
                plain.append(column)
        except (pa.ArrowException, MemoryError, OverflowError, IndexError) as error:
            raise DataError(f"cannot be read ({str(error).splitlines()[0]}).", file=where) from None
        table = pa.RecordBatch.from_arrays(plain, names=batch.schema.names)
        return Batch(table, None, None, 0, where)
