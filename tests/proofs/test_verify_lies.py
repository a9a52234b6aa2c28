"""A certificate is refused if anything in it is not true of the data."""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from math import inf, nan, nextafter, sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.proofs.checker import Certificate, verify
from tests.proofs.statements import (
    HALVES,
    NAMES,
    QUARTERS,
    THIRDS,
    THREE,
    TIE,
    TIED,
    TINY,
    TRUE,
    compass,
    conjunction,
    made,
    refused,
    tied,
    xor,
)
from tests.proofs.truth import AND, SQUARE, XOR

# What is false is refused.


def test_no_upper_end_is_negative():
    """The combination is 0: its square is below any other."""
    c = replace(xor(weakly_separable=None), verdict="undecided")
    assert verify(c, SQUARE, XOR)
    refused(replace(c, margin_bracket=(-9.0, -1.0)), SQUARE, XOR, "upper end")


def test_weights_of_zero_prove_nothing():
    zero = made(SQUARE, XOR, "undecided", (-0.5, None), W=[[0.0, 0.0]], b=[0.0])
    refused(zero, SQUARE, XOR, "do not reach the lower end")


def test_without_an_intercept_a_constant_column_counts():
    """(2, -1) is 0 on the pair that cancels and positive on the third: weakly separable."""
    X, y = [[1.0, 2.0], [1.0, 2.0], [3.0, 2.0]], [1, 0, 1]
    c = made(X, y, "inseparable", (0.0, 0.0), scaling=0.0, W=[[2.0, -1.0]], b=[0.0],
             support=[0, 1], coefficients=HALVES, weakly_separable=True)  # fmt: skip
    assert verify(c, X, y)
    refused(replace(c, weakly_separable=False), X, y, "span")


def test_negative_coefficients_prove_nothing():
    """2·1 - 1·2 = 0, but 1 and 2 have the same sign."""
    X, y = [[1.0], [2.0]], [1, 1]
    shares = (Fraction(2), Fraction(-1))
    c = made(X, y, "inseparable", (None, 0.0), scaling=0.0, support=[0, 1], coefficients=shares)
    refused(c, X, y, "negative")


def test_a_class_is_not_its_own_rival():
    """Where floats overflow, and where all classes tie, its own margin of 0 does not count."""
    big = THREE * 1e300
    W = compass().weights * 1e300
    c = made(big, NAMES, "separable", (1e300, None), W=W, b=np.zeros(3))
    assert verify(c, big, NAMES)
    X, y = np.repeat([[1.0, 2.0]], 3, axis=0), [0, 1, 2]
    tie = made(X, y, "inseparable", (0.0, 0.0), W=[[1.0, 0.0]] * 3, b=np.zeros(3),
               support=[0, 1], rivals=[1, 0], coefficients=HALVES)  # fmt: skip
    assert verify(tie, X, y)
    refused(replace(tie, weakly_separable=True), X, y, "not all 0")


