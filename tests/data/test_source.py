"""Readers: every format and packing gives the same rows; hostile files give one sentence."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from benchmarks import data as shared
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt.data import DataError, Recipe, open_source
from rosenblatt.data.ahead import ahead
from rosenblatt.data.svmlight import parse

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


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "feather", "arrow"])
def test_every_format_gives_the_same_table(tmp_path, form, packing):
    path = write(tmp_path, form)
    if packing and form in ("parquet", "feather"):
        path = pack(path, packing)
        with pytest.raises(DataError, match="unpack the file first"):
            whole(open_source(path))
        return
    path = pack(path, packing) if packing else path
    source = open_source(path)
    assert source.kind == "table"
    assert source.names == ["number", "whole", "word", "flag"]
    assert source.types == {"number": "number", "whole": "integer", "word": "text", "flag": "flag"}
    got = whole(source)
    assert got.to_pydict() == table().to_pydict()
    assert source.rows == 500
    assert source.size == path.stat().st_size == source.progress
    import hashlib

    assert source.digest() == hashlib.sha256(path.read_bytes()).hexdigest()
    # Again, from the middle, some columns only.
    rest = list(source.batches(["word", "number"], start=321))
    assert rest[0].first == 321
    assert pa.Table.from_batches([b.table for b in rest]).select(
        ["word", "number"]
    ).to_pydict() == (table().slice(321).select(["word", "number"]).to_pydict())


@pytest.mark.parametrize("form", ["csv", "parquet", "feather"])
def test_folders_patterns_and_lists(tmp_path, form):
    parts = [tmp_path / f"part-{i}.{form}" for i in range(3)]
    for i, part in enumerate(parts):
        # Columns may be in another order in other files.
        content = table(seed=i).select(["flag", "word", "whole", "number"] if i else [0, 1, 2, 3])
        write(tmp_path, form, content).rename(part)
    want = pa.concat_tables([table(seed=i) for i in range(3)]).to_pydict()
    for data in (tmp_path, str(tmp_path / f"part-*.{form}"), parts):
        source = open_source(data)
        assert whole(source).to_pydict() == want
        firsts = [batch.first for batch in source.batches()]
        assert firsts == sorted(set(firsts))
        assert source.rows == 1500
    write(tmp_path, form, table().drop_columns(["word"])).rename(parts[1])
    with pytest.raises(DataError, match=r"part-1.*has no column 'word'"):
        whole(open_source(tmp_path))


def test_names_that_lead_nowhere(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        open_source(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="no file matches"):
        open_source(str(tmp_path / "*.csv"))
    with pytest.raises(DataError, match="holds no files"):
        open_source(tmp_path)
    with pytest.raises(DataError, match="list of files is empty"):
        open_source([])
    with pytest.raises(ValueError, match="format 'xls' is unknown"):
        open_source(tmp_path, format="xls")


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow"])
def test_standard_input_is_streamed_and_can_be_read_again(tmp_path, form):
    path = write(tmp_path, form)
    code = """
        from rosenblatt.data import open_source
        source = open_source("-")
        for _ in range(2):
            print(source.names, sum(len(b) for b in source.batches()), source.size)
        print(source.digest())
    """
    with open(path, "rb") as file:
        out = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            stdin=file, capture_output=True, text=True, timeout=60, check=True,
        ).stdout.splitlines()  # fmt: skip
    assert out[0] == out[1] == "['number', 'whole', 'word', 'flag'] 500 None"
    import hashlib

    assert out[2] == hashlib.sha256(path.read_bytes()).hexdigest()


def csv(tmp_path: Path, content: str | bytes, name: str = "some.csv", **options):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return open_source(path, **options)


@pytest.mark.parametrize(
    ("content", "names", "rows"),
    [
        ("a,b\n1,x\n", ["a", "b"], [{"a": 1, "b": "x"}]),
        ("\ufeffa,b\n1,x\n", ["a", "b"], [{"a": 1, "b": "x"}]),
        ("a,b\r\n1,x\r\n", ["a", "b"], [{"a": 1, "b": "x"}]),
        ("a,b\n1,x", ["a", "b"], [{"a": 1, "b": "x"}]),
        ("\n\na,b\n\n1,x\n\n", ["a", "b"], [{"a": 1, "b": "x"}]),
        ("a;b\n1;x\n", ["a", "b"], [{"a": 1, "b": "x"}]),
        ("a|b\n1|x\n", ["a", "b"], [{"a": 1, "b": "x"}]),
        ('"a,1","b"\n1,"x\ny ""z"""\n', ["a,1", "b"], [{"a,1": 1, "b": 'x\ny "z"'}]),
        ("a,b\n1,5\" pipe\n", ["a", "b"], [{"a": 1, "b": '5" pipe'}]),
        ("a,b\n", ["a", "b"], []),
        ("1,2\n3,4\n", ["column1", "column2"],
         [{"column1": 1, "column2": 2}, {"column1": 3, "column2": 4}]),
        ("ham,hello\nham,bye\n", ["column1", "column2"],
         [{"column1": "ham", "column2": "hello"}, {"column1": "ham", "column2": "bye"}]),
        ("a,b\n?,NA\n1,x\n", ["a", "b"], [{"a": None, "b": None}, {"a": 1, "b": "x"}]),
    ],
)  # fmt: skip
def test_csv_dialects(tmp_path, content, names, rows):
    source = csv(tmp_path, content)
    assert source.names == names
    got = [row for batch in source.batches() for row in batch.table.to_pylist()]
    assert got == rows


