"""The progress bar of a training."""

from __future__ import annotations

import sys
from typing import Any

from rosenblatt.cli.output import percent


class ProgressBar:
    """A progress bar on stderr, shown only in a terminal."""

    def __init__(self, passes: int, rows: int | None, *, quiet: bool) -> None:
        self.bar: Any = None
        self.task: Any = None
        self.total = rows * passes if rows else None
        self.wanted = not quiet and sys.stderr.isatty()

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

    def update(self, progress: Any) -> None:
        """Show how far the training is."""
        if self.bar is None:
            return
        now, history = progress.now, progress.history
        done = sum(tally.rows for tally in history) + (0 if now in history else now.rows)
        self.bar.update(
            self.task,
            description=f"pass {progress.number}/{progress.passes}",
            total=self.total,
            completed=done,
            status=_status(progress),
        )


def _status(progress: Any) -> str:
    now = progress.now
    parts = [f"mistakes {now.mistakes:,}"]
    if now.rows:
        parts.append(f"error while learning {percent(now.mistakes / now.rows)}")
    if progress.held_error is not None:
        parts.append(f"held-out {percent(progress.held_error)}")
    parts.append(f"{progress.visited / max(progress.seconds, 1e-9):,.0f} rows/s")
    return " · ".join(parts)
