"""Pictures of what is proved: the convergence proof of a run, its margins, inseparability."""

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

LABELLED = 12  # support points that carry their coefficient: more would hide each other
BINS = (10, 60)  # of a histogram, at least and at most


def proof(
    subject: Any, X: Any = None, y: Any = None, certificate: Any = None, ax: Axes | None = None
) -> Axes:
    """The convergence proof on one run: k·γ <= w·w* <= |w| <= √k·R, update by update.

    Each update lifts w·w* by the margin γ of w* or more, and |w|² by R² or less. A line outgrows a
    root: where the outer curves meet, no further update is possible. `subject` is a trace, or a
    fitted classifier with the examples that it learned from.
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
    met = k > 0
    # A low line that plain axes would press to the ground needs logarithms, if it has any.
    small = 0 < low[-1] < 0.1 * high[-1]
    if small and all((curve[met] > 0).all() for curve in (low, trace.along, high)):
        first, last = k[met][0], k[-1]
        plot.set(xscale="log", yscale="log", xlim=(0.95 * first, 1.05 * last))
        plot.set_ylim(0.8 * low[met].min(), 1.25 * high[met].max())
        plot.xaxis.set_major_formatter("{x:,g}")
        plot.yaxis.set_major_formatter("{x:,g}")
        # Over less than a decade the ticks between need words as well.
        for axis, ratio in ((plot.xaxis, last / first), (plot.yaxis, high[-1] / low[met].min())):
            axis.set_minor_formatter("{x:,g}" if ratio < 8 else "")
    else:
        _counted(plot, k)
    words = f"{k[-1]:,} update" + "s" * int(k[-1] != 1)
    if end < inf:  # rounding must not take away the last update that is possible
        words = f"{k[-1]:,} of at most {floor(end * (1 + 1e-9)):,} updates"
    return canvas.dressed(plot, f"{name}: {words}", "updates k", "length", trace.fails or "")


def distance(
    subject: Any, X: Any = None, y: Any = None, certificate: Any = None, ax: Axes | None = None
) -> Axes:
    """Squared distance of the hypothesis to a long solution α·w*, under its falling ceiling.

    Every update brings w nearer to α·w* by a fixed amount at least, and no distance is negative:
    so the updates end. Arguments as of `proof`.
    """
    trace, name = _trace(subject, X, y, certificate)
    plot = canvas.axes(ax, height=_height(trace))
    plot.plot(trace.k, trace.ceiling2, color=NEGATIVE, lw=1.6, label="ceiling")
    style = {"color": INK, "lw": 1.2, "label": "|w - α·w*|²"} | _dots(trace.k)
    plot.plot(trace.k, trace.distance2, **style)
    gained = {"color": GREY, "alpha": 0.15, "lw": 0, "gid": "between"}
    plot.fill_between(trace.k, trace.distance2, trace.ceiling2, **gained)
    # The end is at zero; a run that stays far above it is shown from near by.
    known = np.append(trace.distance2, trace.ceiling2)
    plot.yaxis.set_major_formatter("{x:,g}")
    if not np.isfinite(known).any():  # without a margin there is no solution to come near
        plot.set_yticks([])
    elif 0 <= np.nanmin(known) < 0.5 * np.nanmax(known):
        plot.set_ylim(0, None)
    _counted(plot, trace.k)
    title, up = f"{name}: distance to a long solution", "squared distance"
    return canvas.dressed(plot, title, "updates k", up, trace.fails or "")


def margins(clf: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """How far the examples lie from the boundary: a histogram of their margins.

    Margins are those of `clf.margins`; a mistake is a margin of 0 or less. The dotted line marks
    the least margin, which is the margin of the data set.
    """
    each, least = clf.margins(X, y)
    wrong = each <= 0
    edges, zero = _edges(each)
    plot = canvas.axes(ax)
    for part, over, colour, words in (
        (each[~wrong], edges[zero:], POSITIVE, "right"),
        (each[wrong], edges[: zero + 1], NEGATIVE, "wrong"),
    ):
        if len(part):
            label = f"{words} ({len(part):,})"
            plot.stairs(*np.histogram(part, over), fill=True, color=colour, alpha=0.55, label=label)
    plot.axvline(0, color=INK, lw=1.0, gid="zero")
    plot.axvline(least, color=INK, lw=1.2, ls=":", label=f"least margin {least:.3g}")
    plot.set_ylim(0, None)
    plot.yaxis.get_major_locator().set_params(integer=True)
    title = canvas.title(clf, f"{wrong.sum():,} of {len(each):,} examples wrong")
    return canvas.dressed(plot, title, "margin = signed distance to the boundary", "examples")


def combination(certificate: Certificate, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Why no line separates two classes of a plane: the combination that a certificate holds.

    With an intercept it is a point (the star) that lies in the hull of some positive and in that
    of some negative examples, where no line can have them on different sides. Without, examples
    are multiplied by their sign ±1, and the star is the origin in their hull. Support points carry
    their coefficients.
    """
    points, signs = _plane(certificate, X, y)
    support = np.asarray(certificate.support, int)
    share = np.array([float(c) for c in certificate.coefficients])
    free = certificate.scaling > 0
    if not free:
        points = points * signs[:, None]
    held, sides = points[support], signs[support]
    plot = canvas.axes(ax)
    star = np.zeros(2)
    if free:
        positive = share * (sides > 0)
        star = positive @ held / positive.sum()
    canvas.framed(np.vstack([points, star]), plot, room=0.2)
    for side, label in _sides(certificate):
        colour, shape = canvas.looks(int(side > 0))
        look = {"color": colour, "marker": shape}
        plot.scatter(*points[signs == side].T, s=22, lw=0, alpha=0.3, **look)
        own = held[sides == side]
        plot.scatter(*own.T, s=110, lw=0.8, ec="white", zorder=3, gid="support", **look)
        plot.scatter([], [], s=28, label=label, **look)
        if free:
            _fill(own, colour, plot)
    if not free:
        _fill(held, GREY, plot)
    where = "common point" if free else "origin"
    style = {"color": "#F0E442", "marker": "*", "lw": 0.8, "ec": INK, "zorder": 4}
    plot.scatter(*star[:, None], s=130, gid="star", **style)
    plot.scatter([], [], s=60, label=where, **style)  # in the legend it must not hide the words
    if len(support) <= LABELLED:
        _coefficients(certificate.coefficients, held, sides, star, plot)
    counts = [int((sides == side).sum()) for side in (1, -1)]
    title = f"Inseparable: hulls of {counts[0]} and {counts[1]} points meet"
    if not free:
        title = f"Inseparable: 0 lies in the hull of {len(support)} signed points"
    names = [f"x{j}" if free else f"±x{j}" for j in (0, 1)]
    if hasattr(X, "columns"):
        names = [str(name) if free else f"± {name}" for name in X.columns]
    return canvas.dressed(plot, title, names[0], names[1])


