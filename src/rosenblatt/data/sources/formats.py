"""The formats of files, and the source of batches that reads each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rosenblatt.data.sources.batch import Source
from rosenblatt.data.sources.columnar import Columnar
from rosenblatt.data.sources.delimited import Delimited
from rosenblatt.data.sources.files import File, list_paths, open_files
from rosenblatt.data.sources.idx import Images, labels_file
from rosenblatt.data.sources.svmlight import SvmLight, looks_like

SUFFIXES = {
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
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))


def open_source(
    path: str | Path | list[Any],
    *,
    format: str | None = None,
    header: bool | None = None,
    strings: Sequence[str] = (),
    zero_based: bool | None = None,
) -> Source:
    """Open a file, folder, pattern, list of these, or "-" as a source.

    Parameters
    ----------
    path : path, "-" (standard input) or list
    format : one of FORMATS, or None: detected by the suffix, else by the content
    header : whether the first line of delimited text names the columns, or None: detected
    strings : columns of delimited text that are read as text even if they look like numbers
    zero_based : whether svmlight indices count from 0, or None: they do if the first block has a 0
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"format '{format}' is unknown; choose one of {', '.join(FORMATS)}.")
    files = open_files(path)
    kind = format or _detect_format(files[0])
    if kind == "idx":
        return Images(files)
    if kind == "svmlight":
        return SvmLight(files, zero_based)
    if kind in ("parquet", "arrow"):
        return Columnar(files, kind)
    return Delimited(files, "\t" if kind == "tsv" else None, header, strings)


def input_files(path: str | Path | list[Any]) -> list[Path | int]:
    """List every file that `open_source` would read; 0 is standard input."""
    found: list[Path | int] = []
    for file in list_paths(path):
        found.append(0 if file is None else file)
        labels = labels_file(file) if file is not None and "idx" in file.name else None
        if labels is not None:
            found.append(labels)
    return found


def _detect_format(file: File) -> str:
    """Return the format of a file by its suffix, else by its first bytes."""
    suffix = Path(file.stem).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    with file.open() as reader:
        start = reader.read(1 << 16)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if start[:2] == b"\0\0" and "idx" in file.name:
        return "idx"
    lines = [line for line in start.split(b"\n") if line.split(b"#")[0].strip()]
    return "svmlight" if lines and looks_like(lines[0]) else "csv"
