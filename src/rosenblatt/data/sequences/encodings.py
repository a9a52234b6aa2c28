"""Encodings of spans as labels of tokens, such as BIO, and which label may follow which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError, excerpt

Array = npt.NDArray[Any]

OUTSIDE = "O"


class Encoding(NamedTuple):
    """Letters of an encoding, and pairs of neighbouring letters that it allows.

    `same` are pairs within one type, `other` pairs of two types; O has no type. A sentence begins
    with a letter that may follow O, and ends with one that O may follow.
    """

    letters: str
    same: frozenset[str]
    other: frozenset[str]


def _pairs(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENCODINGS = {
    "BIO": Encoding("BIO", _pairs("OO OB BO BI BB IO II IB"), _pairs("OO OB BO BB IO IB")),
    "IOB1": Encoding("BIO", _pairs("OO OI IO II IB BO BI BB"), _pairs("OO OI IO II BO BI")),
    "IOE1": Encoding("IEO", _pairs("OO OI OE IO II IE EI EE"), _pairs("OO OI OE IO II IE")),
    "IOE2": Encoding("IEO", _pairs("OO OI OE IE II EO EI EE"), _pairs("OO OI OE EO EI EE")),
    "BIOES": Encoding(
        "BIOES",
        _pairs("OO OB OS BI BE II IE EO EB ES SO SB SS"),
        _pairs("OO OB OS EO EB ES SO SB SS"),
    ),
    "BILOU": Encoding(
        "BILOU",
        _pairs("OO OB OU BI BL II IL LO LB LU UO UB UU"),
        _pairs("OO OB OU LO LB LU UO UB UU"),
    ),
}
"""The encodings by name; BIO is also called IOB2, and BIOES IOBES."""
ALIASES = {"IOB2": "BIO", "IOBES": "BIOES"}
"""Other names of encodings."""


class Transitions(NamedTuple):
    """Which labels may follow which (row, then column), begin a sentence and end one."""

    follow: Array
    first: Array
    last: Array


def encoding(name: str) -> Encoding:
    """Return an encoding by its name."""
    found = ENCODINGS.get(ALIASES.get(name, name))
    if found is None:
        raise ValueError(f"the encoding {name!r} is unknown; there are {', '.join(ENCODINGS)}.")
    return found


def split_label(label: str) -> tuple[str, str]:
    """Return the letter of a label and its type.

    >>> split_label("B-NP"), split_label("I"), split_label("O")
    (('B', 'NP'), ('I', ''), ('O', ''))
    """
    letter, _, kind = label.partition("-")
    return letter, kind


def allowed_transitions(labels: Sequence[str], name: str) -> Transitions:
    """Return which of these labels may follow which in an encoding, and begin and end a sentence.

    Example
    -------
    >>> follow, first, last = allowed_transitions(["B-A", "I-A", "I-B", "O"], "BIO")
    >>> follow.astype(int).tolist()
    [[1, 1, 0, 1], [1, 1, 0, 1], [1, 0, 1, 1], [1, 0, 0, 1]]
    >>> first.tolist(), last.tolist()
    ([True, False, False, True], [True, True, True, True])
    """
    found = encoding(name)
    parts = [split_label(label) for label in labels]
    for label, (letter, kind) in zip(labels, parts, strict=True):
        if letter not in found.letters or not letter or (letter == OUTSIDE and kind):
            raise DataError(
                f"the label '{excerpt(label)}' is not of the encoding {name}: its labels are "
                f"{', '.join(found.letters.replace(OUTSIDE, ''))} with a type, as in "
                f"{found.letters[0]}-X, and O."
            )
    follow = np.array([[_may_follow(found, a, b) for b in parts] for a in parts], np.bool_)
    outside = (OUTSIDE, "")
    first = np.array([_may_follow(found, outside, part) for part in parts], np.bool_)
    last = np.array([_may_follow(found, part, outside) for part in parts], np.bool_)
    return Transitions(follow.reshape(len(parts), len(parts)), first, last)


def _may_follow(found: Encoding, before: tuple[str, str], after: tuple[str, str]) -> bool:
    """Return whether a label may follow another; O counts as of any type."""
    same = before[1] == after[1] or OUTSIDE in (before[0], after[0])
    return before[0] + after[0] in (found.same if same else found.other)