# --- traces -----------------------------------------------------------------------------------


def _trace(subject: Any, X: Any, y: Any, certificate: Any) -> tuple[Any, str]:
    """The curves of the proof, and whose they are."""
    if hasattr(subject, "along"):
        trace, name = subject, "Convergence proof"
    else:
        check_is_fitted(subject, "classes_")
        from rosenblatt.proofs.convergence import proof_trace

        trace = proof_trace(subject, X=X, y=y, certificate=certificate)
        name = type(subject).__name__
    if not len(trace.k):
        raise ValueError("the trace holds no updates: there is nothing to draw.")
    return trace, name


def _dots(k: Array) -> dict[str, Any]:
    """Dots show that only whole numbers of updates exist, as long as they can be told apart."""
    return {"marker": "o", "ms": 3} if len(k) <= 40 else {}


def _counted(ax: Any, k: Array) -> None:
    """Updates as whole numbers from zero, however few."""
    ax.set_xlim(0, 1.03 * k[-1])
    ax.xaxis.get_major_locator().set_params(integer=True)


def _height(trace: Any) -> float:
    """A sentence above the picture must not take the room of the curves."""
    return 5.2 if trace.fails else 4.2


def _outer(trace: Any) -> tuple[tuple[str, str], float]:
    """Names of the outer curves, and where they meet: known if they are a line and a root."""
    k, low, high = trace.k, trace.low, trace.high
    n, names = k[-1], ("lower bound", "upper bound")
    if not (0 <= low[-1] < inf and high[-1] < inf and n > 0):
        return names, inf
    line, root = k * (low[-1] / n), np.sqrt(k / n) * high[-1]
    if not (np.allclose(low, line, rtol=1e-6) and np.allclose(high, root, rtol=1e-6)):
        return names, inf
    # Equal steps other than 1 stretch both curves; they meet at the same update.
    if np.isclose(low[-1], n * getattr(trace, "margin", low[-1] / n)):
        names = ("k·γ", "√k·R") if low[-1] else ("γ = 0", "√k·R")
    return names, float(n * (high[-1] / low[-1]) ** 2) if low[-1] else inf


