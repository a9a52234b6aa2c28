"""Pictures of proofs show the numbers of the proofs, read back out of the figures."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import rosenblatt as rb
from rosenblatt import plot
from rosenblatt.plot import proofs
from rosenblatt.proofs.checker import Certificate, read_problem
from tests.support.figures import EASY, HARD, PETAL, legend, line, note, y

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
KINDS = np.array([0, 0, 1, 1])


pytestmark = pytest.mark.usefixtures("figures")


def group(ax, gid):
    return [shape for shape in ax.collections if shape.get_gid() == gid]


def title(ax):
    return ax.get_title(loc="left")


# --- the convergence proof ----------------------------------------------------------------------


@dataclass
class Trace:
    k: Any
    low: Any
    along: Any
    length: Any
    high: Any
    distance2: Any
    ceiling2: Any
    fails: str | None = None


def trace(n=9, margin=1.0, radius=3.0, fails=None):
    """A run as the proof bounds it, the inner curves somewhere between the outer ones."""
    k = np.arange(1, n + 1)
    low, high = margin * k, radius * np.sqrt(k)
    along, length = (2 * low + high) / 3, (low + 2 * high) / 3
    ceiling2 = radius**4 / margin**2 - k * radius**2
    return Trace(k, low, along, length, high, 0.9 * ceiling2, ceiling2, fails)


@pytest.mark.parametrize("margin", [1.0, 1e-4], ids=["plain axes", "logarithms"])
def test_proof_shows_the_four_curves(margin):
    drawn = trace(margin=margin)
    ax = plot.proof(drawn)
    for label, curve in (
        ("√k·R", drawn.high), ("|w|", drawn.length), ("w·w*", drawn.along), ("k·γ", drawn.low)
    ):  # fmt: skip
        np.testing.assert_array_equal(line(ax, label).get_xdata(), drawn.k)
        np.testing.assert_array_equal(line(ax, label).get_ydata(), curve)
    assert legend(ax) == ["√k·R", "|w|", "w·w*", "k·γ"]
    assert (ax.get_yscale() == "log") == (margin < 1)
    for curve in (drawn.low, drawn.high):
        for point in zip(drawn.k, curve, strict=True):
            assert ax.viewLim.contains(*point)


def test_the_area_lies_between_the_outer_curves():
    drawn = trace()
    (area,) = group(plot.proof(drawn), "between")
    (path,) = area.get_paths()
    wanted = {(k, v) for c in (drawn.low, drawn.high) for k, v in zip(drawn.k, c, strict=True)}
    assert {tuple(corner) for corner in path.vertices} == wanted


def test_the_title_says_where_the_curves_meet():
    assert "9 of at most 9 updates" in title(plot.proof(trace(9, 1.0, 3.0)))
    assert "1 of at most 36 updates" in title(plot.proof(trace(1, 0.5, 3.0)))
    assert "40 of at most 1,562 updates" in title(plot.proof(trace(40, 0.32, 12.65)))


def test_curves_of_another_start_have_other_names_and_no_meeting():
    drawn = trace()
    drawn.low = drawn.low + 0.5
    ax = plot.proof(drawn)
    assert legend(ax) == ["upper bound", "|w|", "w·w*", "lower bound"]
    assert title(ax).endswith("9 updates")


def test_a_proof_that_fails_says_so():
    words = "the second step fails: " + "no w* has a positive margin on all of the examples, " * 3
    drawn = trace(fails=words.strip())
    drawn.low = np.zeros(9)
    for draw in (plot.proof, plot.distance):
        ax = draw(drawn)
        assert " ".join(note(ax).split()) == words.strip()
        ax.figure.canvas.draw()
        (text,) = (text for text in ax.texts if text.get_gid() == "note")
        box, paper = text.get_window_extent(), ax.figure.bbox
        assert paper.x0 <= box.x0 < box.x1 <= paper.x1
        assert ax.bbox.y1 < box.y0 < box.y1 < ax._left_title.get_window_extent().y0
    assert "γ = 0" in legend(plot.proof(drawn))


def test_distance_falls_below_its_ceiling():
    drawn = trace()
    ax = plot.distance(drawn)
    np.testing.assert_array_equal(line(ax, "ceiling").get_ydata(), drawn.ceiling2)
    np.testing.assert_array_equal(line(ax, "|w - α·w*|²").get_ydata(), drawn.distance2)
    assert ax.get_ylim()[0] == 0
    assert not note(ax)


def test_a_distance_far_from_zero_is_shown_from_near_by():
    ax = plot.distance(trace(margin=0.01))
    assert ax.get_ylim()[0] > 0
    unknown = trace(fails="no w* has a positive margin.")
    unknown.distance2 = unknown.ceiling2 = np.full(9, np.nan)
    assert not plot.distance(unknown).get_yticks().size


@pytest.mark.parametrize("draw", [plot.proof, plot.distance])
def test_a_fitted_classifier_brings_its_own_trace(draw):
    clf = rb.Perceptron(random_state=0)
    with pytest.raises(NotFittedError):
        draw(clf, PETAL[EASY], y[EASY])
    clf.fit(PETAL[EASY], y[EASY])
    ax = draw(clf, PETAL[EASY], y[EASY])
    assert title(ax).startswith("Perceptron: ")
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), 1 + np.arange(clf.n_updates_))
    assert not note(ax)
    below, above = (ax.lines[-1], ax.lines[0]) if draw is plot.proof else ax.lines[::-1]
    assert (below.get_ydata() <= above.get_ydata()).all()


def test_inseparable_data_break_the_proof():
    clf = rb.Perceptron(random_state=0, max_iter=5).fit(PETAL[HARD], y[HARD])
    assert "fails" in note(plot.proof(clf, PETAL[HARD], y[HARD]))


def test_no_updates():
    nothing = trace(0)
    for draw in (plot.proof, plot.distance):
        with pytest.raises(ValueError, match="no updates"):
            draw(nothing)
    assert not plt.get_fignums()


# --- margins ------------------------------------------------------------------------------------


def stairs(ax):
    return {
        patch.get_label().split()[0]: patch.get_data()
        for patch in ax.patches
        if isinstance(patch, mpl.patches.StepPatch)
    }


@pytest.mark.parametrize("part", [EASY, HARD, slice(None)], ids=["right", "wrong", "three"])
def test_bars_count_the_margins(part):
    clf = rb.AveragedPerceptron(random_state=0, max_iter=5).fit(PETAL[part], y[part])
    each, least = clf.margins(PETAL[part], y[part])
    ax = plot.margins(clf, PETAL[part], y[part])
    bars, wrong = stairs(ax), int((each <= 0).sum())
    assert sum(data.values.sum() for data in bars.values()) == len(each)
    assert ("wrong" in bars) == (wrong > 0)
    if wrong:
        assert bars["wrong"].values.sum() == wrong
        assert bars["wrong"].edges[-1] == 0.0
    assert bars["right"].edges[0] == 0.0
    for data in bars.values():
        inside = [
            ((each > a) & (each <= b)).sum() for a, b in np.lib.stride_tricks.sliding_window_view(
                data.edges, 2
            )
        ]  # fmt: skip
        np.testing.assert_array_equal(data.values, inside)
    assert line(ax, "least margin").get_xdata() == [least, least]
    assert [shape.get_xdata() for shape in ax.lines if shape.get_gid() == "zero"] == [[0, 0]]
    assert f"{wrong} of {len(each)} examples wrong" in title(ax)
    assert f"least margin {least:.3g}" in legend(ax)


def test_margins_of_zero_are_wrong():
    clf = rb.Perceptron(max_iter=1, shuffle=False)
    clf.fit(np.array([[1.0], [-1.0]]), [1, 0])
    clf.coef_, clf.intercept_ = np.zeros((1, 1)), np.zeros(1)
    ax = plot.margins(clf, [[1.0], [-1.0]], [1, 0])
    assert legend(ax) == ["wrong (2)", "least margin 0"]
    assert stairs(ax)["wrong"].values.sum() == 2


# --- combinations -------------------------------------------------------------------------------


def certificate(points, labels, coefficients, scaling=1.0, target=None, **more):
    """What `certify` would say, with the support and the fractions given."""
    posed = read_problem(points, labels, target=target)
    content = {
        "verdict": "inseparable",
        "classes": posed.classes,
        "target": target,
        "examples": len(posed.codes),
        "features": posed.X.shape[1],
        "digest": posed.digest(),
        "scaling": scaling,
        "radius": posed.radius(),
        "margin_bracket": (0.0, 0.0),
        "support": np.array(list(coefficients), np.int64),
        "coefficients": tuple(map(Fraction, coefficients.values())),
    }
    return Certificate(**content | more)


QUARTERS = dict.fromkeys(range(4), "1/4")


def star(ax):
    (shape,) = group(ax, "star")
    return shape.get_offsets()[0].tolist()


def hulls(ax):
    return [patch for patch in ax.patches if patch.get_gid() == "hull"]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, pd.DataFrame])
def test_xor_meets_in_the_middle(form):
    data = form(XOR)
    ax = plot.combination(certificate(data, KINDS, QUARTERS), data, KINDS)
    assert star(ax) == [0.5, 0.5]
    negative, positive = (shape.get_offsets().tolist() for shape in group(ax, "support"))
    assert (negative, positive) == (XOR[:2].tolist(), XOR[2:].tolist())
    ends = [{tuple(p) for p in patch.get_xy()} for patch in hulls(ax)]
    assert ends == [{(0, 0), (1, 1)}, {(0, 1), (1, 0)}]
    colours = [mpl.colors.to_hex(patch.get_edgecolor()).upper() for patch in hulls(ax)]
    assert colours == ["#D55E00", "#0072B2"]
    assert [(text.get_text(), text.xy) for text in ax.texts] == [
        ("1/4", pytest.approx(point)) for point in XOR
    ]
    assert legend(ax) == ["0", "1", "common point"]
    assert "hulls of 2 and 2 points meet" in title(ax)
    ax.figure.canvas.draw()
    for text in ax.texts:
        assert ax.bbox.contains(*text.get_window_extent().min)
        assert ax.bbox.contains(*text.get_window_extent().max)


def test_a_point_in_a_triangle():
    points = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [1.0, 1.0], [9.0, 9.0]])
    labels = ["out", "out", "out", "in", "out"]
    shares = {0: "1/6", 1: "1/6", 2: "1/6", 3: "1/2"}
    ax = plot.combination(certificate(points, labels, shares, target="in"), points, labels)
    assert star(ax) == pytest.approx([1.0, 1.0])
    (hull,) = hulls(ax)
    assert {tuple(p) for p in hull.get_xy()} == {(0, 0), (3, 0), (0, 3)}
    assert legend(ax) == ["rest", "in", "common point"]


def test_without_an_intercept_the_origin_is_in_the_hull_of_signed_points():
    points, labels = np.array([[1.0, 0.0], [1.0, 1.0], [2.0, -1.0]]), np.array([1, 0, 1])
    shares = {0: 0, 1: "3/4", 2: "1/4"}
    points[2] = 3 * points[1]
    ax = plot.combination(certificate(points, labels, shares, 0.0), points, labels)
    assert star(ax) == [0.0, 0.0]
    (hull,) = hulls(ax)
    assert {tuple(p) for p in hull.get_xy()} == {(1, 0), (-1, -1), (3, 3)}
    negative, positive = (shape.get_offsets().tolist() for shape in group(ax, "support"))
    assert (negative, positive) == ([[-1, -1]], [[1, 0], [3, 3]])
    assert legend(ax)[-1] == "origin"
    assert ax.get_xlabel() == "±x0"


def test_one_point_of_both_classes():
    points, labels = np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 0.0]]), [0, 1, 1]
    ax = plot.combination(certificate(points, labels, {0: "1/2", 1: "1/2"}), points, labels)
    assert star(ax) == [1.0, 1.0]
    assert not hulls(ax)
    below, above = ax.texts
    assert below.xyann[1] < 0 < above.xyann[1]


def test_long_fractions_are_rounded_and_many_are_left_out(monkeypatch):
    shares = dict.fromkeys(range(4), Fraction(2**60 + 1, 2**62))
    ax = plot.combination(certificate(XOR, KINDS, shares), XOR, KINDS)
    assert {text.get_text() for text in ax.texts} == {"0.25"}
    monkeypatch.setattr(proofs, "LABELLED", 3)
    assert not plot.combination(certificate(XOR, KINDS, QUARTERS), XOR, KINDS).texts


def test_feature_names_are_kept():
    frame = pd.DataFrame(XOR, columns=["length", "width"])
    ax = plot.combination(certificate(frame, KINDS, QUARTERS), frame, KINDS)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")


def test_hulls():
    rng = np.random.default_rng(0)
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    inner = np.vstack([square, rng.uniform(size=(30, 2)), [[0.5, 0.0]]])
    np.testing.assert_array_equal(proofs._hull(rng.permutation(inner)), square)
    along = np.outer([0.0, 0.5, 2.0, 1.0], [1.0, 1.0])
    np.testing.assert_array_equal(proofs._hull(along), [[0, 0], [2, 2]])
    np.testing.assert_array_equal(proofs._hull(np.ones((3, 2))), [[1, 1]])


def test_what_cannot_be_drawn_is_refused():
    good = certificate(XOR, KINDS, QUARTERS)
    for verdict in ("separable", "undecided"):
        with pytest.raises(ValueError, match=f"these are {verdict}"):
            plot.combination(certificate(XOR, KINDS, QUARTERS, verdict=verdict), XOR, KINDS)
    solid = np.column_stack([XOR, XOR[:, 0]])
    with pytest.raises(ValueError, match="2 features, these data have 3"):
        plot.combination(certificate(solid, KINDS, QUARTERS), solid, KINDS)
    with pytest.raises(ValueError, match="ovr"):
        plot.combination(certificate(XOR, [0, 1, 2, 2], QUARTERS), XOR, [0, 1, 2, 2])
    with pytest.raises(ValueError, match="not the data"):
        plot.combination(good, XOR + 1, KINDS)
    with pytest.raises(ValueError, match="not the data"):
        plot.combination(good, XOR, 1 - KINDS)
    assert not plt.get_fignums()


# --- all ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["proof", "distance", "margins", "combination"])
def test_axes_given_are_used(name):
    clf = rb.Perceptron(random_state=0).fit(PETAL[EASY], y[EASY])
    subjects = {
        "margins": (clf, PETAL[EASY], y[EASY]),
        "combination": (certificate(XOR, KINDS, QUARTERS), XOR, KINDS),
    }
    _, ax = plt.subplots()
    assert getattr(plot, name)(*subjects.get(name, (trace(),)), ax=ax) is ax
    assert len(plt.get_fignums()) == 1
