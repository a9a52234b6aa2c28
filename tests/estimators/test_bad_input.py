"""Bad input: one sentence that names the thing, and an estimator that is as it was."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.estimators import MEMBERS
from rosenblatt.theory import rules

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 1.0]])
y = np.array([0, 1, 0, 1])


def with_value(value):
    Z = X.copy()
    Z[2, 1] = value
    return Z


FITS = {
    "nan": (with_value(np.nan), y, r"X contains NaN, first in column 1 .*; fill"),
    "infinity": (with_value(np.inf), y, r"X contains infinity, first in column 1 .*; correct"),
    "sparse nan": (sp.csr_matrix(with_value(np.nan)), y, r"X contains NaN, first in column 1 "),
    "squares overflow": (with_value(1e200), y, "squares overflow"),
    "empty": (np.empty((0, 2)), np.empty(0), "0 sample"),
    "no features": (np.empty((4, 0)), y, "0 feature"),
    "one class": (X, np.zeros(4), "one class"),
    "y too short": (X, y[:3], "inconsistent"),
    "y missing": (X, None, "y"),
    "y continuous": (X, np.array([0.1, 0.2, 0.3, 0.4]), "continuous"),
    "y with nan": (X, np.array([0.0, 1.0, np.nan, 1.0]), "NaN"),
    "y two columns": (X, np.eye(4)[:, :2], "1d"),
    "x one-dimensional": (X[:, 0], y, "2D"),
    "complex": (X + 1j, y, "Complex"),
    "text": (np.array([["a", "b"]] * 4), y, "convert|numeric"),
}

PARAMETERS = [
    ("Perceptron", {"eta0": 0.0}, "eta0"),
    ("Perceptron", {"eta0": -1.0}, "eta0"),
    ("Perceptron", {"eta0": np.nan}, "eta0"),
    ("Perceptron", {"eta0": "fast"}, "eta0"),
    ("Perceptron", {"eta0": True}, "eta0"),
    ("Perceptron", {"max_iter": 0}, "max_iter"),
    ("Perceptron", {"max_iter": 2.5}, "max_iter"),
    ("Perceptron", {"multiclass": "all"}, "multiclass"),
    ("Perceptron", {"scheme": "best"}, "scheme"),
    ("Perceptron", {"order": "random"}, "order"),
    ("Perceptron", {"order": [0, 9]}, "order"),
    ("Perceptron", {"order": [0.5]}, "order"),
    ("Perceptron", {"intercept_scaling": 0.0}, "intercept_scaling"),
    ("Perceptron", {"threshold": np.inf}, "threshold"),
    ("Perceptron", {"validation_fraction": 1.0}, "validation_fraction"),
    ("Perceptron", {"n_iter_no_change": 0}, "n_iter_no_change"),
    ("Perceptron", {"journal_size": -1}, "journal_size"),
    ("Perceptron", {"class_weight": {0: -1.0}}, "weight"),
    ("Perceptron", {"class_weight": "fair"}, "class_weight"),
    ("Perceptron", {"random_state": "seed"}, "seed"),
    ("PerceptronClassifier", {"rule": "rosenblatt"}, "rule"),
    ("PerceptronClassifier", {"readout": "best"}, "readout"),
    ("MarginPerceptron", {"margin": -1.0}, "margin"),
    ("MarginPerceptron", {"negative_margin": -1.0}, "negative_margin"),
    ("PassiveAggressive", {"C": 0.0}, "C="),
    ("PassiveAggressive", {"variant": "PA-III"}, "variant"),
    ("MIRA", {"margin": -0.1}, "margin"),
    ("ALMA", {"alpha": 1.5}, "alpha"),
    ("ALMA", {"p": 1.0}, "p="),
    ("ALMA", {"p": 3.0, "readout": "voted"}, "p=2"),
    ("Ballseptron", {"radius": -1.0}, "radius"),
    ("DynamicMarginPerceptron", {"eps": 0.0}, "eps"),
    ("DynamicMarginPerceptron", {"eps": 2.0}, "eps"),
    ("SecondOrderPerceptron", {"a": 0.0}, "a="),
    ("SecondOrderPerceptron", {"covariance": "sparse"}, "covariance"),
    ("ConfidenceWeighted", {"variant": "sd"}, "variant"),
    ("ConfidenceWeighted", {"confidence": 0.5}, "confidence=0.5"),
    ("ConfidenceWeighted", {"confidence": 1.0}, "confidence=1.0"),
    ("AROW", {"r": -1.0}, "r="),
    ("AROW", {"readout": "voted"}, "vote"),
    ("SCW", {"variant": "III"}, "variant"),
    ("SCW", {"C": 0.0}, "C="),
    ("NHERD", {"C": "big"}, "C="),
]

WEIGHTS = {
    "negative": ([1, 1, -1, 1], "negative"),
    "all zero": ([0, 0, 0, 0], "zero"),
    "nan": ([1, 1, np.nan, 1], "finite"),
    "too short": ([1, 1], "shape"),
    "matrix": (np.ones((4, 2)), "shape"),
    "one class left": ([1, 0, 1, 0], "one class"),
}


@pytest.fixture
def fitted():
    return rb.Perceptron(max_iter=50, random_state=0).fit(X[:2], y[:2])


def unchanged(model, action, match):
    """The action fails with a message, and the model is what it was."""
    before = dict(model.__dict__)
    with pytest.raises((ValueError, TypeError), match=match) as caught:
        action()
    assert str(caught.value)
    assert model.__dict__.keys() == before.keys()
    assert all(model.__dict__[name] is before[name] for name in before)


@pytest.mark.parametrize("case", FITS)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_fit(case, method, fitted):
    data, labels, match = FITS[case]
    if method == "partial_fit":
        if case == "one class":
            pytest.skip("a stream may bring one class at a time once the others are known")
        fitted.partial_fit(X, y)
    unchanged(fitted, lambda: getattr(fitted, method)(data, labels), match)


@pytest.mark.parametrize(("name", "parameters", "match"), PARAMETERS)
def test_parameters(name, parameters, match):
    model = MEMBERS[name](**parameters)
    unchanged(model, lambda: model.fit(X, y), match)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("case", WEIGHTS)
def test_weights(case, fitted):
    weights, match = WEIGHTS[case]
    unchanged(fitted, lambda: fitted.fit(X, y, sample_weight=weights), match)


def test_wrong_number_of_features(fitted):
    for method in ("predict", "decision_function"):
        unchanged(fitted, lambda m=method: getattr(fitted, m)(X[:, :1]), "features")
    fitted.partial_fit(X, y)
    unchanged(fitted, lambda: fitted.partial_fit(X[:, :1], y), "features")


def test_wrong_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b"])
    model = rb.Perceptron().fit(frame, y)
    unchanged(model, lambda: model.predict(frame.rename(columns={"b": "c"})), "c")


def test_prediction_refuses_nan(fitted):
    unchanged(fitted, lambda: fitted.predict(with_value(np.nan)), "NaN")


def test_labels_that_numpy_would_confuse():
    with pytest.raises(ValueError, match="null character"):
        rb.Perceptron().fit([[0.0], [1.0], [2.0]], ["a", "a\0", "b"])


def test_labels_that_are_not_classes(fitted):
    unchanged(fitted, lambda: fitted.margins(X, y + 5), "not classes of the fit")


def test_start_of_the_wrong_shape(fitted):
    unchanged(fitted, lambda: fitted.fit(X, y, coef_init=np.zeros(3)), "coef_init")
    unchanged(fitted, lambda: fitted.fit(X, y, intercept_init=np.zeros(3)), "intercept_init")
    unchanged(fitted, lambda: fitted.fit(X, y, coef_init=[np.nan, 0.0]), "finite")


@pytest.mark.parametrize("start", [{"coef_init": [[1.0, np.nan]]}, {"intercept_init": [np.inf]}])
def test_start_that_is_not_finite(fitted, start):
    unchanged(fitted, lambda: fitted.fit(X, y, **start), "finite")


def test_warm_start_with_other_classes(fitted):
    fitted.set_params(warm_start=True)
    unchanged(fitted, lambda: fitted.fit(X, y + 1), "warm_start=False")


def test_overflow_while_learning():
    def greedy(look):
        return 1e200 * (1.0 + look.t), 1.0

    model = rb.PerceptronClassifier(greedy)
    unchanged(model, lambda: model.fit(X * 1e100, y), "overflowed|squares overflow")
    unchanged(model, lambda: model.fit(X, y), "overflowed")


def test_stream_needs_two_classes():
    model = rb.Perceptron()
    unchanged(model, lambda: model.partial_fit(X[:1], y[:1]), "announce the others")


def test_balanced_weights_need_all_labels():
    model = rb.Perceptron(class_weight="balanced")
    unchanged(model, lambda: model.partial_fit(X, y), "balanced")


def test_norms_other_than_two_need_two_classes():
    model = rb.ALMA(p=3.0)
    unchanged(model, lambda: model.fit(X, [0, 1, 2, 0]), "multiclass='ovr'")


def test_threshold_with_many_classes():
    model = rb.Perceptron(threshold=1.0)
    unchanged(model, lambda: model.fit(X, [0, 1, 2, 0]), "threshold")


def test_validation_set_must_be_complete():
    model = rb.Perceptron(early_stopping=True)
    unchanged(model, lambda: model.fit(X, y, X_val=X), "y_val")
    unchanged(model, lambda: model.fit(X, y, X_val=with_value(np.nan), y_val=y), "X_val .* NaN")
    unchanged(model, lambda: model.fit(X[:2], y[:2]), "one class")


def test_not_fitted():
    from sklearn.exceptions import NotFittedError

    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(rb.Perceptron(), method)(X)
    for method in ("summary", "top_features"):
        with pytest.raises(NotFittedError):
            getattr(rb.Perceptron(), method)()


def test_a_saved_run_is_not_taken_for_another(tmp_path):
    from rosenblatt.engine import inputs
    from rosenblatt.engine.run import Run

    space, signs = inputs.binary_space(X, 1.0), inputs.signs(y, 1)
    Run(rules.Plain(), space, signs).save(tmp_path / "run")
    with pytest.raises(ValueError, match="rule"):
        Run(rules.PA(), space, signs).restore(tmp_path / "run")
    other = inputs.binary_space(X[:3], 1.0), signs[:3]
    with pytest.raises(ValueError, match="examples"):
        Run(rules.Plain(), *other).restore(tmp_path / "run")
    wide = inputs.binary_space(np.hstack([X, X]), 1.0)
    with pytest.raises(ValueError, match="shape"):
        Run(rules.Plain(), wide, signs).restore(tmp_path / "run")
