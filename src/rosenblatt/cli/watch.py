"""Commands to watch: a run written down, and the lab."""

from __future__ import annotations

import json as text_format
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.app import Json, app, emit, member, say, settings
from rosenblatt.cli.learn import Data, Drop, Name, Seed, Set, Target, Text
from rosenblatt.cli.roles import Reads, Writes

LARGEST = 50_000_000  # numbers in a journal's points


@app.command()
def trace(
    data: Data,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Where to write the journal (JSON)."), Writes()
    ],
    target: Target = None,
    model: Name = "perceptron",
    text: Text = None,
    drop: Drop = None,
    passes: Annotated[int, typer.Option("--passes", min=1, help="Passes at most.")] = 20,
    seed: Seed = 0,
    set_: Set = None,
    json: Json = False,
) -> None:
    """Train and write down every update, for the lab and for replays.

    [bold]Example[/bold]: rosenblatt trace iris.csv --target species --drop id -o run.json
    """
    from rosenblatt.cli import tables
    from rosenblatt.storage.atomic import write
    from rosenblatt.storage.replay import Samples, document

    kind = member(model)
    parameters = settings(set_ or [], kind)
    table = tables.learned(data, target, text, drop, None, seed, True, budget=float("inf"))
    X, y = table.whole()
    if X.shape[0] * X.shape[1] > LARGEST:
        raise ValueError(
            f"{X.shape[0]:,} x {X.shape[1]:,} points are too many for a journal; take fewer rows."
        )
    X = X.toarray() if hasattr(X, "toarray") else X
    chosen = {"random_state": seed, "max_iter": passes, "journal_size": 10_000_000} | parameters
    estimator = kind(**chosen)
    samples = Samples()
    estimator.fit(X, y, observers=[samples])
    told = document(estimator, X, y, samples)
    told["data"]["names"] = table.names()
    write(out, text_format.dumps(told, allow_nan=False).encode())
    made = {"updates": estimator.n_updates_, "passes": estimator.n_iter_}
    if json:
        emit({"out": str(out), "converged": bool(estimator.converged_), **made})
    else:
        say(f"saved {out}: {made['updates']:,} updates in {made['passes']} passes")


@app.command()
def lab(
    source: Annotated[
        Path | None, typer.Argument(help="A CSV table, or a journal (JSON) to open."), Reads()
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Where to listen; 0 for any free one.")] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, open nothing.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write one offline page of a run, and end."),
        Writes(),
    ] = None,
) -> None:
    """Open the lab: watch perceptrons learn, in the browser.

    [bold]Example[/bold]: rosenblatt lab run.json
    """
    from rosenblatt.lab.serve import serve

    serve(source, port=port, browser=not no_browser, export=export)
