"""Commands about what can be proved: certify, verify and trace."""

from __future__ import annotations

import json as text_format
from pathlib import Path
from typing import Annotated, Any

import typer

from rosenblatt.cli.app import FINE, NO, Json, app, emit, member, plain, say, settings
from rosenblatt.cli.learn import Data, Drop, Name, Seed, Set, Target, Text


@app.command()
def certify(
    data: Data,
    target: Target = None,
    text: Text = None,
    drop: Drop = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write the certificate (JSON).")
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
    from rosenblatt.cli import tables

    table = tables.learned(
        data, target, text, drop, None, 0, False, budget=float("inf"), dtype=np.float64,
        standardise=standardise,
    )  # fmt: skip
    X, y = table.whole()
    found = proof(X, y, time_limit=time_limit)
    if out is not None:
        recipe = table.recipe
        found.save(out, recipe=plain({"words": recipe.to_dict(), "arrays": recipe.arrays()}))
    if json:
        emit(found.to_dict())
    else:
        say(f"{found}\n{found.statement()}")
        if out is not None:
            say(f"saved {out}   next: rosenblatt verify {out} {data}")
    raise typer.Exit(FINE if found.verdict == "separable" else NO)


@app.command()
def verify(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERT", help="A certificate, made by certify.")
    ],
    data: Data,
    json: Json = False,
) -> None:
    """Check a certificate against the data, in exact arithmetic, without any search.

    Exit code 0 if it holds, 1 if it does not.

    [bold]Example[/bold]: rosenblatt verify certificate.json iris.csv
    """
    from rosenblatt import Certificate, Refused
    from rosenblatt import verify as check
    from rosenblatt.cli import tables

    found = Certificate.load(certificate)
    told = text_format.loads(certificate.read_text(encoding="utf-8")).get("recipe")
    X, y = tables.prepared(told, data, certificate)
    try:
        check(found, X, y)
    except Refused as refusal:
        if json:
            emit({"holds": False, "reason": str(refusal)})
        else:
            say(f"refused: {refusal}")
        raise typer.Exit(NO) from None
    if json:
        emit({"holds": True, "verdict": found.verdict, "statement": found.statement()})
    else:
        say(f"holds: {found.statement()}")


@app.command()
def trace(
    data: Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write the journal (JSON).")],
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

    kind = member(model)
    parameters = settings(set_ or [], kind)
    table = tables.learned(data, target, text, drop, None, seed, True, budget=float("inf"))
    X, y = table.whole()
    chosen = {"random_state": seed, "max_iter": passes, "journal_size": 10_000_000} | parameters
    estimator = kind(**chosen).fit(X, y)
    document = _document(estimator, X, y, table, seed)
    from rosenblatt.store import write

    write(out, text_format.dumps(document, allow_nan=False).encode())
    made = {"updates": estimator.n_updates_, "passes": estimator.n_iter_}
    if json:
        emit({"out": str(out), "converged": bool(estimator.converged_), **made})
    else:
        say(f"saved {out}: {made['updates']:,} updates in {made['passes']} passes")


def _document(estimator: Any, X: Any, y: Any, table: Any, seed: int) -> dict[str, Any]:
    """The journal with its points, so that it can be replayed without the file."""
    import numpy as np

    import rosenblatt

    journal = estimator.journal_
    if isinstance(journal, list):
        raise ValueError(
            f"{type(estimator).__name__} makes a run for each of the {len(journal)} classes, and a "
            "journal holds one; add --set multiclass=native if it can, or take two classes."
        )
    if X.shape[0] * X.shape[1] > 50_000_000:
        raise ValueError(
            f"{X.shape[0]:,} x {X.shape[1]:,} points are too many for a journal; take fewer rows."
        )
    document = journal.to_dict()
    points = X.toarray() if hasattr(X, "toarray") else X
    order = estimator.order if isinstance(estimator.order, str) else None
    document["config"] |= {
        "estimator": type(estimator).__name__,
        "space": "kernel" if not hasattr(estimator, "coef_") else "linear",
        "order": order or ("shuffled" if estimator.shuffle else "cyclic"),
        "seed": seed,
        "readout": estimator.readout,
        "version": rosenblatt.__version__,
    }
    document["data"] |= {
        "points": np.asarray(points, float).tolist(),
        "bias": journal.config.get("bias", 0.0),
        "classes": estimator.classes_.tolist(),
        "names": table.names(),
    }
    return plain(document)
