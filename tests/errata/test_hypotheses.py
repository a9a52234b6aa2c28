"""False claims about votes, averages, passive-aggressive steps, rivals, margins and use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import (
    MIRA,
    AveragedPerceptron,
    PassiveAggressive,
    Perceptron,
    PerceptronClassifier,
    VotedPerceptron,
)
from tests.errata.cases import AND, XOR, separable, signs, through_origin

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
    """A common mistake: to leave open which wrong class moves away; it is the highest-scored."""
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
    clf, longer = through_origin().fit(X, y), through_origin(eta0=1000.0).fit(X, y)
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
