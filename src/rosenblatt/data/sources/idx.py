"""IDX, the format of MNIST: two zero bytes, a type, the number of axes, their lengths, cells."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError
from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.files import BLOCK, ENDINGS, LIMIT, File, Tap

Array = npt.NDArray[Any]

TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def header(tap: Tap, where: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """The type of the cells and the lengths of the axes."""
    start = tap.read(4)
    if len(start) < 4 or start[:2] != b"\0\0" or start[2] not in TYPES or not start[3]:
        raise DataError("not an IDX file (two zero bytes, a type, the number of axes).", file=where)
    lengths = tap.read(4 * start[3])
    if len(lengths) < 4 * start[3]:
        raise DataError("the IDX header ends too early.", file=where)
    shape = tuple(int(n) for n in np.frombuffer(lengths, ">u4"))
    if math.prod(shape[1:]) * 8 > LIMIT or math.prod(shape[1:]) < 1:
        raise DataError(f"images of {'x'.join(map(str, shape[1:]))} cells are refused.", file=where)
    return np.dtype(TYPES[start[2]]), shape


def cells(tap: Tap, kind: np.dtype[Any], shape: tuple[int, ...], rows: int, where: str) -> Array:
    """The next rows, one line per row, in the machine's byte order."""
    width = math.prod(shape[1:])
    content = tap.read(rows * width * kind.itemsize)
    while len(content) < rows * width * kind.itemsize:
        more = tap.read(rows * width * kind.itemsize - len(content))
        if not more:
            raise DataError(f"ends too early: the header speaks of {shape[0]:,} rows.", file=where)
        content += more
    table = np.frombuffer(content, kind).reshape(rows, width)
    return table.astype(kind.newbyteorder("="), copy=False)


def labels_beside(path: Path) -> Path | None:
    """The labels of a file of images: train-images-idx3-ubyte -> train-labels-idx1-ubyte."""
    name = re.sub(r"idx\d", "idx1", path.name.replace("images", "labels"))
    plain = re.sub(r"(\.gz|\.zst)$", "", name)
    options = [path.with_name(plain + ending) for ending in ("", *ENDINGS)]
    return next((p for p in options if p.name != path.name and p.is_file()), None)


class Images(Source):
    """Images from IDX files; pixels of one byte are divided by 255, so they lie in [0, 1]."""

    kind = "images"

    def __init__(self, files: list[File]) -> None:
        # A folder or pattern may hold the labels too: they belong to their images.
        super().__init__([file for file in files if "labels" not in file.name] or files)
        self.names, self.types, self.rows = [], {}, 0
        self.labels: list[File | None] = []
        for file in self.files:
            beside = labels_beside(file.path) if file.path else None
            self.labels.append(File(beside) if beside else None)
            with file.open() as tap:
                _, shape = header(tap, file.name)
            names = [f"pixel{i}" for i in range(math.prod(shape[1:]))]
            if self.names and names != self.names:
                raise DataError(
                    f"images of {len(names)} pixels, but the first file has {len(self.names)}.",
                    file=file.name,
                )
            self.names, self.rows = names, self.rows + shape[0]

    @property
    def paths(self) -> list[Path]:
        beside = [file.path for file in self.labels if file is not None and file.path is not None]
        return [*super().paths, *beside]

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        for file, beside in zip(self.files, self.labels, strict=True):
            with file.open(self.seen) as tap:
                kind, shape = header(tap, file.name)
                step = max(1, BLOCK // (math.prod(shape[1:]) * kind.itemsize))
                other = beside.open() if beside else None
                if beside and other:
                    of, many = header(other, beside.name)
                    if many != shape[:1]:
                        raise DataError(
                            f"{many[0]:,} labels for the {shape[0]:,} images of {file.name}.",
                            file=beside.name,
                        )
                for first in range(0, shape[0], step):
                    rows = min(step, shape[0] - first)
                    X = cells(tap, kind, shape, rows, file.name)
                    y = (
                        cells(other, of, many, rows, beside.name)[:, 0]
                        if beside and other
                        else None
                    )
                    yield X, y, file.name
                if other:
                    other.close()

    def decode(self, piece: Any, columns: Sequence[str] | None = None) -> Batch:
        X, y, where = piece
        scaled = X.astype(np.float32)
        if X.dtype == np.uint8:
            scaled /= np.float32(255)
        elif not np.isfinite(scaled).all():
            raise DataError("a pixel is not a finite number.", file=where)
        return Batch(None, scaled, y, 0, where)
