"""How right predictions are: accuracy, confusion, precision and recall, counted as rows go by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np

from rosenblatt.theory.spaces import Array


@dataclass
class Evaluation:
    """Counts of what was true and what was said; rows are true labels, columns predictions."""

    classes: Array
    confusion: Array
    strange: int = 0  # rows with a label that the model does not know: wrong whatever is said

    @classmethod
    def of(cls, estimator: Any, parts: Iterable[tuple[Any, Array]]) -> Evaluation:
        """Predict the parts and count."""
        classes = estimator.classes_
        found = cls(classes, np.zeros((len(classes), len(classes)), np.int64))
        for X, y in parts:
            found.add(y, estimator.predict(X))
        return found

    def add(self, y: Array, said: Array) -> None:
        """Count some rows."""
        place = np.searchsorted(self.classes, y)
        known = self.classes[np.minimum(place, len(self.classes) - 1)] == y
        self.strange += int((~known).sum())
        column = np.searchsorted(self.classes, said[known])
        np.add.at(self.confusion, (place[known], column), 1)

    @property
    def rows(self) -> int:
        return int(self.confusion.sum()) + self.strange

    @property
    def accuracy(self) -> float:
        return float(np.trace(self.confusion)) / self.rows if self.rows else nan

    @property
    def spread(self) -> float:
        """Standard error of the accuracy."""
        a = self.accuracy
        return sqrt(a * (1 - a) / self.rows) if self.rows else nan

    @property
    def precision(self) -> Array:
        """Of each class: how much of what was said to be it is it."""
        return _ratio(np.diag(self.confusion), self.confusion.sum(axis=0))

    @property
    def recall(self) -> Array:
        """Of each class: how much of it was found."""
        return _ratio(np.diag(self.confusion), self.confusion.sum(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        counts = self.confusion.sum(axis=1).tolist()
        rows = zip(self.classes.tolist(), self.precision, self.recall, counts, strict=True)
        return {
            "rows": self.rows,
            "accuracy": self.accuracy,
            "error": 1.0 - self.accuracy,
            "classes": [
                {"class": label, "precision": float(p), "recall": float(r), "rows": n}
                for label, p, r, n in rows
            ],
            "confusion": self.confusion.tolist(),
            "unknown_labels": self.strange,
        }


def _ratio(part: Array, whole: Array) -> Array:
    return np.divide(part, whole, out=np.full(len(part), nan), where=whole > 0)
