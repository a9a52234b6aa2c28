"""Pictures say what the classifier knows: each test reads numbers back out of a figure."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError

import rosenblatt as rb
from rosenblatt import plot
from rosenblatt.plot import canvas, models, runs

mpl.use("Agg")
import matplotlib.pyplot as plt

X, y = load_iris(return_X_y=True)
SEPAL, PETAL = X[:, :2], X[:, 2:]
EASY, HARD = slice(0, 100), slice(50, 150)  # separable, and not


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every figure is coarse, for speed, drawn once, where late errors show, and closed."""
    monkeypatch.setattr(models, "CELLS", 60)
    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")


def line(ax, label):
    return next(shape for shape in ax.lines if shape.get_label().startswith(label))


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def rings(ax):
    return [group for group in ax.collections if group.get_gid() == "wrong"]


def arrow(ax):
    return next(note for note in ax.texts if note.arrow_patch is not None)


def parallel(a, b):
    return a @ b == pytest.approx(np.linalg.norm(a) * np.linalg.norm(b))


# --- regions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize("features", [(0, 1), (1, 0)])
def test_arrow_is_the_weights_and_starts_on_the_boundary(features, scale):
    data = PETAL[EASY] * [1.0, scale]
    clf = rb.Perceptron(random_state=0).fit(data, y[EASY])
    ax = plot.regions(clf, data, y[EASY], features=features)
    foot, tip = np.array(arrow(ax).xyann), np.array(arrow(ax).xy)
    assert parallel(tip - foot, clf.coef_[0, list(features)])
    rounding = 1e-9 * np.abs(clf.coef_ * foot[list(features)]).max()
    assert clf.decision_function([foot[list(features)]])[0] == pytest.approx(0, abs=rounding)
    for point in (foot, tip):
        assert ax.viewLim.contains(*point)


@pytest.mark.parametrize("data", [EASY, HARD])
@pytest.mark.parametrize("kind", [rb.AveragedPerceptron, rb.VotedPerceptron])
def test_a_ring_for_each_wrong_point_and_no_other(data, kind):
    clf = kind(max_iter=3, random_state=0).fit(PETAL[data], y[data])
    wrong = PETAL[data][clf.predict(PETAL[data]) != y[data]]
    assert (len(wrong) > 0) == (data is HARD)
    ax = plot.regions(clf, PETAL[data], y[data])
    assert [group.get_offsets().tolist() for group in rings(ax)] == [wrong.tolist()] * bool(
        len(wrong)
    )
    assert any(words.startswith("wrong") for words in legend(ax)) == bool(len(wrong))


def test_classes_differ_in_colour_and_shape():
    clf = rb.Perceptron(random_state=0).fit(PETAL[EASY], y[EASY])
    ax = plot.regions(clf, PETAL[EASY], y[EASY])
    negative, positive = ax.collections[-2:]
    assert mpl.colors.to_hex(negative.get_facecolor()[0]).upper() == "#D55E00"
    assert mpl.colors.to_hex(positive.get_facecolor()[0]).upper() == "#0072B2"
    assert len(negative.get_paths()[0]) < len(positive.get_paths()[0])  # triangle and disc
    assert len({canvas.looks(number) for number in range(64)}) == 64


def test_band_reaches_to_the_nearest_correct_point():
    clf = rb.AveragedPerceptron(max_iter=3, random_state=0).fit(PETAL[HARD], y[HARD])
    ax = plot.regions(clf, PETAL[HARD], y[HARD])
    (band,) = ax.patches
    right = PETAL[HARD][clf.predict(PETAL[HARD]) == y[HARD]]
    length = np.linalg.norm(clf.coef_)
    nearest = np.abs(clf.decision_function(right)).min() / length
    edges = clf.decision_function(band.get_xy()[:4]) / length
    np.testing.assert_allclose(edges, [nearest, nearest, -nearest, -nearest], atol=1e-9)
    assert band.get_hatch()
    assert f"margin {nearest:.3g}" in legend(ax)


