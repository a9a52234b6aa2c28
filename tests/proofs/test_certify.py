"""Separable or not: the verdict is right, proved, and close; on real, random and nasty data."""

from __future__ import annotations

import tarfile
import time
from dataclasses import replace
from fractions import Fraction
from math import inf, nan, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import datasets
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import rosenblatt
from rosenblatt import Certificate, Refused, certify, max_margin, verify
from rosenblatt.proofs import certify as certifying
from rosenblatt.proofs import search
from rosenblatt.proofs.evidence import Evidence
from rosenblatt.proofs.problem import read

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([0, 1, 1, 0])
AND = np.array([0, 0, 0, 1])
HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


# --- what is true, without the package ------------------------------------------------------------


def rows(X: Any) -> list[list[Fraction]]:
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    return [[Fraction(v) for v in row] for row in X.astype(float).tolist()]


def constraints(
    X: Any, y: Any, intercept: bool, target: Any = None, at: Any = None
) -> dict[Any, list[Fraction]]:
    """Signed examples by example and rival class (of two classes the rival is 0)."""
    y = np.asarray(y)
    named, at = np.unique(y).tolist(), list(range(len(y)) if at is None else at)
    target = named[-1] if target is None and len(named) < 3 else target
    part = (sp.csr_array(X) if sp.issparse(X) else np.asarray(X))[at]
    out = {}
    for i, row, label in zip(at, rows(part), y[at].tolist(), strict=True):
        x = [*row, Fraction(1)] if intercept else row
        if target is not None:
            out[i, 0] = [v if label == target else -v for v in x]
            continue
        for rival, name in enumerate(named):
            if name != label:
                z = [[Fraction(0)] * len(x) for _ in named]
                z[named.index(label)], z[rival] = x, [-v for v in x]
                out[i, rival] = [v for block in z for v in block]
    return out


def feasible(columns: list[list[Fraction]], right: list[Fraction]) -> bool:
    """Whether λ >= 0 with Σ λ·column = right exists: a simplex in fractions, Bland's rule."""
    m, n = len(right), len(columns)
    sign = [-1 if v < 0 else 1 for v in right]
    table = [
        [sign[i] * column[i] for column in columns]
        + [Fraction(int(i == j)) for j in range(m)]
        + [sign[i] * right[i]]
        for i in range(m)
    ]
    basis = list(range(n, n + m))
    cost = [-sum((row[j] for row in table), Fraction(0)) for j in range(n)]
    cost += [Fraction(0)] * m + [-sum((row[-1] for row in table), Fraction(0))]
    while True:
        enter = next((j for j in range(n) if cost[j] < 0), None)
        if enter is None:
            return cost[-1] == 0
        leave = min(
            (row[-1] / row[enter], basis[i], i) for i, row in enumerate(table) if row[enter] > 0
        )[2]
        pivot = table[leave][enter]
        table[leave] = [v / pivot for v in table[leave]]
        for row in [*(r for i, r in enumerate(table) if i != leave), cost]:
            if factor := row[enter]:
                row[:] = [a - factor * b for a, b in zip(row, table[leave], strict=True)]
        basis[leave] = enter


def inseparable(X: Any, y: Any, intercept: bool) -> bool:
    """Gordan: no w is positive on every z if and only if some λ >= 0, Σ λ = 1, has Σ λz = 0."""
    Z = list(constraints(X, y, intercept).values())
    return feasible([[*z, Fraction(1)] for z in Z], [Fraction(0)] * len(Z[0]) + [Fraction(1)])


def weak(X: Any, y: Any, intercept: bool) -> bool:
    """Stiemke: some w has w·z >= 0, not all 0, if and only if no λ > 0 has Σ λz = 0."""
    Z = list(constraints(X, y, intercept).values())
    return not feasible(Z, [-sum(column) for column in zip(*Z, strict=True)])


