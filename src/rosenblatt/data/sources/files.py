"""Files as bytes: found by name, decompressed while read, counted, hashed, split into blocks."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from rosenblatt.data.errors import DataError

BLOCK_SIZE = 2 << 20
"""Bytes of text that are parsed at a time: the result should stay in the caches."""
LONGEST_LINE = 16 << 20
"""Bytes of the longest line: memory stays bounded for any file."""
COMPRESSIONS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""The first bytes of compressed files."""
COMPRESSED_SUFFIXES = (".gz", ".zst")
_READ_ERRORS = (
    pa.ArrowException,
    OSError,
    EOFError,
    MemoryError,
    ValueError,
    LookupError,
    OverflowError,
)
"""What pyarrow raises on damaged files."""
RecordEnd = Callable[[bytes], int]
"""A function that returns where the last complete record of some bytes ends."""


class Spool:
    """Standard input that can be read again: what was read is kept in an unnamed file."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the spool)
        self._lock, self._length = threading.Lock(), 0

    def read(self, start: int, size: int) -> bytes:
        with self._lock:
            self._kept.seek(self._length)
            while start + size > self._length:  # a read may return less than there is to come
                content = self._stream.read(start + size - self._length)
                if not content:
                    break
                self._length += self._kept.write(content)
            self._kept.seek(start)
            return self._kept.read(size)

    def complete_file(self) -> IO[bytes]:
        """Return the file itself, complete: for formats that are read from the end."""
        while self.read(self._length, BLOCK_SIZE):
            pass
        return self._kept


@dataclass(frozen=True)
class Section:
    """A part of a file: bytes of text between two records, or rows of typed columns."""

    start: int
    end: int
    line: int = 1  # of text: the number of the first line


@dataclass
class File:
    """One file of a source; `path` is None for standard input."""

    path: Path | None
    spool: Spool | None = None
    compression: str | None = field(init=False)
    digest: str | None = None  # known once all bytes have been read
    section: Section | None = None  # if only a part of the rows is to be read

    def __post_init__(self) -> None:
        start = self.read_raw(0, 4)
        found = (kind for mark, kind in COMPRESSIONS.items() if start.startswith(mark))
        self.compression = next(found, None)

    @property
    def name(self) -> str:
        return self.path.name if self.path else "standard input"

    @property
    def stem(self) -> str:
        """The name without the suffix of a compressed file."""
        path = Path(self.name)
        return path.stem if path.suffix.lower() in COMPRESSED_SUFFIXES else path.name

    @property
    def size(self) -> int | None:
        return self.path.stat().st_size if self.path else None

    def read_raw(self, start: int, size: int) -> bytes:
        """Return some bytes as they are on disk."""
        if self.spool:
            return self.spool.read(start, size)
        with self.translate_errors(), open(str(self.path), "rb") as file:
            file.seek(start)
            return file.read(size)

    def open_seekable(self) -> Any:
        """Return a seekable file for pyarrow; a compressed file has none."""
        if self.compression:
            raise DataError(
                f"this format cannot be read inside {self.compression}: decompress the file first, "
                "the format has its own compression.",
                file=self.name,
            )
        with self.translate_errors():
            if self.spool:
                return pa.PythonFile(self.spool.complete_file(), mode="r")
            return pa.OSFile(str(self.path), "r")  # a mapped file would count as resident

    @contextlib.contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Turn errors of the system or of pyarrow into a DataError that names this file."""
        try:
            yield
        except DataError:
            raise
        except FileNotFoundError:
            raise DataError("there is no such file.", file=self.name) from None
        except _READ_ERRORS as error:
            raise DataError(_explanation(error, self.compression), file=self.name) from None

    def open(self, count_bytes: Callable[[int], None] | None = None, start: int = 0) -> ByteReader:
        return ByteReader(self, count_bytes, start)

    def open_section(self, count_bytes: Callable[[int], None] | None = None) -> ByteReader:
        """Open the section that is to be read, the complete file if there is none."""
        if self.section is None:
            return ByteReader(self, count_bytes, 0)
        return ByteReader(self, count_bytes, self.section.start, self.section.end)

    @property
    def first_line(self) -> int:
        """The number of the first line that is to be read."""
        return 1 if self.section is None else self.section.line

    def sections(self, starts: list[Any], size: int) -> list[File]:
        """Return the file in sections that begin at (start, and of text the line number)."""
        ends = [*(start for start, *_ in starts[1:]), size]
        pairs = zip(starts, ends, strict=True)
        return [replace(self, section=Section(start, end, *line)) for (start, *line), end in pairs]


def _explanation(error: BaseException, compression: str | None) -> str:
    text = str(error).split("\n")[0].strip() or type(error).__name__
    if isinstance(error, MemoryError):
        return "the file needs more memory than there is; it is damaged or hostile."
    if compression and isinstance(error, (OSError, EOFError)) and "decompress" in text.lower():
        return f"the {compression} data are damaged; copy the file again from its source."
    if compression and "truncated" in text.lower():
        return f"the {compression} data end too early; copy the file again from its source."
    return f"cannot be read ({text})."


