"""Training on a cluster: `fit --cluster`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import rosenblatt.cli.fast_imports  # noqa: F401 (before anything that imports scikit-learn)
from rosenblatt.cli.file_roles import parse_validate
from rosenblatt.cli.fitting import FitOptions, FitResult
from rosenblatt.cli.output import show
from rosenblatt.cli.sources import check_classes, open_training_source
from rosenblatt.cluster import DistributedPerceptron, describe_round
from rosenblatt.data import learn_recipe
from rosenblatt.engine.state import Tally
from rosenblatt.storage.json_values import plain

STATE = "rounds.npz"


def fit_on_cluster(options: FitOptions) -> FitResult:
    """Train on the shards of a cluster."""
    learner = _learner(options)
    learner.check()
    table = options.table
    fraction, validation_file = parse_validate(table.validate)
    source = open_training_source(table)
    recipe = learn_recipe(
        source,
        options.memory,
        ngrams=table.ngrams,
        target=table.target,
        text=table.text or (),
        drop=table.drop or (),
    )
    check_classes(recipe.classes, source)
    if not options.quiet:
        show(f"reading {source.name}    {recipe.report()}")
    _run(learner, options, recipe, validation_file, fraction)
    rounds = learner.rounds_
    seconds = sum(record["seconds"] for record in rounds)
    return FitResult(
        estimator=learner.model_,
        recipe=recipe,
        history=[_tally(record) for record in rounds],
        rows_per_second=sum(record["visits"] for record in rounds) / max(seconds, 1e-9),
        training_error=None,
        settings=_settings(options),
        origin=_origin(source, recipe, rounds),
    )


def _learner(options: FitOptions) -> DistributedPerceptron:
    """Return the distributed estimator, with its checkpoint."""
    order = {}
    if not options.shuffle and "shuffle" in options.kind().get_params():
        order = {"shuffle": False}
    return DistributedPerceptron(
        options.new_estimator(max_iter=options.passes, **order),
        mixing=options.mixing,
        shards=options.shards,
        client=options.cluster,
        checkpoint=_state(options),
    )


def _state(options: FitOptions) -> Path | None:
    """Return the file of the checkpoint, and make its folder."""
    if options.checkpoint is None:
        return None
    state = options.checkpoint / STATE
    options.check_new_state(state)
    options.checkpoint.mkdir(parents=True, exist_ok=True)
    return state


def _run(
    learner: DistributedPerceptron,
    options: FitOptions,
    recipe: Any,
    validation_file: str | None,
    fraction: float,
) -> None:
    """Run the rounds, printing a line after each."""
    from sklearn.exceptions import ConvergenceWarning

    def show_round(number: int, record: dict[str, Any]) -> None:
        if not options.quiet:
            show(describe_round(number, record))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the summary reports it
        learner.fit(
            options.table.data,
            recipe=recipe,
            X_val=validation_file,
            validate=fraction,
            watch=show_round,
        )


def _settings(options: FitOptions) -> dict[str, Any]:
    return plain({
        "model": options.kind.__name__,
        "parameters": options.parameters,
        "passes": options.passes,
        "seed": options.table.seed,
        "cluster": options.cluster,
        "mixing": options.mixing,
    })  # fmt: skip


def _origin(source: Any, recipe: Any, rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the provenance of a model; the digest only if all bytes were read here."""
    known = all(file.digest for file in source.files)
    return {
        "data": source.name,
        "digest": source.digest() if known else None,
        "target": recipe.target_name,
        "shards": len(rounds[-1]["by_shard"]),
    }


def _tally(record: dict[str, Any]) -> Tally:
    rows = record.get("held_rows", 0)
    wrong = round(record.get("held_out", 0.0) * rows)
    return Tally(*plain([record["visits"], record["updates"], record["mistakes"], rows, wrong]))
