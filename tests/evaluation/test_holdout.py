"""Held-out errors: measured as `predict` would err, at no cost to the model, and judged fairly."""

from __future__ import annotations

import pickle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import Perceptron as Another
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

import rosenblatt as rb
from rosenblatt import plot
from rosenblatt.estimators import MEMBERS
from rosenblatt.evaluation.held_out import Holdout, _standard_error, _warning, holdout

A, b = load_breast_cancer(return_X_y=True)
CANCER = (scale(A), b)
DIGITS = load_digits(return_X_y=True)


pytestmark = pytest.mark.usefixtures("figures")


def parts(X, y, size=0.25):
    return train_test_split(X, y, test_size=size, random_state=0, stratify=y)


def same(one, other):
    for name in ("coef_", "intercept_", "support_", "dual_coef_"):
        if hasattr(other, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.n_iter_ == other.n_iter_
    assert one.converged_ == other.converged_
    assert len(one.journal_) == len(other.journal_)


# --- the curves ---------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [CANCER, (DIGITS[0][:600], DIGITS[1][:600])], ids=["two", "ten"])
@pytest.mark.parametrize("name", MEMBERS)
def test_it_ends_in_the_weights_of_fit(name, data):
    clf = MEMBERS[name](random_state=0, max_iter=4)
    result = holdout(clf, *data, random_state=0)
    X_train, X_test, y_train, y_test = parts(*data)
    direct = clone(clf).fit(X_train, y_train)
    same(result.estimator, direct)
    assert result.train_error[-1] == pytest.approx(1 - direct.score(X_train, y_train))
    assert result.test_error[-1] == pytest.approx(1 - direct.score(X_test, y_test))
    assert not hasattr(clf, "coef_")


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])
def test_each_pass_is_measured_as_if_it_were_the_last(readout, multiclass):
    X, y = DIGITS[0][:400], DIGITS[1][:400]
    clf = rb.PerceptronClassifier(readout=readout, multiclass=multiclass, random_state=3)
    result = holdout(clf, X, y, random_state=0, passes=4)
    X_train, X_test, y_train, y_test = parts(X, y)
    for number in range(len(result.test_error)):
        short = clone(clf).set_params(max_iter=number + 1).fit(X_train, y_train)
        assert result.train_error[number] == pytest.approx(1 - short.score(X_train, y_train))
        assert result.test_error[number] == pytest.approx(1 - short.score(X_test, y_test))


def test_it_stops_where_fit_stops():
    X, y = DIGITS[0], DIGITS[1] == 0
    clf = rb.Perceptron(random_state=0)
    result = holdout(clf, X, y, random_state=0)
    assert result.estimator.converged_
    assert len(result.train_error) == len(result.test_error) == result.estimator.n_iter_ < 100
    assert result.train_error[-1] == 0
    assert len(holdout(clf, X, y, random_state=0, passes=2).test_error) == 2


def test_early_stopping_is_measured_by_the_best_so_far():
    clf = rb.Perceptron(random_state=0, early_stopping=True, max_iter=30)
    result = holdout(clf, *CANCER, random_state=0)
    X_train, X_test, y_train, y_test = parts(*CANCER)
    direct = clone(clf).fit(X_train, y_train)
    same(result.estimator, direct)
    assert result.estimator.stopped_early_
    assert result.test_error[-1] == pytest.approx(1 - direct.score(X_test, y_test))
    assert result.n_train == len(y_train)


def test_examples_to_hold_out_may_be_given():
    X_train, X_test, y_train, y_test = parts(*CANCER)
    clf = rb.AveragedPerceptron(random_state=0, max_iter=5)
    split = holdout(clf, *CANCER, random_state=0)
    given = holdout(clf, X_train, y_train, X_test=X_test, y_test=y_test)
    np.testing.assert_array_equal(split.test_error, given.test_error)
    np.testing.assert_array_equal(split.train_error, given.train_error)
    assert (given.n_train, given.n_test) == (426, 143)
    assert given.best_pass == 1 + np.argmin(given.test_error)
    strange = np.where(y_test == 1, 2, 0)  # a class that was never learned is never named
    result = holdout(clf, X_train, y_train, X_test=X_test, y_test=strange)
    assert result.test_error[-1] >= np.mean(strange == 2)


