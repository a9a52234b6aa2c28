"""Commands that use a model: predict, evaluate, inspect and export."""

from __future__ import annotations

import sys
from math import isnan
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.app import Json, app, emit, percent, plain, say
from rosenblatt.cli.learn import Data
from rosenblatt.cli.roles import Reads, Writes

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, made by fit."), Reads()]


@app.command()
def predict(
    model: Model,
    data: Data,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to: .csv or .parquet; none or -: standard output."),
        Writes(),
    ] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Write the scores too.")] = False,
    json: Json = False,
) -> None:
    """Predict the rows of a file.

    [bold]Example[/bold]: rosenblatt predict adult.rbt new.csv -o answers.csv --scores
    """
    from rosenblatt.cli import tables
    from rosenblatt.storage.atomic import STANDARD_OUTPUT

    if str(out) in {"-", *STANDARD_OUTPUT}:
        out = None
    loaded = tables.model(model)
    rows = 0
    with tables.answers(out, quiet=json) as sink:
        for X, _ in tables.rows(loaded, data, labelled=False):
            columns: dict[str, Any] = {"prediction": loaded.estimator.predict(X)}
            if scores:
                columns |= _scores(loaded.estimator, X)
            sink(columns)
            rows += X.shape[0]
    if json:
        emit({"rows": rows, "out": None if out is None else str(out), **sink.told})
    elif out is not None:
        print(f"wrote {rows:,} predictions to {out}", file=sys.stderr)


def _scores(estimator: Any, X: Any) -> dict[str, Any]:
    found = estimator.decision_function(X)
    if found.ndim == 1:
        return {"score": found}
    return {f"score {c}": found[:, n] for n, c in enumerate(estimator.classes_.tolist())}


@app.command()
def evaluate(
    model: Model,
    data: Data,
    json: Json = False,
) -> None:
    """Measure a model on labelled rows: accuracy, confusion, precision and recall.

    [bold]Example[/bold]: rosenblatt evaluate adult.rbt adult-test.csv
    """
    from rosenblatt.cli import tables
    from rosenblatt.evaluation.confusion import Evaluation

    loaded = tables.model(model)
    found = Evaluation.of(loaded.estimator, tables.rows(loaded, data, labelled=True))
    if not found.rows:
        raise ValueError(f"{data} holds no rows.")
    if json:
        emit(found.to_dict())
        return
    say(f"{found.rows:,} rows · accuracy {percent(found.accuracy)} ± {100 * found.spread:.2f}"
        f" · error {percent(1 - found.accuracy)}")  # fmt: skip
    if found.strange:
        say(f"{found.strange:,} rows have a label that the model does not know")
    _table(found)


def _table(found: Any) -> None:
    from rich.table import Table

    names = [str(label) for label in found.classes.tolist()]
    few = len(names) <= 20
    table = Table(box=None, title="rows: what is true, columns: what was said" if few else None)
    for name in ["", *(names if few else []), "precision", "recall"]:
        table.add_column(name, justify="right")
    lines = zip(names, found.confusion.tolist(), found.precision, found.recall, strict=True)
    for name, counts, precision, recall in lines:
        cells = [f"{count:,}" for count in counts] if few else []
        # A class that was never said, or never true, has no such rate.
        rates = ("–" if isnan(rate) else f"{rate:.4f}" for rate in (precision, recall))
        table.add_row(name, *cells, *rates)
    say(table)


@app.command()
def inspect(
    model: Model,
    features: Annotated[
        int, typer.Option("--features", "-k", min=1, help="Features to show on each side.")
    ] = 10,
    json: Json = False,
) -> None:
    """Show what a model holds: features by weight, history and where it came from.

    [bold]Example[/bold]: rosenblatt inspect adult.rbt --features 5
    """
    from rosenblatt.cli import tables

    loaded = tables.model(model)
    estimator, origin = loaded.estimator, loaded.provenance
    weights = tables.strongest(estimator, loaded.prepare, features)
    if json:
        emit({
            "estimator": type(estimator).__name__, "version": loaded.version,
            "parameters": plain(estimator.get_params()), "classes": estimator.classes_,
            "features": estimator.n_features_in_, "top_features": weights,
            "summary": estimator.summary(), "provenance": origin,
        })  # fmt: skip
        return
    say(estimator.summary())
    for label, sides in weights.items():
        say(f"\n{label}")
        for side in ("positive", "negative"):
            for name, weight in sides[side]:
                say(f"  {weight:+12.5g}  {name}")
    history = origin.get("history")
    if history:
        say("\npass      rows   mistakes   held-out")
        for number, tally in enumerate(history, 1):
            held = tally["held_errors"] / tally["held_rows"] if tally["held_rows"] else None
            told = "" if held is None else percent(held)
            say(f"{number:4d} {tally['rows']:9,} {tally['mistakes']:10,} {told:>10}")
    say(f"\nmade by rosenblatt {loaded.version}")
    for name in ("data", "digest", "rows", "target", "versions"):
        if name in origin:
            say(f"{name}: {origin[name]}")


@app.command()
def export(
    model: Model,
    onnx: Annotated[Path, typer.Option("--onnx", help="The ONNX file to write."), Writes()],
    json: Json = False,
) -> None:
    """Write a model in another format: ONNX.

    The graph takes the examples as the model's recipe makes them, and yields label and scores.

    [bold]Example[/bold]: rosenblatt export adult.rbt --onnx adult.onnx
    """
    from rosenblatt.cli import tables
    from rosenblatt.storage.onnx_export import to_onnx

    loaded = tables.model(model)
    to_onnx(loaded.estimator, onnx)
    width = loaded.estimator.n_features_in_
    if json:
        emit({"out": str(onnx), "bytes": onnx.stat().st_size, "features": width})
        return
    say(f"saved {onnx} ({onnx.stat().st_size / 1024:,.0f} KB)")
    if loaded.recipe is not None:
        say(f"its input X has {width:,} columns, as the recipe in {model} makes them")
