"""The table of kinds that a state consists of, with a test for each field.

Only these kinds can be stored. Rules, budget policies and readouts come from their own tables, so
that a new one needs no entry here.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from rosenblatt.data.sequences import Templates
from rosenblatt.engine.state import (
    Parts,
    Pass,
    Position,
    RunState,
    State,
    Stretch,
    Tally,
)
from rosenblatt.models import (
    READINGS,
    Expansion,
    History,
    Linear,
    PerClass,
    Sum,
    Tagger,
    VotedRuns,
)
from rosenblatt.storage.codec import (
    LARGEST,
    Float,
    Integer,
    Kind,
    Kinds,
    Test,
    array,
    counts,
    either,
    finite,
    flag,
    indices,
    is_a,
    length,
    many,
    matrix,
    named_arrays,
    natural,
    nothing,
    real,
    some,
    table,
    text,
    vector,
    within,
)
from rosenblatt.storage.journal_file import JOURNAL, UPDATES, ascends
from rosenblatt.theory.budgets import BUDGETS
from rosenblatt.theory.journal import Updates, joined
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.readouts import Averaged, Fewest, Pocket, Readout, Voted
from rosenblatt.theory.rules import RULES
from rosenblatt.theory.similarity import Precomputed, Similarity
from rosenblatt.theory.spaces import Array

LONGEST = 2.0**511  # weights from which on squares overflow
similarity, kernel_side = is_a(Similarity, Precomputed), either(table, counts, array("O", 1))


def _hypothesis(value: Any) -> bool:
    """Test for a hypothesis in portable form; no run has one whose squares overflow."""
    return matrix(value) and value.size > 0 and bool(np.abs(value).max() < LONGEST)


def _kept(value: Any) -> bool:
    """Test for a hypothesis or a sum of several in its own form; it may be empty."""
    return array("f", 1, 2, 3)(value) and bool(np.abs(value).max(initial=0.0) < LONGEST * LARGEST)


def labels(value: Any) -> bool:
    """Test for an array of labels; numbers are finite, of any precision."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "biufUO":
        return False
    return value.dtype.kind != "f" or bool(np.isfinite(value).all())


def _margins(value: Any) -> bool:
    """Test for the margins of a greedy loop; they are nan before it has computed them."""
    return isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1


def _geometry(value: Any) -> bool:
    """Test for bias, offset and p, or nothing."""
    return isinstance(value, tuple) and len(value) in (0, 3) and all(map(real, value))


def _kernel(value: Any) -> bool:
    """Test for the name of a kernel."""
    if value in ("linear", "poly", "rbf", "sigmoid"):
        return True
    from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS  # slow to load

    return text(value) and value in PAIRWISE_KERNEL_FUNCTIONS


def _signs(value: Any) -> bool:
    """Test for labels of two classes as floats."""
    return vector(value) and bool((np.abs(value) == 1).all())


def _is_empty(value: Any) -> bool:
    """Test for an empty dictionary."""
    return isinstance(value, dict) and not value


def generator(value: Any) -> bool:
    """Test for the state of the random numbers that a run draws."""
    numbers = np.random.PCG64(0)
    try:
        numbers.state = value
    except (ValueError, TypeError, LookupError, ArithmeticError):
        return False
    return bool(numbers.state == value)


def in_order(classes: Array) -> bool:
    """Return whether there are two classes or more, in order; or none, for numbers to predict."""
    return len(classes) != 1 and np.array_equal(np.unique(classes), classes)


# --- laws ---------------------------------------------------------------------------------------


def _codes_are_known(history: History) -> bool:
    if history.outputs > 1:
        return all(within(n, history.outputs) for n in (history.codes, history.updates.r))
    return bool((np.abs(history.codes) == 1).all())


def _lives_are_counts(history: History) -> bool:
    lives = history.lives
    return bool(len(lives)) and natural.all(lives) and lives.sum(dtype=float) < LARGEST


def _has_starts(runs: VotedRuns) -> bool:
    """Return whether the start of each history fits the supports."""
    supports = runs.supports
    for start in (history.start for history in runs.histories):
        if isinstance(start, Linear):
            if supports.ndim != 2 or start.coef.shape[1] != supports.shape[1]:
                return False
        elif start is not None and len(start) != supports.shape[0]:
            return False
    return True


def _has_lengths(runs: VotedRuns) -> bool:
    normalised = runs.reading.endswith("_norm")
    return not normalised or all(history.lengths is not None for history in runs.histories)


def _same_shapes(run: RunState) -> bool:
    """Return whether all hypotheses of a run have the same shape."""
    shapes = {run.hypothesis.shape}

    def note(h: Array) -> Array:
        shapes.add(h.shape)
        return h

    run.readout.copy().convert(note)
    return len(shapes) == 1


def _rivals_are_rows(run: RunState) -> bool:
    rows, readout = len(run.hypothesis), run.readout
    return not isinstance(readout, Voted) or within(readout.updates().r, rows)


