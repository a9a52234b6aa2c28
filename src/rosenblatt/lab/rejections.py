"""Why a request is rejected: one sentence that names the field and the remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SHOWN = 40  # characters of a name that a request made up

EMPTY = "the request has no body; send one JSON object."
NOT_JSON = "the request cannot be read as JSON; send one plain JSON object in UTF-8."
NOT_FINITE = "the numbers are too large or too small to compute with; scale them to about 1."
UNKNOWN = "the lab failed on this request, which is an error of the lab; please report both."

_TYPES = {
    "float": "a number",
    "finite_number": "a finite number",
    "int": "a whole number",
    "bool": "true or false",
    "string": "a text",
    "list": "a list",
    "dict": "an object",
    "model": "an object",
}
"""What a value must be, by how the type of the error begins."""


def sentence(error: Mapping[str, Any]) -> str:
    """Return an error of validation as one sentence."""
    where, kind, limits = place(error["loc"]), str(error["type"]), error.get("ctx", {})
    if is_parameter(error["loc"]):
        return f"{where} must be a number, a text, true, false or null."
    if kind == "value_error":  # of a validator of ours, which has written a sentence
        return f"{where}: {limits['error']}"
    if kind == "missing":
        return EMPTY if not path(error["loc"]) else f"{where} is missing; add it to the request."
    if kind == "extra_forbidden":
        return f"{where} is not a field of this request; leave it out."
    if kind in ("too_short", "too_long"):
        few = kind == "too_short"
        words, bound = ("few", "least") if few else ("many", "most")
        number = limits["min_length" if few else "max_length"]
        return f"{where} has too {words} entries; give at {bound} {number:,}."
    if kind == "string_too_long":
        return f"{where} has more than {limits['max_length']} characters; shorten it."
    for name, words in (("ge", "at least"), ("le", "at most")):
        if name in limits:
            return f"{where} must be {words} {limits[name]:,.10g}."
    for begins, words in _TYPES.items():
        if kind.startswith(begins):
            return f"{where} must be {words}."
    return f"{where} is not valid; /api/openapi.json describes what is."


def place(location: Sequence[Any]) -> str:
    """Return the name of a field: data.points[3][0]."""
    found = ""
    for part in path(location):
        if isinstance(part, int):
            found += f"[{part}]"
        else:
            found += ("." if found else "") + shown(part)
    return found or "the request"


def path(location: Sequence[Any]) -> list[Any]:
    """Return where a field is in a request, from the location of an error."""
    parts = list(location[1:])  # the first is "body"
    return parts[:2] if parts[:1] == ["parameters"] else parts


def is_parameter(location: Sequence[Any]) -> bool:
    """Return whether an error is about a parameter that may be of several types."""
    # A type with which the value was compared follows the name; of a bad name, the word "[key]".
    return location[1:2] == ("parameters",) and len(location) > 3 and location[3] != "[key]"


def shown(name: str) -> str:
    """Return a name as it may be shown: printable, and not too long."""
    safe = name if name.isprintable() else ascii(name)[1:-1]
    return safe if len(safe) <= SHOWN else f"{safe[:SHOWN]}..."


def not_served(status: int, method: str, allowed: str | None) -> str:
    """Return why there is no answer at an address."""
    if status == 404:
        return "there is nothing at this address; the page of the lab is at /."
    if status == 405:
        return f"{shown(method)} is not possible at this address; use {allowed or 'another'}."
    return NOT_JSON
