"""Errors of predictions on rows that come in parts."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, sqrt
from typing import Any

from rosenblatt.engine.observers import Observer
from rosenblatt.engine.trainer import Trainer
from rosenblatt.models import predicted
from rosenblatt.theory.spaces import Array


def count_errors(estimator: Any, parts: Iterable[tuple[Any, Array]]) -> tuple[int, int]:
    """Return the number of wrong predictions, and of rows."""
    wrong = rows = 0
    for X, y in parts:
        wrong += int((estimator.predict(X) != y).sum())
        rows += len(y)
    return wrong, rows


def standard_error(error: float, rows: int) -> float:
    """Return the standard error of an error rate that was measured on some rows."""
    return sqrt(max(error * (1.0 - error), 0.0) / rows) if rows else inf


class HeldOutErrors(Observer):
    """Counts the errors on the held-out rows of a source after each pass."""

    def on_pass(self, trainer: Trainer) -> bool:
        tally, model = trainer.history[-1], trainer.predictor()
        for X, y in trainer.examples.held_out():
            tally.held_out_rows += len(y)
            tally.held_out_errors += int((predicted(model, X, trainer.plan.classes) != y).sum())
        return False
