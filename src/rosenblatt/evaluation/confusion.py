"""Accuracy, confusion matrix, precision and recall, counted part by part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
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
    scores: tuple[list[Array], list[Array]] = field(default_factory=lambda: ([], []))
    """With two classes the scores of the rows of each, for the area under the ROC curve."""

    @classmethod
    def of(cls, estimator: Any, parts: Iterable[tuple[Any, Array]]) -> Evaluation:
        """Predict labelled examples, given in parts, and count the results."""
        classes = estimator.classes_
        found = cls(classes, np.zeros((len(classes), len(classes)), np.int64))
        scored = len(classes) == 2 and hasattr(estimator, "decision_function")
        for X, y in parts:
            found.add(y, estimator.predict(X))
            if scored:
                found.add_scores(y, np.asarray(estimator.decision_function(X)))
        return found

    def add_scores(self, y: Array, scores: Array) -> None:
        """Keep the scores of some rows of two classes."""
        for label, kept in zip(self.classes, self.scores, strict=True):
            kept.append(scores[y == label])

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

    @property
    def f1(self) -> Array:
        """Harmonic mean of precision and recall of each class that occurs or is predicted."""
        hits, shape = 2 * np.diag(self.confusion), self.confusion.sum(axis=0)
        return _ratio(hits, shape + self.confusion.sum(axis=1))

    @property
    def balanced_accuracy(self) -> float:
        """Mean recall of the classes that occur, so that rare ones count as much as others."""
        return _mean(self.recall)

    @property
    def mean_f1(self) -> float:
        """Mean F1 of the classes that occur or are predicted."""
        return _mean(self.f1)

    @property
    def auc(self) -> float:
        """Area under the ROC curve: how often the second class scores higher than the first.

        Ties count one half. Known for two classes, if both occur.
        """
        below, above = (np.concatenate(kept) if kept else np.zeros(0) for kept in self.scores)
        if not len(below) or not len(above):
            return nan
        below.sort()
        wins = np.searchsorted(below, above, "left").sum(dtype=float)
        ties = np.searchsorted(below, above, "right").sum(dtype=float) - wins
        return float((wins + 0.5 * ties) / (float(len(below)) * len(above)))

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and rates as plain values."""
        counts = self.confusion.sum(axis=1).tolist()
        rates = self.precision, self.recall, self.f1
        rows = zip(self.classes.tolist(), *rates, counts, strict=True)
        return {
            "rows": self.rows,
            "accuracy": self.accuracy,
            "error": 1.0 - self.accuracy,
            "balanced_accuracy": self.balanced_accuracy,
            "f1": self.mean_f1,
            "auc": self.auc,
            "classes": [
                {
                    "class": label,
                    "precision": float(p),
                    "recall": float(r),
                    "f1": float(f),
                    "rows": n,
                }
                for label, p, r, f, n in rows
            ],
            "confusion": self.confusion.tolist(),
            "unknown_labels": self.unknown,
        }


def _ratio(part: Array, whole: Array) -> Array:
    return np.divide(part, whole, out=np.full(len(part), nan), where=whole > 0)


def _mean(rates: Array) -> float:
    """Return the mean of the rates that are known."""
    known = rates[~np.isnan(rates)]
    return float(known.mean()) if len(known) else nan
