"""The options and the result of a training, on this machine or on a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosenblatt.cli.options import TableOptions


@dataclass(frozen=True)
class FitOptions:
    """The options of `fit`, with the estimator's class and parameters looked up."""

    table: TableOptions
    kind: Any
    parameters: dict[str, Any]
    passes: int
    shuffle: bool
    checkpoint: Path | None
    resume: bool
    every: int
    memory: float  # bytes
    cluster: str | None
    shards: int | None
    mixing: Any  # as typed; the estimator checks it
    quiet: bool

    def new_estimator(self, **defaults: Any) -> Any:
        """Return an unfitted estimator; the given parameters win over the defaults."""
        defaults["random_state"] = self.table.seed
        return self.kind(**(defaults | self.parameters))

    def check_new_state(self, state: Path) -> None:
        """Reject a checkpoint that exists already unless it is to be resumed."""
        if not self.resume and state.exists():
            raise ValueError(
                f"{self.checkpoint} already holds a training; add --resume to continue it, or name "
                "an empty folder."
            )


@dataclass
class FitResult:
    """A fitted estimator, and how it was trained."""

    estimator: Any
    recipe: Any
    history: list[Any]  # a Tally for each pass
    rows_per_second: float
    training_error: float | None  # None if the rows were not kept
    settings: dict[str, Any]
    origin: dict[str, Any]
