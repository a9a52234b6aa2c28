"""What all plots share: colours and markers, axes with title and legend, examples."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from rosenblatt.data.extras import extra
from rosenblatt.models import codes
from rosenblatt.theory.spaces import Array

# Distinguishable for the colour-blind, and always used with a marker. The first of two classes is
# the negative one.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#666666")
SHAPES = ("^", "o", "s", "D", "v", "P", "X", "*")
NEGATIVE, POSITIVE, INK, GREY = COLOURS[0], COLOURS[1], "#333333", "#888888"


def class_style(number: int) -> tuple[str, str]:
    """Return the colour and marker of a class; no two of the first 64 are the same."""
    return COLOURS[number % 8], SHAPES[(number + number // 8) % 8]


def axes(ax: Any, height: float = 4.2) -> Any:
    """Return the given axes, or those of a new figure."""
    with extra("plot", "a plot"):
        import matplotlib.pyplot as plt
    return plt.subplots(figsize=(5.6, height), layout="constrained")[1] if ax is None else ax


def title(clf: Any, text: str) -> str:
    """Return a title that begins with the name of the classifier."""
    return f"{type(clf).__name__}: {text}"


def finish(ax: Any, title: str, xlabel: str, ylabel: str, note: str = "") -> Any:
    """Add title, note and labels, and a legend above the axes where it hides no data."""
    rows = -(-len(ax.get_legend_handles_labels()[0]) // 4)
    above = 8 + 15 * rows  # points between the axes and the text above the legend
    if note:
        # A letter of this size is about 4.5 points wide; narrow axes still get lines of 24.
        width = ax.get_window_extent().width * 72 / ax.figure.dpi
        lines = textwrap.wrap(note.replace(" %", "\N{NO-BREAK SPACE}%"), max(24, int(width / 4.5)))
        place = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "bottom"}
        style = {"fontsize": 9, "color": INK, "gid": "note", "annotation_clip": False}
        ax.annotate("\n".join(lines), (0, 1), (0, above), **place, **style)
        above += 4 + 13 * len(lines)
    style = {"loc": "left", "fontsize": 11, "weight": "bold", "color": INK, "pad": above}
    ax.set_title(title, **style)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.spines[["top", "right"]].set_visible(False)
    if rows:
        where = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 4, "borderaxespad": 0.4}
        gaps = {"borderpad": 0, "handlelength": 1.3, "handletextpad": 0.5, "columnspacing": 1.1}
        ax.legend(fontsize=9, frameon=False, **where, **gaps)
    return ax


def set_view(points: Array, ax: Any, room: float = 0.08) -> Array:
    """Set and return limits that show all points, one row per axis.

    Both axes have the same scale if the spans are similar. `room` is left on each side, in units
    of the span.
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
    """Return checked examples and labels; all labels must be classes of the fit."""
    X, y = clf.check_rows(X), np.asarray(y)
    check_consistent_length(X, y)
    codes(y, clf.classes_)  # rejects unknown labels
    return X, y
