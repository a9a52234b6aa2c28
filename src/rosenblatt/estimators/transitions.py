"""Which transitions between labels are allowed: an encoding of spans, or given pairs."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

import numpy as np

from rosenblatt.data.sequences import allowed_transitions
from rosenblatt.theory.spaces import Array


def constraints(given: Any, classes: Array) -> tuple[Array, Array]:
    """Return the transitions and the last labels that are allowed: 0, or -inf where not.

    The last row of the transitions is for the beginning.
    """
    labels = classes.tolist()
    if given is None:
        return np.zeros((len(labels) + 1, len(labels))), np.zeros(len(labels))
    if isinstance(given, str):
        follow, first, last = allowed_transitions([str(label) for label in labels], given)
    else:
        follow, first, last = _pairs(given, labels)
    return np.where(np.vstack([follow, first]), 0.0, -inf), np.where(last, 0.0, -inf)


def _pairs(given: Iterable[Any], labels: list[Any]) -> tuple[Array, Array, Array]:
    """Return what given pairs allow; ends are free unless pairs with None name them."""
    place = {label: number for number, label in enumerate([*labels, None])}
    table = np.zeros((len(place), len(place)), np.bool_)
    for pair in given:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(
                f"transitions has {pair!r}; it takes pairs (label before, label), with None for "
                "the beginning and the end."
            )
        for label in pair:
            if label not in place:
                raise ValueError(f"transitions names {label!r}, which is no label of the data.")
        table[place[pair[0]], place[pair[1]]] = True
    first, last = table[-1, :-1], table[:-1, -1]
    return table[:-1, :-1], first | (not first.any()), last | (not last.any())
