"""Summaries of a fitted classifier, and the warning that training did not converge."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from math import floor, inf, isfinite
from typing import Any

import numpy as np

from rosenblatt.markup import Lines, bars, card, curves, paragraphs, printable, short
from rosenblatt.theory.rounding import at_least, at_most

STRONGEST = 3  # weights for a class, and as many against it
SHOWN_CLASSES = 5


def many(number: int, noun: str) -> str:
    """A number of things, in the singular if it is one."""
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{ending}"


def weights_length(estimator: Any) -> float:
    """Return the Euclidean length of all weights, that of the constant feature included."""
    constant = estimator.intercept_ / estimator.intercept_scaling
    weights = np.column_stack([estimator.coef_, constant])
    # Squares of tiny weights would vanish.
    largest = float(np.abs(weights).max())
    return largest * float(np.linalg.norm(weights / largest)) if largest else 0.0


def feature_names(estimator: Any) -> list[str]:
    """Return the names of the features, made up where the data had none."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        return [str(name) for name in names]
    return [f"x{j}" for j in range(estimator.n_features_in_)]


def top_features(
    estimator: Any, k: int, names: Sequence[str] | None = None
) -> dict[Any, dict[str, list[tuple[str, float]]]]:
    """Return the most positive and most negative weights of each class."""
    names = feature_names(estimator) if names is None else names
    classes = estimator.classes_[1:] if len(estimator.classes_) == 2 else estimator.classes_
    result = {}
    for label, row in zip(classes.tolist(), estimator.coef_, strict=True):
        order = np.argsort(row, kind="stable")
        up = [(names[j], float(row[j])) for j in order[::-1][:k] if row[j] > 0]
        down = [(names[j], float(row[j])) for j in order[:k] if row[j] < 0]
        result[label] = {"positive": up, "negative": down}
    return result


def _margin_sentence(estimator: Any) -> str:
    """What is proved of the best margin, and what follows; empty if nothing is."""
    lower, upper = estimator.margin_bracket_
    if not isfinite(upper):
        return ""
    seen = " on all examples seen so far" if _streamed(estimator) else ""
    if lower <= 0:
        sentence = f"no hypothesis has a margin above {at_most(upper)}{seen}"
    else:
        sentence = f"the best margin is between {at_least(lower)} and {at_most(upper)}"
    each = _each(estimator)
    if each:
        sentence += ", for the class that is hardest to separate from the rest"
    if estimator.outcome_.p != 2.0:
        return sentence + ", with weights measured in the dual norm, not the Euclidean one"
    ratio = estimator.radius_ * (1 + 1e-9) / lower if lower > 0 else inf
    if ratio < 1e150:  # else its square overflows
        updates = floor(ratio * ratio)
        per = " for each class" if each else ""
        sentence += (
            ", so the plain rule, started at zero, makes at most "
            f"{many(updates, 'update')}{per} in any order"
        )
    return sentence


def _each(estimator: Any) -> bool:
    """Whether each of several classes was learned against the rest."""
    return bool(estimator.outcome_.one_vs_rest)


def _streamed(estimator: Any) -> bool:
    """Whether the examples of the last call are not all that were learned from."""
    return bool(estimator.outcome_.streamed)


def _verdict(estimator: Any, seeks: bool) -> str:
    """Whether the training examples are separated, and how sure that is."""
    passes, left = estimator.n_iter_, int(estimator.pass_errors_[-1])
    made, count = (
        int(estimator.pass_mistakes_[-1]),
        f"{estimator.outcome_.examples:,} training examples",
    )
    sought = getattr(estimator, "gap_", inf)  # of an estimator that stops near an optimum
    near = f"within {at_most(max(sought, 1e-12), 1)} of the best" if sought < inf else ""
    if _streamed(estimator):
        after = f", {many(left, 'error')} on its examples after it" if left >= 0 else ""
        return f"pass {passes:,} of a stream: {many(made, 'mistake')}{after}"
    if estimator.converged_:
        end = f"{near} margin after" if near else "at its goal in" if seeks else "no update in"
        return (
            f"separated: {end} pass {passes} -> the last hypothesis classifies the {count} "
            "without error (proof)"
        )
    if sought <= getattr(estimator, "gap", 0.0):
        return (
            f"at its goal after {many(passes, 'pass')}, {near} soft margin objective; "
            f"{many(left, 'training error')} {'is' if left == 1 else 'are'} left"
        )
    if estimator.outcome_.separated:
        return (
            f"separated: after pass {passes} the last hypothesis classifies the {count} without "
            "error (proof); learning had not settled"
        )
    if left > 0:
        return (
            f"not separated in {many(passes, 'pass')}: {many(made, 'mistake')} in the last one, "
            f"{many(left, 'error')} after it"
        )
    after = ", no training error after it" if left == 0 else ""
    return (
        f"not proved to be separated after {many(passes, 'pass')}: {many(made, 'mistake')} in the "
        f"last one{after}"
    )


