"""What scores decide: labels, leads over the best other class."""

from __future__ import annotations

import numpy as np

from rosenblatt.theory.spaces import Array


def leads(scores: Array, codes: Array) -> Array:
    """Return how far the own class's score is above the best other."""
    return scores[np.arange(len(codes)), codes] - rivals(scores, codes)[0]


def rivals(scores: Array, codes: Array) -> tuple[Array, Array]:
    """Return the best score of another class for each example, and that class."""
    each, rest = np.arange(len(codes)), scores.copy()
    rest[each, codes] = -np.inf
    best = rest.argmax(axis=1)
    return rest[each, best], best


def labels(scores: Array, classes: Array) -> Array:
    """Return the second of two classes where the score is above 0, of more the best."""
    if len(classes) == 2:
        return classes[(scores[:, 0] > 0).astype(int)]
    return classes[np.argmax(scores, axis=1)]
