"""What all pictures share: colours and shapes, the axes and their dress, the examples shown."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from rosenblatt.models import decisions
from rosenblatt.theory.spaces import Array

# Apart for the colour-blind, and never without a shape. Of two classes the first is negative.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#666666")
SHAPES = ("^", "o", "s", "D", "v", "P", "X", "*")
NEGATIVE, POSITIVE, INK, GREY = COLOURS[0], COLOURS[1], "#333333", "#888888"


def looks(number: int) -> tuple[str, str]:
    """Colour and shape of a class; shapes shift when the colours come round again."""
    return COLOURS[number % 8], SHAPES[(number + number // 8) % 8]


def axes(ax: Any, height: float = 4.2) -> Any:
    """The axes given, or those of a new figure."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(5.6, height), layout="constrained")[1] if ax is None else ax


def title(clf: Any, words: str) -> str:
    """A title that names the classifier."""
    return f"{type(clf).__name__}: {words}"


def dressed(ax: Any, title: str, right: str, up: str, note: str = "") -> Any:
    """Thin axes, a title with a note below it, and the legend where it hides no data."""
    rows = -(-len(ax.get_legend_handles_labels()[0]) // 4)
    above = 8 + 15 * rows  # points between the picture and what stands over the legend
    if note:
        # A letter of this size is about 4.5 points wide; a narrow picture still gets some words.
        width = ax.get_window_extent().width * 72 / ax.figure.dpi
        lines = textwrap.wrap(note.replace(" %", "\N{NO-BREAK SPACE}%"), max(24, int(width / 4.5)))
        place = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
        style = {"fontsize": 9, "color": INK, "gid": "note", "annotation_clip": False}
        ax.annotate("\n".join(lines), (0, 1), (0, above), **place, **style)
        above += 4 + 13 * len(lines)
    style = {"loc": "left", "fontsize": 11, "weight": "bold", "color": INK, "pad": above}
    ax.set_title(title, **style)
    ax.set(xlabel=right, ylabel=up)
    ax.spines[["top", "right"]].set_visible(False)
    if rows:
        where = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 4, "borderaxespad": 0.4}
        gaps = {"borderpad": 0, "handlelength": 1.3, "handletextpad": 0.5, "columnspacing": 1.1}
        ax.legend(fontsize=9, frameon=False, **where, **gaps)
    return ax


def framed(points: Array, ax: Any, room: float = 0.08) -> Array:
    """Limits of the picture, a row for each axis; angles are true where the spans allow it.

    `room` is left on each side, in units of the span.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    if span.max() <= 2 * span.min():
        span[:] = span.max()
        ax.set_aspect("equal")
    view = ((low + high) / 2)[:, None] + np.outer(span, [-0.5 - room, 0.5 + room])
    ax.set(xlim=view[0], ylim=view[1])
    return view


def examples(clf: Any, X: Any, y: Any) -> tuple[Any, Array]:
    """Examples and their labels, which the classifier must know."""
    X, y = clf.check_rows(X), np.asarray(y)
    check_consistent_length(X, y)
    strange = np.setdiff1d(y, clf.classes_)
    if len(strange):
        raise ValueError(f"y has labels that are not classes of the fit: {strange.tolist()}.")
    return X, y


def leads(scores: Array, own: int | Array) -> Array:
    """Lead of a class over its best rival; with one score, of the label 1 or -1 over the other."""
    if scores.shape[1] == 1:
        return own * scores[:, 0]
    return decisions.leads(scores, np.broadcast_to(own, len(scores)))
