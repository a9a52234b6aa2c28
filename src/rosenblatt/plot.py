"""Pictures of a fitted classifier: its regions, its mistakes, its proof, its votes, its weights.

Each function draws into the axes it is given, or into a new figure, and returns the axes.
matplotlib is imported when the first picture is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
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

# Colours that stay apart for the colour-blind; shapes, so that none has to rely on colour. With
# two classes the first of them is the negative class, the second the positive.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#666666")
SHAPES = ("^", "o", "s", "D", "v", "P", "X", "*")
NEGATIVE, POSITIVE, INK, GREY = COLOURS[0], COLOURS[1], "#333333", "#888888"

CELLS = 300  # of the plane, along each axis
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
        raise ValueError(
            f"regions() draws a plane, so it needs 2 features; this classifier has "
            f"{clf.n_features_in_}. Fit it on two columns, or reduce the data first."
        )
    axes = list(features)
    if sorted(axes) != [0, 1]:
        raise ValueError(f"features={features!r} must be (0, 1) or (1, 0).")
    X, y = _examples(clf, X, y)
    X = X.toarray() if sp.issparse(X) else X
    wrong, points = clf._labels(clf._model.scores(X)) != y, X[:, axes]
    ax = _axes(ax)
    view = _view(points, ax)
    _tint(clf, view, axes, ax)
    for number, label in enumerate(clf.classes_):
        colour, shape = _looks(number)
        style = {"s": 28, "color": colour, "marker": shape, "lw": 0.5, "ec": "white"}
        ax.scatter(*points[y == label].T, label=str(label), **style)
    if wrong.any():
        ring = {"s": 110, "facecolors": "none", "edgecolors": INK, "lw": 1.2, "gid": "wrong"}
        ax.scatter(*points[wrong].T, label=f"wrong ({wrong.sum():,})", **ring)
    if len(clf.classes_) == 2 and not hasattr(clf, "votes_"):
        _geometry(clf.coef_[0, axes], float(clf.intercept_[0]), points[~wrong], view, ax)
    names = report.feature_names(clf)
    return _dressed(ax, "Regions", names[axes[0]], names[axes[1]])


def mistakes(clf: Any, ax: Axes | None = None) -> Axes:
    """Mistakes made while learning in each pass, and errors of the hypothesis left after it."""
    check_is_fitted(clf, "classes_")
    made, left = np.asarray(clf.pass_mistakes_), np.asarray(clf.pass_errors_)
    ax = _axes(ax)
    edges = np.arange(len(made) + 1) + 0.5
    ax.stairs(made, edges, fill=True, color=POSITIVE, alpha=0.4, label="made while learning")
    counted = np.flatnonzero(left >= 0)
    if len(counted):
        dots = {"lw": 1.2, "marker": "o", "ms": 4} if len(left) <= 40 else {"lw": 0.7}
        label = "errors left after the pass"
        ax.plot(counted + 1, left[counted], color=NEGATIVE, label=label, **dots)
    ax.set(xlim=(edges[0], edges[-1]), ylim=(0, None))
    _whole(ax.xaxis, ax.yaxis)
    end = f"separated in pass {clf.n_iter_:,}" if clf.converged_ else "not separated"
    return _dressed(ax, f"Mistakes: {end}", "pass", "training examples")


def bracket(clf: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """How the run closed in on the best margin, replayed from its journal.

    After each update |w| divided by the sum Σa of the steps bounds the best margin from above, and
    the margin of a hypothesis that separates the data bounds it from below; drawn are the best
    bounds so far, the lower one at some moments only. X and y must be the examples of the fit.
    """
    check_is_fitted(clf, "classes_")
    X, y = _examples(clf, X, y)
    journal = _journal(clf, y)
    k, upper, lower = _bounds(clf, journal, X)
    ax = _axes(ax)
    ax.set(xscale="log", yscale="log")
    ax.step(k, upper, where="post", color=NEGATIVE, label="upper bound |w|/Σa")
    low = lower > 0
    if low.any():
        ax.step(k[low], lower[low], where="post", color=POSITIVE, label="lower bound, least margin")
        ax.plot(k[low][:1], lower[low][:1], "o", color=POSITIVE, ms=5)
        ax.fill_between(k[low], lower[low], upper[low], step="post", color=GREY, alpha=0.15, lw=0)
    known = [bound for bound in clf.margin_bracket_ if 0 < bound < inf]
    for number, bound in enumerate(known):
        ax.axhline(bound, color=INK, lw=0.9, ls=":", label=None if number else "at the end")
    _powers(ax.xaxis, ax.yaxis)
    words = "between {:.3g} and {:.3g}" if len(known) == 2 else "at most {:.3g}"
    total = int(journal.counters["k"] - journal.started["k"])
    part = "" if len(k) == total else f" (first {len(k):,} of {total:,} replayed)"
    return _dressed(ax, f"Best margin: {words.format(*known)}", f"updates{part}", "margin")


def votes(clf: Any, ax: Axes | None = None) -> Axes:
    """Votes that each hypothesis earned by surviving visits, in the order of birth."""
    check_is_fitted(clf, "classes_")
    if not hasattr(clf, "votes_"):
        raise ValueError(
            f"this {type(clf).__name__} holds no votes; fit a VotedPerceptron, or any rule with "
            "readout='voted'."
        )
    several = isinstance(clf.votes_, list)
    crowds = clf.votes_ if several else [clf.votes_]
    ax = _axes(ax)
    for number, lives in enumerate(crowds):
        label = f"{clf.classes_[number]} against the rest" if several else None
        colour = _looks(number)[0] if several else POSITIVE
        ax.vlines(np.arange(len(lives)), 0, lives, color=colour, lw=1.0, label=label)
    ax.set_ylim(0, None)
    _whole(ax.xaxis, ax.yaxis)
    total, size = sum(int(lives.sum()) for lives in crowds), sum(map(len, crowds))
    title = f"Votes: {total:,} held by {size:,} hypotheses"
    return _dressed(ax, title, "hypothesis, in order of birth", "votes = visits survived")


def weights(clf: Any, k: int = 10, ax: Axes | None = None) -> Axes:
    """The k most positive and the k most negative weights of each class, as bars."""
    check_is_fitted(clf, "classes_")
    top = clf.top_features(k)
    bars = {
        (name if len(top) == 1 else f"{label}: {name}"): weight
        for label, sides in top.items()
        for name, weight in [*sides["positive"], *sides["negative"][::-1]]
    }
    if not bars:
        raise ValueError("all weights are zero: there is nothing to draw.")
    ax = _axes(ax, height=max(2.5, 1.2 + 0.24 * len(bars)))
    colours = [POSITIVE if weight > 0 else NEGATIVE for weight in bars.values()]
    ax.barh(list(bars), list(bars.values()), color=colours, height=0.7)
    ax.axvline(0, color=INK, lw=0.8)
    ax.invert_yaxis()
    subject = f"for {next(iter(top))}" if len(top) == 1 else "of each class"
    return _dressed(ax, f"Strongest weights {subject}", "weight", "")


# --- the plane ------------------------------------------------------------------------------


def _view(points: Array, ax: Any) -> Array:
    """Limits of the picture, a row for each axis; angles are true where the spans allow it."""
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    if span.max() <= 2 * span.min():
        span[:] = span.max()
        ax.set_aspect("equal")
    middle = (low + high) / 2
    view: Array = np.column_stack([middle - 0.58 * span, middle + 0.58 * span])
    ax.set(xlim=view[0], ylim=view[1])
    return view


def _tint(clf: Any, view: Array, axes: list[int], ax: Any) -> None:
    """Light colours for the classes, and lines between them."""
    from matplotlib.colors import to_rgb

    classes = range(len(clf.classes_))
    right, up = (np.linspace(*limits, CELLS) for limits in view)
    plane = np.stack(np.meshgrid(right, up), axis=-1).reshape(-1, 2)
    scores = clf._model.scores(plane[:, axes])
    codes = np.searchsorted(clf.classes_, clf._labels(scores)).reshape(CELLS, CELLS)
    tints = 1 - 0.16 * (1 - np.array([to_rgb(_looks(c)[0]) for c in classes]))
    ax.imshow(tints[codes], extent=view.ravel(), origin="lower", aspect=ax.get_aspect())
    for lead in scores.T if len(classes) == 2 else (_lead(scores, c) for c in classes):
        if lead.min() <= 0 < lead.max():  # a class that wins nowhere has no boundary
            field = lead.reshape(CELLS, CELLS)
            ax.contour(right, up, field, levels=[0.0], colors=INK, linewidths=1.3)


def _geometry(w: Array, intercept: float, right: Array, view: Array, ax: Any) -> None:
    """The weights as an arrow, and the band that no point classified correctly enters."""
    length = float(np.linalg.norm(w))
    if length == 0:
        return
    normal, along = w / length, np.array([-w[1], w[0]]) / length
    middle, span = view.mean(axis=1), np.ptp(view, axis=1)
    foot = middle - (middle @ w + intercept) / length * normal
    if len(right):
        margin = float(np.abs(right @ w + intercept).min()) / length
        side, reach = margin * normal, span.sum() * along
        corners = np.array([side - reach, side + reach, reach - side, -reach - side]) + foot
        style = {"fc": "none", "ec": GREY, "hatch": "////", "lw": 0.0, "zorder": 0.9}
        ax.fill(*corners.T, label=f"margin {margin:.3g}", **style)
    tip = foot + 0.16 * normal / np.abs(normal / span).max()  # in the picture along either axis
    arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.8, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=tip, xytext=foot, arrowprops=arrow)
    paper = {"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 1}
    ax.annotate("w", tip, (6, 6), textcoords="offset points", weight="bold", bbox=paper)


# --- the replay -----------------------------------------------------------------------------


def _journal(clf: Any, y: Array) -> Journal:
    """The journal of a run, if its bracket can be replayed on examples labelled y."""
    journal: Any = clf.journal_
    if isinstance(journal, list):
        raise ValueError(
            "one-vs-rest makes a run, a journal and a bracket for each class; fit each class "
            "against the rest by itself, or set multiclass='native'."
        )
    if hasattr(clf, "_stream"):
        raise ValueError("the journal of partial_fit holds the last batch only; use fit.")
    if getattr(clf, "p", 2.0) != 2.0:
        raise ValueError("the bracket can be drawn for p=2 only.")
    if not len(journal):
        raise ValueError("the journal holds no updates: there is nothing to replay.")
    two = len(clf.classes_) == 2
    labels = inputs.signs(y, clf.classes_[1]) if two else inputs.codes(y, clf.classes_)
    if not np.array_equal(labels, journal.labels):
        raise ValueError(
            "X and y are not the examples of the fit, in their order. (Early stopping holds some "
            "out, and weights of zero leave some out: split or choose them before the fit.)"
        )
    return journal  # type: ignore[no-any-return]


def _replay(journal: Journal, X: Any, bias: float, rows: int) -> Iterator[tuple[Array, float]]:
    """Weights, a row for each score with the bias last, and sum of steps after each update."""
    shape, W = (rows, X.shape[1] + 1), np.atleast_2d(journal.start)
    if W.shape != shape or (shape[0] == shape[1] and sp.issparse(X)):
        W = W.T  # sparse data and many classes: the engine keeps a column for each class
    W, total, labels = W.astype(float), journal.started["sa"], journal.labels
    ends = np.diff(journal.updates.t, append=-1) != 0  # rivals that share a mistake share a visit
    for _, i, r, a, c, end in zip(*journal.updates, ends, strict=True):
        x = np.append(X[[i]].toarray() if sp.issparse(X) else X[i], bias).astype(float)
        W *= c
        W[labels[i] if rows > 1 else 0] += a * x if rows > 1 else a * labels[i] * x
        if rows > 1:
            W[r] -= a * x
        # A negative scale leaves the cone of the examples: no upper bound from there on.
        total = total * c + a if c >= 0 else nan
        if end:
            yield W, total


def _bounds(clf: Any, journal: Journal, X: Any) -> tuple[Array, Array, Array]:
    """Updates made, and the best upper and lower bound so far after each of them."""
    bias = float(clf.intercept_scaling) if clf.fit_intercept else 0.0
    count = min(len(np.unique(journal.updates.t)), REPLAYED)
    moments = set(np.geomspace(1, count, MOMENTS).round().astype(int).tolist())
    upper, lower = np.full(count, inf), np.full(count, -inf)
    for e, (W, total) in zip(range(count), _replay(journal, X, bias, len(clf.coef_)), strict=False):
        length = sqrt(float(np.vdot(W, W)))
        if total > 0:
            upper[e] = length / total
        if e + 1 in moments:
            scores = Linear(W[:, :-1], W[:, -1] * bias).scores(X)
            two, labels = scores.shape[1] == 1, journal.labels
            least = (labels * scores[:, 0] if two else _lead(scores, labels)).min()
            lower[e] = least / length if least > 0 else -inf
    if clf.margin_bracket_[1] > min(journal.counters["upper"], clf.radius_):
        upper[:] = inf  # the run did not start from zero, so its steps bound nothing
    else:
        upper[0] = min(upper[0], journal.started["upper"])
    upper = np.minimum(np.minimum.accumulate(upper), clf.radius_)
    return journal.started["k"] + 1 + np.arange(count), upper, np.maximum.accumulate(lower)


def _lead(scores: Array, own: int | Array) -> Array:
    """Lead of a class, one for all examples or one each, over its best rival."""
    each, rest = np.arange(len(scores)), scores.copy()
    rest[each, own] = -inf
    lead: Array = scores[each, own] - rest.max(axis=1)
    return lead


# --- the style ------------------------------------------------------------------------------


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
    colours, shapes = len(COLOURS), len(SHAPES)
    return COLOURS[number % colours], SHAPES[(number + number // colours) % shapes]


def _axes(ax: Any, height: float = 4.2) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(5.6, height), layout="constrained")[1]


def _whole(*axes: Any) -> None:
    """Tick whole numbers only."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    for axis in axes:
        axis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _powers(*axes: Any) -> None:
    """Tick a logarithmic axis with plain numbers."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for axis in axes:
        axis.set_major_locator(LogLocator(subs=(1.0, 3.0), numticks=12))
        axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
        axis.set_minor_formatter(NullFormatter())


def _dressed(ax: Any, title: str, right: str, up: str) -> Any:
    """Thin axes, a title, and the legend between title and picture, where it hides no data."""
    handles, _ = ax.get_legend_handles_labels()
    rows = -(-len(handles) // 4)
    ax.set_title(title, loc="left", fontsize=11, weight="bold", color=INK, pad=8 + 15 * rows)
    ax.set(xlabel=right, ylabel=up)
    ax.spines[["top", "right"]].set_visible(False)
    if handles:
        gaps = {"borderpad": 0, "borderaxespad": 0.4, "handletextpad": 0.4, "columnspacing": 1.2}
        where = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 4}
        ax.legend(fontsize=9, frameon=False, **where, **gaps)
    return ax
