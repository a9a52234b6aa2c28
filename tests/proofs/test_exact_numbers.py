"""What is proved is true of the numbers as given, however NumPy and SciPy would round them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import bounds, certify, max_margin, verify
from rosenblatt.proofs.checker import read_problem
from tests.proofs import truth
from tests.proofs.statements import QUARTERS, made

BIG = 2**53
NEAR = [[BIG, 0.5], [BIG + 1, 0.5]]  # NumPy makes both rows equal
TENTH, ABOVE = Decimal("0.1"), Decimal("0.10000000000000000001")
HALVES = [0.5, 0.5]

SEPARABLE = {
    "list of mixed numbers": NEAR,
    "tuple": (tuple(NEAR[0]), tuple(NEAR[1])),
    "list of arrays": [np.array([BIG, 3]), np.array([BIG + 1, 3])],
    "signed beside unsigned": [[2**63, -1], [2**63 + 1, -1]],
    "int64": np.array([[10**18], [10**18 + 1]]),
    "least int64": np.array([[-(2**63)], [-(2**63) + 1]]),
    "uint64": np.array([[2**64 - 1], [2**64 - 2]], np.uint64),
    "integers of any size": np.array([[10**40], [10**40 + 1]], object),
    "decimals": [[TENTH], [ABOVE]],
    "fractions": [[Fraction(1, 3)], [Fraction(1, 3) + Fraction(1, 10**30)]],
    "longdouble": np.array([[np.longdouble(2) ** 60], [np.longdouble(2) ** 60 + 1]]),
    "cells of a sparse matrix twice": sp.coo_array(
        ([1.0, 2.0**-60, 1.0], ([0, 0, 1], [0, 0, 0])), shape=(2, 1)
    ),
    "the same by rows": sp.csr_array(
        (np.array([1.0, 2.0**-60, 1.0]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1)
    ),
    "sparse int64": sp.csr_array(np.array([[10**18, 0], [10**18 + 1, 0]])),
    "sparse longdouble": sp.csr_array(
        np.array([[np.longdouble(2) ** 60], [np.longdouble(2) ** 60 + 1]])
    ),
    "pandas": pd.DataFrame({"a": [BIG, BIG + 1], "b": HALVES}),
    "pandas, nullable": pd.DataFrame({"a": pd.array([BIG, BIG + 1], "Int64"), "b": HALVES}),
    "pandas, objects": pd.DataFrame({"a": [BIG, BIG + 1], "b": HALVES}, dtype=object),
    "pandas, Arrow's decimals": pd.DataFrame(
        {"a": pd.array([TENTH, ABOVE], pd.ArrowDtype(pa.decimal128(30, 20))), "b": HALVES}
    ),
    "Polars": pl.DataFrame({"a": [BIG, BIG + 1], "b": HALVES}),
    "Polars, decimals": pl.DataFrame({"a": [TENTH, ABOVE], "b": HALVES}),
    "Arrow": pa.table({"a": [BIG, BIG + 1], "b": HALVES}),
    "Arrow, decimals": pa.table({"a": [TENTH, ABOVE], "b": HALVES}),
    "Dask": dd.from_pandas(pd.DataFrame({"a": [BIG, BIG + 1], "b": HALVES}), npartitions=1),
}


@pytest.mark.parametrize("name", SEPARABLE)
def test_rows_that_floats_cannot_tell_apart_are_separable(name):
    X = SEPARABLE[name]
    assert verify(certify(X, [0, 1]), X, [0, 1]).verdict == "separable"
    for one in certify(X, [0, 1], multiclass="ovr").values():
        assert verify(one, X, [0, 1]).verdict == "separable"
    assert verify(max_margin(X, [0, 1]), X, [0, 1]).verdict == "separable"
    linear = certify(X, [0, 1], kernel="linear")
    assert verify(linear, X, [0, 1]).verdict == "separable"


@pytest.mark.parametrize(
    ("X", "reason"),
    [
        (np.array([["1"], ["2"]]), "must hold numbers"),
        (np.array([["1"], ["2"]], object), "must hold numbers"),
        ([["0.1", 2.0], ["0.2", 3.0]], "must hold numbers"),
        ([[None], [2.0]], "must hold numbers"),
        ([[1j], [2.0]], "must hold numbers"),
        (np.array([["2020"], ["2021"]], "M8[D]"), "must hold numbers"),
        (pd.DataFrame({"a": pd.to_datetime(["2020", "2021"]), "b": HALVES}), "must hold numbers"),
        (sp.csr_array(np.array([[1j], [2]])), "must hold numbers"),
        (np.ma.masked_array([[1.0], [2.0]], [[0], [1]]), "masked"),
        ([np.ma.masked_array([1.0], [1]), [2.0]], "masked"),
        (np.array([[np.longdouble(nan)], [1]]), "NaN"),
        ([[Decimal("NaN")], [Decimal(1)]], "NaN"),
        (np.array([[inf], [1]], object), "NaN or infinity"),
        (sp.coo_array(([inf, -inf, 1.0], ([0, 0, 1], [0, 0, 0])), shape=(2, 1)), "NaN or infinity"),
        (pl.DataFrame({"a": [BIG, None], "b": HALVES}), "must hold numbers"),
        (pa.table({"a": [BIG, None], "b": HALVES}), "must hold numbers"),
        ([[10**400], [1]], "too large or too small"),
        ([[Fraction(1, 3 * 10**300)], [1]], "too large or too small"),
        ([[Decimal("1e-999999999")], [Decimal(1)]], "too large or too small"),
        ([[Fraction(1, 3**i)] for i in range(22_000, 22_002)], "common denominator"),
        (sp.coo_array(([True, True], ([0, 0], [0, 0])), shape=(2, 1)), "boolean twice"),
        (pd.DataFrame(index=[0, 1]), "X has shape"),
    ],
)
def test_what_cannot_be_taken_exactly_is_refused(X, reason):
    with pytest.raises(ValueError, match=reason) as caught:
        certify(X, [0, 1])
    assert "\n" not in str(caught.value)


def test_a_mask_that_hides_nothing_is_no_obstacle():
    X = np.ma.masked_array([[1.0], [2.0]], [[0], [0]])
    assert verify(certify(X, [0, 1]), np.asarray(X), [0, 1]).verdict == "separable"


@pytest.mark.parametrize(
    ("y", "reason"),
    [
        (np.ma.masked_array([0, 1], [1, 0]), "masked"),
        (np.array([0.5, nan], object), "missing"),
        ([None, 1], "missing"),
        (pd.array([1, None], "Int64"), "missing"),
        ([1, "1"], "mixed"),
        (np.array([1, 1 + np.longdouble(2) ** -60]), "equal as floats"),
    ],
)
def test_labels_that_are_no_classes_are_refused(y, reason):
    with pytest.raises(ValueError, match=reason):
        certify([[1.0], [2.0]], y)


def test_labels_are_not_rounded():
    """Three labels, two of them equal as floats: three classes, the equal rows among them."""
    found = certify([[1.0], [1.0], [2.0]], [BIG, BIG + 1, 0.5])
    assert found.classes == (0.5, BIG, BIG + 1)
    assert found.verdict == "inseparable"


def test_a_stale_flag_of_scipy_hides_no_cell():
    """A cell that was moved onto another after SciPy had found all to be different."""
    X = sp.csr_array(np.array([[1.0, 2.0**-60], [1.0, 0.0]]))
    assert X.has_canonical_format
    X.indices[1] = 0
    for given_ in (X, sp.csr_matrix(X), X.tocoo()):
        found = certify(given_, [0, 1])
        assert verify(found, given_, [0, 1]).verdict == "separable"
        assert verify(found, [[1 + Fraction(1, 2**60), 0], [1, 0]], [0, 1])


def test_a_rounded_copy_is_other_data():
    X = np.array(NEAR, object)
    found = certify(X, [0, 1])
    for other in (X.astype(float), [[BIG, 0.5], [BIG + 3, 0.5]]):
        with pytest.raises(ValueError, match="other data"):
            verify(found, other, [0, 1])


def test_equal_data_have_equal_digests():
    X = np.array([[10**18, 5], [10**18 + 1, 0], [0, 0]])
    y = [0, 1, 1]
    same = [
        X, X.astype(object), X.tolist(), X.astype(np.uint64), sp.csr_array(X), sp.coo_array(X),
        pd.DataFrame(X), pd.DataFrame(X).astype({0: "Int64"}), pl.DataFrame(X),
        [[Fraction(int(v)) for v in row] for row in X],
        [[Decimal(int(v)) for v in row] for row in X],
        [[Fraction(int(v)) for v in X[0]], *X[1:].astype(object)],
    ]  # fmt: skip
    digests = {read_problem(one, y).digest() for one in same}
    assert len(digests) == 1
    assert read_problem(X.astype(float), y).digest() not in digests


def test_floats_in_other_clothes_have_the_digest_of_floats():
    X = [[0.5, 3.0], [2.0**60, -1.25]]
    for other in (
        np.array(X, object), np.array(X, np.longdouble), [[Fraction(v) for v in row] for row in X],
        [[Decimal(v) for v in row] for row in X], pd.DataFrame(X, dtype=object),
    ):  # fmt: skip
        problem = read_problem(other, [0, 1])
        assert problem.fractions is None
        assert problem.digest() == read_problem(X, [0, 1]).digest()


def test_weak_separability_sees_what_floats_do_not():
    """The second column is constant as floats; in truth a plane along it has no row behind it."""
    X = np.array([[0, BIG], [1, BIG], [0, BIG], [1, BIG], [0, BIG + 1]])
    y = [0, 0, 1, 1, 1]
    proof = {"support": [0, 1, 2, 3], "coefficients": QUARTERS, "weakly_separable": False}
    rounded = X.astype(float)
    assert verify(made(rounded, y, "inseparable", (None, 0.0), **proof), rounded, y)
    for given_ in (X, sp.csr_array(X)):
        found = verify(certify(given_, y), given_, y)
        assert found.verdict == "inseparable"
        assert found.weakly_separable is not False
        with pytest.raises(ValueError, match="span"):
            verify(made(given_, y, "inseparable", (None, 0.0), **proof), given_, y)


def test_a_run_on_rounded_numbers_is_not_compared_with_the_exact_ones():
    with pytest.raises(ValueError, match="floats cannot"):
        bounds(np.array([[10**18], [10**18 + 1]]), [0, 1])


def test_large_numbers_that_differ_little_are_decided():
    """Three thousand rows of time stamps and identities, cut by a plane that floats cannot see."""
    rng = np.random.default_rng(0)
    small = rng.integers(0, 10**6, (3000, 3))
    X = small + np.array([10**18, 0, 17 * 10**17])
    scores = small @ [3, -2, 1]
    y = scores > np.median(scores)
    assert verify(certify(X, y), X, y).verdict == "separable"
    middle = np.argsort(scores)[1490:1510]
    y[middle] = ~y[middle]
    assert verify(certify(X, y), X, y).verdict == "inseparable"


def _doubled(rows):
    """A sparse matrix with every cell in two parts that floats hold."""
    integers = [(i, j, int(v * 2**70)) for i, row in enumerate(rows) for j, v in enumerate(row)]
    parts = [(v >> 40) * 2.0**-30 for *_, v in integers] + [
        v % 2**40 * 2.0**-70 for *_, v in integers
    ]
    i, j, _ = zip(*integers, strict=True)
    return sp.coo_array((np.array(parts), (i * 2, j * 2)), shape=(len(rows), len(rows[0])))


ROUTES = {
    "objects": lambda rows: np.array(rows, object),
    "lists": lambda rows: rows,
    "frame": lambda rows: pd.DataFrame(rows, dtype=object),
    "decimals": lambda rows: [[Decimal(int(v * 10**20)).scaleb(-20) for v in r] for r in rows],
    "doubled cells": _doubled,
}

# Closer than floats can distinguish, and dyadic or decimal so that every route holds them.
numbers = st.builds(
    lambda a, b: Fraction(a) + Fraction(b, 2**60), st.integers(-2, 2), st.integers(-2, 2)
)


@settings(max_examples=120, deadline=None)
@given(data=st.data(), route=st.sampled_from(sorted(ROUTES)), intercept=st.booleans())
def test_the_verdict_is_that_of_the_exact_numbers(data, route, intercept):
    n, d = data.draw(st.integers(2, 6)), data.draw(st.integers(1, 3))
    rows = data.draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    y = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    if route == "decimals":  # of 28 digits
        rows = [[Fraction(round(v * 10**20), 10**20) for v in row] for row in rows]
    X = ROUTES[route](rows)
    found = certify(X, y, fit_intercept=intercept)
    exact = np.array(rows, object)
    assert found.verdict == (
        "inseparable" if truth.inseparable(exact, y, intercept) else "separable"
    )
    assert verify(found, X, y)
    assert verify(found, exact, y)
    if found.verdict == "inseparable":
        assert truth.adds_up_to_zero(found, exact, y)
        if found.weakly_separable is not None:
            assert found.weakly_separable == truth.weak(exact, y, intercept)


def test_weights_beyond_the_range_of_floats_are_brought_back():
    """Only the simplex method in integers sees this separator, and its numbers are huge."""
    words = """1000000000000100000e-25 -0.9999999 9999999999999999999999999999999999999999999e-25
        0.20000000000000000002 -1e-25 10000000000000000000000000000000000000200000e-25
        12345678901234567888 0.0000000999999999999999999 0.00000010000000000002
        1000000000000000000.2 2000001000000000000000000e-25 999999999999999998e-25
        0.3 0.1 0.2 0.5 12345678901234567892 999999999999999999.8"""
    X = np.array([Decimal(word) for word in words.split()], object).reshape(6, 3)
    y = [1, 3, 1, 1, 2, 1]
    assert verify(certify(X, y), X, y).verdict == "separable"
