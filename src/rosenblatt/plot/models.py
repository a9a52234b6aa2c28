"""Plots of what was learned: decision regions, votes, weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from rosenblatt.estimators import report
from rosenblatt.models import labels, leads, predicted
from rosenblatt.plot import canvas
from rosenblatt.plot.canvas import GREY, INK, NEGATIVE, POSITIVE
from rosenblatt.theory.spaces import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELLS = 240
"""Cells of the grid, along each axis."""


def regions(
    clf: Any, X: Any, y: Any, ax: Axes | None = None, features: tuple[int, int] = (0, 1)
) -> Axes:
    """Plot the decision regions of a classifier of two features, with examples.

    Background colours show the predicted class; wrongly classified points are circled. For two
    classes and one hypothesis, the arrow is the direction of the weights, and the hatched band
    extends from the boundary to the nearest correctly classified point. `features` are the
    features of the horizontal and of the vertical axis.
    """
    check_is_fitted(clf, "classes_")
    if clf.n_features_in_ != 2:
        raise ValueError(
            f"regions needs a classifier of 2 features, this one has {clf.n_features_in_}."
        )
    pair = list(features)
    if sorted(pair) != [0, 1]:
        raise ValueError(f"features={features!r} must be (0, 1) or (1, 0).")
    X, y = canvas.examples(clf, X, y)
    wrong = predicted(clf.outcome_.predictor, X, clf.classes_) != y
    points = (X.toarray() if sp.issparse(X) else X)[:, pair]
    plot = canvas.axes(ax)
    view = canvas.set_view(points, plot)
    _tint(clf, view, pair, plot)
    for number, label in enumerate(clf.classes_):
        at, (colour, shape) = points[y == label].T, canvas.class_style(number)
        plot.scatter(*at, s=28, color=colour, marker=shape, lw=0.5, ec="white", label=str(label))
    if wrong.any():
        ring = {"s": 110, "facecolors": "none", "edgecolors": INK, "lw": 1.2, "gid": "wrong"}
        plot.scatter(*points[wrong].T, label=f"wrong ({wrong.sum():,})", **ring)
    if len(clf.classes_) == 2 and not hasattr(clf, "votes_") and clf.coef_.any():
        _geometry(clf.coef_[0, pair], float(clf.intercept_[0]), points[~wrong], view, plot)
    names = report.feature_names(clf)
    return canvas.finish(plot, canvas.title(clf, "regions"), names[pair[0]], names[pair[1]])


def votes(clf: Any, ax: Axes | None = None) -> Axes:
    """Plot the votes of each hypothesis, in the order in which they arose."""
    check_is_fitted(clf, "classes_")
    if not hasattr(clf, "votes_"):
        raise ValueError(f"{type(clf).__name__} has no votes; fit it with readout='voted'.")
    plot, several = canvas.axes(ax), isinstance(clf.votes_, list)
    runs = clf.votes_ if several else [clf.votes_]
    for number, lives in enumerate(runs):
        label = f"{clf.classes_[number]} against the rest" if several else None
        colour = canvas.class_style(number)[0] if several else POSITIVE
        plot.vlines(np.arange(len(lives)), 0, lives, color=colour, lw=1.0, label=label)
    plot.set_ylim(0, None)
    plot.locator_params(integer=True, nbins=6)
    text = f"{sum(map(sum, runs)):,} votes of {sum(map(len, runs)):,} hypotheses"
    labels = ("hypothesis, in the order of updates", "votes = visits survived")
    return canvas.finish(plot, canvas.title(clf, text), *labels)


def weights(clf: Any, k: int = 10, ax: Axes | None = None) -> Axes:
    """Plot the k most positive and the k most negative weights of each class."""
    check_is_fitted(clf, "classes_")
    top = clf.top_features(k)
    bars = [
        (name if len(top) == 1 else f"{label}: {name}", weight)
        for label, sides in top.items()
        for name, weight in [*sides["positive"], *sides["negative"][::-1]]
    ]
    plot, places = canvas.axes(ax, height=max(2.5, 1.2 + 0.24 * len(bars))), range(len(bars))
    colours = [POSITIVE if weight > 0 else NEGATIVE for _, weight in bars]
    plot.barh(places, [weight for _, weight in bars], color=colours, height=0.7)
    plot.set_yticks(places, [name for name, _ in bars])
    plot.axvline(0, color=INK, lw=0.8)
    plot.invert_yaxis()
    subject = f"for {next(iter(top))}" if len(top) == 1 else "of each class"
    return canvas.finish(plot, canvas.title(clf, f"strongest weights {subject}"), "weight", "")


def _tint(clf: Any, view: Array, pair: list[int], ax: Any) -> None:
    """Fill the regions of the classes with light colours, and draw their boundaries."""
    from matplotlib.colors import to_rgb

    right, up = (np.linspace(low, high, CELLS) for low, high in view)
    plane = np.stack(np.meshgrid(right, up), axis=-1).reshape(-1, 2)
    scores = clf.outcome_.predictor.scores(plane[:, pair])
    codes = np.searchsorted(clf.classes_, labels(scores, clf.classes_)).reshape(CELLS, CELLS)
    colours = np.array([to_rgb(canvas.class_style(c)[0]) for c in range(len(clf.classes_))])
    tints = 1 - 0.16 * (1 - colours)
    ax.imshow(tints[codes], extent=view.ravel(), origin="lower", aspect=ax.get_aspect())
    for number in range(1, len(clf.classes_)):
        lead = leads(scores, np.full(len(scores), number)).reshape(CELLS, CELLS)
        if lead.min() <= 0 < lead.max():  # a class that is predicted nowhere has no boundary
            ax.contour(right, up, lead, levels=[0.0], colors=INK, linewidths=1.3, zorder=0.9)


def _geometry(w: Array, intercept: float, right: Array, view: Array, ax: Any) -> None:
    """Draw the weights as an arrow, and the band without correctly classified points."""
    length, middle, span = float(np.linalg.norm(w)), view.mean(axis=1), np.ptp(view, axis=1)
    normal, slope = w / length, w * span**2
    foot = middle - (middle @ w + intercept) / (w @ slope) * slope  # nearest in units of the axes
    if len(right):
        margin = float(np.abs(right @ w + intercept).min()) / length
        side, along = margin * normal, span.sum() * np.array([-normal[1], normal[0]])
        corners = foot + np.array([side - along, side + along, along - side, -along - side])
        style = {"fc": "none", "ec": GREY, "hatch": "////", "lw": 0.0, "zorder": 0.9}
        ax.fill(*corners.T, label=f"margin {margin:.3g}", **style)
    tip = foot + 0.16 * normal / np.abs(normal / span).max()  # stays inside the axes
    arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=tip, xytext=foot, arrowprops=arrow)
    paper = {"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 1}
    ax.annotate("w", tip, (6, 6), textcoords="offset points", weight="bold", bbox=paper)
