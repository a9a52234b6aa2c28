"""The lab's server: on this machine only, on a free port, opened in the browser."""

from __future__ import annotations

import json
import socket
import threading
import webbrowser
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
    static: str | Path | None = None,
) -> None:
    """Serve the lab until Ctrl-C, or write it, or a run, as one page that needs no server.

    `source` is a CSV table with a label in its last column, or a journal that the lab or
    `rosenblatt trace` saved. With `export` or `static` no server is started.
    """
    if static is not None:
        _write_static(Path(static), source)
    if export is not None:
        protect([("export", export)], [] if source is None else [source])
    opening = read_opening(source)
    if export is not None:
        from rosenblatt.lab.actions import default_run
        from rosenblatt.lab.export import offline_page

        write(export, offline_page(opening.document or default_run(opening.data)).encode())
        print(f"wrote {export}")
    if export is not None or static is not None:
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


def _write_static(folder: Path, source: str | Path | None) -> None:
    """Write the whole lab as one page to a folder, which is made if it is missing."""
    from rosenblatt.lab.export import static_page

    content, file = static_page().encode(), folder / "index.html"
    folder.mkdir(parents=True, exist_ok=True)
    protect([("static", file)], [] if source is None else [source])
    write(file, content)
    print(f"wrote {file}")


def _warm_up() -> None:
    """Load, and compile if necessary, what the first request needs."""
    from rosenblatt.lab import actions

    actions.list_choices(None)
    actions.default_run()


def read_opening(source: str | Path | None) -> schema.Opening:
    """Return what a file holds: a journal, or a table of numbers with labels."""
    if source is None:
        return schema.Opening()
    path = Path(source)
    with path.open("rb") as file:
        is_journal = file.read(4096).lstrip().startswith(b"{")
    if not is_journal:
        from rosenblatt.lab.table import read_table  # pyarrow starts slowly

        return schema.Opening(data=read_table(path), name=path.name)
    try:
        document = schema.Document.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (UnicodeDecodeError, json.JSONDecodeError, ValidationError) as error:
        raise ValueError(
            f"{path} is not a complete journal with its examples: {str(error).splitlines()[0]}."
        ) from error
    return schema.Opening(document=document, name=path.name)
