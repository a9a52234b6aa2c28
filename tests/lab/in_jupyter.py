"""The figure in a real JupyterLab, in a real browser, and in the HTML that nbconvert makes."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, FrameLocator, Page, expect, sync_playwright

from tests.lab.conftest import ARTEFACTS, CHROMIUM

CELLS = (
    "import rosenblatt as rb\n"
    "toy = rb.data.TOYS['halfplanes'].make(n=30, seed=7, margin=0.02)\n"
    "clf = rb.Perceptron(random_state=0).fit(toy.X, toy.y)\n"
    "view, seen = rb.watch(clf, toy.X, toy.y), []\n"
    "view.observe(lambda change: seen.append((change.name, change.new)), ['step', 'point'])\n"
    "view",
    "view.step = 3",
    "print('told', view.step, view.point, seen)",
    "clf",
    "rb.certify(toy.X, toy.y)",
    "clf.journal_",
    "rb.holdout(clf, toy.X, toy.y, random_state=0)",
    "clf.summary()",
)
FIGURE = "iframe[title='Rosenblatt: a run']"


def notebook(cells: tuple[str, ...]) -> str:
    """Return a notebook of these cells, in JSON."""
    made = [
        {"cell_type": "code", "id": f"cell-{number}", "source": source, "metadata": {},
         "execution_count": None, "outputs": []}
        for number, source in enumerate(cells)
    ]  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def environment(home: Path) -> dict[str, str]:
    """Return the environment in which Jupyter keeps everything in one folder."""
    places = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    return os.environ | places | {"IPYTHONDIR": str(home / "ipython"), "HOME": str(home)}


@contextmanager
def jupyterlab(folder: Path, home: Path) -> Iterator[str]:
    """Start JupyterLab on this machine only; give its address, with a token."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    disabled = {"@jupyterlab/apputils-extension:announcements": True}  # it asks a question
    settings = home / "CONFIG" / "labconfig" / "page_config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"disabledExtensions": disabled}), encoding="utf-8")
    token = secrets.token_hex(16)
    options = {
        "ServerApp.ip": "127.0.0.1", "ServerApp.port": port, "ServerApp.port_retries": 0,
        "ServerApp.root_dir": folder, "IdentityProvider.token": token,
        "ServerApp.allow_root": True, "ServerApp.open_browser": False,
        "LabApp.expose_app_in_browser": True,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }  # fmt: skip
    command = [sys.executable, "-m", "jupyterlab", *(f"--{n}={v}" for n, v in options.items())]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env=environment(home), stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            _await(f"{address}/api?token={token}", server, home / "log")
            yield f"{address}/lab/tree/watch.ipynb?token={token}"
        finally:
            server.terminate()
            server.wait(30)


def _await(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert server.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(log.read_text())


def opened(browser: Browser, address: str, strangers: list[str]) -> Page:
    """Open a page that reaches no other machine; what it asks of one is noted."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(60_000)

    def decide(route: Any) -> None:
        if route.request.url.startswith(("http://127.0.0.1:", "file:")):
            route.continue_()
        else:
            strangers.append(f"{route.request.frame.parent_frame is None} {route.request.url}")
            route.abort()

    page.route("**/*", decide)
    page.goto(address)
    return page


def run_cell(page: Page, number: int) -> Any:
    """Run a cell; return its outputs."""
    page.evaluate(
        """async (number) => {
          const { shell, commands } = window.jupyterapp;
          shell.currentWidget.content.activeCellIndex = number;
          await commands.execute("notebook:run-cell");
        }""",
        number,
    )
    return page.locator(".jp-Notebook .jp-CodeCell").nth(number).locator(".jp-OutputArea-output")


def figure(page: Page) -> FrameLocator:
    return page.frame_locator(FIGURE)


def try_in_lab(page: Page, screenshots: Path) -> None:
    """Step from Python and in the figure; each must follow the other."""
    page.wait_for_function("window.jupyterapp?.shell.currentWidget?.content?.widgets?.length")
    page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"
    )
    run_cell(page, 0)
    step = figure(page).locator("[data-step]")
    expect(step).to_have_attribute("data-step", "0")
    run_cell(page, 1)
    expect(step).to_have_attribute("data-step", "3")
    page.screenshot(path=screenshots / "notebook-light.png")
    figure(page).get_by_label("One update on").click()
    expect(step).to_have_attribute("data-step", "4")
    figure(page).locator("[data-plane]").press(".")
    expect(figure(page).locator(".chosen")).to_have_count(1)
    expect(run_cell(page, 2)).to_contain_text("told 4 0 [('step', 3), ('step', 4), ('point', 0)]")
    figure(page).get_by_label("To the start").click()
    figure(page).get_by_label("Play", exact=True).click()
    expect(step).to_have_attribute("data-step", "2")
    figure(page).get_by_label("Pause").click()
    at = step.get_attribute("data-step")
    expect(run_cell(page, 2)).to_contain_text(f"told {at} 0")
    for number in range(3, len(CELLS)):
        expect(run_cell(page, number).first).to_be_visible()
    page.evaluate(
        "() => window.jupyterapp.commands.execute('apputils:change-theme',"
        " { theme: 'JupyterLab Dark' })"
    )
    expect(figure(page).locator("html")).to_have_attribute("data-theme", "dark")
    page.wait_for_timeout(500)
    page.screenshot(path=screenshots / "notebook-cards.png")
    page.locator(FIGURE).scroll_into_view_if_needed()
    page.screenshot(path=screenshots / "notebook-dark.png")
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")


def try_exported(browser: Browser, file: Path, home: Path, screenshots: Path) -> None:
    """The figure of the HTML that nbconvert makes of the saved notebook plays by itself."""
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", file], env=environment(home), check=True
    )
    strangers: list[str] = []
    page = opened(browser, file.with_suffix(".html").as_uri(), strangers)
    step = figure(page).locator("[data-step]")
    before = int(step.get_attribute("data-step") or "-1")
    figure(page).get_by_label("One update on").click()
    expect(step).to_have_attribute("data-step", str(before + 1))
    assert not [asked for asked in strangers if asked.startswith("False")], strangers
    page.screenshot(path=screenshots / "notebook-exported.png", full_page=True)


def main() -> None:
    """Run the notebook; leave screenshots among the artefacts."""
    ARTEFACTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as play:
        folder, home = Path(name) / "work", Path(name) / "home"
        folder.mkdir()
        home.mkdir()
        file = folder / "watch.ipynb"
        file.write_text(notebook(CELLS), encoding="utf-8")
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with jupyterlab(folder, home) as address:
            strangers: list[str] = []
            try_in_lab(opened(browser, address, strangers), ARTEFACTS)
            assert not strangers, strangers
        try_exported(browser, file, home, ARTEFACTS)
        browser.close()
    print(f"JupyterLab shows the figure and follows it: {ARTEFACTS}/notebook-*.png")


if __name__ == "__main__":
    main()
