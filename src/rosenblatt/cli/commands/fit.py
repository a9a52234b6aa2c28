"""`rosenblatt fit`: train a model from a file."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.app import app, member, settings
from rosenblatt.cli.column_names import is_column_file
from rosenblatt.cli.file_roles import Reads, Writes, validation_files
from rosenblatt.cli.fitting import FitOptions, FitResult
from rosenblatt.cli.options import (
    Data,
    Drop,
    EstimatorName,
    Json,
    Passes,
    Seed,
    Set,
    TableOptions,
    Target,
    Text,
)
from rosenblatt.cli.output import percent, print_json, show
from rosenblatt.storage.json_values import plain

EVERYDAY = "averaged"
"""The model, where none is named."""
SHOWN_FEATURES = SHOWN_CLASSES = 4

Ngrams = Annotated[
    int,
    typer.Option(
        "--ngrams", min=1, max=5, help="Longest sequence of words that is a feature of a text."
    ),
]
TemplateFile = Annotated[
    Path | None,
    typer.Option(
        "--templates", help="Templates of the features of a column file, as CRF++ has them."
    ),
    Reads(),
]
Validate = Annotated[
    str | None,
    typer.Option("--validate", help="Fraction of the rows to hold out, such as 0.2, or a file."),
    Reads(validation_files),
]
Shuffle = Annotated[
    bool, typer.Option(help="Shuffle the rows in each pass, or learn them in their order.")
]
Out = Annotated[Path, typer.Option("--out", "-o", help="The model file."), Writes()]
Checkpoint = Annotated[
    Path | None,
    typer.Option("--checkpoint", help="A folder for checkpoints of the training."),
    Writes(inside=("training.npz", "rounds.npz")),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Resume from the checkpoint, if there is one.")
]
Every = Annotated[
    int, typer.Option("--every", min=1, help="Rows between two checkpoints within a pass.")
]
Memory = Annotated[
    float,
    typer.Option(
        "--memory", min=0.0, help="MB of rows to keep in memory; more are read in every pass."
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="Train on Dask: tcp://HOST:PORT, or local:4 for 4 processes."),
]
Shards = Annotated[
    int | None, typer.Option("--shards", min=1, help="Parts of the data on a cluster.")
]
Mixing = Annotated[
    str, typer.Option("--mixing", help="Weight of a shard on a cluster: uniform or mistakes.")
]


@app.command()
def fit(
    data: Data,
    target: Target = None,
    model: EstimatorName = EVERYDAY,
    text: Text = None,
    drop: Drop = None,
    ngrams: Ngrams = 1,
    templates: TemplateFile = None,
    validate: Validate = None,
    passes: Passes = 10,
    seed: Seed = 0,
    shuffle: Shuffle = True,
    out: Out = Path("model.rbt"),
    checkpoint: Checkpoint = None,
    resume: Resume = False,
    every: Every = 1_000_000,
    memory: Memory = 256.0,
    cluster: Cluster = None,
    shards: Shards = None,
    mixing: Mixing = "uniform",
    set_: Set = None,
    json: Json = False,
) -> None:
    """Train a model from a file, streamed, and save it.

    A column file of sentences (.conll, .conllu, .iob, or with --templates any name) trains a
    SequencePerceptron; --target is then the number of a column, the last one if left out.

    [bold]Example[/bold]: rosenblatt fit adult.csv --target income --validate 0.2 --out adult.rbt
    """
    table = TableOptions(data, target, text, drop, ngrams, validate, seed)
    if templates is not None or is_column_file(data):
        others = {"--text": text, "--drop": drop, "--checkpoint": checkpoint, "--cluster": cluster}
        _reject_for_sentences(others, model)
        own = {"max_iter": passes, "shuffle": shuffle} | settings(set_ or [], _tagger_class())
        _fit_sentences(table, templates, own, out, json)
        return
    if resume and checkpoint is None:
        raise ValueError("--resume needs --checkpoint DIR, the folder that holds the state.")
    began = time.perf_counter()
    kind = member(model)
    options = FitOptions(
        table=table,
        kind=kind,
        parameters=settings(set_ or [], kind),
        passes=passes,
        shuffle=shuffle,
        checkpoint=checkpoint,
        resume=resume,
        every=every,
        memory=memory * 2**20,
        cluster=cluster,
        shards=shards,
        mixing=mixing,
        quiet=json,
    )
    kind(**options.parameters).check_parameters()  # before the data are read
    result = _fit(options)
    record = _record(result, out)
    _save(result, record, out)
    seconds = time.perf_counter() - began
    if json:
        print_json(record | {"seconds": seconds, "rows_per_second": result.rows_per_second})
    else:
        _show(result, record, options.table, seconds)


# --- sentences ------------------------------------------------------------------------------


def _tagger_class() -> Any:
    import rosenblatt.cli.fast_imports  # noqa: F401 (before the estimators)
    from rosenblatt.estimators.sequences import SequencePerceptron

    return SequencePerceptron


def _reject_for_sentences(options: dict[str, Any], model: str) -> None:
    """Reject options that are for tables only."""
    if model.lower() not in (EVERYDAY, "sequence", "sequenceperceptron"):
        raise ValueError(
            f"--model {model} is for tables; sentences are learned by SequencePerceptron, with "
            "--set rule=NAME and --set readout=NAME."
        )
    for name, value in options.items():
        if value:
            raise ValueError(f"{name} is for tables, not for sentences of a column file.")


def _fit_sentences(
    table: TableOptions, templates: Path | None, parameters: dict[str, Any], out: Path, json: bool
) -> None:
    """Train a tagger from a column file, and save it."""
    from rosenblatt.cli.tagging import fit_tagger, show_scores
    from rosenblatt.storage import modelfile

    began = time.perf_counter()
    _tagger_class()(**parameters).check_parameters()  # before the data are read
    trained = fit_tagger(table, templates, parameters, quiet=json)
    origin = {name: value for name, value in trained.record.items() if name != "classes"}
    origin |= {"versions": _versions(), **trained.origin}
    modelfile.save(trained.estimator, out, recipe=trained.columns, provenance=plain(origin))
    record = {"model": str(out)} | trained.record | {"seconds": time.perf_counter() - began}
    if json:
        print_json(record)
        return
    mistakes = record["mistakes"].tolist()
    show(f"{len(mistakes)} passes · sentences mistaken: {', '.join(map(str, mistakes))}")
    if trained.held_out is not None:
        show("held out:")
        show_scores(trained.held_out)
    speed = f"{record['tokens_per_second']:,.0f} tokens/s learning"
    show(f"saved {out} ({out.stat().st_size / 1024:,.0f} KB) in {record['seconds']:.1f} s, {speed}")
    show(f"next: rosenblatt predict {out} NEW.conll")


# --- tables ---------------------------------------------------------------------------------


def _fit(options: FitOptions) -> FitResult:
    """Train on this machine, or on the cluster if one is named."""
    if options.cluster is None:
        from rosenblatt.cli.local_fit import fit_locally

        return fit_locally(options)
    from rosenblatt.cli.cluster_fit import fit_on_cluster

    return fit_on_cluster(options)


def _record(result: FitResult, out: Path) -> dict[str, Any]:
    """Return the figures of a training, for JSON and for the model file."""
    estimator, last = result.estimator, result.history[-1]
    return {
        "model": str(out),
        "estimator": type(estimator).__name__,
        "rows": last.rows,
        "features": estimator.n_features_in_,
        "classes": estimator.classes_,
        "passes": len(result.history),
        "updates": estimator.n_updates_,
        "converged": bool(estimator.converged_),
        "stalled": bool(estimator.outcome_.stalled),
        "learning_error": last.mistakes / max(1, last.rows),
        "training_error": result.training_error,
        "held_out_error": last.held_out_error,
        "held_out_rows": last.held_out_rows,
        "history": [vars(tally) for tally in result.history],
    }


def _save(result: FitResult, record: dict[str, Any], out: Path) -> None:
    """Write the model file, with its provenance."""
    from rosenblatt.storage import modelfile

    origin = {name: value for name, value in record.items() if name not in ("model", "classes")}
    origin |= {"settings": result.settings, "versions": _versions(), **result.origin}
    modelfile.save(result.estimator, out, recipe=result.recipe, provenance=plain(origin))


def _versions() -> dict[str, str]:
    """Return the versions that a model was made with."""
    import platform

    import numpy as np

    import rosenblatt

    return {
        "rosenblatt": rosenblatt.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


# --- for people -----------------------------------------------------------------------------


def _show(result: FitResult, record: dict[str, Any], table: TableOptions, seconds: float) -> None:
    """Print what was learned, how good it is, and what to do next."""
    from rosenblatt.cli.saved_model import strongest_weights

    _show_separation(record, table)
    _show_errors(record)
    _show_features(strongest_weights(result.estimator, result.recipe, SHOWN_FEATURES))
    out, speed = Path(record["model"]), result.rows_per_second
    size = out.stat().st_size
    show(f"saved {out} ({size / 1024:,.0f} KB) in {seconds:.1f} s, {speed:,.0f} rows/s learning")
    show(f"next: rosenblatt predict {out} NEW.csv")


def _show_separation(record: dict[str, Any], table: TableOptions) -> None:
    """Print whether the training rows are proved to be separated."""
    from rosenblatt.estimators.report import many

    passes = record["passes"]
    if record["converged"]:
        show(
            f"separated: no update in pass {passes} -> the last hypothesis classifies "
            f"the {record['rows']:,} training rows without error (proof)"
        )
        return
    mistakes = many(record["history"][-1]["mistakes"], "mistake")
    command = f"rosenblatt certify {table.data}"
    if table.target:
        command += f" --target {table.target}"
    end = "; more passes promised nothing (tol)" if record["stalled"] else ""
    show(
        f"not proved to be separated: {mistakes} while learning in pass {passes}{end}   "
        f"({command}  proves whether it is possible)"
    )


def _show_errors(record: dict[str, Any]) -> None:
    """Print the error on the training rows and on the held-out rows."""
    from rosenblatt.evaluation.errors import standard_error

    if record["training_error"] is None:
        error = percent(record["learning_error"])
        line = f"error while learning {error} (each row predicted before it was learned)"
    else:
        line = f"training error {percent(record['training_error'])}"
    held = record["held_out_error"]
    if held is not None:
        room = standard_error(held, record["held_out_rows"])
        line += f"    held-out error {percent(held)} ± {percent(2 * room)} (two standard errors)"
    show(line)


def _show_features(strongest: dict[Any, Any]) -> None:
    """Print the strongest features of a few classes."""
    for label, sides in list(strongest.items())[:SHOWN_CLASSES]:
        up, down = (
            ", ".join(f"{name} {weight:+.3g}" for name, weight in sides[side]) or "nothing"
            for side in ("positive", "negative")
        )
        show(f"raises {label}: {up}   lowers: {down}")
