"""`rosenblatt report`: write an HTML report about a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.app import app
from rosenblatt.cli.file_roles import Writes
from rosenblatt.cli.options import Json, ModelFile, TopFeatures
from rosenblatt.cli.output import print_json, show


@app.command()
def report(
    model: ModelFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write."), Writes()],
    features: TopFeatures = 10,
    json: Json = False,
) -> None:
    """Write a report about a model, with plots, as one self-contained HTML file.

    [bold]Example[/bold]: rosenblatt report adult.rbt -o adult.html
    """
    from rosenblatt.cli.saved_model import load_model, strongest_weights
    from rosenblatt.plot.html_report import html_report
    from rosenblatt.storage.atomic import write

    loaded = load_model(model)
    if loaded.tags:
        raise ValueError("there is no report on a model that labels sentences; use inspect.")
    weights = strongest_weights(loaded.estimator, loaded.prepare, features)
    content = html_report(loaded, weights).encode()
    write(out, content)
    if json:
        print_json({"out": str(out), "bytes": len(content)})
    else:
        show(f"saved {out} ({len(content) / 1024:,.0f} KB)")