class ByteReader:
    """The decompressed bytes of a file in order; bytes on disk are counted and hashed."""

    def __init__(
        self,
        file: File,
        count_bytes: Callable[[int], None] | None,
        start: int,
        end: int | None = None,
    ) -> None:
        self._file, self._count_bytes, self._position, self._end = file, count_bytes, start, end
        with file.translate_errors():
            self._disk = None
            if not file.spool:
                self._disk = open(str(file.path), "rb")  # noqa: SIM115 (closed with the reader)
            if self._disk:
                self._disk.seek(start)
        complete = start == 0 and end is None
        self._hash = hashlib.sha256() if complete and file.digest is None else None
        self._decompressed: Any = None
        self.closed = False
        if file.compression:
            raw = pa.PythonFile(_RawReader(self), mode="r")
            self._decompressed = pa.CompressedInputStream(raw, file.compression)

    def read_raw(self, size: int) -> bytes:
        """Return the next bytes as they are on disk."""
        if self._end is not None:
            size = min(size, self._end - self._position)
        if self._disk:
            content = self._disk.read(size)
        else:
            assert self._file.spool is not None
            content = self._file.spool.read(self._position, size)
        self._position += len(content)
        if self._count_bytes:
            self._count_bytes(len(content))
        if self._hash is not None:
            self._hash.update(content)
            if not content:
                self._file.digest, self._hash = self._hash.hexdigest(), None
        return content

    def read(self, size: int) -> bytes:
        """Return the next decompressed bytes."""
        with self._file.translate_errors():
            if not self._decompressed:
                return self.read_raw(size)
            content: bytes = self._decompressed.read(size)
            while len(content) < size:
                more = self._decompressed.read(size - len(content))
                if not more:
                    break
                content += more
            return content

    def close(self) -> None:
        self.closed = True
        self._decompressed = None  # it refers to this reader, in a cycle that is never collected
        if self._disk:
            self._disk.close()

    def __enter__(self) -> ByteReader:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


class _RawReader:
    """The compressed bytes of a reader, with the interface that pyarrow needs."""

    closed = False

    def __init__(self, reader: ByteReader) -> None:
        self._reader = reader

    def read(self, size: int) -> bytes:
        return self._reader.read_raw(size)

    def close(self) -> None:
        """Do nothing: the reader closes the file."""


def digest(files: list[File]) -> str:
    """Return the SHA-256 of a file, or of the hashes of several in order."""
    for file in files:
        if file.digest is None:
            with file.open() as reader:
                while reader.read_raw(BLOCK_SIZE):
                    pass
    sums = [str(file.digest) for file in files]
    return sums[0] if len(sums) == 1 else hashlib.sha256("".join(sums).encode()).hexdigest()


def count_byte(data: bytes, mark: bytes, end: int) -> int:
    """Count a byte before `end`; many times faster than `bytes.count`."""
    if data.find(mark, 0, end) < 0:  # faster still, and usual for quotes
        return 0
    return int(np.count_nonzero(np.frombuffer(data, np.uint8, end) == mark[0])) if end else 0


def text_blocks(
    reader: ByteReader, record_end: RecordEnd, file: str, size: int = BLOCK_SIZE, line: int = 1
) -> Iterator[tuple[bytes, int]]:
    """Yield blocks of complete records with the number of their first line.

    A block has about `size` bytes; `line` is the number of the very first line.
    """
    rest = b""
    while content := reader.read(size):
        data = rest + content if rest else content
        end = record_end(data)
        if end:
            yield data[:end], line
            line += count_byte(data, b"\n", end)
            rest = data[end:]
        else:
            rest = data
        if len(rest) > LONGEST_LINE:
            raise DataError(
                f"longer than {LONGEST_LINE >> 20} MB. Is this text, and is every quote closed?",
                file=file,
                line=line,
            )
    if rest:
        yield rest, line


def split_text(file: File, record_end: RecordEnd, parts: int, header: int = 0) -> list[File]:
    """Return sections of a text file, about equal, of complete records.

    The first section is longer than the header. The file is read once for that: a line break ends
    a record only outside of quotes, and errors must report the number of the line. A compressed
    file can be read from its start only and is not split.
    """
    if file.compression or file.spool or parts < 2 or not file.size:
        return [file]
    targets = [file.size * k // parts for k in range(1, parts)]
    starts, position = [(0, 1)], 0
    with file.open() as reader:
        for data, line in text_blocks(reader, record_end, file.name):
            while targets and targets[0] <= position + len(data):
                end = record_end(data[: targets.pop(0) - position])
                if position + end > max(starts[-1][0], header):
                    starts.append((position + end, line + count_byte(data, b"\n", end)))
            position += len(data)
    return file.sections(starts, file.size)


def open_files(path: str | Path | list[Any]) -> list[File]:
    """Open the files of a path, a folder, a pattern, a list of these, or "-"."""
    return [_open_file(path) for path in list_paths(path)]


def _open_file(path: Path | None) -> File:
    if path is None:
        if sys.stdin is None:
            raise DataError("it is closed; name a file.", file="standard input")
        # Not buffered: the interpreter could not end while a thread waits inside the buffer.
        return File(None, Spool(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)))
    if path.is_file():
        return File(path)
    return File(None, Spool(open(path, "rb")))  # a named pipe


def list_paths(path: str | Path | list[Any]) -> list[Path | None]:
    """List the paths that `open_files` opens, without reading; None is standard input."""
    if isinstance(path, list):
        found = [inner for part in path for inner in list_paths(part)]
        if not found:
            raise DataError("the list of files is empty.")
        return found
    if str(path) == "-":
        return [None]
    folder = Path(path)
    if folder.is_dir():
        files = (p for p in sorted(folder.rglob("*")) if p.is_file())
        inside: list[Path | None] = [p for p in files if not p.name.startswith((".", "_"))]
        if not inside:
            raise DataError("the folder holds no files.", file=str(path))
        return inside
    if folder.exists():
        return [folder]
    if glob.has_magic(str(path)):
        candidates = (Path(p) for p in sorted(glob.glob(str(path), recursive=True)))
        matches: list[Path | None] = [p for p in candidates if p.is_file()]
        if not matches:
            raise DataError("no file matches this pattern.", file=str(path))
        return matches
    raise DataError("there is no such file or folder.", file=str(path))
