"""Plots of proofs: the convergence proof on a run, margins, inseparability."""

from __future__ import annotations

from fractions import Fraction
from math import floor, inf
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from rosenblatt.plot import canvas
from rosenblatt.plot.canvas import GREY, INK, NEGATIVE, POSITIVE
from rosenblatt.proofs.checker import read_problem
from rosenblatt.theory.spaces import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.proofs.checker import Certificate

LABELLED = 12
"""Support points up to which coefficients are shown; more would overlap."""
BINS = (10, 60)
"""Minimum and maximum number of bins of a histogram."""


def proof(
    subject: Any, X: Any = None, y: Any = None, certificate: Any = None, ax: Axes | None = None
) -> Axes:
    """Plot the convergence proof on one run: k·γ <= w·w* <= |w| <= √k·R.

    Each update increases w·w* by at least the margin γ of w*, and |w|² by at most R². A line grows
    faster than a root: where the outer curves meet, no further update is possible. `subject` is a
    trace, or a fitted classifier with its training examples.
    """
    trace, name = _trace(subject, X, y, certificate)
    k, low, high = trace.k, trace.low, trace.high
    plot = canvas.axes(ax, height=_height(trace))
    inside = {"color": GREY, "alpha": 0.15, "lw": 0, "gid": "between"}
    plot.fill_between(k, low, high, where=np.asarray(high >= low), **inside)
    (least, most), end = _outer(trace)
    for curve, label, style in (
        (high, most, {"color": NEGATIVE, "lw": 1.6}),
        (trace.length, "|w|", {"color": INK, "lw": 1.2}),
        (trace.along, "w·w*", {"color": INK, "lw": 1.2, "ls": "--"}),
        (low, least, {"color": POSITIVE, "lw": 1.6}),
    ):
        plot.plot(k, curve, label=label, **style, **_dots(k))
    _set_proof_scale(plot, trace)
    text = f"{k[-1]:,} update" + "s" * int(k[-1] != 1)
    if end < inf:  # rounding must not remove the last possible update
        text = f"{k[-1]:,} of at most {floor(end * (1 + 1e-9)):,} updates"
    return canvas.finish(plot, f"{name}: {text}", "updates k", "length", trace.fails or "")


def distance(
    subject: Any, X: Any = None, y: Any = None, certificate: Any = None, ax: Axes | None = None
) -> Axes:
    """Plot the squared distance of w to a long solution α·w*, and its upper bound.

    Every update decreases the distance by at least a fixed amount, and no distance is negative, so
    the updates end. The arguments are those of `proof`.
    """
    trace, name = _trace(subject, X, y, certificate)
    plot = canvas.axes(ax, height=_height(trace))
    plot.plot(trace.k, trace.ceiling2, color=NEGATIVE, lw=1.6, label="ceiling")
    style = {"color": INK, "lw": 1.2, "label": "|w - α·w*|²"} | _dots(trace.k)
    plot.plot(trace.k, trace.distance2, **style)
    gained = {"color": GREY, "alpha": 0.15, "lw": 0, "gid": "between"}
    plot.fill_between(trace.k, trace.distance2, trace.ceiling2, **gained)
    # The axis starts at zero unless all distances are far above it.
    known = np.append(trace.distance2, trace.ceiling2)
    plot.yaxis.set_major_formatter("{x:,g}")
    if not np.isfinite(known).any():  # without a margin there is no solution
        plot.set_yticks([])
    elif 0 <= np.nanmin(known) < 0.5 * np.nanmax(known):
        plot.set_ylim(0, None)
    _count_updates(plot, trace.k)
    title = f"{name}: distance to a long solution"
    return canvas.finish(plot, title, "updates k", "squared distance", trace.fails or "")


