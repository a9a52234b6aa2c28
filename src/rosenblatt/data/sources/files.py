"""Files as bytes: which ones are meant, unpacked on the way, counted, hashed, cut into blocks."""

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

BLOCK = 2 << 20
"""Bytes of text that are parsed at a time: what comes of them should stay in the caches."""
LIMIT = 16 << 20
"""The longest line, in bytes: memory stays bounded whatever a file holds."""
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_DAMAGE = (
    pa.ArrowException,
    OSError,
    EOFError,
    MemoryError,
    ValueError,
    LookupError,
    OverflowError,
)
"""What pyarrow raises on damaged files."""
ENDINGS = {".gz": "gzip", ".zst": "zstd"}


class Spool:
    """Standard input that can be read again: what was read is kept in an unnamed file."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the spool)
        self._lock, self._length = threading.Lock(), 0

    def read(self, start: int, size: int) -> bytes:
        with self._lock:
            if start + size > self._length:
                self._kept.seek(self._length)
                self._length += self._kept.write(self._stream.read(start + size - self._length))
            self._kept.seek(start)
            return self._kept.read(size)

    def whole(self) -> IO[bytes]:
        """The file itself, complete: for formats that are read from the end."""
        while self.read(self._length, BLOCK):
            pass
        return self._kept


@dataclass(frozen=True)
class Stretch:
    """A part of a file: bytes of text between two records, or rows of typed columns."""

    start: int
    end: int
    line: int = 1  # of text: the number of the first line


@dataclass
class File:
    """One file of a source; `path` is None for standard input."""

    path: Path | None
    spool: Spool | None = None
    packing: str | None = field(init=False)
    digest: str | None = None  # known once all of it went by
    stretch: Stretch | None = None  # if rows are to be read from a part of it only

    def __post_init__(self) -> None:
        start = self.raw(0, 4)
        self.packing = next((kind for mark, kind in PACKED.items() if start.startswith(mark)), None)

    @property
    def name(self) -> str:
        return self.path.name if self.path else "standard input"

    @property
    def stem(self) -> str:
        """The name without the ending of a packed file."""
        path = Path(self.name)
        return path.stem if path.suffix.lower() in ENDINGS else path.name

    @property
    def size(self) -> int | None:
        return self.path.stat().st_size if self.path else None

    def raw(self, start: int, size: int) -> bytes:
        """Some bytes as they are on disk."""
        if self.spool:
            return self.spool.read(start, size)
        with self.errors(), open(str(self.path), "rb") as file:
            file.seek(start)
            return file.read(size)

    def handle(self) -> Any:
        """A seekable file for pyarrow; packed files have none."""
        if self.packing:
            raise DataError(
                f"this format cannot be read inside {self.packing}: unpack the file first, "
                "the format has its own compression.",
                file=self.name,
            )
        with self.errors():
            if self.spool:
                return pa.PythonFile(self.spool.whole(), mode="r")
            return pa.OSFile(str(self.path), "r")  # a mapped file would count as resident

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """What the system or pyarrow says of this file, as a DataError."""
        try:
            yield
        except DataError:
            raise
        except FileNotFoundError:
            raise DataError("there is no such file.", file=self.name) from None
        except _DAMAGE as error:
            raise DataError(_plain(error, self.packing), file=self.name) from None

    def open(self, seen: Callable[[int], None] | None = None, start: int = 0) -> Tap:
        return Tap(self, seen, start)

    def part(self, seen: Callable[[int], None] | None = None) -> Tap:
        """The bytes of the stretch that is to be read, of all of it if there is none."""
        if self.stretch is None:
            return Tap(self, seen, 0)
        return Tap(self, seen, self.stretch.start, self.stretch.end)

    @property
    def line(self) -> int:
        """The number of the first line that is to be read."""
        return 1 if self.stretch is None else self.stretch.line

    def cut(self, edges: list[Any], size: int) -> list[File]:
        """The file in stretches that begin at these edges (start, and line in text)."""
        ends = [*(start for start, *_ in edges[1:]), size]
        pairs = zip(edges, ends, strict=True)
        return [replace(self, stretch=Stretch(start, end, *line)) for (start, *line), end in pairs]


def _plain(error: BaseException, packing: str | None) -> str:
    text = str(error).split("\n")[0].strip() or type(error).__name__
    if isinstance(error, MemoryError):
        return "the file asks for more memory than there is; it is damaged or hostile."
    if packing and isinstance(error, (OSError, EOFError)) and "decompress" in text.lower():
        return f"the {packing} data are damaged. Unpack the file anew from its source."
    if packing and "truncated" in text.lower():
        return f"the {packing} data end too early. Copy the file anew from its source."
    return f"cannot be read ({text})."


class Tap:
    """The unpacked bytes of a file in order; raw bytes are counted and hashed as they go by."""

    def __init__(
        self, file: File, seen: Callable[[int], None] | None, start: int, end: int | None = None
    ) -> None:
        self._file, self._seen, self._at, self._end = file, seen, start, end
        with file.errors():
            self._disk = None
            if not file.spool:
                self._disk = open(str(file.path), "rb")  # noqa: SIM115 (closed with the tap)
            if self._disk:
                self._disk.seek(start)
        whole = start == 0 and end is None
        self._hash = hashlib.sha256() if whole and file.digest is None else None
        self._unpacked: Any = None
        self.closed = False
        if file.packing:
            raw = pa.PythonFile(_Raw(self), mode="r")
            self._unpacked = pa.CompressedInputStream(raw, file.packing)

    def raw(self, size: int) -> bytes:
        if self._end is not None:
            size = min(size, self._end - self._at)
        if self._disk:
            content = self._disk.read(size)
        else:
            assert self._file.spool is not None
            content = self._file.spool.read(self._at, size)
        self._at += len(content)
        if self._seen:
            self._seen(len(content))
        if self._hash is not None:
            self._hash.update(content)
            if not content:
                self._file.digest, self._hash = self._hash.hexdigest(), None
        return content

    def read(self, size: int) -> bytes:
        with self._file.errors():
            content: bytes = self._unpacked.read(size) if self._unpacked else self.raw(size)
            while self._unpacked and len(content) < size:
                more = self._unpacked.read(size - len(content))
                if not more:
                    break
                content += more
            return content

    def close(self) -> None:
        self.closed = True
        if self._disk:
            self._disk.close()

    def __enter__(self) -> Tap:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()


class _Raw:
    """The packed bytes under a tap, as pyarrow wants to see them."""

    closed = False

    def __init__(self, tap: Tap) -> None:
        self._tap = tap

    def read(self, size: int) -> bytes:
        return self._tap.raw(size)

    def close(self) -> None:
        """The tap closes the file."""


def digest(files: list[File]) -> str:
    """SHA-256 of the files' bytes: of the one file, else of the hashes in order."""
    for file in files:
        if file.digest is None:
            with file.open() as tap:
                while tap.raw(BLOCK):
                    pass
    sums = [str(file.digest) for file in files]
    return sums[0] if len(sums) == 1 else hashlib.sha256("".join(sums).encode()).hexdigest()


