"""The lab's server: on this machine only, on a free port, opened in the browser."""

from __future__ import annotations

import json
import socket
import threading
import webbrowser
from math import isfinite
from pathlib import Path

import uvicorn
from pydantic import ValidationError

from rosenblatt.lab import schema
from rosenblatt.lab.app import build
from rosenblatt.storage.atomic import protect, write

ADDRESS = "127.0.0.1"


def serve(
    source: str | Path | None = None,
    *,
    port: int = 0,
    browser: bool = True,
    export: str | Path | None = None,
) -> None:
    """Serve the lab until Ctrl-C, or write one offline page of a run.

    `source` is a CSV table with a label in its last column, or a journal that the lab or
    `rosenblatt trace` saved. With `export` no server is started.
    """
    if export is not None:
        protect([("export", export)], [] if source is None else [source])
    opening = open_source(source)
    if export is not None:
        from rosenblatt.lab.actions import default_run
        from rosenblatt.lab.export import offline_page

        write(export, offline_page(opening.document or default_run(opening.data)).encode())
        print(f"wrote {export}")
        return
    if not 0 <= port <= 65535:
        raise ValueError(f"--port {port} must be from 0 to 65535.")
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((ADDRESS, port))
    except OSError as error:
        listener.close()
        raise OSError(f"port {port} cannot be used ({error.strerror}); choose another.") from error
    listener.listen()  # connections wait until the server is up
    port = listener.getsockname()[1]
    hosts = frozenset({f"{ADDRESS}:{port}", f"localhost:{port}"})
    server = uvicorn.Server(
        uvicorn.Config(build(hosts, opening), log_level="warning", server_header=False)
    )
    address = f"http://{ADDRESS}:{port}/"
    print(f"the lab is at {address}  (Ctrl-C stops it)", flush=True)
    threading.Thread(target=_warm_up, daemon=True).start()
    if browser:
        threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()
    try:
        server.run(sockets=[listener])
    finally:
        listener.close()


def _warm_up() -> None:
    """Load, and compile if necessary, what the first request needs."""
    from rosenblatt.lab import actions

    actions.list_choices(None)
    actions.default_run()


def open_source(source: str | Path | None) -> schema.Opening:
    """Read the file to open: a journal, or a table of numbers with labels."""
    if source is None:
        return schema.Opening()
    path = Path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file; give a CSV table or a journal.") from error
    if text.lstrip().startswith("{"):
        try:
            document = schema.Document.model_validate(json.loads(text))
        except (json.JSONDecodeError, ValidationError) as error:
            raise ValueError(
                f"{path} is not a complete journal with its examples: {str(error).splitlines()[0]}."
            ) from error
        return schema.Opening(document=document, name=path.name)
    return schema.Opening(data=_table(path, text), name=path.name)


def _table(path: Path, text: str) -> schema.Drawn:
    """A CSV table: numbers, then a label, in each row."""
    lines = [line for line in text.splitlines() if line.strip()]
    cells = [[cell.strip() for cell in line.split(",")] for line in lines]
    if cells and not _number(cells[0][0]):
        cells = cells[1:]
    if len(cells) < 2 or len(cells) > schema.POINTS:
        raise ValueError(f"{path} has {len(cells)} rows; the lab takes 2 to {schema.POINTS}.")
    points, labels = [], []
    for number, row in enumerate(cells, 1):
        if len(row) != len(cells[0]) or len(row) < 3 or not all(map(_number, row[:-1])):
            raise ValueError(
                f"{path}, row {number}: two or more numbers and a label are needed, alike in "
                "all rows."
            )
        points.append([float(cell) for cell in row[:2]])
        labels.append(row[-1])
    classes = sorted(set(labels))
    codes = [classes.index(label) for label in labels]
    signs = [2 * code - 1 for code in codes] if len(classes) == 2 else codes
    return schema.Drawn(
        points=points, labels=signs, margin=None, radius=None, separator=None, noise=None
    )


def _number(cell: str) -> bool:
    try:
        return isfinite(float(cell))
    except ValueError:
        return False