@pytest.mark.parametrize("form", [sp.csr_array, sp.coo_array, pd.DataFrame, np.ndarray.tolist])
def test_every_kind_of_table(form):
    X, y = DIGITS[0][:300], DIGITS[1][:300]
    clf = rb.Perceptron(random_state=0, max_iter=3)
    plain, other = holdout(clf, X, y, random_state=0), holdout(clf, form(X), y, random_state=0)
    np.testing.assert_array_equal(plain.test_error, other.test_error)
    np.testing.assert_array_equal(plain.train_error, other.train_error)
    assert plain.n_test == other.n_test == 75


def test_names_of_features_and_classes_are_kept():
    frame = pd.DataFrame(CANCER[0], columns=load_breast_cancer().feature_names)
    labels = pd.Series(np.where(CANCER[1] == 1, "benign", "malignant"), index=frame.index[::-1])
    result = holdout(rb.Perceptron(random_state=0, max_iter=3), frame, labels, test_size=50)
    assert result.estimator.feature_names_in_[0] == "mean radius"
    assert result.estimator.classes_.tolist() == ["benign", "malignant"]
    assert result.n_test == 50


def test_a_class_with_one_example_may_go_either_way():
    X, y = DIGITS[0][:100], DIGITS[1][:100].copy()
    y[0] = 77
    result = holdout(rb.Perceptron(random_state=0, max_iter=3), X, y, random_state=0)
    assert result.n_train + result.n_test == 100


# --- the warning --------------------------------------------------------------------------------


def test_random_labels_are_separated_and_nothing_is_learned():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 300)), rng.integers(0, 2, 200)
    result = holdout(rb.Perceptron(random_state=0), X, y, random_state=0)
    assert result.estimator.converged_
    assert result.train_error[-1] == 0
    assert abs(result.test_error[-1] - 0.5) < 0.2
    assert result.warning.startswith("The training error is 0 %, but the held-out error")
    assert "no better than predicting the most frequent class" in result.warning
    words = " ".join(str(result).split())
    assert "the training examples are proved to be separated;" in words
    assert "convergence proof is about the training examples only" in words


def test_a_fair_training_error_seldom_gives_a_warning():
    """Two standard errors are passed by chance in one of forty data sets."""
    clf, warned = rb.AveragedPerceptron(random_state=0, max_iter=5), 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(2000, 3))
        y = (X[:, 0] + 0.5 * rng.normal(size=2000) > 0).astype(int)
        result = holdout(clf, X, y, random_state=0)
        assert (result.warning is not None) == ("warning" in str(result))
        warned += result.warning is not None
    assert warned <= 4


def test_warnings_come_from_two_standard_errors():
    flat = np.full(5, 0.2)
    assert _warning(flat, flat, 900, 300, 0.5) is None
    assert _warning(flat, flat + 0.03, 900, 300, 0.5) is None
    gap = _warning(flat, flat + 0.08, 900, 300, 0.5)
    assert gap == "The training error is 20.0 %, but the held-out error 28.0 % ± 5.2 %."
    falling, rising = np.linspace(0.3, 0.25, 5), np.array([0.2, 0.15, 0.2, 0.25, 0.3])
    rise = _warning(falling, rising, 900, 300, 0.5)
    assert rise.startswith("The held-out error rose to 30.0 % ± 5.3 % though")
    assert rise.endswith("after pass 2 it was 15.0 %.")
    assert _warning(np.full(5, 0.25), rising, 900, 300, 0.5) == rise  # that of training stayed
    # A training error that rose as well has said so itself.
    assert _warning(rising, rising, 900, 300, 0.5) is None
    both = _warning(0.1 * falling, rising, 900, 300, 0.5)
    assert "The training error is" in both
    assert both.endswith("after pass 2 it was 15.0 %.")
    small = _warning(flat, flat, 30, 10, 0.5)
    assert small.startswith("The held-out examples (10) are too few")
    assert _warning(np.zeros(1), np.zeros(1), 30, 1, 0.0).startswith("The held-out examples (1)")


