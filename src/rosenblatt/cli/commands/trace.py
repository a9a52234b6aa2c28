"""`rosenblatt trace`: record every update of a training."""

from __future__ import annotations

import json as json_format
from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.app import app, member, settings
from rosenblatt.cli.file_roles import Writes
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
from rosenblatt.cli.output import print_json, show

MOST_NUMBERS = 50_000_000
"""Numbers in the examples of a journal, which holds them as text."""
JOURNAL_SIZE = 10_000_000

Out = Annotated[Path, typer.Option("--out", "-o", help="The journal to write (JSON)."), Writes()]


@app.command()
def trace(
    data: Data,
    out: Out,
    target: Target = None,
    model: EstimatorName = "perceptron",
    text: Text = None,
    drop: Drop = None,
    passes: Passes = 20,
    seed: Seed = 0,
    set_: Set = None,
    json: Json = False,
) -> None:
    """Train and record every update, for the lab and for replays.

    [bold]Example[/bold]: rosenblatt trace iris.csv --target species --drop id -o run.json
    """
    from rosenblatt.cli.training_table import read_table
    from rosenblatt.storage.atomic import write
    from rosenblatt.storage.replay import Samples, run_document

    kind = member(model)
    defaults = {
        "random_state": seed,
        "max_iter": passes,
        "journal_size": JOURNAL_SIZE,
        "count_errors": True,
    }
    estimator = kind(**(defaults | settings(set_ or [], kind)))
    table = read_table(TableOptions(data, target, text, drop, seed=seed), budget=inf)
    X, y = table.all_rows()
    X = _dense(X)
    samples = Samples()
    estimator.fit(X, y, observers=[samples])
    journal = run_document(estimator, X, y, samples)
    journal["data"]["names"] = list(table.recipe.feature_names)
    write(out, json_format.dumps(journal, allow_nan=False).encode())
    updates, made = estimator.n_updates_, estimator.n_iter_
    if json:
        facts = {"converged": bool(estimator.converged_), "updates": updates, "passes": made}
        print_json({"out": str(out)} | facts)
    else:
        show(f"saved {out}: {updates:,} updates in {made} passes")


def _dense(X: Any) -> Any:
    """Return examples as a dense array, or reject them if a journal cannot hold them."""
    if X.shape[0] * X.shape[1] > MOST_NUMBERS:
        raise ValueError(
            f"{X.shape[0]:,} x {X.shape[1]:,} numbers are too many for a journal; use fewer rows."
        )
    return X.toarray() if hasattr(X, "toarray") else X
