"""Bounds on rounding errors hold, and what is printed of a bound is one too."""

from __future__ import annotations

from fractions import Fraction
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.theory import rounding

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(number=FINITE, digits=st.integers(1, 8))
def test_a_printed_bound_is_a_bound(number, digits):
    assert float(rounding.at_most(number, digits)) >= number
    assert float(rounding.at_least(number, digits)) <= number


@pytest.mark.parametrize(("number", "most", "least"), [
    (0.12341, "0.1235", "0.1234"), (0.25, "0.25", "0.25"), (-2.00001, "-2", "-2.001"),
    (inf, "inf", "inf"),
])  # fmt: skip
def test_bounds_are_rounded_outwards(number, most, least):
    assert (rounding.at_most(number), rounding.at_least(number)) == (most, least)


@given(values=st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), power=st.integers(-170, 140))
def test_a_length_is_bounded_from_above(values, power):
    w = np.array(values) * 10.0**power
    exact = sum(Fraction(float(v)) ** 2 for v in w)
    bound = rounding.longest(float(np.einsum("i,i->", w, w)), len(w))
    assert Fraction(bound) ** 2 >= exact


@given(
    w=st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4),
    x=st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=4),
    power=st.integers(-300, 100),
)
def test_the_error_of_a_product_is_bounded(w, x, power):
    a, b = np.array(w) * 10.0**power, np.array(x)
    exact = sum(Fraction(float(p)) * Fraction(float(q)) for p, q in zip(a, b, strict=True))
    length, radius = (rounding.longest(float(v @ v), 4) for v in (a, b))
    error = abs(Fraction(float(a @ b)) - exact)
    assert error <= Fraction(rounding.margin_error(radius, length, 4))


@given(
    rows=st.lists(st.lists(st.floats(-8, 8), min_size=3, max_size=3), min_size=1, max_size=40),
    steps=st.lists(st.floats(1e-3, 1e3), min_size=40, max_size=40),
    scale=st.floats(0.0, 2.0),
)
def test_the_drift_of_updates_is_bounded(rows, steps, scale):
    """|computed w - exact w| and the error of the sum of the steps, relative to that sum."""
    w, exact = np.zeros(3), [Fraction(0)] * 3
    total, exact_total = 0.0, Fraction(0)
    for x, a in zip(rows, steps, strict=False):
        w *= scale
        w += a * np.array(x)
        exact = [
            Fraction(scale) * e + Fraction(a) * Fraction(v) for e, v in zip(exact, x, strict=True)
        ]
        total = total * scale + a
        exact_total = exact_total * Fraction(scale) + Fraction(a)
    off = sum((Fraction(float(v)) - e) ** 2 for v, e in zip(w, exact, strict=True))
    radius = max(sqrt(sum(v * v for v in x)) for x in rows)
    bound = rounding.drift(len(rows), 1, rounding.longest(radius**2, 3), 3, min(steps))
    assert off <= (Fraction(bound) * exact_total) ** 2
    proved = rounding.ceiling(float(w @ w), total, bound, 3)
    assert sum(e**2 for e in exact) <= (Fraction(proved) * exact_total) ** 2


def test_without_a_sum_of_steps_there_is_no_ceiling():
    assert rounding.ceiling(1.0, float("nan"), 0.0, 1) == inf
    assert rounding.ceiling(1.0, 0.0, 0.0, 1) == inf


def test_margins_within_rounding_error_prove_nothing():
    assert rounding.floor(1e-16, 1e-15, 1.0) == -inf
    assert 0 < rounding.floor(1.0, 1e-15, 2.0) < 0.5
