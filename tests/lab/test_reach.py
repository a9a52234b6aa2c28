"""One page anywhere: links, settings in the address, figures in other pages, offline copies."""

from __future__ import annotations

import base64
import json
import re
import zlib

import pytest

from rosenblatt.data.toys import TOYS
from rosenblatt.lab.link import checked_hash
from tests.lab.conftest import Server
from tests.lab.pages import cell, fitted, opened, preset, ready, state
from tests.support.forks import command, forked

# --- lessons --------------------------------------------------------------------------------------


def figure(page, name):
    one = page.locator(f"[data-figure='{name}']")
    one.scroll_into_view_if_needed()
    page.wait_for_selector(f"[data-figure='{name}'][data-ready='true']")
    return one


def test_settings_of_lessons_survive_reload_back_and_sharing(open_page):
    page = open_page("#guide/3")

    def margin():
        return figure(page, "margin").get_by_label("margin γ").input_value()

    figure(page, "margin").get_by_label("margin γ").fill("0.25")
    figure(page, "noline").get_by_role("combobox", name="points").select_option("rings")
    page.wait_for_timeout(600)
    assert page.url.endswith("#guide/3?margin.margin=0.25&noline.kind=rings")
    page.reload()
    assert margin() == "0.25"
    page.get_by_role("link", name="Kernels").first.click()
    figure(page, "kernels")
    assert page.url.endswith("#guide/10?margin.margin=0.25&noline.kind=rings")
    page.get_by_role("link", name="Workspace", exact=True).click()
    page.wait_for_selector("[data-verdict]")
    page.wait_for_timeout(600)
    page.go_back()
    figure(page, "kernels")
    assert margin() == "0.25"
    figure(page, "margin").get_by_label("margin γ").fill("0.1")  # as the lesson begins
    page.wait_for_timeout(600)
    assert page.url.endswith("#guide/10?noline.kind=rings")
    page.go_back()
    page.wait_for_function("location.hash.startsWith('#guide/3')")
    assert margin() == "0.25"
    other = open_page("#guide/5?noline.kind=rings&noline.seed=<b>&margin.margin=9", quiet=False)
    assert figure(other, "noline").get_by_role("combobox", name="points").input_value() == "rings"
    other.locator("[data-figure='margin']").scroll_into_view_if_needed()
    other.locator("[data-figure='margin'] .fault").wait_for()  # out of range: a sentence


# --- links ----------------------------------------------------------------------------------------


def packed(state):
    """A link with any content, as anyone may write one."""
    text = state if isinstance(state, bytes) else json.dumps(state).encode()
    way = zlib.compressobj(9, zlib.DEFLATED, -15)
    squeezed = way.compress(text) + way.flush()
    return base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


def numbers(page):
    """Updates and errors of all panels, once what was changed last has been learned."""
    page.wait_for_selector("[data-verdict]", state="attached")
    rows = page.locator("tr[data-row]").count()
    seen = []
    while len(seen) < 3 or seen[-1] != seen[-3]:
        seen.append([(cell(page, n, "updates"), cell(page, n, "wrong")) for n in range(rows)])
        page.wait_for_timeout(250)
    return seen[-1]


def test_a_link_shows_the_same_on_every_host(open_page, open_file, web_host, built):
    page = ready(open_page("#workspace"))
    preset(page, "Four algorithms, one clock")
    page.get_by_label("n, exactly", exact=True).fill("400")
    page.get_by_label("n, exactly", exact=True).press("Tab")
    page.locator(".facts", has_text="400 points").wait_for()
    page.get_by_label("Seed of the order").fill("5")
    page.get_by_label("Seed of the order").press("Tab")
    page.click("#tab-weights")
    page.get_by_label("One update on").click()
    shown = state(page)
    before = page.url
    assert len(before) < 400  # four hundred points, by their generator
    page.locator("svg[data-plane='0']").focus()
    page.keyboard.press(".")
    page.keyboard.press("ArrowUp")  # one of them by hand
    page.keyboard.press("Delete")
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    page.wait_for_function("(before) => location.href !== before", arg=before)
    changed = state(page)
    assert changed["points"][:399] == shown["points"][1:]
    assert (changed["source"], len(changed["points"])) == (None, 400)
    assert len(page.url) < 500
    link, seen = page.url.partition("#")[2], numbers(page)
    for other in (
        ready(open_file(f"#{link}")),
        ready(open_page(f"?{link}", url=web_host.page)),
        ready(open_page(f"?course=3#{link}", url=web_host.page)),
    ):
        assert numbers(other) == seen
        state(other)
        assert other.url.partition("#")[2] == link
    other.get_by_role("button", name="Share").click()
    assert other.locator("[data-link]").input_value() == f"{web_host.page}?course=3#{link}"
    lab = Server(f"{web_host.page}?course=3#{link}")  # the command: nothing is fetched
    assert lab.url.endswith(f"/#{link}")
    assert numbers(ready(open_page("", url=lab.url, quiet=False))) == seen
    lab.stop()


