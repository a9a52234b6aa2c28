"""Observers that estimators bring along: early stopping, progress, scikit-learn's callbacks."""

from __future__ import annotations

import time
from math import inf
from typing import Any

import numpy as np

from rosenblatt.engine import execution
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.trainer import Trainer
from rosenblatt.models import predicted
from rosenblatt.theory.spaces import Array


class EarlyStopping(Observer):
    """Stops when the held-out accuracy no longer rises, and prefers the best predictor."""

    early = True

    def __init__(self, X: Any, y: Array, patience: int) -> None:
        self.X, self.y, self.patience = X, y, patience
        self.best_score, self.score, self.stale = -inf, 0.0, 0

    def on_pass(self, trainer: Trainer) -> bool:
        assert trainer.runs is not None
        model = trainer.runs.predictor()
        found = predicted(model, self.X, trainer.plan.classes)
        self.score = float(np.mean(found == self.y))
        self.stale += 1
        if self.score > self.best_score:
            trainer.preferred, self.best_score, self.stale = model, self.score, 0
        return self.stale >= self.patience


class Callbacks(Observer):
    """Passes the events of learning on to scikit-learn's callbacks."""

    early = True

    def __init__(self, context: Any, estimator: Any, X: Any, y: Array) -> None:
        self.context = context
        self.data: dict[str, Any] = {"estimator": estimator, "X": X, "y": y}
        self.task: Any = None

    def on_start(self, trainer: Trainer) -> None:
        self.context.call_on_fit_task_begin(**self.data)
        self._begin()

    def _begin(self) -> None:
        self.task = self.context.subcontext(task_name="pass")
        self.task.call_on_fit_task_begin(**self.data)

    def on_pass(self, trainer: Trainer) -> bool:
        stop = self.task.call_on_fit_task_end(
            **self.data, reconstruction_attributes=lambda: trainer.outcome().attributes()
        )
        last = trainer.finished or trainer.passes >= trainer.plan.max_passes
        if not stop and not last:
            self._begin()
        return bool(stop)

    def on_end(self, trainer: Trainer) -> None:
        self.context.call_on_fit_task_end(
            **self.data, reconstruction_attributes=lambda: trainer.outcome().attributes()
        )


class ProgressPrinter(Observer):
    """Prints progress: with verbose 1 at most about once a second, with 2 after each pass."""

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        if (status := execution.status()) is not None:
            print(status, flush=True)
        self.began = self.printed = time.perf_counter()

    def on_part(self, trainer: Trainer) -> None:
        now = time.perf_counter()
        assert trainer.runs is not None
        runs = trainer.runs.runs
        share = runs[0].part_done
        if not self.verbose or share >= 1 or now - self.printed < 1:
            return
        self.printed = now
        pace = self._visits(trainer) / max(now - self.began, 1e-9)
        print(
            f"pass {len(runs[0].passes) + 1}, {share:.0%} done · "
            f"{trainer.runs.updates:,} updates so far · {pace:,.0f} examples/s",
            flush=True,
        )

    def on_pass(self, trainer: Trainer) -> bool:
        now, runs = time.perf_counter(), trainer.runs
        assert runs is not None
        quiet = self.verbose == 1 and not runs.converged and now - self.printed < 1
        if not self.verbose or quiet:
            return False
        self.printed = now
        errors = int(runs.passes("errors")[-1])
        parts = [
            f"pass {trainer.passes}",
            f"{int(runs.passes('mistakes')[-1]):,} mistakes while learning",
        ]
        if errors >= 0:
            parts.append(f"{errors:,} errors after it")
        for other in trainer.observers:
            if isinstance(other, EarlyStopping):
                parts.append(f"held-out accuracy {other.score:.4f}")
        parts.append(f"{self._visits(trainer) / max(now - self.began, 1e-9):,.0f} examples/s")
        print(" · ".join(parts), flush=True)
        return False

    def _visits(self, trainer: Trainer) -> int:
        assert trainer.runs is not None
        return sum(run.n.t for run in trainer.runs.runs)
