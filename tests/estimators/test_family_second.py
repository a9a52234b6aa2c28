"""The estimators of second order: streams, new classes, threads, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import rosenblatt as rb
from tests.laws.cases import reals

# --- estimators -----------------------------------------------------------------------------

KINDS = ["SecondOrderPerceptron", "ConfidenceWeighted", "AROW", "SCW", "NHERD"]
KIND = pytest.mark.parametrize("kind", KINDS)
COVARIANCE = pytest.mark.parametrize("covariance", ["diagonal", "full"])


def make(kind, **parameters):
    return getattr(rb, kind)(**parameters)


@KIND
@COVARIANCE
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("readout", ["last", "averaged"])
def test_a_stream_equals_one_long_fit(kind, covariance, classes, readout):
    """Variances are carried on too."""
    data = reals(3, n=120, classes=classes)
    whole = make(kind, covariance=covariance, readout=readout, shuffle=False, max_iter=1)
    whole.fit(data.X, data.y)
    stream = make(kind, covariance=covariance, readout=readout)
    for rows in np.array_split(np.arange(len(data.y)), 5):
        stream.partial_fit(data.X[rows], data.y[rows], classes=np.unique(data.y))
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-9, atol=1e-11)
    assert stream.n_updates_ == whole.n_updates_


@COVARIANCE
def test_new_classes_leave_variances_positive(covariance):
    data = reals(4, n=150, classes=3)
    model = rb.AROW(covariance=covariance)
    model.partial_fit(data.X[data.y < 2], data.y[data.y < 2])
    before = model.coef_.copy()
    state = model.outcome_.state.runs[0].hypothesis
    model.partial_fit(data.X[:1], data.y[:1], classes=[0, 1, 2])
    spread = np.diag if covariance == "full" else np.ravel
    variances = [spread(run.hypothesis[1:]) for run in model.outcome_.state.runs]
    assert (variances[0] <= spread(state[1:]) + 1e-12).all()
    assert all(v.min() > 0 for v in variances)
    assert np.abs(model.coef_[1] - before[0]).max() < 1.0


@KIND
def test_one_vs_rest_is_the_default_and_native_is_refused(kind):
    data = reals(5, n=200, classes=4)
    model = make(kind, max_iter=5, random_state=0).fit(data.X, data.y)
    assert model.score(data.X, data.y) > 0.65
    for asked in (make(kind, multiclass="native"), rb.PerceptronClassifier("arow")):
        with pytest.raises(ValueError, match="multiclass='ovr'"):
            asked.fit(data.X, data.y)


@KIND
@COVARIANCE
def test_threads_end_in_the_same_bits(kind, covariance):
    data = reals(6, n=300, classes=4)
    one, two = (
        make(kind, covariance=covariance, max_iter=10, random_state=0, n_jobs=n).fit(data.X, data.y)
        for n in (None, 4)
    )
    assert np.array_equal(one.coef_, two.coef_)


def test_a_full_matrix_of_many_features_is_refused():
    import scipy.sparse as sp

    X = sp.random(10, 30_000, density=0.01, format="csr", random_state=0)
    with pytest.raises(ValueError, match="covariance='diagonal'"):
        rb.AROW(covariance="full").fit(X, np.arange(10) % 2)


def test_rare_features_take_long_steps():
    """What the second order is for: a feature seen once moves more than one seen often."""
    X = np.zeros((50, 2))
    X[:, 0] = 1.0
    X[49, 1] = 1.0
    y = np.arange(50) % 2
    coef = rb.AROW(fit_intercept=False, shuffle=False, max_iter=1).fit(X, y).coef_[0]
    assert coef[1] > 5 * abs(coef[0])
