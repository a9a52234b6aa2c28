"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from rosenblatt import ESTIMATORS
from rosenblatt.cli.file_roles import Reads, data_files

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, Parquet, Arrow, svmlight or IDX, compressed or not: a file, a folder, a "
        "pattern, or - for standard input.",
    ),
    Reads(data_files),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", help="The column to predict; svmlight and IDX data bring their labels."
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option("--text", help="A column of text, split into words; may be repeated."),
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="A column to leave out; may be repeated.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="A parameter of the estimator, name=value; may be repeated."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of the random generator.")]
Passes = Annotated[int, typer.Option("--passes", min=1, help="Maximum number of passes.")]
EstimatorName = Annotated[
    str,
    typer.Option(
        "--model", "-m", help="One of: " + ", ".join(ESTIMATORS) + ". Short names are accepted."
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, made by fit."), Reads()
]
TopFeatures = Annotated[
    int, typer.Option("--features", "-k", min=1, help="Features to show on each side.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, for programs.")]


@dataclass(frozen=True)
class TableOptions:
    """The data to learn from, the column to predict, and how to treat the others."""

    data: str
    target: str | None = None
    text: Sequence[str] | None = None
    drop: Sequence[str] | None = None
    ngrams: int = 1
    validate: str | None = None  # a fraction of the rows to hold out, or a file
    seed: int = 0
