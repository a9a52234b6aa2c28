"""Mistakes often met in texts and code about perceptrons, and that this library makes none of them.

Each test names the false claim and shows what is true instead.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import (
    MIRA,
    AveragedPerceptron,
    PassiveAggressive,
    Perceptron,
    PerceptronClassifier,
    VotedPerceptron,
)

Array = npt.NDArray[Any]

AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])
XOR = AND[0], np.array([0, 1, 1, 0])


def signs(y: Array) -> Array:
    return np.where(y == 1, 1.0, -1.0)


def separable(seed: int, n: int = 60, d: int = 3) -> tuple[Array, Array, Array, float]:
    """Random examples, labels, a unit vector that separates them through 0, and its margin."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=d)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(4 * n, d))
    X = X[np.abs(X @ u) > 0.1][:n]
    return X, (X @ u > 0).astype(int), u, float(np.abs(X @ u).min())


def through_origin(kind: type = Perceptron, **options: Any) -> PerceptronClassifier:
    """Without intercept and in the order of the data."""
    return kind(fit_intercept=False, shuffle=False, max_iter=10_000, **options)


def course(clf: PerceptronClassifier, X: Array, y: Array, start: Array | None = None) -> Array:
    """Every hypothesis of a two-class run without intercept, the start first."""
    updates = clf.journal_.updates
    steps = (updates.a * signs(y)[updates.i])[:, None] * X[updates.i]
    first = np.zeros(X.shape[1]) if start is None else start
    return np.vstack([first, first + np.cumsum(steps, axis=0)])


# --- mistakes, ties and zero ----------------------------------------------------------------


def test_a_tie_is_a_mistake() -> None:
    """A common mistake: to update only where y·f < 0; from zero weights nothing is ever learned."""
    clf = Perceptron(shuffle=False).fit(*AND)
    assert clf.n_updates_ > 0
    assert clf.score(*AND) == 1.0


def test_the_first_update_is_made_at_a_tie() -> None:
    """A common mistake: to say that a misclassified example has y·f < 0; at w = 0 it has 0."""
    X, y, _, _ = separable(0)
    updates = through_origin().fit(X, y).journal_.updates
    assert (updates.t[0], updates.i[0]) == (0, 0)


def test_a_score_of_zero_has_a_label() -> None:
    """A common mistake: to leave sign(0) open; here a score must exceed 0 for the second class."""
    clf = through_origin().fit([[1.0], [-1.0]], ["yes", "no"])
    assert clf.decision_function([[0.0]]) == 0
    assert clf.predict([[0.0]]) == "no"


def test_a_zero_example_cannot_be_learned_without_intercept() -> None:
    """A common mistake: an update always raises y·w·x; where x = 0 it stays a tie for good."""
    X, y = np.array([[0.0], [1.0]]), np.array([1, 0])
    with pytest.warns(ConvergenceWarning):
        clf = Perceptron(fit_intercept=False, max_iter=20).fit(X, y)
    assert not clf.converged_
    assert Perceptron(max_iter=20).fit(X, y).converged_


def test_learning_and_prediction_draw_the_same_line() -> None:
    """A common mistake: one rule for ties in training, another in the test, a third in the text."""
    for kind in (Perceptron, AveragedPerceptron, PassiveAggressive):
        clf = kind(max_iter=30, random_state=0).fit(*AND)
        positive = clf.decision_function(AND[0]) > 0
        assert (clf.predict(AND[0]) == positive).all()
    assert Perceptron(random_state=0).fit(*AND).pass_errors_[-1] == 0


def test_fractions_are_not_cut_off() -> None:
    """A common mistake: integer weights, which lose every feature below one."""
    clf = Perceptron(shuffle=False, max_iter=1000).fit(AND[0] / 4, AND[1])
    assert clf.converged_
    assert (clf.coef_ % 1 != 0).any()


# --- the intercept --------------------------------------------------------------------------


