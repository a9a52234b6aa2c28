"""Column files as CoNLL's: a token per line, its columns and its label; blank lines end sentences.

A block of bytes is split into cells and counted by array arithmetic, each distinct cell is decoded
once, and what is left of a sentence at the end of a block waits for the next.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError, excerpt
from rosenblatt.data.extras import extra
from rosenblatt.data.sequences.corpus import Corpus, Numbering, codes_of

with extra("cli", "reading files"):
    from rosenblatt.data.sources.files import BLOCK_SIZE, File, digest, open_files, text_blocks

Array = npt.NDArray[Any]

LONGEST_LINE = 1 << 20
"""Bytes of the longest line of a token."""
LONGEST_SENTENCE = 1_000_000
"""Tokens of the longest sentence: a file without blank lines must not fill the memory."""
_SAMPLE_SIZE = 1 << 16
"""Bytes in which the first line of a token is looked for at a time."""
LAST = -1
"""The place of the label: in the last column."""

_BLANK = np.zeros(256, np.bool_)
_BLANK[list(b" \t\n\r\v\f")] = True  # where `bytes.split` splits
_DOCUMENT = re.compile(rb"^-DOCSTART-(?:[ \t].*)?$", re.MULTILINE)
_ALL_COMMENTS = re.compile(rb"^#.*$", re.MULTILINE)
_COMMENTS_WITHOUT_TABS = re.compile(rb"^#[^\t\n]*$", re.MULTILINE)
_UNIVERSAL = re.compile(rb"^(?:#.*|\d+[-.]\d+\t.*)$", re.MULTILINE)
"""In CoNLL-U: comments, and lines of no token of their own (ranges such as 3-4, and 5.1)."""
_BLANK_LINES = re.compile(rb"\n(?:[ \t\v\f]*\n)+")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Layout(NamedTuple):
    """How the lines of a file are written."""

    tabs: bool  # cells are separated by single tabs, else by blanks of any number
    width: int  # cells of a line
    ignored: re.Pattern[bytes] | None  # lines that are neither tokens nor ends of sentences


class ColumnFile:
    """Sentences of column files, in corpora or as one; `target` is the column of the label.

    Parameters
    ----------
    path : file, folder, pattern, list of these, or "-"; `.gz` and `.zst` are read as they are
    target : the column of the label, counted from 0 or backwards from -1; None: there is no label
    comments : whether lines that begin with # are comments; None: those that have no tab, in files
        with tabs
    encoding : of the text, such as "latin-1"
    block_size : bytes that are read at a time; a batch is about as large

    In files named `.conllu`, lines of ranges (3-4) and of empty nodes (5.1) are left out as well.
    A line whose first cell is `-DOCSTART-` is no token, and ends a sentence.
    """

    def __init__(
        self,
        path: str | Path | list[Any],
        *,
        target: int | None = LAST,
        comments: bool | None = None,
        encoding: str = "utf-8",
        block_size: int = BLOCK_SIZE,
    ) -> None:
        if block_size < 1:
            raise ValueError("block_size must be at least 1.")
        self.files = open_files(path)
        self.encoding = _checked_encoding(encoding)
        self.block_size = block_size
        self._comments = comments
        self.bytes_read = 0
        self._layout = self._find_layout(self.files[0])
        self.target = target

    @property
    def target(self) -> int | None:
        """The column of the label, counted from 0, or None."""
        return self._target

    @target.setter
    def target(self, column: int | None) -> None:
        width, name = self._layout.width, self.files[0].name
        if column is not None:
            if not -width <= column < width:
                raise DataError(
                    f"there is no column {column} for the label: lines have {width} cells, counted "
                    "from 0.",
                    file=name,
                )
            if width == 1:
                raise DataError(
                    "there is no label: lines have one cell, and the token needs one, too.",
                    file=name,
                )
            column %= width
        self._target = column

    @property
    def name(self) -> str:
        """The name of the file, or how many there are."""
        return self.files[0].name if len(self.files) == 1 else f"{len(self.files)} files"

    @property
    def paths(self) -> list[Path]:
        """The files that are read; standard input has none."""
        return [file.path for file in self.files if file.path is not None]

    @property
    def tabs(self) -> bool:
        """Whether single tabs are between cells, not blanks of any number."""
        return self._layout.tabs

    @property
    def cells(self) -> int:
        """How many cells a line has."""
        return self._layout.width

    @property
    def width(self) -> int:
        """How many columns a token has; the label is none of them."""
        return self._layout.width - (self._target is not None)

    def digest(self) -> str:
        """Return the SHA-256 of the files."""
        return digest(self.files)

    def batches(self) -> Iterator[Corpus]:
        """Yield corpora of consecutive sentences, each of about a block; memory stays bounded."""
        for cells, lengths in self._blocks():
            values = Numbering()
            yield self._corpus([codes_of(cells, values)], [lengths], values)

    def read(self) -> Corpus:
        """Return all sentences as one corpus."""
        values = Numbering()
        codes, lengths = [], []
        for cells, sizes in self._blocks():
            codes.append(codes_of(cells, values))
            lengths.append(sizes)
        return self._corpus(codes, lengths, values)

    def _corpus(self, codes: list[Array], lengths: list[Array], values: Numbering) -> Corpus:
        width = self._layout.width
        rows = np.concatenate(codes).reshape(-1, width)
        kept = [column for column in range(width) if column != self._target]
        columns = np.ascontiguousarray(rows.T[kept])
        labels = None if self._target is None else np.ascontiguousarray(rows[:, self._target])
        texts = b"\n".join(values).decode().split("\n")
        return Corpus(texts, columns, np.concatenate(lengths), labels)

    def _blocks(self) -> Iterator[tuple[list[bytes], Array]]:
        """Yield the cells of complete sentences, and the sentences' lengths."""
        self.bytes_read, found = 0, False
        for file in self.files:
            rest: list[bytes] = []  # the cells of a sentence that goes on in the next block
            for text, line in self._texts(file, self.block_size):
                cells, ends = self._split(text, file.name, line)
                rest_tokens = len(rest) // self._layout.width
                ends = ends + rest_tokens
                tokens = rest_tokens + len(cells) // self._layout.width
                complete = int(ends[-1]) if len(ends) else 0
                if tokens - complete > LONGEST_SENTENCE:
                    raise DataError(
                        f"a sentence of more than {LONGEST_SENTENCE:,} tokens: blank lines must "
                        "end sentences.",
                        file=file.name,
                        line=line,
                    )
                cells = rest + cells if rest else cells
                edge = complete * self._layout.width
                rest = cells[edge:]
                lengths = np.diff(ends, prepend=0)
                if (lengths > 0).any():
                    found = True
                    yield cells[:edge], lengths[lengths > 0]
            if rest:
                found = True
                yield rest, np.array([len(rest) // self._layout.width])
        if not found:
            raise DataError("there are no tokens.", file=self.files[0].name)

    def _texts(self, file: File, size: int) -> Iterator[tuple[bytes, int]]:
        """Yield blocks of complete lines as UTF-8, with the number of their first line."""
        with file.open_section(self._count_bytes) as reader:
            blocks = text_blocks(reader, _line_end, file.name, size, file.first_line)
            for data, line in blocks:
                text = data.removeprefix(_BYTE_ORDER_MARK) if line == 1 else data
                text = text if text.endswith(b"\n") else text + b"\n"
                _reject_long_lines(text, file.name, line)
                text = self._decoded(text, file.name, line)
                if b"\r" in text:
                    text = text.replace(b"\r\n", b"\n")
                    _reject(text, b"\r", "a carriage return inside a line", file.name, line)
                yield text, line

    def _count_bytes(self, count: int) -> None:
        self.bytes_read += count

    def _decoded(self, text: bytes, file: str, line: int) -> bytes:
        """Return text as UTF-8; anything else than the encoding is an error."""
        _reject(text, b"\0", "a zero byte: this is not text, or text in UTF-16", file, line)
        try:
            decoded = text.decode(self.encoding)
        except UnicodeDecodeError as error:
            raise DataError(
                f"byte 0x{text[error.start]:02x} is not {self.encoding}: give the encoding of the "
                "text, or convert it.",
                file=file,
                line=line + text.count(b"\n", 0, error.start),
            ) from None
        return text if self.encoding == "utf-8" else decoded.encode()

    def _split(self, text: bytes, file: str, line: int) -> tuple[list[bytes], Array]:
        """Return the cells of complete lines, and after how many tokens sentences end."""
        tabs, width, ignored = self._layout
        if b"-DOCSTART-" in text:
            text = _DOCUMENT.sub(b"", text)
        passed_over: Any = False
        if ignored is not None:
            text, passed_over = _without(ignored, text)
        counts = _cells_per_line(text, tabs)
        full = counts > 0
        ragged = np.flatnonzero(full & (counts != width))
        if len(ragged):
            place = int(ragged[0])
            start = excerpt(text.split(b"\n", place + 1)[place])
            raise DataError(
                f'{counts[place]} cells ("{start}"), but the first token has {width}.',
                file=file,
                line=line + place,
            )
        cells = _cells_between_tabs(text) if tabs else text.split()
        if tabs and b"" in cells:
            empty = cells.index(b"")
            raise DataError(
                f"cell {empty % width} is empty; write _ for nothing.",
                file=file,
                line=line + int(np.flatnonzero(full)[empty // width]),
            )
        return cells, np.cumsum(full)[~full & ~np.asarray(passed_over)]

    def _find_layout(self, file: File) -> _Layout:
        """Find out how lines are written, from the first line of a token."""
        universal = Path(file.stem).suffix.lower() == ".conllu" and self._comments is not False
        for text, _ in self._texts(file, _SAMPLE_SIZE):
            lines = [part for part in _DOCUMENT.sub(b"", text).split(b"\n") if part.strip()]
            plain = (part for part in lines if self._comments is False or part[:1] != b"#")
            first = next(plain, None)
            if first is None and lines and self._comments is None and not universal:
                first = lines[0]  # it seems that # is a token
            if first is not None:
                tabs = b"\t" in first.strip()
                width = len(first.split(b"\t") if tabs else first.split())
                return _Layout(tabs, width, self._ignored(universal, tabs))
        raise DataError("there are no tokens.", file=file.name)

    def _ignored(self, universal: bool, tabs: bool) -> re.Pattern[bytes] | None:
        """Return which lines are neither tokens nor ends of sentences."""
        if universal:
            return _UNIVERSAL
        if self._comments:
            return _ALL_COMMENTS
        return _COMMENTS_WITHOUT_TABS if tabs and self._comments is None else None


def _line_end(data: bytes) -> int:
    return data.rfind(b"\n") + 1


def _checked_encoding(name: str) -> str:
    """Return the usual name of an encoding in which blanks are those of ASCII."""
    try:
        found = codecs.lookup(name).name
        if "\n\r\t #-0".encode(found) == b"\n\r\t #-0":
            return found
    except (LookupError, UnicodeError):
        raise ValueError(f"the encoding {name!r} is unknown.") from None
    raise ValueError(f"files in {found} cannot be read; convert them to UTF-8.")


def _reject(text: bytes, mark: bytes, what: str, file: str, line: int) -> None:
    """Raise an error if a byte is in the text that must not be."""
    place = text.find(mark)
    if place >= 0:
        raise DataError(f"there is {what}.", file=file, line=line + text.count(b"\n", 0, place))


def _reject_long_lines(text: bytes, file: str, line: int) -> None:
    if len(text) <= LONGEST_LINE:
        return
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    sizes = np.diff(ends, prepend=-1)
    if sizes.max() > LONGEST_LINE:
        reason = f"longer than {LONGEST_LINE >> 20} MB: this is not the line of a token."
        raise DataError(reason, file=file, line=line + int(sizes.argmax()))


def _without(ignored: re.Pattern[bytes], text: bytes) -> tuple[bytes, Array]:
    """Empty the lines that are ignored; return which ones these are as well."""
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    which = np.zeros(len(ends), np.bool_)
    which[np.searchsorted(ends, [match.start() for match in ignored.finditer(text)])] = True
    return ignored.sub(b"", text), which


def _cells_per_line(text: bytes, tabs: bool) -> Array:
    """Count the cells of each line, 0 in blank lines."""
    data = np.frombuffer(text, np.uint8)
    blank = _BLANK[data]
    begins = ~blank
    begins[1:] &= blank[:-1]
    ends = np.flatnonzero(data == ord("\n"))
    words = np.diff(np.searchsorted(np.flatnonzero(begins), ends), prepend=0)
    if not tabs:
        return words
    separators = np.diff(np.searchsorted(np.flatnonzero(data == ord("\t")), ends), prepend=0)
    return np.where(words > 0, separators + 1, 0)


def _cells_between_tabs(text: bytes) -> list[bytes]:
    """Return the cells of all lines that are not blank."""
    full = _BLANK_LINES.sub(b"\n", b"\n" + text)
    cells = full.replace(b"\n", b"\t").split(b"\t")[1:-1]
    return [cell.strip() for cell in cells] if b" " in full else cells
