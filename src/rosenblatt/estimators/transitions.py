"""Which transitions between labels are allowed: schemes of spans, or given pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

import numpy as np

from rosenblatt.theory.spaces import Array

Follows = Callable[[str | None, str | None], bool]


def _bio(before: str | None, label: str | None) -> bool:
    """Return whether a label may follow: only the inside of a span needs its beginning."""
    if label is None or _place(label) != "I":
        return True
    return before is not None and _place(before) in "BI" and _kind(before) == _kind(label)


def _bioes(before: str | None, label: str | None) -> bool:
    """Return whether a label may follow: a span that is begun goes on to its end."""
    begun = before is not None and _place(before) in "BI"
    goes_on = label is not None and _place(label) in "IE"
    if begun and goes_on:
        return _kind(str(before)) == _kind(str(label))
    return begun == goes_on


def _place(label: str) -> str:
    return label[:1]


def _kind(label: str) -> str:
    return label[2:]


SCHEMES: dict[str, tuple[Follows, str]] = {"BIO": (_bio, "BIO"), "BIOES": (_bioes, "BIOES")}
"""Whether one label may follow another, by scheme, and the letters with which labels begin."""


def constraints(given: Any, classes: Array) -> tuple[Array, Array]:
    """Return the transitions and the last labels that are allowed: 0, or -inf where not.

    The last row of the transitions is for the beginning.
    """
    labels = classes.tolist()
    if given is None:
        return np.zeros((len(labels) + 1, len(labels))), np.zeros(len(labels))
    follows = _scheme(given, labels) if isinstance(given, str) else _pairs(given, labels)
    table = [[follows(before, label) for label in (*labels, None)] for before in (*labels, None)]
    penalties = np.where(table, 0.0, -inf)
    return np.ascontiguousarray(penalties[:, :-1]), np.ascontiguousarray(penalties[:-1, -1])


def _scheme(name: str, labels: list[Any]) -> Follows:
    if name not in SCHEMES:
        raise ValueError(
            f"transitions={name!r} is not known; take one of {', '.join(SCHEMES)}, None, or a list "
            "of the pairs of labels that are allowed."
        )
    follows, letters = SCHEMES[name]
    for label in labels:
        text = str(label)
        if not (text == "O" or (text[:1] in letters.replace("O", "") and text[1:2] in ("-", ""))):
            raise ValueError(
                f"transitions={name!r} reads labels such as 'B-NP' and 'O'; {label!r} is neither."
            )
    return follows


def _pairs(given: Any, labels: list[Any]) -> Follows:
    """Return what allows only the given pairs; ends are free unless pairs with None name them."""
    pairs = _checked_pairs(given, {*labels, None})
    begins, ends = any(p[0] is None for p in pairs), any(p[1] is None for p in pairs)

    def follows(before: Any, label: Any) -> bool:
        free = (before is None and not begins) or (label is None and not ends)
        return free or (before, label) in pairs

    return follows


def _checked_pairs(given: Iterable[Any], known: set[Any]) -> set[tuple[Any, Any]]:
    pairs = set()
    for pair in given:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(
                f"transitions has {pair!r}; it takes pairs (label before, label), with None for "
                "the beginning and the end."
            )
        for label in pair:
            if label not in known:
                raise ValueError(f"transitions names {label!r}, which is no label of the data.")
        pairs.add((pair[0], pair[1]))
    return pairs
