"""Plots of several classifiers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.evaluation.comparison import POOR
from rosenblatt.plot import canvas
from rosenblatt.plot.canvas import INK, NEGATIVE, POSITIVE
from rosenblatt.theory.spaces import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.evaluation.leaderboard import Leaderboard


def leaderboard(board: Leaderboard, ax: Axes | None = None) -> Axes:
    """Plot the held-out error of each member, best first, with its spread over folds.

    The axis ends where the better half does; the errors of members beyond it are written there.
    The line is the error of always predicting the most frequent class; members that are no better
    are marked with a cross. Hollow dots are training errors. `board` is the result of
    `rosenblatt.compare`.
    """
    rows = [row for row in board.rows if not row.failed]
    if not rows:
        raise ValueError("no member could be fitted; there is nothing to draw.")
    plot = canvas.axes(ax, height=max(2.8, 1.4 + 0.24 * len(rows)))
    places, errors = np.arange(len(rows)), np.array([row.error for row in rows])
    spread = np.nan_to_num([row.spread for row in rows])
    right = _right_end(errors, spread)
    near = errors <= right
    bars = {"color": POSITIVE, "elinewidth": 1.6, "fmt": "o", "ms": 5, "label": "held out"}
    room = [np.minimum(spread, errors)[near], spread[near]]
    plot.errorbar(errors[near], places[near], xerr=room, **bars)
    for place in places[~near]:
        beyond = {"ha": "right", "va": "center", "fontsize": 8, "color": POSITIVE, "gid": "beyond"}
        plot.text(0.99 * right, place, f"{100 * errors[place]:.1f} % →", **beyond)
    training = np.array([row.train_error for row in rows])
    hollow = {"s": 28, "facecolors": "none", "edgecolors": INK, "lw": 1.0, "label": "training"}
    shown = training <= right
    plot.scatter(training[shown], places[shown], **hollow)
    poor = np.flatnonzero([POOR in row.note for row in rows])
    if len(poor):
        style = {"marker": "x", "s": 70, "color": NEGATIVE, "zorder": 3, "gid": "poor"}
        at = np.minimum(errors[poor], 0.8 * right)
        plot.scatter(at, poor, label="no better than chance", **style)
    if board.chance <= right:
        plot.axvline(board.chance, color=NEGATIVE, lw=1.2, ls="--", label="most frequent class")
    plot.set_yticks(places, [row.name for row in rows])
    plot.invert_yaxis()
    plot.set_xlim(0, right)
    plot.xaxis.set_major_formatter(lambda error, _: f"{100 * error:g} %")
    failed = [row.name for row in board.rows if row.failed]
    note = f"No result: {', '.join(failed)}." if failed else ""
    label = "error, ± standard deviation over folds"
    return canvas.finish(plot, _title(board, len(rows)), label, "", note)


def _right_end(errors: Array, spread: Array) -> float:
    """Return where the axis ends: beyond the better half, to keep contenders distinct."""
    better = max(1, (len(errors) + 1) // 2)
    ends = errors + spread
    whole = float(ends.max())
    zoomed = 1.5 * float(ends[:better].max())
    return 1.05 * (zoomed if 0 < zoomed < whole / 1.5 else whole) or 1.0


def _title(board: Leaderboard, count: int) -> str:
    """Return who is best, as far as the folds tell."""
    rivals = len(board.contenders) - 1
    if count == 1:
        return f"{board.rows[0].name} on {board.folds} folds"
    if rivals <= 0:
        return f"{board.rows[0].name} is best of {count} on {board.folds} folds"
    others = f"{rivals} others are" if rivals > 1 else "another is"
    return f"{board.rows[0].name} is first of {count}; {others} as good on {board.folds} folds"
