"""Models that keep all hypotheses of their runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.models.expansion import kernel_rows
from rosenblatt.models.history import History
from rosenblatt.theory.spaces import Array


@dataclass
class VotedRuns:
    """Histories of runs over the same supports, read in one way; their scores are side by side.

    A linear run has the linear kernel, with the square of the constant feature as its constant, and
    supports in double precision. Runs that share supports share their kernel values.
    """

    similarity: Any
    supports: Any
    histories: list[History]
    reading: str = "vote"  # one of READINGS
    moment: int = 0  # the visit whose hypotheses a random reading takes

    def scores(self, X: Any) -> Array:
        """Return the scores of the rows of X."""
        out = np.empty((X.shape[0], sum(history.outputs for history in self.histories)))
        dense = 1 if sp.issparse(X) or X.ndim == 1 else X.shape[1]
        longest = max(len(history.lives) for history in self.histories)
        # Steps and their running sums are in memory at the same time: twice the width.
        for rows, K in kernel_rows(self.similarity, X, self.supports, 2 * max(dense, longest)):
            part = X[rows]
            columns = [h.scores(part, K, self.reading, self.moment) for h in self.histories]
            out[rows] = np.hstack(columns)
        return out

    def prolonged(self, visits: int) -> VotedRuns:
        """Return the same runs, their last hypotheses surviving `visits` more."""
        return replace(self, histories=[one.prolonged(visits) for one in self.histories])

    def then(self, later: VotedRuns) -> VotedRuns:
        """Return these runs followed by runs on other examples that start where these end."""
        stack = sp.vstack if sp.issparse(self.supports) else np.concatenate
        supports = stack([self.supports, later.supports])
        size, here = supports.shape[0], self.supports.shape[0]
        numbers = np.arange(size)
        pairs = zip(self.histories, later.histories, strict=True)
        histories = [
            one.renumbered(numbers[:here], size).then(other.renumbered(numbers[here:], size))
            for one, other in pairs
        ]
        return replace(self, supports=supports, histories=histories)
