"""The run of a model that labels sequences."""

from __future__ import annotations

import numpy as np

from rosenblatt.engine.runs import Runs
from rosenblatt.engine.state import State
from rosenblatt.models import Tagger
from rosenblatt.theory.spaces import Array


class SequenceRuns(Runs):
    """One run, over sentences."""

    _exported: tuple[int, State] | None = None  # as it was after these visits

    def _resume(self, state: State) -> None:
        """Go on from an earlier state, whose labels and features may be fewer."""
        self._check(state)
        (run,), (one,) = self.runs, state.runs
        place = np.searchsorted(self.plan.classes, state.classes)
        shape = run.h.shape[::-1]
        if one.hypothesis.shape != shape:
            order = run.space.order
            one = one.converted(lambda rows: _widened(rows, place, shape, order))
        run.import_state(one)
        if len(place) < len(self.plan.classes):
            run.readout.on_new_classes()
            run.from_zero = False

    def export_state(self) -> State:
        """What learning on other sentences goes on from; one copy of all weights a moment."""
        visits = self.runs[0].n.t
        if self._exported is None or self._exported[0] != visits:
            self._exported = visits, super().export_state()
        return self._exported[1]

    def hypotheses(self, last: bool = False) -> Tagger:
        """Return a model of the readout's hypothesis, or of the last one."""
        (run,) = self.runs
        if last:
            return Tagger(self.export_state().runs[0].hypothesis.T, run.space.order)
        found = run.readout.hypothesis(run, self.end(run))
        return Tagger(found.copy() if found is run.h else found, run.space.order)


def _widened(rows: Array, place: Array, shape: tuple[int, int], order: int) -> Array:
    """Return the rows of a hypothesis with those of more labels and the columns of more features.

    After the columns of the features are those of the histories: of the label that a transition
    comes from, or the beginning, and of order 2 of each two.
    """
    known, labels = len(place), shape[0]
    before = rows.shape[1] - len(_histories(np.arange(known + 1), known + 1, order))
    columns = _histories(np.append(place, labels), labels + 1, order)
    features = shape[1] - len(_histories(np.arange(labels + 1), labels + 1, order))
    if len(rows) != known or not 0 < before <= features:
        raise ValueError(
            f"what was learned has {max(0, before):,} features and {len(rows)} labels, which "
            f"these sentences, with {features:,} features and {labels} labels, do not extend."
        )
    wide = np.zeros(shape[::-1]).T
    wide[np.ix_(place, np.append(np.arange(before), features + columns))] = rows
    return wide


def _histories(place: Array, base: int, order: int) -> Array:
    """Return the numbers of all histories of labels that have these places."""
    if order == 1:
        return place
    return np.append(place, base + (place[:, None] * base + place).ravel())