def adds_up_to_zero(certificate: Certificate, X: Any, y: Any) -> bool:
    """The combination, summed again in fractions."""
    at = np.unique(certificate.support).tolist()
    Z = constraints(X, y, certificate.scaling > 0, certificate.target, at)
    rivals = certificate.rivals.tolist() or [0] * len(certificate.support)
    parts = list(zip(certificate.support.tolist(), rivals, strict=True))
    assert all(c >= 0 for c in certificate.coefficients)
    assert sum(certificate.coefficients) == 1
    sums = [Fraction(0)] * len(Z[parts[0]])
    for c, part in zip(certificate.coefficients, parts, strict=True):
        sums = [total + c * v for total, v in zip(sums, Z[part], strict=True)]
    return not any(sums)


def proved(X: Any, y: Any, verdict: str, **options: Any) -> Certificate:
    """A certificate of this verdict that is true of the data."""
    found = certify(X, y, **options)
    assert found.verdict == verdict
    assert verify(found, X, y) is found
    low, high = found.margin_bracket
    assert low <= high
    if verdict == "separable":
        assert low > 0
        assert found.mistake_bound is None or found.mistake_bound >= 1
    if verdict == "inseparable":
        assert high == 0
        assert adds_up_to_zero(found, X, y)
    return found


def cloud(rng: Any, n: int, d: int, margin: float = 0.2) -> tuple[Any, Any]:
    """Two classes that a plane, off the origin, holds apart by this margin at least."""
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    w /= np.linalg.norm(w)
    y = X @ w > 0.3
    return X + margin * np.where(y, 1.0, -1.0)[:, None] * w, y.astype(int)


def width(certificate: Certificate) -> float:
    low, high = certificate.margin_bracket
    return (high - low) / high


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
    assert "add up to exactly zero" in found.statement()


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
    monkeypatch.setattr(certifying, "POLISH", 60.0)  # however busy the machine
    found = proved(*digits, "separable")
    assert found.weights is not None
    assert found.weights.shape == (10, 64)
    assert width(found) <= 1e-3


def test_breast_cancer() -> None:
    X, y = datasets.load_breast_cancer(return_X_y=True)
    assert width(proved(StandardScaler().fit_transform(X), y, "separable")) <= 1e-3
    raw = proved(X, y, "separable")
    assert width(raw) <= 0.05
    assert raw.note.startswith("The bracket is wider than asked") == (width(raw) > 1e-3)


def test_iris_ends() -> None:
    X, y = datasets.load_iris(return_X_y=True)
    begin = time.monotonic()
    found = proved(X[50:], y[50:], "inseparable")
    assert time.monotonic() - begin < 10
    assert len(found.support) <= 6
    all_three = proved(X, y, "inseparable")
    assert all_three.weakly_separable
    assert "A class may well be separable from the rest" in all_three.statement()
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
def test_many_examples(verdict: str) -> None:
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(100_000, 50)), rng.normal(size=50)
    w /= np.linalg.norm(w)
    y = X @ w > 0
    X += 0.5 * np.where(y, 1.0, -1.0)[:, None] * w
    if verdict == "inseparable":
        y[:500] ^= True
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
    assert "Not even a hyperplane" in found.statement()
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


# --- where floats end -----------------------------------------------------------------------------


@pytest.mark.parametrize("tiny", [2.0**-40, 2.0**-60, 1e-12, 2.0**-200])
def test_tiny_margins(tiny: float) -> None:
    rng = np.random.default_rng(4)
    A = rng.integers(-8, 9, size=(40, 3)).astype(float)
    y = np.tile([0, 1], 20)
    shift = np.where(y == 1, tiny, -tiny)
    # One feature that tells, far smaller than the others.
    beside = np.column_stack([A, A.sum(axis=1), shift])
    proved(beside, y, "separable", fit_intercept=False)
    proved(beside, y, "separable")
    middle = np.vstack([beside, np.zeros(5)])
    middle[-1, -1] = -tiny
    wrong = np.append(y, 1)
    truth = {flag: inseparable(middle, wrong, flag) for flag in (False, True)}
    for intercept, no in truth.items():
        proved(middle, wrong, "inseparable" if no else "separable", fit_intercept=intercept)
    assert truth[False]
    # The same sum in one feature: the others must cancel. Rounding may decide; so does the oracle.
    within = np.column_stack([A, A.sum(axis=1) + shift])
    for intercept in (False, True):
        no = inseparable(within, y, intercept)
        proved(within, y, "inseparable" if no else "separable", fit_intercept=intercept)
        if tiny in (2.0**-40, 1e-12):
            assert not no


