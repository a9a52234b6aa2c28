"""Tables and files for the readers to read."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from benchmarks import data as shared

from rosenblatt.data import open_source

try:
    SHARED = shared.folder()
except FileNotFoundError as error:
    SHARED = None
    REASON = str(error)
else:
    REASON = ""
needs_shared = pytest.mark.skipif(SHARED is None, reason=REASON)


def table(rows: int = 500, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    number = rng.normal(size=rows).round(3)
    return pa.table(
        {
            "number": pa.array([None if i % 50 == 7 else x for i, x in enumerate(number.tolist())]),
            "whole": rng.integers(-1000, 1000, rows),
            "word": [
                ["red", "green", 'a "quoted", word', "zwölf"][i] for i in rng.integers(0, 4, rows)
            ],
            "flag": rng.random(rows) < 0.5,
        }
    )


def pack(path: Path, packing: str) -> Path:
    content = path.read_bytes()
    out = path.with_name(path.name + packing)
    if packing == ".gz":
        out.write_bytes(gzip.compress(content))
    elif packing == ".zst":
        with pa.CompressedOutputStream(str(out), "zstd") as file:
            file.write(content)
    return out


def whole(source) -> pa.Table:
    return pa.Table.from_batches([batch.table for batch in source.batches()])


def write(folder: Path, form: str, content: pa.Table | None = None) -> Path:
    content = table() if content is None else content
    path = folder / f"some.{form}"
    if form in ("csv", "tsv"):
        options = pa.csv.WriteOptions(delimiter="," if form == "csv" else "\t")
        pa.csv.write_csv(content, path, options)
    elif form == "parquet":
        pa.parquet.write_table(content, path, row_group_size=100)
    elif form == "feather":
        pa.feather.write_feather(content, str(path), chunksize=64)
    elif form == "arrow":
        with pa.ipc.new_stream(str(path), content.schema) as file:
            file.write_table(content, max_chunksize=77)
    return path


def csv(tmp_path: Path, content: str | bytes, name: str = "some.csv", **options):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return open_source(path, **options)


def numbers(count: int, **other: str) -> str:
    lines = [f"{i},{i / 7:.3f},{i % 5}" for i in range(count)]
    for place, line in other.items():
        lines[int(place[4:]) - 2] = line
    return "a,hours-per-week,c\n" + "\n".join(lines) + "\n"
