"""`rosenblatt lab`: open the lab in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.app import app
from rosenblatt.cli.file_roles import Reads, Writes

Source = Annotated[
    Path | None, typer.Argument(help="A CSV table, or a journal (JSON) to open."), Reads()
]
Port = Annotated[int, typer.Option("--port", help="The port to listen on; 0 for any free one.")]
NoBrowser = Annotated[
    bool, typer.Option("--no-browser", help="Print the address but open no browser.")
]
Export = Annotated[
    Path | None,
    typer.Option("--export", help="Write a run as one offline page, and exit."),
    Writes(),
]
Static = Annotated[
    Path | None,
    typer.Option("--static", help="Write the lab as a page that needs no server, and exit."),
    Writes(inside=("index.html",)),
]


@app.command()
def lab(
    source: Source = None,
    port: Port = 0,
    no_browser: NoBrowser = False,
    export: Export = None,
    static: Static = None,
) -> None:
    """Open the lab: watch perceptrons learn, in the browser.

    [bold]Example[/bold]: rosenblatt lab run.json
    """
    from rosenblatt.lab import serve

    serve(source, port=port, browser=not no_browser, export=export, static=static)
