"""Training on this machine: from memory, or streamed from the file in each pass."""

from __future__ import annotations

from typing import Any

import rosenblatt.cli.fast_imports  # noqa: F401 (before anything that imports scikit-learn)
from rosenblatt.cli.fitting import FitOptions, FitResult
from rosenblatt.cli.output import show
from rosenblatt.cli.progress import ProgressBar
from rosenblatt.cli.training_table import TrainingTable, read_table
from rosenblatt.engine.execution import preload
from rosenblatt.engine.observers import Observer
from rosenblatt.evaluation.errors import HeldOutErrors, count_errors
from rosenblatt.storage.checkpoint import STATE, Checkpoints, resume
from rosenblatt.storage.json_values import plain


def fit_locally(options: FitOptions) -> FitResult:
    """Train on this machine."""
    table = read_table(
        options.table, shuffle=options.shuffle, every=options.every, budget=options.memory
    )
    if not options.quiet:
        show(table.description())
    settings = _settings(options, table)
    preload()  # loading compiled code is not part of the learning time
    with ProgressBar(options.passes, table.rows, quiet=options.quiet) as bar:
        estimator = _train(options, table, settings, bar)
        wrong, rows = count_errors(estimator, table.in_order())  # of no rows if none are kept
    outcome = estimator.outcome_
    outcome.relabelled(table.stream.classes).write(estimator)
    return FitResult(
        estimator=estimator,
        recipe=table.recipe,
        history=outcome.state.history,
        rows_per_second=bar.rows_per_second,
        training_error=wrong / rows if table.kept else None,
        settings=settings,
        origin=table.origin(),
    )


def _settings(options: FitOptions, table: TrainingTable) -> dict[str, Any]:
    """Return what a resumed training must agree with."""
    settings = {
        "model": options.kind.__name__,
        "parameters": options.parameters,
        "passes": options.passes,
        "seed": options.table.seed,
    }
    return plain(settings | table.settings())


def _train(
    options: FitOptions, table: TrainingTable, settings: dict[str, Any], bar: ProgressBar
) -> Any:
    """Train pass by pass, with checkpoints if they are wanted; return the estimator."""
    observers: list[Observer] = [HeldOutErrors()]
    state = None
    if options.checkpoint is not None:
        options.check_new_state(options.checkpoint / STATE)
        state = resume(options.checkpoint, settings) if options.resume else None
        observers.append(Checkpoints(options.checkpoint, settings, options.every, table.files))
    estimator = options.new_estimator()
    return estimator.fit_source(
        table, max_passes=options.passes, state=state, observers=[*observers, bar]
    )
