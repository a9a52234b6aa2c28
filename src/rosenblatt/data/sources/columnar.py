"""Parquet and Arrow (Feather): typed columns, read batch by batch."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rosenblatt.data.errors import DataError
from rosenblatt.data.sources.batch import Batch, Source, reservoir_sample
from rosenblatt.data.sources.files import BLOCK_SIZE, File, Section

LARGEST_BATCH = 65_536
"""Rows of the largest batch."""
LARGEST_UNBUFFERED = 32 << 20
"""Bytes of the largest Parquet file whose row groups are read at once."""


def column_type(arrow_type: pa.DataType) -> str:
    """Return the type of a column, as in `Source.types`."""
    is_a = pa.types
    if is_a.is_dictionary(arrow_type):
        return column_type(arrow_type.value_type)
    if is_a.is_boolean(arrow_type):
        return "flag"
    if is_a.is_integer(arrow_type):
        return "integer"
    if is_a.is_floating(arrow_type) or is_a.is_decimal(arrow_type):
        return "number"
    if is_a.is_string(arrow_type) or is_a.is_large_string(arrow_type):
        return "text"
    if is_a.is_string_view(arrow_type):
        return "text"
    if is_a.is_temporal(arrow_type):
        return "date"
    return "empty" if is_a.is_null(arrow_type) else "other"


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that occurs again, None if all differ."""
    counts = Counter(names)
    return next((name for name in names if counts[name] > 1), None)


def _row_group_edges(metadata: Any) -> list[int]:
    """Return the rows at which row groups begin, and the end of the last one."""
    lengths = (metadata.row_group(k).num_rows for k in range(metadata.num_row_groups))
    return list(accumulate(lengths, initial=0))


