"""What a file costs is in proportion to what it holds, not to what it declares."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import textwrap
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rosenblatt.data import DataError, Recipe, Stream, open_source
from rosenblatt.data.features import exact
from rosenblatt.data.sources import delimited
from tests.data.tables import csv, numbers, pack, table


def wide(path, columns, rows=6, cell="0.5"):
    """A table of many columns."""
    names = ",".join(f"a{i}" for i in range(columns))
    line = ",".join([cell] * columns)
    body = "".join(f"{line},c{row % 2}\n" for row in range(rows))
    path.write_text(f"{names},y\n{body}")
    return path


def seconds(path):
    began = time.process_time()
    stream = Stream(open_source(path), target="y", budget=float("inf"))
    assert stream.all_rows()[0].shape[1] == stream.recipe.width
    return time.process_time() - began


def test_reading_is_linear_in_the_columns(tmp_path):
    few, many = (wide(tmp_path / f"{n}.csv", n) for n in (3_000, 24_000))
    seconds(few)  # with imports
    assert seconds(many) < 24 * seconds(few)  # eight times as much; squares would be 64


def test_columns_that_are_read_in_parts_make_one_table(tmp_path):
    """pyarrow takes 10 KB for each column, so they are read some at a time."""
    count = 2 * delimited.COLUMNS_AT_ONCE + 100
    names = [f"a,{i}" if i % 7 == 0 else f"a{i}" for i in range(count)]
    rows = [[str(i + row) if i % 3 else f"w{row}" for i in range(count)] for row in range(3)]
    header = ",".join(f'"{name}"' for name in names)
    content = "\n".join([header, *map(",".join, rows)]) + "\n"
    source = csv(tmp_path, content)
    assert source.names == names
    (batch,) = source.batches()
    assert batch.table.schema.names == names
    for place in (0, 1, delimited.COLUMNS_AT_ONCE, count - 1):
        cells = [row[place] if place % 3 == 0 else int(row[place]) for row in rows]
        assert batch.table.column(names[place]).to_pylist() == cells
    with pytest.raises(DataError, match=f"line 5: 2 cells, but the first line has {count:,}"):
        list(csv(tmp_path, content + "1,2\n", header=True).batches())


def test_types_are_inferred_from_rows_after_a_long_header(tmp_path):
    """A header of more than a megabyte left no row to infer types from."""
    names = ",".join(c * 400_000 for c in "abc")
    source = csv(tmp_path, f"{names},y\n" + "1.5,2,3,p\n4,5,6,q\n" * 3)
    assert list(source.types.values()) == ["number", "integer", "integer", "text"]


def test_an_index_far_beyond_the_numbers_is_rejected(tmp_path):
    path = tmp_path / "some.svm"
    path.write_text("1 2147483647:1\n-1 1:1\n")
    with pytest.raises(DataError, match=r"2,147,483,647 features, far more than the 2 numbers"):
        Recipe.learn(open_source(path))
    path.write_text("1 4000000:1\n-1 1:1\n")
    recipe = Recipe.learn(open_source(path))
    assert recipe.width == len(recipe.feature_names) == 4_000_000
    assert recipe.feature_names[-1] == "x4000000"
    assert list(recipe.feature_names[1:4]) == ["x2", "x3", "x4"]


def test_a_number_of_many_digits_is_rejected_by_name(tmp_path):
    source = csv(tmp_path, "a,y\n0." + "1" * 5000 + ",p\n2,q\n")
    with pytest.raises(DataError, match=r"some.csv: 'a' holds a number of 5,002 characters"):
        exact.columns(source, ["a"])


def test_text_in_parquet_that_is_no_utf8_names_the_file(tmp_path):
    path = tmp_path / "some.parquet"
    pq.write_table(table(50), path, use_dictionary=False, compression="none")
    path.write_bytes(path.read_bytes().replace("zwölf".encode(), b"zw\xff\xfflf"))
    with pytest.raises(DataError, match=r"some.parquet: .*UTF8"):
        list(open_source(path).batches())


# --- memory ---------------------------------------------------------------------------------


def megabytes(path, times=1):
    """The memory that reading a file takes, in a process of its own."""
    code = f"""
        import re
        from rosenblatt.data import DataError, open_source
        def most():  # `resource` would include what the parent process had
            with open("/proc/self/status") as file:
                return int(re.search(r"VmHWM:\\s+(\\d+)", file.read())[1]) // 1024
        def read():
            try:
                for batch in open_source({str(path)!r}).batches():
                    pass
            except DataError:
                pass
        for _ in range({min(times, 20)}):
            read()
        before = most() if {times} > 1 else 0
        for _ in range({times} - 1):
            read()
        print(most() - before)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True,
        timeout=100,
    )  # fmt: skip
    return int(done.stdout)


def page_of_2_gb():
    """A Parquet file of a few kilobytes; the header of its first page declares 2 GB."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": np.arange(500.0)}), sink, use_dictionary=False)
    content = sink.getvalue()
    # After the mark of the file: the page's type, its size unpacked and packed, as zigzag varints.
    assert content[4:7] == b"\x15\x00\x15"
    at = 7
    while content[at] & 0x80:
        at += 1
    assert content[at + 1] == 0x15
    start = end = at + 2
    while content[end] & 0x80:
        end += 1
    return content[:start] + b"\xfe\xff\xff\xff\x0f" + content[end + 1 :]


def test_a_page_that_declares_two_gigabytes_takes_little(tmp_path):
    path = tmp_path / "some.parquet"
    path.write_bytes(page_of_2_gb())
    with pytest.raises(DataError, match=r"some.parquet: "):
        list(open_source(path).batches())
    assert megabytes(path) < 500


def test_an_array_that_declares_terabytes_takes_little(tmp_path):
    path = tmp_path / "some.feather"
    pa.feather.write_feather(table(500), str(path), compression="zstd")
    content = path.read_bytes()
    at = content.index(b"\x28\xb5\x2f\xfd")  # a packed array, after its size
    path.write_bytes(content[: at - 8] + struct.pack("<q", 1 << 42) + content[at:])
    with pytest.raises(DataError, match=r"some.feather: "):
        list(open_source(path).batches())
    assert megabytes(path) < 500


@pytest.mark.parametrize("packing", [".gz", ".zst"])
def test_packed_files_are_let_go(tmp_path, packing):
    """Each reading kept a megabyte or two."""
    path = tmp_path / "some.csv"
    path.write_text(numbers(50))
    assert megabytes(pack(path, packing), times=120) < 40
