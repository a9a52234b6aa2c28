"""Journal files: the exchange format, checked field by field when it is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.storage.codec import (
    Array,
    Integer,
    Kind,
    array,
    finite,
    flag,
    indices,
    is_a,
    matrix,
    natural,
    number,
    text,
    vector,
    within,
)
from rosenblatt.storage.json_values import parse_strictly
from rosenblatt.theory.journal import FORMAT, Journal, Updates, blank

CONFIG = {"rule": text, "parameters": is_a(dict), "bias": finite, "from_zero": flag}
PASSES = {"visits": natural, "updates": natural, "mistakes": natural, "errors": Integer(-1)}
COUNTERS = dict.fromkeys(("t", "k", "mistakes"), natural) | dict.fromkeys(
    ("ww", "sa", "bw", "bs", "upper", "drift"), number
)


def _has(tests: dict[str, Any], values: Any) -> bool:
    """Return whether a dictionary has these entries, each of which passes its test."""
    return isinstance(values, dict) and all(
        name in values and test(values[name]) for name, test in tests.items()
    )


def _counts(passes: dict[str, Any]) -> bool:
    """Return whether there is a number of each kind for every pass."""
    columns = [passes.get(name) for name in PASSES]
    lists = [column for column in columns if isinstance(column, list)]
    return (
        len(lists) == len(columns)
        and len({len(column) for column in lists}) == 1
        and all(all(map(test, passes[name])) for name, test in PASSES.items())
    )


def ascends(u: Updates) -> bool:
    """Return whether updates come one after the other, at visits from 0 on."""
    # Differences of extreme numbers would overflow.
    return not len(u.t) or bool(u.t[0] >= 0 and (u.t[1:] >= u.t[:-1]).all())


def _in_its_visits(j: Journal) -> bool:
    """Return whether the updates were made between its start and its end."""
    first, last, t = j.started["t"], j.counters["t"], j.updates.t
    return bool(first <= t[0] and t[-1] < last) if len(t) else bool(first <= last)


def _labels(j: Journal) -> bool:
    return len(j.start) == 1 or within(j.labels, len(j.start))


UPDATES = Kind(
    Updates,
    {"t": indices, "i": indices, "r": array("i", 1, bits=32), "a": vector, "c": vector},
    {
        "t, i, r, a and c have the same length": lambda u: len(set(map(len, u))) == 1,
        "t never falls": ascends,
        "i and r are not negative": lambda u: not any((n < 0).any() for n in (u.i, u.r)),
    },
)
"""A sequence of updates."""

JOURNAL = Kind(
    Journal,
    {
        "config": is_a(dict),
        "start": matrix,
        "started": is_a(dict),
        "updates": is_a(Updates),
        "passes": is_a(dict),
        "counters": is_a(dict),
        "labels": array("iu", 1),
    },
    {
        "config has rule, parameters, bias and from_zero": lambda j: _has(CONFIG, j.config),
        "linear in config is true or false": lambda j: flag(j.config.get("linear", True)),
        "passes has a count of each kind for every pass": lambda j: _counts(j.passes),
        "started has all counters": lambda j: _has(COUNTERS, j.started),
        "counters has all counters": lambda j: _has(COUNTERS, j.counters),
        "updates.t lies between started.t and counters.t": _in_its_visits,
        "updates.i numbers the labels": lambda j: within(j.updates.i, len(j.labels)),
        "sequences in config is true or false": lambda j: flag(j.config.get("sequences", False)),
        "updates.r numbers the rows of start": lambda j: (
            j.config.get("sequences") is True or within(j.updates.r, len(j.start))
        ),
        "labels number the rows of start": _labels,
        "start has at least one row and one column": lambda j: j.start.size > 0,
    },
)
"""A journal."""


def read(path: str | Path) -> Journal:
    """Read a journal; a ValueError names what is wrong in the file."""
    content = Path(path).read_bytes()
    try:
        return _parsed(parse_strictly(content))
    except ValueError as error:
        raise ValueError(f"{path} is not a journal of format {FORMAT}: {error}.") from error
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(
            f"{path} is not a journal of format {FORMAT}: a field is missing, or of another type "
            f"({error})."
        ) from error


def _parsed(saved: Any) -> Journal:
    """Return the journal in a tree of JSON."""
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise ValueError("it has another format")
    kinds = blank(0)._asdict()
    columns = {name: _column(saved["updates"][name], kind.dtype) for name, kind in kinds.items()}
    made: Journal = JOURNAL.make(
        {
            "config": saved["config"],
            "start": np.array(saved["start"]["w"], float),
            "started": _infinite(saved["start"]["counters"]),
            "updates": UPDATES.make(columns, "updates"),
            "passes": saved["passes"],
            "counters": _infinite(saved["counters"]),
            "labels": _column(saved["data"]["labels"], np.dtype(np.int64)),
        },
        "journal",
    )
    return made


def _column(values: Any, dtype: np.dtype[Any]) -> Array:
    """Return a list of numbers as an array; a real number does not become an integer."""
    types = {int} if dtype.kind == "i" else {int, float}
    if not isinstance(values, list) or not set(map(type, values)) <= types:
        raise TypeError("a list of numbers is expected")
    return np.array(values, dtype)


def _infinite(counters: dict[str, float | None]) -> dict[str, float]:
    """Return counters in which null, which stands for infinity, is infinite."""
    return {name: np.inf if value is None else value for name, value in counters.items()}
