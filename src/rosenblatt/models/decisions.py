"""Decisions by scores: labels, leads over the best other class, margins.

Scores have a column for each class. With two classes there is one column, which is positive for
the second class.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.spaces import Array


class Margins(NamedTuple):
    """Margins of examples; a negative one belongs to a misclassified example."""

    each: Array
    least: float


def codes(y: Any, classes: Array) -> Array:
    """Return the number of each label in the sorted classes; reject unknown labels."""
    y = np.asarray(y)
    unknown = np.setdiff1d(y, classes)
    if len(unknown):
        raise ValueError(f"y has labels that are not classes of the fit: {unknown.tolist()}.")
    return np.searchsorted(classes, y)


def labels(scores: Array, classes: Array) -> Array:
    """Return the class with the highest score; of two, the second if it is above 0."""
    if scores.shape[1] == 1:
        return classes[(scores[:, 0] > 0).astype(int)]
    return classes[np.argmax(scores, axis=1)]


def leads(scores: Array, codes: Array) -> Array:
    """Return by how much the score of the own class exceeds the best other score.

    A single score counts as it is for codes above 0, and with the opposite sign for others.
    """
    if scores.shape[1] == 1:
        return np.where(codes > 0, 1.0, -1.0) * scores[:, 0]
    return own_scores(scores, codes) - rivals(scores, codes)[0]


def own_scores(scores: Array, codes: Array) -> Array:
    """Return the score of each example's own class."""
    return scores[np.arange(len(codes)), codes]


def rivals(scores: Array, codes: Array) -> tuple[Array, Array]:
    """Return the best score of another class for each example, and that class."""
    each, rest = np.arange(len(codes)), scores.copy()
    rest[each, codes] = -np.inf
    best = rest.argmax(axis=1)
    return rest[each, best], best


def margins(leads: Array, length: float) -> Margins:
    """Return leads divided by the length of the weights; zero weights have margins of 0."""
    each = leads / length if length > 0 else np.zeros(len(leads))
    return Margins(each, float(each.min()))
