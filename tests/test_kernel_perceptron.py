"""The kernel perceptron as an estimator."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.model_selection import cross_val_score

import rosenblatt as rb
from rosenblatt.rules import Alma

X, Y = load_digits(return_X_y=True)
X = X / 16.0
POLY = {"kernel": "poly", "degree": 3, "gamma": 1.0, "fit_intercept": False}
READOUTS = ("last", "averaged", "voted", "pocket", "random")


def naive(X, y, epochs, K):
    """Freund & Schapire's Figure 1 in dual form: the mistakes, and how long each vector lived."""
    made, lives = [], [0]
    for _ in range(epochs):
        for i in range(len(y)):
            score = sum(y[j] * K[j, i] for j in made)
            if (score > 0) == (y[i] > 0) and score != 0:
                lives[-1] += 1
            else:
                made.append(i)
                lives.append(1)
    return made, lives


@pytest.fixture(scope="module")
def course():
    """A small two-class problem, its Gram matrix, and the paper's algorithm on it."""
    rows, y = X[:160], np.where(Y[:160] == 8, 1, -1)
    K = polynomial_kernel(rows, degree=3, gamma=1.0, coef0=1.0)
    made, lives = naive(rows, y, 3, K)
    scores = np.zeros((len(made) + 1, len(y)))
    for e, i in enumerate(made):
        scores[e + 1] = scores[e] + y[i] * K[i]
    return rows, y, K, made, np.array(lives), scores


@pytest.mark.parametrize("block", [1, 7, 512])
@pytest.mark.parametrize("readout", ["last", "averaged", "voted"])
def test_it_is_the_algorithm_of_the_paper(course, readout, block):
    rows, y, _, made, lives, scores = course
    clf = rb.KernelPerceptron(
        **POLY, readout=readout, shuffle=False, max_iter=3, block_size=block
    ).fit(rows, y)
    assert clf.journal_.updates.i.tolist() == made
    assert lives.sum() == 3 * len(y)
    expected = {
        "last": scores[-1],
        "averaged": lives @ scores / lives.sum(),
        "voted": np.where(scores > 0, 1, -1).T @ lives,
    }[readout]
    np.testing.assert_allclose(clf.decision_function(rows), expected, rtol=1e-9)
    if readout == "voted":
        assert clf.votes_.tolist() == lives.tolist()


@pytest.mark.parametrize("readout", ["last", "averaged", "random"])
def test_normalised_hypotheses_have_length_one(course, readout):
    rows, y, K, made, lives, scores = course
    options = {**POLY, "readout": readout, "shuffle": False, "max_iter": 3, "random_state": 0}
    plain = rb.KernelPerceptron(**options).fit(rows, y)
    unit = rb.KernelPerceptron(**options, normalise=True).fit(rows, y)
    signed = np.zeros(len(y))
    lengths = [0.0]
    for i in made:
        signed[i] += y[i]
        lengths.append(np.sqrt(signed @ K @ signed))
    inverse = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=np.array(lengths) > 0)
    if readout == "averaged":
        expected = (lives * inverse) @ scores
    elif readout == "last":
        expected = scores[-1] * inverse[-1]
    else:
        chosen = [
            e for e in range(len(scores)) if np.allclose(scores[e], plain.decision_function(rows))
        ]
        expected = scores[chosen[0]] * inverse[chosen[0]]
    np.testing.assert_allclose(unit.decision_function(rows), expected, rtol=1e-8)


@pytest.mark.parametrize("readout", READOUTS)
def test_dense_sparse_and_precomputed_agree(readout):
    rows, y = X[:300], Y[:300]
    options = {"readout": readout, "max_iter": 2, "random_state": 3}
    dense = rb.KernelPerceptron(**POLY, **options).fit(rows, y)
    sparse = rb.KernelPerceptron(**POLY, **options).fit(sp.csr_matrix(rows), y)
    K = polynomial_kernel(rows, degree=3, gamma=1.0, coef0=1.0)
    given = rb.KernelPerceptron(kernel="precomputed", fit_intercept=False, **options).fit(K, y)
    test = X[300:400]
    cross = polynomial_kernel(test, rows, degree=3, gamma=1.0, coef0=1.0)
    expected = dense.decision_function(test)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_matrix(test)), expected, rtol=1e-6)
    np.testing.assert_allclose(given.decision_function(cross), expected, rtol=1e-6)
    np.testing.assert_array_equal(dense.support_, given.support_)


def test_the_linear_kernel_is_the_linear_perceptron():
    whole = np.rint(16 * X[:400])
    options = {"shuffle": False, "max_iter": 3, "multiclass": "ovr"}
    kernel = rb.KernelPerceptron(kernel="linear", readout="last", **options).fit(whole, Y[:400])
    linear = rb.Perceptron(**options).fit(whole, Y[:400])
    np.testing.assert_array_equal(kernel.decision_function(whole), linear.decision_function(whole))
    assert kernel.n_updates_ == linear.n_updates_
    assert kernel.radius_ == pytest.approx(linear.radius_)


@pytest.mark.parametrize("rule", ["plain", "margin", "pa1", "romma", "dynamic"])
def test_every_dual_rule_learns_the_digits(rule):
    clf = rb.KernelPerceptron(kernel="rbf", gamma=0.3, rule=rule, max_iter=5, random_state=0)
    assert cross_val_score(clf, X, Y, cv=3).mean() > 0.94


def test_what_it_says_of_itself():
    clf = rb.KernelPerceptron(**POLY, readout="last", random_state=0).fit(X, Y == 3)
    assert clf.converged_
    margins, least = clf.margins(X, Y == 3)
    lower, upper = clf.margin_bracket_
    assert least == pytest.approx(lower)
    assert least <= upper
    assert len(margins) == len(X)
    assert clf.n_updates_ <= (clf.radius_ / lower) ** 2
    assert f"{len(clf.support_)} support vectors" in clf.summary()
    assert not hasattr(clf, "partial_fit")
    assert not hasattr(clf, "coef_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block_size": 0}, "block_size"),
        ({"multiclass": "native"}, "multiclass"),
        ({"readout": "median"}, "readout"),
        ({"kernel": "precomputed"}, "square"),
        ({"rule": Alma(p=3.0)}, "p-norms"),
        ({"kernel": "poly", "degree": 400, "gamma": 1.0}, "overflows"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        rb.KernelPerceptron(**options).fit(100 * X[:50], Y[:50])
