"""Observers: called while a model is trained; they can stop training but never change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosenblatt.engine.run import Run
    from rosenblatt.engine.trainer import Trainer
    from rosenblatt.theory.journal import Updates


class Observer:
    """Does nothing; derive from it and override what is of interest."""

    chunk: int | None = None
    """The most visits between two calls of `on_chunk`; None leaves it to the engine."""

    early = False
    """Whether a stop that it asks for counts as `stopped_early_`: nothing was wrong."""

    def on_start(self, trainer: Trainer) -> None:
        """Called before the first pass."""

    def on_chunk(self, run: Run, updates: Updates) -> None:
        """Called after some visits of a run; `updates` is a view that the loop overwrites."""

    def on_part(self, trainer: Trainer) -> None:
        """Called after each part of a pass over data that come in parts, or blocks of a pass."""

    def on_pass(self, trainer: Trainer) -> bool:
        """Called after each pass; True ends learning."""
        return False

    def on_end(self, trainer: Trainer) -> None:
        """Called after the last pass."""
