"""What a fitted estimator holds: how each part of it looks, and what parts must fit together.

A model file is read by these tests, so that what is damaged, or made to deceive, is refused at once
and does not break a prediction later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.task import Carried
from rosenblatt.models import Assembly, Jury, Linear, Votes
from rosenblatt.models.expansion import Course, Crowd, Expansion
from rosenblatt.storage.records import (
    Test,
    array,
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
    within,
)
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.similarity import Precomputed


def _stream(value: Any) -> bool:
    if not isinstance(value, tuple) or len(value) not in (2, 3):
        return False
    # In kernel form the examples that hypotheses are made of come with them.
    examples = len(value) == 2 or either(table, counts)(value[2])
    return many(is_a(Carried))(value[1]) and examples


def _bracket(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(map(real, value))


def _last(value: Any) -> bool:
    if isinstance(value, tuple):
        return len(value) == 2 and matrix(value[0]) and vector(value[1])
    return isinstance(value, Expansion)


labels = array("biufUO", 1)
FITTED: dict[str, Test] = {
    "classes_": labels,
    "n_features_in_": whole,
    "feature_names_in_": array("O", 1),
    "coef_": matrix,
    "intercept_": vector,
    "n_iter_": whole,
    "converged_": flag,
    "n_updates_": whole,
    "pass_mistakes_": counts,
    "pass_errors_": counts,
    "radius_": real,
    "margin_bracket_": _bracket,
    "journal_": either(is_a(Journal), many(is_a(Journal))),
    "votes_": either(counts, many(counts)),
    "stopped_early_": flag,
    "validation_score_": real,
    "criterion_": vector,
    "dual_": matrix,
    "gap_": real,
    "support_": counts,
    "support_vectors_": table,
    "dual_coef_": matrix,
    "_model": is_a(Linear, Votes, Assembly, Jury, Expansion, Crowd),
    "_last": _last,
    "_lengths": vector,
    "_examples": whole,
    "_streamed": flag,
    "_separated": flag,
    "_one_vs_rest": flag,
    "_p": real,
    "_stream": either(nothing, _stream),
}
"""What a fitted estimator may hold; a file's other attributes, of a later version, are left."""

REQUIRED = ("classes_", "n_features_in_", "n_iter_", "converged_", "_model", "_examples", "_stream")


def consistent(estimator: Any) -> None:
    """Refuse what is right in each part and wrong together: shapes that would break later."""
    classes, d = estimator.classes_, estimator.n_features_in_
    rows = 1 if len(classes) == 2 else len(classes)
    if len(classes) < 2 or d < 1 or len(np.unique(classes)) != len(classes):
        raise ValueError("it needs two different classes and one feature at least")
    if not np.array_equal(np.unique(classes), classes):
        raise ValueError("its classes are not sorted")
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and (len(names) != d or not all(isinstance(n, str) for n in names)):
        raise ValueError("its features have names that do not fit")
    if hasattr(estimator, "coef_"):
        last = estimator._last
        fine = (
            estimator.coef_.shape == (rows, d)
            and estimator.intercept_.shape == (rows,)
            and isinstance(last, tuple)
            and last[0].shape == (rows, d)
            and last[1].shape == (rows,)
        )
        if not fine:
            raise ValueError("its weights have another shape than its classes and features ask for")
    elif not isinstance(estimator._model, (Expansion, Crowd)):
        raise ValueError("it has no weights")
    if _shape(estimator._model, d) != (rows, d):
        raise ValueError("what predicts has another shape than its classes and features ask for")
    if len(getattr(estimator, "pass_errors_", [0])) == 0:
        raise ValueError("it has made no pass")
    if estimator._stream is not None:
        known, carried, *examples = estimator._stream
        if bool(examples) == hasattr(estimator, "coef_"):
            raise ValueError("its state for further learning is that of another kind")
        tied = all(_tied(one, d, examples) for one in carried)
        if not labels(known) or not np.array_equal(known, classes) or not carried or not tied:
            raise ValueError("its state for further learning does not fit")
        if len(carried) not in (1, rows):
            raise ValueError("its state for further learning is that of other classes")


def _tied(carried: Carried, d: int, examples: list[Any]) -> bool:
    """Whether all hypotheses that a run goes on from are of one shape."""
    shape, votes, memo = carried.state.shape, carried.votes, carried.memo
    held = [getattr(carried.readout, name, np.zeros(0)) for name in ("total", "best")]
    if not all(h.shape in ((0,), shape) for h in held):
        return False
    if not examples:
        linear = votes is None or (isinstance(votes, Votes) and votes.start.coef.shape[1] == d)
        return shape[1] == d + 1 and linear and not memo
    count = examples[0].shape[0]
    kept = not memo or (
        memo.keys() == {"held", "memory"}
        and memo["memory"].shape == (2,)
        and memo["held"].dtype.kind in "iu"
        and within(memo["held"], count)
    )
    course = votes is None or (
        isinstance(votes, Course)
        and within(votes.updates.i, count)
        and (votes.start is None or len(votes.start) == count)
    )
    wide = examples[0].ndim == 1 or examples[0].shape[1] == d
    return shape[1] == count and kept and course and wide


def _shape(model: Any, d: int) -> tuple[int, int]:
    """Scores and features of what predicts."""
    if isinstance(model, Linear):
        return model.coef.shape[0], model.coef.shape[1]
    if isinstance(model, Votes):
        return _shape(model.start, d)
    if isinstance(model, Assembly):
        shapes = {_shape(part, d) for part in model.parts}
        return shapes.pop() if len(shapes) == 1 else (-1, -1)
    if isinstance(model, Jury):
        shapes = {_shape(vote, d) for vote in model.votes}
        return len(model.votes), shapes.pop()[1] if shapes <= {(1, d)} else -1
    scores = len(model.coef) if isinstance(model, Expansion) else len(model.courses)
    supports, given = model.supports, isinstance(model.similarity, Precomputed)
    if not given:
        return scores, -1 if supports.ndim == 1 else supports.shape[1]
    # With a Gram matrix the supports are numbers of its columns.
    numbered = supports.ndim == 1 and (
        not len(supports) or 0 <= supports.min() <= supports.max() < d
    )
    return scores, d if numbered else -1
