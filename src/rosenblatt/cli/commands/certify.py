"""`rosenblatt certify`: prove that rows are separable, or that they are not."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.app import app
from rosenblatt.cli.file_roles import Writes
from rosenblatt.cli.options import Data, Drop, Json, TableOptions, Target, Text
from rosenblatt.cli.output import EXIT_NO, EXIT_OK, print_json, show
from rosenblatt.storage.json_values import plain

Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="The certificate to write (JSON)."),
    Writes(),
]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", min=0.0, help="Maximum seconds of the search.")
]
Standardise = Annotated[
    bool, typer.Option(help="Scale the numbers first; the proof is then about scaled numbers.")
]


@app.command()
def certify(
    data: Data,
    target: Target = None,
    text: Text = None,
    drop: Drop = None,
    out: Out = None,
    time_limit: TimeLimit = None,
    standardise: Standardise = False,
    json: Json = False,
) -> None:
    """Prove that the rows can be separated by a hyperplane, or that they cannot.

    Exit code 0 if they can, 1 if they cannot or nothing is proved.

    [bold]Example[/bold]: rosenblatt certify iris.csv --target species -o certificate.json
    """
    import numpy as np

    from rosenblatt import certify as search
    from rosenblatt.cli.proof_data import exact_examples, scope
    from rosenblatt.cli.training_table import read_table

    table = read_table(
        TableOptions(data, target, text, drop),
        shuffle=False,
        budget=inf,
        dtype=np.float64,
        standardise=standardise,
    )
    found = search(*exact_examples(table.stream), time_limit=time_limit)
    recipe = table.recipe
    about = scope(recipe, table.stream.source.names)
    if out is not None:
        stored = plain({"words": recipe.to_dict(), "arrays": recipe.arrays()})
        found.save(out, scope=about, recipe=stored)
    if json:
        print_json(found.to_dict() | {"scope": about})
    else:
        show(*str(found).split("\n"), *filter(None, [found.statement(), found.note, about]))
        if out is not None:
            show(f"saved {out}   next: rosenblatt verify {out} {data}")
    raise typer.Exit(EXIT_OK if found.verdict == "separable" else EXIT_NO)
