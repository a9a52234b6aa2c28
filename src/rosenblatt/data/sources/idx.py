"""IDX, the format of MNIST: two zero bytes, a type, the number of axes, their lengths, cells."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError
from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.files import (
    BLOCK_SIZE,
    COMPRESSED_SUFFIXES,
    LONGEST_LINE,
    ByteReader,
    File,
)

Array = npt.NDArray[Any]

TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


class Cells:
    """The cells of an IDX file, read row by row."""

    def __init__(self, reader: ByteReader, file: str) -> None:
        self._reader, self._file = reader, file
        start = reader.read(4)
        if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in TYPES or not start[3]:
            reason = "not an IDX file (two zero bytes, a type, the number of axes)."
            raise DataError(reason, file=file)
        lengths = reader.read(4 * start[3])
        if len(lengths) < 4 * start[3]:
            raise DataError("the IDX header ends too early.", file=file)
        self.rows, *axes = (int(n) for n in np.frombuffer(lengths, ">u4"))
        self.width = math.prod(axes)
        if not 1 <= self.width * 8 <= LONGEST_LINE:
            shape = "x".join(map(str, axes))
            raise DataError(f"images of {shape} cells are rejected: too large or empty.", file=file)
        self._type = np.dtype(TYPES[start[2]])
        self.row_size = self.width * self._type.itemsize

    def read(self, rows: int) -> Array:
        """Return the next rows, in the machine's byte order."""
        size = rows * self.row_size
        content = self._reader.read(size)
        while len(content) < size:
            more = self._reader.read(size - len(content))
            if not more:
                reason = f"ends too early: the header announces {self.rows:,} rows."
                raise DataError(reason, file=self._file)
            content += more
        table = np.frombuffer(content, self._type).reshape(rows, self.width)
        return table.astype(self._type.newbyteorder("="), copy=False)


def labels_file(path: Path) -> Path | None:
    """Return x-labels-idx1-ubyte beside x-images-idx3-ubyte, None if absent."""
    name = re.sub(r"idx\d", "idx1", path.name.replace("images", "labels"))
    plain = re.sub(r"(\.gz|\.zst)$", "", name)
    options = [path.with_name(plain + suffix) for suffix in ("", *COMPRESSED_SUFFIXES)]
    return next((p for p in options if p.name != path.name and p.is_file()), None)


class Images(Source):
    """Images from IDX files; pixels of one byte are divided by 255, so they are in [0, 1]."""

    kind = "images"

    def __init__(self, files: list[File]) -> None:
        # A folder or pattern may include the labels: they belong to their images.
        super().__init__([file for file in files if "labels" not in file.name] or files)
        self.names, self.types, self.rows = [], {}, 0
        self.labels: list[File | None] = []
        for file in self.files:
            labels = labels_file(file.path) if file.path else None
            self.labels.append(File(labels) if labels else None)
            with file.open() as reader:
                cells = Cells(reader, file.name)
            names = [f"pixel{i}" for i in range(cells.width)]
            if self.names and names != self.names:
                raise DataError(
                    f"images of {len(names)} pixels, but the first file has {len(self.names)}.",
                    file=file.name,
                )
            self.names, self.rows = names, self.rows + cells.rows

    @property
    def paths(self) -> list[Path]:
        labels = [file.path for file in self.labels if file is not None and file.path is not None]
        return [*super().paths, *labels]

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        for file, labels in zip(self.files, self.labels, strict=True):
            with contextlib.ExitStack() as stack:
                images = Cells(stack.enter_context(file.open(self.count_bytes)), file.name)
                classes = None
                if labels is not None:
                    classes = Cells(stack.enter_context(labels.open()), labels.name)
                    if classes.rows != images.rows or classes.width != 1:
                        raise DataError(
                            f"{classes.rows:,} labels for the {images.rows:,} images of "
                            f"{file.name}.",
                            file=labels.name,
                        )
                step = max(1, BLOCK_SIZE // images.row_size)
                for first in range(0, images.rows, step):
                    rows = min(step, images.rows - first)
                    X = images.read(rows)
                    yield X, None if classes is None else classes.read(rows)[:, 0], file.name

    def decode(self, piece: Any, columns: Sequence[str] | None = None) -> Batch:
        X, y, file = piece
        scaled = X.astype(np.float32)
        if X.dtype == np.uint8:
            scaled /= np.float32(255)
        elif not np.isfinite(scaled).all():
            raise DataError("a pixel is not a finite number.", file=file)
        return Batch(None, scaled, y, 0, file)
