"""Delimited text: its dialects, and errors in one sentence with the line."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest

from rosenblatt.data import DataError
from tests.data.tables import csv, numbers, whole


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


def test_whether_there_is_a_header_can_be_given(tmp_path):
    assert csv(tmp_path, "ham,hello\nham,bye\n", header=True).names == ["ham", "hello"]
    assert csv(tmp_path, "a,b\n1,2\n", header=False).names == ["column1", "column2"]


def test_tabs_without_quoting(tmp_path):
    source = csv(tmp_path, 'kind\ttext\nham\t"Hello\nspam\tfree "prize\n', "sms.tsv")
    assert [r["text"] for b in source.batches() for r in b.table.to_pylist()] == [
        '"Hello',
        'free "prize',
    ]


FAR = 300_000
"""A row beyond the first blocks, from which types are known."""


@pytest.mark.parametrize("rows", [40, FAR])
@pytest.mark.parametrize("near", [True, False])
def test_a_cell_that_is_no_number_is_reported_with_its_line(tmp_path, rows, near):
    line = 17 if near else rows - 3

    def source():
        return csv(tmp_path, numbers(rows, **{f"line{line}": "1,fourty,2"}))

    with pytest.raises(DataError) as error:
        whole(source())
    assert str(error.value) == (
        f"some.csv, line {line:,}: 'hours-per-week' is \"fourty\", not a number. "
        "Fix the row, or drop the column."
    )
    assert (error.value.line, error.value.column) == (line, "hours-per-week")
    # Without the column there is nothing wrong.
    assert sum(len(batch) for batch in source().batches(["a", "c"])) == rows


def test_lines_are_counted_through_quotes_and_blanks(tmp_path):
    content = "a,b\n" + '1,"x\ny"\n\n' * 10 + "2,z,3\n"
    with pytest.raises(DataError, match=r"some.csv, line 32: 3 cells, but the first line has 2"):
        whole(csv(tmp_path, content))


def test_a_ragged_row_far_down_is_reported_with_its_line(tmp_path):
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
        (b"a,a\n1,2\n", "'a' occurs twice"),
        (b"a,b\n1,2,3\n", "line 2: 3 cells, but the first line has 2"),
        (os.urandom(100_000).replace(b"\0", b"\1"), "."),
    ],
)
def test_bad_csv_is_one_sentence(tmp_path, content, reason):
    with pytest.raises(DataError, match=reason) as error:
        whole(csv(tmp_path, content))
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("some.csv")
