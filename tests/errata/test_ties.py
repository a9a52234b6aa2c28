"""False claims about mistakes, ties, zero and the intercept."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import AveragedPerceptron, PassiveAggressive, Perceptron
from tests.errata.cases import AND, separable, through_origin

# --- mistakes, ties and zero ----------------------------------------------------------------


def test_a_tie_is_a_mistake() -> None:
    """A common mistake: to update only where y·f < 0; from zero weights nothing is ever learned."""
    clf = Perceptron(shuffle=False).fit(*AND)
    assert clf.n_updates_ > 0
    assert clf.score(*AND) == 1.0


def test_the_first_update_is_made_at_a_tie() -> None:
    """A common mistake: to define a misclassified example by y·f < 0; at w = 0 it has 0."""
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
    """A common mistake: a threshold beside a bias, as if it added anything."""
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
