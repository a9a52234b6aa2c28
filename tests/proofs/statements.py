"""Certificates made by hand: true statements about small sets, to be believed or to be changed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest

from rosenblatt.proofs.checker import Certificate, VerificationError, read_problem, verify
from tests.proofs.truth import AND, SQUARE, XOR

QUARTERS = (Fraction(1, 4),) * 4
HALVES = (Fraction(1, 2),) * 2
THIRDS = (Fraction(1, 3),) * 3
TINY = Fraction(1, 10**50)


def made(X, y, verdict, bracket, *, scaling=1.0, target=None, W=None, b=None, **proof):
    """A certificate with the facts of the data filled in."""
    data = read_problem(X, y, fit_intercept=scaling != 0, scaling=scaling or 1.0, target=target)
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
    with pytest.raises(VerificationError, match=reason) as caught:
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
