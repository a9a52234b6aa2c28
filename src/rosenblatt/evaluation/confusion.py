"""Accuracy, confusion matrix, precision and recall, counted part by part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np

from rosenblatt.theory.spaces import Array


@dataclass
class Evaluation:
    """A confusion matrix: rows are true classes, columns predicted classes."""

    classes: Array
    confusion: Array
    unknown: int = 0  # rows with a label that the model does not know: wrong in any case

    @classmethod
    def of(cls, estimator: Any, parts: Iterable[tuple[Any, Array]]) -> Evaluation:
        """Predict labelled examples, given in parts, and count the results."""
        classes = estimator.classes_
        found = cls(classes, np.zeros((len(classes), len(classes)), np.int64))
        for X, y in parts:
            found.add(y, estimator.predict(X))
        return found

    def add(self, y: Array, predicted: Array) -> None:
        """Count true labels and predictions of some rows."""
        place = np.searchsorted(self.classes, y)
        known = self.classes[np.minimum(place, len(self.classes) - 1)] == y
        self.unknown += int((~known).sum())
        column = np.searchsorted(self.classes, predicted[known])
        np.add.at(self.confusion, (place[known], column), 1)

    @property
    def rows(self) -> int:
        """Number of rows counted."""
        return int(self.confusion.sum()) + self.unknown

    @property
    def accuracy(self) -> float:
        """Fraction of rows predicted correctly."""
        return float(np.trace(self.confusion)) / self.rows if self.rows else nan

    @property
    def standard_error(self) -> float:
        """Standard error of the accuracy."""
        a = self.accuracy
        return sqrt(a * (1 - a) / self.rows) if self.rows else nan

    @property
    def precision(self) -> Array:
        """Fraction of the predictions of each class that are correct."""
        return _ratio(np.diag(self.confusion), self.confusion.sum(axis=0))

    @property
    def recall(self) -> Array:
        """Fraction of the rows of each class that are predicted correctly."""
        return _ratio(np.diag(self.confusion), self.confusion.sum(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and rates as plain values."""
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
            "unknown_labels": self.unknown,
        }


def _ratio(part: Array, whole: Array) -> Array:
    return np.divide(part, whole, out=np.full(len(part), nan), where=whole > 0)
