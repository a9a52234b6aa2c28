"""Pictures say what the classifier knows: each test reads numbers back out of a figure."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import rosenblatt as rb
from rosenblatt import plot
from rosenblatt.plot import canvas, models
from tests.support.figures import EASY, HARD, PETAL, SEPAL, X, legend, y

pytestmark = pytest.mark.usefixtures("figures")


@pytest.fixture(autouse=True)
def _coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few cells, for speed."""
    monkeypatch.setattr(models, "CELLS", 60)


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
    assert len({canvas.class_style(number) for number in range(64)}) == 64


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
    assert f"400 votes of {clf.n_updates_ + 1}" in ax.get_title(loc="left")


def test_votes_of_one_vs_rest_are_distinct():
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