def test_a_link_of_before_opens(open_page, open_file):
    """Version 1 contained all points."""
    toy = TOYS["halfplanes"].make(n=20, seed=2)
    panel = {"algorithm": "Perceptron", "parameters": {"fit_intercept": False}}
    old = {
        "v": 1, "points": toy.X.tolist(), "labels": toy.y.tolist(), "held": 0, "share": 0,
        "names": {}, "source": None, "panels": [panel], "seed": 3, "clock": 7, "focus": 0,
        "tab": "proof", "branch": None, "hand": None,
    }  # fmt: skip
    drawn = old | {"source": {"generator": "halfplanes", "parameters": {"n": 20}, "seed": 2}}
    for opened_by in (open_page, open_file):
        page = ready(opened_by(f"#s={packed(old)}"))
        assert state(page) == old | {"v": 2}
        page = ready(opened_by(f"#s={packed(drawn)}"))
        assert state(page) == drawn | {"v": 2}
        assert len(page.url.partition("#")[2]) < 300  # now by its generator


SOUND = {
    "v": 2, "source": {"generator": "halfplanes", "parameters": {"n": 12}, "seed": 1},
    "panels": [{"algorithm": "Perceptron", "parameters": {}}],
}  # fmt: skip
OWN = {"points": [[0, 1], [1, 0]], "labels": [1, -1], "source": None}
HTML = "<img src=x onerror=\"document.title='broken'\">"
HOSTILE = {
    "no letters of a link": "%%%",
    "cut short": packed(SOUND)[:-9],
    "a bomb": packed(b" " * 50_000_000),
    "endless": "A" * 300_000,
    "no JSON": packed(b"{"),
    "no state": packed([SOUND]),
    "another version": packed(SOUND | {"v": 9}),
    "no points": packed(SOUND | {"source": None}),
    "no panel": packed(SOUND | {"panels": []}),
    "too many panels": packed(SOUND | {"panels": SOUND["panels"] * 10}),
    "too many points": packed(SOUND | OWN | {"points": [[0, 1]] * 2001, "labels": [1] * 2001}),
    "a point too far": packed(SOUND | OWN | {"points": [[0, 1], [1e7, 0]]}),
    "no number": packed(json.dumps(SOUND | {"hand": [1, 2, 3]}).replace("3]", "1e999]").encode()),
    "labels that do not fit": packed(SOUND | OWN | {"labels": [1]}),
    "text as an algorithm": packed(SOUND | {"panels": [{"algorithm": HTML, "parameters": {}}]}),
    "a prototype": packed(
        json.dumps(SOUND).replace('"parameters": {}', '"parameters": {"__proto__": 1}').encode()
    ),
    "text as a clock": packed(SOUND | {"clock": HTML}),
    "a branch that does not fit": packed(
        SOUND | {"branch": {"at": 1, "coef": [[1, 2], [3, 4]], "intercept": [1]}}
    ),
    "edits of nothing": packed(SOUND | OWN | {"edits": [[0, 1]]}),
}
ONLY_ON_THE_PAGE = {
    "an unknown algorithm": (SOUND | {"panels": [{"algorithm": "Nothing", "parameters": {}}]}),
    "an unknown generator": SOUND | {"source": SOUND["source"] | {"generator": "nothing"}},
    "a setting out of range": SOUND | {"source": SOUND["source"] | {"parameters": {"n": 1e9}}},
    "edits of what is not there": SOUND | {"edits": [[0, 13]]},
    "edits that repeat": SOUND | {"edits": [[0, 12]] * 200},
}


