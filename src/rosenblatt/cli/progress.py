"""The progress bar of a training."""

from __future__ import annotations

import sys
from typing import Any

from rosenblatt.cli.output import percent
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.trainer import Trainer


class ProgressBar(Observer):
    """A progress bar on stderr, shown only in a terminal."""

    def __init__(self, passes: int, rows: int | None, *, quiet: bool) -> None:
        self.bar: Any = None
        self.task: Any = None
        self.total = rows * passes if rows else None
        self.wanted = not quiet and sys.stderr.isatty()
        self.rows_per_second = 0.0  # of learning, known at the end

    def __enter__(self) -> ProgressBar:
        if self.wanted:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[status]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self.bar.start()
            self.task = self.bar.add_task("reading", total=None, status="")
        return self

    def __exit__(self, *reason: Any) -> None:
        if self.bar is not None:
            self.bar.stop()

    def on_part(self, trainer: Trainer) -> None:
        self._update(trainer)

    def on_pass(self, trainer: Trainer) -> bool:
        self._update(trainer)
        return False

    def on_end(self, trainer: Trainer) -> None:
        self.rows_per_second = trainer.visited / max(trainer.seconds, 1e-9)

    def _update(self, trainer: Trainer) -> None:
        if self.bar is None:
            return
        under_way = trainer.parts.tally.rows if trainer.parts.done else 0
        number = min(trainer.passes + bool(trainer.parts.done), trainer.plan.max_passes)
        self.bar.update(
            self.task,
            description=f"pass {number}/{trainer.plan.max_passes}",
            total=self.total,
            completed=sum(tally.rows for tally in trainer.history) + under_way,
            status=_status(trainer),
        )


def _status(trainer: Trainer) -> str:
    now, history = trainer.progress(), trainer.history
    parts = [f"mistakes {now.mistakes:,}"]
    if now.rows:
        parts.append(f"error while learning {percent(now.mistakes / now.rows)}")
    if history and history[-1].held_out_error is not None:
        parts.append(f"held-out {percent(history[-1].held_out_error)}")
    parts.append(f"{trainer.visited / max(trainer.seconds, 1e-9):,.0f} rows/s")
    return " · ".join(parts)
