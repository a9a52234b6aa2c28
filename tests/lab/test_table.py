"""Tables that the lab is opened with are read as the commands read them, within its limits."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet
import pytest

from rosenblatt.data import DataError
from rosenblatt.lab.server import read_opening


@pytest.mark.parametrize(
    ("content", "points", "labels"),
    [
        ("a,b,kind\n1,2,no\n3,4.5,yes\n", [[1, 2], [3, 4.5]], [-1, 1]),
        ("1,2,-1\n3,4,1\n", [[1, 2], [3, 4]], [-1, 1]),
        ("a;b;kind\n1;2;no\n3;4;yes\n", [[1, 2], [3, 4]], [-1, 1]),
        ("a,b,c,kind\n1,2,9,no\n\n3,4,9,yes\n", [[1, 2], [3, 4]], [-1, 1]),
        ('a,b,kind\n1,2,"x, y"\n3,4,z\n5,6,w\n', [[1, 2], [3, 4], [5, 6]], [1, 2, 0]),
        ("a,b,kind\n1,2,2\n3,4,10\n5,6,10\n", [[1, 2], [3, 4], [5, 6]], [-1, 1, 1]),
    ],
)
def test_points_and_labels(tmp_path, content, points, labels):
    path = tmp_path / "own.csv"
    path.write_text(content)
    opening = read_opening(path)
    assert opening.name == "own.csv"
    assert opening.data.points == points
    assert opening.data.labels == labels


def test_all_columns_and_the_names_of_classes_come_with_it(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text('length;"width, mm";depth;kind\n1;2.5;3;no\n4;5;6;yes\n')
    sheet = read_opening(path).sheet
    assert sheet.names == ["length", "width, mm", "depth", "kind"]
    assert sheet.rows == [["1.0", "2.5", "3.0", "no"], ["4.0", "5.0", "6.0", "yes"]]


def test_the_same_table_in_parquet(tmp_path):
    table = pa.table({"a": [1.0, 3.0], "b": [2, 4], "kind": ["no", "yes"]})
    pa.parquet.write_table(table, tmp_path / "own.parquet")
    opening = read_opening(tmp_path / "own.parquet")
    assert opening.data.points == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "own.csv: the file is empty"),
        (b"\0\1\2", "own.csv: contains zero bytes: this is not text"),
        (b"a,b\n1,x\n2,y\n", "needs a table of two to 64 columns of numbers"),
        (b"1 1:2 2:3\n-1 1:3\n", "needs a table of two to 64 columns of numbers"),
        (b"a,b,c\n1,2,x\n", "has 1 rows; the lab takes 2 to 2,000"),
        (b"a,b,c\n" + b"1,2,x\n" * 2001, "has more than 2,000 rows; the lab takes 2 to 2,000"),
        (b"a,b,c\n1,2,x\nfourty,2,y\n", "line 3: 'a' is \"fourty\", not a number"),
        (b"a,b,c\n1,2,x\n1,2,3,y\n", "line 3: 4 cells, but the first line has 3"),
        (b"a,b,c\n1,,x\n1,2,y\n", "'b' has missing cells"),
        (b"a,b,c\n1,,x\n1,,y\n", "'b' has missing cells"),
        (b"a,b,c\n1,inf,x\n1,2,y\n", "row 1: 'b' holds an infinite number"),
        (b"a,b,c\n1,2,x\n1,2,\n", "row 2: the target 'c' is missing"),
        (b"a,b,c\n1,2,x\n1,2,x\n", "'c' has 1 different labels; the lab takes 2 to 10"),
        (b"a,b,c\n" + b"".join(b"1,2,x%d\n" % n for n in range(11)), "'c' has 11 different labels"),
    ],
)
def test_what_the_lab_cannot_show_is_one_sentence(tmp_path, content, reason):
    path = tmp_path / "own.csv"
    if content.startswith(b"1 1:"):
        path = tmp_path / "own.svm"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        read_opening(path)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_damaged_journal_is_one_sentence(tmp_path):
    path = tmp_path / "run.json"
    for content in (b'{"format": 1}', b'{"format": ', b'{"format": "\xff"}'):
        path.write_bytes(content)
        with pytest.raises(
            ValueError, match="is not a complete journal with its examples"
        ) as error:
            read_opening(path)
        assert "\n" not in str(error.value)
        assert "validation error" not in str(error.value)
