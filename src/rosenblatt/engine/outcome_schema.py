"""The fields of an outcome, with a test for each and for how they fit together.

Model files are read by this table, so that a damaged or malicious file is rejected when it is
loaded and cannot break a prediction later.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.schema import build_kinds, in_order, labels
from rosenblatt.engine.state import State
from rosenblatt.models import Expansion, Linear, PerClass, Sum, Tagger, VotedRuns
from rosenblatt.storage.codec import (
    Integer,
    Kind,
    Kinds,
    Test,
    counts,
    either,
    flag,
    is_a,
    length,
    many,
    matrix,
    natural,
    nothing,
    real,
    table,
    vector,
    within,
)
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.readouts import Readout
from rosenblatt.theory.similarity import Precomputed


def _bracket(value: Any) -> bool:
    """Test for a pair of bounds."""
    return isinstance(value, tuple) and len(value) == 2 and all(map(real, value))


def optional(test: Test) -> Test:
    """Return a test for None and for what passes."""
    return either(nothing, test)


FIELDS: dict[str, Test] = {
    "classes": labels,
    "predictor": is_a(Linear, Expansion, Tagger, VotedRuns, Sum, PerClass),
    "hypothesis": is_a(Linear, Expansion, Tagger),
    "last": is_a(Linear, Expansion, Tagger),
    "passes": natural,
    "converged": flag,
    "separated": flag,
    "updates": natural,
    "pass_mistakes": lambda value: counts(value) and Integer(-1).all(value),
    "pass_errors": lambda value: counts(value) and Integer(-1).all(value),
    "radius": length,
    "bracket": _bracket,
    "examples": natural,
    "state": optional(is_a(State)),
    "streamed": flag,
    "stalled": flag,
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
    """Return the table of kinds that an outcome consists of."""
    return build_kinds() | {"Outcome": Kind(Outcome, FIELDS, LAWS, {"stalled": False})}


# --- laws ---------------------------------------------------------------------------------------


def _score_count(outcome: Outcome) -> int:
    """Return the number of scores: one for two classes or a number, else one per class."""
    single = len(outcome.classes) < 3 and not isinstance(outcome.hypothesis, Tagger)
    return 1 if single else len(outcome.classes)


def _one_kind(outcome: Outcome) -> bool:
    """Return whether all models have a kernel, or none."""
    kinds = {type(outcome.hypothesis), type(outcome.last)}
    tags = isinstance(outcome.predictor, Tagger)
    kernel = _has_kernel(outcome.predictor) == (Expansion in kinds)
    return len(kinds) == 1 and kernel and tags == (Tagger in kinds)


def _has_scores(outcome: Outcome) -> bool:
    return {len(outcome.hypothesis.coef), len(outcome.last.coef)} == {_score_count(outcome)}


def _support_fits(outcome: Outcome) -> bool:
    """Return whether a model in kernel form, and no other, has a support set that fits it."""
    parts = outcome.support, outcome.support_vectors, outcome.lengths
    if not isinstance(outcome.hypothesis, Expansion):
        return all(part is None for part in parts)
    support, vectors, lengths = parts
    return (
        support is not None
        and vectors is not None
        and lengths is not None
        and len(lengths) in (1, _score_count(outcome))
        and len(support) == vectors.shape[0] == outcome.hypothesis.coef.shape[1]
    )


def _state_fits(outcome: Outcome) -> bool:
    """Return whether the state, if any, has the same classes and kind of model."""
    state = outcome.state
    if state is None:
        return True
    return (
        np.array_equal(state.classes, outcome.classes)
        and len(state.runs) in (1, _score_count(outcome))
        and (state.examples is not None) == (outcome.support is not None)
        and all(run.position is None and _has_left(run.readout) for run in state.runs)
    )


def _has_left(readout: Readout) -> bool:
    """Return whether a readout refers to no examples: a model file has none."""
    left = readout.copy()
    left.drop_examples()
    before, after = readout.state(), left.state()
    return all(np.array_equal(before[name], after[name]) for name in before)


LAWS: dict[str, Test] = {
    "classes are in order, and two or more": lambda o: in_order(o.classes),
    "pass_errors and pass_mistakes have one number for each pass": lambda o: (
        len(o.pass_errors) == len(o.pass_mistakes) > 0
    ),
    "predictor, hypothesis and last are of one kind": _one_kind,
    "hypothesis and last have a row for each score": _has_scores,
    "there is one journal, one for each score or none": lambda o: (
        len(o.journals) in (0, 1, _score_count(o))
    ),
    "the support set belongs to the hypothesis": _support_fits,
    "the state has the classes and the kind of the model": _state_fits,
}
"""What holds between the fields of an outcome."""


def check_features(outcome: Outcome, d: int) -> None:
    """Reject an outcome that does not fit the number of features, or cannot predict."""
    if d < 1:
        raise ValueError("it has no features")
    shape = _score_count(outcome), d
    for model in (outcome.predictor, outcome.hypothesis, outcome.last):
        if _shape(model, d) != shape:
            raise ValueError(
                "the shape of its predictor does not fit its numbers of classes and features"
            )
    vectors = outcome.support_vectors
    if vectors is not None and vectors.shape[1] != d:
        raise ValueError("its support vectors do not fit its number of features")
    for model in (outcome.predictor, outcome.hypothesis, outcome.last):
        if _has_kernel(model):
            _try_kernel(model, d)
    model = outcome.hypothesis
    extra = len(model.weights) - model.features if isinstance(model, Tagger) else 1
    _check_state(outcome.state, d, extra)


def _has_kernel(model: Any) -> bool:
    """Return whether a predictor is a sum over examples, not weights on features."""
    if isinstance(model, VotedRuns):
        return not isinstance(model.histories[0].start, Linear)
    return isinstance(model, Expansion)


def _try_kernel(model: Any, d: int) -> None:
    """Score a row of zeros: only scikit-learn knows its kernels and parameters."""
    if not model.supports.shape[0]:
        return
    row = sp.csr_array((1, d)) if sp.issparse(model.supports) else np.zeros((1, d))
    try:
        model.scores(row)
    except (ValueError, TypeError, ArithmeticError, LookupError) as error:
        raise ValueError(f"its kernel cannot be computed: {error}") from error


def _check_state(state: State | None, d: int, extra: int) -> None:
    """Reject a state that does not fit the number of features, and of a score's other weights."""
    if state is None:
        return
    for run in state.runs:
        if state.examples is None and run.hypothesis.shape[1] != d + extra:
            raise ValueError("its state for further learning does not fit its number of features")
        if isinstance(run.votes, VotedRuns) and run.votes.supports.shape[1] != d:
            raise ValueError("the votes of its state do not fit its number of features")
    if state.examples is not None and state.examples.ndim == 2 and state.examples.shape[1] != d:
        raise ValueError("the examples of its state do not fit its number of features")


def _shape(model: Any, d: int) -> tuple[int, int]:
    """Return the numbers of scores and features of a predictor; -1 for one that has none."""
    if isinstance(model, Tagger):
        return model.labels, model.features
    if isinstance(model, Linear):
        return model.coef.shape[0], model.coef.shape[1]
    if isinstance(model, Sum):
        shapes = {_shape(part, d) for part in model.parts}
        return shapes.pop() if len(shapes) == 1 else (-1, -1)
    if isinstance(model, PerClass):
        shapes = {_shape(member, d) for member in model.members}
        return len(model.members), d if shapes == {(1, d)} else -1
    supports = model.supports
    if isinstance(model, Expansion):
        scores = len(model.coef)
    else:
        scores = sum(history.outputs for history in model.histories)
    if not isinstance(model.similarity, Precomputed):
        return scores, -1 if supports.ndim == 1 else supports.shape[1]
    # With a Gram matrix the supports are numbers of its columns.
    return scores, d if counts(supports) and within(supports, d) else -1
