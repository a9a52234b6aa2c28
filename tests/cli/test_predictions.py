"""Files of predictions: one header, and labels that come back as they were."""

from __future__ import annotations

import csv

import numpy as np
import pyarrow.parquet as parquet
import pytest

from rosenblatt.cli.predictions import open_writer

LABELS = ["plain", "a, b", 'a "word"', "two\nlines", "ä"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_labels_of_any_kind_come_back(tmp_path, form):
    path = tmp_path / f"out.{form}"
    with open_writer(path) as writer:
        for part in (LABELS[:1], LABELS[1:], LABELS):
            scores = np.arange(len(part)) / 2
            writer.write({"prediction": np.array(part), "score": scores})
    labels = [*LABELS, *LABELS]
    if form == "parquet":
        assert parquet.read_table(path)["prediction"].to_pylist() == labels
        return
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["prediction", "score"]
    assert [row[0] for row in rows] == labels
    assert [float(row[1]) for row in rows[5:]] == [0.0, 0.5, 1.0, 1.5, 2.0]


def test_another_form_is_rejected_before_anything_is_written(tmp_path):
    path = tmp_path / "out.txt"
    with pytest.raises(ValueError, match=r"must end in \.csv or \.parquet"), open_writer(path):
        pass
    assert not path.exists()
