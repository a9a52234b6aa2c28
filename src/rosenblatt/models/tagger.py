"""What labels sequences: weights of features and of transitions between labels."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt.theory.spaces import Array


@dataclass
class Tagger:
    """A hypothesis over sentences: features x labels, and below them the transitions.

    A transition comes from the label that its row numbers, the last from the beginning.
    """

    weights: Array

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return int(self.weights.shape[1])

    @property
    def features(self) -> int:
        """How many features there are."""
        return len(self.weights) - self.labels - 1

    @property
    def coef(self) -> Array:
        """The weights of the features, a row for each label."""
        return self.weights[: self.features].T

    @property
    def transitions(self) -> Array:
        """The weights of the transitions, a row for each label that they come from."""
        return self.weights[self.features :]
