"""What a caller may ask of a certificate, and what becomes of it."""

from __future__ import annotations

import time
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from sklearn import datasets

import rosenblatt
from rosenblatt import Certificate, VerificationError, certify, max_margin, proofs, verify
from rosenblatt.proofs.checker import read_problem
from rosenblatt.proofs.search import Evidence, steps
from tests.proofs.truth import AND, QUARTER, SQUARE, XOR, adds_up_to_zero, proved, width

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
        assert "neither is proved" in found.statement()
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
        ([[10**400], [0]], [0, 1], "X holds a number too large or too small"),
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
    reported: list[str] = []
    certify(SQUARE, XOR, progress=reported.append)
    assert reported[0] == "perceptron"
    assert reported[-1] == "weak separability"
    reported.clear()
    certify(SQUARE, [0, 1, 2, 2], multiclass="ovr", progress=reported.append)
    assert [words for words in reported if words.startswith("class")] == [
        f"class {label} against the rest" for label in range(3)
    ]
    reported.clear()
    max_margin(SQUARE, AND, progress=reported.append)
    assert reported == ["nearest point of the hull"]


# --- a perceptron that returns --------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_a_perceptron_that_returns_proves_inseparability(classes: int) -> None:
    from rosenblatt.engine import inputs
    from rosenblatt.engine.run import Run
    from rosenblatt.theory import rules

    if classes == 2:
        X, y = SQUARE, XOR
    else:
        X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 2, 0])
    problem = read_problem(X, y)
    if classes == 2:
        space, labels = inputs.binary_space(X, 1.0), problem.signs.astype(np.int8)
    else:
        space, labels = inputs.class_space(X, 3, 1.0), problem.codes.astype(np.int32)
    run = Run(rules.Plain(), space, labels, order="cyclic", rng=0, count_errors=False)
    run.go(200)
    assert not run.settled
    evidence = Evidence(problem)
    steps.find_cycle(evidence, run, 1.0)
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
    for name in proofs.__all__:
        assert getattr(proofs, name) is getattr(rosenblatt, name)
    assert dir(proofs) == proofs.__all__
    with pytest.raises(AttributeError, match="Refused"):
        _ = proofs.Refused
    assert issubclass(VerificationError, ValueError)
