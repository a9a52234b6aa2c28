"""CSV and TSV: text in columns, parsed in blocks by pyarrow, with errors that name the line.

Types are inferred from the first block. A column of integers may contain fractions further on; any
other cell that does not fit is an error that names its line and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from rosenblatt.data.errors import DataError, excerpt
from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.columnar import column_type, first_repeated
from rosenblatt.data.sources.files import (
    BLOCK_SIZE,
    LONGEST_LINE,
    File,
    count_byte,
    split_text,
    text_blocks,
)

HEAD_SIZE = 1 << 20
"""Bytes from which types are inferred."""
HEAD_LINES = 20
"""Lines at least, in up to the bytes of the longest line: wide tables have few in a megabyte."""
HEADER_SAMPLE = 1 << 16
"""Bytes from which a header and the delimiter are detected."""
MOST_COLUMNS = 100_000
COLUMNS_AT_ONCE = 8_192
"""Columns that are read at a time: memory stays bounded for wide tables."""
LINES_AT_ONCE = 20
"""Lines at least that are parsed at a time, as each column costs time in each block."""
MISSING = ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "-nan", "NULL", "null", "None", "#N/A"]
MISSING = MISSING + [f" {mark}" for mark in MISSING]  # "a, ?": blanks after the comma
MISPRINTS = 0.05
"""The largest share of cells that may be misprints in a column of numbers."""
ARROW_TYPES = {"number": pa.float64(), "integer": pa.int64(), "flag": pa.bool_()}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NUMBER = r"^\s*-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$|^\s*-?(?i:inf|infinity|nan)\s*$"
_FLAG = r"(?i)^\s*(true|false|0|1)\s*$"
_EXPECTED = {"number": "a number", "integer": "a number", "flag": "true or false"}
_NOT_UTF8 = "not UTF-8 text. Save the file as UTF-8 (iconv -f latin1 -t utf-8)."


@dataclass(frozen=True)
class Dialect:
    """How a file separates and quotes its cells."""

    delimiter: str
    quoting: bool

    @cached_property
    def _records(self) -> re.Pattern[bytes]:
        d = re.escape(self.delimiter.encode())
        cell = rb'(?:"(?:[^"]++|"")*+"[^%b\n]*+|[^"%b\n][^%b\n]*+|)' % (d, d, d)
        return re.compile(rb"(?:%b(?:%b%b)*+\n)*+" % (cell, d, cell))

    @cached_property
    def _record(self) -> re.Pattern[bytes]:
        return re.compile(self._records.pattern[:-2] + b"?")

    def record_end(self, data: bytes) -> int:
        """Return where the last complete record ends; quotes may span lines."""
        end = data.rfind(b"\n") + 1
        # After an even number of quotes a line break is outside of them, or quotes are letters.
        if not self.quoting or count_byte(data, b'"', end) % 2 == 0:
            return end
        found = self._records.match(data)
        return found.end() if found else 0

    def records(self, data: bytes, line: int) -> Iterator[tuple[int, bytes]]:
        """Yield the records that are not blank, with the numbers of their lines."""
        start = 0
        while start < len(data):
            end = self._next_end(data, start)
            if data[start:end].strip(b"\r\n"):
                yield line, data[start:end]
            line += data.count(b"\n", start, end)
            start = end

    def first_record_end(self, data: bytes) -> int:
        """Return where the first record that is not blank ends."""
        return self._next_end(data, len(data) - len(data.lstrip(b"\r\n")))

    def _next_end(self, data: bytes, start: int) -> int:
        found = self._record.match(data, start) if self.quoting else None
        end = found.end() if found and found.end() > start else data.find(b"\n", start) + 1
        return end or len(data)

    def read(
        self,
        data: bytes,
        names: list[str],
        types: dict[str, Any] | None,
        columns: list[str] | None = None,
        **options: Any,
    ) -> pa.Table:
        """Return the cells of complete records; without `types`, pyarrow infers them."""
        quoted = self.quoting and b'"' in data
        given = csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names)
        parse = csv.ParseOptions(
            delimiter=self.delimiter,
            quote_char='"' if quoted else False,
            newlines_in_values=quoted,
            **options,
        )
        parts = [
            csv.read_csv(
                pa.BufferReader(data),
                given,
                parse,
                csv.ConvertOptions(
                    column_types=types and {name: types[name] for name in some if name in types},
                    null_values=MISSING,
                    strings_can_be_null=True,
                    include_columns=some,
                ),
            )
            for some in _in_parts(names if columns is None else columns)
        ]
        if len(parts) == 1:
            return parts[0]
        cells = [column for part in parts for column in part.columns]
        return pa.table(cells, [name for part in parts for name in part.column_names])

    def read_row(self, row: bytes) -> list[str]:
        """Return the cells of one record as text."""
        options = csv.ReadOptions(autogenerate_column_names=True, block_size=len(row) + 1)
        parse = csv.ParseOptions(
            delimiter=self.delimiter,
            quote_char='"' if self.quoting else False,
            newlines_in_values=True,
        )
        most = row.count(self.delimiter.encode()) + 1  # fewer if some delimiters are quoted
        cells: list[str] = []
        for some in _in_parts([f"f{i}" for i in range(most)]):
            text = csv.ConvertOptions(
                column_types=dict.fromkeys(some, pa.string()),
                include_columns=some,
                include_missing_columns=True,
            )
            table = csv.read_csv(pa.BufferReader(row), options, parse, text)
            found = (column[0].as_py() for column in table.columns)
            cells += [cell.strip() for cell in found if cell is not None]
        return cells


def _in_parts(names: list[str]) -> Iterator[list[str]]:
    """Yield names some at a time: pyarrow takes 10 KB for each column that it reads."""
    for start in range(0, max(1, len(names)), COLUMNS_AT_ONCE):
        yield names[start : start + COLUMNS_AT_ONCE]


def detect_dialect(data: bytes, delimiter: str | None) -> Dialect:
    """Return the dialect with the delimiter that most of the first lines agree on."""
    lines = [line for line in data[:HEADER_SAMPLE].split(b"\n")[:50] if line.strip()]
    if len(lines) > 1 and len(data) > HEADER_SAMPLE:
        lines.pop()  # perhaps incomplete
    if delimiter is None:

        def agreement(mark: str) -> tuple[int, int]:
            counts = [line.count(mark.encode()) for line in lines]
            usual = max(set(counts), key=counts.count) if counts else 0
            return (counts.count(usual) if usual else 0), usual

        delimiter = max((",", "\t", ";", "|"), key=agreement)
    if delimiter == "\t":
        # Tab-separated text is often not quoted: then quotes are letters and come in odd numbers.
        return Dialect(delimiter, all(line.count(b'"') % 2 == 0 for line in data.split(b"\n")))
    return Dialect(delimiter, True)


class Delimited(Source):
    """A table from CSV or TSV files."""

    def __init__(
        self,
        files: list[File],
        delimiter: str | None = None,
        header: bool | None = None,
        strings: Sequence[str] = (),
    ) -> None:
        super().__init__(files)
        head, file = self._read_head(files[0]), files[0].name
        self.dialect = detect_dialect(head, delimiter)
        length = len(head) // max(1, head.count(b"\n"))
        self._block_size = max(BLOCK_SIZE, min(LONGEST_LINE, LINES_AT_ONCE * length))
        if len(head) >= HEAD_SIZE:  # the last record may be incomplete
            head = head[: self.dialect.record_end(head)] or head
        self._first = head[: self.dialect.first_record_end(head)]
        self.names = self._first_row(self._first, file)
        self._header = self._has_header(head) if header is None else header
        if self._header:
            twice = first_repeated(self.names)
            if twice is not None:
                reason = f"column '{excerpt(twice)}' occurs twice in the header."
                raise DataError(reason, file=file, line=1, column=twice)
            head = head[self.dialect.first_record_end(head) :]
        else:
            self.names = [f"column{i}" for i in range(1, len(self.names) + 1)]
        self.types = self._infer_types(head, file, set(strings))

    def _read_head(self, file: File) -> bytes:
        """Return the first block, checked to be text."""
        with file.open() as reader:
            head = reader.read(HEAD_SIZE + 3)
            while head.count(b"\n") < HEAD_LINES and len(head) < LONGEST_LINE:
                more = reader.read(HEAD_SIZE)
                if not more:
                    break
                head += more
        head = head.removeprefix(BYTE_ORDER_MARK)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise DataError("UTF-16 text. Save it as UTF-8.", file=file.name, line=1)
        if b"\0" in head:
            raise DataError("contains zero bytes: this is not text.", file=file.name)
        if not head.strip():
            raise DataError("the file is empty.", file=file.name)
        return head

    def _first_row(self, row: bytes, file: str) -> list[str]:
        if row.count(self.dialect.delimiter.encode()) >= MOST_COLUMNS:
            raise DataError(f"more than {MOST_COLUMNS:,} columns.", file=file, line=1)
        try:
            row.decode()
            return self.dialect.read_row(row)
        except UnicodeDecodeError:
            raise DataError(_NOT_UTF8, file=file, line=1) from None
        except (pa.ArrowException, MemoryError) as error:
            raise DataError(_unreadable(error), file=file, line=1) from None

    def _has_header(self, head: bytes) -> bool:
        """Return whether no cell of the first row is a number or occurs again."""
        if any(re.match(_NUMBER, cell) for cell in self.names):
            return False
        body = head[self.dialect.first_record_end(head) :]
        body = body[: self.dialect.record_end(body[:HEADER_SAMPLE])] or body
        # Few names of a header occur again anywhere: only their columns need to be read.
        marks = f'[{re.escape(self.dialect.delimiter)}"\r\n]'
        found = {part.strip() for part in re.split(marks, body.decode(errors="replace"))}
        repeated = {
            f"f{i}": cell for i, cell in enumerate(self.names)
            if cell and (cell in found or re.search(marks, cell))
        }  # fmt: skip
        if not repeated:
            return True
        columns = [f"f{i}" for i in range(len(self.names))]
        types = dict.fromkeys(columns, pa.string())
        try:
            table = self.dialect.read(body, columns, types, list(repeated))
        except pa.ArrowInvalid:
            return True
        return not any(
            pc.any(pc.equal(pc.utf8_trim_whitespace(table[column]), cell)).as_py()
            for column, cell in repeated.items()
        )

    def _infer_types(self, head: bytes, file: str, strings: set[str]) -> dict[str, str]:
        if not head.strip():
            return dict.fromkeys(self.names, "empty")
        try:
            schema = self.dialect.read(head, self.names, None).schema
            text = [field.name for field in schema if column_type(field.type) == "text"]
            as_text = dict.fromkeys(text, pa.string())
            cells = self.dialect.read(head, self.names, as_text, text) if text else None
        except pa.ArrowInvalid as error:
            piece = head, 1 + self._header, file, self.names
            raise self._first_error(piece, {}, error) from None
        types = {field.name: column_type(field.type) for field in schema}
        for name in text:
            if name not in strings and cells is not None and _mostly_numbers(cells[name]):
                types[name] = "number"
        return types | {name: "text" for name in types if name in strings}

    @property
    def decoded_size(self) -> int | None:
        # A number takes eight bytes and is seldom written with more than twenty.
        compressed = any(file.compression for file in self.files)
        return None if compressed or self.size is None else self.size * 2 // 5

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        for file in self.files:
            with file.open_section(self.count_bytes) as reader:
                names = self.names
                if self._header and file.first_line > 1:  # the header is in another section
                    names = self._names_of(self._header_row(file), file.name)
                blocks = text_blocks(
                    reader, self.dialect.record_end, file.name, self._block_size, file.first_line
                )
                for data, line in blocks:
                    if line == 1:
                        data = data.removeprefix(BYTE_ORDER_MARK)
                        if self._header:
                            end = self.dialect.first_record_end(data)
                            names = self._names_of(data[:end], file.name)
                            line += data.count(b"\n", 0, end)
                            data = data[end:]
                    # The first byte is checked first, since `strip` copies the block.
                    if data[:1] not in b"\r\n" or data.strip(b"\r\n"):
                        yield data, line, file.name, names

    def split_file(self, file: File, parts: int) -> list[File]:
        header = len(self._header_row(file)) if self._header else 0
        return split_text(file, self.dialect.record_end, parts, header)

    def line_number(self, piece: Any, row: int) -> int | None:
        data, line, *_ = piece
        found = next(islice(self.dialect.records(data, line), row, None), None)
        return None if found is None else found[0]

    def _names_of(self, row: bytes, file: str) -> list[str]:
        """Return the header of a file: the names of the first file, in any order."""
        if row == self._first:
            return self.names
        names = self._first_row(row, file)
        present = set(names)
        for name in self.names:
            if name not in present:
                reason = f"has no column '{excerpt(name)}', as {self.files[0].name} has."
                raise DataError(reason, file=file, line=1, column=name)
        return names

    def sample(self, size: int, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Yield blocks from places spread evenly over files that are not compressed."""
        head = self._read_head(self.files[0])
        one_line_records = self.dialect.record_end(head) == head.rfind(b"\n") + 1
        if any(file.compression or file.spool for file in self.files) or not one_line_records:
            yield from super().sample(size, columns)
            return
        total, places = self.size or 0, max(1, size // BLOCK_SIZE)
        if places * BLOCK_SIZE >= total:
            yield from self.batches(columns)
            return
        for n in range(places):
            file, start = self._locate(total * n // places)
            with file.open(start=start) as reader:
                data = reader.read(BLOCK_SIZE)
            data = data[data.find(b"\n") + 1 :]
            data = data[: self.dialect.record_end(data)]
            if data.strip():
                names = self.names
                if self._header and file is not self.files[0]:
                    names = self._names_of(self._header_row(file), file.name)
                yield self.decode((data, None, file.name, names), columns)

    def _locate(self, position: int) -> tuple[File, int]:
        """Return the file, and the place in it, of a position in all files."""
        for file in self.files:
            if position < (file.size or 0):
                break
            position -= file.size or 0
        return file, position

    def _header_row(self, file: File) -> bytes:
        head = self._read_head(file)
        return head[: self.dialect.first_record_end(head)]

    def decode(self, piece: Any, columns: Sequence[str] | None = None) -> Batch:
        data, _, file, names = piece
        wanted = list(self.names if columns is None else columns)
        types = {name: ARROW_TYPES.get(self.types[name], pa.string()) for name in wanted}
        if not wanted:
            raise DataError("no column is left to read.", file=file)
        try:
            table = self.dialect.read(data, names, types, wanted)
        except pa.ArrowInvalid as error:
            floats = {n: pa.float64() if t == pa.int64() else t for n, t in types.items()}
            try:
                table = self.dialect.read(data, names, floats, wanted)
            except pa.ArrowInvalid:
                types = {name: self.types[name] for name in wanted}
                raise self._first_error(piece, types, error) from None
        batches = table.combine_chunks().to_batches()
        batch = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
        return Batch(batch, None, None, 0, file)

    def _first_error(self, piece: Any, types: dict[str, str], error: Exception) -> DataError:
        """Describe the first line of a block that does not fit."""
        data, line, file, names = piece
        records = list(self.dialect.records(data, line or 1))

        def describe(row: int, reason: str, column: str | None = None) -> DataError:
            known = line is not None and row < len(records)
            return DataError(
                reason, file=file, line=records[row][0] if known else None, column=column
            )

        for row, (_, record) in enumerate(records):
            try:
                record.decode()
            except UnicodeDecodeError:
                return describe(row, _NOT_UTF8)
        ragged: list[Any] = []

        def stop_at(row: Any) -> str:
            ragged.append(row)
            return "error"

        text = dict.fromkeys(names, pa.string())
        try:
            table = self.dialect.read(data, names, text, invalid_row_handler=stop_at)
        except pa.ArrowInvalid:
            if ragged and ragged[0].number is not None:
                cells = ragged[0].actual_columns
                reason = f"{cells:,} cells, but the first line has {len(names):,}."
                return describe(ragged[0].number - 1, reason)
            return describe(0, _unreadable(error))
        found = _first_misfit(table, types)
        if found is None:
            return describe(0, _unreadable(error))
        row, name = found
        value, expected = excerpt(table[name][row].as_py().strip()), _EXPECTED[types[name]]
        reason = f"'{name}' is \"{value}\", not {expected}. Fix the row, or drop the column."
        return describe(row, reason, name)


def _first_misfit(table: pa.Table, types: dict[str, str]) -> tuple[int, str] | None:
    """Return row and column of the first cell that is not of its type."""
    found: list[tuple[int, str]] = []
    for name, kind in types.items():
        if kind in _EXPECTED:
            pattern = _FLAG if kind == "flag" else _NUMBER
            fits = pc.fill_null(pc.match_substring_regex(table[name], pattern), True)
            row = pc.index(fits, False).as_py()
            if row >= 0:
                found.append((row, name))
    return min(found, default=None)


def _mostly_numbers(cells: Any) -> bool:
    """Return whether nearly all cells are numbers, the rest misprints."""
    cells = pc.drop_null(cells)
    numbers = pc.sum(pc.match_substring_regex(cells, _NUMBER)).as_py() or 0
    return bool(numbers >= 5 and len(cells) - numbers <= max(1, MISPRINTS * len(cells)))


def _unreadable(error: BaseException) -> str:
    text = (str(error).splitlines() or [type(error).__name__])[0]
    return f"cannot be read ({excerpt(text, 120)})."