def test_whether_there_is_a_header_can_be_said(tmp_path):
    assert csv(tmp_path, "ham,hello\nham,bye\n", header=True).names == ["ham", "hello"]
    assert csv(tmp_path, "a,b\n1,2\n", header=False).names == ["column1", "column2"]


def test_tabs_without_quoting(tmp_path):
    source = csv(tmp_path, 'kind\ttext\nham\t"Hello\nspam\tfree "prize\n', "sms.tsv")
    assert [r["text"] for b in source.batches() for r in b.table.to_pylist()] == [
        '"Hello',
        'free "prize',
    ]


def numbers(count: int, **other: str) -> str:
    lines = [f"{i},{i / 7:.3f},{i % 5}" for i in range(count)]
    for place, line in other.items():
        lines[int(place[4:]) - 2] = line
    return "a,hours-per-week,c\n" + "\n".join(lines) + "\n"


FAR = 300_000
"""A row beyond the first blocks, from which types are known."""


@pytest.mark.parametrize("rows", [40, FAR])
@pytest.mark.parametrize("near", [True, False])
def test_a_cell_that_is_no_number_is_told_with_its_line(tmp_path, rows, near):
    line = 17 if near else rows - 3
    source = lambda: csv(tmp_path, numbers(rows, **{f"line{line}": "1,fourty,2"}))  # noqa: E731
    with pytest.raises(DataError) as error:
        whole(source())
    assert str(error.value) == (
        f"some.csv, line {line:,}: 'hours-per-week' is \"fourty\", not a number. "
        "Fix the row, or --drop hours-per-week."
    )
    assert (error.value.line, error.value.column) == (line, "hours-per-week")
    # Without the column there is nothing wrong.
    assert sum(len(batch) for batch in source().batches(["a", "c"])) == rows


def test_lines_are_counted_through_quotes_and_blanks(tmp_path):
    content = "a,b\n" + '1,"x\ny"\n\n' * 10 + "2,z,3\n"
    with pytest.raises(DataError, match=r"some.csv, line 32: 3 cells, but the first line has 2"):
        whole(csv(tmp_path, content))


def test_a_ragged_row_far_down_is_told_with_its_line(tmp_path):
    with pytest.raises(DataError, match=rf"line {FAR - 9:,}: 2 cells, but the first line has 3"):
        whole(csv(tmp_path, numbers(FAR, **{f"line{FAR - 9}": "1,2"})))


def test_integers_may_become_fractions_further_down(tmp_path):
    source = csv(tmp_path, numbers(FAR, **{f"line{FAR}": "0.5,1,1"}))
    assert source.types["a"] == "integer"
    want = pd.read_csv(tmp_path / "some.csv")
    got = np.concatenate([b.table["a"].to_numpy().astype(float) for b in source.batches()])
    assert (got == want["a"].to_numpy()).all()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"\n\n  \n", "the file is empty"),
        (b"a,b\n\0\0\0,1\n", "not text"),
        (b"a,b\n1,caf\xe9\n", r"line 2: not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "UTF-16"),
        (b"a,a\n1,2\n", "'a' comes twice"),
        (b"a,b\n1,2,3\n", "line 2: 3 cells, but the first line has 2"),
        (os.urandom(100_000).replace(b"\0", b"\1"), "."),
    ],
)
def test_bad_csv_is_one_sentence(tmp_path, content, reason):
    with pytest.raises(DataError, match=reason) as error:
        whole(csv(tmp_path, content))
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("some.csv")


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


