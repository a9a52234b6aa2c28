"""The sparse text format of SVMlight and LIBSVM: `label index:value index:value # comment`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError, excerpt
from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.files import BLOCK_SIZE, File, split_text, text_blocks
from rosenblatt.data.sources.svmlight_arrays import COMMENTS, QUERY_IDS, parse_as_arrays
from rosenblatt.data.sources.svmlight_loops import LARGEST_INDEX, LoopCompiler, parse_with_loops

Array = npt.NDArray[Any]

_LINE = re.compile(rb"[^\s:#,]+[ \t]*( qid:\d+)?([ \t]+\d+:[^\s:,]+)*[ \t\r]*(#.*)?$")
_VALUE = re.compile(rb":\+?([^\s:]+)")
_LABEL = re.compile(rb"^[ \t\r]*\+?([^\s:]+)", re.MULTILINE)
_INDEX = re.compile(rb"\+?\d+")


class SvmLight(Source):
    """Sparse examples and their labels."""

    kind = "svmlight"
    compile_loop: LoopCompiler | None = None
    """Compiles the loops of the parser; without it the slower parser of arrays is used."""

    def __init__(self, files: list[File], zero_based: bool | None) -> None:
        super().__init__(files)
        self.names, self.types = [], {}
        self.zero_based = bool(zero_based)
        name = files[0].name
        with files[0].open() as reader:
            first = next(text_blocks(reader, _record_end, name, BLOCK_SIZE // 2), None)
        if first is None or not first[0].strip():
            raise DataError("the file is empty.", file=name)
        if b"\0" in first[0]:
            raise DataError("contains zero bytes: this is not text.", file=name)
        if zero_based is None:
            self.zero_based = b" 0:" in first[0] or b"\t0:" in first[0]

    def pieces(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        for file in self.files:
            with file.open_section(self.count_bytes) as reader:
                blocks = text_blocks(
                    reader, _record_end, file.name, BLOCK_SIZE // 2, file.first_line
                )
                for data, line in blocks:
                    yield data, line, file.name

    def split_file(self, file: File, parts: int) -> list[File]:
        return split_text(file, _record_end, parts)

    def line_number(self, piece: Any, row: int) -> int | None:
        data, line, _ = piece
        full = (n for n, text in enumerate(data.split(b"\n"), line) if text.split(b"#")[0].strip())
        return next(islice(full, row, None), None)

    def decode(self, piece: Any, columns: Sequence[str] | None = None) -> Batch:
        data, line, file = piece
        X, y = parse(
            data,
            file=file,
            line=line,
            zero_based=self.zero_based,
            compile_loop=self.compile_loop,
        )
        return Batch(None, X, y, 0, file)


def _record_end(data: bytes) -> int:
    return data.rfind(b"\n") + 1


def looks_like(line: bytes) -> bool:
    """Return whether a line of text is of this format (a label alone is not proof)."""
    return b":" in line and _LINE.match(line) is not None


def parse(
    block: bytes,
    *,
    file: str | None = None,
    line: int = 1,
    zero_based: bool = False,
    compile_loop: LoopCompiler | None = None,
) -> tuple[Any, Array]:
    """Return examples and labels of complete lines; `line` is the number of the first.

    Indices count from one in files; pass `zero_based=True` file they count from zero. With
    `compile_loop`, which compiles a loop, plain files are parsed several times faster.

    Example
    -------
    >>> X, y = parse(b"+1 1:0.5 3:2\\n-1 2:1e-3 # a comment\\n")
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 0.001, 0.0]], [1.0, -1.0])
    """
    text = block if block.endswith(b"\n") else block + b"\n"
    first = 0 if zero_based else 1
    parsed = None if compile_loop is None else parse_with_loops(text, first, compile_loop)
    if parsed is None:
        parsed = parse_as_arrays(text, first)
    if parsed is None:
        raise _first_error(block, file, line, first)
    return parsed


def values_and_labels(block: bytes) -> tuple[list[str], list[str]]:
    """Return values and labels of complete lines as written, without a plus.

    The lines must be of the format: `parse` has accepted them.

    Example
    -------
    >>> values_and_labels(b"+1 1:0.5 3:+2 # 7:8\\n\\n-1 qid:3 2:1e-3\\n")
    (['0.5', '2', '1e-3'], ['1', '-1'])
    """
    text = QUERY_IDS.sub(b"", COMMENTS.sub(b"", block))
    values, labels = _VALUE.findall(text), _LABEL.findall(text)
    return [value.decode() for value in values], [label.decode() for label in labels]


def _first_error(block: bytes, file: str | None, line: int, first: int) -> DataError:
    """Describe the first line of a block that is not of the format."""
    for number, text in enumerate(block.split(b"\n"), line):
        reason = _error_in(text.split(b"#")[0], first)
        if reason:
            return DataError(reason, file=file, line=number)
    return DataError("not of the form: label index:value ...", file=file, line=line)


def _error_in(text: bytes, first: int) -> str | None:
    """Describe what is wrong with a line, None if nothing is."""
    tokens = text.split()
    if not tokens:
        return None
    if not _is_number(tokens[0]):
        return f'the label "{excerpt(tokens[0])}" is not a number.'
    last = -1
    for position, token in enumerate(tokens[1:]):
        name, colon, value = token.partition(b":")
        if position == 0 and name == b"qid" and value.isdigit():
            continue
        if not colon or not _INDEX.fullmatch(name):
            return f'"{excerpt(token)}" is not of the form index:value.'
        if not _is_number(value):
            return f'the value of "{excerpt(token)}" is not a number.'
        if int(name[:20]) < first:
            return "index 0, but indices were counted from 1: is the file zero-based?"
        if int(name[:20]) > LARGEST_INDEX:
            return f"index {excerpt(name)} is larger than {LARGEST_INDEX:,}."
        if int(name) <= last:
            return f"index {int(name)} comes after {last}: indices must rise within a line."
        last = int(name)
    return None


def _is_number(token: bytes) -> bool:
    if b"_" in token:
        return False
    try:
        return bool(np.isfinite(float(token)))
    except ValueError:
        return False