def test_a_hostile_link_gets_one_sentence(open_file):
    """By the page, and the same kind of sentence by the command."""
    page = ready(open_file("#workspace"))
    before = numbers(page)
    contents = HOSTILE | {name: packed(one) for name, one in ONLY_ON_THE_PAGE.items()}
    for name, text in contents.items():
        page.evaluate("(text) => { location.hash = `#s=${text}`; }", text)
        words = page.get_by_role("alert").inner_text()
        # A generator that the page does not have may be one of the library's.
        kinds = "This link cannot be read; ", "This needs the library: ", "generator", "n="
        assert any(kind in words for kind in kinds), (name, words)
        page.get_by_role("button", name="Dismiss").click()
        assert numbers(page) == before, name
    for text in HOSTILE.values():
        with pytest.raises(ValueError, match=r"^this link cannot be read; [^\n]{1,80}\.$"):
            checked_hash(f"https://host.example/lab/#s={text}")
    # Weights that do not fit the points, and texts as names, are sound: they break nothing.
    rows = {"at": 1, "coef": [[1, 2], [3, 4]], "intercept": [1, 2]}
    page.evaluate("(text) => { location.hash = `#s=${text}`; }", packed(SOUND | {"branch": rows}))
    page.locator(".fault").first.wait_for()
    link = packed(SOUND | OWN | {"names": {"1": HTML, "-1": "no"}})
    page.evaluate("(text) => { location.hash = `#s=${text}`; }", link)
    page.get_by_text(HTML).first.wait_for()
    assert page.title() != "broken"
    assert page.locator("img").count() == 0


@pytest.mark.parametrize(
    "text", ["https://a.example/", "https://[", "#", "s=", "?s=%", "#guide/3?x=<b>", "#s=abc"]
)
def test_the_command_takes_only_links_of_the_lab(text, tmp_path):
    done = forked(command, ["lab", text, "--static", tmp_path], tmp_path)
    assert done.returncode == 2
    assert re.fullmatch(r"rosenblatt: this link [^\n]+\.\n", done.stderr)
    assert list(tmp_path.iterdir()) == []


def test_a_page_without_a_server_says_what_it_lacks(browser, built, tmp_path):
    """Written with a table: its points are there, and what takes the library is named."""
    (tmp_path / "own.csv").write_text("a,b,kind\n1e-200,0,yes\n0,1e-200,no\n1e-200,1e-200,yes\n")
    done = forked(command, ["lab", "own.csv", "--static", "site"], tmp_path)
    assert done.returncode == 0, done.stderr
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((tmp_path / "site" / "index.html").as_uri())
    words = page.locator("[data-unproved]").inner_text()
    assert words == "This page has no server to ask, and some numbers are too small."
    assert state(page)["points"] == [[1e-200, 0], [0, 1e-200], [1e-200, 1e-200]]
    context.close()


# --- a figure in another page, a projector, a copy ------------------------------------------------

AROUND = """<!doctype html><title>around</title><body>
<iframe title="figure" width="500" height="100" src="{source}" {more}></iframe>
<script>
  const told = [];
  addEventListener("message", (event) => told.push({{ ...event.data, origin: event.origin }}));
</script>"""


def told(page, kind):
    """The latest message of a kind from the figure."""
    found = "told.findLast((message) => message.rosenblatt === kind)"
    return page.wait_for_function(f"(kind) => {found}", arg=kind).json_value()


