"""Checkpoints of a training: its state in a folder, saved after each pass and every few rows."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.engine.observers import Observer
from rosenblatt.engine.state import State
from rosenblatt.engine.trainer import Trainer
from rosenblatt.storage.atomic import inside, protect, write

STATE = "training.npz"
EVERY = 1_000_000  # rows between two checkpoints inside a pass


class Checkpoints(Observer):
    """Saves the state of a training to a folder.

    Parameters
    ----------
    folder : Path
    settings : dict
        What a resumed training must agree with: digest of the data, parameters, seed.
    every : int
        Rows between two checkpoints inside a pass.
    files : iterable of Path
        Files that are read by the training, and must not be written to.
    """

    def __init__(
        self, folder: Path, settings: dict[str, Any], every: int = EVERY,
        files: Iterable[Path] = (),
    ) -> None:  # fmt: skip
        self.folder, self.settings, self.every, self.files = folder, settings, every, files
        self.saved = 0  # rows of the pass when it was last saved

    def on_start(self, trainer: Trainer) -> None:
        protect(inside(self.folder, [STATE], "checkpoint"), self.files)
        self.saved = trainer.parts.tally.rows

    def on_part(self, trainer: Trainer) -> None:
        rows = trainer.parts.tally.rows
        if rows - self.saved >= self.every:
            self.save(trainer)
            self.saved = rows

    def on_pass(self, trainer: Trainer) -> bool:
        self.save(trainer)
        self.saved = 0
        return False

    def save(self, trainer: Trainer) -> None:
        """Write the state; a crash leaves the old file or the new one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        state = replace(trainer.export_state(), settings=self.settings)
        content = io.BytesIO()
        np.savez(content, **state.to_arrays())  # type: ignore[arg-type]
        write(self.folder / STATE, content.getvalue())


def resume(folder: Path, settings: dict[str, Any]) -> State | None:
    """Read the state in a folder; None if it holds nothing yet."""
    path = folder / STATE
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            state = State.from_arrays({name: file[name] for name in file.files})
    except (ValueError, EOFError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a checkpoint: {error}") from error
    mine = json.loads(json.dumps(settings))
    for name in {*mine, *state.settings}:
        if mine.get(name) != state.settings.get(name):
            raise ValueError(
                f"{folder} holds a training with {name} {state.settings.get(name)}, this one has "
                f"{mine.get(name)}; use the same command, or an empty folder."
            )
    return state