def test_svmlight_source(tmp_path):
    lines = [f"{1 if i % 3 else -1} 1:{i} {2 + i % 7}:0.5 # {i}" for i in range(100_000)]
    path = tmp_path / "some.svm"
    path.write_text("\n".join(lines))
    source = open_source(path)
    batches = list(source.batches())
    assert len(batches) > 1
    assert sum(len(b) for b in batches) == source.rows == 100_000
    row = batches[-1].X[[-1]].toarray()[0]
    assert row[0] == 99_999
    path.write_text("\n".join([*lines, "1 3:x"]))
    with pytest.raises(DataError, match=r"line 100,001: the value of \"3:x\" is not a number"):
        list(open_source(path).batches())
    path.write_text("1 0:2 1:3\n")
    assert open_source(path).zero_based
    path.write_text("1 1:2\n" * 500_000 + "1 0:2\n")
    with pytest.raises(DataError, match=r"line 500,001: index 0"):
        list(open_source(path).batches())


@needs_shared
def test_real_files_equal_other_readers():
    adult = SHARED / "tabular" / "adult.data.gz"
    want = pd.read_csv(adult, header=None, skipinitialspace=True, na_values="?")
    got = whole(open_source(adult))
    assert got.num_rows == len(want)
    for i, name in enumerate(got.column_names):
        column = got[name].to_pandas()
        if want[i].dtype.kind in "if":
            assert (column.to_numpy() == want[i].to_numpy()).all()
        else:
            same = column.str.strip().fillna("?").to_numpy() == want[i].fillna("?").to_numpy()
            assert same.all()
    sms = whole(open_source(SHARED / "text" / "SMSSpamCollection.gz"))
    assert sms.num_rows == 5574
    assert set(sms.column(0).to_pylist()) == {"ham", "spam"}


@needs_shared
def test_mnist_equals_its_bytes(tmp_path):
    path = SHARED / "mnist" / "t10k-images-idx3-ubyte.gz"
    source = open_source(path)
    X = np.concatenate([b.X for b in source.batches()])
    y = np.concatenate([b.y for b in source.batches()])
    _, _, X_want, y_want = shared.mnist()
    assert (X_want == X).all()
    assert (y == y_want).all()
    # Unpacked images find packed labels; without labels there are none.
    images = tmp_path / "t10k-images-idx3-ubyte"
    images.write_bytes(gzip.decompress(path.read_bytes()))
    assert next(open_source(images).batches()).y is None
    labels = path.with_name("t10k-labels-idx1-ubyte.gz").read_bytes()
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(labels)
    assert next(open_source(tmp_path).batches()).y[:3].tolist() == [7, 2, 1]
    images.write_bytes(images.read_bytes()[:-1])
    with pytest.raises(DataError, match="ends too early"):
        list(open_source(images).batches())
    images.write_bytes(images.read_bytes()[:7] + b"\xff" * 8)
    with pytest.raises(DataError, match=r"refused|early|labels"):
        list(open_source(images).batches())


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
            for i in range({200 if path.suffix in (".csv", ".svm") else 600}):
                {BOMBS[name]}
        base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        try:
            rows = sum(len(batch) for batch in open_source(path).batches())
            print("rows", rows)
        except DataError as error:
            print("refused:", error)
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) // 1024)
    """
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout.splitlines()  # fmt: skip
    said, memory = out[0], int(out[1])
    assert memory < 300, out
    if name == "cells.csv.zst":
        assert said == f"rows {599 * 2 * (1 << 17)}"
    else:
        assert said.startswith("refused: " + name), out


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
        told = str(found)
    else:
        return
    assert "\n" not in told


@given(st.binary(max_size=300))
def test_any_bytes_as_svmlight(content):
    try:
        X, y = parse(content)
    except DataError:
        return
    assert X.shape[0] == len(y)
    assert np.isfinite(X.data).all()


def test_work_ahead_keeps_order_and_raises_in_place():
    def work(i: int) -> int:
        time.sleep(0.002 * (i % 3))
        if i == 30:
            raise DataError("thirty")
        return i

    got = []
    with pytest.raises(DataError, match="thirty"):
        got.extend(ahead(range(100), work, workers=3))
    assert got == list(range(30))
    drawn = []
    results = ahead((drawn.append(i) or i for i in range(100)), work, workers=2)
    assert next(results) == 0
    results.close()
    assert len(drawn) <= 7
