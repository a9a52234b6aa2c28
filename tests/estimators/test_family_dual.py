"""AdaTron, the perceptron criterion and learning through a link: papers, guarantees, estimators."""

from __future__ import annotations

import warnings
from math import inf, log

import matplotlib as mpl
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from rosenblatt.engine.batch_run import BatchRun
from rosenblatt.engine.run import Run
from rosenblatt.theory import rules
from rosenblatt.theory.spaces import mirror
from tests.laws.cases import augmented, reals, run, separable, space, weights
from tests.oracles import dual as oracles

mpl.use("Agg")
import matplotlib.pyplot as plt

SEEDS = pytest.mark.parametrize("seed", range(3))


def few_of_many(n=600, d=300, seed=0):
    """Signs, of which three decide by majority."""
    X = np.random.default_rng(seed).choice([-1.0, 1.0], (n, d))
    return X, X[:, :3].sum(axis=1) > 0


# --- AdaTron ----------------------------------------------------------------------------------


@SEEDS
@pytest.mark.parametrize("eta0", [0.5, 1.0, 1.5])
def test_adatron_reaches_the_largest_margin(seed, eta0):
    data, _ = separable(seed)
    clf = rb.AdaTron(eta0=eta0, random_state=seed, max_iter=20_000).fit(data.X, data.y)
    best = float(rb.max_margin(data.X, data.y).margin)
    lower, upper = clf.margin_bracket_
    assert clf.converged_
    assert clf.gap_ <= 1e-3
    assert lower <= best * (1 + 1e-9)
    assert best <= upper * (1 + 1e-9)
    assert clf.margins(data.X, data.y)[1] >= (1 - 1e-3) * best


@SEEDS
def test_adatron_keeps_its_dual(seed):
    """w is the sum of the duals, none is negative or above C, and steps are taken back."""
    data = reals(seed, passes=10)
    made = run(rules.Adatron(C=0.3), data)
    assert made.dual.min() >= 0
    assert made.dual.max() <= 0.3
    assert made.n.step_sum == pytest.approx(made.dual.sum())
    assert (made.journal().updates.a < 0).any()
    np.testing.assert_allclose(augmented(data.X, 1.0).T @ (made.dual * data.y), made.h, atol=1e-9)


def test_adatron_with_a_cap_solves_the_soft_margin():
    from sklearn.svm import LinearSVC

    data = reals(0, n=80)
    clf = rb.AdaTron(C=0.5, gap=1e-4, random_state=0).fit(data.X, data.y)
    svm = LinearSVC(loss="hinge", C=0.5, tol=1e-8, max_iter=100_000, random_state=0)
    svm.fit(data.X, data.y)
    np.testing.assert_allclose(clf.coef_, svm.coef_, atol=0.02)
    assert clf.gap_ <= 1e-4
    assert not clf.converged_
    assert "soft margin" in clf.summary()


