"""The workspace in a real browser: kappa, the table, explanations, kernels, points held out."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.data.toys import TOYS
from tests.lab.pages import cell, fitted, preset, ready, state
from tests.support.forks import forked, script

# --- kappa in the histogram -----------------------------------------------------------------------


def histogram(page):
    preset(page, "Article 3: MaxOver")
    page.get_by_label("To the end").click()
    page.click("#tab-stabilities")
    return page.get_by_role("slider", name="kappa")


def equals_the_library(page, handle):
    """The engine has run again with the kappa that the histogram shows."""
    page.wait_for_timeout(1200)
    page.get_by_label("To the end").click()
    kappa = float(handle.get_attribute("aria-valuenow"))
    toy = TOYS["wedge"].make(n=50, wedge=0.03, noise=0.1, seed=0)
    clf = fitted("MaxOver", toy, fit_intercept=False, algorithm=2, kappa=kappa)
    assert cell(page, 0, "updates") == clf.n_updates_
    assert cell(page, 0, "wrong") == (clf.predict(toy.X) != toy.y).sum()
    assert state(page)["panels"][0]["parameters"]["kappa"] == kappa
    return kappa


def middle(handle):
    box = handle.locator(".knob").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_kappa_is_dragged_in_the_histogram(open_page, artefacts):
    page = ready(open_page(width=1280, height=800))
    handle = histogram(page)
    before = cell(page, 0, "updates"), cell(page, 0, "wrong")
    x, y = middle(handle)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 70, y, steps=8)
    seen = middle(handle)[0]
    assert abs(seen - (x + 70)) < 8  # the axis stands still under the hand
    page.mouse.up()
    kappa = equals_the_library(page, handle)
    assert kappa > 0.2
    assert (cell(page, 0, "updates"), cell(page, 0, "wrong")) != before
    page.screenshot(path=artefacts / "kappa.png")
    page.keyboard.press("z")  # one movement is one step to undo
    page.wait_for_timeout(900)
    assert float(handle.get_attribute("aria-valuenow")) == 0


def test_kappa_is_moved_by_keys(open_page):
    page = ready(open_page())
    handle = histogram(page)
    handle.focus()
    clock = state(page)["clock"]
    for key in ("ArrowRight", "ArrowUp", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    assert handle.get_attribute("aria-valuenow") == "0.1"
    assert equals_the_library(page, handle) == 0.1
    assert state(page)["clock"] != 0 or clock == 0  # the arrows have not moved time
    handle.focus()
    page.keyboard.press("Home")
    assert handle.get_attribute("aria-valuenow") == handle.get_attribute("aria-valuemin") == "-1"
    assert equals_the_library(page, handle) == -1


def test_kappa_is_dragged_by_a_finger(open_page):
    page = ready(open_page(width=360, height=740, has_touch=True, is_mobile=True))
    preset(page, "Article 3: MaxOver")
    page.get_by_role("button", name="What happened").tap()
    page.locator("#tab-stabilities").tap()
    page.get_by_label("To the end").tap()
    handle = page.get_by_role("slider", name="kappa")
    handle.scroll_into_view_if_needed()
    x, y = middle(handle)
    touch = page.context.new_cdp_session(page)

    def send(kind, *at):
        points = [{"x": at[0], "y": at[1]}] if at else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", x, y)
    for step in range(1, 9):
        send("touchMove", x - 6 * step, y)
    send("touchEnd")
    assert equals_the_library(page, handle) < -0.1


def test_a_member_without_kappa_has_a_ruler(open_page):
    page = ready(open_page())
    page.keyboard.press("End")
    page.click("#tab-stabilities")
    assert page.get_by_role("slider", name="kappa").count() == 0
    ruler = page.get_by_role("slider", name="Ruler")
    ruler.focus()
    page.keyboard.press("PageUp")
    shown = state(page)
    toy = TOYS["halfplanes"].make(n=30, margin=0.05, seed=7)
    clf = fitted("Perceptron", toy)
    w = np.append(clf.coef_[0], clf.intercept_)
    margins = toy.y * (np.column_stack([toy.X, np.ones(30)]) @ w) / np.linalg.norm(w)
    value = float(ruler.get_attribute("aria-valuenow"))
    assert value > 0
    below = int(page.locator("[data-below]").get_attribute("data-below"))
    assert below == (margins < value).sum()
    assert shown["panels"][0]["parameters"] == {}


def test_kappa_is_moved_in_the_guide(open_page):
    page = open_page("#guide/7", width=1200)
    figure = page.locator("[data-figure='unlearnable']")
    page.wait_for_selector("[data-figure='unlearnable'][data-ready='true']")
    figure.get_by_label("To the end").click()
    handle = figure.get_by_role("slider", name="kappa").first
    handle.focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    assert handle.get_attribute("aria-valuenow") == "0.2"
    page.wait_for_timeout(1500)
    toy = TOYS["halfplanes"].make(n=60, margin=0.05, noise=0.1, seed=0)
    clf = fitted("MaxOver", toy, fit_intercept=False, algorithm=3, kappa=0.2, max_iter=5)
    shown = figure.locator("[data-errors]").first  # the moment stays at the end
    assert int(shown.inner_text()) == (clf.predict(toy.X) != toy.y).sum()


# --- the table ------------------------------------------------------------------------------------


def test_the_table_fits_or_scrolls_in_its_own_box(open_page):
    page = ready(open_page(width=1280, height=800))
    preset(page, "Four algorithms, one clock")
    page.keyboard.press("End")
    table = page.get_by_role("region", name="Scores")
    wide = "e => [e.scrollWidth, e.clientWidth]"
    content, box = table.evaluate(wide)
    assert content <= box
    heads = [h.strip() for h in table.locator("thead th").all_inner_texts()]
    assert heads == ["panel", "updates", "mistakes", "passes", "wrong", "margin", "angle"]
    phone = ready(open_page(width=360, height=740, has_touch=True, is_mobile=True))
    preset(phone, "Four algorithms, one clock")
    table = phone.get_by_role("region", name="Scores")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    table.evaluate("e => e.scrollTo(e.scrollWidth, 0)")
    last = table.locator("tbody tr").first.locator("td").last
    edge, right = last.bounding_box(), table.bounding_box()
    assert edge["x"] + edge["width"] <= right["x"] + right["width"] + 1


# --- why? -----------------------------------------------------------------------------------------


def test_a_number_is_explained_with_the_run_s_own(open_page, artefacts):
    page = ready(open_page(width=1280, height=800))
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    ask = page.locator("table [data-why=margin]")
    ask.focus()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="Why: Margin")
    sheet.wait_for()
    toy = TOYS["halfplanes"].make(n=30, margin=0.05, seed=7)
    i = fitted("Perceptron", toy).journal_.updates.i[:4]
    lifted = np.column_stack([toy.X, np.ones(30)])
    w = (toy.y[i, None] * lifted[i]).sum(axis=0)
    margins = toy.y * (lifted @ w)
    here = sheet.locator("[data-here]").get_attribute("data-here")
    assert f"x_{{{margins.argmin() + 1}}}" in here
    shown = [float(v) for v in re.findall(r"-?\d+\.?\d*", here.split("=", 1)[1])]
    assert shown[0] == pytest.approx(margins.min(), rel=0.01)
    assert shown[1] == pytest.approx(np.linalg.norm(w), rel=0.01)
    assert shown[2] == pytest.approx(margins.min() / np.linalg.norm(w), rel=0.01)
    page.screenshot(path=artefacts / "why.png")
    page.keyboard.press(".")
    page.keyboard.press("Escape")
    sheet.wait_for(state="hidden")
    assert ask.evaluate("e => e === document.activeElement")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_every_explanation_stays_on_the_screen(open_page, width, height):
    page = ready(open_page(width=width, height=height))
    page.keyboard.press("End")
    if width < 700:
        page.get_by_role("button", name="What happened").click()
    page.click("#tab-proof")
    page.wait_for_timeout(300)
    asked = page.locator("[data-why]")
    names = set()
    for n in range(asked.count()):
        one = asked.nth(n)
        if not one.is_visible():
            continue
        names.add(one.get_attribute("data-why"))
        one.scroll_into_view_if_needed()
        one.focus()
        page.keyboard.press("Enter")
        sheet = page.locator(".sheet:popover-open")
        sheet.wait_for()
        page.wait_for_timeout(60)
        box = sheet.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
        assert sheet.locator(".katex").count() >= 2
        assert sheet.locator(".katex-error").count() == 0
        page.keyboard.press("Escape")
        sheet.wait_for(state="hidden")
    assert names >= {"updates", "mistakes", "error", "margin", "angle"}
    assert names >= {"bound", "radius", "bracket"}


# --- kernels --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"readout": "last", "budget": 8, "budget_policy": "oldest"},
        {"readout": "last", "budget": 6, "budget_policy": "forgetron"},
        {"readout": "averaged", "normalise": True},
        {"readout": "random"},
    ],
)
def test_a_kernel_member_has_all_its_controls(open_page, settings):
    page = ready(open_page())
    preset(page, "Rings, with a kernel")
    page.get_by_role("button", name="Close panel 2").click()
    page.get_by_role("button", name="Settings").click()
    for name, value in settings.items():
        control = page.get_by_label(name, exact=True)
        if isinstance(value, bool):
            control.set_checked(value)
        elif name == "budget":
            control.fill(str(value))
            control.press("Tab")
        else:
            control.select_option(value)
        page.wait_for_timeout(300)
    page.wait_for_timeout(900)
    page.get_by_label("To the end").click()
    toy = TOYS["rings"].make(n=60, seed=0)
    clf = fitted("KernelPerceptron", toy, kernel="rbf", gamma=2.0, **settings)
    assert cell(page, 0, "wrong") == (clf.predict(toy.X) != toy.y).sum()
    step = page.locator("output.where").get_attribute("data-step")
    assert int(step) == clf.n_updates_
    if "budget" in settings:
        words = ""
        for _ in range(20):  # an update on a point that is held needs no place
            page.get_by_label("One update back").click()
            words = page.locator("[data-sentence]").inner_text()
            if "on a budget" in words:
                break
        assert "is forgotten" in words
        assert page.locator("tr[data-row='0'] [data-mistakes]").inner_text() == "–"


def test_a_budget_that_does_not_go_with_a_readout_is_refused_in_words(open_page):
    page = ready(open_page(quiet=False))
    preset(page, "Rings, with a kernel")
    page.get_by_role("button", name="Close panel 2").click()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("readout", exact=True).select_option("voted")
    page.get_by_label("budget", exact=True).fill("8")
    page.get_by_label("budget", exact=True).press("Tab")
    fault = page.locator(".card [role=alert]")
    fault.wait_for()
    assert "take readout='last'" in fault.inner_text()


@pytest.mark.parametrize("name", ["KernelPerceptron", "AdaTron"])
def test_a_member_that_cannot_branch_explains_why(open_page, name):
    page = ready(open_page())
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("button", name="Branch here").is_enabled()
    assert page.locator("[data-stuck]").count() == 0
    page.get_by_label("Algorithm of panel 1").select_option(name)
    page.locator("[data-stuck]").wait_for()
    words = page.locator("[data-stuck]").inner_text()
    assert words.startswith(name)
    assert words.endswith("So there is no branch from here.")
    assert page.get_by_role("button", name="Branch here").is_disabled()


# --- points held out ------------------------------------------------------------------------------


def test_points_are_held_out_and_their_error_is_shown(open_page, tmp_path, artefacts):
    page = ready(open_page(width=1280, height=800))
    page.get_by_label("noise, exactly").fill("0.1")
    page.get_by_label("noise, exactly").press("Tab")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("slider", name="held out").fill("0.3")
    page.wait_for_timeout(900)
    page.get_by_label("To the end").click()
    shown = state(page)
    assert shown["held"] == 9
    points, labels = np.array(shown["points"]), np.array(shown["labels"])
    X, y, T, z = points[:21], labels[:21], points[21:], labels[21:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = rb.Perceptron(tol=None, random_state=0).fit(X, y)
    assert cell(page, 0, "updates") == clf.n_updates_
    assert cell(page, 0, "wrong") == (clf.predict(X) != y).sum()
    missed = cell(page, 0, "held")
    assert missed == (clf.predict(T) != z).sum()
    assert page.locator("svg[data-plane='0'] [data-hollow]").count() == 2
    assert page.locator("path[data-missed]").count() == 1
    assert "9 of them held out" in page.locator(".facts", has_text="points").inner_text()
    page.screenshot(path=artefacts / "held-out.png")
    page.locator("table [data-why=heldout]").click()
    here = page.locator("[data-here]").get_attribute("data-here")
    assert here.startswith(f"\\frac{{{missed}}}{{9}}")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Python").click()
    page.wait_for_selector("dialog[open]")
    path = tmp_path / "run.py"
    path.write_text(page.locator("[data-script]").inner_text())
    done = forked(script, [path], tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"held-out errors: {missed}\n" in done.stdout
    page.get_by_role("button", name="Close", exact=True).click()
    link = page.url
    other = open_page(link[link.index("#") :])
    other.wait_for_selector("tr[data-row='0'] [data-held]")
    assert state(other) == shown
    assert cell(other, 0, "held") == missed


def test_a_point_held_out_can_be_deleted_and_all_be_learned_again(open_page):
    page = ready(open_page())
    page.get_by_text("More", exact=True).click()
    page.get_by_role("slider", name="held out").fill("0.2")
    page.wait_for_timeout(700)
    assert state(page)["held"] == 6
    page.keyboard.press("Escape")
    page.locator("svg[data-plane='0']").focus()
    page.keyboard.press(",")  # the last one
    page.keyboard.press("Delete")
    shown = state(page)
    assert (shown["held"], len(shown["points"])) == (5, 29)
    page.keyboard.press("a")
    shown = state(page)
    assert (shown["held"], len(shown["points"])) == (5, 30)
    page.get_by_role("slider", name="held out").fill("0")
    assert state(page)["held"] == 0