def _in_time(run: RunState) -> bool:
    """Return whether what a run has kept lies before the moment it is at."""
    position, now = run.position, run.counters
    earlier = [] if position is None else [position.opened, *(s.opened for s in position.kept)]
    ordered = all(_precedes(one, now) for one in earlier)
    stretches = [] if position is None else position.kept
    kept = [(stretch.opened.t, part.t) for stretch in stretches for part in stretch.parts]
    if isinstance(run.readout, Voted) and run.readout.t0 >= 0:
        kept.append((run.readout.t0, run.readout.updates().t))
    elif isinstance(run.readout, Voted) and (run.readout.t1 >= 0 or len(run.readout.updates().t)):
        return False  # votes that began at no visit
    return ordered and all(
        first <= now.t and (not len(t) or (first <= t[0] and t[-1] < now.t)) for first, t in kept
    )


def _precedes(one: Counters, other: Counters) -> bool:
    """Return whether no count of one exceeds that of the other."""
    return one.t <= other.t and one.k <= other.k and one.mistakes <= other.mistakes


def _memory_fits(run: RunState) -> bool:
    """Return whether what a kernel run remembers belongs to its examples."""
    memory, width = run.memory, run.hypothesis.shape[1]
    support = memory.get("support", np.zeros(0, int))
    known = all(test(memory[name]) for name, test in MEMORY.items() if name in memory)
    return (
        known
        and ("support" in memory) == ("damage" in memory)
        and within(support, width)
        and len(memory.get("labels", np.zeros(width))) == width
    )


def _features_of_votes(state: State) -> bool:
    """Return whether the votes of linear runs have the features of the hypotheses."""
    return state.examples is not None or all(
        run.votes.supports.shape[1:] == (run.hypothesis.shape[1] - 1,)
        for run in state.runs
        if isinstance(run.votes, VotedRuns)
    )


def _coefficients_of_examples(state: State) -> bool:
    if state.examples is None:
        return all(not isinstance(run.votes, History) for run in state.runs)
    count = state.examples.shape[0]
    return all(
        run.hypothesis.shape[1] == count and _votes_of_examples(run.votes, count)
        for run in state.runs
    )


def _votes_of_examples(votes: Any, count: int) -> bool:
    """Return whether the votes of a kernel run, if any, refer to `count` examples."""
    return votes is None or (
        isinstance(votes, History)
        and within(votes.updates.i, count)
        and not isinstance(votes.start, Linear)
        and (votes.start is None or len(votes.start) == count)
    )


# --- the table ----------------------------------------------------------------------------------


MEMORY: dict[str, Test] = {
    "support": indices,
    "damage": array("f", 1, size=2),
    "labels": _signs,
    "squares": lambda value: vector(value) and len(value) > 0,
}
"""What kernel runs remember besides their coefficients."""

SPAN, NUMBERS = array("i", 1, size=2, bits=64), array("f", 1, size=7)
OWED = either(SPAN, array("i", 1, size=3, bits=64))
READOUTS: dict[type[Readout], dict[str, Test]] = {
    Averaged: {"total": _kept, "span": lambda value: OWED(value) and natural.all(value)},
    Voted: {"start": _kept, "span": lambda value: SPAN(value) and Integer(-1).all(value)},
    Pocket: {"best": _kept, "numbers": lambda value: NUMBERS(value) and _pocket(value)},
    Fewest: {"best": _kept, "errors": array("fi", 0)},
}
"""The arrays of readouts; those of a user's own may be any."""


def _pocket(numbers: Array) -> bool:
    """Return whether the numbers of a pocket are counts, but for its weight of errors."""
    counted = np.delete(numbers, 1)
    return bool((counted == np.floor(counted)).all() and (counted >= 0).all()) and bool(
        (numbers < LARGEST).all()
    )


def _readout(kind: type[Readout]) -> Kind:
    """Return the kind of a readout, stored as the arrays of its `state`."""

    def build(state: dict[str, Any]) -> Readout:
        if not all(named_arrays({name: a}) for name, a in state.items()):
            raise ValueError(f"the state of the readout {kind.__name__} is not made of arrays")
        if kind is Voted:
            UPDATES.make({name: state.get(name) for name in Updates._fields}, "readout")
        made = kind()
        made.restore(state)
        return made

    tests = READOUTS.get(kind, {})
    return Kind(kind, tests, custom=lambda readout: dict(readout.state()), build=build)


def _numbers(kind: type, **others: Test) -> dict[str, Test]:
    """Return tests for the fields of a record, counts except for `others`."""
    return dict.fromkeys(kind.__annotations__, natural) | others