def test_no_error_seen_is_not_no_error():
    few, many = _standard_error(0.0, 10), _standard_error(0.0, 1000)
    assert 0 < many < few
    assert _standard_error(0.3, 10_000) == pytest.approx(np.sqrt(0.3 * 0.7 / 10_000), rel=1e-3)
    # The band around nothing seen reaches about as far as 3/n, the exact bound at 95 %.
    assert 2 * _standard_error(0.0, 100) == pytest.approx(3 / 100, rel=0.15)


def test_summary_names_the_best_pass_with_care():
    result = holdout(rb.Perceptron(random_state=0, max_iter=20, tol=None), *CANCER, random_state=0)
    words = " ".join(str(result).split())
    assert words.startswith("Perceptron · 426 training and 143 held-out examples · 20 passes")
    assert result.test_error[result.best_pass - 1] < result.test_error[-1]
    assert f"after pass {result.best_pass}; these examples selected that pass" in words
    assert max(map(len, str(result).split("\n"))) <= 96


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "stranger", [Another(), rb.Perceptron, make_pipeline(StandardScaler(), rb.Perceptron()), None]
)
def test_only_estimators_of_this_package(stranger):
    with pytest.raises(TypeError, match="estimators of this package"):
        holdout(stranger, *CANCER)


def test_errors_are_clear():
    X, y = CANCER
    clf = rb.Perceptron(random_state=0, max_iter=2)
    for words, more in (
        ("belong together", {"X_test": X}),
        ("belong together", {"y_test": y}),
        ("test_size=1000 cannot be split off 569", {"test_size": 1000}),
        ("test_size=1 cannot be split off 569", {"test_size": 1}),
        ("coded alike", {"X_test": X, "y_test": np.where(y, "yes", "no")}),
        ("no examples", {"X_test": X[:0], "y_test": y[:0]}),
        ("inconsistent numbers", {"X_test": X, "y_test": y[1:]}),
        ("29 features", {"X_test": X[:, 1:], "y_test": y}),
        ("passes=0", {"passes": 0}),
    ):
        with pytest.raises(ValueError, match=words):
            holdout(clf, X, y, **more)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        holdout(clf, X, y[1:])
    with pytest.raises(ValueError, match="y is None"):
        holdout(clf, X, None)
    with pytest.raises(ValueError, match="one class only"):
        holdout(clf, X, np.zeros(len(y)))


def test_a_result_can_be_kept():
    result = holdout(rb.VotedPerceptron(random_state=0, max_iter=2), *CANCER, random_state=0)
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.test_error, result.test_error)
    assert str(again) == str(result)
    assert isinstance(again, Holdout)


# --- the picture --------------------------------------------------------------------------------


def test_picture_shows_both_curves_and_the_band():
    result = holdout(rb.Perceptron(random_state=0, max_iter=12, tol=None), *CANCER, random_state=0)
    _, ax = plt.subplots()
    assert plot.holdout(result, ax=ax) is ax
    lines = {shape.get_label(): shape for shape in ax.lines}
    np.testing.assert_array_equal(lines["training"].get_ydata(), result.train_error)
    np.testing.assert_array_equal(lines["held out"].get_ydata(), result.test_error)
    np.testing.assert_array_equal(lines["held out"].get_xdata(), 1 + np.arange(12))
    (band,) = (shape for shape in ax.collections if shape.get_gid() == "band")
    corners = band.get_paths()[0].vertices
    for number in range(12):
        heights = corners[corners[:, 0] == number + 1, 1]
        room = 2 * result.standard_error[number]
        assert heights.max() == pytest.approx(result.test_error[number] + room)
        assert heights.min() == pytest.approx(max(result.test_error[number] - room, 0))
    (ring,) = (shape for shape in ax.collections if shape.get_gid() == "best")
    assert ring.get_offsets()[0].tolist() == [result.best_pass, result.test_error.min()]
    wrong = round(result.test_error[-1] * 143)
    assert ax.get_title(loc="left") == f"Perceptron: {wrong} of 143 held-out examples wrong"


def test_picture_carries_the_warning():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 120)), rng.integers(0, 2, 80)
    result = holdout(rb.Perceptron(random_state=0), X, y, random_state=0)
    ax = plot.holdout(result)
    (note,) = (text for text in ax.texts if text.get_gid() == "note")
    assert " ".join(note.get_text().split()) == result.warning
