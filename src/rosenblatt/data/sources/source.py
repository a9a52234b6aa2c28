"""From what a person points at to a source of batches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rosenblatt.data.sources.batch import Batch, Source
from rosenblatt.data.sources.columnar import Columnar
from rosenblatt.data.sources.delimited import Delimited
from rosenblatt.data.sources.files import File, find, named
from rosenblatt.data.sources.idx import Images, labels_beside
from rosenblatt.data.sources.svmlight import SvmLight, looks_like

__all__ = ["FORMATS", "Batch", "Source", "open_source"]

ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".idx": "idx",
}
FORMATS = tuple(dict.fromkeys(ENDINGS.values()))


def open_source(
    DATA: str | Path | list[Any],
    *,
    format: str | None = None,
    header: bool | None = None,
    strings: Sequence[str] = (),
    zero_based: bool | None = None,
) -> Source:
    """The rows of a file, of a folder, of a pattern, of a list of them, or of "-".

    Parameters
    ----------
    DATA : path, "-" (standard input) or list
    format : one of FORMATS, or None: told by the ending, else by the content
    header : whether the first line of delimited text names the columns, or None: by its look
    strings : columns of delimited text that hold words even if they look like numbers
    zero_based : whether svmlight indices count from 0, or None: they do if the first block has a 0
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"format '{format}' is unknown; there are {', '.join(FORMATS)}.")
    files = find(DATA)
    kind = format or _kind(files[0])
    if kind == "idx":
        return Images(files)
    if kind == "svmlight":
        return SvmLight(files, zero_based)
    if kind in ("parquet", "arrow"):
        return Columnar(files, kind)
    return Delimited(files, "\t" if kind == "tsv" else None, header, strings)


def inputs(DATA: str | Path | list[Any]) -> list[Path | int]:
    """List every file that `open_source` would read; 0, a descriptor, is standard input."""
    found: list[Path | int] = []
    for path in named(DATA):
        found.append(0 if path is None else path)
        beside = labels_beside(path) if path is not None and "idx" in path.name else None
        if beside is not None:
            found.append(beside)
    return found


def _kind(file: File) -> str:
    """The format by a file's ending, else by its first bytes."""
    ending = Path(file.stem).suffix.lower()
    if ending in ENDINGS:
        return ENDINGS[ending]
    with file.open() as tap:
        start = tap.read(1 << 16)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if start[:2] == b"\0\0" and "idx" in file.name:
        return "idx"
    lines = [line for line in start.split(b"\n") if line.split(b"#")[0].strip()]
    return "svmlight" if lines and looks_like(lines[0]) else "csv"
