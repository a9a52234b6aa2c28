"""What labels sequences: weights of features and of transitions between labels."""

from __future__ import annotations

from dataclasses import dataclass

from rosenblatt.theory.spaces import Array


@dataclass
class Tagger:
    """A hypothesis over sentences: features x labels, and below them the transitions.

    A transition comes from the label that its row numbers, the last from the beginning. Of order 2
    there follow those that come from two labels, the first of which counts the rows by as many.
    """

    weights: Array
    order: int = 1

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return int(self.weights.shape[1])

    @property
    def features(self) -> int:
        """How many features there are."""
        base = self.labels + 1
        return len(self.weights) - (base if self.order == 1 else base + base * base)

    @property
    def coef(self) -> Array:
        """The weights of the features, a row for each label."""
        return self.weights[: self.features].T

    @property
    def transitions(self) -> Array:
        """The weights of the transitions, a row for each label that they come from."""
        return self.weights[self.features : self.features + self.labels + 1]

    @property
    def pair_transitions(self) -> Array | None:
        """The weights of the transitions from two labels, the earlier first; of order 1 None."""
        if self.order == 1:
            return None
        base = self.labels + 1
        return self.weights[self.features + base :].reshape(base, base, self.labels)
