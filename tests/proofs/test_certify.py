"""Separable or not: the verdict is right, proved and close; on real data and small known sets."""

from __future__ import annotations

import tarfile
import time
from fractions import Fraction
from math import inf, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from rosenblatt import certify, max_margin, verify
from rosenblatt.proofs.search import certification
from tests.proofs.truth import (
    AND,
    HALF,
    QUARTER,
    SQUARE,
    XOR,
    adds_up_to_zero,
    inseparable,
    proved,
    weak,
    width,
)

# --- real data ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data() -> Any:
    found = pytest.importorskip("benchmarks.data", reason="run from the repository's root")
    try:
        found.folder()
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    return found


def test_sonar(data: Any) -> None:
    found = proved(*data.sonar(), "separable")
    assert (found.examples, found.features) == (208, 60)
    assert found.margin is not None
    assert found.margin >= 9.5e-4
    assert width(found) <= 1e-3
    assert found.note == ""


def test_ionosphere(data: Any) -> None:
    found = proved(*data.ionosphere(), "inseparable")
    assert len(found.support) <= 36  # Kirchberger: d + 2
    # Where the first feature is 0 all returns are bad: the plane x0 = 1 has none on a wrong side.
    assert found.weakly_separable
    assert "is exactly zero" in found.statement()


@pytest.fixture(scope="module")
def digits() -> Any:
    return datasets.load_digits(return_X_y=True)


def test_digits_against_the_rest(digits: Any) -> None:
    X, y = digits
    found = certify(X, y, multiclass="ovr")
    assert list(found) == list(range(10))
    assert {label for label in found if found[label].verdict == "inseparable"} == {8, 9}
    for label, one in found.items():
        assert one.target == label
        verify(one, X, y)
        assert f"class {label} against the rest" in one.statement()
        if one.verdict == "separable":
            assert width(one) <= 1e-3
        else:
            assert adds_up_to_zero(one, X, y)


def test_digits_at_once(digits: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(certification, "MAX_NARROWING", 60.0)  # however busy the machine
    found = proved(*digits, "separable")
    assert found.weights is not None
    assert found.weights.shape == (10, 64)
    assert width(found) <= 1e-3


def test_breast_cancer() -> None:
    X, y = datasets.load_breast_cancer(return_X_y=True)
    assert width(proved(StandardScaler().fit_transform(X), y, "separable")) <= 1e-3
    raw = proved(X, y, "separable")
    assert width(raw) <= 0.05
    assert raw.note.startswith("The bracket is wider than gap: ") == (width(raw) > 1e-3)


def test_iris_ends() -> None:
    X, y = datasets.load_iris(return_X_y=True)
    begin = time.monotonic()
    found = proved(X[50:], y[50:], "inseparable")
    assert time.monotonic() - begin < 10
    assert len(found.support) <= 6
    all_three = proved(X, y, "inseparable")
    assert all_three.weakly_separable
    assert "A single class may still be strictly separable" in all_three.statement()
    assert certify(X, y, multiclass="ovr")[0].verdict == "separable"


def test_newsgroups(data: Any) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    groups = "rec.autos", "rec.motorcycles", "alt.atheism"
    texts, labels = [], []
    with tarfile.open(data.folder() / "text" / "20news-bydate.tar.gz") as archive:
        for member in archive:
            part, group, *name = [*member.name.split("/"), ""][:3]
            if part.endswith("train") and group in groups and name[0]:
                file = archive.extractfile(member)
                assert file is not None
                texts.append(file.read().decode("latin-1"))
                labels.append(group)
    X, y = TfidfVectorizer().fit_transform(texts), np.array(labels)
    found = proved(X, y, "inseparable")
    assert len(found.support) == 2
    assert found.coefficients == (HALF, HALF)
    i, j = found.support
    assert {y[i], y[j]} == set(groups[:2])
    assert (X[[i]] != X[[j]]).nnz == 0
    proved(X, y == "alt.atheism", "separable")


@pytest.mark.parametrize("verdict", ["separable", "inseparable"])
def test_many_examples(verdict: str, monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(100_000, 50)), rng.normal(size=50)
    w /= np.linalg.norm(w)
    y = X @ w > 0
    X += 0.5 * np.where(y, 1.0, -1.0)[:, None] * w
    if verdict == "inseparable":
        y[:500] ^= True
    monkeypatch.setattr(certification, "MAX_NARROWING", 60.0)  # however busy the machine
    found = proved(X, y, verdict)
    if verdict == "separable":
        assert found.margin is not None
        assert found.margin > 0.5
        assert width(found) <= 1e-3
    else:
        assert found.weakly_separable is False


# --- small data, known by hand --------------------------------------------------------------------


def test_exclusive_or() -> None:
    found = proved(SQUARE, XOR, "inseparable")
    assert found.coefficients == (QUARTER,) * 4
    assert found.weakly_separable is False
    assert found.margin is None
    assert found.mistake_bound is None
    assert "not weakly separable either" in found.statement()
    assert str(found) == repr(found) == "Inseparable(4 points, exact)"


# The best margin is exactly 0: some plane has no example on its wrong side, none has all off it.
TOUCHING = {
    "on a line": ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], True),
    "a point on an edge": ([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 1, 1], True),
    "crossing segments on a plane": (
        [[-1.0, 0, 0], [1.0, 0, 0], [0, -1.0, 0], [0, 1.0, 0], [0, 0, 1.0], [0, 0, -1.0]],
        [0, 0, 1, 1, 1, 0],
        True,
    ),
    "opposite directions": ([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [1, 1, 1], False),
    "a zero example": ([[0.0, 0.0], [1.0, 2.0]], ["a", "b"], False),
    "thirds": ([[0.0, 0.0], [1.0, 3.0], [1 / 3, 1.0], [0.0, 1.0]], [0, 0, 1, 1], True),
    "small by big": ([[1e-8, 1e8], [3e-8, 1e8], [2e-8, 1e8], [0, 2e8]], [0, 0, 1, 1], True),
}


