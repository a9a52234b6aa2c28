"""Training on this machine: from memory, or streamed from the file in each pass."""

from __future__ import annotations

import time
from typing import Any

from rosenblatt.cli.fitting import FitOptions, FitResult
from rosenblatt.cli.output import plain, show
from rosenblatt.cli.progress import ProgressBar
from rosenblatt.cli.training import STATE, Tally, Training, errors, relabel
from rosenblatt.cli.training_table import TrainingTable, read_table
from rosenblatt.engine.compiled import ready


def fit_locally(options: FitOptions) -> FitResult:
    """Train on this machine."""
    table = read_table(
        options.table, shuffle=options.shuffle, every=options.every, budget=options.memory
    )
    if not options.quiet:
        show(table.description())
    settings = _settings(options, table)
    ready()  # loading compiled code is not part of the learning time
    with ProgressBar(options.passes, table.rows, quiet=options.quiet) as bar:
        if hasattr(options.new_estimator(), "partial_fit"):
            estimator, history, speed = _train_in_passes(options, table, settings, bar)
        else:
            estimator, history, speed = _train_at_once(options, table)
        wrong, rows = errors(estimator, table.unmixed())  # of no rows if none are kept
    relabel(estimator, table.stream.classes)
    return FitResult(
        estimator=estimator,
        recipe=table.recipe,
        history=history,
        rows_per_second=speed,
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


def _train_in_passes(
    options: FitOptions, table: TrainingTable, settings: dict[str, Any], bar: ProgressBar
) -> tuple[Any, list[Tally], float]:
    """Train with `partial_fit`; return the estimator, its passes and rows per second."""
    training = Training(
        options.new_estimator(),
        table,
        passes=options.passes,
        checkpoint=options.checkpoint,
        every=options.every,
        settings=settings,
        recipe=table.recipe,
    )
    if options.checkpoint is not None:
        options.check_new_state(options.checkpoint / STATE)
    if options.resume:
        training.resume()
    training.run(bar.update)
    speed = training.visited / max(training.seconds, 1e-9)
    return training.estimator, training.state.history, speed


def _train_at_once(options: FitOptions, table: TrainingTable) -> tuple[Any, list[Tally], float]:
    """Train with `fit`; return the estimator, one tally and rows per second."""
    name = options.kind.__name__
    if options.checkpoint is not None:
        raise ValueError(f"{name} learns from all rows at once; leave out --checkpoint.")
    if not table.kept:
        raise ValueError(
            f"{name} learns from all rows at once, and they do not fit; raise --memory."
        )
    X, y = table.stream.whole()
    estimator = options.new_estimator(max_iter=options.passes)
    began = time.perf_counter()
    estimator.fit(X, y)
    seconds = time.perf_counter() - began
    wrong, held = errors(estimator, table.held())
    made, updates = int(estimator.pass_mistakes_[-1]), int(estimator.n_updates_)
    tally = Tally(len(y), updates, made, held, wrong)
    return estimator, [tally], len(y) * estimator.n_iter_ / max(seconds, 1e-9)