def count(data: bytes, mark: bytes, end: int) -> int:
    """How often a byte stands before `end`; many times faster than `bytes.count`."""
    if data.find(mark, 0, end) < 0:  # faster still, and usual for quotes
        return 0
    return int(np.count_nonzero(np.frombuffer(data, np.uint8, end) == mark[0])) if end else 0


def blocks(
    tap: Tap, cut: Callable[[bytes], int], where: str, size: int = BLOCK, line: int = 1
) -> Iterator[tuple[bytes, int]]:
    """Whole records, about `size` bytes of them at a time, with the number of their first line.

    `cut(data)` is where the last whole record of the data ends; `line` numbers the first.
    """
    rest = b""
    while content := tap.read(size):
        data = rest + content if rest else content
        end = cut(data)
        if end:
            yield data[:end], line
            line += count(data, b"\n", end)
            rest = data[end:]
        else:
            rest = data
        if len(rest) > LIMIT:
            raise DataError(
                f"longer than {LIMIT >> 20} MB. Is this text, and is every quote closed?",
                file=where,
                line=line,
            )
    if rest:
        yield rest, line


def stretches(file: File, cut: Callable[[bytes], int], parts: int, head: int = 0) -> list[File]:
    """A file of text in about equal parts of whole records, the first longer than its head.

    It is read once for that: a line break ends a record only outside of quotes, and errors are to
    tell the number of the line. What is packed can be read from its start only and stays whole.
    """
    if file.packing or file.spool or parts < 2 or not file.size:
        return [file]
    wanted = [file.size * k // parts for k in range(1, parts)]
    edges, at = [(0, 1)], 0
    with file.open() as tap:
        for data, line in blocks(tap, cut, file.name):
            while wanted and wanted[0] <= at + len(data):
                end = cut(data[: wanted.pop(0) - at])
                if at + end > max(edges[-1][0], head):
                    edges.append((at + end, line + count(data, b"\n", end)))
            at += len(data)
    return file.cut(edges, file.size)


def find(data: str | Path | list[Any]) -> list[File]:
    """The files that a path, a folder, a pattern, a list of these, or "-" stands for."""
    return [_file(path) for path in named(data)]


def _file(path: Path | None) -> File:
    if path is None:
        return File(None, Spool(sys.stdin.buffer))
    if path.is_file():
        return File(path)
    return File(None, Spool(open(path, "rb")))  # a pipe under a name


def named(data: str | Path | list[Any]) -> list[Path | None]:
    """List the paths that `find` opens, without reading; None stands for standard input."""
    if isinstance(data, list):
        found = [path for part in data for path in named(part)]
        if not found:
            raise DataError("the list of files is empty.")
        return found
    if str(data) == "-":
        return [None]
    path = Path(data)
    if path.is_dir():
        files = (p for p in sorted(path.rglob("*")) if p.is_file())
        inside: list[Path | None] = [p for p in files if not p.name.startswith((".", "_"))]
        if not inside:
            raise DataError("the folder holds no files.", file=str(data))
        return inside
    if path.exists():
        return [path]
    if glob.has_magic(str(data)):
        candidates = (Path(p) for p in sorted(glob.glob(str(data), recursive=True)))
        matches: list[Path | None] = [p for p in candidates if p.is_file()]
        if not matches:
            raise DataError("no file matches this pattern.", file=str(data))
        return matches
    raise DataError("there is no such file or folder.", file=str(data))
