"""From files to features: parsing against scikit-learn, a learning pass against plain reading."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.parquet
from sklearn.datasets import load_svmlight_file

import rosenblatt as rb
from benchmarks import data, tables
from benchmarks.clock import best
from benchmarks.passes import COLUMNS, row
from rosenblatt.data import Stream, open_source
from rosenblatt.data.sources import svmlight
from rosenblatt.engine.execution import fast as compile_loop
from rosenblatt.estimators.sources import FromStream

FEATURES = 20
RESIDENT = 600
"""Megabytes that a pass may hold, whatever the file's size."""
NOTE = (
    "Sparse text is parsed in blocks by one thread, as scikit-learn does; our sources use all "
    "cores. The svmlight file is read twice by them, with compiled loops and without a compiler. "
    "A learning pass reads the file, encodes its columns and runs one pass of a perceptron "
    "over them, with statistics from a sample; pyarrow only reads the same columns, batch by batch "
    "with all cores. Files are made for the benchmark, of {size:.2g} GB ({features} numbers and a "
    "class)."
)


def rcv1_like(rows: int) -> bytes:
    """Sparse text such as of news: 47,236 features, 75 to an example."""
    rng = np.random.default_rng(0)
    lines = []
    for i in range(rows):
        indices = np.unique(rng.integers(1, 47_237, 75))
        values = rng.random(len(indices)).round(6)
        pairs = " ".join(f"{j}:{v}" for j, v in zip(indices.tolist(), values.tolist(), strict=True))
        lines.append(f"{'+1' if i % 2 else '-1'} {pairs}")
    return ("\n".join(lines) + "\n").encode()


def parsed(content: bytes) -> int:
    """Parse whole content in blocks, as a source would, on this thread."""
    rows, at = 0, 0
    while at < len(content):
        end = content.rfind(b"\n", at, at + (1 << 20)) + 1 or len(content)
        rows += svmlight.parse(content[at:end], compile_loop=compile_loop)[0].shape[0]
        at = end
    return rows


def sparse_text(rounds: int) -> list[dict[str, Any]]:
    texts = {"rcv1-like": rcv1_like(5_000)}
    try:
        packed = (data.folder() / "sparse" / "a9a.gz").read_bytes()
        texts["a9a"] = gzip.decompress(packed)
    except FileNotFoundError as error:
        print(f"without a9a: {error}")
    rows = []
    for name, text in texts.items():
        times = best(
            {
                "ours": lambda text=text: parsed(text),
                "theirs": lambda text=text: load_svmlight_file(io.BytesIO(text)),
            },
            rounds,
        )
        what = f"svmlight text, {name}, {len(text) / 1e6:.1f} MB"
        peer = "scikit-learn's load_svmlight_file"
        rows.append(row(what, times["ours"], peer, times["theirs"], 5, True))
    return rows


def sparse_file(rounds: int) -> list[dict[str, Any]]:
    """Read a large svmlight file from start to end, by compiled loops and by arrays.

    The loops are worth their code as long as this row holds.
    """

    def read(path: Path, compiler: Any) -> int:
        source: Any = open_source(path)
        source.compile_loop = compiler
        return sum(len(batch) for batch in source.batches())

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.svm"
        path.write_bytes(rcv1_like(5_000) * 16)
        times = best(
            {"loops": lambda: read(path, compile_loop), "arrays": lambda: read(path, None)}, rounds
        )
        what = f"svmlight file, rcv1-like, {path.stat().st_size / 1e6:.0f} MB, compiled loops"
    return [row(what, times["loops"], "parser of arrays", times["arrays"], 1.5, True)]


def batches(size: float) -> Iterator[pa.RecordBatch]:
    """Rows until they are about `size` gigabytes of text."""
    rng = np.random.default_rng(0)
    names = [*(f"x{i}" for i in range(FEATURES)), "label"]
    direction = rng.normal(size=FEATURES)
    for _ in range(max(1, round(size * 1e9 / (50_000 * 9.0 * FEATURES)))):
        X = rng.normal(size=(50_000, FEATURES)).round(5)
        label = np.where(X @ direction > 0, "yes", "no")
        yield pa.RecordBatch.from_arrays([*map(pa.array, X.T), pa.array(label)], names=names)


def make(folder: Path, size: float) -> list[Path]:
    csv, parquet = folder / "made.csv", folder / "made.parquet"
    parts = batches(size)
    first = next(parts)
    with (
        pa.csv.CSVWriter(csv, first.schema) as text,
        pa.parquet.ParquetWriter(parquet, first.schema) as columns,
    ):
        for batch in chain([first], parts):
            text.write(batch)
            columns.write(batch)
    return [csv, parquet]


def read_only(path: Path) -> int:
    """All rows by pyarrow's dataset, batch by batch."""
    found = pa.dataset.dataset(path, format=path.suffix[1:])
    return sum(batch.num_rows for batch in found.to_batches())


def learn(path: Path) -> int:
    """One pass of a perceptron over a file, from the open source on."""
    stream = Stream(open_source(path), target="label", budget=0)
    model = rb.Perceptron().fit_source(FromStream(stream, seed=None))
    return int(model.outcome_.examples)


def resident(path: Path) -> dict[str, Any]:
    """A learning pass in a process of its own: rows, seconds, megabytes."""
    command = [sys.executable, "-m", "benchmarks.files", "--learn", str(path)]
    found: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, capture_output=True).stdout
    )
    return found


def passes(size: float, rounds: int) -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for path in make(Path(folder), size):
            times = best(
                {"ours": lambda p=path: learn(p), "theirs": lambda p=path: read_only(p)}, rounds
            )
            what = f"one learning pass, {path.suffix[1:]}, {path.stat().st_size / 1e9:.2f} GB"
            rows.append(row(what, times["ours"], "pyarrow reading", times["theirs"], 0.6, True))
            held = resident(path)["resident"]
            rows.append(
                {
                    "what": what,
                    "ours": f"{held:.0f} MB resident",
                    "against": "",
                    "ratio": "",
                    "bar": f"<= {RESIDENT} MB",
                    "holds": "yes" if held <= RESIDENT else "NO",
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--gigabytes", type=float, default=0.5, help="of the files made (full: 4, none: 0)"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dry", action="store_true", help="print, and record nothing")
    parser.add_argument("--learn", type=Path, help="learn from this file once and print the cost")
    options = parser.parse_args()
    if options.learn:
        import resource

        started = time.perf_counter()
        count = learn(options.learn)
        taken = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"rows": count, "seconds": taken, "resident": peak}))
        return
    rows = [*sparse_text(options.rounds), *sparse_file(options.rounds)]
    if options.gigabytes:
        rows += passes(options.gigabytes, options.rounds)
    note = NOTE.format(size=options.gigabytes, features=FEATURES)
    if options.dry:
        print(tables.markdown(COLUMNS, rows))
    else:
        tables.record("files", "From files to features", note, COLUMNS, rows)


if __name__ == "__main__":
    main()