@pytest.mark.parametrize(
    "clf",
    [
        rb.Perceptron(random_state=0, max_iter=20),
        rb.Perceptron(random_state=0, max_iter=20, multiclass="ovr"),
        rb.VotedPerceptron(random_state=0, max_iter=5),
        rb.VotedPerceptron(random_state=0, max_iter=5, multiclass="ovr"),
    ],
)
@pytest.mark.parametrize("features", [(0, 1), (1, 0)])
def test_tints_are_the_predictions(clf, features):
    clf.fit(PETAL, y)
    ax = plot.regions(clf, PETAL, y, features=features)
    (picture,) = ax.images
    left, right, bottom, top = picture.get_extent()
    tints = np.asarray(picture.get_array())
    assert len(np.unique(tints.reshape(-1, 3), axis=0)) == 3
    across, up = np.linspace(left, right, models.CELLS), np.linspace(bottom, top, models.CELLS)
    for row, column in np.random.default_rng(0).integers(models.CELLS, size=(40, 2)):
        point = np.array([across[column], up[row]])[list(features)]
        colour = np.array(mpl.colors.to_rgb(canvas.COLOURS[clf.predict([point])[0]]))
        np.testing.assert_allclose(tints[row, column], 1 - 0.16 * (1 - colour))
    assert not any(note.arrow_patch for note in ax.texts)


def test_boundary_is_where_the_score_is_zero():
    clf = rb.Perceptron(random_state=0).fit(SEPAL[EASY], y[EASY])
    ax = plot.regions(clf, SEPAL[EASY], y[EASY])
    (boundary,) = (c for c in ax.collections if isinstance(c, mpl.contour.ContourSet))
    points = boundary.get_paths()[0].vertices
    assert len(points) >= 2
    np.testing.assert_allclose(clf.decision_function(points), 0, atol=1e-9)


def test_boundaries_of_many_classes_are_ties_of_the_two_best():
    clf = rb.AveragedPerceptron(random_state=0, max_iter=20).fit(PETAL, y)
    ax = plot.regions(clf, PETAL, y)
    drawn = [c for c in ax.collections if isinstance(c, mpl.contour.ContourSet)]
    assert len(drawn) == 2
    for boundary in drawn:
        # Cells on which the rival changes bend the line a little.
        scores = np.sort(clf.decision_function(boundary.get_paths()[0].vertices), axis=1)
        assert np.median(scores[:, 2] - scores[:, 1]) <= 1e-9 * np.abs(scores).max()


def test_tables_sparse_data_and_names():
    table = pd.DataFrame(PETAL[EASY], columns=["long", "wide"])
    clf = rb.Perceptron(random_state=0).fit(table, y[EASY])
    ax = plot.regions(clf, table, y[EASY], features=(1, 0))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("wide", "long")
    lone = rb.Perceptron(random_state=0).fit(sp.csr_array(PETAL[EASY]), y[EASY])
    ax = plot.regions(lone, sp.csr_array(PETAL[EASY]), y[EASY])
    shown = np.concatenate([group.get_offsets() for group in ax.collections[-2:]])
    np.testing.assert_array_equal(shown, PETAL[EASY])


def test_a_classifier_without_weights_has_neither_arrow_nor_line():
    points, labels = np.zeros((2, 2)), np.array([0, 1])
    clf = rb.Perceptron(max_iter=2, fit_intercept=False).fit(points, labels)
    ax = plot.regions(clf, points, labels)
    assert not ax.texts
    assert not ax.patches
    assert len(rings(ax)[0].get_offsets()) == 1