@pytest.mark.parametrize("features", [1, 2, 7])
def test_the_intercept_moves_once_an_update(features: int) -> None:
    """A common mistake: to add the label to the bias once for every feature."""
    X = np.random.default_rng(0).normal(size=(1, features)).repeat(2, axis=0) * [[1.0], [-1.0]]
    clf = Perceptron(order=[0], max_iter=1, count_errors=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, [1, 0])
    assert clf.n_updates_ == 1
    assert clf.intercept_ == 1.0


def test_prediction_uses_the_intercept() -> None:
    """A common mistake: to learn a bias and to leave it out when predicting."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    clf = Perceptron(shuffle=False, max_iter=1000).fit(X, y)
    assert clf.score(X, y) == 1.0
    assert (X @ clf.coef_[0] > 0).all() or (X @ clf.coef_[0] < 0).all()


def test_the_boundary_lies_at_minus_b_over_w() -> None:
    """A common mistake: a boundary at w·x = 0, or one moved by b along w."""
    clf = Perceptron(shuffle=False).fit(*AND)
    w, b = clf.coef_[0], clf.intercept_[0]
    assert b != 0
    assert clf.decision_function([-b * w / (w @ w)]) == pytest.approx(0, abs=1e-12)
    assert clf.decision_function([b * w / np.linalg.norm(w)]) != pytest.approx(0, abs=1e-12)


def test_a_threshold_is_an_intercept() -> None:
    """A common mistake: a threshold beside a bias, as if it could say more."""
    given = Perceptron(shuffle=False, threshold=0.7).fit(*AND)
    started = Perceptron(shuffle=False).fit(*AND, intercept_init=[-0.7])
    assert np.array_equal(given.coef_, started.coef_)
    assert np.array_equal(given.intercept_, started.intercept_)


def test_with_an_intercept_the_bound_needs_the_constant_feature() -> None:
    """A common mistake: (R/g)² for the biased rule; x = ±1 has R = g = 1 but costs two updates."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1, 0])
    clf = Perceptron(shuffle=False).fit(X, y)
    assert clf.n_updates_ == 2
    R, g, b = 1.0, 1.0, 0.0
    assert clf.n_updates_ <= (R**2 + 1) * (1 + b**2) / g**2
    assert clf.radius_ == pytest.approx(np.sqrt(2))


