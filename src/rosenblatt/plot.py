"""Pictures of a fitted classifier: its regions, its mistakes, its proof, its votes, its weights.

Each function draws into the axes it is given, or into a new figure, and returns the axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rosenblatt import inputs, report
from rosenblatt.journal import Journal
from rosenblatt.models import Linear
from rosenblatt.spaces import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Apart for the colour-blind, and never without a shape. Of two classes the first is negative.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#666666")
SHAPES = ("^", "o", "s", "D", "v", "P", "X", "*")
NEGATIVE, POSITIVE, INK, GREY = COLOURS[0], COLOURS[1], "#333333", "#888888"
CELLS = 240  # of the plane, along each axis
REPLAYED = 20_000  # updates that a picture replays at most
MOMENTS = 200  # hypotheses whose margin on all examples is taken along the way


def regions(
    clf: Any, X: Any, y: Any, ax: Axes | None = None, features: tuple[int, int] = (0, 1)
) -> Axes:
    """The plane as a classifier of two features sees it, with examples.

    Tints show the class predicted, a ring a wrong point. For two classes and one hypothesis, the
    arrow is the direction of the weights, and the hatched band reaches from the boundary to the
    nearest point that is right. `features` says which feature goes to the right and which up.
    """
    check_is_fitted(clf, "classes_")
    if clf.n_features_in_ != 2:
        raise ValueError(f"a plane has 2 features, this classifier {clf.n_features_in_}.")
    pair = list(features)
    if sorted(pair) != [0, 1]:
        raise ValueError(f"features={features!r} must be (0, 1) or (1, 0).")
    X, y = _examples(clf, X, y)
    wrong = clf._labels(clf._model.scores(X)) != y
    points = (X.toarray() if sp.issparse(X) else X)[:, pair]
    plot = _axes(ax)
    view = _view(points, plot)
    _tint(clf, view, pair, plot)
    for number, label in enumerate(clf.classes_):
        at, (colour, shape) = points[y == label].T, _looks(number)
        plot.scatter(*at, s=28, color=colour, marker=shape, lw=0.5, ec="white", label=str(label))
    if wrong.any():
        ring = {"s": 110, "facecolors": "none", "edgecolors": INK, "lw": 1.2, "gid": "wrong"}
        plot.scatter(*points[wrong].T, label=f"wrong ({wrong.sum():,})", **ring)
    if len(clf.classes_) == 2 and not hasattr(clf, "votes_") and clf.coef_.any():
        _geometry(clf.coef_[0, pair], float(clf.intercept_[0]), points[~wrong], view, plot)
    names = report.feature_names(clf)
    return _dressed(clf, plot, "regions", names[pair[0]], names[pair[1]])


def mistakes(clf: Any, ax: Axes | None = None) -> Axes:
    """Mistakes made while learning in each pass, and errors of the hypothesis left after it."""
    check_is_fitted(clf, "classes_")
    plot, made, left = _axes(ax), clf.pass_mistakes_, clf.pass_errors_
    edges = np.arange(len(left) + 1) + 0.5
    plot.stairs(made, edges, fill=True, color=POSITIVE, alpha=0.4, label="made while learning")
    counted = np.flatnonzero(left >= 0)
    if len(counted):
        # Over many passes a line would zigzag the picture full.
        style = {"ls": "-", "lw": 1.2, "ms": 4} if len(left) <= 60 else {"ls": "", "ms": 2}
        style |= {"color": NEGATIVE, "marker": "o", "label": "errors left after the pass"}
        plot.plot(counted + 1, left[counted], **style)
    plot.set(xlim=(edges[0], edges[-1]), ylim=(0, None))
    plot.locator_params(integer=True, nbins=6)
    end = f"separated in pass {clf.n_iter_:,}" if clf.converged_ else "not separated"
    return _dressed(clf, plot, end, "pass", "training examples")


def bracket(clf: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """How the run closed in on the best margin, replayed from its journal.

    After each update |w| over the sum Σa of the steps bounds the best margin from above, and the
    margin of a hypothesis that separates the data from below. Drawn are the best bounds so far,
    the lower one at some moments if the run ended with one. X, y: as in fit or last partial_fit.
    """
    check_is_fitted(clf, "classes_")
    X, y = _examples(clf, X, y)
    journal = _journal(clf, y)
    k, upper, lower = _bounds(clf, journal, X)
    plot, low = _axes(ax), lower > 0
    bottom, top = lower[low].min(initial=upper.min()), upper.max()
    # Curves may be flat, or a single point: the axes keep some room all the same.
    plot.set(xscale="log", xlim=(0.9 * k[0], 1.1 * k[-1]))
    plot.set(yscale="log", ylim=(0.8 * bottom, 1.25 * top))
    plot.step(k, upper, where="post", color=NEGATIVE, label="upper: |w|/Σa")
    if low.any():
        at, least = k[low], lower[low]
        style = {"color": POSITIVE, "marker": "o", "ms": 5, "markevery": [0]}
        plot.step(at, least, where="post", label="lower: least margin", **style)
        plot.fill_between(at, least, upper[low], step="post", color=GREY, alpha=0.15, lw=0)
    known = [bound for bound in clf.margin_bracket_ if 0 < bound < inf]
    plot.hlines(known, k[0], k[-1], color=INK, lw=1.0, ls=":", label="in the end")
    plot.yaxis.get_major_locator().set_params(subs=(1.0, 3.0), numticks=12)
    plot.yaxis.set_minor_formatter("")
    plot.yaxis.set_major_formatter("{x:,g}")
    plot.xaxis.set_major_formatter("{x:,g}")
    words = "best margin " + ("at most {:.3g}", "{:.3g} to {:.3g}")[len(known) - 1]
    total = int(journal.counters["k"] - journal.started["k"])
    part = "" if len(k) == total else f" (first {len(k):,} of {total:,} replayed)"
    return _dressed(clf, plot, words.format(*known), f"updates{part}", "margin")


def votes(clf: Any, ax: Axes | None = None) -> Axes:
    """Votes that each hypothesis earned by surviving visits, in the order of birth."""
    check_is_fitted(clf, "classes_")
    if not hasattr(clf, "votes_"):
        raise ValueError(f"{type(clf).__name__} holds no votes: fit it with readout='voted'.")
    plot, several = _axes(ax), isinstance(clf.votes_, list)
    crowds = clf.votes_ if several else [clf.votes_]
    for number, lives in enumerate(crowds):
        label = f"{clf.classes_[number]} against the rest" if several else None
        colour = _looks(number)[0] if several else POSITIVE
        plot.vlines(np.arange(len(lives)), 0, lives, color=colour, lw=1.0, label=label)
    plot.set_ylim(0, None)
    plot.locator_params(integer=True, nbins=6)
    title = f"{sum(map(sum, crowds)):,} votes held by {sum(map(len, crowds)):,} hypotheses"
    return _dressed(clf, plot, title, "hypothesis, in order of birth", "votes = visits survived")


def weights(clf: Any, k: int = 10, ax: Axes | None = None) -> Axes:
    """The k most positive and the k most negative weights of each class, as bars."""
    check_is_fitted(clf, "classes_")
    top = clf.top_features(k)
    bars = [
        (name if len(top) == 1 else f"{label}: {name}", weight)
        for label, sides in top.items()
        for name, weight in [*sides["positive"], *sides["negative"][::-1]]
    ]
    plot, places = _axes(ax, height=max(2.5, 1.2 + 0.24 * len(bars))), range(len(bars))
    colours = [POSITIVE if weight > 0 else NEGATIVE for _, weight in bars]
    plot.barh(places, [weight for _, weight in bars], color=colours, height=0.7)
    plot.set_yticks(places, [name for name, _ in bars])
    plot.axvline(0, color=INK, lw=0.8)
    plot.invert_yaxis()
    subject = f"for {next(iter(top))}" if len(top) == 1 else "of each class"
    return _dressed(clf, plot, f"strongest weights {subject}", "weight", "")


def _view(points: Array, ax: Any) -> Array:
    """Limits of the picture, a row for each axis; angles are true where the spans allow it."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    if span.max() <= 2 * span.min():
        span[:] = span.max()
        ax.set_aspect("equal")
    view = ((low + high) / 2)[:, None] + np.outer(span, [-0.58, 0.58])
    ax.set(xlim=view[0], ylim=view[1])
    return view


