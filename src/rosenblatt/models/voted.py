"""Models that keep all hypotheses of their runs."""

from __future__ import annotations

from collections.abc import Callable
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
        return self._read(
            X, lambda history, rows, K: history.scores(rows, K, self.reading, self.moment)
        )

    def _read(self, X: Any, read: Callable[[History, Any, Array], Array]) -> Array:
        """Return what `read` makes of each history, side by side."""
        out = np.empty((X.shape[0], sum(history.outputs for history in self.histories)))
        width = 1 if sp.issparse(X) or X.ndim == 1 else X.shape[1]
        if self.reading != "vote":
            # Steps and their running sums are in memory at the same time: twice the width.
            width = 2 * max(width, *(len(history.lives) for history in self.histories))
        for rows, K in kernel_rows(self.similarity, X, self.supports, width):
            part = X[rows]
            out[rows] = np.hstack([read(history, part, K) for history in self.histories])
        return out

    def votes(self, X: Any, part: int) -> Array:
        """Return the votes of a part of the visits, as `History.votes` has them."""
        return self._read(X, lambda history, rows, K: history.votes(rows, K, part))

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

    def latest(self, most: int) -> VotedRuns:
        """Return linear runs of which only the latest hypotheses vote, at most `most`."""
        dropped = [max(0, len(one.lives) - most) for one in self.histories]
        if not any(dropped):
            return self
        pairs = zip(self.histories, dropped, strict=True)
        constant = self.similarity.constant
        histories = [one.without_first(n, self.supports, constant) for one, n in pairs]
        used = np.unique(np.concatenate([one.updates.i for one in histories]))
        places = np.zeros(self.supports.shape[0], int)
        places[used] = np.arange(len(used))
        histories = [one.renumbered(places, len(used)) for one in histories]
        return replace(self, supports=self.supports[used], histories=histories)