def test_regions_errors():
    clf = rb.Perceptron(random_state=0).fit(X[EASY], y[EASY])
    with pytest.raises(ValueError, match=r"2 features.* 4"):
        plot.regions(clf, X[EASY], y[EASY])
    clf.fit(PETAL[EASY], y[EASY])
    with pytest.raises(ValueError, match="features"):
        plot.regions(clf, PETAL[EASY], y[EASY], features=(0, 2))
    with pytest.raises(ValueError, match=r"not classes of the fit: \[2\]"):
        plot.regions(clf, PETAL, y)
    with pytest.raises(ValueError, match="inconsistent"):
        plot.regions(clf, PETAL[EASY], y[:50])
    assert not plt.get_fignums()


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("data", "passes"), [(EASY, 100), (HARD, 7), (HARD, 90)])
def test_mistakes_and_errors_are_those_of_the_passes(data, passes):
    clf = rb.Perceptron(random_state=0, max_iter=passes).fit(PETAL[data], y[data])
    ax = plot.mistakes(clf)
    (stairs,) = ax.patches
    np.testing.assert_array_equal(stairs.get_data().values, clf.pass_mistakes_)
    np.testing.assert_allclose(stairs.get_data().edges[:-1] + 0.5, 1 + np.arange(clf.n_iter_))
    errors = line(ax, "errors")
    np.testing.assert_array_equal(errors.get_xdata(), 1 + np.arange(clf.n_iter_))
    np.testing.assert_array_equal(errors.get_ydata(), clf.pass_errors_)
    assert legend(ax) == ["made while learning", "errors left after the pass"]
    assert ("not separated" in ax.get_title(loc="left")) == (data is HARD)


def test_errors_that_were_not_counted_are_not_drawn():
    clf = rb.Perceptron(random_state=0, count_errors=False).fit(PETAL[EASY], y[EASY])
    counted = np.flatnonzero(clf.pass_errors_ >= 0)
    assert 0 < len(counted) < clf.n_iter_
    errors = line(plot.mistakes(clf), "errors")
    np.testing.assert_array_equal(errors.get_xdata(), counted + 1)
    clf = rb.Perceptron(random_state=0, count_errors=False, max_iter=3).fit(PETAL[HARD], y[HARD])
    ax = plot.mistakes(clf)
    assert not ax.lines
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
    assert upper[-1] == pytest.approx(clf.margin_bracket_[1], rel=1e-9)
    if clf.margin_bracket_[0] > 0:
        moments, lower = curve(ax, "lower")
        assert lower[-1] >= clf.margin_bracket_[0] * (1 - 1e-9)
        assert (lower <= upper[np.searchsorted(k, moments)] * (1 + 1e-9)).all()
        assert (np.diff(lower) >= 0).all()
    elif classes == 3:
        assert not [shape for shape in ax.lines if shape.get_label().startswith("lower")]


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
    for bound in clf.margin_bracket_:
        assert f"{bound:.3g}" in ax.get_title(loc="left")


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
    monkeypatch.setattr("rosenblatt.run.BUFFER", 40)  # forget in smaller pieces
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
    bias = 1.0
    *_, (W, _) = runs._replay(clf.journal_, data, bias, 3)
    np.testing.assert_allclose(W, np.column_stack([clf.coef_, clf.intercept_]), rtol=1e-9)


def test_a_stream_shows_its_last_call_and_claims_no_lower_bound():
    clf, last = rb.Perceptron(), slice(60, 61)
    before = clf.partial_fit(X[:50], y[:50], classes=[0, 1]).n_updates_
    clf.partial_fit(X[last], y[last])
    assert clf.score(X[last], y[last]) == 1.0  # separated, but this was not all
    ax = plot.bracket(clf, X[last], y[last])
    k, upper = curve(ax, "upper")
    np.testing.assert_array_equal(k, np.arange(before, clf.n_updates_) + 1)
    assert upper[-1] == pytest.approx(clf.margin_bracket_[1], rel=1e-9)
    assert legend(ax) == ["upper: |w|/Σa", "in the end"]


def learned(clf, part=EASY, **more):
    return clf.fit(X[part], y[part], **more), X[part], y[part]