class Columnar(Source):
    """A table from Parquet or Arrow files."""

    def __init__(self, files: list[File], format: str) -> None:
        super().__init__(files)
        self._format = format
        self.rows = 0
        for file in files:
            with file.translate_errors():
                schema, rows = self._schema_and_rows(file)
                names = list(schema.names)
            if file is files[0]:
                self.names = names
                self.types = {field.name: column_type(field.type) for field in schema}
                twice = first_repeated(names)
                if twice is not None:
                    raise DataError(f"column '{twice}' occurs twice.", file=file.name, column=twice)
            present = set(names)
            absent = [name for name in self.names if name not in present]
            if absent:
                raise DataError(f"has no column '{absent[0]}'.", file=file.name, column=absent[0])
            self.rows = None if rows is None or self.rows is None else self.rows + rows

    def _schema_and_rows(self, file: File) -> tuple[pa.Schema, int | None]:
        if self._format == "parquet":
            parquet = pq.ParquetFile(file.open_seekable())
            return parquet.schema_arrow, parquet.metadata.num_rows
        with self._open_arrow(file) as reader:
            return reader.schema, None

    @contextlib.contextmanager
    def _open_arrow(self, file: File) -> Iterator[Any]:
        """Open an Arrow file or, without its closing index, an Arrow stream."""
        with file.open() as content:
            indexed = content.read(6) == b"ARROW1"
        if indexed:
            with pa.ipc.open_file(file.open_seekable()) as reader:
                yield reader
            return
        with file.open(self.count_bytes) as content:
            with pa.ipc.open_stream(pa.PythonFile(content, mode="r")) as reader:
                yield reader
            while content.read(BLOCK_SIZE):  # past the end mark, so that all bytes are counted
                pass

    @property
    def decoded_size(self) -> int | None:
        return None if self.rows is None else 8 * self.rows * len(self.names)

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        columns = list(self.names if columns is None else columns)
        read = self._parquet_batches if self._format == "parquet" else self._arrow_batches
        for file in self.files:
            before = self.bytes_read
            with file.translate_errors():
                for batch, share in read(file, columns):
                    if share is not None:  # of the file; else the reader counts its bytes
                        self.bytes_read = before + int(share * (file.size or 0))
                    yield batch, file.name

    def _parquet_batches(self, file: File, columns: list[str]) -> Iterator[tuple[Any, float]]:
        """Yield batches of the file's section, with the share of the file read."""
        metadata = pq.ParquetFile(file.open_seekable()).metadata
        section = file.section or Section(0, metadata.num_rows)
        edges = list(enumerate(pairwise(_row_group_edges(metadata))))
        inside = [(k, a) for k, (a, b) in edges if a < section.end and b > section.start]
        groups, end = [k for k, _ in inside], inside[0][1] if inside else 0
        for batch in self._read_parquet(file, columns, groups):
            start, end = end, end + batch.num_rows
            offset = max(0, section.start - start)
            batch = batch.slice(offset, section.end - max(start, section.start))
            yield batch, min(end, section.end) / max(1, metadata.num_rows)
            if end >= section.end:
                return

    def _arrow_batches(self, file: File, columns: list[str]) -> Iterator[tuple[Any, float | None]]:
        """Yield batches, with the share of the file read if that is known."""
        with self._open_arrow(file) as reader:
            count = getattr(reader, "num_record_batches", None)
            found = reader if count is None else map(reader.get_batch, range(count))
            for n, batch in enumerate(found, 1):
                # Offsets in a damaged file may point anywhere: check them before use.
                batch.validate(full=True)
                batch = batch.select(columns)
                for start in range(0, batch.num_rows, LARGEST_BATCH):
                    yield batch.slice(start, LARGEST_BATCH), None if count is None else n / count

    def _read_parquet(self, file: File, columns: list[str], groups: list[int]) -> Iterator[Any]:
        # Without pre-buffering, or a complete row group would be kept, however large. A buffered
        # page gets the memory that its header declares, up to 2 GB in a damaged file: small files
        # are not buffered.
        content = file.open_seekable()
        buffer_size = 1 << 20 if content.size() > LARGEST_UNBUFFERED else 0
        parquet = pq.ParquetFile(content, buffer_size=buffer_size, pre_buffer=False)
        rows = max(1024, min(LARGEST_BATCH, (BLOCK_SIZE * 4) // (8 * max(1, len(columns)))))
        for batch in parquet.iter_batches(rows, groups, columns=columns):
            batch.validate(full=True)  # text may be no UTF-8
            yield batch

    def split_file(self, file: File, parts: int) -> list[File]:
        """Return sections by rows; at the edges of row groups where there are enough."""
        if self._format != "parquet" or parts < 2:
            return [file]
        with file.translate_errors():
            edges = _row_group_edges(pq.ParquetFile(file.open_seekable()).metadata)
        rows = edges[-1]
        if not rows:
            return [file]
        starts = [rows * k // parts for k in range(1, parts)]
        if len(edges) > parts:
            starts = [min(edges, key=lambda edge: abs(edge - start)) for start in starts]
        return file.sections([(start,) for start in sorted({0, *starts} - {rows})], rows)

    def sample(self, size: int, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Yield batches from row groups all over the files, where there are several."""
        wanted = list(self.names if columns is None else columns)
        count = max(1, size // (4 * BLOCK_SIZE))
        groups = list(self._row_groups()) if self._format == "parquet" else []
        if len(groups) < 8:
            for piece in reservoir_sample(self.pieces(columns), count):
                yield self.decode(piece, columns)
            return
        for file, group in groups[:: max(1, len(groups) // count)]:
            with file.translate_errors():
                for batch in self._read_parquet(file, wanted, [group]):
                    yield self.decode((batch, file.name), columns)
                    break

    def _row_groups(self) -> Iterator[tuple[File, int]]:
        """Yield the row groups of all Parquet files."""
        for file in self.files:
            with file.translate_errors():
                count = pq.ParquetFile(file.open_seekable()).num_row_groups
            for group in range(count):
                yield file, group

    def decode(self, piece: Any, columns: Sequence[str] | None = None) -> Batch:
        batch, file = piece
        plain = []
        try:
            for column in batch.columns:
                kind = column.type
                if pa.types.is_dictionary(kind):
                    column, kind = column.dictionary_decode(), kind.value_type
                if column_type(kind) == "text" and not pa.types.is_string(kind):
                    column = column.cast(pa.string())
                elif pa.types.is_decimal(kind) or pa.types.is_float16(kind):
                    column = column.cast(pa.float64())
                plain.append(column)
        except (pa.ArrowException, MemoryError, OverflowError, IndexError) as error:
            raise DataError(f"cannot be read ({str(error).splitlines()[0]}).", file=file) from None
        table = pa.RecordBatch.from_arrays(plain, names=batch.schema.names)
        return Batch(table, None, None, 0, file)
