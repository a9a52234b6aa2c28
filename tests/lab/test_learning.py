"""The page learns by itself, in threads of its own; the server is asked only for the rest."""

from __future__ import annotations

import gzip

import pytest

import rosenblatt as rb
from rosenblatt.data.toys import TOYS
from tests.lab.conftest import Server
from tests.lab.pages import cell, preset, ready, state
from tests.support.forks import command, forked


def asked(page):
    """What the page asks of the server from now on, as a list that grows."""
    paths = []
    page.on("request", lambda request: paths.append(request.url.rsplit("/", 1)[1]))
    return paths


def test_points_are_learned_without_a_server(open_page, built):
    server = Server()
    page = ready(open_page(url=server.url, quiet=False))
    server.stop()
    page.keyboard.press(".")
    for _ in range(8):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    page.get_by_label("To the end").click()
    shown = state(page)
    clf = rb.Perceptron(tol=None, random_state=0).fit(shown["points"], shown["labels"])
    assert cell(page, 0, "updates") == clf.n_updates_
    assert cell(page, 0, "wrong") == (clf.predict(shown["points"]) != shown["labels"]).sum()


@pytest.mark.parametrize("name", ["Rings, with a kernel", "Five classes"])
def test_no_run_is_asked_of_the_server(open_page, name):
    page = ready(open_page())
    paths = asked(page)
    preset(page, name)
    page.keyboard.press("End")
    page.wait_for_timeout(300)
    assert "data" in paths
    assert not {"run", "continue"} & set(paths)


def test_what_the_page_does_not_know_is_asked_of_the_server(open_page):
    page = ready(open_page(quiet=False))  # a browser reports every refusal
    paths = asked(page)
    # The page leaves to the library what the library rejects, and shows its sentence.
    shown = state(page)
    shown["panels"] = [{"algorithm": "Perceptron", "parameters": {"eta0": -1}}]
    page.evaluate(
        """async (state) => {
          const bytes = new TextEncoder().encode(JSON.stringify(state));
          const way = new CompressionStream('deflate-raw');
          const stream = new Blob([bytes]).stream().pipeThrough(way);
          const packed = new Uint8Array(await new Response(stream).arrayBuffer());
          const text = btoa(String.fromCharCode(...packed));
          location.hash = '#s=' + text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
        }""",
        shown,
    )
    page.locator("text=eta0=-1").first.wait_for()
    assert "run" in paths


def test_the_whole_lab_is_one_page_without_a_server(browser, built, tmp_path):
    done = forked(command, ["lab", "--static", tmp_path / "lab"], tmp_path)
    assert done.returncode == 0, done.stderr
    file = tmp_path / "lab" / "index.html"
    assert len(gzip.compress(file.read_bytes())) <= 900_000
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.set_default_timeout(20_000)
    requests, complaints = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.goto(file.as_uri())
    page.wait_for_selector("tr[data-row='0'] [data-updates]")
    page.keyboard.press("End")
    shown = state(page)
    toy = TOYS["halfplanes"].make(n=30, margin=0.05, seed=7)
    assert shown["labels"] == toy.y.tolist()
    clf = rb.Perceptron(tol=None, random_state=0).fit(shown["points"], shown["labels"])
    assert cell(page, 0, "updates") == clf.n_updates_
    preset(page, "Five classes")
    page.get_by_role("link", name="Guide").click()
    page.wait_for_selector("figure[data-figure='one'][data-ready='true']")
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert complaints == []
    context.close()
