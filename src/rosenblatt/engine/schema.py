"""The table of kinds that a state consists of, with a test for each field.

Only these kinds can be stored. Rules, budget policies and readouts come from their own tables, so
that a new one needs no entry here.
"""

from __future__ import annotations

from dataclasses import fields
from math import inf
from typing import Any

import numpy as np

from rosenblatt.engine.state import (
    Parts,
    Pass,
    Position,
    RunState,
    State,
    Stretch,
    Tally,
)
from rosenblatt.models import Assembly, Course, Crowd, Expansion, Jury, Linear, Votes
from rosenblatt.storage.codec import (
    Kind,
    Kinds,
    array,
    counts,
    either,
    flag,
    is_a,
    many,
    matrix,
    named_arrays,
    nothing,
    real,
    table,
    text,
    vector,
    whole,
    within,
)
from rosenblatt.theory.budgets import BUDGETS
from rosenblatt.theory.journal import Journal, Updates
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.readouts import Readout
from rosenblatt.theory.rules import RULES
from rosenblatt.theory.similarity import Precomputed, Similarity
from rosenblatt.theory.spaces import Array

READINGS = {"vote"} | {
    f"{way}_{by}" for way in ("avg", "last", "rand") for by in ("norm", "unnorm")
}

hypothesis = array("f", 1, 2)
similarity, kernel_side = is_a(Similarity, Precomputed), either(table, counts, array("O", 1))


def labels(value: Any) -> bool:
    """Test for an array of labels; numbers are finite, of any precision."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "biufUO":
        return False
    return value.dtype.kind != "f" or bool(np.isfinite(value).all())


def _margins(value: Any) -> bool:
    """Test for the margins of a greedy loop; they are nan before it has computed them."""
    return isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1


def natural(value: Any) -> bool:
    """Test for an integer of at least 0."""
    return whole(value) and value >= 0


# --- tests of how fields fit together -----------------------------------------------------------


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
    config, columns = j.config, [j.passes.get(name) for name in Pass._fields]
    return (
        text(config.get("rule"))
        and isinstance(config.get("parameters"), dict)
        and real(config.get("bias"))
        and flag(config.get("from_zero"))
        and all(many(whole)(column) for column in columns)
        and len({len(column) for column in columns}) == 1
        and all(_numbers_by_name(n, Counters._fields) for n in (j.started, j.counters))
        and within(j.updates.i, len(j.labels))
    )


def _numbers_by_name(value: dict[str, Any], names: tuple[str, ...]) -> bool:
    """Return whether a dictionary has a number for each of these names."""
    return all(is_a(int, float)(value.get(name)) for name in names)


def _sound_run(run: RunState) -> bool:
    """Return whether all hypotheses of a run have the same shape."""
    shape, fine = run.hypothesis.shape, []

    def check(h: Array) -> Array:
        fine.append(h.shape == shape)
        return h

    run.readout.copy().convert(check)
    return all(fine)


def _sound_state(state: State) -> bool:
    """Return whether the runs fit the classes, and their coefficients the examples."""
    if not state.runs or len(state.runs) not in (1, len(state.classes)):
        return False
    if not np.array_equal(np.unique(state.classes), state.classes) or len(state.classes) < 2:
        return False
    if state.examples is None:
        return True
    count = state.examples.shape[0]
    return all(_numbers_fit(run, count) for run in state.runs)


def _numbers_fit(run: RunState, count: int) -> bool:
    """Return whether the example numbers of a kernel run are below `count`."""
    support, votes = run.memory.get("held"), run.votes
    course = votes is None or (
        isinstance(votes, Course)
        and within(votes.updates.i, count)
        and (votes.start is None or len(votes.start) == count)
    )
    known = support is None or (counts(support) and within(support, count))
    return run.hypothesis.shape[1] == count and course and known


# --- the table ----------------------------------------------------------------------------------


def _readout(kind: type[Readout]) -> Kind:
    """Return the kind of a readout, stored as the arrays of its `state`."""

    def build(state: dict[str, Any]) -> Readout:
        if not all(named_arrays({name: a}) for name, a in state.items()):
            raise ValueError(f"the state of the readout {kind.__name__} is not made of arrays")
        made = kind()
        made.restore(state)
        return made

    return Kind(kind, {}, custom=lambda readout: dict(readout.state()), build=build)


def _numbers(kind: type, **others: Any) -> dict[str, Any]:
    """Return tests for the fields of a dataclass, integers except for `others`."""
    return dict.fromkeys((f.name for f in fields(kind)), whole) | others


PREDICTORS = (
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
            "signs": counts,
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
            "start": hypothesis,
            "started": is_a(dict),
            "updates": is_a(Updates),
            "passes": is_a(dict),
            "counters": is_a(dict),
            "labels": counts,
        },
        _sound_journal,
    ),
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
)
"""What predicts, and the journal."""

STATES = (
    Kind(
        Counters,
        {"t": natural, "k": natural, "mistakes": natural}
        | dict.fromkeys(("ww", "sa", "bw", "bs", "upper", "drift"), is_a(int, float)),
        absent={"upper": inf, "drift": inf},
    ),
    Kind(Pass, dict.fromkeys(Pass._fields, whole)),
    Kind(Tally, _numbers(Tally)),
    Kind(Parts, _numbers(Parts, tally=is_a(Tally), clean=flag, lower=real, radius=real)),
    Kind(
        Stretch,
        {
            "before": array("f", 1, 2, 3),
            "opened": is_a(Counters),
            "parts": many(is_a(Updates)),
            "size": whole,
        },
    ),
    Kind(
        Position,
        {
            "dual": vector,
            "margins": _margins,
            "sizes": vector,
            "visit": whole,
            "opened": is_a(Counters),
            "entries": whole,
            "least": real,
            "generator": is_a(dict),
            "drawn": is_a(dict),
            "kept": many(is_a(Stretch)),
            "lower": real,
            "seconds": real,
        }
        | dict.fromkeys(("scaled", "in_pass", "settled", "separated", "converged"), flag),
    ),
    Kind(
        RunState,
        {
            "hypothesis": matrix,
            "counters": is_a(Counters),
            "passes": many(is_a(Pass)),
            "readout": is_a(Readout),
            "from_zero": flag,
            "votes": either(nothing, is_a(Votes, Course)),
            "memory": named_arrays,
            "position": either(nothing, is_a(Position)),
        },
        _sound_run,
    ),
    Kind(
        State,
        {
            "classes": labels,
            "runs": many(is_a(RunState)),
            "examples": either(nothing, kernel_side),
            "history": many(is_a(Tally)),
            "parts": is_a(Parts),
            "closed": is_a(Parts),
            "finished": flag,
            "settings": is_a(dict),
        },
        _sound_state,
    ),
)
"""The state of learning."""


def build_kinds() -> Kinds:
    """Return the table, with every rule, budget policy and readout registered by now."""
    records = (
        Kind(record, dict.fromkeys(record()._asdict(), either(real, flag)))
        for record in (*RULES.values(), *BUDGETS.values())
    )
    kinds = (*PREDICTORS, *STATES, *records, *map(_readout, Readout.KINDS.values()))
    return {kind.type.__name__: kind for kind in kinds}
