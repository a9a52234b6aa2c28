"""The kinds of records that a fitted estimator holds, and what must be true of each field.

Only these can be written to a file or read from one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, isnan
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.run import Pass
from rosenblatt.engine.task import Carried
from rosenblatt.models import Assembly, Jury, Linear, Votes
from rosenblatt.models.expansion import Course, Crowd, Expansion
from rosenblatt.theory import readouts, rules
from rosenblatt.theory.budgets import BUDGETS
from rosenblatt.theory.journal import Journal, Updates
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.similarity import Precomputed, Similarity
from rosenblatt.theory.spaces import Array

Test = Callable[[Any], bool]
READINGS = {"vote"} | {
    f"{way}_{by}" for way in ("avg", "last", "rand") for by in ("norm", "unnorm")
}


# --- what a field may hold ------------------------------------------------------------------


def array(kinds: str, *dimensions: int) -> Test:
    """An array of some kinds of numbers and dimensions; real numbers are finite."""

    def test(value: Any) -> bool:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
            return False
        return value.ndim in dimensions and (value.dtype.kind != "f" or _finite(value))

    return test


def is_a(*kinds: type) -> Test:
    return lambda value: isinstance(value, kinds)


def many(test: Test) -> Test:
    """A list, each of whose elements passes."""
    return lambda value: isinstance(value, list) and all(map(test, value))


def either(*tests: Test) -> Test:
    return lambda value: any(test(value) for test in tests)


def nothing(value: Any) -> bool:
    return value is None


def whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 62


def real(value: Any) -> bool:
    """A number; infinity is one."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not isnan(value)


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def text(value: Any) -> bool:
    return isinstance(value, str)


def table(value: Any) -> bool:
    """Examples, a row each."""
    if sp.issparse(value):
        return value.data.dtype.kind == "f" and _finite(value.data)
    return matrix(value)


def _finite(value: Array) -> bool:
    return bool(np.isfinite(value).all())


def memo(value: Any) -> bool:
    """What a run on a budget remembers: arrays by name."""
    return isinstance(value, dict) and all(array("fiu", 1)(one) for one in value.values())


vector, matrix = array("f", 1), array("f", 2)
counts, labels = array("iu", 1), array("iu", 1)


def within(numbers: Array, limit: int) -> bool:
    """Whether all are numbers of a list of that length."""
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < limit)


# --- the kinds of records -------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A class whose objects may be written: its fields, and what must hold between them."""

    type: type
    fields: dict[str, Test]
    sound: Test = lambda record: True
    absent: dict[str, Any] = field(default_factory=dict)  # values of fields that old files lack


def _sound_updates(u: Any) -> bool:
    return len({len(column) for column in u}) == 1


def _sound_votes(v: Any) -> bool:
    many_classes = len(v.start.coef) > 1
    return (
        v.supports.shape[1] == v.start.coef.shape[1]
        and len(v.signs) == v.supports.shape[0]
        and within(v.updates.i, v.supports.shape[0])
        and len(v.lives) == len(v.updates.t) + 1
        and (not many_classes or within(v.signs, len(v.start.coef)))
    )


def _sound_course(c: Any) -> bool:
    return len(c.lives) == len(c.lengths) == len(c.signs) + 1 == len(c.updates.t) + 1


def _sound_crowd(c: Any) -> bool:
    count = c.supports.shape[0]
    return (
        bool(c.courses)
        and c.how in READINGS
        and all(within(course.updates.i, count) for course in c.courses)
        and all(0 <= c.moment < max(1, int(course.lives.sum())) for course in c.courses)
    )


def _sound_journal(j: Any) -> bool:
    return "parameters" in j.config and within(j.updates.i, len(j.labels))


numbers_of = either(array("f", 1, 2), array("f", 3))
similarity, kernel_side = is_a(Similarity, Precomputed), either(table, counts)

KINDS = {
    kind.type.__name__: kind
    for kind in (
        Kind(
            Linear,
            {"coef": matrix, "intercept": vector},
            lambda m: len(m.coef) == len(m.intercept),
        ),
        Kind(
            Updates,
            {"t": counts, "i": counts, "r": counts, "a": vector, "c": vector},
            _sound_updates,
        ),
        Kind(
            Votes,
            {
                "start": is_a(Linear),
                "supports": table,
                "bias": real,
                "signs": labels,
                "updates": is_a(Updates),
                "lives": counts,
            },
            _sound_votes,
        ),
        Kind(Assembly, {"parts": many(is_a(Votes))}, lambda assembly: bool(assembly.parts)),
        Kind(Jury, {"votes": many(is_a(Votes, Assembly))}, lambda jury: bool(jury.votes)),
        Kind(
            Journal,
            {
                "config": is_a(dict),
                "start": array("f", 1, 2),
                "started": is_a(dict),
                "updates": is_a(Updates),
                "passes": is_a(dict),
                "counters": is_a(dict),
                "labels": labels,
            },
            _sound_journal,
        ),
        Kind(
            Counters,
            {"t": whole, "k": whole, "mistakes": whole}
            | dict.fromkeys(("ww", "sa", "bw", "bs", "upper", "drift"), is_a(int, float)),
            absent={"upper": inf, "drift": inf},
        ),
        Kind(Pass, dict.fromkeys(Pass._fields, whole)),
        Kind(
            Carried,
            {
                "state": matrix,
                "counters": is_a(Counters),
                "passes": many(is_a(Pass)),
                "readout": is_a(readouts.Last),
                "from_zero": flag,
                "votes": either(nothing, is_a(Votes, Course)),
                "memo": memo,
            },
        ),
        Kind(readouts.Last, {}),
        Kind(readouts.Averaged, {"total": array("f", 1, 2), "visits": whole, "end": whole}),
        Kind(
            readouts.Voted,
            {"start": array("f", 1, 2), "parts": many(is_a(Updates)), "t0": whole, "t1": whole},
        ),
        Kind(
            readouts.Pocket,
            {
                "ratchet": flag,
                "best": array("f", 1, 2),
                "longest": whole,
                "errors": real,
                "life": whole,
                "present": flag,
                "refused": flag,
                "changed": whole,
            },
        ),
        Kind(readouts.Fewest, {"best": array("f", 1, 2), "errors": real}),
        Kind(
            Similarity,
            {
                "kernel": text,
                "degree": real,
                "gamma": either(nothing, real),
                "coef0": real,
                "constant": real,
                "more": is_a(dict),
            },
        ),
        Kind(Precomputed, {"constant": real}),
        Kind(
            Expansion,
            {"similarity": similarity, "supports": kernel_side, "coef": matrix},
            lambda e: e.coef.shape[1] == e.supports.shape[0],
        ),
        Kind(
            Course,
            {
                "updates": is_a(Updates),
                "signs": vector,
                "lives": counts,
                "lengths": vector,
                "start": either(nothing, vector),
            },
            _sound_course,
        ),
        Kind(
            Crowd,
            {
                "similarity": similarity,
                "supports": kernel_side,
                "courses": many(is_a(Course)),
                "how": text,
                "moment": whole,
            },
            _sound_crowd,
        ),
        *(
            Kind(record, dict.fromkeys(record()._asdict(), either(real, flag)))
            for record in (*rules.RULES.values(), *BUDGETS.values())
        ),
    )
}
"""Every kind of record by its name; rules and budget policies are records of numbers."""