def _why_it_ended(estimator: Any) -> str:
    """Return why learning ended where nothing is proved; empty if that is clear."""
    if not estimator.outcome_.stalled:
        return ""
    each = " of any class" if _each(estimator) else ""
    return f"; it ended there since the passes{each} no longer got better, by the measure of tol"


def summary(estimator: Any, seeks: bool, names: Sequence[str] | None = None) -> Lines:
    """A few lines: the data, what is proved, the work, the strongest features.

    `seeks`: the rule may end near its goal, still updating.
    """
    lines = _sentences(estimator, seeks)
    if hasattr(estimator, "coef_"):
        lines += _strongest(estimator, names)
    else:
        lines.append(many(len(estimator.support_), "support vector"))
    return Lines("\n".join(textwrap.fill(line, 96, subsequent_indent="  ") for line in lines))


def html(estimator: Any, seeks: bool) -> str:
    """The same as a card, with the mistakes by pass and the strongest features as drawings."""
    title, *lines = _sentences(estimator, seeks)
    parts = [paragraphs("\n".join(lines))]
    parts.append(curves("by pass", {"mistakes": estimator.pass_mistakes_}))
    if hasattr(estimator, "coef_"):
        features = top_features(estimator, STRONGEST)
        for label, sides in list(features.items())[:SHOWN_CLASSES]:
            weights = sides["positive"] + sides["negative"][::-1]
            parts.append(bars(f"weights for {short(label)}", weights))
        if len(features) > SHOWN_CLASSES:
            parts.append(paragraphs(_further(estimator)))
    else:
        parts.append(paragraphs(many(len(estimator.support_), "support vector")))
    return card(title, *parts)


def _sentences(estimator: Any, seeks: bool) -> list[str]:
    """The data, what is proved, the work."""
    part = "in the last call, " if _streamed(estimator) else ""
    return [
        f"{type(estimator).__name__} · {part}{many(estimator.outcome_.examples, 'example')} x "
        f"{many(estimator.n_features_in_, 'feature')} · {len(estimator.classes_)} classes",
        _verdict(estimator, seeks) + _why_it_ended(estimator),
        "; ".join(
            filter(None, [many(estimator.n_updates_, "update"), _margin_sentence(estimator)])
        ),
    ]


def _strongest(estimator: Any, names: Sequence[str] | None) -> list[str]:
    """The three strongest weights of each class for and against it, of at most five classes."""
    lines = []
    for label, sides in top_features(estimator, STRONGEST, names).items():
        up = ", ".join(f"{n} {w:+.3g}" for n, w in sides["positive"]) or "none"
        down = ", ".join(f"{n} {w:+.3g}" for n, w in sides["negative"]) or "none"
        lines.append(printable(f"for {label}: {up} | against: {down}"))
        if len(lines) == SHOWN_CLASSES and len(estimator.coef_) > SHOWN_CLASSES + 1:
            lines.append(_further(estimator))
            break
    return lines


def _further(estimator: Any) -> str:
    return f"... and {len(estimator.coef_) - SHOWN_CLASSES} more classes: see top_features()"


def not_converged(estimator: Any, runs: Any, remedy: str) -> str:
    """Why the run ended without proof, and what to try."""
    updates = runs.updates
    if runs.settled and getattr(estimator, "budget", None) is not None:
        return (
            f"{type(estimator).__name__} came to rest after {many(updates, 'update')}: the "
            f"budget of {estimator.budget} examples is used up. Raise it, or take another "
            "budget_policy."
        )
    if runs.settled:
        left = int(runs.passes("errors")[-1])
        return (
            f"{type(estimator).__name__} came to rest after {many(updates, 'update')}, but the "
            f"examples are not proved to be separated: {many(left, 'training error')} "
            f"{'is' if left == 1 else 'are'} left. Scale the features, or ask for a margin."
        )
    # The same words for every fit of a search, which a filter can show once; `summary` has figures.
    return (
        f"{type(estimator).__name__} stopped at max_iter={estimator.max_iter} before learning had "
        f"settled. {remedy}"
    )