def test_bracket_needs_one_journal_of_these_examples():
    with pytest.raises(ValueError, match="one-vs-rest"):
        plot.bracket(*learned(rb.Perceptron(multiclass="ovr", max_iter=3), slice(None)))
    with pytest.raises(ValueError, match="p=2"):
        plot.bracket(*learned(rb.ALMA(p=4.0, random_state=0)))
    with pytest.raises(ValueError, match="learned from"):
        plot.bracket(*learned(rb.Perceptron(early_stopping=True, random_state=0)))
    clf = rb.Perceptron(random_state=0).fit(X[EASY], y[EASY])
    with pytest.raises(ValueError, match="learned from"):
        plot.bracket(clf, X[EASY][::-1], y[EASY][::-1])
    given = {"coef_init": clf.coef_, "intercept_init": clf.intercept_}
    with pytest.raises(ValueError, match="no updates"):
        plot.bracket(*learned(rb.Perceptron(), **given))
    assert not plt.get_fignums()


# --- votes and weights ------------------------------------------------------------------------


def heights(group):
    return [segment[1, 1] for segment in group.get_segments()]


def test_votes_are_the_visits():
    clf = rb.VotedPerceptron(random_state=0, max_iter=4).fit(PETAL[HARD], y[HARD])
    ax = plot.votes(clf)
    (group,) = ax.collections
    assert heights(group) == clf.votes_.tolist()
    assert [segment[0, 0] for segment in group.get_segments()] == list(range(clf.n_updates_ + 1))
    assert sum(heights(group)) == clf.n_iter_ * 100
    assert f"400 votes held by {clf.n_updates_ + 1}" in ax.get_title(loc="left")


def test_votes_of_one_vs_rest_are_told_apart():
    clf = rb.VotedPerceptron(random_state=0, max_iter=2, multiclass="ovr").fit(PETAL, y)
    ax = plot.votes(clf)
    assert [heights(group) for group in ax.collections] == [v.tolist() for v in clf.votes_]
    assert legend(ax) == [f"{label} against the rest" for label in range(3)]


def test_no_votes():
    with pytest.raises(ValueError, match="readout='voted'"):
        plot.votes(rb.Perceptron().fit(PETAL[EASY], y[EASY]))
    assert not plt.get_fignums()


@pytest.mark.parametrize("part", [EASY, slice(None)], ids=["two", "three"])
def test_bars_are_the_top_features(part):
    clf = rb.AveragedPerceptron(random_state=0, max_iter=9).fit(X[part], y[part])
    ax = plot.weights(clf, k=2)
    names = [text.get_text() for text in ax.get_yticklabels()]
    bars = {name: bar.get_width() for name, bar in zip(names, ax.patches, strict=True)}
    top = clf.top_features(2)
    wanted = {
        (name if len(top) == 1 else f"{label}: {name}"): weight
        for label, sides in top.items()
        for name, weight in sides["positive"] + sides["negative"]
    }
    assert bars == wanted
    for bar in ax.patches:
        colour = mpl.colors.to_hex(bar.get_facecolor()).upper()
        assert colour == ("#0072B2" if bar.get_width() > 0 else "#D55E00")


# --- all --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["regions", "mistakes", "bracket", "votes", "weights"])
def test_axes_given_are_used_and_unfitted_is_refused(name):
    clf = rb.VotedPerceptron(random_state=0)
    data = (PETAL[EASY], y[EASY]) if name in ("regions", "bracket") else ()
    draw = getattr(plot, name)
    with pytest.raises(NotFittedError):
        draw(clf, *data)
    assert not plt.get_fignums()
    _, ax = plt.subplots()
    assert draw(clf.fit(PETAL[EASY], y[EASY]), *data, ax=ax) is ax
    assert len(plt.get_fignums()) == 1
    assert ax.get_title(loc="left").startswith("VotedPerceptron: ")


def test_matplotlib_waits_for_the_first_picture():
    code = "import sys, rosenblatt.plot; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
