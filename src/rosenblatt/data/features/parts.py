"""Parts of a source for several machines, and a part as a matrix where it is read."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError
from rosenblatt.data.features.recipe import Recipe
from rosenblatt.data.sources.batch import Source
from rosenblatt.data.sources.files import File
from rosenblatt.data.sources.parallel import parallel_map
from rosenblatt.data.sources.sparse import csr, stack_rows

Array = npt.NDArray[Any]


def split_source(source: Source, count: int) -> list[Source]:
    """Return about `count` sources that together have the rows of one, in order.

    Of many files each part gets some; of few, the large ones are split. Compressed files and Arrow
    cannot be split.
    """
    if source.kind == "images" or any(file.spool for file in source.files):
        raise DataError("only tables and svmlight in files can be read in parts.", file=source.name)
    sizes = [file.size or 0 for file in source.files]
    shares = [1] * len(sizes)
    while sum(shares) < count:  # one more for the file with the longest parts
        place = max(range(len(sizes)), key=lambda k: sizes[k] / shares[k])
        shares[place] += 1
    pairs = zip(source.files, shares, strict=True)
    files = [part for file, share in pairs for part in source.split_file(file, share)]
    if len(files) <= count:
        return [_with_files(source, [file]) for file in files]
    total, numbers, start = max(1, sum(sizes)), [], 0.0
    for size in sizes:  # a file belongs to the part that its middle is in
        numbers.append(min(count - 1, int(count * (start + size / 2) / total)))
        start += size
    groups = groupby(zip(numbers, files, strict=True), key=lambda pair: pair[0])
    return [_with_files(source, [file for _, file in group]) for _, group in groups]


def _with_files(source: Source, files: list[File]) -> Source:
    part = copy(source)
    # Another process may have another working directory.
    part.files = [replace(file, path=file.path and file.path.absolute()) for file in files]
    part.rows, part.bytes_read = None, 0
    part.types = dict(source.types)
    return part


def read_matrix(source: Source, recipe: Recipe, dtype: Any = np.float32) -> tuple[Any, Array]:
    """Return all rows of a source by a recipe, as a matrix and codes of classes.

    An error in a row names its file, and the number of the line or row there.
    """
    columns = recipe.bind(source, target=True)
    parts: list[tuple[Any, Array]] = []
    for file in source.files:
        parts.extend(_read_file(_with_files(source, [file]), recipe, columns, dtype))
    rows = sum(len(codes) for _, codes in parts)
    y = np.concatenate([codes for _, codes in parts]) if parts else np.zeros(0, np.int64)
    if recipe.sparse:
        matrices = [X for X, _ in parts] or [csr((0, recipe.width), dtype=dtype)]
        return stack_rows(matrices), y
    X = np.empty((rows, recipe.width), dtype)
    parts.reverse()
    first_row = 0
    while parts:  # each is freed as soon as it is copied
        part, codes = parts.pop()
        X[first_row : first_row + len(codes)] = part
        first_row += len(codes)
    return X, y


def _read_file(
    source: Source, recipe: Recipe, columns: list[str] | None, dtype: Any
) -> list[tuple[Any, Array]]:
    """Return the rows of the one file of a source, piece by piece."""

    def encode(piece: Any) -> tuple[Any, Array] | None:
        batch = source.decode(piece, columns)
        if not len(batch):
            return None
        try:
            return recipe.transform(batch, dtype), recipe.codes(batch)
        except DataError as error:
            line = None if error.row is None else source.line_number(piece, error.row - 1)
            if line is None:
                raise
            raise DataError(error.reason, file=error.file, line=line, column=error.column) from None

    section, parts = source.files[0].section, []
    first_row = section.start if section is not None else 0  # of text, lines are used instead
    try:
        for part in parallel_map(source.pieces(columns), encode):
            if part is not None:
                parts.append(part)
                first_row += len(part[1])
    except DataError as error:
        if error.row is None:
            raise
        raise DataError(
            error.reason, file=error.file, row=first_row + error.row, column=error.column
        ) from None
    return parts
