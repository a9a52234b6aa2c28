"""Commands about what can be proved: certify and verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.app import FINE, NO, Json, app, emit, plain, say
from rosenblatt.cli.learn import Data, Drop, Target, Text
from rosenblatt.cli.roles import Reads, Writes


@app.command()
def certify(
    data: Data,
    target: Target = None,
    text: Text = None,
    drop: Drop = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to write the certificate (JSON)."),
        Writes(),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", min=0.0, help="Seconds to search at most.")
    ] = None,
    standardise: Annotated[
        bool, typer.Option(help="Scale numbers first; the proof is then about the scaled ones.")
    ] = False,
    json: Json = False,
) -> None:
    """Prove that the rows can be separated by a hyperplane, or that they cannot.

    Exit code 0 if they can, 1 if they cannot or nothing is proved.

    [bold]Example[/bold]: rosenblatt certify iris.csv --target species -o certificate.json
    """
    import numpy as np

    from rosenblatt import certify as proof
    from rosenblatt.cli import exactly, tables

    table = tables.learned(
        data, target, text, drop, None, 0, False, budget=float("inf"), dtype=np.float64,
        standardise=standardise,
    )  # fmt: skip
    found = proof(*exactly.examples(table.stream), time_limit=time_limit)
    recipe = table.recipe
    scope = exactly.scope(recipe, table.stream.source.names)
    if out is not None:
        words = plain({"words": recipe.to_dict(), "arrays": recipe.arrays()})
        found.save(out, scope=scope, recipe=words)
    if json:
        emit(found.to_dict() | {"scope": scope})
    else:
        say("\n".join(filter(None, [str(found), found.statement(), found.note, scope])))
        if out is not None:
            say(f"saved {out}   next: rosenblatt verify {out} {data}")
    raise typer.Exit(FINE if found.verdict == "separable" else NO)


@app.command()
def verify(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERT", help="A certificate, made by certify."), Reads()
    ],
    data: Data,
    json: Json = False,
) -> None:
    """Check a certificate against the data, in exact arithmetic, without any search.

    Exit code 0 if it holds, 1 if it does not.

    [bold]Example[/bold]: rosenblatt verify certificate.json iris.csv
    """
    from rosenblatt import VerificationError
    from rosenblatt import verify as check
    from rosenblatt.cli import exactly, tables
    from rosenblatt.proofs.checker import load_with_scope

    found, filed = load_with_scope(certificate)
    recipe = tables.kept_recipe(filed.get("recipe"), certificate)
    source = tables.source_for(data, recipe)
    try:
        stream = exactly.relearned(recipe, source)
        if stream is None:
            raise VerificationError(
                "The columns of this file give different features from those of the certificate."
            )
        scope = exactly.scope(recipe, source.names)
        if scope != filed["scope"]:
            raise VerificationError(
                f"The certificate states a different scope; the correct one is: {scope}"
            )
        check(found, *exactly.examples(stream))
    except VerificationError as refusal:
        if json:
            emit({"holds": False, "reason": str(refusal)})
        else:
            say(f"refused: {refusal}")
        raise typer.Exit(NO) from None
    if json:
        facts = {"verdict": found.verdict, "statement": found.statement(), "scope": scope}
        emit({"holds": True} | facts)
    else:
        say(f"holds: {found.statement()}\n{scope}")
