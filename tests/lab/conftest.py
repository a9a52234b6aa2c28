"""A real server in a process of its own, and a real browser."""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from web import build

from tests.support.forks import begun, command, forked

ROOT = Path(__file__).parents[2]
ARTEFACTS = ROOT / "artefacts"
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


class Server:
    """The lab as a user starts it."""

    def __init__(self, *arguments: str, port: int = 0) -> None:
        given = ["lab", "--no-browser", "--port", port, *arguments]
        self._under_way = begun(command, given, ROOT)
        self.process, (_, out, err) = self._under_way.__enter__()
        self.log = err
        while "http://" not in out.read_text():
            assert self.process.is_alive(), out.read_text() + err.read_text()
            time.sleep(0.02)
        self.url = out.read_text().split("at ")[1].split()[0]
        self.port = int(self.url.split(":")[2].partition("/")[0])
        # Who has the address is let in at once.
        socket.create_connection(("127.0.0.1", self.port), timeout=5).close()

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(20)
        assert self.process.exitcode is not None, "the lab does not end"
        self._under_way.__exit__(None, None, None)


@pytest.fixture(scope="session")
def built() -> None:
    """The page, built from its sources as they are."""
    if not build.fresh():
        build.build()


@pytest.fixture(scope="session")
def server(built: None) -> Iterator[Server]:
    one = Server()
    yield one
    one.stop()


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=60) as one:
        yield one


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    if CHROMIUM is None:
        # A lab that nobody has looked at is not tested: this must not pass unseen.
        pytest.fail("Chromium is missing; install Debian's package chromium, or set CHROMIUM.")
    with sync_playwright() as play:
        one = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield one
        one.close()


class Watch:
    """What a page must not do: complain, or talk to anyone but its server."""

    def __init__(self, page: Any, url: str) -> None:
        self.complaints: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda asked: self._request(asked.url, url))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _request(self, asked: str, own: str) -> None:
        if not asked.startswith((own, "data:", "blob:")):
            self.complaints.append(f"asked {asked}")


@pytest.fixture
def open_page(browser: Any, server: Server) -> Iterator[Any]:
    """Open the lab in a window; at the end nothing may have been complained about."""
    contexts, watches = [], []

    def opened(
        hash: str = "#workspace", *, width: int = 1440, height: int = 900, url: str | None = None,
        quiet: bool = True, **options: Any,
    ) -> Any:  # fmt: skip
        context = browser.new_context(
            viewport={"width": width, "height": height}, accept_downloads=True, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        if quiet:
            watches.append(Watch(page, url or server.url))
        page.goto((url or server.url) + hash)
        return page

    yield opened
    for context in contexts:
        context.close()
    for watch in watches:
        assert watch.complaints == []


@pytest.fixture(scope="session")
def whole_lab(built: None, tmp_path_factory: Any) -> Path:
    """The page that the command writes."""
    folder: Path = tmp_path_factory.mktemp("static")
    done = forked(command, ["lab", "--static", folder / "lab"], folder)
    assert done.returncode == 0, done.stderr
    return folder / "lab" / "index.html"


@pytest.fixture
def open_file(browser: Any, whole_lab: Path) -> Iterator[Any]:
    """Open that page with the network off; it may complain of nothing and ask nobody."""
    context = browser.new_context(offline=True)
    requests: list[str] = []
    complaints: list[str] = []

    def opened(end: str = "#workspace") -> Any:
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.goto(whole_lab.as_uri() + end)
        return page

    yield opened
    context.close()
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert complaints == []


class WebHost:
    """A web host that knows nothing but files, on an origin of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.page = folder, ""

        class Quiet(SimpleHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="session")
def web_host(whole_lab: Path, tmp_path_factory: Any) -> Iterator[WebHost]:
    """A host with the whole lab in a folder below others; `page` is its address."""
    host = WebHost(tmp_path_factory.mktemp("host"))
    (host.folder / "course" / "week 2").mkdir(parents=True)
    shutil.copy(whole_lab, host.folder / "course" / "week 2")
    host.page = f"{host.url}course/week%202/index.html"
    yield host
    host.stop()


@pytest.fixture(scope="session")
def other_host(tmp_path_factory: Any) -> Iterator[WebHost]:
    """A host of another origin."""
    host = WebHost(tmp_path_factory.mktemp("other"))
    yield host
    host.stop()


@pytest.fixture(scope="session")
def artefacts() -> Path:
    ARTEFACTS.mkdir(exist_ok=True)
    return ARTEFACTS
