"""Plots of several classifiers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.plot import canvas
from rosenblatt.plot.canvas import INK, NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.evaluation.leaderboard import Leaderboard


def leaderboard(board: Leaderboard, ax: Axes | None = None) -> Axes:
    """Plot the held-out error of each member, best first, with its spread over folds.

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
    bars = {"color": POSITIVE, "elinewidth": 1.6, "fmt": "o", "ms": 5, "label": "held out"}
    plot.errorbar(errors, places, xerr=[np.minimum(spread, errors), spread], **bars)
    hollow = {"s": 28, "facecolors": "none", "edgecolors": INK, "lw": 1.0, "label": "training"}
    plot.scatter([row.train_error for row in rows], places, **hollow)
    poor = np.flatnonzero([bool(row.note) for row in rows])
    if len(poor):
        style = {"marker": "x", "s": 70, "color": NEGATIVE, "zorder": 3, "gid": "poor"}
        plot.scatter(errors[poor], poor, label="no better than chance", **style)
    plot.axvline(board.chance, color=NEGATIVE, lw=1.2, ls="--", label="most frequent class")
    plot.set_yticks(places, [row.name for row in rows])
    plot.invert_yaxis()
    plot.set_xlim(0, None)
    plot.xaxis.set_major_formatter(lambda error, _: f"{100 * error:g} %")
    failed = [row.name for row in board.rows if row.failed]
    note = f"Failed: {', '.join(failed)}." if failed else ""
    title = f"{rows[0].name} is best of {len(rows)} on {board.folds} folds"
    return canvas.finish(plot, title, "error, ± standard deviation over folds", "", note)