# --- margins ----------------------------------------------------------------------------------


def _edges(values: Array) -> tuple[Array, int]:
    """Bins of equal width, zero among their edges, a bin at least on either side; zero's place."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    number = np.clip(len(np.histogram_bin_edges(values, "auto")) - 1, *BINS)
    width = (high - low) / number or 1.0
    below, above = max(1, int(np.ceil(-low / width))), max(1, int(np.ceil(high / width)))
    edges = width * np.arange(-below, above + 1)
    # Rounding must not leave the outermost value outside.
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    return edges, below


# --- combinations -----------------------------------------------------------------------------


def _plane(certificate: Certificate, X: Any, y: Any) -> tuple[Array, Array]:
    """The points of a certificate that this picture can show, and their signs."""
    verdict = certificate.verdict
    many = certificate.target is None and len(certificate.classes) > 2
    for obstacle, words in (
        (verdict != "inseparable", f"only inseparable data can be drawn; these are {verdict}."),
        (certificate.features != 2, f"a plane has 2 features, these data {certificate.features}."),
        (many, 'many classes have no plane in common; certify each of them with multiclass="ovr".'),
    ):
        if obstacle:
            raise ValueError(words)
    problem = read_problem(X, y, target=certificate.target)
    if problem.digest() != certificate.digest:
        raise ValueError("X and y are not the data of this certificate.")
    return problem.X.toarray() if sp.issparse(problem.X) else problem.X, problem.signs


def _sides(certificate: Certificate) -> list[tuple[int, str]]:
    """Negative and positive side with their names; one class alone has one side."""
    if certificate.target is not None:
        return [(-1, "rest"), (1, str(certificate.target))]
    pairs = zip((1, -1), reversed(certificate.classes), strict=False)
    return [(side, str(label)) for side, label in pairs][::-1]


def _hull(points: Array) -> Array:
    """Corners of the convex hull in order: one, the two ends of a segment, or a polygon."""
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
    """Positive if the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _fill(points: Array, colour: str, ax: Any) -> None:
    """The hull of some points: a tinted polygon, or a segment."""
    corners = _hull(points)
    if len(corners) > 1:
        ax.fill(*corners.T, fc=f"{colour}26", ec=colour, lw=1.6, zorder=2, gid="hull")


def _coefficients(
    coefficients: tuple[Fraction, ...], points: Array, sides: Array, star: Array, ax: Any
) -> None:
    """Coefficients beside their points, on the side away from the star."""
    span = np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
    paper = {"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 1}
    for exact, point, side in zip(coefficients, points, sides, strict=True):
        away = (point - star) / span
        length = float(np.linalg.norm(away))
        # A point under the star has no such side: then the two classes part up and down.
        away = away / length if length > 0 else np.array([0.0, side])
        words = str(exact) if len(str(exact)) <= 7 else f"{float(exact):.3g}"
        style = {"ha": "center", "va": "center", "fontsize": 10, "color": INK, "bbox": paper}
        ax.annotate(words, point, 17 * away, textcoords="offset points", zorder=5, **style)