def _tint(clf: Any, view: Array, pair: list[int], ax: Any) -> None:
    """Light colours for the classes, and lines between them."""
    from matplotlib.colors import to_rgb

    right, up = (np.linspace(low, high, CELLS) for low, high in view)
    plane = np.stack(np.meshgrid(right, up), axis=-1).reshape(-1, 2)
    scores = clf._model.scores(plane[:, pair])
    codes = np.searchsorted(clf.classes_, clf._labels(scores)).reshape(CELLS, CELLS)
    tints = 1 - 0.16 * (1 - np.array([to_rgb(_looks(c)[0]) for c in range(len(clf.classes_))]))
    ax.imshow(tints[codes], extent=view.ravel(), origin="lower", aspect=ax.get_aspect())
    for number in range(1, len(clf.classes_)):
        lead = _lead(scores, number).reshape(CELLS, CELLS)
        if lead.min() <= 0 < lead.max():  # a class that wins nowhere has no boundary
            ax.contour(right, up, lead, levels=[0.0], colors=INK, linewidths=1.3, zorder=0.9)


def _geometry(w: Array, intercept: float, right: Array, view: Array, ax: Any) -> None:
    """The weights as an arrow, and the band that no point classified correctly enters."""
    length, middle, span = float(np.linalg.norm(w)), view.mean(axis=1), np.ptp(view, axis=1)
    normal, slope = w / length, w * span**2
    foot = middle - (middle @ w + intercept) / (w @ slope) * slope  # nearest as the eye sees it
    if len(right):
        margin = float(np.abs(right @ w + intercept).min()) / length
        side, along = margin * normal, span.sum() * np.array([-normal[1], normal[0]])
        corners = foot + np.array([side - along, side + along, along - side, -along - side])
        style = {"fc": "none", "ec": GREY, "hatch": "////", "lw": 0.0, "zorder": 0.9}
        ax.fill(*corners.T, label=f"margin {margin:.3g}", **style)
    tip = foot + 0.16 * normal / np.abs(normal / span).max()  # in the picture along either axis
    arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=tip, xytext=foot, arrowprops=arrow)
    paper = {"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 1}
    ax.annotate("w", tip, (6, 6), textcoords="offset points", weight="bold", bbox=paper)


def _journal(clf: Any, y: Array) -> Journal:
    """The journal of a run, if its bracket can be replayed on examples labelled y."""
    journal: Any = clf.journal_
    for obstacle, words in (
        (isinstance(journal, list), "one-vs-rest has a bracket for each class; use 'native'."),
        (getattr(clf, "p", 2.0) != 2.0, "the bracket can be drawn for p=2 only."),
        (not len(journal), "the journal holds no updates: there is nothing to replay."),
    ):
        if obstacle:
            raise ValueError(words)
    two = len(clf.classes_) == 2
    labels = inputs.signs(y, clf.classes_[1]) if two else inputs.codes(y, clf.classes_)
    if not np.array_equal(labels, journal.labels):
        raise ValueError("X and y are not the examples that were learned from, in their order.")
    return journal


def _replay(journal: Journal, X: Any, bias: float, rows: int) -> Iterator[tuple[Array, float]]:
    """Weights, a row for each score with the bias last, and sum of steps after each update."""
    W, total, labels = journal.start.copy(), journal.started["sa"], journal.labels
    ends = np.diff(journal.updates.t, append=-1) != 0  # rivals that share the blame share a visit
    for _, i, r, a, c, end in zip(*journal.updates, ends, strict=True):
        x = np.append(X[[i]].toarray() if sp.issparse(X) else X[i], bias).astype(float)
        W *= c
        if rows == 1:
            W[0] += a * labels[i] * x
        else:
            W[labels[i]] += a * x
            W[r] -= a * x
        # A negative scale leaves the cone of the examples: no upper bound from there on.
        total = total * c + a if c >= 0 else nan
        if end:
            yield W, total


def _bounds(clf: Any, journal: Journal, X: Any) -> tuple[Array, Array, Array]:
    """Updates made, and the best upper and lower bound so far after each of them."""
    bias = float(clf.intercept_scaling) if clf.fit_intercept else 0.0
    number = min(len(np.unique(journal.updates.t)), REPLAYED)
    # Only a run that claims a lower bound has seen all examples: a stream's earlier ones are gone.
    size = MOMENTS if clf.margin_bracket_[0] > 0 else 0
    moments = set(np.geomspace(1, number, size).round())
    # From a start other than zero the steps bound nothing, and the run itself claims no more.
    proof = journal.config["from_zero"]
    most, least = min(clf.radius_, journal.started["upper"] if proof else inf), -inf
    replay, bounds = _replay(journal, X, bias, len(clf.coef_)), np.empty((2, number))
    for e, (W, total) in enumerate(islice(replay, number)):
        length = sqrt(float(np.vdot(W, W)))
        if proof and total > 0:
            most = min(most, length / total)
        if e + 1 in moments:
            scores = Linear(W[:, :-1], W[:, -1] * bias).scores(X)
            least = max(least, _lead(scores, journal.labels).min() / (length or 1.0))
        bounds[:, e] = most, least
    return journal.started["k"] + 1 + np.arange(number), bounds[0], bounds[1]


def _lead(scores: Array, own: int | Array) -> Array:
    """Lead of a class over its best rival; with one score, of the label 1 or -1 over the other."""
    if scores.shape[1] == 1:
        return own * scores[:, 0]
    each, rest = np.arange(len(scores)), scores.copy()
    rest[each, own] = -inf
    return scores[each, own] - rest.max(axis=1)


def _examples(clf: Any, X: Any, y: Any) -> tuple[Any, Array]:
    """Examples and their labels, which the classifier must know."""
    X, y = clf._rows(X), np.asarray(y)
    check_consistent_length(X, y)
    strange = np.setdiff1d(y, clf.classes_)
    if len(strange):
        raise ValueError(f"y has labels that are not classes of the fit: {strange.tolist()}.")
    return X, y


def _looks(number: int) -> tuple[str, str]:
    """Colour and shape of a class; shapes shift when the colours come round again."""
    return COLOURS[number % 8], SHAPES[(number + number // 8) % 8]


def _axes(ax: Any, height: float = 4.2) -> Any:
    """The axes given, or those of a new figure."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(5.6, height), layout="constrained")[1] if ax is None else ax


def _dressed(clf: Any, ax: Any, title: str, right: str, up: str) -> Any:
    """Thin axes, a title, and the legend between title and picture, where it hides no data."""
    rows = -(-len(ax.get_legend_handles_labels()[0]) // 4)
    style = {"loc": "left", "fontsize": 11, "weight": "bold", "color": INK, "pad": 8 + 15 * rows}
    ax.set_title(f"{type(clf).__name__}: {title}", **style)
    ax.set(xlabel=right, ylabel=up)
    ax.spines[["top", "right"]].set_visible(False)
    if rows:
        where = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 4, "borderaxespad": 0.4}
        gaps = {"borderpad": 0, "handlelength": 1.3, "handletextpad": 0.5, "columnspacing": 1.1}
        ax.legend(fontsize=9, frameon=False, **where, **gaps)
    return ax