def margins(clf: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Plot a histogram of the margins of the examples.

    Margins are those of `clf.margins`; an example with a margin of 0 or less is wrong. The dotted
    line marks the least margin, which is the margin of the data set.
    """
    each, least = clf.margins(X, y)
    wrong = each <= 0
    edges, zero = _edges(each)
    plot = canvas.axes(ax)
    for part, over, colour, name in (
        (each[~wrong], edges[zero:], POSITIVE, "right"),
        (each[wrong], edges[: zero + 1], NEGATIVE, "wrong"),
    ):
        if len(part):
            label = f"{name} ({len(part):,})"
            plot.stairs(*np.histogram(part, over), fill=True, color=colour, alpha=0.55, label=label)
    plot.axvline(0, color=INK, lw=1.0, gid="zero")
    plot.axvline(least, color=INK, lw=1.2, ls=":", label=f"least margin {least:.3g}")
    plot.set_ylim(0, None)
    plot.yaxis.get_major_locator().set_params(integer=True)
    title = canvas.title(clf, f"{wrong.sum():,} of {len(each):,} examples wrong")
    return canvas.finish(plot, title, "margin = signed distance to the boundary", "examples")


def combination(certificate: Certificate, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Plot why no line separates two classes of a plane.

    With an intercept, the star is a point that lies both in the convex hull of some positive and
    in that of some negative examples, so no line separates them. Without an intercept, examples
    are multiplied by their sign ±1, and the star is the origin, which lies in their hull. Support
    points are labelled with their coefficients in the certificate.
    """
    points, signs = _plane(certificate, X, y)
    support = np.asarray(certificate.support, int)
    affine = certificate.scaling > 0
    if not affine:
        points = points * signs[:, None]
    held, sides = points[support], signs[support]
    star = _common_point(certificate, held, sides) if affine else np.zeros(2)
    plot = canvas.axes(ax)
    canvas.set_view(np.vstack([points, star]), plot, room=0.2)
    for side, label in _sides(certificate):
        _draw_side(points[signs == side], held[sides == side], side, label, plot)
        if affine:
            _fill(held[sides == side], canvas.class_style(int(side > 0))[0], plot)
    if not affine:
        _fill(held, GREY, plot)
    _draw_star(star, "common point" if affine else "origin", plot)
    if len(support) <= LABELLED:
        _coefficients(certificate.coefficients, held, sides, star, plot)
    title = f"Inseparable: 0 lies in the hull of {len(support)} signed points"
    if affine:
        counts = [int((sides == side).sum()) for side in (1, -1)]
        title = f"Inseparable: hulls of {counts[0]} and {counts[1]} points meet"
    return canvas.finish(plot, title, *_axis_names(X, affine))


# --- traces -----------------------------------------------------------------------------------


def _trace(subject: Any, X: Any, y: Any, certificate: Any) -> tuple[Any, str]:
    """Return the curves of the proof, and a name for the title."""
    if hasattr(subject, "along"):
        trace, name = subject, "Convergence proof"
    else:
        check_is_fitted(subject, "classes_")
        from rosenblatt.proofs.convergence import proof_trace

        trace = proof_trace(subject, X=X, y=y, certificate=certificate)
        name = type(subject).__name__
    if not len(trace.k):
        raise ValueError("the trace holds no updates; there is nothing to draw.")
    return trace, name


def _set_proof_scale(ax: Any, trace: Any) -> None:
    """Use logarithmic axes if the lower curve would be flat on linear ones."""
    k, low, high = trace.k, trace.low, trace.high
    met = k > 0
    small = 0 < low[-1] < 0.1 * high[-1]
    positive = all((curve[met] > 0).all() for curve in (low, trace.along, high))
    if not (small and positive):
        _count_updates(ax, k)
        return
    first, last = k[met][0], k[-1]
    ax.set(xscale="log", yscale="log", xlim=(0.95 * first, 1.05 * last))
    ax.set_ylim(0.8 * low[met].min(), 1.25 * high[met].max())
    for axis, ratio in ((ax.xaxis, last / first), (ax.yaxis, high[-1] / low[met].min())):
        axis.set_major_formatter("{x:,g}")
        # Over less than a decade the minor ticks need labels as well.
        axis.set_minor_formatter("{x:,g}" if ratio < 8 else "")


def _dots(k: Array) -> dict[str, Any]:
    """Return the style of dots at each update, if there are few enough to be distinct."""
    return {"marker": "o", "ms": 3} if len(k) <= 40 else {}


def _count_updates(ax: Any, k: Array) -> None:
    """Number the updates on the horizontal axis, from zero."""
    ax.set_xlim(0, 1.03 * k[-1])
    ax.xaxis.get_major_locator().set_params(integer=True)


def _height(trace: Any) -> float:
    """Return the height of the figure, with room for a note above the axes."""
    return 5.2 if trace.fails else 4.2


def _outer(trace: Any) -> tuple[tuple[str, str], float]:
    """Return the names of the outer curves, and where they meet.

    The latter is infinite unless they are a line and a root.
    """
    k, low, high = trace.k, trace.low, trace.high
    n, names = k[-1], ("lower bound", "upper bound")
    if not (0 <= low[-1] < inf and high[-1] < inf and n > 0):
        return names, inf
    line, root = k * (low[-1] / n), np.sqrt(k / n) * high[-1]
    if not (np.allclose(low, line, rtol=1e-6) and np.allclose(high, root, rtol=1e-6)):
        return names, inf
    # Equal steps other than 1 scale both curves; they meet at the same update.
    if np.isclose(low[-1], n * getattr(trace, "margin", low[-1] / n)):
        names = ("k·γ", "√k·R") if low[-1] else ("γ = 0", "√k·R")
    return names, float(n * (high[-1] / low[-1]) ** 2) if low[-1] else inf


# --- margins ----------------------------------------------------------------------------------


def _edges(values: Array) -> tuple[Array, int]:
    """Return the edges of bins of equal width, and the index of zero among them.

    There is at least one bin on either side of zero.
    """
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    number = np.clip(len(np.histogram_bin_edges(values, "auto")) - 1, *BINS)
    width = (high - low) / number or 1.0
    below, above = max(1, int(np.ceil(-low / width))), max(1, int(np.ceil(high / width)))
    edges = width * np.arange(-below, above + 1)
    # Rounding must not exclude the outermost values.
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges, below


# --- combinations -----------------------------------------------------------------------------


def _common_point(certificate: Certificate, held: Array, sides: Array) -> Array:
    """Return the point that lies in the hulls of both classes."""
    share = np.array([float(c) for c in certificate.coefficients]) * (sides > 0)
    return share @ held / share.sum()


def _draw_side(points: Array, support: Array, side: int, label: str, ax: Any) -> None:
    """Draw the points of one class, its support points larger."""
    colour, shape = canvas.class_style(int(side > 0))
    style = {"color": colour, "marker": shape}
    ax.scatter(*points.T, s=22, lw=0, alpha=0.3, **style)
    ax.scatter(*support.T, s=110, lw=0.8, ec="white", zorder=3, gid="support", **style)
    ax.scatter([], [], s=28, label=label, **style)


def _draw_star(star: Array, label: str, ax: Any) -> None:
    style = {"color": "#F0E442", "marker": "*", "lw": 0.8, "ec": INK, "zorder": 4}
    ax.scatter(*star[:, None], s=130, gid="star", **style)
    ax.scatter([], [], s=60, label=label, **style)  # smaller, or it would hide the label


def _axis_names(X: Any, affine: bool) -> list[str]:
    """Return the names of the two features, with ± if the examples are signed."""
    if hasattr(X, "columns"):
        return [str(name) if affine else f"± {name}" for name in X.columns]
    return [f"x{j}" if affine else f"±x{j}" for j in (0, 1)]


def _plane(certificate: Certificate, X: Any, y: Any) -> tuple[Array, Array]:
    """Return the points of a certificate and their signs, or reject what has no plane."""
    verdict = certificate.verdict
    many = certificate.target is None and len(certificate.classes) > 2
    features = certificate.features
    for obstacle, message in (
        (verdict != "inseparable", f"only inseparable data can be drawn; these are {verdict}."),
        (features != 2, f"combination needs data with 2 features, these data have {features}."),
        (many, 'a combination of many classes is not planar; certify with multiclass="ovr".'),
    ):
        if obstacle:
            raise ValueError(message)
    posed = read_problem(X, y, target=certificate.target)
    if posed.digest() != certificate.digest:
        raise ValueError("X and y are not the data of this certificate.")
    return posed.X.toarray() if sp.issparse(posed.X) else posed.X, posed.signs


def _sides(certificate: Certificate) -> list[tuple[int, str]]:
    """Return the negative and the positive side with their labels, if both exist."""
    if certificate.target is not None:
        return [(-1, "rest"), (1, str(certificate.target))]
    pairs = zip((1, -1), reversed(certificate.classes), strict=False)
    return [(side, str(label)) for side, label in pairs][::-1]


def _hull(points: Array) -> Array:
    """Return the corners of the convex hull in order: a point, a segment or a polygon."""
    chain = sorted({(float(a), float(b)) for a, b in points})
    corners: list[tuple[float, float]] = []
    for course in (chain, chain[::-1]):
        half: list[tuple[float, float]] = []
        for c in course:
            while len(half) > 1 and _turn(half[-2], half[-1], c) <= 0:
                half.pop()
            half.append(c)
        corners += half[:-1]
    return np.array(corners or chain).reshape(-1, 2)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Return a positive number if the path from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _fill(points: Array, colour: str, ax: Any) -> None:
    """Draw the hull of points: a light polygon, or a segment."""
    corners = _hull(points)
    if len(corners) > 1:
        ax.fill(*corners.T, fc=f"{colour}26", ec=colour, lw=1.6, zorder=2, gid="hull")


def _coefficients(
    coefficients: tuple[Fraction, ...], points: Array, sides: Array, star: Array, ax: Any
) -> None:
    """Write coefficients beside their points, on the side away from the star."""
    span = np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
    paper = {"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 1}
    for exact, point, side in zip(coefficients, points, sides, strict=True):
        away = (point - star) / span
        length = float(np.linalg.norm(away))
        # A point at the star has no such side; the classes are then written above and below.
        away = away / length if length > 0 else np.array([0.0, side])
        text = str(exact) if len(str(exact)) <= 7 else f"{float(exact):.3g}"
        style = {"ha": "center", "va": "center", "fontsize": 10, "color": INK, "bbox": paper}
        ax.annotate(text, point, 17 * away, textcoords="offset points", zorder=5, **style)