def test_the_constant_feature_has_a_price() -> None:
    """A common mistake: any constant will do; data stay separable, but the mistakes change."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    small, large = (
        Perceptron(shuffle=False, max_iter=10_000, intercept_scaling=c).fit(X, y) for c in (0.25, 2)
    )
    assert small.converged_
    assert large.converged_
    assert small.n_updates_ > 10 * large.n_updates_


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
    small, large = through_origin(eta=0.125).fit(X, y), through_origin(eta=64.0).fit(X, y)
    assert small.n_updates_ == large.n_updates_
    assert np.array_equal(512 * small.coef_, large.coef_)
    start = np.full(X.shape[1], 5.0)
    counts = [through_origin(eta=e).fit(X, y, coef_init=start).n_updates_ for e in (0.125, 64.0)]
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
    clf = Perceptron(max_iter=1000, shuffle=False).fit(*XOR)
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


# --- what is made of the hypotheses ---------------------------------------------------------


def test_w_is_a_combination_of_signed_examples() -> None:
    """A common mistake: w = sum of a·x without the labels, and from any start."""
    X, y, _, _ = separable(10, n=40, d=5)
    clf, start = through_origin().fit(X, y), np.array([0.0, 0.0, 0.0, 0.0, 7.0])
    counts = np.bincount(clf.journal_.updates.i, minlength=len(X))
    assert np.allclose(clf.coef_[0], (counts * signs(y)) @ X)
    assert not np.allclose(clf.coef_[0], counts @ X)
    flat = X * [1, 1, 1, 1, 0]
    assert through_origin().fit(flat, y, coef_init=start).coef_[0, 4] == 7.0


def test_a_hypothesis_counts_the_visit_that_made_it() -> None:
    """A common mistake: k hypotheses, each counting what it got right; the start comes on top."""
    clf = VotedPerceptron(shuffle=False).fit(*AND)
    assert len(clf.votes_) == clf.n_updates_ + 1
    assert clf.votes_[0] == 0
    assert (clf.votes_[1:] >= 1).all()
    assert clf.votes_.sum() == clf.n_iter_ * len(AND[0])


def unequal_lives(kind: type) -> PerceptronClassifier:
    """One feature, hypotheses 1, -1 and 2: the first lives for five visits, the others for one."""
    X, y = np.array([[1.0], [-2.0], [3.0], [-1.0]]), np.array([1, 1, 1, 0])
    order = [0, 0, 0, 0, 0, 1, 2]
    return through_origin(kind, order=order).set_params(max_iter=1).fit(X, y)


def test_votes_are_weighted_by_survival() -> None:
    """A common mistake: a plain majority of the hypotheses, or a weighted sum of their scores."""
    clf = unequal_lives(VotedPerceptron)
    w = np.array([0.0, 1.0, -1.0, 2.0])
    assert clf.votes_.tolist() == [0, 5, 1, 1]
    assert clf.decision_function([[1.0]]) == (clf.votes_ * np.sign(w)).sum() == 5
    assert clf.decision_function([[1.0]]) != np.sign(w).sum()
    assert clf.decision_function([[1.0]]) != (clf.votes_ * w).sum()


def test_the_average_is_over_visits_not_updates() -> None:
    """A common mistake: the mean of the k hypotheses; each counts for every visit it survived."""
    clf = unequal_lives(AveragedPerceptron)
    assert clf.coef_ == pytest.approx((5 * 1 + 1 * -1 + 1 * 2) / 7)
    assert clf.coef_ != pytest.approx((1 - 1 + 2) / 3)


def test_the_average_takes_the_intercepts_along() -> None:
    """A common mistake: missing brackets, c·w·x + b, which add the intercepts without weights."""
    clf = AveragedPerceptron(shuffle=False).fit(*AND)
    updates = clf.journal_.updates
    lives = np.diff(updates.t, append=clf.n_iter_ * len(AND[0]))
    course = np.cumsum(signs(AND[1])[updates.i])
    assert clf.intercept_ == pytest.approx((lives * course).sum() / lives.sum())


# --- passive-aggressive and MIRA ------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_pa_lands_on_the_margin(fit_intercept: bool) -> None:
    """A common mistake: after the step the example lies beyond the margin; it lies on it."""
    X, y = np.array([[0.5, 2.0], [-1.0, 0.3]]), np.array([1, 0])
    clf = PassiveAggressive(variant="PA", fit_intercept=fit_intercept, max_iter=1, order=[1, 0])
    clf.fit(X, y)
    assert clf.journal_.updates.i[-1] == 0
    assert clf.decision_function(X[:1]) == pytest.approx(1.0)


def test_mira_is_not_pa() -> None:
    """A common mistake: MIRA drives the hinge loss to 0; it goes to the boundary, by 1 at most."""
    X, y = np.array([[1.0, 0.0], [-0.1, 0.1], [0.0, -1.0]]), np.array([1, 1, 0])
    options: dict[str, Any] = {"fit_intercept": False, "max_iter": 1, "order": [0, 1]}
    mira = MIRA(**options).fit(X, y)
    assert mira.journal_.updates.a.tolist() == [1.0, 1.0]  # to reach the boundary takes 5
    pa = PassiveAggressive(variant="PA", **options).fit(X, y)
    assert pa.journal_.updates.a[1] == pytest.approx(55.0)


def test_mira_stops_at_the_boundary() -> None:
    """A common mistake: MIRA repairs with margin 1; uncapped, it leaves the example at 0."""
    X, y = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]]), np.array([1, 1, 0])
    clf = MIRA(fit_intercept=False, max_iter=1, order=[0, 1]).fit(X, y)
    assert clf.journal_.updates.a.tolist() == [1.0, 0.5]
    assert clf.decision_function(X[1:2]) == pytest.approx(0.0)


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_pa_is_safe_at_zero(variant: str) -> None:
    """A common mistake: to divide by |x|² without a look at x = 0."""
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [-1.0, -2.0]]), np.array([1, 1, 0])
    clf = PassiveAggressive(variant=variant, fit_intercept=False, max_iter=3).fit(X, y)
    assert np.isfinite(clf.coef_).all()
    assert (clf.journal_.updates.i != 0).all()


# --- many classes ---------------------------------------------------------------------------


def test_the_rival_is_the_best_wrong_class() -> None:
    """A common mistake: not to say which wrong class is moved away; it is the highest-scored."""
    X, y = np.array([[1.0, 1.0], [9.0, 0.0], [0.0, 9.0]]), np.array([0, 1, 2])
    start = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    clf = through_origin(order=[0]).set_params(max_iter=1).fit(X, y, coef_init=start)
    assert clf.journal_.updates.r.tolist() == [2]
    assert clf.coef_.tolist() == [[1.0, 1.0], [1.0, 0.0], [1.0, -1.0]]


def test_a_tie_with_the_rival_is_a_mistake() -> None:
    """A common mistake: to call the true class right when another scores as much."""
    X, y = np.eye(3), np.array([0, 1, 2])
    start = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    clf = through_origin(order=[0]).set_params(max_iter=1).fit(X, y, coef_init=start)
    assert clf.pass_mistakes_.tolist() == [1]
    assert clf.coef_[:2, 0].tolist() == [2.0, 0.0]


# --- margins, features and use --------------------------------------------------------------


def test_a_margin_is_a_distance() -> None:
    """A common mistake: to call y·f a distance; without division by |w| it grows with w."""
    X, y, _, _ = separable(11)
    clf, longer = through_origin().fit(X, y), through_origin(eta=1000.0).fit(X, y)
    each, least = clf.margins(X, y)
    assert np.allclose(each, signs(y) * (X @ clf.coef_[0]) / np.linalg.norm(clf.coef_))
    assert least == each.min() == pytest.approx(longer.margins(X, y)[1])
    assert longer.decision_function(X) == pytest.approx(1000 * clf.decision_function(X))


def test_a_margin_is_positive_just_where_the_label_is_right() -> None:
    """A common mistake: a margin for separating w only; where w errs it is negative."""
    clf = PerceptronClassifier(max_iter=20, random_state=0).fit(*XOR)
    each, least = clf.margins(*XOR)
    scores = clf.decision_function(XOR[0])
    assert ((each > 0) == (signs(XOR[1]) * scores > 0)).all()
    assert least <= 0


def test_the_least_weight_is_not_the_least_important() -> None:
    """A common mistake: the smallest weights speak against; the most negative do."""
    X, y = np.array([[5.0, 0.0, 0.1], [0.0, 5.0, 0.1]]), np.array([1, 0])
    against = through_origin().fit(X, y).top_features(1)[1]["negative"]
    assert [name for name, _ in against] == ["x1"]


def test_vectors_of_another_dimension_are_refused() -> None:
    """A common mistake: a dimension passed beside the data and never compared with them."""
    clf = Perceptron().partial_fit(*AND)
    with pytest.raises(ValueError, match="features"):
        clf.predict([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="features"):
        clf.partial_fit([[1.0]], [1])
    with pytest.raises(ValueError, match="coef_init"):
        Perceptron().fit(*AND, coef_init=[1.0, 2.0, 3.0])


def test_evaluation_does_not_train() -> None:
    """A common mistake: to run the learning algorithm on the validation data."""
    X, y, _, _ = separable(12)
    clf = Perceptron(shuffle=False, max_iter=1).fit(X[:10], y[:10])
    before = clf.coef_.copy(), clf.intercept_.copy(), clf.n_updates_
    clf.score(X[10:], 1 - y[10:])
    clf.margins(X[10:], 1 - y[10:])
    assert np.array_equal(clf.coef_, before[0])
    assert np.array_equal(clf.intercept_, before[1])
    assert clf.n_updates_ == before[2]


def test_an_activation_is_not_a_prediction() -> None:
    """A common mistake: to call w·x + b the prediction; the label is the side it falls on."""
    clf = Perceptron(shuffle=False).fit(AND[0], np.array(["off", "off", "off", "on"]))
    assert set(clf.predict(AND[0])) == {"off", "on"}
    assert clf.decision_function(AND[0]).dtype == float
