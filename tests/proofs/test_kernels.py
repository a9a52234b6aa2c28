"""Proofs in the space of a kernel."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf, nan, sqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris
from sklearn.svm import SVC

import rosenblatt as rb
from rosenblatt.proofs.checker import feature_space, read_problem
from rosenblatt.theory.similarity import Similarity

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
LABELS = np.array([0, 1, 1, 0])
IRIS, KINDS = load_iris(return_X_y=True)
POLY = {"kernel": "poly", "degree": 2, "gamma": 1.0, "fit_intercept": False}


def test_xor_is_separable_in_the_space_of_products():
    found = rb.certify(XOR, LABELS, **POLY)
    assert found.verdict == "separable"
    assert found.exact
    low, high = found.margin_bracket
    assert low <= high <= low * (1 + 1e-3)
    assert rb.verify(found, XOR, LABELS) is found


def test_xor_is_inseparable_in_the_plane_by_the_kernel_too():
    found = rb.certify(XOR, LABELS, kernel="linear")
    assert repr(found) == "Inseparable(4 points, exact)"
    assert found.coefficients == (Fraction(1, 4),) * 4
    assert rb.verify(found, XOR, LABELS) is found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_the_linear_kernel_gives_the_linear_verdict_and_margin(seed, storage):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (25, 3)).astype(float)
    y = (X @ rng.normal(size=3) + rng.normal(size=25) * (seed % 3) > 0).astype(int)
    plain, dual = rb.certify(X, y), rb.certify(storage(X), y, kernel="linear")
    assert plain.verdict == dual.verdict
    rb.verify(dual, X, y)
    if plain.verdict == "separable":
        assert dual.margin_bracket[0] <= plain.margin_bracket[1] * (1 + 1e-12)
        assert plain.margin_bracket[0] <= dual.margin_bracket[1] * (1 + 1e-12)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.integers(-3, 3)] * 2), min_size=2, max_size=9),
    data=st.data(),
)
def test_small_integers_are_always_decided(rows, data):
    X = np.array(rows, float)
    y = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    if len(np.unique(y)) < 2:
        y[0] = not y[0]
    found = rb.certify(X, y, kernel="poly", degree=2, gamma=1.0)
    # The same question, asked of the monomials: scales of features do not matter for a verdict.
    a, b = X.T
    monomials = np.column_stack([a, b, a * a, a * b, b * b])
    assert found.verdict == rb.certify(monomials, y).verdict
    rb.verify(found, X, y)


@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_the_bracket_holds_the_margin_of_a_support_vector_machine(kernel):
    X, y = IRIS[50:], KINDS[50:]
    options = {"degree": 3, "gamma": 0.5, "coef0": 1.0}
    found = rb.certify(X, y, kernel=kernel, fit_intercept=False, **options)
    assert found.verdict == "separable"
    assert found.exact == (kernel == "poly")
    low, high = found.margin_bracket
    K = Similarity(kernel, **options).block(X, X)
    run = rb.KernelPerceptron(kernel="precomputed", fit_intercept=False, rule="adatron",
                              readout="last", max_iter=300, random_state=0)  # fmt: skip
    run.fit(K, y)
    assert run.margins(K, y)[1] <= high
    assert run.margin_bracket_[1] >= low
    machine = SVC(C=1e9, kernel="precomputed").fit(K, y)
    a = np.zeros(len(y))
    a[machine.support_] = machine.dual_coef_[0]
    # With a free intercept a margin is never smaller.
    assert 1 / sqrt(a @ K @ a) >= low * (1 - 1e-6)
    rb.verify(found, X, y)


def test_equal_examples_of_different_classes_prove_it_in_any_space():
    X = np.vstack([IRIS, IRIS[:1]])
    y = np.append(KINDS == 0, False)
    for kernel in ("linear", "poly", "rbf"):
        found = rb.certify(X, y, kernel=kernel, gamma=0.3)
        assert found.verdict == "inseparable"
        assert sorted(found.support.tolist()) == [0, 150]
        rb.verify(found, X, y)


def test_one_against_the_rest():
    found = rb.certify(IRIS, KINDS, kernel="linear", multiclass="ovr")
    assert [found[c].verdict for c in range(3)] == ["separable", "inseparable", "inseparable"]
    for certificate in found.values():
        rb.verify(certificate, IRIS, KINDS)


def test_real_data_of_some_size():
    X, y = load_digits(return_X_y=True)
    X, y = X[:500], y[:500] == 8
    found = rb.certify(X, y, kernel="poly", degree=4, gamma=1 / 64)
    assert found.verdict == "separable"
    assert found.exact
    rb.verify(found, X, y)


def test_many_examples_get_a_bracket_with_rounding_accounted_for(monkeypatch):
    monkeypatch.setattr("rosenblatt.proofs.search.feature_space.MAX_GRAM", 50)
    monkeypatch.setattr("rosenblatt.proofs.checker.feature_space.MAX_PRODUCTS", 0)
    found = rb.certify(IRIS, KINDS == 0, kernel="poly", degree=2, gamma=1.0)
    assert found.verdict == "separable"
    assert not found.exact
    monkeypatch.undo()
    sharp = rb.certify(IRIS, KINDS == 0, kernel="poly", degree=2, gamma=1.0)
    assert found.margin_bracket[0] <= sharp.margin_bracket[1]
    assert sharp.margin_bracket[0] <= found.margin_bracket[1]


OFF = 1e-3


class Rough(Similarity):
    """Values with an error that is announced, and that flatters a hypothesis on the first two."""

    def block(self, A, B):
        same = len(A) == len(B)  # the support with itself: there w must look short
        return super().block(A, B) + (-OFF if same else OFF) * np.sign(A @ B.T)

    def rounding(self, *tables):
        return OFF


def test_the_lower_end_holds_whatever_the_errors_of_the_kernel_values():
    """Margins that look too large and a length that looks too short make a margin too large."""
    X, y = np.array([[1.0, 1.0], [-1.0, -1.0], [0.5, 0.2]]), np.array([1, 0, 1])
    problem, half = read_problem(X, y), Fraction(1, 2)
    given = (problem, np.array([0, 1]), (half, half), (half, half))
    true, rough = (
        feature_space.bracket(given[0], kind("rbf", gamma=0.1), *given[1:])
        for kind in (Similarity, Rough)
    )
    assert not true[2]
    assert true[0] * 0.9 < rough[0] <= true[0]
    assert true[1] <= rough[1] < true[1] * 1.1


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bound_on_rounding_errors_holds(kernel, dtype):
    rng = np.random.default_rng(0)
    X = (10 * rng.normal(size=(40, 30))).astype(dtype)
    similarity = Similarity(kernel, degree=3, gamma=0.01, coef0=1.0, constant=2.0)
    rough = similarity.block(X, X).astype(np.longdouble)
    wide = X.astype(np.longdouble)
    gamma = np.longdouble(0.01)
    if kernel == "rbf":
        exact = np.exp(-gamma * ((wide[:, None] - wide[None]) ** 2).sum(axis=2)) + 2
    else:
        exact = wide @ wide.T
        exact = (exact if kernel == "linear" else (gamma * exact + 1) ** 3) + 2
    error = float(np.abs(rough - exact).max())
    assert 0 < error <= similarity.rounding(X)


def test_exact_gram_matrices_are_exact():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5, 3))
    similarity = Similarity("poly", degree=3, gamma=0.7, coef0=0.3, constant=0.01)
    K, unit = feature_space.exact_gram(
        similarity, read_problem(X, [0, 1, 0, 1, 0]), np.arange(5), np.arange(2)
    )
    for i in range(5):
        for j in range(2):
            dot = sum(Fraction(a) * Fraction(b) for a, b in zip(X[i], X[j], strict=True))
            value = (Fraction(0.7) * dot + Fraction(0.3)) ** 3 + Fraction(0.01)
            assert K[i, j] * unit == value


def test_false_certificates_are_refused():
    y = KINDS[50:]
    found = rb.certify(IRIS[50:], y, kernel="poly", degree=3, gamma=0.5)
    low, high = found.margin_bracket
    shares = found.coefficients
    wrong = [
        replace(found, margin_bracket=(np.nextafter(low, inf), high)),
        replace(found, margin_bracket=(low, np.nextafter(high, 0))),
        replace(found, verdict="inseparable"),
        replace(found, hypothesis=tuple(-v for v in found.hypothesis)),
        replace(found, coefficients=(shares[0] + 1, *shares[1:])),
        replace(found, coefficients=(-shares[0], *shares[1:])),
        replace(found, support=np.full(len(shares), found.support[0])),
        replace(found, support=found.support + 1000),
        replace(found, similarity=replace(found.similarity, degree=1)),
        replace(found, similarity=replace(found.similarity, kernel="sigmoid")),
    ]
    for certificate in wrong:
        with pytest.raises(rb.VerificationError):
            rb.verify(certificate, IRIS[50:], y)
    for X, labels in ((IRIS[49:-1], y), (IRIS[50:], 1 - y), (2 * IRIS[50:], y)):
        with pytest.raises(rb.VerificationError):
            rb.verify(found, X, labels)
    rough = rb.certify(IRIS[50:], y, kernel="rbf", gamma=0.5)
    assert not rough.exact
    with pytest.raises(rb.VerificationError, match="not proved in integers"):
        rb.verify(replace(rough, exact=True), IRIS[50:], y)
    wider = replace(found, margin_bracket=(low / 2, high * 2), exact=False)
    assert rb.verify(wider, IRIS[50:], y) is wider


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "sigmoid"}, "kernel"),
        ({"kernel": "poly", "degree": 2.5}, "degree"),
        ({"kernel": "poly", "coef0": -1.0}, "coef0"),
        ({"kernel": "rbf", "gamma": 0.0}, "gamma"),
        ({"kernel": "rbf", "gamma": inf}, "gamma"),
        ({"kernel": "rbf", "gamma": "1"}, "gamma"),
        ({"kernel": "poly", "gamma": -1.0}, "gamma"),
        ({"kernel": "poly", "degree": 0}, "degree"),
        ({"kernel": "poly", "degree": inf}, "degree"),
        ({"kernel": "poly", "coef0": nan}, "coef0"),
        ({"kernel": "poly", "degree": 100, "gamma": 1e10}, "too large"),
        ({"kernel": "rbf", "intercept_scaling": inf}, "finite"),
        ({"kernel": "linear", "intercept_scaling": 1e-200}, "squared"),
        ({"kernel": "linear", "intercept_scaling": -1.0}, "intercept_scaling"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        rb.certify(XOR, LABELS, **options)


# Functions that are no inner products in any space.
NO_KERNELS = {
    "a negative constant": {"kernel": "linear", "constant": -1.0},
    "a constant that is no number": {"kernel": "linear", "constant": nan},
    "an infinite constant": {"kernel": "rbf", "constant": inf},
    "a negative shift": {"kernel": "poly", "degree": 2, "coef0": -1.0},
    "a shift that is no number": {"kernel": "poly", "degree": 2, "coef0": nan},
    "a negative slope": {"kernel": "poly", "degree": 2, "gamma": -1.0},
    "no slope": {"kernel": "poly", "degree": 2, "gamma": 0.0},
    "a broken power": {"kernel": "poly", "degree": 2.5},
    "a negative power": {"kernel": "poly", "degree": -1},
    "power nought": {"kernel": "poly", "degree": 0},
    "a power that is true": {"kernel": "poly", "degree": True},
    "a growing exponential": {"kernel": "rbf", "gamma": -1.0},
    "a slope in words": {"kernel": "rbf", "gamma": "1"},
    "sigmoid": {"kernel": "sigmoid"},
    "a function": {"kernel": lambda a, b: 1.0},
    "other parameters": {"kernel": "linear", "more": {"p": 1}},
}


@pytest.mark.parametrize("name", NO_KERNELS)
def test_nothing_is_proved_with_what_is_no_kernel(name):
    X, y = np.array([[1.0], [2.0]]), [0, 1]
    true = rb.certify(X, y, kernel="linear", fit_intercept=False)
    half = (Fraction(1, 2),) * 2
    for bracket, verdict in (((-inf, inf), "undecided"), ((-inf, 0.0), "inseparable")):
        lie = replace(
            true, similarity=Similarity(**NO_KERNELS[name]), verdict=verdict,
            margin_bracket=bracket, support=np.array([0, 1]), hypothesis=half, coefficients=half,
            exact=False,
        )  # fmt: skip
        with pytest.raises(rb.VerificationError, match="Nothing can be proved with this kernel"):
            rb.verify(lie, X, y)


def test_an_inner_product_below_zero_proves_nothing():
    """With x·y - 1 the examples 1 and -1 would have the lengths 0, and the verdict inseparable."""
    X, y, half = np.array([[1.0], [-1.0]]), [0, 1], (Fraction(1, 2),) * 2
    true = rb.certify(X, y, kernel="linear")
    assert true.verdict == "separable"
    lie = replace(
        true, similarity=Similarity("linear", constant=-1.0), verdict="inseparable",
        margin_bracket=(-inf, 0.0), support=np.array([0, 1]), hypothesis=half, coefficients=half,
    )  # fmt: skip
    with pytest.raises(rb.VerificationError, match="Nothing can be proved with this kernel"):
        rb.verify(lie, X, y)


def test_values_that_overflow_bound_nothing():
    X, y = XOR * 1e160, LABELS
    similarity = Similarity("rbf", gamma=1.0, constant=1.0)
    base = rb.certify(XOR, LABELS, kernel="rbf", gamma=1.0)
    data = {"digest": read_problem(X, y).digest(), "similarity": similarity, "verdict": "undecided"}
    assert rb.verify(replace(base, **data, margin_bracket=(-inf, inf)), X, y)
    for upper in (0.0, 5e-324, 1e300):
        with pytest.raises(rb.VerificationError, match="bracket"):
            rb.verify(replace(base, **data, margin_bracket=(-inf, upper)), X, y)


def test_what_cannot_be_asked_is_said():
    with pytest.raises(ValueError, match="ovr"):
        rb.certify(IRIS, KINDS, kernel="linear")
    with pytest.raises(ValueError, match="a single class"):
        rb.certify(XOR, [0, 0, 0, 0], kernel="linear")


def test_problems_are_read_alike():
    assert read_problem(XOR, LABELS).digest() == rb.certify(XOR, LABELS, **POLY).digest
