"""Streams: kept or streamed, packed or not, the same rows in every pass."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyarrow.csv import WriteOptions, write_csv
from sklearn.datasets import dump_svmlight_file

from rosenblatt.data import DataError, Stream, open_source, read
from rosenblatt.data.features import stream
from tests.data.tables import SHARED, csv, needs_shared, pack

ROWS = 150_000


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Numbers, a category and a class that depends on them; some megabytes in several formats."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 6)) * [1, 2, 5, 10, 1, 1] + [0, 0, 3, 100, 0, 0]
    table = pd.DataFrame(X.round(6), columns=list("abcdef"))
    table["kind"] = np.array(["u", "v", "w"])[rng.integers(0, 3, ROWS)]
    table["count"] = rng.integers(0, 300, ROWS)
    table["y"] = np.where(X[:, 0] + X[:, 4] > 0, "plus", "minus")
    folder = tmp_path_factory.mktemp("made")
    rows = pa.Table.from_pandas(table, preserve_index=False)
    write_csv(rows, folder / "some.csv", WriteOptions(quoting_style="needed"))
    table.to_parquet(folder / "some.parquet", row_group_size=10_000)
    table.to_feather(folder / "some.feather")
    pack(folder / "some.csv", ".gz")
    labels = np.where(table["y"] == "plus", 1, -1)
    numbers = table[list("abcdef")].to_numpy()
    dump_svmlight_file(numbers, labels, str(folder / "some.svm"), zero_based=False)
    return folder, table


FORMS = ["some.csv", "some.csv.gz", "some.parquet", "some.feather", "some.svm"]


def options(name: str) -> dict:
    return {} if name.endswith("svm") else {"target": "y"}


def joined(batches) -> tuple[np.ndarray, np.ndarray, list[int]]:
    X, y, first = zip(*batches, strict=True)
    dense = [part if isinstance(part, np.ndarray) else part.toarray() for part in X]
    return np.concatenate(dense), np.concatenate(y), list(first)


@pytest.mark.parametrize("name", FORMS)
def test_streamed_and_kept_rows_are_the_same(made, name):
    folder, table = made
    kept = Stream(open_source(folder / name), **options(name))
    assert kept.in_memory
    streamed = Stream(open_source(folder / name), kept.recipe, budget=1000)
    assert not streamed.in_memory
    X, y = kept.all_rows()
    assert kept.rows == len(y) == ROWS
    plus = table["y"] == "plus"
    want = np.where(plus, 1, -1) if name.endswith("svm") else table["y"].to_numpy()
    assert (kept.classes[y] == want).all()
    for number in range(2):
        got, labels, first = joined(streamed.batches(number))
        assert got.tobytes() == (X if isinstance(X, np.ndarray) else X.toarray()).tobytes()
        assert (labels == y).all()
        assert first[0] == 0
        assert len(first) > 1
    assert streamed.rows == ROWS


@pytest.mark.parametrize("name", FORMS)
def test_the_split_is_the_same_in_every_pass_and_place(made, name):
    folder, _ = made
    one = Stream(open_source(folder / name), validate=0.2, seed=3, **options(name))
    two = Stream(open_source(folder / name), one.recipe, validate=0.2, seed=3, budget=1000)
    for held_out in (False, True):
        X, y = one.all_rows(held_out)
        assert abs(len(y) / ROWS - (0.2 if held_out else 0.8)) < 0.01
        for number in range(2):
            got, labels, _ = joined(two.batches(number, held_out=held_out))
            assert got.tobytes() == (X if isinstance(X, np.ndarray) else X.toarray()).tobytes()
            assert (labels == y).all()
    other = Stream(open_source(folder / name), validate=0.2, seed=4, **options(name))
    assert len(other.all_rows(True)[1]) != len(y) or (other.all_rows(True)[1] != y).any()
    with pytest.raises(ValueError, match=r"validate=1\.5 must be a share"):
        Stream(open_source(folder / name), validate=1.5, **options(name))


def test_columns_without_a_single_number_are_left_out(tmp_path):
    empty = pa.array([None, None], pa.float64())
    table = pa.table({"a": [1, 3], "b": empty, "c": [5.0, 4.0], "y": ["u", "v"]})
    pa.parquet.write_table(table, tmp_path / "some.parquet")
    kept = Stream(open_source(tmp_path / "some.parquet"), target="y", standardise=False)
    assert kept.in_memory
    assert kept.recipe.feature_names == ["a", "c"]
    assert kept.all_rows()[0].tolist() == [[1, 5], [3, 4]]


def test_passes_are_shuffled_by_seed_and_can_be_resumed(made):
    path = made[0] / "some.csv"
    first = Stream(open_source(path), target="y")
    streamed = Stream(open_source(path), first.recipe, budget=1000)
    one, two, again = (list(streamed.batches(n, seed=5)) for n in (0, 1, 0))
    assert (joined(one)[0] == joined(again)[0]).all()
    assert (joined(one)[0] != joined(two)[0]).any()
    for (X, _, n), (plain, _, m) in zip(one, streamed.batches(), strict=True):
        assert n == m
        assert (np.sort(X.toarray()[:, 0]) == np.sort(plain.toarray()[:, 0])).all()
    start = one[2][2]
    rest = list(streamed.batches(0, seed=5, start=start))
    assert [n for _, _, n in rest] == [n for _, _, n in one[2:]]
    assert (joined(rest)[0] == joined(one[2:])[0]).all()
    assert len(list(streamed.passes(3))) == 3


@pytest.mark.parametrize("name", FORMS[:4])
def test_a_sample_gives_nearly_the_statistics_of_all(made, name, monkeypatch):
    folder, table = made
    monkeypatch.setattr(stream, "SAMPLE", 4 << 20)
    found = Stream(open_source(folder / name), budget=1 << 20, target="y")
    assert not found.in_memory
    assert found.recipe.rows < ROWS or name == "some.feather"
    for column in found.recipe.columns:
        if column.kind == "number":
            values = table[column.name]
            assert column.mean == pytest.approx(values.mean(), abs=0.1 * values.std())
            assert column.scale == pytest.approx(values.std(), rel=0.1)
    assert found.classes.tolist() == ["minus", "plus"]
    assert sum(len(y) for _, y, _ in found.batches()) == ROWS


def test_a_sample_is_spread_over_sorted_files(tmp_path):
    """Sorted by class, the first rows would know one class only."""
    for i in range(3):
        rows = "".join(f"{i}.{j % 10},class{i}\n" for j in range(300_000))
        (tmp_path / f"part{i}.csv").write_text("a,y\n" + rows)
    found = Stream(open_source(tmp_path), budget=1 << 20, target="y")
    assert not found.in_memory
    assert found.classes.tolist() == ["class0", "class1", "class2"]


def test_a_label_that_the_sample_missed_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "SAMPLE", 1 << 20)
    rows = [f"{i % 10},{'xz'[i % 2]}" for i in range(1_500_000)]
    rows[1_200_000] = "1,rare"
    source = csv(tmp_path, "a,y\n" + "\n".join(rows))
    found = Stream(source, budget=1 << 20, target="y")
    with pytest.raises(DataError, match=r'row 1,200,001: the label "rare" does not occur'):
        list(found.batches())
    known = Stream(source, budget=1 << 20, target="y", classes=["x", "z", "rare"])
    assert (
        sum((y == known.classes.tolist().index("rare")).sum() for _, y, _ in known.batches()) == 1
    )


def test_missing_labels_of_images_and_sparse_rows(tmp_path):
    header = bytes([0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 2])
    (tmp_path / "some-images-idx3-ubyte").write_bytes(header + bytes(range(16)))
    with pytest.raises(DataError, match="no labels to learn from"):
        Stream(open_source(tmp_path / "some-images-idx3-ubyte"))


def test_sparse_rows_wider_or_narrower_than_the_model(tmp_path):
    (tmp_path / "one.svm").write_text("1 1:1 5:2\n-1 2:1\n")
    (tmp_path / "two.svm").write_text("1 1:1 5:2 9:3\n")
    (tmp_path / "three.svm").write_text("1 2:1\n")
    recipe = Stream(open_source(tmp_path / "one.svm")).recipe
    assert list(recipe.feature_names) == ["x1", "x2", "x3", "x4", "x5"]
    rows = [
        recipe.transform(next(open_source(tmp_path / name).batches())).toarray().tolist()
        for name in ("two.svm", "three.svm")
    ]
    assert rows == [[[1, 0, 0, 0, 2]], [[0, 1, 0, 0, 0]]]
    assert recipe.unseen() == "1 unseen indices"


def test_memory_stays_bounded_while_a_large_file_streams(tmp_path):
    """400 MB of text, one pass, in a fraction of it."""
    code = f"""
        import resource
        import numpy as np
        from rosenblatt.data import Stream, open_source
        rng = np.random.default_rng(0)
        block = "".join(",".join(f"{{v:.5f}}" for v in row) + f",{{i % 2}}\\n"
                        for i, row in enumerate(rng.normal(size=(20_000, 20)).tolist()))
        with open({str(tmp_path / "large.csv")!r}, "w") as file:
            file.write(",".join(f"x{{i}}" for i in range(20)) + ",y\\n")
            for _ in range(120):
                file.write(block)
        import pyarrow.csv
        base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        source = open_source({str(tmp_path / "large.csv")!r})
        stream = Stream(source, target="y", budget=32 << 20)
        rows = sum(len(y) for _, y, _ in stream.batches())
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base
        print(stream.in_memory, rows, grown // 1024)
    """
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, timeout=300, check=True,
    ).stdout.split()  # fmt: skip
    assert out[:2] == ["False", str(120 * 20_000)]
    assert int(out[2]) < 250


@needs_shared
@pytest.mark.parametrize(
    ("name", "options", "shape", "classes"),
    [
        ("tabular/covtype.csv.gz", {"target": -1}, (581_012, 54), list(range(1, 8))),
        (
            "text/SMSSpamCollection.gz",
            {"target": 0, "text": ["column2"]},
            (5_574, 2**18),
            ["ham", "spam"],
        ),
        ("sparse/a9a.gz", {}, (32_561, 123), [-1, 1]),
        ("mnist/t10k-images-idx3-ubyte.gz", {}, (10_000, 784), list(range(10))),
    ],
)
def test_real_data(name, options, shape, classes):
    X, y, names = read(SHARED / name, **options)
    assert X.shape == shape
    assert len(names) == shape[1]
    assert sorted(set(y.tolist())) == classes
