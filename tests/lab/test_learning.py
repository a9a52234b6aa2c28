"""The page learns by itself, in threads of its own; the server is asked only for the rest."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.data.toys import TOYS
from rosenblatt.lab import schema
from rosenblatt.lab.actions import run_orders
from tests.lab.conftest import Server
from tests.lab.pages import cell, preset, proved, ready, state


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
    assert not {"data", "run", "continue", "certify"} & set(paths)


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


def test_the_whole_lab_is_one_page_without_a_server(open_file, whole_lab):
    assert len(gzip.compress(whole_lab.read_bytes())) <= 900_000
    page = open_file()
    page.wait_for_selector("tr[data-row='0'] [data-updates]")
    page.keyboard.press("End")
    shown = state(page)
    toy = TOYS["halfplanes"].make(n=30, margin=0.05, seed=7)
    assert shown["labels"] == toy.y.tolist()
    clf = rb.Perceptron(tol=None, random_state=0).fit(shown["points"], shown["labels"])
    assert cell(page, 0, "updates") == clf.n_updates_
    preset(page, "Five classes")
    page.get_by_role("link", name="Guide").click()
    page.wait_for_selector("[data-figure='one'][data-ready='true']")


SETS = (None, "Article 2: the margin", "Article 4: the vote", "Five classes")


@pytest.mark.parametrize("name", SETS)
def test_a_page_without_a_server_proves_what_the_library_proves(open_file, name):
    page = ready(open_file())
    if name:
        preset(page, name)
    shown = state(page)
    X, y = np.array(shown["points"]), np.array(shown["labels"])
    biased = shown["panels"][0]["parameters"].get("fit_intercept", True)
    found = rb.certify(X, y, fit_intercept=biased)
    box = page.locator("[data-verdict]")
    assert box.get_attribute("data-verdict") == found.verdict
    words = box.inner_text()
    if found.verdict == "separable":
        truth = proved(X, y, fit_intercept=biased)
        low, high = found.margin_bracket
        assert low <= truth["margin"][0] <= truth["margin"][1] <= high
        assert f"The best margin is {truth['margin'][0]:.6g}, to six digits." in words
        assert f"at most {truth['bound']:,} updates" in words
    else:
        assert found.weakly_separable is not None
        assert found.statement().split(" signed examples ")[1] in words


def test_a_page_without_a_server_counts_orders_and_errors_on_new_points(open_file):
    page = open_file("#guide")

    def figure(name):
        one = page.locator(f"[data-figure='{name}']")
        one.scroll_into_view_if_needed()
        return one

    toy = TOYS["halfplanes"].make(n=40, margin=0.1, seed=5)
    table = schema.Table(points=toy.X.tolist(), labels=toy.y.tolist())
    counted = run_orders(schema.OrdersRequest(data=table, fit_intercept=False)).updates
    three = figure("margin").locator("[data-orders]")
    assert int(three.get_attribute("data-orders")) == len(counted) == 200
    assert int(three.get_attribute("data-most")) == max(counted)
    truth = proved(toy.X, toy.y, fit_intercept=False)
    assert int(three.get_attribute("data-bound")) == truth["bound"]

    toy = TOYS["gaussians"].make(n=60, distance=4, noise=0.1, seed=7)
    new = TOYS["gaussians"].make(n=1000, distance=4, noise=0.1, seed=1007)
    ten = figure("new")
    shares = ten.locator("[data-test]")
    shares.nth(1).wait_for()
    assert f"least possible: {100 * toy.noise:.1f} %" in ten.text_content()
    for n, kind in enumerate(["Perceptron", "AveragedPerceptron"]):
        measured = rb.holdout(
            getattr(rb, kind)(tol=None, random_state=0), toy.X, toy.y, X_test=new.X, y_test=new.y,
            passes=30,
        )  # fmt: skip
        assert float(shares.nth(n).get_attribute("data-test")) == measured.test_error[-1]