@pytest.mark.parametrize("name", TOUCHING)
def test_a_best_margin_of_exactly_zero(name: str) -> None:
    X, y, intercept = TOUCHING[name]
    separable = not inseparable(X, y, intercept)
    if name in ("thirds", "small by big"):  # floats near a third need not be on the edge
        found = proved(X, y, "separable" if separable else "inseparable", fit_intercept=intercept)
        assert found.weakly_separable in (None, weak(X, y, intercept))
        return
    assert not separable
    found = proved(X, y, "inseparable", fit_intercept=intercept)
    assert found.weakly_separable is True
    assert found.margin_bracket == (0.0, 0.0)
    assert "weakly separable" in found.statement()
    assert "exactly 0" in found.statement()
    assert "exactly 0" in str(found)


def test_equal_examples_of_different_classes() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 5))
    X[17] = X[4]
    y = X[:, 0] > 0
    y[17] = not y[4]
    for storage in (np.array, sp.csr_array):
        found = proved(storage(X), y, "inseparable")
        assert found.support.tolist() == [4, 17]
        assert found.coefficients == (HALF, HALF)
    assert proved(X, y.astype(int) + 2 * (X[:, 1] > 0), "inseparable").support.tolist() == [4, 17]


def test_minus_zero_is_zero() -> None:
    found = proved([[0.0, 1.0], [-0.0, 1.0], [2.0, 3.0]], [0, 1, 1], "inseparable")
    assert found.support.tolist() == [0, 1]


def test_one_class() -> None:
    X = np.array([[1.0, 2.0], [-3.0, 0.5], [0.0, 0.0]])
    found = proved(X, ["a"] * 3, "separable")
    assert found.margin_bracket == pytest.approx((1.0, 1.0), rel=1e-3)
    proved(X, ["a"] * 3, "inseparable", fit_intercept=False)
    proved(X[:2], ["a"] * 2, "separable", fit_intercept=False)
    with pytest.raises(ValueError, match="intercept_scaling=inf"):
        certify(X, ["a"] * 3, intercept_scaling=inf)


def test_one_example() -> None:
    assert proved([[3.0, 4.0]], [7], "separable", fit_intercept=False).margin_bracket == (5.0, 5.0)
    proved([[0.0]], [7], "separable")
    proved([[0.0]], [7], "inseparable", fit_intercept=False)


