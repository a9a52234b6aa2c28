"""`rosenblatt compare`: rank the family on a file."""

from __future__ import annotations

from math import inf
from typing import Annotated

import typer

from rosenblatt.cli.app import app, member
from rosenblatt.cli.options import Data, Drop, Json, Passes, Seed, TableOptions, Target, Text
from rosenblatt.cli.output import print_json, show

Models = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", help="An estimator to compare; may be repeated. All by default."),
]
Folds = Annotated[int, typer.Option("--folds", min=2, help="Folds of the cross-validation.")]
Scoring = Annotated[
    str | None,
    typer.Option(
        "--scoring",
        help="What to rank by, a name that scikit-learn knows: balanced_accuracy, f1_macro, "
        "roc_auc ... The error by default.",
    ),
]
TimeLimit = Annotated[
    float,
    typer.Option("--time-limit", help="Seconds for each estimator, after which it is stopped."),
]


@app.command()
def compare(
    data: Data,
    target: Target = None,
    models: Models = None,
    text: Text = None,
    drop: Drop = None,
    folds: Folds = 5,
    passes: Passes = 20,
    scoring: Scoring = None,
    time_limit: TimeLimit = 60.0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Cross-validate the family on a file and rank its members by error.

    [bold]Example[/bold]: rosenblatt compare wine.csv --target quality --model averaged --model AROW
    """
    from rosenblatt import compare as cross_validate
    from rosenblatt.cli.training_table import read_table

    names = [member(name).__name__ for name in models] if models else None
    table = read_table(TableOptions(data, target, text, drop, seed=seed), budget=inf)
    X, y = table.all_rows()
    board = cross_validate(
        X,
        y,
        cv=folds,
        members=names,
        scoring=scoring,
        scale=False,
        max_iter=passes,
        time_limit=time_limit,
        random_state=seed,
        progress=not json,
    )
    if json:
        facts = {"rows": len(y), "features": X.shape[1], "folds": folds, "chance": board.chance}
        print_json(facts | {"members": board.records()})
    else:
        show(*str(board).split("\n"))