@pytest.mark.parametrize("base", [1.0, 3.0, 1e-200, 1e200])
def test_a_last_digit_apart(base: float) -> None:
    above = float(np.nextafter(base, inf))
    proved([[base], [above]], [0, 1], "separable")
    proved([[base], [base]], [0, 1], "inseparable")
    proved([[base], [above], [float(np.nextafter(above, inf))]], [0, 1, 0], "inseparable")


@pytest.mark.parametrize("base", [1e-300, 1e300, 5e-324, 1.7e308])
def test_at_the_ends_of_the_floats_nothing_false_is_said(base: float) -> None:
    """Weights of sizes that floats cannot hold are not written: then it stays undecided."""
    X = [[base], [float(np.nextafter(base, 0.0))]]
    assert verify(certify(X, [0, 1]), X, [0, 1]).verdict in ("separable", "undecided")
    X.append([-base])
    found = certify(X, [0, 1, 1], fit_intercept=False)
    assert verify(found, X, [0, 1, 1]).verdict in ("inseparable", "undecided")
    proved([[base], [base]], [0, 1], "inseparable")


def test_near_duplicates() -> None:
    """Pairs of opposite labels, a last digit of one feature apart."""
    rng = np.random.default_rng(5)
    for d, n in ((2, 3), (3, 4), (6, 4), (4, 12)):
        A = rng.normal(size=(n, d))
        B = A.copy()
        B[:, 0] = np.nextafter(A[:, 0], inf)
        X, y = np.vstack([A, B]), np.repeat([0, 1], n)
        proved(X, y, "inseparable" if inseparable(X, y, True) else "separable")


def test_badly_scaled_columns() -> None:
    rng = np.random.default_rng(6)
    A = rng.integers(-9, 10, size=(60, 4))
    y = (A @ [1, -1, 2, 1] + 0.5 > 0).astype(int)
    for scale in ([1e-8, 1e8, 1.0, 1.0], [1e-8, 1e-8, 1e8, 1e8], [1e-150, 1e150, 1.0, 1e-8]):
        proved(A * np.array(scale), y, "separable")
        flipped = y.copy()
        flipped[np.abs(A @ [1, -1, 2, 1]).argmax()] ^= 1
        no = inseparable(A * np.array(scale), flipped, True)
        proved(A * np.array(scale), flipped, "inseparable" if no else "separable")


# --- random data against an exact oracle ----------------------------------------------------------


@st.composite
def tables(draw: Any) -> tuple[Any, Any, bool]:
    d, classes = draw(st.integers(1, 4)), draw(st.sampled_from([2, 2, 3]))
    n = draw(st.integers(classes, 12 if classes == 2 else 8))
    top = draw(st.sampled_from([1, 2, 5]))
    cells = st.lists(st.integers(-top, top), min_size=d, max_size=d)
    X = np.array(draw(st.lists(cells, min_size=n, max_size=n)), float)
    y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    if draw(st.booleans()):  # else few are separable
        w = np.array(draw(st.lists(cells, min_size=classes, max_size=classes)), float)
        y = (X @ w.T).argmax(axis=1)
    return X, y, draw(st.booleans())