def test_fewer_examples_than_features() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 80)), np.tile([0, 1], 10)
    assert width(proved(X, y, "separable")) <= 1e-3
    assert width(proved(X, np.arange(20) % 4, "separable")) <= 1e-3
    X = np.rint(8 * X)
    X[19] = (X[0] + X[2]) / 2
    found = proved(X, y, "inseparable")  # one in the middle of two others
    assert found.support.tolist() == [0, 2, 19]
    assert found.coefficients == (QUARTER, QUARTER, HALF)
    nearly = rng.normal(size=(10, 16))
    nearly[9] = (nearly[0] + nearly[2]) / 2  # but for rounding
    no = inseparable(nearly, y[:10], True)
    proved(nearly, y[:10], "inseparable" if no else "separable")


@pytest.mark.parametrize("intercept", [True, False])
def test_columns_that_say_nothing(intercept: bool) -> None:
    constant = np.column_stack([SQUARE * 2 - 1, np.full(4, 7.0), np.zeros(4)])
    for storage in (np.array, sp.csr_array):
        found = proved(storage(constant), XOR, "inseparable", fit_intercept=intercept)
        assert found.weakly_separable is False
        assert found.coefficients == (QUARTER,) * 4
        proved(storage(constant), AND, "separable", fit_intercept=intercept)
    zeros = np.zeros((3, 2))
    proved(zeros, [1, 1, 1], "separable" if intercept else "inseparable", fit_intercept=intercept)
    found = proved(zeros, [1, 0, 1], "inseparable", fit_intercept=intercept)
    assert found.weakly_separable is not True


def test_zero_rows_without_an_intercept() -> None:
    X = np.array([[1.0, 0.0], [0.0, 0.0], [-1.0, 1.0]])
    for storage in (np.array, sp.csr_array):
        found = proved(storage(X), [1, 1, 0], "inseparable", fit_intercept=False)
        assert found.support.tolist() == [1]
        assert found.coefficients == (Fraction(1),)
        assert found.weakly_separable is True
        proved(storage(X), [1, 1, 0], "separable")
        three = proved(storage(X), [1, 2, 0], "inseparable", fit_intercept=False)
        assert three.support.tolist() == [1]


def test_how_the_data_are_stored_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(-3, 4, size=(40, 5)) * (rng.random((40, 5)) < 0.6)
    # Unsorted, with explicit zeros, and one entry in two parts.
    i, j = np.nonzero(np.ones_like(X))
    order = rng.permutation(len(i))
    values, i, j = X[i, j][order].astype(float), i[order], j[order]
    i, j = np.append(i, [0, 1]), np.append(j, [2, 3])
    values = np.append(values, [2.0, -1.5])
    values[np.flatnonzero((i[:-2] == 0) & (j[:-2] == 2))] -= 2.0
    values[np.flatnonzero((i[:-2] == 1) & (j[:-2] == 3))] += 1.5
    counts = np.argsort(i, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(i, minlength=40))])
    messy = sp.csr_array((values[counts], j[counts], indptr), shape=X.shape)
    before = messy.data.copy(), messy.indices.copy()
    for y, verdict in (
        (X @ [1, 2, -1, 0, 1] > 0, "separable"),
        (rng.integers(0, 2, 40), "inseparable"),
    ):
        expected = proved(X.astype(float), y, verdict)
        for given_ in (
            X, X.astype(np.int8), X.astype(np.float32), X.tolist(), np.asfortranarray(X),
            X.astype(object), sp.csr_matrix(X), sp.coo_array(X), sp.csc_array(X.astype(np.float32)),
            messy,
        ):  # fmt: skip
            found = proved(given_, y, verdict)
            assert found.digest == expected.digest
            verify(expected, given_, y)
            verify(found, X, y)
        bits = proved(X > 0, np.asarray(X)[:, 1] > 0, "separable")
        verify(bits, (X > 0).astype(float), np.asarray(X)[:, 1] > 0)
    assert np.array_equal(before[0], messy.data)
    assert np.array_equal(before[1], messy.indices)


def test_labels_of_any_kind() -> None:
    base = proved(SQUARE, AND, "separable")
    for y in (
        ["no", "no", "no", "yes"], AND.astype(bool), AND.astype(float), AND * 2 - 1,
        np.array(["a", "a", "a", "b"], object),
    ):  # fmt: skip
        found = proved(SQUARE, y, "separable")
        assert found.margin_bracket == base.margin_bracket
    X, y = datasets.load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    assert list(certify(X, names, multiclass="ovr")) == ["setosa", "versicolor", "virginica"]


