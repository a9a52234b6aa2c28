"""CSV and TSV: text in columns, parsed in blocks by pyarrow, with our own words for what is wrong.

Types are decided by the first block. A column of integers may hold fractions further on; any other
cell that does not fit is an error that names its line and column.
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

from rosenblatt.data.errors import DataError, shown
from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.columnar import kind_of
from rosenblatt.data.sources.files import BLOCK, File, blocks, count, stretches

HEAD = 1 << 20
"""Bytes by which types are decided."""
LOOK = 1 << 16
"""Bytes by which a header is known."""
COLUMNS = 100_000
"""The most columns."""
MISSING = ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "-nan", "NULL", "null", "None", "#N/A"]
MISSING = MISSING + [f" {mark}" for mark in MISSING]  # "a, ?": blanks after the comma
ODD = 0.05
"""The share of cells that may be misprints in a column of numbers."""
READ_AS = {"number": pa.float64(), "integer": pa.int64(), "flag": pa.bool_()}
_NUMBER = r"^\s*-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$|^\s*-?(?i:inf|infinity|nan)\s*$"
_CALLED = {"number": "a number", "integer": "a number", "flag": "true or false"}


@dataclass(frozen=True)
class Grammar:
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

    def cut(self, data: bytes) -> int:
        """Where the last whole record ends: a line break within quotes ends none."""
        end = data.rfind(b"\n") + 1
        # After an even number of quotes a line break stands outside of them, or quotes are letters.
        if not self.quoting or count(data, b'"', end) % 2 == 0:
            return end
        found = self._records.match(data)
        return found.end() if found else 0

    def lines(self, data: bytes, line: int) -> Iterator[tuple[int, bytes]]:
        """The records that are not blank, with the numbers of their lines."""
        at = 0
        while at < len(data):
            found = self._record.match(data, at) if self.quoting else None
            end = found.end() if found and found.end() > at else data.find(b"\n", at) + 1
            end = end or len(data)
            if data[at:end].strip(b"\r\n"):
                yield line, data[at:end]
            line += data.count(b"\n", at, end)
            at = end

    def first(self, data: bytes) -> int:
        """Where the first record that is not blank ends."""
        start = len(data) - len(data.lstrip(b"\r\n"))
        found = self._record.match(data, start) if self.quoting else None
        end = found.end() if found and found.end() > start else data.find(b"\n", start) + 1
        return end or len(data)

    def read(
        self,
        data: bytes,
        names: list[str],
        types: dict[str, Any] | None,
        wanted: Any = None,
        **o: Any,
    ) -> pa.Table:
        """The cells of whole records; without `types`, pyarrow infers them."""
        quoted = self.quoting and b'"' in data
        return csv.read_csv(
            pa.BufferReader(data),
            csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=names),
            csv.ParseOptions(
                delimiter=self.delimiter,
                quote_char='"' if quoted else False,
                newlines_in_values=quoted,
                **o,
            ),
            csv.ConvertOptions(
                column_types=types,
                null_values=MISSING,
                strings_can_be_null=True,
                include_columns=wanted,
            ),
        )


def sniff(data: bytes, delimiter: str | None) -> Grammar:
    """The separator that the first lines agree on, and whether quotes quote."""
    lines = [line for line in data[: 1 << 16].split(b"\n")[:50] if line.strip()]
    if len(lines) > 1 and len(data) > 1 << 16:
        lines.pop()  # perhaps cut short
    if delimiter is None:

        def agreement(mark: str) -> tuple[int, int]:
            counts = [line.count(mark.encode()) for line in lines]
            usual = max(set(counts), key=counts.count) if counts else 0
            return (counts.count(usual) if usual else 0), usual

        delimiter = max((",", "\t", ";", "|"), key=agreement)
    if delimiter == "\t":
        # Tab-separated text is often not quoted: then quotes are letters and come in odd numbers.
        return Grammar(delimiter, all(line.count(b'"') % 2 == 0 for line in data.split(b"\n")))
    return Grammar(delimiter, True)


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
        head = self._head(files[0])
        self.grammar = sniff(head, delimiter)
        if len(head) >= HEAD:  # the last record may be cut short
            head = head[: self.grammar.cut(head)] or head
        self.names = self._first_row(head, files[0].name)
        if header is None:
            header = self._has_header(head, files[0].name)
        self._header = header
        if header:
            twice = next((n for n in self.names if self.names.count(n) > 1), None)
            if twice is not None:
                reason = f"column '{shown(twice)}' comes twice in the header."
                raise DataError(reason, file=files[0].name, line=1, column=twice)
            head = head[self.grammar.first(head) :]
        else:
            self.names = [f"column{i}" for i in range(1, len(self.names) + 1)]
        self.types = self._infer(head, files[0].name, set(strings))

    def _head(self, file: File) -> bytes:
        """The first block, checked to be text."""
        with file.open() as tap:
            head = tap.read(HEAD + 3).removeprefix(b"\xef\xbb\xbf")
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise DataError("UTF-16 text. Save it as UTF-8.", file=file.name, line=1)
        if b"\0" in head:
            raise DataError("holds zero bytes: this is not text.", file=file.name)
        if not head.strip():
            raise DataError("the file is empty.", file=file.name)
        return head

    def _first_row(self, head: bytes, where: str) -> list[str]:
        row = head[: self.grammar.first(head)]
        if row.count(self.grammar.delimiter.encode()) >= COLUMNS:
            raise DataError(f"more than {COLUMNS:,} columns.", file=where, line=1)
        try:
            row.decode()
            options = csv.ReadOptions(autogenerate_column_names=True, block_size=len(row) + 1)
            parse = csv.ParseOptions(
                delimiter=self.grammar.delimiter,
                quote_char='"' if self.grammar.quoting else False,
                newlines_in_values=True,
            )
            cells = row.count(self.grammar.delimiter.encode()) + 1
            text = csv.ConvertOptions(column_types={f"f{i}": pa.string() for i in range(cells)})
            read = csv.read_csv(pa.BufferReader(row), options, parse, text)
        except UnicodeDecodeError:
            raise DataError(_NOT_UTF8, file=where, line=1) from None
        except (pa.ArrowException, MemoryError) as error:
            raise DataError(f"cannot be read ({_short(error)}).", file=where, line=1) from None
        return [str(column[0].as_py()).strip() for column in read.columns]

    def _has_header(self, head: bytes, where: str) -> bool:
        """A first row is a header if no cell is a number, and none comes again in its column."""
        if any(re.match(_NUMBER, cell) for cell in self.names):
            return False
        body = head[self.grammar.first(head) :]
        body = body[: self.grammar.cut(body[:LOOK])] or body
        # Few words of a header come again anywhere: only their columns need be looked at.
        near = {
            f"f{i}": cell for i, cell in enumerate(self.names)
            if cell and (cell.encode() in body or '"' in cell)
        }  # fmt: skip
        if not near:
            return True
        places = [f"f{i}" for i in range(len(self.names))]
        try:
            table = self.grammar.read(body, places, dict.fromkeys(places, pa.string()), list(near))
        except pa.ArrowInvalid:
            return True
        return not any(
            pc.any(pc.equal(pc.utf8_trim_whitespace(table[place]), cell)).as_py()
            for place, cell in near.items()
        )

    def _infer(self, head: bytes, where: str, strings: set[str]) -> dict[str, str]:
        if not head.strip():
            return dict.fromkeys(self.names, "empty")
        try:
            schema = self.grammar.read(head, self.names, None).schema
            words = [field.name for field in schema if kind_of(field.type) == "text"]
            text = dict.fromkeys(words, pa.string())
            cells = self.grammar.read(head, self.names, text, words) if words else None
        except pa.ArrowInvalid as error:
            raise self._wrong((head, 1 + self._header, where, self.names), {}, error) from None
        types = {field.name: kind_of(field.type) for field in schema}
        for name, kind in types.items():
            if name in strings:
                types[name] = "text"
            elif kind == "text" and cells is not None:
                given = pc.drop_null(cells[name])
                fits = pc.sum(pc.match_substring_regex(given, _NUMBER)).as_py() or 0
                # Nearly all numbers: the rest are misprints, to be told, not categories.
                if fits >= 5 and len(given) - fits <= max(1, ODD * len(given)):
                    types[name] = "number"
        return types

    @property
    def weight(self) -> int | None:
        # A number takes eight bytes and is seldom written with more than twenty.
        packed = any(file.packing for file in self.files)
        return None if packed or self.size is None else self.size * 2 // 5

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        for file in self.files:
            with file.part(self.seen) as tap:
                names = self.names
                if self._header and file.line > 1:  # the header is in another stretch
                    names = self._names_of(self._head_row(file), file.name)
                for data, line in blocks(tap, self.grammar.cut, file.name, line=file.line):
                    if line == 1:
                        data = data.removeprefix(b"\xef\xbb\xbf")
                        if self._header:
                            end = self.grammar.first(data)
                            names = self._names_of(data[:end], file.name)
                            line += data.count(b"\n", 0, end)
                            data = data[end:]
                    if data[:1] not in b"\r\n" or data.strip(b"\r\n"):  # a look before a copy
                        yield data, line, file.name, names

    def cut(self, file: File, parts: int) -> list[File]:
        head = len(self._head_row(file)) if self._header else 0
        return stretches(file, self.grammar.cut, parts, head)

    def line(self, piece: Any, row: int) -> int | None:
        data, line, *_ = piece
        found = next(islice(self.grammar.lines(data, line), row, None), None)
        return None if found is None else found[0]

    def _names_of(self, row: bytes, where: str) -> list[str]:
        """A file's own header: the same names as the first file's, in any order."""
        names = self._first_row(row, where)
        for name in self.names:
            if name not in names:
                reason = f"has no column '{shown(name)}', as {self.files[0].name} has."
                raise DataError(reason, file=where, line=1, column=name)
        return names

    def sample(self, size: int, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Blocks from places spread evenly over files that are not packed."""
        head = self._head(self.files[0])
        whole_lines = self.grammar.cut(head) == head.rfind(b"\n") + 1
        if any(file.packing or file.spool for file in self.files) or not whole_lines:
            yield from super().sample(size, columns)
            return
        total, places = self.size or 0, max(1, size // BLOCK)
        if places * BLOCK >= total:
            yield from self.batches(columns)
            return
        for n in range(places):
            at = total * n // places
            for file in self.files:
                if at < (file.size or 0):
                    break
                at -= file.size or 0
            with file.open(start=at) as tap:
                data = tap.read(BLOCK)
            data = data[data.find(b"\n") + 1 :]
            data = data[: self.grammar.cut(data)]
            if data.strip():
                names = self.names
                if self._header and file is not self.files[0]:
                    names = self._names_of(self._head_row(file), file.name)
                yield self.decode((data, None, file.name, names), columns)

    def _head_row(self, file: File) -> bytes:
        head = self._head(file)
        return head[: self.grammar.first(head)]

    def decode(self, piece: Any, columns: Sequence[str] | None = None) -> Batch:
        data, _, where, names = piece
        wanted = list(self.names if columns is None else columns)
        types = {name: READ_AS.get(self.types[name], pa.string()) for name in wanted}
        if not wanted:
            raise DataError("no column is left to read.", file=where)
        try:
            table = self.grammar.read(data, names, types, wanted)
        except pa.ArrowInvalid as error:
            wide = {n: pa.float64() if t == pa.int64() else t for n, t in types.items()}
            try:
                table = self.grammar.read(data, names, wide, wanted)
            except pa.ArrowInvalid:
                raise self._wrong(piece, {n: self.types[n] for n in wanted}, error) from None
        batches = table.combine_chunks().to_batches()
        batch = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
        return Batch(batch, None, None, 0, where)

    def _wrong(self, piece: Any, types: dict[str, str], error: Exception) -> DataError:
        """The first line of a block that does not fit, and why."""
        data, first, where, names = piece
        records = list(self.grammar.lines(data, first or 1))
        width = len(names)

        def fault(place: int, reason: str, column: str | None = None) -> DataError:
            line = records[place][0] if first is not None and place < len(records) else None
            return DataError(reason, file=where, line=line, column=column)

        for place, (_, record) in enumerate(records):
            try:
                record.decode()
            except UnicodeDecodeError:
                return fault(place, _NOT_UTF8)
        ragged: list[Any] = []

        def note(row: Any) -> str:
            ragged.append(row)
            return "error"

        text = dict.fromkeys(names, pa.string())
        try:
            table = self.grammar.read(data, names, text, invalid_row_handler=note)
        except pa.ArrowInvalid:
            if ragged and ragged[0].number is not None:
                cells = ragged[0].actual_columns
                reason = f"{cells:,} cells, but the first line has {width:,}."
                return fault(ragged[0].number - 1, reason)
            return fault(0, f"cannot be read ({_short(error)}).")
        found: list[tuple[int, str]] = []
        for name, kind in types.items():
            if kind in _CALLED:
                pattern = _NUMBER if kind != "flag" else r"(?i)^\s*(true|false|0|1)\s*$"
                fits = pc.fill_null(pc.match_substring_regex(table[name], pattern), True)
                place = pc.index(fits, False).as_py()
                if place >= 0:
                    found.append((place, name))
        if not found:
            return fault(0, f"cannot be read ({_short(error)}).")
        place, name = min(found)
        value, called = shown(table[name][place].as_py().strip()), _CALLED[types[name]]
        reason = f"'{name}' is \"{value}\", not {called}. Fix the row, or --drop {name}."
        return fault(place, reason, name)


_NOT_UTF8 = "not UTF-8 text. Save the file as UTF-8 (iconv -f latin1 -t utf-8)."


def _short(error: BaseException) -> str:
    return shown((str(error).splitlines() or [type(error).__name__])[0], 120)