def lies(found: Certificate) -> dict[str, Certificate]:
    """The same certificate with something in it that is false, whatever the data."""
    high = found.margin_bracket[1]
    out = {
        "other data": replace(found, digest="sha256:" + "0" * 64),
        "examples": replace(found, examples=found.examples + 1),
        "radius": replace(found, radius=found.radius / 2 if found.radius else 1.0),
        "upper end": replace(found, margin_bracket=(-found.radius, high / 2 if high else -1.0)),
    }
    if found.coefficients:
        first, *others = found.coefficients
        out["sum"] = replace(found, coefficients=(first / 2, *others))
        out["sign"] = replace(found, coefficients=(-first, *others))
        out["lost"] = replace(found, support=found.support[1:], rivals=found.rivals[1:])
    if found.verdict == "separable":
        assert found.weights is not None
        assert found.intercept is not None
        turned = replace(found, weights=-found.weights, intercept=-found.intercept)
        out["turned"] = turned
        out["verdict"] = replace(found, verdict="inseparable")
        out["margin"] = replace(found, margin_bracket=(high * 1.01, high * 1.02))
        out["weak"] = replace(found, weakly_separable=True)
        out["none"] = replace(found, weights=None, intercept=None)
    else:
        out["verdict"] = replace(found, verdict="separable")
        out["positive"] = replace(found, margin_bracket=(1e-9, 1e-9))
        if found.weakly_separable is not None:
            out["weak"] = replace(found, weakly_separable=not found.weakly_separable)
    return out


@settings(max_examples=120, deadline=None)
@given(tables(), st.data())
def test_the_verdict_is_right(table: Any, data: Any) -> None:
    X, y, intercept = table
    no = inseparable(X, y, intercept)
    found = proved(X, y, "inseparable" if no else "separable", fit_intercept=intercept)
    if no and found.weakly_separable is not None:
        assert found.weakly_separable == weak(X, y, intercept)
    false = lies(found)
    with pytest.raises(Refused):
        verify(false[data.draw(st.sampled_from(sorted(false)))], X, y)
    if no and len(found.support) > 1:
        # Weights moved from one to another: the sum stays zero only if these are equal.
        i, j = data.draw(st.permutations(range(len(found.support))))[:2]
        Z = constraints(X, y, intercept)
        rivals = found.rivals.tolist() or [0] * len(found.support)
        ends = [Z[int(found.support[k]), rivals[k]] for k in (i, j)]
        assume(ends[0] != ends[1])
        moved = list(found.coefficients)
        step = moved[i] * data.draw(st.sampled_from([Fraction(1), HALF, Fraction(1, 10**30)]))
        moved[i], moved[j] = moved[i] - step, moved[j] + step
        with pytest.raises(Refused):
            verify(replace(found, coefficients=tuple(moved)), X, y)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from([1.0, inf, 2.5]))
