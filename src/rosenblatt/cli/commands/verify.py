"""`rosenblatt verify`: check a certificate against the data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.app import app
from rosenblatt.cli.file_roles import Reads
from rosenblatt.cli.options import Data, Json
from rosenblatt.cli.output import EXIT_NO, print_json, show

CertificateFile = Annotated[
    Path, typer.Argument(metavar="CERT", help="A certificate, made by certify."), Reads()
]


@app.command()
def verify(
    certificate: CertificateFile,
    data: Data,
    json: Json = False,
) -> None:
    """Check a certificate against the data, in exact arithmetic, without any search.

    Exit code 0 if it holds, 1 if it does not.

    [bold]Example[/bold]: rosenblatt verify certificate.json iris.csv
    """
    from rosenblatt import VerificationError
    from rosenblatt.cli.proof_data import certificate_recipe
    from rosenblatt.proofs.checker import load_with_scope

    found, stored = load_with_scope(certificate)
    recipe = certificate_recipe(stored.get("recipe"), certificate)
    try:
        scope = _check(found, stored["scope"], recipe, data)
    except VerificationError as refusal:
        if json:
            print_json({"holds": False, "reason": str(refusal)})
        else:
            show(f"refused: {refusal}")
        raise typer.Exit(EXIT_NO) from None
    if json:
        facts = {"verdict": found.verdict, "statement": found.statement(), "scope": scope}
        print_json({"holds": True} | facts)
    else:
        show(f"holds: {found.statement()}", scope)


def _check(found: Any, stated: str, recipe: Any, data: str) -> str:
    """Check a certificate and the scope that it states; return the scope."""
    from rosenblatt import VerificationError
    from rosenblatt import verify as check
    from rosenblatt.cli.proof_data import exact_examples, scope, stream_of_same_recipe
    from rosenblatt.cli.sources import open_for_recipe

    source = open_for_recipe(data, recipe)
    stream = stream_of_same_recipe(recipe, source)
    if stream is None:
        raise VerificationError(
            "The columns of this file give different features from those of the certificate."
        )
    actual = scope(recipe, source.names)
    if actual != stated:
        raise VerificationError(
            f"The certificate states a different scope; the correct one is: {actual}"
        )
    check(found, *exact_examples(stream))
    return actual
