"""The lab's server: on this machine only, on a free port, opened in the browser."""

from __future__ import annotations

import socket
import threading
import warnings
import webbrowser
from pathlib import Path

import uvicorn
from pydantic import ValidationError

from rosenblatt.lab import memory, schema
from rosenblatt.lab.addresses import is_link
from rosenblatt.lab.app import build
from rosenblatt.lab.connection import Connection
from rosenblatt.storage.atomic import protect, write
from rosenblatt.storage.json_values import parse_strictly

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

    `source` is a CSV table with a label in its last column, a journal that the lab or
    `rosenblatt trace` saved, or a link from any page of the lab, of which nothing is fetched.
    With `export` or `static` no server is started.
    """
    link = None
    if isinstance(source, str) and is_link(source):
        link, source = _checked_link(source, export), None
    inputs = [] if source is None else [source]
    if export is not None:
        protect([("export", export)], inputs)
    opening = read_opening(source)
    if static is not None:
        _write_static(Path(static), inputs, opening, link)
    with warnings.catch_warnings():
        # A document shows what its run warns of. Set once, as filters belong to all threads.
        warnings.simplefilter("ignore", UserWarning)
        if export is not None:
            _write_run(opening, export)
        if export is None and static is None:
            _listen(opening, port, browser, link or "")


def _write_run(opening: schema.Opening, file: str | Path) -> None:
    """Write a run as one page that needs no server."""
    from rosenblatt.lab.actions import default_run
    from rosenblatt.lab.export import offline_page

    write(file, offline_page(opening.document or default_run(opening.data)).encode())
    print(f"wrote {file}")


def _checked_link(link: str, export: str | Path | None) -> str:
    """Return the end of a link, after a check of what is in it."""
    from rosenblatt.lab.link import checked_hash

    if export is not None:
        raise ValueError("--export writes the run of a table or a journal; open a link instead.")
    return checked_hash(link)


def _listen(opening: schema.Opening, port: int, browser: bool, link: str) -> None:
    """Serve the lab until Ctrl-C."""
    if not 0 <= port <= 65535:
        raise ValueError(f"--port {port} must be from 0 to 65535.")
    memory.prepare()
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
    settings = uvicorn.Config(
        build(hosts, opening), http=Connection, ws="none", server_header=False,
        log_level="error",  # a bad request is answered; no need to log it as well
    )  # fmt: skip
    server = uvicorn.Server(settings)
    address = f"http://{ADDRESS}:{port}/{link}"
    print(f"the lab is at {address}  (Ctrl-C stops it)", flush=True)
    threading.Thread(target=_warm_up, daemon=True).start()
    if browser:
        threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()
    try:
        server.run(sockets=[listener])
    finally:
        listener.close()


def _write_static(
    folder: Path, inputs: list[str | Path], opening: schema.Opening, link: str | None
) -> None:
    """Write the whole lab as one page to a folder, which is made if it is missing."""
    from rosenblatt.lab.export import static_page

    content, file = static_page(opening, link).encode(), folder / "index.html"
    folder.mkdir(parents=True, exist_ok=True)
    protect([("static", file)], inputs)
    write(file, content)
    print(f"wrote {file}")


def _warm_up() -> None:
    """Load, and compile if necessary, what the first request needs."""
    from rosenblatt.lab import actions

    actions.list_choices(None)
    actions.default_run()
    memory.settle()


def read_opening(source: str | Path | None) -> schema.Opening:
    """Return what a file holds: a journal, or a table of numbers with labels."""
    if source is None:
        return schema.Opening()
    path = Path(source)
    with path.open("rb") as file:
        is_journal = file.read(4096).lstrip().startswith(b"{")
    if not is_journal:
        from rosenblatt.lab.table import read_table  # pyarrow starts slowly

        data, sheet = read_table(path)
        return schema.Opening(data=data, sheet=sheet, name=path.name)
    try:
        document = schema.Document.model_validate(parse_strictly(path.read_bytes()))
    except ValidationError as error:
        field = ".".join(str(step) for step in error.errors()[0]["loc"]) or "it"
        raise ValueError(
            f"{path} is not a complete journal with its examples: {field[:80]} is missing or not "
            "valid; save it again, by the lab or `rosenblatt trace`."
        ) from error
    except ValueError as error:
        raise ValueError(
            f"{path} is not a complete journal with its examples: {str(error).splitlines()[0]}."
        ) from error
    return schema.Opening(document=document, name=path.name)
