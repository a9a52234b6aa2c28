"""Reading JSON that anybody may have written: sizes first, then types, nothing taken for granted.

Each function returns a value of the type that its name says, or raises a ValueError whose words
say what is wrong with the field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import isfinite
from pathlib import Path
from typing import Any

LIMIT = 256 << 20  # bytes of a file
LONGEST = 100_000  # characters of a fraction
DECIMALS = 4000  # digits of a decimal number; Python reads no more than 4,300
WORK = 5e11  # characters squared, of all fractions: reducing one takes the square of its length

_FRACTION = re.compile(r"-?(?:0|[1-9][0-9]*)/[1-9][0-9]*|-?0x[0-9a-f]+/0x[0-9a-f]+")


def document(path: str | Path) -> dict[str, Any]:
    """The object in a JSON file."""
    with open(path, "rb") as file:
        content = file.read(LIMIT + 1)
    if len(content) > LIMIT:
        raise ValueError(f"it has more than {LIMIT >> 20} MB.")
    try:
        found = json.loads(
            content.decode("utf-8"), object_pairs_hook=_different, parse_constant=_no_constant
        )
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON (line {error.lineno}: {error.msg}).") from None
    except RecursionError:
        raise ValueError("it is nested too deeply.") from None
    if not isinstance(found, dict):
        raise ValueError("it holds no object.")
    return found


def _different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice in one of its objects.")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"JSON has no {name}.")


def fields(
    given: Any, name: str, needed: Iterable[str], optional: Iterable[str] = ()
) -> dict[str, Any]:
    """An object with these fields and no others."""
    if not isinstance(given, dict):
        raise ValueError(f"{name} must be an object.")
    needed = set(needed)
    absent = sorted(needed - set(given))
    unknown = sorted(set(given) - needed - set(optional))
    if absent:
        raise ValueError(f"'{absent[0]}' is missing in {name}.")
    if unknown:
        raise ValueError(f"'{unknown[0][:40]}' is unknown in {name}.")
    return given


def text(given: Any, name: str, choices: Sequence[str] = ()) -> str:
    if not isinstance(given, str):
        raise ValueError(f"'{name}' must be a string.")
    if choices and given not in choices:
        raise ValueError(f"'{name}' must be one of {', '.join(choices)}.")
    return given


def whole(given: Any, name: str) -> int:
    """A whole number of 64 bits, not negative; true and false are none."""
    if type(given) is not int or not 0 <= given < 2**63:
        raise ValueError(f"'{name}' must be a whole number, 0 or more.")
    return given


def real(given: Any, name: str) -> float:
    """A finite float, written as one."""
    if type(given) is not float or not isfinite(given):
        raise ValueError(f"'{name}' must be a finite number with a decimal point.")
    return given


def decimal(given: Any, name: str) -> float:
    """A float in a string, as Python writes it: it may be infinite."""
    try:
        if isinstance(given, str) and len(given) < 30 and repr(float(given)) == given:
            return float(given)
    except ValueError:
        pass
    raise ValueError(f"'{name}' must hold floats in strings, as Python writes them.")


def listed(given: Any, name: str, each: Callable[[Any, str], Any]) -> list[Any]:
    """A list, each of its members read alike."""
    if not isinstance(given, list):
        raise ValueError(f"'{name}' must be a list.")
    return [each(one, name) for one in given]


def written(number: Any) -> str:
    """Write a fraction in decimal, or in hexadecimal if it is too long for Python to read."""
    p, q = Fraction(number).as_integer_ratio()
    return f"{p}/{q}" if max(abs(p), q).bit_length() < 10_000 else f"{p:#x}/{q:#x}"


class Fractions:
    """A reader of fractions that refuses more work than a certificate is worth."""

    def __init__(self) -> None:
        self.work = 0.0

    def __call__(self, given: Any, name: str) -> Fraction:
        """A fraction in lowest terms, as `written` writes it."""
        if not isinstance(given, str):
            raise ValueError(f"'{name}' must hold fractions in strings.")
        self.work += float(len(given)) ** 2
        if len(given) > LONGEST or self.work > WORK:
            raise ValueError(f"the fractions in '{name}' are too long.")
        if "x" not in given and max(map(len, given.split("/"))) > DECIMALS:
            raise ValueError(
                f"'{name}' has a decimal number of more than {DECIMALS:,} digits; write it in "
                "hexadecimal."
            )
        if not _FRACTION.fullmatch(given):
            raise ValueError(f"'{name}' must hold fractions such as 1/4.")
        p, q = (int(part, 16 if "x" in given else 10) for part in given.split("/"))
        if q == 0 or written(found := Fraction(p, q)) != given:
            raise ValueError(f"'{name}' must hold fractions in lowest terms.")
        return found
