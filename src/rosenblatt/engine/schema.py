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
from rosenblatt.models import READINGS, Expansion, History, Linear, PerClass, Sum, VotedRuns
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


def _geometry(value: Any) -> bool:
    """Return whether these are bias, offset and p, or nothing."""
    return isinstance(value, tuple) and len(value) in (0, 3) and all(map(real, value))


def _sound_updates(u: Any) -> bool:
    return len({len(column) for column in u}) == 1


def _sound_history(history: History) -> bool:
    """Whether there is a code, a life and a length for every hypothesis."""
    made, codes, lengths = len(history.updates.t), history.codes, history.lengths
    if history.outputs > 1:
        known = within(codes, history.outputs)
    else:
        known = bool((np.abs(codes) == 1).all())
    counted = len(codes) == made and len(history.lives) == made + 1
    return known and counted and (lengths is None or len(lengths) == made + 1)


def _sound_voted_runs(runs: VotedRuns) -> bool:
    return (
        bool(runs.histories)
        and runs.reading in READINGS
        and all(_readable(history, runs) for history in runs.histories)
    )


def _readable(history: History, runs: VotedRuns) -> bool:
    """Whether a history fits the supports, and has what its reading needs."""
    start, supports = history.start, runs.supports
    if isinstance(start, Linear):
        started = supports.ndim == 2 and start.coef.shape[1] == supports.shape[1]
    else:
        started = start is None or len(start) == supports.shape[0]
    measured = history.lengths is not None or not runs.reading.endswith("_norm")
    visited = 0 <= runs.moment < max(1, int(history.lives.sum()))
    return started and measured and visited and within(history.updates.i, supports.shape[0])


def _sound_journal(j: Any) -> bool:
    config, columns = j.config, [j.passes.get(name) for name in Pass._fields]
    return (
        text(config.get("rule"))
        and isinstance(config.get("parameters"), dict)
        and real(config.get("bias"))
        and flag(config.get("from_zero"))
        and all(many(whole)(column) for column in columns)
        and len({len(column) for column in columns}) == 1
        and all(
            _numbers_by_name(n, tuple(Counters().named_for_journal()))
            for n in (j.started, j.counters)
        )
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
        return all(not isinstance(run.votes, History) for run in state.runs)
    count = state.examples.shape[0]
    return all(_numbers_fit(run, count) for run in state.runs)


def _numbers_fit(run: RunState, count: int) -> bool:
    """Return whether the example numbers of a kernel run are below `count`."""
    support, votes = run.memory.get("support"), run.votes
    tied = votes is None or (
        isinstance(votes, History)
        and within(votes.updates.i, count)
        and not isinstance(votes.start, Linear)
        and (votes.start is None or len(votes.start) == count)
    )
    known = support is None or (counts(support) and within(support, count))
    return run.hypothesis.shape[1] == count and tied and known


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
        History,
        {
            "updates": is_a(Updates),
            "codes": counts,
            "lives": counts,
            "lengths": either(nothing, vector),
            "start": either(nothing, vector, is_a(Linear)),
        },
        _sound_history,
    ),
    Kind(
        VotedRuns,
        {
            "similarity": similarity,
            "supports": kernel_side,
            "histories": many(is_a(History)),
            "reading": text,
            "moment": whole,
        },
        _sound_voted_runs,
    ),
    Kind(Sum, {"parts": many(is_a(VotedRuns))}, lambda total: bool(total.parts)),
    Kind(PerClass, {"members": many(is_a(VotedRuns, Sum))}, lambda model: bool(model.members)),
)
"""What predicts, and the journal."""

STATES = (
    Kind(
        Counters,
        {"t": natural, "k": natural, "mistakes": natural}
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
            "votes": either(nothing, is_a(VotedRuns, History)),
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
            "geometry": _geometry,
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
