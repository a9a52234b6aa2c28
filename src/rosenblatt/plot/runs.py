"""Plots of a training: mistakes, margin bracket, held-out errors."""

from __future__ import annotations

from itertools import islice
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.engine import inputs
from rosenblatt.models import Linear, leads
from rosenblatt.plot import canvas
from rosenblatt.plot.canvas import GREY, INK, NEGATIVE, POSITIVE
from rosenblatt.theory import rules
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.rounding import at_least, at_most
from rosenblatt.theory.spaces import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rosenblatt.evaluation.held_out import Holdout

REPLAYED = 20_000
"""Maximum number of updates to replay."""
MOMENTS = 200
"""Number of hypotheses whose margin on all examples is computed."""
NOT_COUNTED = "Errors after a pass are drawn where they were counted: fit with count_errors=True."


def mistakes(clf: Any, ax: Axes | None = None) -> Axes:
    """Plot the mistakes made in each pass, and the training errors after it if counted."""
    check_is_fitted(clf, "classes_")
    plot, made, left = canvas.axes(ax), clf.pass_mistakes_, clf.pass_errors_
    edges = np.arange(len(left) + 1) + 0.5
    plot.stairs(made, edges, fill=True, color=POSITIVE, alpha=0.4, label="made while learning")
    counted = np.flatnonzero(left >= 0)
    if len(counted):
        # A line over many passes would be a blur.
        style = {"ls": "-", "lw": 1.2, "ms": 4} if len(left) <= 60 else {"ls": "", "ms": 2}
        style |= {"color": NEGATIVE, "marker": "o", "label": "errors left after the pass"}
        plot.plot(counted + 1, left[counted], **style)
    plot.set(xlim=(edges[0], edges[-1]), ylim=(0, None))
    plot.locator_params(integer=True, nbins=6)
    note = "" if len(counted) == len(left) else NOT_COUNTED
    return canvas.finish(plot, canvas.title(clf, _end(clf)), "pass", "training examples", note)


def _end(clf: Any) -> str:
    """Return how a training ended, for a title."""
    if clf.converged_:
        return f"separated in pass {clf.n_iter_:,}"
    if clf.margin_bracket_[0] > 0:
        return "separated"
    return "not separated" if clf.pass_errors_[-1] > 0 else "not proved to be separated"


def criterion(clf: Any, ax: Axes | None = None) -> Axes:
    """Plot the perceptron criterion after each pass.

    The criterion is minus the sum of the margins of the wrong examples.
    """
    check_is_fitted(clf, "classes_")
    if not hasattr(clf, "criterion_"):
        raise ValueError(f"{type(clf).__name__} has no criterion; use BatchPerceptron.")
    plot, curve = canvas.axes(ax), clf.criterion_
    passes, positive = 1 + np.arange(len(curve)), curve[curve > 0]
    dots = {"marker": "o", "ms": 3} if len(curve) <= 60 else {}
    plot.plot(passes, curve, color=POSITIVE, lw=1.2, **dots)
    if len(positive) and positive.max() > 100 * positive.min():
        # The scale is linear below the least positive value, so that 0 can be shown.
        plot.set_yscale("symlog", linthresh=positive.min())
    plot.set(xlim=(0.5, len(curve) + 0.5), ylim=(0, None))
    plot.xaxis.get_major_locator().set_params(integer=True)
    return canvas.finish(plot, canvas.title(clf, _end(clf)), "pass", "criterion J")


def bracket(clf: Any, X: Any, y: Any, ax: Axes | None = None) -> Axes:
    """Plot how the bounds on the best margin converge, replayed from the journal.

    After each update, |w| over the sum Σa of the steps is an upper bound on the best margin; the
    margin of a hypothesis that separates the data is a lower bound. The plot shows the best bounds
    so far; the lower one is computed at some updates, if the training ended with one. X and y are
    those of fit or of the last partial_fit.
    """
    check_is_fitted(clf, "classes_")
    X, y = canvas.examples(clf, X, y)
    journal = _journal(clf, y)
    k, upper, lower = _bounds(clf, journal, X)
    plot, low = canvas.axes(ax), lower > 0
    bottom, top = lower[low].min(initial=upper.min()), upper.max()
    # Curves may be flat or a single point, which needs some room as well.
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
    lower, upper = clf.margin_bracket_
    text = f"best margin at most {at_most(upper, 3)}"
    if lower > 0:
        text = f"best margin {at_least(lower, 3)} to {at_most(upper, 3)}"
    total = int(journal.counters["k"] - journal.started["k"])
    part = "" if len(k) == total else f" (first {len(k):,} of {total:,} replayed)"
    title = canvas.title(clf, text)
    return canvas.finish(plot, title, f"updates{part}", "margin")


