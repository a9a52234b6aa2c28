"""A certificate is believed if it is true of the data, and refused if anything in it is not."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, replace
from fractions import Fraction
from math import inf, nan, nextafter, sqrt
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.proofs import problem as problems
from rosenblatt.proofs import verify as verifying
from rosenblatt.proofs.certificate import Certificate
from rosenblatt.proofs.verify import Refused, verify

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([0, 1, 1, 0])
AND = np.array([0, 0, 0, 1])
QUARTERS = (Fraction(1, 4),) * 4
HALVES = (Fraction(1, 2),) * 2
THIRDS = (Fraction(1, 3),) * 3
TINY = Fraction(1, 10**50)


def made(X, y, verdict, bracket, *, scaling=1.0, target=None, W=None, b=None, **proof):
    """A certificate with the facts of the data filled in."""
    data = problems.read(X, y, fit_intercept=scaling != 0, scaling=scaling or 1.0, target=target)
    W = None if W is None else np.array(W)
    b = None if b is None else np.array(b)
    for name in {"support", "rivals"} & set(proof):
        proof[name] = np.array(proof[name])
    n, d = data.X.shape
    low, high = bracket
    return Certificate(
        verdict, data.classes, data.target, n, d, data.digest(), scaling, data.radius(),
        (-data.radius() if low is None else low, data.radius() if high is None else high),
        W, b, **proof,
    )  # fmt: skip


def xor(**changes):
    proof = {"support": [0, 1, 2, 3], "coefficients": QUARTERS, "weakly_separable": False}
    return made(SQUARE, XOR, "inseparable", (None, 0.0), **(proof | changes))


# w = (2, 2), b = -3 has the margins 3, 1, 1, 1 and the length √17: 0.24253... for AND. And
# (z_1 + z_2)/4 + z_3/2 = (1/4, 1/4, 0) is √2/4 = 0.35355... long.
def conjunction(**changes):
    proof = {"support": [1, 2, 3], "coefficients": (Fraction(1, 4), Fraction(1, 4), HALVES[0])}
    base = made(SQUARE, AND, "separable", (0.2425, 0.36), W=[[2.0, 2.0]], b=[-3.0], **proof)
    return replace(base, **changes)


THREE = np.array([[4.0, 0.0], [5.0, 1.0], [-4.0, 3.0], [-5.0, 2.0], [0.0, -6.0]])
NAMES = np.array(["east", "east", "north", "north", "south"])


def compass(**changes):
    W, b = [[1.0, 0.0], [-1.0, 0.5], [0.0, -1.0]], [0.0, 0.0, 0.0]
    proof = {"support": [0, 2, 4], "rivals": [1, 2, 0], "coefficients": THIRDS}
    return replace(made(THREE, NAMES, "separable", (1.0, 7.0), W=W, b=b, **proof), **changes)


TIED = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
TIE = np.array([1, 1, 1])


def tied(**changes):
    """Opposite signed examples, and a third that (0, 1) is positive on: weakly separable."""
    proof = {"support": [0, 1], "coefficients": HALVES, "weakly_separable": True}
    where = {"scaling": 0.0, "W": [[0.0, 1.0]], "b": [0.0]}
    return made(TIED, TIE, "inseparable", (0.0, 0.0), **(where | proof | changes))


def apart(**changes):
    """A free intercept: the points 10 and 12 are 2 apart, so the best margin is exactly 1."""
    proof = {"scaling": inf, "support": [0, 1], "coefficients": HALVES, "W": [[1.0]], "b": [-11.0]}
    return made([[10.0], [12.0]], [0, 1], "separable", (1.0, 1.0), **(proof | changes))


def refused(certificate, X, y, reason=None):
    with pytest.raises(Refused, match=reason) as caught:
        verify(certificate, X, y)
    assert "\n" not in str(caught.value)


# What is true is accepted.

TRUE = {
    "inseparable": (xor(), SQUARE, XOR),
    "weakness unknown": (xor(weakly_separable=None), SQUARE, XOR),
    "separable": (conjunction(), SQUARE, AND),
    "many classes": (compass(), THREE, NAMES),
    "weakly separable": (tied(), TIED, TIE),
    "free intercept": (apart(), [[10.0], [12.0]], [0, 1]),
    "undecided": (made(SQUARE, XOR, "undecided", (None, None)), SQUARE, XOR),
    "undecided with nothing below": (made(SQUARE, XOR, "undecided", (-inf, inf)), SQUARE, XOR),
}


@pytest.mark.parametrize("name", TRUE)
def test_the_truth_is_accepted(name):
    certificate, X, y = TRUE[name]
    assert verify(certificate, X, y) is certificate
    assert bool(certificate)


@pytest.mark.parametrize("name", TRUE)
def test_storage_does_not_matter(name):
    certificate, X, y = TRUE[name]
    assert verify(certificate, sp.coo_matrix(np.array(X)), y)
    assert verify(certificate, np.asarray(X).astype(np.float32), y)
    assert verify(certificate, np.asarray(X).astype(int).tolist(), list(y))


@pytest.mark.parametrize("name", TRUE)
def test_a_saved_certificate_says_the_same(name, tmp_path):
    certificate, X, y = TRUE[name]
    certificate.save(tmp_path / "proof.json")
    assert verify(Certificate.load(tmp_path / "proof.json"), X, y)


def test_one_against_the_rest():
    east = made(THREE, NAMES, "separable", (0.5, None), target="east", W=[[1.0, 0.0]], b=[-1.0])
    assert verify(east, THREE, NAMES)
    refused(replace(east, target="north"), THREE, NAMES, "lower end")
    refused(replace(east, target="west"), THREE, NAMES, "west")
    many = made(THREE, NAMES, "separable", (0.5, None), W=[[1.0, 0.0]], b=[-1.0])
    refused(many, THREE, NAMES, "row for each class")
    refused(replace(east, target=None), THREE, NAMES, "radius")


def test_no_intercept():
    X, y = [[1.0, 2.0], [-2.0, -1.0]], [1, 0]
    through = made(X, y, "separable", (2.1, None), scaling=0.0, W=[[1.0, 1.0]], b=[0.0])
    assert verify(through, X, y)
    refused(replace(through, intercept=np.array([0.5])), X, y, "intercept")


def test_the_intercept_counts_as_it_is_scaled():
    """-1 and 3 with w = 1, b = -1: margins 2, lengths √(1 + 1/c²)."""
    X, y = [[-1.0], [3.0]], [0, 1]
    for c in (0.25, 1.0, 8.0):
        best = 2 / sqrt(1 + 1 / c**2)
        verify(
            made(X, y, "separable", (best * (1 - 1e-15), None), scaling=c, W=[[1.0]], b=[-1.0]),
            X,
            y,
        )
        high = made(X, y, "separable", (best * (1 + 1e-15), None), scaling=c, W=[[1.0]], b=[-1.0])
        refused(high, X, y, "fall short")
        # ((1 + 3)/2, c·(1 - 1)/2) has the length 2.
        verify(
            replace(
                high, margin_bracket=(1e-3, 2.0), support=np.array([0, 1]), coefficients=HALVES
            ),
            X,
            y,
        )
        skew = replace(
            high, support=np.array([0, 1]), coefficients=(Fraction(1, 4), Fraction(3, 4))
        )
        exact = sqrt(2.5**2 + (c / 2) ** 2)
        verify(replace(skew, margin_bracket=(1e-3, exact * (1 + 1e-15))), X, y)
        refused(replace(skew, margin_bracket=(1e-3, exact * (1 - 1e-15))), X, y, "longer")


def test_a_free_intercept_needs_signs_that_cancel():
    X, y = [[10.0], [12.0]], [0, 1]
    uneven = apart(coefficients=(Fraction(1, 3), Fraction(2, 3)))
    refused(uneven, X, y, "cancel")
    refused(compass(scaling=inf), THREE, NAMES, "one row")


def test_one_class_has_no_largest_margin_if_the_intercept_is_free():
    X, y = [[1.0], [2.0]], [7, 7]
    constant = made(X, y, "separable", (5.0, inf), scaling=inf, W=[[0.0]], b=[1.0])
    assert verify(constant, X, y)
    refused(replace(constant, margin_bracket=(1.0, constant.radius)), X, y, "support")
    refused(replace(constant, intercept=np.array([-1.0])), X, y, "fall short")
    refused(replace(constant, intercept=np.array([0.0])), X, y, "fall short")


@pytest.mark.parametrize("shift", [1, -1])
def test_whole_numbers_decide_where_floats_cannot(shift):
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
        refused(replace(c, margin_bracket=(high, c.radius)), X, y, "fall short")
    else:
        refused(c, X, y, "fall short")


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
    refused(replace(c, weights=W.astype(float)), X, y, "fall short")
    # The size of a hypothesis does not matter, even where floats could not hold it.
    for size in (Fraction(10) ** 400, Fraction(1, 10**5000)):
        huge = replace(c, weights=W * size)
        huge.save(tmp_path / "c.json")
        assert verify(Certificate.load(tmp_path / "c.json"), X, y)
    refused(replace(c, weights=-W), X, y, "fall short")


def test_fractions_of_many_classes():
    W = np.array([[Fraction(v, 7) for v in row] for row in ([2, 0], [-2, 1], [0, -2])], object)
    assert verify(compass(weights=W), THREE, NAMES)
    refused(compass(weights=-W), THREE, NAMES, "fall short")


def test_weak_separability_needs_a_positive_margin():
    X, y = [[1.0, 0.0], [-1.0, 0.0]], [1, 1]
    flat = made(X, y, "inseparable", (0.0, 0.0), scaling=0.0, support=[0, 1], coefficients=HALVES,
                W=[[0.0, 1.0]], b=[0.0])  # fmt: skip
    assert verify(flat, X, y)
    refused(replace(flat, weakly_separable=True), X, y, "not all of them 0")


def test_a_support_that_does_not_span_leaves_weak_separability_open():
    refused(tied(weakly_separable=False), TIED, TIE, "span")
    # A coefficient of 0 adds nothing, so its example may not count.
    padded = tied(support=[0, 1, 2], coefficients=(*HALVES, Fraction(0)), weakly_separable=None)
    assert verify(padded, TIED, TIE)
    refused(replace(padded, weakly_separable=False), TIED, TIE, "span")


@pytest.mark.parametrize("storage", [np.array, sp.csr_array])
def test_columns_that_never_change_do_not_count(storage):
    X = np.column_stack([SQUARE, np.full(4, 3.0), np.zeros(4)])
    proof = {"support": [0, 1, 2, 3], "coefficients": QUARTERS, "weakly_separable": False}
    assert verify(made(storage(X), XOR, "inseparable", (None, 0.0), **proof), storage(X), XOR)
    mirrored = np.array([[1.0, 0.0], [-1.0, 0.0]])
    pair = {"support": [0, 1], "coefficients": HALVES, "weakly_separable": False, "scaling": 0.0}
    c = made(storage(mirrored), [1, 1], "inseparable", (None, 0.0), **pair)
    assert verify(c, storage(mirrored), [1, 1])
    # Without an intercept a constant column is a column like others: (0, 1) is positive on both.
    constant = np.array([[1.0, 1.0], [-1.0, 1.0]])
    c = made(storage(constant), [1, 1], "inseparable", (None, 1.0), **pair)
    refused(c, storage(constant), [1, 1], "not proved")


def test_three_classes_that_no_weights_tell_apart():
    """The same three points in each class: every rival constraint has its opposite."""
    X = np.tile([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], (3, 1))
    y = np.repeat([0, 1, 2], 3)
    pairs = [(i, r) for i in range(9) for r in range(3) if r != y[i]]
    proof = {"support": [i for i, _ in pairs], "rivals": [r for _, r in pairs]}
    shares = (Fraction(1, 18),) * 18
    c = made(X, y, "inseparable", (None, 0.0), **proof, coefficients=shares, weakly_separable=False)
    assert verify(c, X, y)
    assert verify(c, sp.csr_array(X), y)
    few = [k for k, (i, r) in enumerate(pairs) if {y[i], r} == {0, 1}]
    part = replace(
        c, support=c.support[few], rivals=c.rivals[few], coefficients=(Fraction(1, 6),) * 6
    )
    assert verify(replace(part, weakly_separable=None), X, y)
    refused(part, X, y, "span")


def test_a_true_but_weaker_statement_is_accepted():
    assert verify(conjunction(margin_bracket=(1e-9, 1e9)), SQUARE, AND)
    assert verify(conjunction(margin_bracket=(1e-9, inf)), SQUARE, AND)
    assert verify(conjunction(verdict="undecided"), SQUARE, AND)


# What is false is refused.


def test_no_upper_end_is_negative():
    """The combination is 0: its square is below any other."""
    c = replace(xor(weakly_separable=None), verdict="undecided")
    assert verify(c, SQUARE, XOR)
    refused(replace(c, margin_bracket=(-9.0, -1.0)), SQUARE, XOR, "upper end")


def test_weights_of_zero_prove_nothing():
    zero = made(SQUARE, XOR, "undecided", (-0.5, None), W=[[0.0, 0.0]], b=[0.0])
    refused(zero, SQUARE, XOR, "fall short")


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
            refused(c, X, y, "fall short")


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
    refused(replace(tie, weakly_separable=True), X, y, "not all of them 0")


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
    "target": "not among the labels",
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


def test_the_radius_is_checked_exactly():
    """The longest example is √3 long: of the floats beside it, one is a bound and one is not."""
    above = sqrt(3.0)
    above = above if Fraction(above) ** 2 >= 3 else nextafter(above, inf)
    wide = replace(xor(), margin_bracket=(-2.0, 0.0))
    assert verify(replace(wide, radius=above), SQUARE, XOR)
    refused(replace(wide, radius=nextafter(above, 0)), SQUARE, XOR, "longer than the radius")


def test_scores_of_any_size_of_chunk(monkeypatch):
    """Small parts, so that their seams are met."""
    monkeypatch.setattr(problems, "CELLS", 4)
    monkeypatch.setattr(verifying, "CELLS", 2)
    for certificate, X, y in TRUE.values():
        assert verify(certificate, X, y)
        assert verify(certificate, sp.csr_array(np.array(X)), y)
    refused(conjunction(margin_bracket=(0.2426, 0.36)), SQUARE, AND, "fall short")


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
            refused(c, X, y, "fall short")


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


@pytest.mark.parametrize("storage", [np.array, sp.csr_array])
def test_larger_data(storage):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 50)) * (rng.random((2000, 50)) < 0.5)
    W, b = rng.normal(size=(4, 50)), rng.normal(size=4)
    y = (X @ W.T + b).argmax(axis=1)
    lead = problems.read(X, y).margins(W, b).min() / sqrt((W**2).sum() + b @ b)
    c = made(storage(X), y, "separable", (lead * (1 - 1e-9), None), W=W, b=b)
    assert verify(c, storage(X), y)
    refused(replace(c, margin_bracket=(lead * (1 + 1e-9), c.radius)), storage(X), y, "fall short")
    wrong = y.copy()
    wrong[1234] = (y[1234] + 1) % 4
    false = made(storage(X), wrong, "separable", (5e-324, None), W=W, b=b)
    refused(false, storage(X), wrong, "fall short")


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


# It stands alone.

ALONE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        for banned in {banned!r}:
            if name == banned or name.startswith(banned + "."):
                raise ImportError(name)

sys.meta_path.insert(0, Blocked())
from rosenblatt.proofs.certificate import Certificate
from rosenblatt.proofs.verify import Refused, verify
X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
certificate = verify(Certificate.load(sys.argv[1]), X, y)
try:
    verify(certificate, X, [0, 1, 1, 1])
except Refused:
    print(certificate.verdict)
"""
BANNED = ["numba", "scipy.optimize", "sklearn", "flint", "rosenblatt.loops", "rosenblatt.compiled"]


def test_nothing_that_makes_certificates_is_needed_to_check_them(tmp_path):
    xor().save(tmp_path / "xor.json")
    code = ALONE.format(banned=BANNED)
    command = [sys.executable, "-c", code, str(tmp_path / "xor.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "inseparable", done.stderr


def test_it_can_be_read_in_one_sitting():
    assert len(Path(verifying.__file__).read_text(encoding="utf-8").splitlines()) < 200
