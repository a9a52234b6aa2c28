"""A certificate that is true of the data is believed; its check needs nothing that made it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from math import inf, sqrt
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.proofs.checker import Certificate, linear, verification, verify
from tests.proofs.statements import (
    HALVES,
    NAMES,
    QUARTERS,
    THREE,
    TIE,
    TIED,
    TRUE,
    apart,
    compass,
    conjunction,
    made,
    refused,
    tied,
    xor,
)
from tests.proofs.truth import AND, SQUARE, XOR


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
        refused(high, X, y, "do not reach the lower end")
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
    refused(compass(scaling=inf), THREE, NAMES, "needs two classes")


def test_one_class_has_no_largest_margin_if_the_intercept_is_free():
    X, y = [[1.0], [2.0]], [7, 7]
    constant = made(X, y, "separable", (5.0, inf), scaling=inf, W=[[0.0]], b=[1.0])
    assert verify(constant, X, y)
    refused(replace(constant, margin_bracket=(1.0, constant.radius)), X, y, "support")
    refused(replace(constant, intercept=np.array([-1.0])), X, y, "do not reach the lower end")
    refused(replace(constant, intercept=np.array([0.0])), X, y, "do not reach the lower end")


def test_weak_separability_needs_a_positive_margin():
    X, y = [[1.0, 0.0], [-1.0, 0.0]], [1, 1]
    flat = made(X, y, "inseparable", (0.0, 0.0), scaling=0.0, support=[0, 1], coefficients=HALVES,
                W=[[0.0, 1.0]], b=[0.0])  # fmt: skip
    assert verify(flat, X, y)
    refused(replace(flat, weakly_separable=True), X, y, "not all 0")


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


# It stands alone.

ALONE = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        for banned in {banned!r}:
            if name == banned or name.startswith(banned + "."):
                raise ImportError(name)

sys.meta_path.insert(0, Blocked())
from rosenblatt.proofs.checker import Certificate, VerificationError, verify
X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
certificate = verify(Certificate.load(sys.argv[1]), X, y)
try:
    verify(certificate, X, [0, 1, 1, 1])
except VerificationError:
    print(certificate.verdict)
"""
BANNED = [
    "rosenblatt.proofs.search",
    "rosenblatt.engine",
    "numba",
    "scipy.optimize",
    "sklearn",
    "rosenblatt.theory.loops",
]


def test_nothing_that_makes_certificates_is_needed_to_check_them(tmp_path):
    xor().save(tmp_path / "xor.json")
    code = ALONE.format(banned=BANNED)
    command = [sys.executable, "-c", code, str(tmp_path / "xor.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "inseparable", done.stderr


def test_it_can_be_read_in_one_sitting():
    for module in (linear, verification):
        assert len(Path(module.__file__).read_text(encoding="utf-8").splitlines()) < 220
