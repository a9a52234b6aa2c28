"""Each paper's own lemma or guarantee, as a property of our runs."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.engine.execution import fast
from rosenblatt.engine.run import Run
from rosenblatt.theory import loops, rules, spaces
from tests.laws.cases import Data, augmented, reals, run, separable, space, weights, whole_numbers
from tests.oracles import online as oracles

MORE = settings(max_examples=60, deadline=None)
SEEDS = pytest.mark.parametrize("seed", range(10))


def converge(rule, data, limit=5000, bias=0.0):
    where, y = space(data, "dense", bias=bias)
    made = Run(rule, where, y, rng=0)
    assert made.go(limit).converged
    return made


@SEEDS
def test_novikoff(seed):
    """At most (R/margin)² updates, for the margin of any separator."""
    data, u = separable(seed)
    made = converge(rules.Plain(), data)
    assert made.n.k <= oracles.novikoff(data.X, data.y, u)
    assert made.n.k <= (made.radius / made.bracket[0]) ** 2
    assert np.sqrt(made.n.norm2) <= sqrt(made.n.k) * made.radius * (1 + 1e-12)


@MORE
@given(data=whole_numbers(passes=3), u=st.lists(st.integers(-5, 5), min_size=5, max_size=5))
def test_bounds_without_separability(data, u):
    """Freund & Schapire's bound and the hinge bound hold for every u, separable or not."""
    X = augmented(data.X, 1.0)
    u = np.array(u[: X.shape[1]], float)
    if not u.any():
        return
    made = run(rules.Plain(), data)
    Z, labels = X[data.order], data.y[data.order].astype(float)
    assert made.n.k <= oracles.fs_bound(Z, labels, u, 1.0) * (1 + 1e-9)
    assert made.n.k <= oracles.hinge_bound(Z, labels, u) * (1 + 1e-9)


@SEEDS
@pytest.mark.parametrize("theta", [0.5, 5.0, 50.0])
def test_margin_perceptron(seed, theta):
    data, u = separable(seed)
    made = converge(rules.Margin(theta), data)
    best = (data.y * (data.X @ u)).min()
    assert made.n.k <= (made.radius**2 + 2 * theta) / best**2
    assert made.bracket[0] >= theta * best / (made.radius**2 + 2 * theta)


@MORE
@given(data=whole_numbers(), u=st.lists(st.integers(-3, 3), min_size=5, max_size=5))
@pytest.mark.parametrize("rule", [rules.PA(), rules.PA1(0.5), rules.PA2(0.5)])
def test_passive_aggressive_lemma_1(rule, data, u):
    """sum of tau·(2·loss - tau·|x|² - 2·loss of u) <= |u|² for every u."""
    X = augmented(data.X, 1.0)
    u = np.array(u[: X.shape[1]], float)
    where, y = space(data, "dense")
    made, total = Run(rule, where, y, order=data.order), 0.0
    for i in data.order:
        loss = max(0.0, 1 - y[i] * (X[i] @ made.h))
        before = made.n.k
        made.advance(visits=1)
        tau = made.journal().updates.a[-1] if made.n.k > before else 0.0
        total += tau * (2 * loss - tau * (X[i] @ X[i]) - 2 * max(0.0, 1 - y[i] * (X[i] @ u)))
    assert total <= u @ u + 1e-9


@SEEDS
@pytest.mark.parametrize("aggressive", [False, True])
def test_romma_equalities(seed, aggressive):
    """After an update the example has margin 1 and <w', w> = |w|²."""
    data, _ = separable(seed)
    where, y = space(data, "dense")
    made = Run(rules.Romma(aggressive), where, y, rng=seed)
    X, w = augmented(data.X, 1.0), made.h.copy()
    for _ in range(200):
        before = made.n.k
        made.advance(visits=1)
        if made.n.k > before:
            i = made.journal().updates.i[-1]
            assert y[i] * (X[i] @ made.h) == pytest.approx(1.0, rel=1e-6)
            assert made.h @ w == pytest.approx(w @ w, rel=1e-6)
        w = made.h.copy()


@SEEDS
def test_romma_mistakes(seed):
    data, u = separable(seed)
    made = converge(rules.Romma(), data)
    assert made.n.mistakes <= oracles.novikoff(data.X, data.y, u)
    assert sqrt(made.n.norm2) <= 1 / (data.y * (data.X @ u)).min() * (1 + 1e-9)


@SEEDS
@pytest.mark.parametrize("eps", [0.5, 0.05])
def test_dynamic_margin_certifies_itself(seed, eps):
    data, u = separable(seed)
    made = converge(rules.Dynamic(eps), data)
    lower, upper = made.bracket
    assert lower >= (1 - eps) * upper
    assert lower >= (1 - eps) * (data.y * (data.X @ u)).min()


@SEEDS
def test_ballseptron(seed):
    data, u = separable(seed, margin=0.2)
    best, r = (data.y * (data.X @ u)).min(), 0.1
    made = converge(rules.Ballsep(r), data)
    assert made.n.k <= ((made.radius + r) / (best - r)) ** 2
    assert made.bracket[0] > r


