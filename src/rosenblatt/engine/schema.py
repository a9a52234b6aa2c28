"""What a state may hold, field by field: the table by which states are written and read.

Only these kinds of objects can be stored. Rules, budget policies and readouts are found in their
own tables, so that a new one needs no entry here.
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
labels = array("biufUO", 1)
similarity, kernel_side = is_a(Similarity, Precomputed), either(table, counts, array("O", 1))


def _margins(value: Any) -> bool:
    """Margins that a greedy loop carries; not a number before it has looked."""
    return isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1


# --- what must hold between fields --------------------------------------------------------------


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


def _sound_run(run: RunState) -> bool:
    """Whether all hypotheses of a run have one shape."""
    shape, fine = run.hypothesis.shape, []

    def check(h: Array) -> Array:
        fine.append(h.shape == shape)
        return h

    run.readout.copy().convert(check)
    return all(fine)


def _sound_state(state: State) -> bool:
    """Whether the runs belong to the classes, and coefficients to examples."""
    if not state.runs or len(state.runs) not in (1, len(state.classes)):
        return False
    if not np.array_equal(np.unique(state.classes), state.classes) or len(state.classes) < 2:
        return False
    if state.examples is None:
        return True
    count = state.examples.shape[0]
    return all(_tied(run, count) for run in state.runs)


def _tied(run: RunState, count: int) -> bool:
    """Whether what a kernel run numbers are examples that the state has."""
    support, votes = run.memory.get("support"), run.votes
    course = votes is None or (
        isinstance(votes, Course)
        and within(votes.updates.i, count)
        and (votes.start is None or len(votes.start) == count)
    )
    kept = support is None or (
        support.dtype.kind in "iu" and support.ndim == 1 and within(support, count)
    )
    return run.hypothesis.shape[1] == count and course and kept


# --- the table ----------------------------------------------------------------------------------


def _readout(kind: type[Readout]) -> Kind:
    """Any readout, by the arrays of its own `state`."""

    def build(state: dict[str, Any]) -> Readout:
        if not all(named_arrays({name: a}) for name, a in state.items()):
            raise ValueError(f"the state of the readout {kind.__name__} is not made of arrays")
        made = kind()
        made.restore(state)
        return made

    return Kind(kind, {}, custom=lambda readout: dict(readout.state()), build=build)


def _numbers(kind: type, **others: Any) -> dict[str, Any]:
    """The fields of a dataclass, whole numbers but for those given."""
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
        {"t": whole, "k": whole, "mistakes": whole}
        | dict.fromkeys(
            ("norm2", "step_sum", "best_norm2", "best_step_sum", "upper", "drift"), is_a(int, float)
        ),
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
"""Where learning is."""


def build_kinds() -> Kinds:
    """The table, with every rule, budget policy and readout that is registered now."""
    records = (
        Kind(record, dict.fromkeys(record()._asdict(), either(real, flag)))
        for record in (*RULES.values(), *BUDGETS.values())
    )
    kinds = (*PREDICTORS, *STATES, *records, *map(_readout, Readout.KINDS.values()))
    return {kind.type.__name__: kind for kind in kinds}