def test_three_classes() -> None:
    X = np.array([[4.0, 0.0], [5.0, 1.0], [-4.0, 3.0], [-5.0, 2.0], [0.0, -6.0]])
    y = np.array(["east", "east", "north", "north", "south"])
    for intercept in (True, False):
        found = proved(X, y, "separable", fit_intercept=intercept)
        assert found.weights is not None
        assert found.intercept is not None
        scores = X @ found.weights.T + found.intercept
        assert (np.array(found.classes)[scores.argmax(axis=1)] == y).all()
    line = np.array([[0.0], [1.0], [2.0], [3.0]])
    proved(line, [0, 1, 2, 2], "separable")  # a class in the middle has its row
    found = proved(line, [0, 1, 2, 0], "inseparable")
    assert len(found.rivals) == len(found.support)
    found = proved([[0.0], [1.0], [1.0], [2.0], [9.0]], [0, 0, 1, 1, 2], "inseparable")
    assert found.weakly_separable is True


# --- intercepts -----------------------------------------------------------------------------------


def test_a_free_intercept_measures_distances() -> None:
    """Half the distance between the hulls, where it can be seen."""
    for X, y, margin in (
        ([[0.0], [1.0], [3.0]], [0, 0, 1], 1.0),
        ([[10.0], [12.0]], [0, 1], 1.0),
        ([[0.0, 0.0], [3.0, 4.0]], ["a", "b"], 2.5),
        ([[0.0, 0.0], [0.0, 2.0], [4.0, 1.0], [6.0, 5.0]], [0, 0, 1, 1], 2.0),
        ([[1e6, 0.0], [1e6, 1.0], [1e6 + 1, 0.5]], [0, 0, 1], 0.5),
        ([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [1, 1, 0], sqrt(0.5) / 2),
        (SQUARE, AND, sqrt(0.5) / 2),
    ):
        for find in (certify, max_margin):
            found = find(X, y, intercept_scaling=inf)
            verify(found, X, y)
            assert found.verdict == "separable"
            assert found.scaling == inf
            assert found.mistake_bound is None
            low, high = found.margin_bracket
            assert low <= margin * (1 + 1e-15)
            assert high >= margin * (1 - 1e-15)
            assert (high - low) / high <= (1e-3 if find is certify else 1e-6)
    found = proved(SQUARE, XOR, "inseparable", intercept_scaling=inf)
    assert found.coefficients == (QUARTER,) * 4
    proved([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], "inseparable", intercept_scaling=inf)


@pytest.mark.parametrize("scaling", [0.125, 0.3, 1.0, 10.0, 1e6])
def test_the_size_of_the_constant_feature(scaling: float) -> None:
    """(1, c) and -(0, c): the nearest point of their segment is known."""
    found = proved([[0.0], [1.0]], [0, 1], "separable", intercept_scaling=scaling, gap=1e-9)
    # t·(1, c) - (1 - t)·(0, c) = (t, (2t - 1)·c) is shortest at t = 2c²/(1 + 4c²).
    t = 2 * scaling**2 / (1 + 4 * scaling**2)
    shortest = sqrt(t**2 + ((2 * t - 1) * scaling) ** 2)
    assert found.margin_bracket == pytest.approx(
        (shortest, shortest), rel=max(1e-8, 1e-15 * scaling**2)
    )
    assert found.scaling == scaling
    proved(SQUARE, XOR, "inseparable", intercept_scaling=scaling)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_radius_is_that_of_the_longest_signed_example(classes: int) -> None:
    """With many classes an example counts twice: for its own class and against the rival."""
    X, y = datasets.load_iris(return_X_y=True)
    longest2 = ((X**2).sum(axis=1) + 0.25).max() * (1 if classes == 2 else 2)
    found = certify(X, y if classes == 3 else y == 0, intercept_scaling=0.5)
    assert found.radius**2 == pytest.approx(longest2, rel=1e-12)
    assert found.radius**2 >= longest2 * (1 - 1e-15)
