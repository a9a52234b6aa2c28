"""The kernel perceptron as an estimator."""

from __future__ import annotations

import signal

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.model_selection import cross_val_score

import rosenblatt as rb
from rosenblatt.theory.rules import Alma
from tests.support.digits import INTEGER, WHOLE, X, Y, in_parts

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
    assert not hasattr(clf, "coef_")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block_size": 0}, "block_size"),
        ({"multiclass": "one"}, "multiclass"),
        ({"multiclass": "native", "readout": "voted"}, "readout='last'"),
        ({"multiclass": "native", "normalise": True}, "normalise=False"),
        ({"readout": "pocket", "normalise": True}, "a pocket keeps none"),
        ({"multiclass": "native", "readout": "last", "budget": 5}, "ovr"),
        ({"order": "least"}, "order"),
        ({"budget": 0, "readout": "last"}, "budget"),
        ({"budget": 5, "readout": "last", "budget_policy": "newest"}, "budget_policy"),
        ({"budget": 5, "readout": "last", "budget_policy": "bogd", "rule": "pa"}, "own"),
        ({"budget": 5, "readout": "last", "rule": "adatron"}, "budget=None"),
        ({"budget": 5, "readout": "averaged"}, "readout='last'"),
        ({"budget": 5, "readout": "voted", "budget_policy": "stop"}, "readout='last'"),
        ({"readout": "median"}, "readout"),
        ({"kernel": "precomputed"}, "square"),
        ({"rule": Alma(p=3.0)}, "p-norms"),
        ({"kernel": "poly", "degree": 400, "gamma": 1.0}, "overflows"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        rb.KernelPerceptron(**options).fit(100 * X[:50], Y[:50])


# --- many classes at once -----------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["max", "uniform", "proportional"])
def test_the_native_rule_with_a_linear_kernel_is_the_linear_one(scheme):
    rows, y = WHOLE[:400], Y[:400]
    options = {"multiclass": "native", "scheme": scheme, "shuffle": False, "max_iter": 3}
    kernel = rb.KernelPerceptron(kernel="linear", readout="last", block_size=64, **options)
    linear = rb.Perceptron(**options)
    kernel.fit(rows, y)
    linear.fit(rows, y)
    if scheme == "max":
        for mine, theirs in zip(kernel.journal_.updates, linear.journal_.updates, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_allclose(
        kernel.decision_function(rows), linear.decision_function(rows), rtol=1e-9, atol=1e-6
    )
    assert kernel.n_updates_ == linear.n_updates_
    assert kernel.margins(rows, y)[1] == pytest.approx(linear.margins(rows, y)[1])


def test_the_native_rule_is_keslers_construction():
    rows, y = WHOLE[:200], Y[:200]
    K = (rows @ rows.T + 1) ** 2 + 1
    A = np.zeros((10, 200))
    made = []
    for _ in range(2):
        for i in range(200):
            scores = A @ K[:, i]
            rest = np.where(np.arange(10) == y[i], -np.inf, scores)
            if scores[y[i]] <= rest.max():
                rival = int(np.argmax(rest))
                A[y[i], i] += 1
                A[rival, i] -= 1
                made.append((i, rival))
    for block in (1, 7, 512):
        clf = rb.KernelPerceptron(
            **INTEGER, readout="last", multiclass="native", max_iter=2, block_size=block
        ).fit(rows, y)
        updates = clf.journal_.updates
        assert list(zip(updates.i.tolist(), updates.r.tolist(), strict=True)) == made
        np.testing.assert_array_equal(clf.decision_function(rows), (A @ K).T)


def test_the_native_rule_separates_and_proves_it():
    clf = rb.KernelPerceptron(**POLY, readout="last", multiclass="native", random_state=0)
    clf.fit(X, Y)
    assert clf.converged_
    assert clf.margins(X, Y)[1] == pytest.approx(clf.margin_bracket_[0])
    assert clf.margin_bracket_[0] <= clf.margin_bracket_[1]


# --- things that are no vectors -----------------------------------------------------------------


def test_words_are_compared_by_a_function():
    words = ["pain", "paint", "rain", "stone", "bone", "tone", "plain", "phone"]
    y = ["a", "a", "a", "o", "o", "o", "a", "o"]

    def common(a, b):
        return float(len(set(a) & set(b)))

    clf = rb.KernelPerceptron(kernel=common, readout="last", random_state=0).fit(words[:6], y[:6])
    assert clf.converged_
    assert clf.predict(words).tolist() == y
    clf.partial_fit(np.array(words[6:]), y[6:])
    assert clf.predict(["grain", "drone"]).tolist() == ["a", "o"]


# --- long fits ----------------------------------------------------------------------------------


def test_progress_is_printed_within_a_pass(capsys, monkeypatch):
    clock = iter(range(10_000))
    monkeypatch.setattr(
        "rosenblatt.estimators.observers.time.perf_counter", lambda: float(next(clock))
    )
    rb.KernelPerceptron(max_iter=2, verbose=1, block_size=100, random_state=0).fit(X[:400], Y[:400])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" · ")[0] for line in lines[:4]] == [
        "pass 1, 25% done", "pass 1, 50% done", "pass 1, 75% done", "pass 1",
    ]  # fmt: skip


@pytest.fixture
def listening():
    """A process that was started in the background ignores Ctrl-C; here it does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("call", ["fit", "partial_fit"])
@pytest.mark.parametrize("readout", ["last", "averaged", "voted"])
def test_ctrl_c_leaves_the_estimator_as_it_was(call, readout):
    left = [10**9]

    def product(a, b):
        left[0] -= 1
        if left[0] == 0:
            signal.raise_signal(signal.SIGINT)
        return float(a @ b)

    rows, y = WHOLE[:60], Y[:60] % 2
    clf = rb.KernelPerceptron(kernel=product, readout=readout, block_size=8, shuffle=False,
                              warm_start=True, max_iter=2)  # fmt: skip
    clf.partial_fit(rows[:30], y[:30])
    before, told = clf.decision_function(rows), clf.summary()
    left[0] = 600
    with pytest.raises(KeyboardInterrupt):
        getattr(clf, call)(rows[30:], y[30:])
    left[0] = 10**9
    assert clf.summary() == told
    np.testing.assert_array_equal(clf.decision_function(rows), before)
    clf.partial_fit(rows[30:], y[30:])
    other = rb.KernelPerceptron(kernel=product, readout=readout, block_size=8, shuffle=False)
    in_parts(other, rows, y, [30])
    np.testing.assert_array_equal(clf.decision_function(rows), other.decision_function(rows))
