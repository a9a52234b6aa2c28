"""Checkpoints within a pass: one after a number of rows, in every pass, and after a resume."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from rosenblatt.engine.observers import Observer
from rosenblatt.estimators.sources import InMemory
from rosenblatt.storage.checkpoint import Checkpoints, resume
from tests.support.fits import X, Y


class Reader(Observer):
    """Reads the checkpoint after each part: rows of the pass when it was written."""

    def __init__(self, folder, parts):
        self.folder, self.parts = folder, parts
        self.found = []

    def on_part(self, trainer):
        state = resume(self.folder, {})
        self.found.append(None if state is None else state.parts.tally.rows)
        if len(self.found) == self.parts:
            raise KeyboardInterrupt


def rows_saved(folder, parts, state=None):
    """The rows of each checkpoint, while some parts of 30 rows are learned."""
    reader = Reader(folder, parts)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            rb.Perceptron().fit_source(
                InMemory(X, Y, seed=0, rows=30), max_passes=2, state=state,
                observers=[Checkpoints(folder, {}, every=60), reader],
            )  # fmt: skip
    except KeyboardInterrupt:
        pass
    return reader.found


def test_rows_are_counted_anew_in_each_pass(tmp_path):
    assert rows_saved(tmp_path, 10) == [None, 60, 60, 120, 120, 0, 60, 60, 120, 120]


def test_rows_are_counted_from_where_training_was_resumed(tmp_path):
    assert rows_saved(tmp_path, 3) == [None, 60, 60]
    state = resume(tmp_path, {})
    assert rows_saved(tmp_path, 8, state) == [60, 120, 120, 0, 60, 60, 120, 120]
