"""Functions of a cell that templates use: affixes, case, shape, digits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

WordFunction = Callable[[str, int], str | None]
"""A function of a text and a length; None means that it yields no feature."""

SHAPE_RUN = 2
"""Longer runs of one kind of character look the same in a shape."""
_NUMBER = re.compile(r"[-+]?\d+(?:[.,:/]\d+)*%?")


class Entry(NamedTuple):
    """A function, whether it takes a length, and what it is for."""

    function: WordFunction
    takes_length: bool
    meaning: str


def _prefix(text: str, length: int) -> str | None:
    return text[:length] if len(text) >= length else None


def _suffix(text: str, length: int) -> str | None:
    return text[-length:] if len(text) >= length else None


def case(text: str, _: int = 0) -> str | None:
    """Return how a text is capitalised, None if no letter of it has a case.

    >>> [case(text) for text in ("the", "The", "THE", "iPad", "1990")]
    ['lower', 'capital', 'upper', 'mixed', None]
    """
    if text.islower():
        return "lower"
    if text.isupper():
        return "upper" if len(text) > 1 else "capital"
    if text[:1].isupper() and text[1:].islower():
        return "capital"
    return "mixed" if text.lower() != text.upper() else None


def shape(text: str, _: int = 0) -> str:
    """Return a text with X for capitals, x for other letters, 0 for digits; runs are cut.

    >>> [shape(text) for text in ("The", "McDonald", "1990-91", "U.S.")]
    ['Xxx', 'XxXxx', '00-00', 'X.X.']
    """
    kinds: list[str] = []
    for character in text:
        kind = _kind(character)
        if kinds[-SHAPE_RUN:] != [kind] * SHAPE_RUN:
            kinds.append(kind)
    return "".join(kinds)


def _kind(character: str) -> str:
    if character.isalpha():
        return "X" if character.isupper() else "x"
    return "0" if character.isdigit() else character


def digits(text: str, _: int = 0) -> str | None:
    """Return what part digits have in a text: all, number or some; None if it has none.

    >>> [digits(text) for text in ("1990", "-1,234.5%", "4th", "the")]
    ['all', 'number', 'some', None]
    """
    if text.isdigit():
        return "all"
    if _NUMBER.fullmatch(text):
        return "number"
    return "some" if any(character.isdigit() for character in text) else None


FUNCTIONS = {
    "x": Entry(lambda text, _: text, False, "the cell as it is"),
    "lower": Entry(lambda text, _: text.lower(), False, "in lower case"),
    "prefix": Entry(_prefix, True, "its first characters; nothing if it is shorter"),
    "suffix": Entry(_suffix, True, "its last characters; nothing if it is shorter"),
    "case": Entry(case, False, "lower, upper, capital or mixed"),
    "shape": Entry(shape, False, "X, x and 0 for capitals, letters and digits, runs cut to two"),
    "digits": Entry(digits, False, "all, number or some; nothing without digits"),
}
"""The functions by the names that templates give them."""
