"""The command that makes a page of a model: report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.app import Json, app, emit, say
from rosenblatt.cli.roles import Writes
from rosenblatt.cli.use import Model


@app.command()
def report(
    model: Model,
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write."), Writes()],
    features: Annotated[
        int, typer.Option("--features", "-k", min=1, help="Features to show on each side.")
    ] = 10,
    json: Json = False,
) -> None:
    """Write one page about a model, with pictures; it needs no other file.

    [bold]Example[/bold]: rosenblatt report adult.rbt -o adult.html
    """
    from rosenblatt.cli import tables
    from rosenblatt.plot.page import page
    from rosenblatt.storage.atomic import write

    loaded = tables.model(model)
    content = page(loaded, tables.strongest(loaded.estimator, loaded.prepare, features)).encode()
    write(out, content)
    if json:
        emit({"out": str(out), "bytes": len(content)})
    else:
        say(f"saved {out} ({len(content) / 1024:,.0f} KB)")
