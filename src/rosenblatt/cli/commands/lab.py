"""`rosenblatt lab`: open the lab in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.app import app
from rosenblatt.cli.file_roles import Reads, Writes, opening_files

Source = Annotated[
    str | None,
    typer.Argument(help="A file, CSV or a journal (JSON), or a link from any page of the lab."),
    Reads(opening_files),
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

    Of a link nothing is fetched: it contains all that is shown. Put it in quotes; what follows # is
    enough. --static writes one file, index.html, for a web host or a memory stick.
    """
    from rosenblatt.lab import serve

    serve(source, port=port, browser=not no_browser, export=export, static=static)
