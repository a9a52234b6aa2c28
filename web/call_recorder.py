"""Calls of compiled loops as JSON: their arguments before, what they returned, what they changed.

An array is written once, as its bytes in base64, and referred to by number.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from math import isfinite, isinf
from typing import Any

import numpy as np
from native.table import Loop

from rosenblatt.engine.execution import fast, record
from rosenblatt.theory import loops
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.greedy import greedy
from rosenblatt.theory.rules import RuleByAddress

Array = Any
WRITERS = (loops.online, greedy, loops.bounded)
"""Loops that write a journal."""
SPARE = 64  # entries that a journal has room for beside those written


class Recorder:
    """Calls loops and keeps what went in and came out; equal calls once."""

    def __init__(self) -> None:
        self.arrays: list[dict[str, Any]] = []
        self._numbers: dict[str, int] = {}
        self._seen: set[str] = set()
        self.calls: list[dict[str, Any]] = []

    def call(
        self, rule: Any, function: Callable[..., Any], *arguments: Any, plain: bool = False
    ) -> Any:
        """Call a loop with a rule by address, whose record is `rule`.

        `plain` is for loops that are part of the page only, and would have to be compiled here.
        """
        arguments = record.values(arguments)
        made: dict[str, Any] = {"loop": Loop(function, arguments, in_page=True).name}
        writes = function in WRITERS
        given = [
            {} if writes and isinstance(value, Updates) else self._plain(value, rule)
            for value in arguments
        ]
        before = {path: array.copy() for path, array in _arrays(arguments)}
        returned = (function if plain else fast(function))(*arguments)
        after = dict(_arrays(arguments))
        if writes:
            place = next(n for n, value in enumerate(arguments) if isinstance(value, Updates))
            given[place] = self._room(arguments[place], returned[1])
            for path in [path for path in after if path[0] == place]:
                after[path] = after[path][: returned[1]]
                before[path] = np.zeros(0)
        changed = {p: a for p, a in after.items() if a.tobytes() != before[p].tobytes()}
        # What is only written to, by a loop that writes no journal, was not initialised.
        read = [array for path, array in before.items() if writes or path not in changed]
        made |= {
            "arguments": given,
            "returned": _number(returned),
            "changed": [[*path, self.number(array)] for path, array in changed.items()],
            "exact": _whole([*read, *changed.values()], rule),
        }
        self._keep(made)
        return returned

    def number(self, array: Array) -> int:
        """Return the number of an array, which is kept."""
        text = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        entry = {"type": array.dtype.str, "shape": array.shape, "bytes": text}
        key = json.dumps(entry)
        if key not in self._numbers:
            self._numbers[key] = len(self.arrays)
            self.arrays.append(entry)
        return self._numbers[key]

    def taken(self) -> list[dict[str, Any]]:
        """Return the calls since the last time."""
        found, self.calls = self.calls, []
        return found

    def _keep(self, made: dict[str, Any]) -> None:
        key = json.dumps(made)
        if key not in self._seen:
            self._seen.add(key)
            self.calls.append(made)

    def _plain(self, value: Any, rule: Any) -> Any:
        if isinstance(value, np.ndarray):
            return {"array": self.number(value)}
        if isinstance(value, RuleByAddress):
            return {"rule": type(rule).__name__, "parameters": [_number(float(x)) for x in rule]}
        if isinstance(value, tuple):
            return {"record": [self._plain(part, rule) for part in value]}
        return _number(value)

    def _room(self, journal: Updates, used: int) -> dict[str, Any]:
        """Return an empty journal with room for the entries used, and some more."""
        columns = [np.zeros(used + SPARE, column.dtype) for column in journal]
        return {"record": [{"array": self.number(column)} for column in columns]}


def _arrays(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Yield the arrays in nested tuples, each with the places that lead to it."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple) and not isinstance(value, RuleByAddress):
        for place, part in enumerate(value):
            yield from _arrays(part, (*path, place))


def _number(value: Any) -> Any:
    """Return numbers as JSON has them; those that are not finite as JavaScript's text."""
    if isinstance(value, tuple):
        return [_number(part) for part in value]
    if not isinstance(value, float) or isfinite(value):
        return value
    return ("Infinity" if value > 0 else "-Infinity") if isinf(value) else "NaN"


def _whole(arrays: list[Array], rule: Any) -> bool:
    """Return whether all numbers are whole: then sums are exact, in whatever order."""
    numbers = [np.array([float(x) for x in rule]), *arrays]
    finite = [array[np.isfinite(array)] for array in numbers]
    return all(bool((np.trunc(array) == array).all()) for array in finite)
