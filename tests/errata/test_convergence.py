"""False claims about convergence, its bounds, and when to stop."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron
from tests.errata.cases import AND, XOR, course, separable, signs, through_origin

# --- convergence and its bounds -------------------------------------------------------------


def test_the_bound_is_attained() -> None:
    """A common mistake: fewer than (R/g)² updates; a single example costs just that many."""
    clf = through_origin().fit([[3.0], [-3.0]], [1, 0])
    assert clf.n_updates_ == 1 == (clf.radius_ / 3.0) ** 2


@pytest.mark.parametrize("seed", range(5))
def test_the_length_of_w_is_squeezed(seed: int) -> None:
    """A common mistake: a proof that divides by the example; k·g and R·√k enclose |w|."""
    X, y, _, g = separable(seed)
    clf = through_origin().fit(X, y)
    lengths = np.linalg.norm(course(clf, X, y), axis=1)
    k, R = np.arange(len(lengths)), np.linalg.norm(X, axis=1).max()
    assert (k * g <= lengths + 1e-9).all()
    assert (lengths <= R * np.sqrt(k) + 1e-9).all()


def test_the_bound_is_for_a_unit_vector() -> None:
    """A common mistake: to take the margin of any w; twice w would halve the updates, and again."""
    X, y, u, g = separable(1)
    k, R = through_origin().fit(X, y).n_updates_, np.linalg.norm(X, axis=1).max()
    assert k <= (R / g) ** 2
    unscaled = (signs(y) * (X @ (100 * u))).min()
    assert k > (R / unscaled) ** 2


def test_the_radius_is_that_of_the_farthest_example() -> None:
    """A common mistake: |x| < R with R the greatest length; that example has |x| = R."""
    X, y, _, _ = separable(2)
    assert through_origin().fit(X, y).radius_ == pytest.approx(np.linalg.norm(X, axis=1).max())


def test_the_bound_counts_updates_not_visits() -> None:
    """A common mistake: to bound time steps or running time; more examples cost more visits."""
    X, y, _, g = separable(3)
    many = through_origin().fit(np.repeat(X, 50, axis=0), np.repeat(y, 50))
    bound = (many.radius_ / g) ** 2
    assert many.n_updates_ <= bound < many.n_iter_ * 50 * len(X)


def test_only_the_ratio_of_radius_and_margin_matters() -> None:
    """A common mistake: the updates depend on the margin alone; the unit of length must cancel."""
    X, y, _, _ = separable(4)
    assert through_origin().fit(X, y).n_updates_ == through_origin().fit(1024 * X, y).n_updates_


@pytest.mark.parametrize("seed", range(5))
def test_any_start_converges(seed: int) -> None:
    """A common mistake: the bound for w = 0 with random first weights; the start must enter it."""
    X, y, u, g = separable(seed)
    start = 10 * np.random.default_rng(seed).normal(size=X.shape[1])
    clf = through_origin().fit(X, y, coef_init=start)
    R = np.linalg.norm(X, axis=1).max()
    assert clf.converged_
    assert clf.n_updates_ <= np.sum((start - R**2 / g * u) ** 2) / R**2


def test_an_update_need_not_come_nearer_to_every_separator() -> None:
    """A common mistake: each update shortens the distance to any vector that separates."""
    X, y, target = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1, 0]), np.array([0.1, 0.0])
    before, after = course(through_origin().fit(X, y), X, y)
    assert (signs(y) * (X @ target) > 0).all()
    assert np.sum((after - target) ** 2) == pytest.approx(0.81)
    assert np.sum((before - target) ** 2) == pytest.approx(0.01)


@pytest.mark.parametrize("seed", range(5))
def test_an_update_comes_nearer_to_a_long_separator(seed: int) -> None:
    """A common mistake: R² nearer; it is the squared distance to R²/g·u that falls by R²."""
    X, y, u, g = separable(seed)
    clf = through_origin().fit(X, y)
    R = np.linalg.norm(X, axis=1).max()
    squares = np.sum((course(clf, X, y) - R**2 / g * u) ** 2, axis=1)
    assert (np.diff(squares) <= -(R**2) + 1e-6).all()


def test_the_rate_changes_nothing_from_zero() -> None:
    """A common mistake: to tune the learning rate; from w = 0 it only scales w."""
    X, y, _, _ = separable(5)
    small, large = through_origin(eta0=0.125).fit(X, y), through_origin(eta0=64.0).fit(X, y)
    assert small.n_updates_ == large.n_updates_
    assert np.array_equal(512 * small.coef_, large.coef_)
    start = np.full(X.shape[1], 5.0)
    counts = [through_origin(eta0=e).fit(X, y, coef_init=start).n_updates_ for e in (0.125, 64.0)]
    assert counts[0] != counts[1]


def test_separators_are_not_unique() -> None:
    """A common mistake: unit length makes the separating vector unique; other orders, other w."""
    X, y, _, _ = separable(6)
    found = [Perceptron(fit_intercept=False, random_state=s).fit(X, y) for s in (0, 1)]
    assert all(clf.score(X, y) == 1.0 for clf in found)
    a, b = (clf.coef_[0] / np.linalg.norm(clf.coef_) for clf in found)
    assert not np.allclose(a, b)


def test_noise_has_a_guarantee_too() -> None:
    """A common mistake: nothing is known on noisy data; one pass makes at most ((R + D)/g)²."""
    X, y, u, _ = separable(7, n=200)
    y = np.where(np.random.default_rng(7).random(len(y)) < 0.1, 1 - y, y)
    clf = Perceptron(fit_intercept=False, max_iter=1, random_state=0).fit(X, y)
    R, g = np.linalg.norm(X, axis=1).max(), 1.0
    D = np.linalg.norm(np.maximum(0, g - signs(y) * (X @ u)))
    assert 0 < clf.n_updates_ <= ((R + D) / g) ** 2


def test_weights_stay_bounded_on_inseparable_data() -> None:
    """A common mistake: without a separating line the weights wander off; they cycle."""
    clf = Perceptron(max_iter=1000, tol=None, shuffle=False).fit(*XOR)
    assert clf.n_updates_ > 1000
    assert np.abs(clf.coef_).max() <= 5


# --- stopping -------------------------------------------------------------------------------


def test_inseparable_data_end_with_a_warning() -> None:
    """A common mistake: to loop until all is right, and so for ever on XOR."""
    with pytest.warns(ConvergenceWarning, match="max_iter=7"):
        clf = Perceptron(max_iter=7).fit(*XOR)
    assert not clf.converged_
    assert clf.n_iter_ == 7


def test_learning_ends_with_the_first_clean_pass() -> None:
    """A common mistake: always to make all passes, or to stop at the first correct example."""
    clf = Perceptron(shuffle=False, max_iter=1000).fit(*AND)
    assert clf.n_iter_ < 1000
    assert (clf.pass_mistakes_[:-1] > 0).all()
    assert clf.pass_mistakes_[-1] == 0


@pytest.mark.parametrize("seed", range(5))
def test_a_clean_pass_is_a_proof(seed: int) -> None:
    """A common mistake: to infer it of code that skips ties; here no update does mean no error."""
    X, y, _, _ = separable(seed)
    clf = Perceptron(random_state=seed, max_iter=10_000).fit(X, y)
    assert clf.converged_
    assert clf.score(X, y) == 1.0


def test_the_order_can_be_random() -> None:
    """A common mistake: always the order of the file."""
    X, y, _, _ = separable(8)
    first, second = (Perceptron(random_state=s, max_iter=10_000).fit(X, y) for s in (0, 1))
    fixed = Perceptron(shuffle=False, max_iter=10_000).fit(X, y)
    visited = [clf.journal_.updates.i.tolist() for clf in (first, second, fixed)]
    assert visited[0] != visited[1] != visited[2]


def test_online_means_one_example_at_a_time() -> None:
    """A common mistake: online means many passes; examples one by one equal a single pass."""
    X, y, _, _ = separable(9)
    whole = Perceptron(shuffle=False, max_iter=1).fit(X, y)
    stream = Perceptron()
    for i in range(len(X)):
        stream.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    assert np.array_equal(stream.coef_, whole.coef_)
    assert stream.n_updates_ == whole.n_updates_