def test_adatron_names_the_cap_as_the_remedy():
    data = reals(0)
    with pytest.warns(ConvergenceWarning, match="stopped at max_iter=5 .* finite C"):
        rb.AdaTron(max_iter=5).fit(data.X, data.y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"eta0": 2.0}, "eta0="),
        ({"gap": 1.0}, "gap="),
        ({"C": 0.0}, "C="),
        ({"C": -inf}, "C="),
        ({"multiclass": "native"}, "multiclass='ovr'"),
        ({"threshold": 1.0}, "threshold"),
    ],
)
def test_adatron_refuses(parameters, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        rb.AdaTron(**parameters).fit(X, y)


def test_adatron_meets_a_stream_as_passive_aggressive():
    data = reals(1)
    stream, other = rb.AdaTron(C=0.5), rb.PassiveAggressive(C=0.5)
    for rows in np.array_split(np.arange(len(data.y)), 3):
        stream.partial_fit(data.X[rows], data.y[rows], classes=[-1, 1])
        other.partial_fit(data.X[rows], data.y[rows], classes=[-1, 1])
    np.testing.assert_allclose(stream.coef_, other.coef_, rtol=1e-12)


def test_a_journal_without_a_cap_is_plain_json(tmp_path):
    data, _ = separable(0)
    clf = rb.AdaTron(random_state=0).fit(data.X, data.y)
    clf.journal_.save(tmp_path / "run.json")
    assert "Infinity" not in (tmp_path / "run.json").read_text()
    assert rb.Journal.load(tmp_path / "run.json").config["parameters"]["C"] is None


# --- the criterion ----------------------------------------------------------------------------


@SEEDS
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_batch_equals_the_book(seed, kind, power):
    data, rng = reals(seed), np.random.default_rng(seed)
    c, X, y = rng.integers(1, 4, len(data.y)).astype(float), augmented(data.X, 1.0), data.y * 1.0
    W = oracles.batch(X, y, 12, 0.5, power, c)
    where, labels = space(data, kind)
    made = BatchRun(rules.Descent(0.5, power), where, labels, weights=c, criterion=True)
    for w in W[1:]:
        made.advance()
        np.testing.assert_allclose(made.h, w, rtol=1e-9, atol=1e-9)
        assert made.criterion[-1] == pytest.approx(oracles.criterion(X, y, w, c), abs=1e-9)
    assert made.n.norm2 == pytest.approx(made.h @ made.h)


@SEEDS
@pytest.mark.parametrize("kind", ["rows", "rows csr"])
def test_batch_equals_the_book_with_many_classes(seed, kind):
    data = reals(seed, classes=4)
    W = oracles.multiclass_batch(augmented(data.X, 1.0), data.y, 10, 4)
    where, labels = space(data, kind)
    made = BatchRun(rules.Descent(), where, labels, criterion=True)
    made.go(10)
    np.testing.assert_allclose(weights(made), W[-1], rtol=1e-9, atol=1e-9)


@SEEDS
def test_batch_ends_within_its_bound(seed):
    data, u = separable(seed, margin=0.3)
    where, y = space(data, "dense", bias=0.0)
    made = BatchRun(rules.Descent(), where, y, criterion=True)
    assert made.go(10_000).converged
    best = (data.y * (data.X @ u)).min()
    assert made.n.k <= len(y) * (made.radius / best) ** 2
    lower, upper = made.bracket
    assert lower <= upper
    assert upper >= best


@pytest.mark.parametrize("rate", ["constant", "inverse", "sqrt"])
@pytest.mark.parametrize("method", ["batch", "stochastic"])
def test_every_rate_ends_on_separable_data(rate, method):
    X, y = load_iris(return_X_y=True)
    clf = rb.BatchPerceptron(method=method, learning_rate=rate, max_iter=2000, random_state=0)
    clf.fit(X, y == 0)
    assert clf.converged_
    assert clf.criterion_[-1] == 0
    assert len(clf.criterion_) == clf.n_iter_


def test_the_criterion_falls_for_small_rates():
    """From weights that err, small steps descend: J falls in every pass."""
    data = reals(0, n=100)
    start = np.random.default_rng(0).normal(size=(1, 5)) * 10
    clf = rb.BatchPerceptron(eta0=1e-3, max_iter=30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(data.X, data.y, coef_init=start)
    assert (np.diff(clf.criterion_) < 0).all()


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_weights_are_copies(multiclass):
    X, y = load_iris(return_X_y=True)
    c = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = rb.BatchPerceptron(multiclass=multiclass, max_iter=15)
    copied = rb.BatchPerceptron(multiclass=multiclass, max_iter=15)
    weighted.fit(X, y, sample_weight=c)
    copied.fit(np.repeat(X, c, axis=0), np.repeat(y, c))
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-9)
    np.testing.assert_allclose(weighted.criterion_, copied.criterion_, rtol=1e-9)


def test_the_average_is_over_passes():
    data = reals(0)
    clf = rb.BatchPerceptron(readout="averaged", max_iter=6).fit(data.X, data.y)
    W = oracles.batch(augmented(data.X, 1.0), data.y * 1.0, 6)
    np.testing.assert_allclose(clf.coef_[0], W[1:].mean(axis=0)[:-1], rtol=1e-9)


def test_a_stream_of_batches_counts_on():
    X, y = load_digits(return_X_y=True)
    clf = rb.BatchPerceptron()
    for rows in np.array_split(np.arange(300), 3):
        clf.partial_fit(X[rows], y[rows], classes=np.arange(10))
    assert len(clf.criterion_) == clf.n_iter_ == 3


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"method": "newton"}, "method="),
        ({"learning_rate": "fast"}, "learning_rate="),
        ({"eta0": 0.0}, "eta0="),
        ({"scheme": "uniform"}, "scheme"),
        ({"readout": "voted"}, "readout="),
    ],
)
def test_batch_refuses(parameters, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        rb.BatchPerceptron(**parameters).fit(X, y)


def test_the_criterion_is_drawn():
    X, y = load_iris(return_X_y=True)
    clf = rb.BatchPerceptron().fit(X, y == 0)
    ax = rb.plot.criterion(clf)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), clf.criterion_)
    with pytest.raises(ValueError, match="BatchPerceptron"):
        rb.plot.criterion(rb.Perceptron().fit(X, y == 0))
    ax.figure.canvas.draw()
    plt.close("all")


# --- links ------------------------------------------------------------------------------------