PREDICTORS = (
    Kind(
        Linear,
        {"coef": matrix, "intercept": vector},
        {"coef has a row for each intercept": lambda m: len(m.coef) == len(m.intercept)},
    ),
    Kind(
        Tagger,
        {"weights": matrix, "order": lambda value: value in (1, 2)},
        {
            "weights have a row for each feature and transition": lambda m: (
                m.labels > 1 and m.features > 0
            )
        },
        absent={"order": 1},
    ),
    Kind(
        Templates,
        {"text": text},
        custom=lambda templates: {"text": templates.text},
        build=lambda fields: Templates.parse(fields["text"]),
    ),
    UPDATES,
    JOURNAL,
    Kind(
        Similarity,
        {
            "kernel": _kernel,
            "degree": finite,
            "gamma": either(nothing, finite),
            "coef0": finite,
            "constant": finite,
            "more": is_a(dict),
        },
    ),
    Kind(Precomputed, {"constant": finite}),
    Kind(
        Expansion,
        {"similarity": similarity, "supports": kernel_side, "coef": matrix},
        {"coef has a column for each support": lambda e: e.coef.shape[1] == e.supports.shape[0]},
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
        {
            "there is a code for every update": lambda h: len(h.codes) == len(h.updates.t),
            "there is a life for every hypothesis": lambda h: len(h.lives) == len(h.codes) + 1,
            "there is a length for every hypothesis": lambda h: (
                h.lengths is None or len(h.lengths) == len(h.lives)
            ),
            "codes and rivals are classes": _codes_are_known,
            "lives are counts": _lives_are_counts,
        },
    ),
    Kind(
        VotedRuns,
        {
            "similarity": similarity,
            "supports": kernel_side,
            "histories": many(is_a(History)),
            "reading": text,
            "moment": natural,
        },
        {
            "there are histories": lambda runs: bool(runs.histories),
            "reading is known": lambda runs: runs.reading in READINGS,
            "each start fits the supports": _has_starts,
            "there are lengths where the reading needs them": _has_lengths,
            "moment is a visit of every history": lambda runs: all(
                runs.moment < max(1, history.visits) for history in runs.histories
            ),
            "updates number the supports": lambda runs: all(
                within(history.updates.i, runs.supports.shape[0]) for history in runs.histories
            ),
        },
    ),
    Kind(Sum, {"parts": some(is_a(VotedRuns))}),
    Kind(PerClass, {"members": some(is_a(VotedRuns, Sum))}),
)
"""What predicts, and the journal."""

STATES = (
    Kind(
        Counters,
        dict.fromkeys(Counters._fields, Float())
        | {"t": natural, "k": natural, "mistakes": natural, "norm2": Float(finite=True)},
        {
            "mistakes are visits": lambda n: n.mistakes <= n.t,
            "updates are made at visits": lambda n: n.k <= n.t,
        },
        absent={"upper": inf, "drift": inf},
    ),
    Kind(Pass, _numbers(Pass, errors=Integer(-1))),
    Kind(Tally, _numbers(Tally)),
    Kind(Parts, _numbers(Parts, tally=is_a(Tally), clean=flag, lower=real, radius=length)),
    Kind(
        Stretch,
        {
            "before": _kept,
            "opened": is_a(Counters),
            "parts": many(is_a(Updates)),
            "size": natural,
        },
        {
            "size counts its updates": lambda s: s.size == sum(len(part.t) for part in s.parts),
            "t never falls": lambda s: ascends(joined(s.parts)),
        },
    ),
    Kind(
        Position,
        dict.fromkeys(("scaled", "in_pass", "settled", "separated", "converged"), flag)
        | {
            "dual": vector,
            "margins": _margins,
            "sizes": vector,
            "visit": natural,
            "opened": is_a(Counters),
            "entries": natural,
            "least": real,
            "generator": generator,
            "drawn": either(_is_empty, generator),
            "kept": many(is_a(Stretch)),
            "lower": real,
            "seconds": length,
        },
        {
            "drawn is known within a pass": lambda p: bool(p.drawn) or not p.in_pass,
            "visit is 0 outside a pass": lambda p: p.in_pass or p.visit == 0,
            "there is a size for each margin": lambda p: len(p.sizes) == len(p.margins),
        },
    ),
    Kind(
        RunState,
        {
            "hypothesis": _hypothesis,
            "counters": is_a(Counters),
            "passes": many(is_a(Pass)),
            "readout": is_a(Readout),
            "from_zero": flag,
            "votes": either(nothing, is_a(VotedRuns, History)),
            "memory": named_arrays,
            "position": either(nothing, is_a(Position)),
        },
        {
            "all hypotheses have the same shape": _same_shapes,
            "rivals are rows of the hypothesis": _rivals_are_rows,
            "counters are at or after all that is kept": _in_time,
            "least is 0 on a budget only": lambda run: (
                run.position is None or run.position.least != 0 or "support" in run.memory
            ),
            "memory belongs to the examples of the hypothesis": _memory_fits,
        },
    ),
    Kind(
        State,
        {
            "classes": labels,
            "runs": some(is_a(RunState)),
            "examples": either(nothing, kernel_side),
            "history": many(is_a(Tally)),
            "parts": is_a(Parts),
            "closed": is_a(Parts),
            "finished": flag,
            "settings": is_a(dict),
            "geometry": _geometry,
        },
        {
            "classes are in order, and two or more": lambda s: in_order(s.classes),
            "there is one run, or one for each class": lambda s: len(s.runs) in (1, len(s.classes)),
            "votes have the features of the hypotheses": _features_of_votes,
            "coefficients and votes number the examples": _coefficients_of_examples,
        },
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
