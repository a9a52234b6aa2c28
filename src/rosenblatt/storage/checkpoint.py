"""Checkpoints of a training: its state, saved in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rosenblatt.engine.observers import Observer
from rosenblatt.engine.state import State
from rosenblatt.engine.trainer import Trainer
from rosenblatt.storage.atomic import inside, protect, write
from rosenblatt.storage.codec import npz_content, read_npz

STATE = "training.npz"
EARLIER_STATE = "training.rbt"  # of versions before model format 2
EVERY = 1_000_000  # rows between two checkpoints within a pass


class Checkpoints(Observer):
    """An observer that saves the state of a training to a folder.

    Parameters
    ----------
    folder : Path
        Created if it does not exist.
    settings : dict
        Settings that a resumed training must share: digest of the data, parameters, seed.
    every : int
        Rows between two checkpoints within a pass.
    files : iterable of Path
        Files that the training reads, which must not be overwritten.
    """

    def __init__(
        self, folder: Path, settings: dict[str, Any], every: int = EVERY,
        files: Iterable[Path] = (),
    ) -> None:  # fmt: skip
        self.folder, self.settings, self.every, self.files = folder, settings, every, files
        self.saved = 0  # rows of the pass at the last checkpoint

    def on_start(self, trainer: Trainer) -> None:
        """Check the folder before any work is done."""
        protect(inside(self.folder, [STATE], "checkpoint"), self.files)
        self.saved = trainer.parts.tally.rows

    def on_part(self, trainer: Trainer) -> None:
        """Save the state if enough rows have been learned since the last checkpoint."""
        rows = trainer.parts.tally.rows
        if rows - self.saved >= self.every:
            self.save(trainer)
            self.saved = rows

    def on_pass(self, trainer: Trainer) -> bool:
        """Save the state; never stop the training."""
        self.save(trainer)
        self.saved = 0
        return False

    def save(self, trainer: Trainer) -> None:
        """Write the state; a crash leaves the old file or the new one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        state = replace(trainer.export_state(), settings=self.settings)
        write(self.folder / STATE, npz_content(state.to_arrays()))


def resume(folder: Path, settings: dict[str, Any]) -> State | None:
    """Return the state saved in a folder; None if there is none yet."""
    path = folder / STATE
    if not path.exists():
        if (folder / EARLIER_STATE).exists():
            raise ValueError(
                f"{folder} holds a checkpoint of an earlier version, {EARLIER_STATE}; use an empty "
                "folder, or finish the training with that version."
            )
        return None
    try:
        state = State.from_arrays(read_npz(path))
        if any(run.position is not None for run in state.runs):
            raise ValueError("it is the state of a single run")
    except ValueError as error:
        raise ValueError(f"{path} is not a checkpoint: {error}.") from error
    new = json.loads(json.dumps(settings))
    for name in sorted({*new, *state.settings}):
        if new.get(name) != state.settings.get(name):
            raise ValueError(
                f"{folder} holds a training with {name} {state.settings.get(name)}, this one has "
                f"{new.get(name)}; use the same settings, or an empty folder."
            )
    return replace(state, settings={})  # which belong to the checkpoint, not to the model
