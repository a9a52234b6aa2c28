"""What a fitted classifier can say of itself, in words and numbers."""

from __future__ import annotations

import textwrap
import time
from math import inf, isfinite
from typing import Any

import numpy as np

from rosenblatt.spaces import Array


def margins(estimator: Any, scores: Array, y: Array) -> tuple[Array, float]:
    """Margin of each example, and the least of them."""
    scaling = estimator.intercept_scaling
    weights = np.column_stack([estimator.coef_, estimator.intercept_ / scaling])
    if len(estimator.classes_) == 2:
        lead = np.where(y == estimator.classes_[1], 1.0, -1.0) * scores[:, 0]
        length = np.linalg.norm(weights[0])
    else:
        own = np.searchsorted(estimator.classes_, y)
        each = np.arange(len(y))
        lead = scores[each, own]
        rest = scores.copy()
        rest[each, own] = -inf
        lead = lead - rest.max(axis=1)
        length = np.linalg.norm(weights)
    distance = lead / length if length > 0 else np.zeros(len(y))
    return distance, float(distance.min())


def feature_names(estimator: Any) -> list[str]:
    """Names of the features, made up where the data had none."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = getattr(estimator, "_names", None)  # given by the recipe that made the features
    if names is not None:
        return [str(name) for name in names]
    return [f"x{j}" for j in range(estimator.n_features_in_)]


def top_features(estimator: Any, k: int) -> dict[Any, dict[str, list[tuple[str, float]]]]:
    """Most positive and most negative weights of each class."""
    names = feature_names(estimator)
    classes = estimator.classes_[1:] if len(estimator.classes_) == 2 else estimator.classes_
    result = {}
    for label, row in zip(classes.tolist(), estimator.coef_, strict=True):
        order = np.argsort(row, kind="stable")
        up = [(names[j], float(row[j])) for j in order[::-1][:k] if row[j] > 0]
        down = [(names[j], float(row[j])) for j in order[:k] if row[j] < 0]
        result[label] = {"positive": up, "negative": down}
    return result


def _margin_words(estimator: Any) -> str:
    lower, upper = estimator.margin_bracket_
    if getattr(estimator, "p", 2.0) != 2.0:
        words = f"between {lower:.4g} and" if lower > 0 else "at most"
        return f"the best margin is {words} {upper:.4g}, weights measured in the dual of the p-norm"
    if lower > 0:
        bound = (estimator.radius_ / lower) ** 2
        return (
            f"the best margin is between {lower:.4g} and {upper:.4g}, so no order of the examples "
            f"can cost the plain rule more than {bound:,.0f} updates"
        )
    return f"no hypothesis has a margin above {upper:.4g}"


def summary(estimator: Any) -> str:
    """A few lines: the data, what is proved, the work, the strongest features."""
    name = type(estimator).__name__
    lines = [
        f"{name} · {estimator._examples:,} examples x {estimator.n_features_in_:,} features"
        f" · {len(estimator.classes_)} classes"
    ]
    passes, left = estimator.n_iter_, int(estimator.pass_errors_[-1])
    sought = getattr(estimator, "gap_", inf)  # of an estimator that stops near an optimum
    if estimator.converged_:
        end = f"within {sought:.1g} of the best margin after" if sought < inf else "no update in"
        lines.append(
            f"separated: {end} pass {passes} -> the last hypothesis classifies the "
            f"{estimator._examples:,} training examples without error (proof)"
        )
    elif sought <= getattr(estimator, "gap", 0.0):
        lines.append(
            f"at its goal after {passes} passes, within {sought:.1g} of the best soft margin; "
            f"{left:,} training errors are left"
        )
    elif left == 0:
        lines.append(
            f"separated: after pass {passes} the last hypothesis makes no training error, but the "
            "rule asks for more and was still updating"
        )
    else:
        made = int(estimator.pass_mistakes_[-1])
        after = f", {left:,} errors after it" if left >= 0 else ""
        lines.append(f"not separated in {passes} passes: {made:,} mistakes in the last one{after}")
    lines.append(f"{estimator.n_updates_:,} updates; {_margin_words(estimator)}")
    if not hasattr(estimator, "coef_"):
        lines.append(f"{len(estimator.support_):,} support vectors")
        return "\n".join(textwrap.fill(line, 96, subsequent_indent="  ") for line in lines)
    for label, sides in top_features(estimator, 3).items():
        up = ", ".join(f"{n} {w:+.3g}" for n, w in sides["positive"]) or "none"
        down = ", ".join(f"{n} {w:+.3g}" for n, w in sides["negative"]) or "none"
        lines.append(f"for {label}: {up} | against: {down}")
        if len(lines) == 8 and len(estimator.coef_) > 6:
            lines.append(f"... and {len(estimator.coef_) - 5} more classes: see top_features()")
            break
    return "\n".join(textwrap.fill(line, 96, subsequent_indent="  ") for line in lines)


def not_converged(estimator: Any, task: Any) -> str:
    """Why the run ended without proof, and what to try."""
    upper = min(run.bracket[1] for run in task.runs)
    if task.settled and getattr(estimator, "budget", None) is not None:
        return (
            f"{type(estimator).__name__} came to rest after {task.runs[0].n.k:,} updates: the "
            f"budget of {estimator.budget} examples is used up. Raise it, or take another "
            "budget_policy."
        )
    if task.settled:
        return (
            f"{type(estimator).__name__} came to rest after {task.runs[0].n.k:,} updates with "
            "examples on the boundary, or so near that rounding decides: the rule asks for no "
            "more, but nothing is proved. Scale the features, or ask for a margin."
        )
    made = int(task.passes("mistakes")[-1])
    known = f" If the data can be separated, then by a margin of at most {upper:.3g}."
    return (
        f"{type(estimator).__name__} stopped at max_iter={estimator.max_iter} without a pass free "
        f"of updates; the last pass made {made:,} mistakes.{known if isfinite(upper) else ''} "
        f"{estimator._remedy}"
    )


class Narrator:
    """Prints where learning stands, at most about once a second."""

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        self.began = self.spoke = time.perf_counter()

    def tell_part(self, task: Any, part: float) -> None:
        """A pass that takes long has come so far."""
        now = time.perf_counter()
        if not self.verbose or part >= 1 or now - self.spoke < 1:
            return
        self.spoke = now
        run = task.runs[0]
        updates = sum(run.n.k for run in task.runs)
        visits = sum(run.n.t for run in task.runs)
        pace = visits / max(now - self.began, 1e-9)
        print(
            f"pass {len(run.passes) + 1}, {part:.0%} of it · {updates:,} updates so far · "
            f"{pace:,.0f} examples/s",
            flush=True,
        )

    def tell(self, number: int, task: Any, score: float | None) -> None:
        """One pass is over."""
        now = time.perf_counter()
        if not self.verbose or (self.verbose == 1 and not task.converged and now - self.spoke < 1):
            return
        self.spoke = now
        mistakes = int(task.passes("mistakes")[-1])
        errors = int(task.passes("errors")[-1])
        visits = sum(run.n.t for run in task.runs)
        parts = [f"pass {number}", f"{mistakes:,} mistakes while learning"]
        if errors >= 0:
            parts.append(f"{errors:,} errors after it")
        if score is not None:
            parts.append(f"held-out accuracy {score:.4f}")
        parts.append(f"{visits / max(now - self.began, 1e-9):,.0f} examples/s")
        print(" · ".join(parts), flush=True)
