"""What an outcome may hold, field by field, and what parts must fit together.

A model file is read by this table, so that what is damaged, or made to deceive, is rejected at once
and does not break a prediction later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.schema import build_kinds, labels
from rosenblatt.engine.state import State
from rosenblatt.models import Expansion, Linear, PerClass, Sum, VotedRuns
from rosenblatt.storage.codec import (
    Kind,
    Kinds,
    Test,
    counts,
    either,
    flag,
    is_a,
    many,
    matrix,
    nothing,
    real,
    table,
    vector,
    whole,
)
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.similarity import Precomputed


def _bracket(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(real, value))


def optional(test: Test) -> Test:
    """Nothing, or what passes."""
    return either(nothing, test)


FIELDS: dict[str, Test] = {
    "classes": labels,
    "predictor": is_a(Linear, Expansion, VotedRuns, Sum, PerClass),
    "hypothesis": is_a(Linear, Expansion),
    "last": is_a(Linear, Expansion),
    "passes": whole,
    "converged": flag,
    "separated": flag,
    "updates": whole,
    "pass_mistakes": counts,
    "pass_errors": counts,
    "radius": real,
    "bracket": _bracket,
    "examples": whole,
    "state": optional(is_a(State)),
    "streamed": flag,
    "one_vs_rest": flag,
    "p": real,
    "stopped_early": optional(flag),
    "validation_score": optional(real),
    "journals": many(is_a(Journal)),
    "criterion": optional(vector),
    "dual": optional(matrix),
    "gap": optional(real),
    "support": optional(counts),
    "support_vectors": optional(table),
    "lengths": optional(vector),
}


def outcome_kinds() -> Kinds:
    """The table of states, and outcomes."""
    return build_kinds() | {"Outcome": Kind(Outcome, FIELDS, _sound)}


def _sound(outcome: Outcome) -> bool:
    """Whether shapes agree with the classes."""
    classes = outcome.classes
    rows = 1 if len(classes) == 2 else len(classes)
    if len(classes) < 2 or not np.array_equal(np.unique(classes), classes):
        return False
    if not len(outcome.pass_errors) or len(outcome.pass_errors) != len(outcome.pass_mistakes):
        return False
    kinds = {type(outcome.hypothesis), type(outcome.last)}
    if len(kinds) != 1 or (Expansion in kinds) != (outcome.support is not None):
        return False
    return len(outcome.hypothesis.coef) == len(outcome.last.coef) == rows and _state_fits(outcome)


def _state_fits(outcome: Outcome) -> bool:
    """Whether the state for further learning belongs to the same classes and kind of model."""
    state = outcome.state
    if state is None:
        return True
    rows = 1 if len(outcome.classes) == 2 else len(outcome.classes)
    return (
        np.array_equal(state.classes, outcome.classes)
        and len(state.runs) in (1, rows)
        and (state.examples is not None) == (outcome.support is not None)
    )


def check_features(outcome: Outcome, d: int) -> None:
    """Reject an outcome that does not fit the number of features."""
    rows = 1 if len(outcome.classes) == 2 else len(outcome.classes)
    if d < 1:
        raise ValueError("it needs one feature at least")
    for model in (outcome.predictor, outcome.hypothesis, outcome.last):
        if _shape(model, d) != (rows, d):
            raise ValueError(
                "what predicts has another shape than its classes and features ask for"
            )
    state = outcome.state
    if state is None:
        return
    for run in state.runs:
        if state.examples is None and run.hypothesis.shape[1] != d + 1:
            raise ValueError("its state for further learning does not fit its features")
        if isinstance(run.votes, VotedRuns) and run.votes.supports.shape[1] != d:
            raise ValueError("its votes do not fit its features")
    if state.examples is not None and state.examples.ndim == 2 and state.examples.shape[1] != d:
        raise ValueError("the examples of its state do not fit its features")


def _shape(model: Any, d: int) -> tuple[int, int]:
    """Return the numbers of scores and features of a model; -1 if its parts differ."""
    if isinstance(model, Linear):
        return model.coef.shape[0], model.coef.shape[1]
    if isinstance(model, Sum):
        shapes = {_shape(part, d) for part in model.parts}
        return shapes.pop() if len(shapes) == 1 else (-1, -1)
    if isinstance(model, PerClass):
        shapes = {_shape(member, d) for member in model.members}
        return len(model.members), shapes.pop()[1] if shapes <= {(1, d)} else -1
    supports = model.supports
    if isinstance(model, Expansion):
        scores = len(model.coef)
    else:
        scores = sum(history.outputs for history in model.histories)
    if not isinstance(model.similarity, Precomputed):
        return scores, -1 if supports.ndim == 1 else supports.shape[1]
    # With a Gram matrix the supports are numbers of its columns.
    numbered = supports.ndim == 1 and (
        not len(supports) or 0 <= supports.min() <= supports.max() < d
    )
    return scores, d if numbered else -1
