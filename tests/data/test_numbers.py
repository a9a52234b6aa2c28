"""Columns of numbers as a matrix: the same sums and features as column by column."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.errors import DataError
from rosenblatt.data.features import numbers
from rosenblatt.data.features.columns import Number
from rosenblatt.data.sources.batch import Batch

TYPES = {
    pa.int8(): st.integers(-128, 127),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.int64(): st.integers(-(2**53), 2**53),
    pa.float32(): st.floats(-1e6, 1e6, width=32),
    pa.float64(): st.floats(-1e9, 1e9),
}


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 12))
    kinds = draw(st.lists(st.sampled_from(list(TYPES)), min_size=1, max_size=4))
    cells = [
        draw(st.lists(st.none() | TYPES[kind], min_size=rows, max_size=rows)) for kind in kinds
    ]
    arrays = [pa.array(column, kind) for column, kind in zip(cells, kinds, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=[f"c{i}" for i in range(len(kinds))])


def batch_of(table):
    return Batch(table, None, None, 0, "here")


def floats(table):
    """A naive matrix, NaN where missing."""
    rows = [[np.nan if c is None else float(c) for c in column.to_pylist()] for column in table]
    return np.array(rows).T


@given(tables(), st.sampled_from([1, 5, numbers.BLOCK_CELLS]), st.booleans())
def test_sums_are_those_of_each_column(table, cells, pack):
    names, X = table.schema.names, floats(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "BLOCK_CELLS", cells)
        batch = batch_of(table)
        sums = numbers.summarise(numbers.pack(batch, names) if pack else batch, names)
    gone = np.isnan(X)
    there = np.maximum((~gone).sum(axis=0), 1)
    mean = np.where(gone, 0.0, X).sum(axis=0) / there
    spread = (np.where(gone, 0.0, X - mean) ** 2).sum(axis=0)
    assert sums.missing.tolist() == gone.sum(axis=0).tolist()
    assert sums.cells.tolist() == (~gone).sum(axis=0).tolist()
    size = np.abs(np.nan_to_num(X)).max(axis=0, initial=1.0)
    np.testing.assert_allclose(sums.mean, mean, rtol=1e-9, atol=1e-12 * size.max())
    assert (np.abs(sums.spread - spread) <= 1e-9 * spread + 1e-12 * len(X) * size**2).all()


@given(tables(), st.sampled_from([1, 5, numbers.BLOCK_CELLS]), st.booleans())
def test_features_are_those_of_each_column(table, cells, pack):
    names, X = table.schema.names, floats(table)
    columns = [
        Number(name, missing=int(np.isnan(X[:, j]).sum()), mean=1.0, centre=3.0, scale=2.0)
        for j, name in enumerate(names)
    ]
    wide = [len(column.features) for column in columns]
    places = np.cumsum([0, *wide])[:-1].tolist()
    out, tally = np.full((len(X), sum(wide)), 7.0), Counter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "BLOCK_CELLS", cells)
        batch = batch_of(table)
        given = numbers.pack(batch, names) if pack else batch
        numbers.encode(given, columns, places, out, tally)
    naive = []
    for j, column in enumerate(columns):
        gone = np.isnan(X[:, j])
        naive.append(np.where(gone, (1.0 - 3.0) / 2.0, (X[:, j] - 3.0) / 2.0))
        if column.missing:
            naive.append(gone.astype(float))
    np.testing.assert_allclose(out, np.array(naive).T, rtol=1e-15)
    assert tally["missing"] == np.isnan(X).sum()


def test_few_bytes_hold_the_same_numbers():
    table = pa.record_batch({"a": [0, 255, 7], "b": [-1, 3, 4], "label": ["x", "y", "x"]})
    packed = numbers.pack(batch_of(table), ["a", "b"])
    assert packed.numbers.dtype == np.int16
    assert packed.numbers.tolist() == [[0, -1], [255, 3], [7, 4]]
    assert packed.table.schema.names == ["label"]
    assert len(packed) == 3
    assert packed.skip(1).numbers.tolist() == [[255, 3], [7, 4]]


@pytest.mark.parametrize("cells", [[-1, 127], [-1, 128], [-129, 0], [-1, 2**15], [-(2**31) - 1, 0]])
def test_the_ends_of_a_type_are_kept(cells):
    packed = numbers.pack(batch_of(pa.record_batch({"a": cells})), ["a"])
    assert packed.numbers[:, 0].tolist() == cells


def test_an_infinite_number_is_named():
    table = pa.record_batch({"a": [1.0, 2.0], "b": [1.0, float("-inf")]})
    with pytest.raises(DataError, match="row 2: 'b' holds an infinite number; correct it"):
        numbers.summarise(batch_of(table), ["a", "b"])
    columns = [Number("a"), Number("b", centre=1.0)]
    with pytest.raises(DataError, match="'b' holds an infinite number") as error:
        numbers.encode(batch_of(table), columns, [0, 1], np.zeros((2, 2)), Counter())
    assert error.value.row == 2
