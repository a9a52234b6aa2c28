"""A certificate is checked exactly: where floats end, integers and fractions decide."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf, nextafter, sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.proofs.checker import Certificate, linear, problem, read_problem, verify
from tests.proofs.statements import (
    HALVES,
    NAMES,
    THREE,
    TRUE,
    compass,
    conjunction,
    made,
    refused,
    xor,
)
from tests.proofs.truth import AND, SQUARE, XOR


@pytest.mark.parametrize("shift", [1, -1])
def test_integers_decide_where_floats_cannot(shift):
    """(1 + ulp)(1 - ulp) - 1 + tiny: every float sum of it is rounding error only."""
    ulp, tiny = 2.0**-40, 2.0**-80
    X, y = [[1 + ulp, -1.0, 1.0], [-4.0, 0.0, 0.0]], [1, 0]
    w = [[1 - ulp, 1.0, tiny * (1 + shift * 2.0**-20)]]  # z·w = ±2^-100
    c = made(X, y, "separable", (1e-40, None), scaling=0.0, W=w, b=[0.0])
    if shift > 0:
        assert verify(c, X, y)
        # 2^-100 is the margin: the next bracket that is too high is caught as well.
        length = sqrt(np.square(w).sum())
        assert verify(replace(c, margin_bracket=(2.0**-100 / length * (1 - 1e-15), c.radius)), X, y)
        high = 2.0**-100 / length * (1 + 1e-15)
        refused(replace(c, margin_bracket=(high, c.radius)), X, y, "do not reach the lower end")
    else:
        refused(c, X, y, "do not reach the lower end")


@pytest.mark.parametrize("size", [1e-200, 1e200, 5e-324, 1e307])
def test_numbers_at_the_ends_of_the_floats(size):
    X, y = np.array([[size, size], [-size, 0.0]]), [1, 0]
    c = made(X, y, "separable", (size / 2, None), scaling=0.0, W=[[size, 0.0]], b=[0.0])
    if size / 2:
        assert verify(c, X, y)
    refused(replace(c, weights=np.array([[-size, 0.0]]), margin_bracket=(5e-324, c.radius)), X, y)
    assert Fraction(c.radius) ** 2 >= 2 * Fraction(size) ** 2


def test_fractions_as_weights(tmp_path):
    """Only (1, -1/7), which no float is, is 0 on ±(1, 7)."""
    X, y = [[1.0, 7.0], [-1.0, -7.0], [5.0, 1.0]], [1, 1, 1]
    W, b = np.array([[Fraction(1), Fraction(-1, 7)]], object), np.array([Fraction(0)], object)
    c = made(X, y, "inseparable", (0.0, 0.0), scaling=0.0, support=[0, 1], coefficients=HALVES)
    c = replace(c, weights=W, intercept=b, weakly_separable=True)
    assert verify(c, X, y)
    c.save(tmp_path / "c.json")
    assert verify(Certificate.load(tmp_path / "c.json"), X, y)
    refused(replace(c, weights=W.astype(float)), X, y, "do not reach the lower end")
    # The size of a hypothesis does not matter, even where floats could not hold it.
    for size in (Fraction(10) ** 400, Fraction(1, 10**5000)):
        huge = replace(c, weights=W * size)
        huge.save(tmp_path / "c.json")
        assert verify(Certificate.load(tmp_path / "c.json"), X, y)
    refused(replace(c, weights=-W), X, y, "do not reach the lower end")


def test_fractions_of_many_classes():
    W = np.array([[Fraction(v, 7) for v in row] for row in ([2, 0], [-2, 1], [0, -2])], object)
    assert verify(compass(weights=W), THREE, NAMES)
    refused(compass(weights=-W), THREE, NAMES, "do not reach the lower end")


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
def test_rounding_errors_are_not_taken_for_margins(order):
    """0.1 + 0.2 - 0.3 is 2.8e-17, but 5.6e-17 if the sum is taken in this order."""
    w = np.array([0.1, 0.2, -0.3])[order]
    X, y = np.ones((1, 3)), [1]
    for margin, true in ((2.7e-17, True), (2.9e-17, False), (5e-17, False)):
        lower = margin / sqrt(w @ w)
        c = made(X, y, "separable", (lower, None), scaling=0.0, W=[w], b=[0.0])
        if true:
            assert verify(c, X, y)
        else:
            refused(c, X, y, "do not reach the lower end")


def test_the_radius_is_checked_exactly():
    """The longest example is √3 long: of the floats beside it, one is a bound and one is not."""
    above = sqrt(3.0)
    above = above if Fraction(above) ** 2 >= 3 else nextafter(above, inf)
    wide = replace(xor(), margin_bracket=(-2.0, 0.0))
    assert verify(replace(wide, radius=above), SQUARE, XOR)
    refused(replace(wide, radius=nextafter(above, 0)), SQUARE, XOR, "longer than the radius")


def test_scores_of_any_size_of_chunk(monkeypatch):
    """Small parts, so that their seams are met."""
    monkeypatch.setattr(problem, "CELLS", 4)
    monkeypatch.setattr(linear, "CELLS", 2)
    for certificate, X, y in TRUE.values():
        assert verify(certificate, X, y)
        assert verify(certificate, sp.csr_array(np.array(X)), y)
    refused(conjunction(margin_bracket=(0.2426, 0.36)), SQUARE, AND, "do not reach the lower end")


# Random data, where another way to the answer is known.

numbers = st.integers(-3, 3).map(float)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_the_lower_end_is_right_to_the_last_float(data):
    n, d, many = data.draw(st.tuples(st.integers(2, 6), st.integers(1, 3), st.booleans()))
    k = 3 if many else 2
    X = np.array(
        data.draw(
            st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n + k, max_size=n + k)
        )
    )
    y = np.append(np.arange(k), data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    rows = k if many else 1
    parts = data.draw(st.lists(numbers, min_size=rows * (d + 1), max_size=rows * (d + 1)))
    V = np.array(parts).reshape(rows, d + 1) / 3
    W, b = V[:, :-1], V[:, -1]
    if not V.any():
        return
    margins = []
    exact = [[Fraction(v) for v in row] for row in V]
    for x, label in zip(X, y, strict=True):
        score = [sum(Fraction(p) * q for p, q in zip(x, v, strict=False)) + v[-1] for v in exact]
        rivals = [r for r in range(k) if r != label]
        margins += (
            [score[label] - score[r] for r in rivals] if many else [(2 * label - 1) * score[0]]
        )
    least, square = min(margins), sum(v * v for row in exact for v in row)
    lower = float(least) / sqrt(square)
    # Floats around the quotient: those below it in truth are accepted, and no other.
    for step in (-2, -1, 0, 1, 2):
        near = float(lower + step * np.spacing(lower))
        sign = 1 if near > 0 else -1
        below = sign * Fraction(near) ** 2 * square <= (1 if least > 0 else -1) * least**2
        c = made(X, y, "undecided", (near, None), W=W, b=b)
        if near > c.radius:
            continue
        if below:
            assert verify(c, X, y)
        else:
            refused(c, X, y, "do not reach the lower end")


@pytest.mark.parametrize("storage", [np.array, sp.csr_array])
def test_larger_data(storage):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 50)) * (rng.random((2000, 50)) < 0.5)
    W, b = rng.normal(size=(4, 50)), rng.normal(size=4)
    y = (X @ W.T + b).argmax(axis=1)
    lead = read_problem(X, y).margins(W, b).min() / sqrt((W**2).sum() + b @ b)
    c = made(storage(X), y, "separable", (lead * (1 - 1e-9), None), W=W, b=b)
    assert verify(c, storage(X), y)
    refused(
        replace(c, margin_bracket=(lead * (1 + 1e-9), c.radius)),
        storage(X),
        y,
        "do not reach the lower end",
    )
    wrong = y.copy()
    wrong[1234] = (y[1234] + 1) % 4
    false = made(storage(X), wrong, "separable", (5e-324, None), W=W, b=b)
    refused(false, storage(X), wrong, "do not reach the lower end")


def test_larger_data_that_cannot_be_separated():
    """Each example with both labels: 51 of them span the space, so that no hyperplane is left."""
    rng = np.random.default_rng(4)
    half = rng.normal(size=(1000, 50))
    X, y = np.vstack([half, half]), np.repeat([0, 1], 1000)
    support = np.concatenate([np.arange(51), 1000 + np.arange(51)])
    proof = {"support": support, "coefficients": (Fraction(1, 102),) * 102}
    c = made(X, y, "inseparable", (None, 0.0), **proof, weakly_separable=False)
    assert verify(c, X, y)
    X[1000, 0] = nextafter(X[1000, 0], 9)
    refused(made(X, y, "inseparable", (None, 0.0), **proof), X, y, "longer")


@pytest.mark.parametrize("storage", [np.array, sp.csr_array])
@pytest.mark.parametrize("classes", [2, 4])
def test_the_bound_on_the_rounding_of_margins_holds(classes, storage):
    """With many classes a margin is off by the errors of both scores, also where one is zero."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 9)), np.arange(60) % classes
    problem = read_problem(storage(X), y)
    W, b = rng.normal(size=(problem.rows, 9)), rng.normal(size=problem.rows)
    W[1:2], b[1:2] = 0.0, 0.0
    rough, bound = problem.margins(W, b), problem.margin_errors(W, b)
    at = np.column_stack(problem.constraints())
    exact = problem.exact_margins(W, b, at)
    errors = [abs(Fraction(rough[i, j]) - e) for (i, j), e in zip(at.tolist(), exact, strict=True)]
    assert max(errors) > 0
    assert all(e <= bound[i, j] for (i, j), e in zip(at.tolist(), errors, strict=True))
    assert all(bound[i, j] < 1e-13 for i, j in at.tolist())
