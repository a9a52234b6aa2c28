"""Learning goes on: streams, new classes midway, warm starts and weights to start from."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris

import rosenblatt as rb
from rosenblatt.estimators import MEMBERS
from tests.oracles import online as oracles

READOUTS = pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])


# --- streams --------------------------------------------------------------------------------


@READOUTS
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("classes", [2, 10])
def test_a_stream_equals_one_pass(digits, readout, sparse, classes):
    X, y = digits
    keep = y < classes
    X, y = X[keep][:600], y[keep][:600]
    X = sp.csr_matrix(X) if sparse else X
    model = rb.PerceptronClassifier("plain", readout, max_iter=1, shuffle=False, n_jobs=1)
    if readout == "pocket":
        model = rb.PocketPerceptron(max_iter=1, shuffle=False, ratchet=False)
    whole = clone(model).fit(X, y)
    stream = clone(model)
    for rows in np.array_split(np.arange(len(y)), 7):
        stream.partial_fit(X[rows], y[rows], classes=np.unique(y))
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-12, atol=1e-12)
    assert stream.n_updates_ == whole.n_updates_
    assert stream.pass_mistakes_.sum() == whole.pass_mistakes_[0]
    np.testing.assert_array_equal(stream.predict(X), whole.predict(X))
    if readout == "voted":
        np.testing.assert_array_equal(stream.votes_, whole.votes_)


# They look at all examples before they take one, or take their scale from all.
WHOLE = ("MaxOver", "MinOver", "ThermalPerceptron")
STREAMING = [n for n, kind in MEMBERS.items() if hasattr(kind(), "partial_fit")]


@pytest.mark.parametrize("name", [name for name in STREAMING if name not in WHOLE])
def test_every_rule_streams(name, digits):
    X, y = digits
    whole = MEMBERS[name](max_iter=1, shuffle=False, multiclass="ovr")
    if name == "PocketPerceptron":
        whole.set_params(ratchet=False)
    if name == "BatchPerceptron":  # a batch is what one call is given
        whole.set_params(method="stochastic")
    stream = clone(whole)
    whole.fit(X[:300], y[:300])
    for rows in np.array_split(np.arange(300), 4):
        stream.partial_fit(X[rows], y[rows], classes=np.unique(y))
    if name == "KernelPerceptron":
        scores = whole.decision_function(X), stream.decision_function(X)
        np.testing.assert_allclose(scores[1], scores[0], rtol=1e-8, atol=1e-9)
    else:
        np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("readout", ["last", "averaged", "pocket"])
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("sparse", [False, True])
def test_new_classes_may_appear(digits, readout, multiclass, sparse):
    X, y = digits
    X = sp.csr_matrix(X) if sparse else X
    model = rb.PerceptronClassifier("pa1", readout, multiclass=multiclass)
    for limit in (2, 3, 6, 10):
        chosen = np.flatnonzero(y < limit)
        before = model.decision_function(X[chosen]) if hasattr(model, "coef_") else None
        known = getattr(model, "classes_", np.arange(0))
        model.partial_fit(X[chosen[:1]], y[chosen[:1]], classes=np.arange(limit))
        if before is not None and readout == "last":
            now = model.decision_function(X[chosen])
            assert now.shape[1] == limit > len(known)
        for _ in range(5):
            model.partial_fit(X[chosen], y[chosen])
        assert model.score(X[chosen], y[chosen]) > 0.9
    np.testing.assert_array_equal(model.classes_, np.arange(10))


def test_a_stream_proves_nothing_of_examples_that_are_gone():
    X, y = load_iris(return_X_y=True)
    clf = rb.Perceptron(shuffle=False)
    for _ in range(20):
        clf.partial_fit(X, y == 0, classes=[False, True])
    assert clf.pass_mistakes_[-1] == 0
    assert not clf.converged_
    assert not clf.outcome_.separated
    assert clf.margin_bracket_[0] == -np.inf


def test_a_bound_on_the_margin_of_fewer_classes_is_dropped(digits):
    X, y = digits
    clf = rb.Perceptron()
    clf.partial_fit(X[y < 3], y[y < 3])
    assert clf.margin_bracket_[1] < clf.radius_
    clf.partial_fit(X[y < 4], y[y < 4])
    assert clf.margin_bracket_[1] >= clf.radius_


def test_the_criterion_of_a_stream_is_in_the_order_of_its_parts():
    X, y = load_iris(return_X_y=True)
    clf, found = rb.BatchPerceptron(), []
    for part in (slice(0, 60), slice(40, 120), slice(90, 150)):
        clf.partial_fit(X[part], y[part], classes=np.arange(3))
        found.append(clf.criterion_[-1])
    assert len(set(found)) == 3
    assert clf.criterion_.tolist() == found


def test_a_vote_refuses_new_classes_midway(digits):
    X, y = digits
    model = rb.VotedPerceptron().partial_fit(X[:50], y[:50] % 2)
    with pytest.raises(ValueError, match="announce all with `classes`"):
        model.partial_fit(X[:50], y[:50])
    assert len(model.classes_) == 2


def test_two_classes_become_three_without_forgetting(digits):
    X, y = digits
    two = np.flatnonzero(y < 2)
    model = rb.Perceptron().partial_fit(X[two], y[two])
    margin = model.decision_function(X[two])
    third = np.flatnonzero(y == 2)[:1]
    model.partial_fit(X[third] * 0, y[third])  # announces class 2 and moves the intercepts only
    scores = model.decision_function(X[two])
    shift = scores[:, 1] - scores[:, 0] - margin
    np.testing.assert_allclose(shift, shift[0], atol=1e-9)


# --- starts ---------------------------------------------------------------------------------


def test_warm_start_goes_on(noisy):
    X, y = noisy
    once = rb.Perceptron(max_iter=1, shuffle=False, warm_start=True)
    for _ in range(3):
        once.fit(X, y)
    thrice = rb.Perceptron(max_iter=3, shuffle=False).fit(X, y)
    np.testing.assert_allclose(once.coef_, thrice.coef_, rtol=1e-12)


def test_warm_start_of_an_average_goes_on_from_the_last_hypothesis(noisy):
    X, y = noisy
    warm = rb.AveragedPerceptron(max_iter=1, shuffle=False, warm_start=True).fit(X, y)
    last = rb.Perceptron(max_iter=1, shuffle=False).fit(X, y)
    warm.fit(X, y)
    again = rb.AveragedPerceptron(max_iter=1, shuffle=False)
    again.fit(X, y, coef_init=last.coef_, intercept_init=last.intercept_)
    np.testing.assert_allclose(warm.coef_, again.coef_, rtol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_start_weights(classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    rows = 1 if classes == 2 else classes
    W, b = np.full((rows, 4), 0.5), np.full(rows, -1.0)
    model = rb.Perceptron(max_iter=1, shuffle=False, intercept_scaling=2.0)
    model.fit(X, y, coef_init=W, intercept_init=b)
    if classes == 2:
        A = np.column_stack([X, np.full(len(X), 2.0)])
        start = np.append(W[0], b[0] / 2.0)
        path = oracles.plain(A, np.where(y == 1, 1.0, -1.0), np.arange(len(X)), start=start)
        np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_[0] / 2), path[-1])
    assert model.n_updates_ > 0


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_threshold(fit_intercept):
    """The unit fires above the threshold: in learning, and in prediction."""
    X, y = load_iris(return_X_y=True)
    y = np.where(y == 0, 1, -1)
    model = rb.Perceptron(threshold=3.0, fit_intercept=fit_intercept, shuffle=False).fit(X, y)
    w, b = np.zeros(4), 0.0
    while True:
        changed = False
        for x, label in zip(X, y, strict=True):
            if label * (w @ x + b - 3.0) <= 0:
                w, b, changed = w + label * x, b + label * fit_intercept, True
        if not changed:
            break
    np.testing.assert_allclose(model.coef_[0], w)
    np.testing.assert_allclose(model.intercept_[0], b - 3.0)
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize(
    ("model", "change", "message"),
    [
        (rb.Perceptron(), {"multiclass": "ovr"}, "multiclass was changed"),
        (rb.KernelPerceptron(), {"multiclass": "native"}, "multiclass was changed"),
        (rb.KernelPerceptron(readout="last"), {"budget": 3}, "budget was set or lowered"),
        (rb.KernelPerceptron(readout="last", budget=8), {"budget": 3}, "budget was set or lowered"),
    ],
)
def test_a_parameter_that_a_stream_cannot_change_is_named(model, change, message):
    X, y = load_iris(return_X_y=True)
    clf = clone(model).set_params(random_state=0).partial_fit(X, y)
    with pytest.raises(ValueError, match=message):
        clf.set_params(**change).partial_fit(X, y)
