"""Readers: every format and packing gives the same rows."""

from __future__ import annotations

import gzip
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from benchmarks import data as shared

from rosenblatt.data import DataError, open_source
from rosenblatt.data.sources.parallel import parallel_map
from tests.data.tables import SHARED, needs_shared, pack, table, whole, write


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "feather", "arrow"])
def test_every_format_gives_the_same_table(tmp_path, form, packing):
    path = write(tmp_path, form)
    if packing and form in ("parquet", "feather"):
        path = pack(path, packing)
        with pytest.raises(DataError, match="decompress the file first"):
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
    assert source.size == path.stat().st_size == source.bytes_read
    import hashlib

    assert source.digest() == hashlib.sha256(path.read_bytes()).hexdigest()
    # Again, from the middle, some columns only.
    rest = list(source.batches(["word", "number"], start=321))
    assert rest[0].first_row == 321
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
        firsts = [batch.first_row for batch in source.batches()]
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
    with pytest.raises(DataError, match=r"rejected|early|labels"):
        list(open_source(images).batches())


def test_work_in_advance_keeps_order_and_raises_in_place():
    def work(i: int) -> int:
        time.sleep(0.002 * (i % 3))
        if i == 30:
            raise DataError("thirty")
        return i

    got = []
    with pytest.raises(DataError, match="thirty"):
        got.extend(parallel_map(range(100), work, workers=3))
    assert got == list(range(30))
    drawn = []
    results = parallel_map((drawn.append(i) or i for i in range(100)), work, workers=2)
    assert next(results) == 0
    results.close()
    assert len(drawn) <= 7