def holdout(result: Holdout, ax: Axes | None = None) -> Axes:
    """Plot the training error and the held-out error after each pass.

    The band is two standard errors of the held-out error on either side; the ring marks its best
    pass. `result` is the result of `rosenblatt.holdout`.
    """
    passes = 1 + np.arange(len(result.test_error))
    plot, test, room = canvas.axes(ax), result.test_error, 2 * result.standard_error
    low, high = np.maximum(test - room, 0), np.minimum(test + room, 1)
    plot.fill_between(passes, low, high, color=NEGATIVE, alpha=0.15, lw=0, gid="band")
    dots = {"marker": "o", "ms": 3} if len(passes) <= 60 else {}
    plot.plot(passes, result.train_error, color=POSITIVE, lw=1.2, label="training", **dots)
    plot.plot(passes, test, color=NEGATIVE, lw=1.2, label="held out", **dots)
    ring = {"s": 80, "facecolors": "none", "edgecolors": INK, "lw": 1.2, "gid": "best"}
    best = result.best_pass
    plot.scatter([best], [test[best - 1]], label=f"best pass ({best:,})", zorder=3, **ring)
    plot.set(xlim=(0.5, len(passes) + 0.5), ylim=(0, None))
    plot.xaxis.get_major_locator().set_params(integer=True)
    plot.yaxis.set_major_formatter(lambda error, _: f"{100 * error:g} %")
    wrong = round(test[-1] * result.n_test)
    title = canvas.title(
        result.estimator, f"{wrong:,} of {result.n_test:,} held-out examples wrong"
    )
    return canvas.finish(plot, title, "pass", "error", result.warning or "")


def _journal(clf: Any, y: Array) -> Journal:
    """Return the journal, if the bracket can be replayed on examples labelled y."""
    journal: Any = clf.journal_
    for obstacle, message in (
        (isinstance(journal, list), "one-vs-rest has a bracket per class; use 'native'."),
        (getattr(clf, "p", 2.0) != 2.0, "the bracket can be drawn for p=2 only."),
        (
            rules.prior_variance(clf.resolve_rule()) > 0,
            "a rule with variances has no bracket: its steps do not add up to the weights.",
        ),
        (not len(journal), "the journal holds no updates; there is nothing to replay."),
    ):
        if obstacle:
            raise ValueError(message)
    two = len(clf.classes_) == 2
    labels = inputs.signs(y, clf.classes_[1]) if two else inputs.codes(y, clf.classes_)
    if not np.array_equal(labels, journal.labels):
        raise ValueError("X and y are not the training examples in their original order.")
    return journal


def _bounds(clf: Any, journal: Journal, X: Any) -> tuple[Array, Array, Array]:
    """Return the updates, and the best upper and lower bound after each of them."""
    bias = float(clf.intercept_scaling) if clf.fit_intercept else 0.0
    number = min(len(np.unique(journal.updates.t)), REPLAYED)
    # Without a lower bound the examples may be only the last ones of a stream.
    size = MOMENTS if clf.margin_bracket_[0] > 0 else 0
    moments = set(np.geomspace(1, number, size).round())
    # Steps from a start other than zero give no bound, as in the training itself.
    proof = journal.config["from_zero"]
    most, least = min(clf.radius_, journal.started["upper"] if proof else inf), -inf
    replay, bounds = journal.replay(X), np.empty((2, number))
    for e, (W, total) in enumerate(islice(replay, number)):
        length = sqrt(float(np.vdot(W, W)))
        if proof and total > 0:
            most = min(most, length / total)
        if e + 1 in moments:
            scores = Linear(W[:, :-1], W[:, -1] * bias).scores(X)
            least = max(least, leads(scores, journal.labels).min() / (length or 1.0))
        bounds[:, e] = most, least
    return journal.started["k"] + 1 + np.arange(number), bounds[0], bounds[1]