@SEEDS
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("p", [3.0, 8.0])
def test_p_norm_equals_the_paper(seed, kind, p):
    data = reals(seed)
    W = oracles.p_norm(augmented(data.X, 1.0), data.y * 1.0, data.order, p)
    made = run(rules.Winnow(p=p), data, kind, p=p)
    np.testing.assert_allclose(weights(made)[0], W[-1], rtol=1e-7, atol=1e-9)


@SEEDS
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("compiled", [False, True])
def test_multiplicative_steps_are_balanced_winnow(seed, kind, compiled):
    """The same direction after every visit, hence the same predictions and mistakes."""
    data = reals(seed)
    W = oracles.balanced_winnow(augmented(data.X, 1.0), data.y * 1.0, data.order, 0.3)
    where, y = space(data, kind, p=inf)
    made = Run(rules.Winnow(0.3, inf), where, y, order=data.order, compiled=compiled)
    for w in W[1:]:
        made.advance(visits=1)
        ours = weights(made)[0]
        if w.any():
            np.testing.assert_allclose(ours / np.abs(ours).sum(), w / np.abs(w).sum(), atol=1e-9)
    theta, ours = made.h
    assert np.abs(ours).sum() == pytest.approx(np.abs(theta).max())
    assert made.n.norm2 == pytest.approx(np.abs(theta).max() ** 2)


@pytest.mark.parametrize("p", [2.5, 6.0, inf])
@pytest.mark.parametrize("size", [1e-3, 1.0, 30.0, 2000.0])
def test_links_are_undone(p, size):
    theta = size * np.random.default_rng(0).uniform(-1, 1, 6)
    if p == inf:  # what exp makes too small beside the rest cannot come back
        theta = np.sign(theta) * np.maximum(np.abs(theta), np.abs(theta).max() - 300)
    w = np.empty(6)
    mirror.link(theta, p, w)
    np.testing.assert_allclose(mirror.inverse_link(w, p), theta, rtol=1e-6)
    assert not mirror.inverse_link(np.zeros(3), p).any()


@pytest.mark.parametrize("p", ["log", "exponential"])
def test_few_relevant_features_cost_few_mistakes(p):
    X, y = few_of_many()
    options = {"max_iter": 20, "shuffle": False, "fit_intercept": False}
    plain = rb.Perceptron(**options).fit(X, y)
    winnow = rb.WinnowPerceptron(p=p, eta0=0.3, **options).fit(X, y)
    assert winnow.pass_mistakes_.sum() < 0.4 * plain.pass_mistakes_.sum()
    # The best margin of weights of 1-norm 1 is 1/3: a third for each of the three.
    d, eta0, g = X.shape[1], 0.3, 1 / 3
    bound = {
        "log": np.e * (2 * log(d) - 1) / g**2,
        "exponential": log(2 * d) / (eta0 * g - eta0**2 / 2),
    }
    assert winnow.n_updates_ <= bound[p]
    assert winnow.margin_bracket_[1] >= g


def test_the_bracket_of_multiplicative_steps_holds():
    X, y = few_of_many(d=50)
    clf = rb.WinnowPerceptron(p="exponential", max_iter=100, fit_intercept=False, random_state=0)
    clf.fit(X, y)
    lower, upper = clf.margin_bracket_
    assert clf.converged_
    assert 0 < lower <= upper
    assert upper >= 1 / 3 - 1e-12
    signed = np.where(y, 1, -1) * (X @ clf.coef_[0])
    assert signed.min() / np.abs(clf.coef_).sum() == pytest.approx(lower)


@pytest.mark.parametrize("p", ["log", "exponential", 2.0, 5.0])
@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
def test_winnow_dense_equals_sparse(p, readout):
    X, y = load_digits(return_X_y=True)
    X, y = X[:300] / 16, y[:300]
    dense, sparse = (
        rb.WinnowPerceptron(p=p, readout=readout, max_iter=3, random_state=0).fit(table, y)
        for table in (X, sp.csr_matrix(X))
    )
    np.testing.assert_allclose(dense.coef_, sparse.coef_, rtol=1e-6, atol=1e-9)


def test_winnow_goes_on_from_where_it_was():
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    whole = rb.WinnowPerceptron(p="exponential", max_iter=1, shuffle=False).fit(X, y)
    stream = rb.WinnowPerceptron(p="exponential")
    for rows in np.array_split(np.arange(len(y)), 4):
        stream.partial_fit(X[rows], y[rows], classes=[0, 1])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-6)


@pytest.mark.parametrize("p", [1.0, "large", True])
def test_winnow_refuses(p):
    X, y = load_iris(return_X_y=True)
    with pytest.raises((ValueError, TypeError), match="p="):
        rb.WinnowPerceptron(p=p).fit(X, y)
