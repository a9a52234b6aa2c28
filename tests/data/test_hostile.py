"""Hostile files, cut short, damaged or without end, give one sentence and cost little."""

from __future__ import annotations

import contextlib
import gzip
import io
import subprocess
import sys
import textwrap
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.data import DataError, Recipe, open_source
from rosenblatt.data.sources.svmlight import parse
from tests.data.tables import numbers, pack, table, write


@pytest.mark.parametrize("packing", [".gz", ".zst"])
@pytest.mark.parametrize("form", ["csv", "svm", "arrow"])
def test_truncated_and_damaged_packings(tmp_path, form, packing):
    path = tmp_path / f"some.{form}"
    if form == "arrow":
        write(tmp_path, form, table(20_000))
    else:
        lines = numbers(20_000) if form == "csv" else "".join(f"1 1:{i}.5\n" for i in range(20_000))
        path.write_text(lines)
    packed = pack(path, packing)
    content = packed.read_bytes()
    bad = [content[: len(content) // 2], content[:20], content[:9] + b"rubbish" + content[16:]]
    if packing == ".gz":  # with a checksum, a single changed byte is found
        bad.append(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    for some in bad:
        packed.write_bytes(some)
        with pytest.raises(DataError, match=f"some.{form}{packing}"):
            list(open_source(packed).batches())


BOMBS = {
    "line.csv": "file.write(b'a' * (1 << 20))",
    "line.svm": "file.write(b'1 1:' + b'9' * (1 << 20))",
    "quote.csv": "file.write(b'a,b\\n1,\"' if not i else b'x\\n' * (1 << 19))",
    "line.csv.gz": "file.write(b'a' * (1 << 20))",
    "zeros.csv.zst": "file.write(bytes(1 << 20))",
    "sparse.csv": "file.truncate(10 << 30)",
    "columns.csv": "file.write(b',' * (1 << 20))",
    "blank.csv.gz": "file.write(b'\\n' * (1 << 20))",
    "cells.csv.zst": "file.write(b'a,b\\n' if not i else b'1,2\\n3,4\\n' * (1 << 17))",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_need_neither_memory_nor_time(tmp_path, name):
    """Hundreds of megabytes (ten thousand of zeros) read in a bounded part of that memory."""
    path = tmp_path / name
    opened = {
        ".gz": "gzip.open(path, 'wb', compresslevel=1)",
        ".zst": "pa.CompressedOutputStream(path, 'zstd')",
    }.get(path.suffix, "open(path, 'wb')")
    code = f"""
        import gzip, resource, sys, time
        import pyarrow as pa
        from rosenblatt.data import DataError, open_source
        open_source  # loads what it needs before memory is measured
        path = {str(path)!r}
        with {opened} as file:
            for i in range({200 if path.suffix in (".csv", ".svm") else 400}):
                {BOMBS[name]}
        base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        try:
            rows = sum(len(batch) for batch in open_source(path).batches())
            print("rows", rows)
        except DataError as error:
            print("rejected:", error)
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) // 1024)
    """
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout.splitlines()  # fmt: skip
    outcome, memory = out[0], int(out[1])
    assert memory < 300, out
    if name == "cells.csv.zst":
        assert outcome == f"rows {399 * 2 * (1 << 17)}"
    else:
        assert outcome.startswith("rejected: " + name), out


def test_a_pipe_that_never_ends_is_no_hang(tmp_path):
    """An error in the first rows comes up although the writer still holds the pipe open."""
    code = (
        "from rosenblatt.data import open_source\n"
        "print(sum(len(b) for b in open_source('-').batches()))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    start = time.perf_counter()
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write("a,b\n1,2\n1,2,3\n" * 300_000)
        process.stdin.flush()
    assert process.wait(timeout=60) == 1
    assert "line 3: 3 cells" in process.stderr.read()
    assert time.perf_counter() - start < 60
    for pipe in (process.stdin, process.stderr):
        with contextlib.suppress(BrokenPipeError):
            pipe.close()


def seeds() -> dict[str, bytes]:
    """Small good files, to be damaged."""
    files = {"some.csv": b'a,b,c\n1,x,true\n2.5,"y, z",false\n,w,true\n' * 3}
    small = table(30)
    for form in ("parquet", "feather", "arrow"):
        sink = io.BytesIO()
        if form == "parquet":
            pa.parquet.write_table(small, sink)
        elif form == "feather":
            pa.feather.write_feather(small, sink)
        else:
            with pa.ipc.new_stream(sink, small.schema) as file:
                file.write_table(small)
        files[f"some.{form}"] = sink.getvalue()
    files["some.svm"] = b"1 1:0.5 3:2e-3 # c\n-1 qid:3 2:1 7:-4.25\n+1\n"
    header = bytes([0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 2])
    files["some-images-idx3-ubyte"] = header + bytes(range(16))
    for name in ("some.csv", "some.svm", "some.arrow"):
        files[name + ".gz"] = gzip.compress(files[name])
        files[name + ".zst"] = pa.compress(files[name], "zstd", asbytes=True)
    return files


SEEDS = seeds()


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    edits=st.lists(
        st.tuples(
            st.sampled_from(["set", "cut", "put", "copy"]),
            st.integers(0, 10_000),
            st.binary(min_size=1, max_size=8),
        ),
        max_size=4,
    )
)
def test_damaged_files_give_rows_or_a_data_error(tmp_path_factory, name, edits):
    content = bytearray(SEEDS[name])
    for kind, place, some in edits:
        at = place % max(1, len(content))
        if kind == "set":
            content[at : at + len(some)] = some
        elif kind == "cut":
            del content[at : at + 1 + place % 50]
        elif kind == "put":
            content[at:at] = some
        else:
            content[at:at] = content[at : at + 30]
    folder = tmp_path_factory.getbasetemp() / "damaged"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(bytes(content))
    try:
        source = open_source(path)
        rows = sum(len(batch) for batch in source.batches())
        if source.kind == "table" and rows:
            recipe = Recipe.learn(open_source(path), target=-1)
            for batch in source.batches(recipe.bind(source, target=True)):
                assert recipe.transform(batch).shape == (len(batch), recipe.width)
    except DataError as found:
        message = str(found)
    else:
        return
    assert "\n" not in message


@given(st.binary(max_size=300))
def test_any_bytes_as_svmlight(content):
    try:
        X, y = parse(content)
    except DataError:
        return
    assert X.shape[0] == len(y)
    assert np.isfinite(X.data).all()