LIES = {
    "separable": (conjunction(), SQUARE, AND, {
        "verdict flipped": {"verdict": "inseparable"},
        "verdict unknown": {"verdict": "maybe"},
        "verdict no word": {"verdict": ["separable"]},
        "weights that err": {"weights": np.array([[2.0, -2.0]])},
        "weights missing": {"weights": None},
        "intercept missing": {"intercept": None},
        "both missing": {"weights": None, "intercept": None},
        "intercept that errs": {"intercept": np.array([3.0])},
        "weights of nan": {"weights": np.array([[nan, 2.0]])},
        "weights of infinity": {"weights": np.array([[inf, inf]])},
        "object nan": {"weights": np.array([[nan, 2.0]], object)},
        "weights of zero": {"weights": np.zeros((1, 2)), "intercept": np.zeros(1)},
        "weights of text": {"weights": np.array([["a", "b"]])},
        "weights of digits": {"weights": np.array([["2", "٢"]])},
        "weights of objects": {"weights": np.array([["2", 2.0]], object)},
        "weights of another shape": {"weights": np.array([[2.0, 2.0, 0.0]])},
        "weights flat": {"weights": np.array([2.0, 2.0])},
        "lower too high": {"margin_bracket": (0.2426, 0.36)},
        "lower zero": {"margin_bracket": (0.0, 0.36)},
        "lower infinite": {"margin_bracket": (inf, inf)},
        "upper too low": {"margin_bracket": (0.2425, 0.35)},
        "upper negative": {"margin_bracket": (-5.0, -4.0)},
        "bracket turned": {"margin_bracket": (0.36, 0.2425)},
        "bracket nan": {"margin_bracket": (nan, 0.36)},
        "bracket nan above": {"margin_bracket": (0.2425, nan)},
        "bracket of three": {"margin_bracket": (0.2425, 0.3, 0.36)},
        "weak True": {"weakly_separable": True},
        "weak False": {"weakly_separable": False},
        "rivals of one row": {"rivals": np.array([0, 0, 0])},
        "no support": {"support": np.zeros(0, int), "coefficients": ()},
    }),
    "inseparable": (xor(), SQUARE, XOR, {
        "verdict flipped": {"verdict": "separable"},
        "verdict undecided": {"verdict": "undecided"},
        "coefficient changed": {"coefficients": (*THIRDS[:2], *(Fraction(1, 6),) * 2)},
        "coefficients that add up to more": {"coefficients": (Fraction(1, 2),) * 4},
        "coefficient nearly right": {"coefficients": (*QUARTERS[:3], Fraction(1, 4) + TINY)},
        "coefficients nearly right": {
            "coefficients": (*QUARTERS[:2], Fraction(1, 4) - TINY, Fraction(1, 4) + TINY)
        },
        "coefficient negative": {"coefficients": (Fraction(-1, 4), Fraction(3, 4), *QUARTERS[:2])},
        "coefficients too few": {"coefficients": QUARTERS[:3]},
        "coefficients of text": {"coefficients": ("a",) * 4},
        "coefficients of digits": {"coefficients": ("1/4", "١/٤", "1/4", "1/4")},
        "coefficients of nan": {"coefficients": (nan,) * 4},
        "support changed": {"support": np.array([0, 1, 2, 2])},
        "support below": {"support": np.array([0, 1, 2, -1])},
        "support above": {"support": np.array([0, 1, 2, 4])},
        "support of halves": {"support": np.array([0.0, 1.0, 2.0, 3.0])},
        "support of two dimensions": {"support": np.array([[0, 1, 2, 3]])},
        "support missing": {"support": None},
        "upper not zero": {"margin_bracket": (-9.0, 1e-300)},
        "upper negative": {"margin_bracket": (-9.0, -1.0)},
        "lower too high": {"margin_bracket": (-1e-9, 0.0)},
        "weak True": {"weakly_separable": True},
        "weak no answer": {"weakly_separable": "yes"},
        "weak a number": {"weakly_separable": 0},
        "digest": {"digest": "sha256:" + "0" * 64},
        "classes": {"classes": (1, 0)},
        "more classes": {"classes": (0, 1, 2)},
        "examples": {"examples": 5},
        "features": {"features": 3},
        "radius too small": {"radius": 1.73},
        "radius too large": {"radius": 1.74},
        "radius nan": {"radius": nan},
        "radius infinite": {"radius": inf},
        "radius negative": {"radius": -sqrt(3.0)},
        "scaling negative": {"scaling": -1.0},
        "scaling nan": {"scaling": nan},
        "scaling no number": {"scaling": "free"},
        "scaling larger": {"scaling": 2.0},
        "scaling none": {"scaling": 0.0},
        "target": {"target": 5},
    }),
    "many classes": (compass(), THREE, NAMES, {
        "rival out of range": {"rivals": np.array([1, 2, 3])},
        "rival of its own class": {"rivals": np.array([0, 2, 0])},
        "rivals missing": {"rivals": np.zeros(0, int)},
        "a pair twice": {"support": np.array([0, 0, 4]), "rivals": np.array([1, 1, 0])},
        "a row exchanged": {"weights": np.array([[-1.0, 0.5], [1.0, 0.0], [0.0, -1.0]])},
        "two rows": {"weights": np.eye(2), "intercept": np.zeros(2)},
        "lower too high": {"margin_bracket": (3.0, 7.0)},
        "upper too low": {"margin_bracket": (1.0, 1.5)},
        "radius of one copy": {"radius": sqrt(37.0)},
        "classes in another order": {"classes": ("north", "east", "south")},
    }),
    "weakly separable": (tied(), TIED, TIE, {
        "weak False": {"weakly_separable": False},
        "weights missing": {"weights": None, "intercept": None},
        "weights turned": {"weights": np.array([[0.0, -1.0]])},
        "weights askew": {"weights": np.array([[1e-300, 1.0]])},
        "bracket wide": {"margin_bracket": (-1.1, 0.0)},
        "an intercept": {"scaling": 1.0},
    }),
}  # fmt: skip


# A refusal must be for what was changed, not by accident for something else.
REASONS = {
    "verdict": "verdict|Weak|unhashable",
    "weights": "^(The w|W)eights|needs weights|NaN|literal",
    "intercept": "^(The w|W)eights|needs weights",
    "margin_bracket": "end|verdict|unpack|Weak",
    "weakly_separable": "Weak|span",
    "coefficients": "coefficients|combination|literal|NaN",
    "support": "support|twice|len",
    "rivals": "rival|twice",
    "radius": "radius",
    "scaling": "radius|intercept|float",
    "target": "must be one of the labels",
    "digest": "other data",
    "classes": "other data",
    "examples": "other data",
    "features": "other data",
}


@pytest.mark.parametrize(("kind", "lie"), [(kind, lie) for kind in LIES for lie in LIES[kind][3]])
def test_every_lie_is_refused(kind, lie):
    certificate, X, y, changes = LIES[kind]
    assert verify(certificate, X, y)
    refused(replace(certificate, **changes[lie]), X, y, REASONS[next(iter(changes[lie]))])


def test_no_field_is_left_out():
    changed = {name for *_, lies in LIES.values() for change in lies.values() for name in change}
    assert changed | {"note"} == {field.name for field in fields(Certificate)}


@pytest.mark.parametrize("name", TRUE)
def test_other_data_are_refused(name):
    certificate, X, y = TRUE[name]
    X, y = np.array(X), np.array(y)
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            other = X.copy()
            other[i, j] = nextafter(other[i, j], inf)
            refused(certificate, other, y, "other data")
            refused(certificate, sp.csr_array(other), y, "other data")
        flipped = y.copy()
        flipped[i] = next((label for label in y if label != y[i]), 0)
        refused(certificate, X, flipped, "other data")
        refused(certificate, np.delete(X, i, 0), np.delete(y, i), "other data")
    refused(certificate, X, y[:-1], "shape")
    refused(certificate, X[:, :, None], y, "shape")
    refused(certificate, np.full_like(X, nan), y, "NaN")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=4, max_size=4), st.integers(1, 40))
def test_only_the_right_coefficients_are_accepted(shift, total):
    """Only multiples of (1, 1, 1, 1) make XOR zero."""
    shares = tuple(Fraction(1, 4) + Fraction(s, 200 * total) for s in shift)
    c = replace(xor(weakly_separable=None), coefficients=shares)
    if any(shift):
        refused(c, SQUARE, XOR)
    else:
        assert verify(c, SQUARE, XOR)