@SEEDS
@pytest.mark.parametrize("p", [2.0, 3.0, 8.0])
def test_alma_stays_in_the_ball_and_finds_its_margin(seed, p):
    data, u = separable(seed, margin=0.3)
    alpha = 0.5
    made = run(rules.Alma(alpha, p, sqrt(8) / alpha), data, bias=0.0, p=p)
    made.go(3000)
    w = weights(made)[0, :-1]
    q = p / (p - 1)
    assert np.linalg.norm(w, q) <= 1 + 1e-9
    assert made.converged
    norms = np.linalg.norm(data.X, p, axis=1)
    margins = data.y * (data.X @ w) / norms
    best = (data.y * (data.X @ u) / norms / np.linalg.norm(u, q)).min()
    assert margins.min() / np.linalg.norm(w, q) >= (1 - alpha) * best


@SEEDS
def test_relaxation_comes_nearer(seed):
    """Every step shortens the distance to every point that meets all the conditions."""
    data, u = separable(seed)
    goal = u / (data.y * (data.X @ u)).min()
    where, y = space(data, "dense", bias=0.0)
    made = Run(rules.Relaxation(1.0, 1.0), where, y, rng=seed)
    distance = np.linalg.norm(made.h[:-1] - goal)
    for _ in range(300):
        made.advance(visits=1)
        now = np.linalg.norm(made.h[:-1] - goal)
        assert now <= distance * (1 + 1e-12)
        distance = now


@SEEDS
def test_normalised_needs_the_margin_of_directions_only(seed):
    data, u = separable(seed)
    norms = np.linalg.norm(data.X, axis=1)
    made = converge(rules.Normalised(), data)
    assert made.n.k <= 1 / (data.y * (data.X @ u) / norms).min() ** 2


@SEEDS
def test_any_start_still_converges(seed):
    """The distance proof: k <= |w0 - alpha·u|²/R² with alpha = R²/margin."""
    data, u = separable(seed)
    w0 = np.append(10 * np.random.default_rng(seed).normal(size=4), 0.0)
    where, y = space(data, "dense", bias=0.0)
    made = Run(rules.Plain(), where, y, rng=0, start=w0)
    assert made.go(5000).converged
    alpha = made.radius**2 / (y * (data.X @ u)).min()
    assert made.n.k <= np.sum((w0[:-1] - alpha * u) ** 2) / made.radius**2


def test_the_bound_is_attained():
    """One example: one update, and (R/margin)² = 1."""
    data = Data(np.array([[3.0, 4.0], [-3.0, -4.0]]), np.array([1, -1]), None)
    assert converge(rules.Plain(), data).n.k == 1


@SEEDS
@pytest.mark.parametrize("scheme", ["max", "uniform", "proportional"])
@pytest.mark.parametrize("kind", ["rows", "rows csr"])
def test_many_classes_equal_the_paper(seed, scheme, kind):
    data = reals(seed, classes=4)
    X = augmented(data.X, 1.0)
    W = oracles.multiclass_plain(X, data.y, data.order, 4, 1.0, scheme)
    made = run(rules.Plain(), data, kind, scheme=scheme)
    np.testing.assert_allclose(weights(made), W[-1], rtol=1e-9, atol=1e-10)


@SEEDS
@pytest.mark.parametrize("kind", ["rows", "rows csr"])
@pytest.mark.parametrize("beta", [0.0, 1.0, 20.0])  # with the last, steps meet their limit
def test_mira_solves_its_programme(seed, kind, beta):
    data = reals(seed, classes=5, n=60)
    W = oracles.multiclass_mira(augmented(data.X, 1.0), data.y, data.order, 5, beta)
    made = run(rules.Mira(beta), data, kind, scheme="projection")
    np.testing.assert_allclose(weights(made), W[-1], rtol=1e-6, atol=1e-8)


@SEEDS
@pytest.mark.parametrize(
    ("rule", "variant"), [(rules.PA(), "pa"), (rules.PA1(0.3), "pa1"), (rules.PA2(0.3), "pa2")]
)
def test_passive_aggressive_with_many_classes(seed, rule, variant):
    data = reals(seed, classes=4)
    C = getattr(rule, "C", 1.0)
    W = oracles.multiclass_pa(augmented(data.X, 1.0), data.y, data.order, 4, variant, C)
    np.testing.assert_allclose(weights(run(rule, data, "rows")), W[-1], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("classes", [3, 4, 5, 9, 10, 11, 13, 23])
@pytest.mark.parametrize("kind", ["rows", "rows csr"])
def test_classes_of_equal_weights_tie_exactly(classes, kind):
    """However the sums are grouped, the same weights must give the same score to the last bit."""
    data = reals(0, n=30, d=11, classes=classes)
    where, y = space(data, kind)
    h = spaces.from_rows(where, np.tile(np.random.default_rng(0).normal(size=12), (classes, 1)))
    margins = np.empty(len(y))
    fast(loops.survey)(where, y, h, margins)
    assert not margins.any()


@MORE
@given(data=whole_numbers(classes=3))
def test_vectors_of_the_classes_sum_to_zero(data):
    assert not weights(run(rules.Plain(), data, "rows")).sum(axis=0).any()
