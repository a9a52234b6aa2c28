"""Strict reading of untrusted JSON: first its size, then its types.

Each function returns a value of the type in its name, or raises a ValueError that names the field
and states what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

from rosenblatt.storage.json_values import parse_strictly

MAX_BYTES = 256 << 20  # of a file
MAX_PART = 16 << 20  # bytes of it that are read at a time, and that memory is taken for
MAX_CHARACTERS = 100_000  # of a fraction
MAX_DECIMAL_DIGITS = 4000  # Python reads at most 4,300
# Sum over all fractions of the squared number of characters: reducing a fraction takes time
# quadratic in its length.
MAX_WORK = 5e11

_FRACTION = re.compile(r"-?(?:0|[1-9][0-9]*)/[1-9][0-9]*|-?0x[0-9a-f]+/0x[0-9a-f]+")


def read_object(path: str | Path) -> dict[str, Any]:
    """Return the object in a JSON file."""
    content = b""
    with open(path, "rb") as file:
        while len(content) <= MAX_BYTES and (part := file.read(MAX_PART)):  # never all at once
            content += part
    if len(content) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 20} MB.")
    try:
        found = parse_strictly(content)
    except ValueError as error:
        raise ValueError(f"{error}.") from None
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object.")
    return found


def fields(
    given: Any, name: str, required: Iterable[str], optional: Iterable[str] = ()
) -> dict[str, Any]:
    """Return an object that has these fields and no others."""
    if not isinstance(given, dict):
        raise ValueError(f"{name} must be an object.")
    required = set(required)
    missing = sorted(required - set(given))
    unknown = sorted(set(given) - required - set(optional))
    if missing:
        raise ValueError(f"'{missing[0]}' is missing in {name}.")
    if unknown:
        raise ValueError(f"'{unknown[0][:40]}' is unknown in {name}.")
    return given


def string(given: Any, name: str, choices: Sequence[str] = ()) -> str:
    """Return a string, one of the choices if there are any."""
    if not isinstance(given, str):
        raise ValueError(f"'{name}' must be a string.")
    if choices and given not in choices:
        raise ValueError(f"'{name}' must be one of {', '.join(choices)}.")
    return given


def index(given: Any, name: str) -> int:
    """Return a non-negative integer of 64 bits; true and false are not integers here."""
    if type(given) is not int or not 0 <= given < 2**63:
        raise ValueError(f"'{name}' must be a non-negative integer of at most 63 bits.")
    return given


def finite_float(given: Any, name: str) -> float:
    """Return a finite float that is written with a decimal point or an exponent."""
    if type(given) is not float or not isfinite(given):
        raise ValueError(f"'{name}' must be a finite number with a decimal point or an exponent.")
    return given


def float_string(given: Any, name: str) -> float:
    """Return the float in a string, written as `repr` does; it may be infinite."""
    try:
        if isinstance(given, str) and len(given) < 30 and repr(float(given)) == given:
            return float(given)
    except ValueError:
        pass
    raise ValueError(f"'{name}' must hold floats as strings, written as Python prints them.")


def list_of(read: Callable[[Any, str], Any], given: Any, name: str) -> list[Any]:
    """Return a list whose items are all read by the same function."""
    if not isinstance(given, list):
        raise ValueError(f"'{name}' must be a list.")
    return [read(item, name) for item in given]


def format_fraction(number: Any) -> str:
    """Write a fraction in decimal, or in hexadecimal if Python could not read it back."""
    p, q = Fraction(number).as_integer_ratio()
    return f"{p}/{q}" if max(abs(p), q).bit_length() < 10_000 else f"{p:#x}/{q:#x}"


class FractionReader:
    """A reader of fractions that limits the time spent on all of them together."""

    def __init__(self) -> None:
        self.work = 0.0

    def __call__(self, given: Any, name: str) -> Fraction:
        """Return a fraction in lowest terms, as `format_fraction` writes it."""
        if not isinstance(given, str):
            raise ValueError(f"'{name}' must hold fractions as strings.")
        self.work += float(len(given)) ** 2
        if len(given) > MAX_CHARACTERS or self.work > MAX_WORK:
            raise ValueError(f"the fractions in '{name}' are too long.")
        if "x" not in given and max(map(len, given.split("/"))) > MAX_DECIMAL_DIGITS:
            raise ValueError(
                f"'{name}' has a decimal number of more than {MAX_DECIMAL_DIGITS:,} digits; write "
                "it in hexadecimal."
            )
        if not _FRACTION.fullmatch(given):
            raise ValueError(f"'{name}' must hold fractions such as 1/4.")
        p, q = (int(part, 16 if "x" in given else 10) for part in given.split("/"))
        if q == 0 or format_fraction(found := Fraction(p, q)) != given:
            raise ValueError(f"'{name}' must hold fractions in lowest terms.")
        return found
