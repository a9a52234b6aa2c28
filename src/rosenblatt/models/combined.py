"""Models made of other models: scores that add up, scores side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.models.voted import VotedRuns
from rosenblatt.theory.spaces import Array


@dataclass
class Sum:
    """Models whose scores add up, such as the votes of several shards."""

    parts: Sequence[VotedRuns]

    def scores(self, X: Any) -> Array:
        """Return the sum of the parts' scores, added in their order."""
        total = self.parts[0].scores(X)
        for part in self.parts[1:]:
            total = total + part.scores(X)
        return total


@dataclass
class PerClass:
    """One model for each class against the rest, with one score each."""

    members: Sequence[VotedRuns | Sum]

    def scores(self, X: Any) -> Array:
        """Return the scores of the members side by side."""
        return np.hstack([member.scores(X) for member in self.members])