@pytest.mark.parametrize("more", ["", 'sandbox="allow-scripts"'])
def test_a_figure_in_a_page_of_another_origin(open_page, web_host, other_host, more):
    clf = fitted("Perceptron", TOYS["halfplanes"].make(n=12, seed=1))
    source = f"{web_host.page}?embed=1#s={packed(SOUND)}"
    (other_host.folder / "around.html").write_text(AROUND.format(source=source, more=more))
    page = open_page("around.html", url=other_host.url, quiet=False)
    first = told(page, "ready")
    assert first["version"] == 1
    assert first["origin"] == ("null" if more else web_host.url.rstrip("/"))
    assert (first["updates"], opened(f"#s={first['link']}")["panels"]) == (
        clf.n_updates_, SOUND["panels"],
    )  # fmt: skip
    figure = page.frame_locator("iframe")
    assert figure.locator("header.bar, .data, .moment").count() == 0
    # The frame takes the height that it is told, and nothing is left to scroll.
    frame = page.locator("iframe").element_handle().content_frame()
    page.evaluate(
        """() => { document.querySelector('iframe').height =
             told.findLast((m) => m.rosenblatt === 'height').height; }"""
    )
    height = "document.documentElement.scrollHeight - innerHeight"
    assert frame.wait_for_function(f"() => {height} <= 1 && innerHeight > 300")
    figure.get_by_label("One update on").click()
    assert told(page, "step")["update"] == 1
    # It takes no messages.
    page.evaluate(
        """() => { for (const message of ["play", { rosenblatt: "play" }, { rosenblatt: "moment",
             step: 0, point: null }, null, { hash: "#guide" }])
             document.querySelector('iframe').contentWindow.postMessage(message, "*"); }"""
    )
    page.wait_for_timeout(300)
    assert told(page, "step")["update"] == 1
    figure.get_by_label("To the end").click()
    end = told(page, "done")
    assert (end["updates"], end["wrong"]) == (clf.n_updates_, 0)


def test_the_local_server_is_in_no_frame(open_page, server, other_host):
    around = AROUND.format(source=f"{server.url}?embed=1", more="")
    (other_host.folder / "local.html").write_text(around)
    page = open_page("local.html", url=other_host.url, quiet=False)
    page.wait_for_timeout(500)
    frame = page.locator("iframe").element_handle().content_frame()
    assert frame.locator("#app").count() == 0
    assert page.evaluate("told.length") == 0
    page = ready(open_page("#workspace"))
    page.get_by_role("button", name="Share").click()
    assert "lets no other page frame it" in page.locator("dialog").inner_text()


def test_a_projector_gets_large_type_and_keys(open_file, artefacts):
    page = open_file(f"?present=1#s={packed(SOUND)}")
    page.locator(".present [data-wrong='0']").wait_for()
    assert page.locator("header.bar, .time, .data, .moment, footer").count() == 0
    assert page.locator(".present button, .present select, .present input").count() == 0
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "24px"
    clf = fitted("Perceptron", TOYS["halfplanes"].make(n=12, seed=1))
    page.keyboard.press("ArrowRight")
    assert "1 update ·" in page.locator(".present .title").inner_text()
    page.screenshot(path=artefacts / "projector.png")
    page.keyboard.press("End")
    assert f"{clf.n_updates_} updates · 0 wrong" in page.locator(".present .title").inner_text()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.keyboard.press("?")
    assert "projector" in page.locator("dialog[open]").inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    page.wait_for_selector("header.bar")
    assert cell(page, 0, "updates") == clf.n_updates_


def test_an_offline_copy_needs_neither_server_nor_network(open_page, browser, built, tmp_path):
    server = Server()
    page = ready(open_page("#workspace", url=server.url, quiet=False))
    preset(page, "Five classes")
    page.get_by_label("One update on").click()
    shown, seen = state(page), numbers(page)
    server.stop()  # the page writes itself
    context = browser.new_context(offline=True, accept_downloads=True)
    asked = []
    for name in ("first.html", "second.html"):  # a copy of the page, and a copy of that
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Offline copy").click()
        waiting.value.save_as(tmp_path / name)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((tmp_path / name).as_uri())
        ready(page)
        assert (state(page), numbers(page)) == (shown, seen)
    page.get_by_role("button", name="New data").click()
    page.get_by_role("link", name="Guide").click()
    figure(page, "margin")
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert len((tmp_path / "first.html").read_bytes()) == pytest.approx(
        len((tmp_path / "second.html").read_bytes()), abs=100
    )
    context.close()
