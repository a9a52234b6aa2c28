"""Pictures of runs: the mistakes of each pass, and the bracket of the best margin."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

import rosenblatt as rb
from rosenblatt import plot
from rosenblatt.plot import runs
from rosenblatt.theory.rounding import at_least, at_most
from tests.support.figures import EASY, HARD, PETAL, X, legend, line, note, y

pytestmark = pytest.mark.usefixtures("figures")


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("data", "passes"), [(EASY, 100), (HARD, 7), (HARD, 90)])
def test_mistakes_and_errors_are_those_of_the_passes(data, passes):
    clf = rb.Perceptron(random_state=0, max_iter=passes, count_errors=True)
    ax = plot.mistakes(clf.fit(PETAL[data], y[data]))
    (stairs,) = ax.patches
    np.testing.assert_array_equal(stairs.get_data().values, clf.pass_mistakes_)
    np.testing.assert_allclose(stairs.get_data().edges[:-1] + 0.5, 1 + np.arange(clf.n_iter_))
    errors = line(ax, "errors")
    np.testing.assert_array_equal(errors.get_xdata(), 1 + np.arange(clf.n_iter_))
    np.testing.assert_array_equal(errors.get_ydata(), clf.pass_errors_)
    assert legend(ax) == ["made while learning", "errors left after the pass"]
    assert ("not separated" in ax.get_title(loc="left")) == (data is HARD)
    assert not note(ax)


def test_errors_that_were_not_counted_are_not_drawn():
    clf = rb.Perceptron(random_state=0).fit(PETAL[EASY], y[EASY])
    counted = np.flatnonzero(clf.pass_errors_ >= 0)
    assert 0 < len(counted) < clf.n_iter_
    errors = line(plot.mistakes(clf), "errors")
    np.testing.assert_array_equal(errors.get_xdata(), counted + 1)
    clf = rb.Perceptron(random_state=0, max_iter=3).fit(PETAL[HARD], y[HARD])
    ax = plot.mistakes(clf)
    assert not ax.lines
    assert "count_errors=True" in note(ax)
    assert legend(ax) == ["made while learning"]


# --- bracket ----------------------------------------------------------------------------------

FITS = {
    "plain": rb.Perceptron(random_state=0),
    "not separated": rb.Perceptron(random_state=0, max_iter=3),
    "no intercept": rb.Perceptron(random_state=0, fit_intercept=False),
    "scaled intercept": rb.MarginPerceptron(margin=3.0, intercept_scaling=2.5, random_state=0),
    "margin": rb.MarginPerceptron(margin=50.0, random_state=0),
    "dynamic": rb.DynamicMarginPerceptron(eps=0.1, max_iter=1000, random_state=0),
    "passive": rb.PassiveAggressive(random_state=0),
    "shrinking": rb.ALMA(random_state=0),
    "scaling": rb.ROMMA(aggressive=True, random_state=0, max_iter=20),
    "class weights": rb.Perceptron(class_weight={0: 0.3, 1: 2.0, 2: 1.0}, random_state=0),
    "averaged": rb.AveragedPerceptron(random_state=0),
    "shared blame": rb.Perceptron(scheme="uniform", random_state=0, max_iter=30),
    "projection": rb.MIRA(margin=1.0, random_state=0, max_iter=30),
}


def curve(ax, label):
    return (line(ax, label).get_xdata(), line(ax, label).get_ydata())


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", FITS)
def test_bracket_ends_where_the_run_says(name, classes, form):
    part = EASY if classes == 2 else slice(None)
    data, labels = form(X[part]), y[part]
    clf = FITS[name].fit(data, labels)
    ax = plot.bracket(clf, data, labels)
    k, upper = curve(ax, "upper")
    np.testing.assert_array_equal(k, 1 + np.arange(clf.n_updates_))
    assert (np.diff(upper) <= 0).all()
    assert upper[-1] == pytest.approx(clf.margin_bracket_[1], rel=1e-7)
    assert upper[-1] <= clf.margin_bracket_[1]  # which allows for rounding
    if clf.margin_bracket_[0] > 0:
        moments, lower = curve(ax, "lower")
        assert lower[-1] >= clf.margin_bracket_[0] * (1 - 1e-9)
        assert (lower <= upper[np.searchsorted(k, moments)] * (1 + 1e-9)).all()
        assert (np.diff(lower) >= 0).all()
    elif classes == 3:
        assert not [shape for shape in ax.lines if shape.get_label().startswith("lower")]
    if form is sp.csr_array or classes == 3:
        plt.close(ax.figure)  # to draw it takes longest, and the dense form of two is drawn


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_lower_bound_is_the_margin_of_the_hypothesis_in_force(classes):
    around = 2 * np.pi * np.arange(classes) / classes
    centers = 9 * np.column_stack([np.cos(around), np.sin(around)])
    data, labels = make_blobs(60, centers=centers, random_state=0)
    clf = rb.Perceptron(random_state=0).fit(data, labels)
    assert clf.converged_
    ax = plot.bracket(clf, data, labels)
    k, lower = curve(ax, "lower")
    # The plain rule stops at the first hypothesis that separates.
    np.testing.assert_array_equal(k, [clf.n_updates_])
    assert lower[0] == pytest.approx(clf.margins(data, labels)[1], rel=1e-12)
    assert lower[0] <= curve(ax, "upper")[1][-1]


def test_known_bounds_are_lines():
    clf = rb.MarginPerceptron(margin=50.0, random_state=0).fit(X[EASY], y[EASY])
    ax = plot.bracket(clf, X[EASY], y[EASY])
    levels = next(group for group in ax.collections if group.get_label() == "in the end")
    heights = [segment[0, 1] for segment in levels.get_segments()]
    assert heights == pytest.approx(list(clf.margin_bracket_))
    lower, upper = clf.margin_bracket_
    assert f"{at_least(lower, 3)} to {at_most(upper, 3)}" in ax.get_title(loc="left")


def test_long_runs_are_replayed_in_part_and_say_so(monkeypatch):
    clf = rb.Perceptron(random_state=0, max_iter=10).fit(X[HARD], y[HARD])
    whole = curve(plot.bracket(clf, X[HARD], y[HARD]), "upper")
    monkeypatch.setattr(runs, "REPLAYED", 30)
    ax = plot.bracket(clf, X[HARD], y[HARD])
    part = curve(ax, "upper")
    assert len(part[0]) == 30 < len(whole[0])
    np.testing.assert_array_equal(part[1], whole[1][:30])
    assert f"first 30 of {clf.n_updates_:,}" in ax.get_xlabel()


def test_a_journal_that_forgot_its_beginning_goes_on_from_what_was_known(monkeypatch):
    whole = rb.Perceptron(random_state=0, max_iter=10).fit(X[HARD], y[HARD])
    k, upper = curve(plot.bracket(whole, X[HARD], y[HARD]), "upper")
    monkeypatch.setattr("rosenblatt.engine.run.BUFFER", 40)  # forget in smaller pieces
    late = rb.Perceptron(random_state=0, max_iter=10, journal_size=5).fit(X[HARD], y[HARD])
    tail, bounds = curve(plot.bracket(late, X[HARD], y[HARD]), "upper")
    assert 0 < len(tail) < len(k)
    np.testing.assert_array_equal(tail, k[-len(tail) :])
    np.testing.assert_allclose(bounds, upper[-len(tail) :], rtol=1e-9)


def test_a_start_other_than_zero_proves_no_upper_bound():
    start = np.array([[0.1, 0.2, 0.3, 0.4]])
    clf = rb.MarginPerceptron(random_state=0).fit(X[EASY], y[EASY], coef_init=start)
    upper = curve(plot.bracket(clf, X[EASY], y[EASY]), "upper")[1]
    np.testing.assert_array_equal(upper, clf.radius_)
    lower = curve(plt.gca(), "lower")[1]
    assert lower[-1] == pytest.approx(clf.margin_bracket_[0], rel=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_weights_to_start_from_are_replayed_in_either_layout(form):
    # As many classes as weights in a row, so that the shape does not tell the layout.
    data, start = form(PETAL), np.arange(6.0).reshape(3, 2)
    clf = rb.MarginPerceptron(random_state=0, max_iter=20).fit(data, y, coef_init=start)
    *_, (W, _) = clf.journal_.replay(data)
    assert np.array_equal(W, np.column_stack([clf.coef_, clf.intercept_]))


def test_a_stream_shows_its_last_call_and_claims_no_lower_bound():
    clf, last = rb.Perceptron(), slice(60, 61)
    before = clf.partial_fit(X[:50], y[:50], classes=[0, 1]).n_updates_
    clf.partial_fit(X[last], y[last])
    assert clf.score(X[last], y[last]) == 1.0  # separated, but this was not all
    ax = plot.bracket(clf, X[last], y[last])
    k, upper = curve(ax, "upper")
    np.testing.assert_array_equal(k, np.arange(before, clf.n_updates_) + 1)
    assert upper[-1] == pytest.approx(clf.margin_bracket_[1], rel=1e-7)
    assert upper[-1] <= clf.margin_bracket_[1]  # which allows for rounding
    assert legend(ax) == ["upper: |w|/Σa", "in the end"]


def learned(clf, part=EASY, **more):
    return clf.fit(X[part], y[part], **more), X[part], y[part]


def test_bracket_needs_one_journal_of_these_examples():
    with pytest.raises(ValueError, match="one-vs-rest"):
        plot.bracket(*learned(rb.Perceptron(multiclass="ovr", max_iter=3), slice(None)))
    with pytest.raises(ValueError, match="p=2"):
        plot.bracket(*learned(rb.ALMA(p=4.0, random_state=0)))
    with pytest.raises(ValueError, match="not the training examples"):
        plot.bracket(*learned(rb.Perceptron(early_stopping=True, random_state=0)))
    clf = rb.Perceptron(random_state=0).fit(X[EASY], y[EASY])
    with pytest.raises(ValueError, match="not the training examples"):
        plot.bracket(clf, X[EASY][::-1], y[EASY][::-1])
    given = {"coef_init": clf.coef_, "intercept_init": clf.intercept_}
    with pytest.raises(ValueError, match="no updates"):
        plot.bracket(*learned(rb.Perceptron(), **given))
    assert not plt.get_fignums()
