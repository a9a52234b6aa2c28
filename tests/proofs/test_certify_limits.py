"""Verdicts where floats end, and on random sets against an exact oracle; brackets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from rosenblatt import Certificate, VerificationError, certify, max_margin, verify
from rosenblatt.proofs.search import certification
from tests.proofs.truth import (
    AND,
    HALF,
    SQUARE,
    cloud,
    constraints,
    inseparable,
    proved,
    weak,
    width,
)

# --- where floats end -----------------------------------------------------------------------------


@pytest.mark.parametrize("tiny", [2.0**-40, 2.0**-60, 1e-12, 2.0**-200])
def test_tiny_margins(tiny: float) -> None:
    rng = np.random.default_rng(4)
    A = rng.integers(-8, 9, size=(40, 3)).astype(float)
    y = np.tile([0, 1], 20)
    shift = np.where(y == 1, tiny, -tiny)
    # One informative feature, far smaller than the others.
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
    with pytest.raises(VerificationError):
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
        with pytest.raises(VerificationError):
            verify(replace(found, coefficients=tuple(moved)), X, y)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from([1.0, inf, 2.5]))
def test_floats_near_a_boundary(seed: int, d: int, scaling: float) -> None:
    """Points on a plane but for rounding: only exact arithmetic decides."""
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
    monkeypatch.setattr(certification, "MAX_NARROWING", 0.0)
    found = proved(X, y, "separable", gap=1e-9)
    assert width(found) > 1e-9
    assert found.note.startswith("The bracket is wider than gap: ")
    verify(replace(found, note="Believe me."), X, y)


def test_a_statement_says_one_number_where_both_ends_are_alike() -> None:
    near = proved(SQUARE, AND, "separable", gap=1e-9)
    assert "The best margin is 0.242536, to six digits." in near.statement()
    far = replace(near, margin_bracket=(0.24, 0.25))
    assert "The best margin is between 0.24 and 0.25." in far.statement()


def test_weak_separability_of_huge_numbers_is_left_open() -> None:
    X, y = [[1.0, -1e300], [1.0, -1e300], [2.0, -1e300], [2.0, -1e300]], [0, 1, 0, 1]
    assert proved(X, y, "inseparable").weakly_separable is not True
