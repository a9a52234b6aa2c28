"""The guide in a real browser: its opening, its frame, and the film of the proof."""

from __future__ import annotations

import pytest

from rosenblatt.data.toys import TOYS
from tests.lab.pages import fitted

SCREENS = [(1280, 720), (390, 844)]


def whole(page, locator):
    """Whether all of an element is inside the window."""
    box = locator.bounding_box()
    size = page.viewport_size
    return (
        box["x"] >= 0 and box["y"] >= 0
        and box["x"] + box["width"] <= size["width"] and box["y"] + box["height"] <= size["height"]
    )  # fmt: skip


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_the_page_opens_on_points_without_an_answer(open_page, artefacts, width, height):
    page = open_page("", width=width, height=height)
    opening = page.locator("[data-opening][data-ready=true]")
    plane, play = opening.locator("[data-plane]"), opening.get_by_role("button", name="Play")
    assert whole(page, plane)
    assert whole(page, play)
    assert plane.bounding_box()["width"] >= min(560, width - 40)
    for answer in ("[data-line]", "[data-best]", ".truth", ".half"):
        assert plane.locator(answer).count() == 0
    assert plane.locator(".rings").get_attribute("data-wrong") == "0"
    page.screenshot(path=artefacts / f"opening-{width}.png")
    play.click()
    opening.locator("[data-mistakes]").wait_for()
    clf = fitted("Perceptron", TOYS["halfplanes"].make(n=30, margin=0.05, seed=7))
    said = opening.get_by_role("status").inner_text()
    assert said == f"It found a line after {clf.n_updates_} mistakes. Drag a point."
    assert plane.locator("[data-line]").count() == 1
    page.screenshot(path=artefacts / f"opening-{width}-after.png")


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_plane_and_play_are_on_one_screen_in_every_lesson(open_page, width, height):
    page = open_page("#guide/1", width=width, height=height)
    page.locator("[data-figure]").first.wait_for()
    names = page.locator("[data-figure]").evaluate_all("e => e.map((f) => f.dataset.figure)")
    for name in names:
        lesson = page.locator(f"[data-figure='{name}']")
        lesson.locator("xpath=ancestor::section").evaluate("e => e.scrollIntoView()")
        page.wait_for_selector(f"[data-figure='{name}'][data-ready='true']")
        lesson.locator("xpath=ancestor::section").evaluate("e => e.scrollIntoView()")
        assert whole(page, lesson.get_by_role("button", name="Play", exact=True)), name
        assert whole(page, lesson.locator("figure svg").first), name
        # It is still there when the text has been scrolled by half a screen.
        if lesson.locator(".text").bounding_box()["height"] > 1.5 * height:
            page.mouse.wheel(0, height / 2)
            page.wait_for_timeout(150)
            assert whole(page, lesson.get_by_role("button", name="Play", exact=True)), name


def test_a_sentence_shows_its_moment_and_a_guess_meets_the_run(open_page):
    page = open_page("#guide/1", width=1280, height=720)
    lesson = page.locator("[data-figure='one']")
    page.wait_for_selector("[data-figure='one'][data-ready='true']")
    step = lesson.locator("output[data-step]")
    toy = TOYS["halfplanes"].make(n=30, margin=0.06, seed=7)
    clf = fitted("Perceptron", toy, fit_intercept=False)
    lesson.get_by_text("and the example is added").hover()
    assert step.get_attribute("data-step") == "2"
    assert lesson.locator("[data-movement] [data-score]").count() == 1  # half-way through it
    lesson.get_by_text("At the start").focus()
    assert step.get_attribute("data-step") == "0"
    lesson.get_by_text("When a whole pass").press("Enter")
    assert step.get_attribute("data-step") == str(clf.n_updates_)
    lesson.get_by_label("Speed").select_option("30")
    lesson.get_by_label("How many mistakes").fill("3")
    lesson.get_by_label("How many mistakes").press("Enter")
    lesson.locator("[data-answer]").wait_for()
    said = lesson.locator("[data-prediction]").get_by_role("status").inner_text()
    assert said == f"You said 3; it made {clf.n_updates_} mistakes."