def test_floats_near_a_boundary(seed: int, d: int, scaling: float) -> None:
    """Points on a plane but for rounding: only exact arithmetic can tell."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 10))
    A, w = rng.normal(size=(n, d)), rng.normal(size=d)
    X = np.column_stack([A, A @ w])
    y = np.arange(n) % 2
    no = inseparable(X, y, True)
    found = proved(X, y, "inseparable" if no else "separable", intercept_scaling=scaling)
    if no and found.weakly_separable is not None:
        assert found.weakly_separable == weak(X, y, True)


# --- the bracket ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_largest_margin_is_that_of_a_support_vector_machine(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    X, y = cloud(rng, 60, d)
    found = max_margin(X, y, intercept_scaling=inf)
    verify(found, X, y)
    machine = SVC(kernel="linear", C=1e10, tol=1e-8).fit(X, y)
    signed = np.where(y, 1, -1) * machine.decision_function(X)
    reached = signed.min() / np.linalg.norm(machine.coef_)
    low, high = found.margin_bracket
    assert reached <= high * (1 + 1e-12)
    assert low == pytest.approx(reached, rel=1e-5)
    assert width(found) <= 1e-6


@pytest.mark.parametrize("gap", [0.5, 1e-1, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("scaling", [1.0, inf])
def test_the_gap_is_kept(gap: float, scaling: float) -> None:
    rng = np.random.default_rng(7)
    X, y = cloud(rng, 300, 8)
    for find in (certify, max_margin):
        found = find(X, y, gap=gap, intercept_scaling=scaling)
        verify(found, X, y)
        assert width(found) <= gap
        assert found.note == ""


def test_a_bracket_that_is_wider_than_asked_is_noted(monkeypatch: Any) -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(400, 20))
    y = X @ rng.normal(size=20) > 0
    monkeypatch.setattr(certifying, "POLISH", 0.0)
    found = proved(X, y, "separable", gap=1e-9)
    assert width(found) > 1e-9
    assert found.note.startswith("The bracket is wider than asked: ")
    verify(replace(found, note="Believe me."), X, y)


def test_a_statement_says_one_number_where_both_ends_are_alike() -> None:
    near = proved(SQUARE, AND, "separable", gap=1e-9)
    assert "The best margin is 0.242536, to six digits." in near.statement()
    far = replace(near, margin_bracket=(0.24, 0.25))
    assert "The best margin is between 0.24 and 0.25." in far.statement()


# --- options --------------------------------------------------------------------------------------


def test_without_rationals() -> None:
    found = proved(SQUARE, AND, "separable", exact=False)
    assert width(found) <= 1e-3
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    for A, b in ((X, y), (datasets.load_iris().data[50:], np.repeat([0, 1], 50))):
        found = proved(A, b, "undecided", exact=False)
        assert found.margin_bracket[1] < 1e-6
        assert "exact=True" in found.note
        assert "undecided" in found.statement()
        assert str(found).startswith("Undecided(margin in [")


@pytest.mark.parametrize("limit", [1e-9, 0.02])
def test_when_time_is_up(limit: float) -> None:
    rng = np.random.default_rng(10)
    X = rng.normal(size=(5_000, 60))
    w = rng.normal(size=60)
    for y in (X @ w > 0, X @ w + rng.normal(size=5_000) > 0):
        for find in (certify, max_margin):
            begin = time.monotonic()
            found = find(X, y, time_limit=limit)
            assert time.monotonic() - begin < 5
            verify(found, X, y)
            if found.verdict == "undecided":
                assert "time_limit" in found.note
    many = certify(X[:2000], np.arange(2000) % 4, time_limit=limit, multiclass="ovr")
    for one in many.values():
        verify(one, X[:2000], np.arange(2000) % 4)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"gap": 0.0}, "gap"), ({"gap": 1.0}, "gap"), ({"gap": -1}, "gap"), ({"gap": nan}, "gap"),
        ({"time_limit": 0}, "time_limit"), ({"time_limit": -1.0}, "time_limit"),
        ({"time_limit": nan}, "time_limit"), ({"multiclass": "ovo"}, "multiclass"),
        ({"intercept_scaling": 0.0}, "intercept_scaling"),
        ({"intercept_scaling": nan}, "intercept_scaling"),
        ({"intercept_scaling": -1.0}, "intercept_scaling"),
    ],
)  # fmt: skip
def test_wrong_options(options: Any, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        certify(SQUARE, XOR, **options)
    if "multiclass" not in options:
        with pytest.raises(ValueError, match=word):
            max_margin(SQUARE, XOR, **options)


def test_wrong_data() -> None:
    for X, y, word in (
        (np.where(SQUARE == 1, nan, SQUARE), XOR, "X holds NaN"),
        (np.where(SQUARE == 1, inf, SQUARE), XOR, "X holds NaN or infinity"),
        (SQUARE, XOR[:3], "y has shape"),
        (SQUARE, XOR[:, None], "y has shape"),
        (SQUARE[:, 0], XOR, "X has shape"),
        (SQUARE[:0], XOR[:0], "X has shape"),
        (SQUARE, [0.0, 1.0, nan, 1.0], "y holds missing"),
        ([["a"], ["b"]], [0, 1], "X must hold numbers"),
        (np.array([[2**53 + 1], [0]]), [0, 1], "X holds numbers that 53 bits cannot"),
    ):
        for find in (certify, max_margin):
            with pytest.raises(ValueError, match=word):
                find(X, y)
    three = [0, 1, 2, 2]
    for find in (certify, max_margin):
        with pytest.raises(ValueError, match="intercept_scaling=inf"):
            find(SQUARE, three, intercept_scaling=inf)
    for one in certify(SQUARE, three, intercept_scaling=inf, multiclass="ovr").values():
        verify(one, SQUARE, three)


def test_progress_is_told_in_words() -> None:
    told: list[str] = []
    certify(SQUARE, XOR, progress=told.append)
    assert told[0] == "perceptron"
    assert told[-1] == "weak separability"
    told.clear()
    certify(SQUARE, [0, 1, 2, 2], multiclass="ovr", progress=told.append)
    assert [words for words in told if words.startswith("class")] == [
        f"class {label} against the rest" for label in range(3)
    ]
    told.clear()
    max_margin(SQUARE, AND, progress=told.append)
    assert told == ["nearest point of the hull"]


# --- a perceptron that returns --------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_a_perceptron_that_returns_proves_inseparability(classes: int) -> None:
    from rosenblatt import inputs, rules
    from rosenblatt.run import Run

    if classes == 2:
        X, y = SQUARE, XOR
    else:
        X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 2, 0])
    problem = read(X, y)
    if classes == 2:
        space, labels = inputs.binary_space(X, 1.0), problem.signs.astype(np.int8)
    else:
        space, labels = inputs.class_space(X, 3, 1.0), problem.codes.astype(np.int32)
    run = Run(rules.Plain(), space, labels, order="cyclic", rng=0, count_errors=False)
    run.go(200)
    assert not run.settled
    evidence = Evidence(problem)
    search._retrace(evidence, run, 1.0)
    assert evidence.verdict == "inseparable"
    found = evidence.certificate()
    assert adds_up_to_zero(found, X, y)
    verify(found, X, y)
    if classes == 2:
        assert found.coefficients == (QUARTER,) * 4


# --- certificates ---------------------------------------------------------------------------------

SAVED = {
    "separable": (SQUARE, AND, {}),
    "inseparable": (SQUARE, XOR, {}),
    "weakly separable": ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], {}),
    "undecided": (SQUARE, XOR, {"exact": False}),
    "free": (SQUARE, AND, {"intercept_scaling": inf}),
    "many classes": ([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "c", "c"], {}),
    "fractions": ([[1.0], [float(np.nextafter(1.0, 2.0))]], [0, 1], {}),
}


@pytest.mark.parametrize("name", SAVED)
def test_two_calls_make_the_same_file(name: str, tmp_path: Any) -> None:
    X, y, options = SAVED[name]
    for k in (1, 2):
        found = certify(X, y, **options)
        found.save(tmp_path / f"{k}.json")
    first = (tmp_path / "1.json").read_bytes()
    assert first == (tmp_path / "2.json").read_bytes()
    loaded = Certificate.load(tmp_path / "1.json")
    assert verify(loaded, X, y) is loaded
    assert loaded.statement() == found.statement()
    assert loaded.coefficients == found.coefficients
    loaded.save(tmp_path / "3.json")
    assert first == (tmp_path / "3.json").read_bytes()


def test_larger_data_are_certified_alike_each_time(tmp_path: Any) -> None:
    rng = np.random.default_rng(11)
    X, w = rng.normal(size=(3000, 20)), rng.normal(size=20)
    for y in (X @ w > 0, X @ w + rng.normal(size=3000) > 0):
        for k in (1, 2):
            certify(X, y).save(tmp_path / f"{k}.json")
        assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()


def test_certificates_compare_by_identity_and_can_be_keys() -> None:
    one, other = certify(SQUARE, XOR), certify(SQUARE, XOR)
    assert one == one
    assert one != other
    assert len({one, other}) == 2


def test_what_is_exported() -> None:
    assert rosenblatt.Refused is Refused
    assert issubclass(Refused, ValueError)
