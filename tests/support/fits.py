"""Fits that several tests look at, and what it is for two of them to be the same."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.estimators import MEMBERS

X, Y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(5).permutation(len(Y))
X, Y = X[ORDER], Y[ORDER]
LABELS = {
    "texts": np.array(["setosa", "versi", "virginica"]),
    "objects": np.array(["a", "bb", "ccc"], object),
    "whole": np.array([-3, 0, 70]),
    "real": np.array([-1.0, 0.0, 3.0]),
    "truth": np.array([False, True, True]),
}


def fitted(name, y=Y, data=X, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MEMBERS[name](**({"random_state": 0, "max_iter": 8} | parameters)).fit(data, y)


def wide(classes=3, **parameters):
    """A model of many features, most of which it has never met."""
    draw = np.random.default_rng(2)
    texts = sp.random_array((60, 20_000), density=0.001, format="csr", random_state=draw)
    return fitted("AveragedPerceptron", np.arange(60) % classes, texts, **parameters), texts


def assert_equal(one, other, data=X):
    assert np.array_equal(one.decision_function(data), other.decision_function(data))
    found, meant = one.predict(data), other.predict(data)
    assert found.dtype == meant.dtype
    assert np.array_equal(found, meant)
    assert one.summary() == other.summary()
    assert one.get_params().keys() == other.get_params().keys()
    if hasattr(other, "coef_"):
        assert np.array_equal(one.coef_, other.coef_)
        assert one.top_features() == other.top_features()


def same(one, other):
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.n_updates_ == other.n_updates_
