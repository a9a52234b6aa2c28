"""`rosenblatt predict`: label the rows of a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli.app import app
from rosenblatt.cli.file_roles import Writes
from rosenblatt.cli.options import Data, Json, ModelFile
from rosenblatt.cli.output import print_json
from rosenblatt.markup import printable

if TYPE_CHECKING:
    from rosenblatt.cli.predictions import PredictionWriter
    from rosenblatt.cli.saved_model import SavedModel

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="The output, .csv or .parquet, or a column file; standard output if - or left out.",
    ),
    Writes(),
]
Scores = Annotated[bool, typer.Option("--scores", help="Write the scores, too.")]


@app.command()
def predict(
    model: ModelFile,
    data: Data,
    out: Out = None,
    scores: Scores = False,
    json: Json = False,
) -> None:
    """Predict the labels of the rows of a file, or of the tokens of a column file.

    [bold]Example[/bold]: rosenblatt predict adult.rbt new.csv -o answers.csv --scores
    """
    from rosenblatt.cli.predictions import Collector, open_writer
    from rosenblatt.cli.saved_model import load_model
    from rosenblatt.storage.atomic import STANDARD_OUTPUT

    if str(out) in {"-", *STANDARD_OUTPUT}:
        out = None
    loaded = load_model(model)
    if loaded.tags:
        _tag(loaded, data, out, scores, json)
        return
    if json and out is None:
        collector = Collector()
        rows = _predict(loaded, data, scores, collector)
        print_json({"rows": rows, "out": None, "columns": collector.columns})
        return
    with open_writer(out) as writer:
        rows = _predict(loaded, data, scores, writer)
    if json:
        print_json({"rows": rows, "out": str(out)})
    elif out is not None:
        print(printable(f"wrote {rows:,} predictions to {out}"), file=sys.stderr)


def _tag(loaded: SavedModel, data: str, out: Path | None, scores: bool, json: bool) -> None:
    """Write the lines of a column file with the predicted labels in a last column."""
    from rosenblatt.cli.tagging import tagged_lines
    from rosenblatt.storage.atomic import writing

    if scores or (json and out is None):
        option = "--scores" if scores else "--json without --out"
        raise ValueError(f"{option} is for tables; the model labels the lines of column files.")
    tokens = 0
    with writing(out or "/dev/stdout") as file:
        for count, lines in tagged_lines(loaded.estimator, loaded.prepare, data):
            file.write(lines)
            tokens += count
    if json:
        print_json({"tokens": tokens, "out": str(out)})
    elif out is not None:
        print(printable(f"wrote {tokens:,} labelled tokens to {out}"), file=sys.stderr)


def _predict(loaded: SavedModel, data: str, scores: bool, writer: PredictionWriter) -> int:
    """Write the predictions and return the number of rows."""
    rows = 0
    for X in loaded.examples(data):
        columns: dict[str, Any] = {"prediction": loaded.estimator.predict(X)}
        if scores:
            columns |= _scores(loaded.estimator, X)
        writer.write(columns)
        rows += X.shape[0]
    return rows


def _scores(estimator: Any, X: Any) -> dict[str, Any]:
    """Return a column of scores, or one per class."""
    scores = estimator.decision_function(X)
    if scores.ndim == 1:
        return {"score": scores}
    return {f"score {c}": scores[:, n] for n, c in enumerate(estimator.classes_.tolist())}
