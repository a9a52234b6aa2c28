"""The guide in a real browser: its opening, its frame, and the film of the proof."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.data.toys import TOYS
from tests.lab.pages import fitted, ready, state

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
    if width < 1000:
        return
    play.click()
    opening.locator("[data-mistakes]").wait_for()
    clf = fitted("Perceptron", TOYS["halfplanes"].make(n=30, margin=0.05, seed=7))
    said = opening.get_by_role("status").inner_text()
    assert said == f"It found a line after {clf.n_updates_} mistakes. Drag a point."
    assert plane.locator("[data-line]").count() == 1
    page.screenshot(path=artefacts / "opening-after.png")


def test_plane_and_play_are_on_one_screen_in_every_lesson(open_page):
    page = open_page("#guide/1")
    page.locator("[data-figure]").first.wait_for()
    names = page.locator("[data-figure]").evaluate_all("e => e.map((f) => f.dataset.figure)")
    for (width, height), name in itertools.product(SCREENS, names):
        page.set_viewport_size({"width": width, "height": height})
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


def test_a_dragged_point_is_learned_and_solves_the_puzzle(open_page):
    page = open_page("#guide/1", width=1280, height=720)
    lesson = page.locator("[data-figure='one']")
    page.wait_for_selector("[data-figure='one'][data-ready='true']")
    toy = TOYS["halfplanes"].make(n=30, margin=0.06, seed=7)
    box = lesson.locator("[data-plane]").bounding_box()
    low, high = toy.X.min(axis=0), toy.X.max(axis=0)
    middle, half = (low + high) / 2, 0.56 * (high - low).max()

    def at(point):  # in the window; the plane shows all points with some room
        u, v = (np.array(point) - middle) / (2 * half) + 0.5
        return box["x"] + u * box["width"], box["y"] + (1 - v) * box["height"]

    puzzle = lesson.locator("[data-puzzle]")
    assert puzzle.get_attribute("data-solved") == "false"
    page.mouse.move(*at(toy.X[14]))
    page.mouse.down()
    page.mouse.move(*at([0.616, -0.644]), steps=8)
    page.mouse.up()
    page.wait_for_selector("[data-figure='one'] [data-puzzle][data-solved='true']")
    total = int(lesson.locator("output.where").inner_text().split("/")[1].split()[0])
    assert f"only after {total} mistakes" in puzzle.get_by_role("status").inner_text()
    lesson.get_by_role("button", name="Open in workspace").click()
    ready(page)
    shown = state(page)
    X = np.array(shown["points"])
    assert np.flatnonzero((X != toy.X).any(axis=1)).tolist() == [14]
    clf = rb.Perceptron(tol=None, random_state=0, fit_intercept=False).fit(X, toy.y)
    assert total == clf.n_updates_ >= 20


# --- the film of the proof ------------------------------------------------------------------------


class Film:
    """Lesson 2 in a browser, and the same run by the library."""

    def __init__(self, page):
        self.page = page
        self.lesson = page.locator("[data-figure='two']")
        page.wait_for_selector("[data-figure='two'][data-ready='true']")
        toy = TOYS["halfplanes"].make(n=16, margin=0.15, seed=50)
        self.toy, self.gamma, self.R = toy, toy.margin, toy.radius
        clf = fitted("Perceptron", toy, fit_intercept=False)
        i = clf.journal_.updates.i
        self.steps = toy.y[i, None] * toy.X[i]
        self.tips = np.vstack([np.zeros(2), np.cumsum(self.steps, axis=0)])
        self.best = np.array(toy.separator) / np.linalg.norm(toy.separator)
        self.count = len(i)

    def tab_to(self, locator):
        """Press Tab until something has the focus."""
        for _ in range(80):
            if locator.evaluate("e => e === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError("Tab does not get there")

    def say(self, words):
        self.tab_to(self.lesson.locator("[data-scrub]", has_text=words))
        self.page.wait_for_timeout(50)

    def scene(self):
        return self.lesson.locator("[data-scene]").get_attribute("data-scene")

    def number(self, name):
        return float(self.lesson.locator(f"[{name}]").first.get_attribute(name))


def test_the_film_of_the_proof_is_true_and_needs_no_mouse(open_page, artefacts):
    film = Film(page := open_page("#guide/2", width=1280, height=720))
    play = film.lesson.get_by_role("button", name="Play", exact=True)
    film.tab_to(film.lesson.get_by_role("button", name="Shadows", exact=True))
    page.keyboard.press("Enter")
    assert film.lesson.locator("[data-shadow]").count() == 0  # nothing before Play
    film.tab_to(play)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-figure='two'] [data-shadow]")  # it moves by itself
    film.tab_to(film.lesson.get_by_label("To the end"))
    page.keyboard.press("Enter")
    assert film.number("data-step") == film.number("data-k") == film.count

    film.say("drops a shadow")
    assert film.scene() == "shadows"
    assert film.number("data-step") == 3
    assert film.number("data-shadow") == pytest.approx(film.steps[2] @ film.best)
    film.say("So after")
    assert film.number("data-along") == pytest.approx(film.tips[-1] @ film.best)
    assert film.gamma * film.count == pytest.approx(film.number("data-ruler"))
    assert film.number("data-ruler") <= film.number("data-along")
    page.screenshot(path=artefacts / "film-shadows.png")

    film.say("By Pythagoras")
    assert film.scene() == "square"
    film.say("still inside the circle")
    assert film.number("data-length") == pytest.approx(np.linalg.norm(film.tips[-1]))
    assert film.number("data-length") <= np.sqrt(film.count) * film.R
    back = film.lesson.get_by_label("One update back")
    for k in range(film.count, 1, -1):  # each step makes a right or an obtuse angle with w
        w, step = film.tips[k - 1], film.steps[k - 1]
        cos = w @ step / np.linalg.norm(w) / np.linalg.norm(step)
        assert film.number("data-angle") == pytest.approx(np.degrees(np.arccos(cos)))
        assert film.number("data-angle") >= 90 - 1e-9
        back.press("Enter")
    page.screenshot(path=artefacts / "film-square.png")


def test_the_curves_are_never_ahead_of_the_run(open_page, artefacts):
    film = Film(page := open_page("#guide/2", width=1280, height=720))
    film.lesson.get_by_role("button", name="Meeting", exact=True).press("Enter")
    film.lesson.get_by_role("button", name="Play", exact=True).press("Enter")
    seen = []
    for _ in range(12):
        drawn, step = film.number("data-drawn"), film.number("data-step")
        assert drawn <= step + 1  # the step may have come between the two questions
        assert film.lesson.locator("[data-beyond]").count() == 0
        seen.append(drawn)
        page.wait_for_timeout(120)
    assert seen == sorted(seen)
    assert any(v % 1 for v in seen)  # they grow with the movement, not by jumps
    film.say("grows faster than")
    assert film.number("data-drawn") == film.count
    assert film.lesson.locator("[data-beyond]").count() == 1
    page.screenshot(path=artefacts / "film-meeting.png")
    film.say("All separators together")
    assert film.scene() == "cone"
    angles = np.arctan2(
        (film.toy.y[:, None] * film.toy.X) @ [-film.best[1], film.best[0]],
        (film.toy.y[:, None] * film.toy.X) @ film.best,
    )
    wide, needed = film.number("data-cone"), film.number("data-step")
    assert wide == pytest.approx(180 - np.degrees(np.ptp(angles)))
    page.screenshot(path=artefacts / "film-cone.png")
    film.lesson.get_by_label("margin γ").fill("0.07")
    page.wait_for_function(
        "n => Number(document.querySelector('[data-figure=two] [data-k]').dataset.k) > n",
        arg=needed,
    )
    assert film.number("data-cone") < wide / 1.5
    narrow = TOYS["halfplanes"].make(n=16, margin=0.07, seed=50)
    clf = fitted("Perceptron", narrow, fit_intercept=False)
    assert film.number("data-step") == clf.n_updates_ >= 50
    assert film.lesson.locator("[data-puzzle]").get_attribute("data-solved") == "true"
    film.say("What all examples leave")
    assert film.scene() == "slices"
    assert film.number("data-slices") == len(narrow.y)
    page.screenshot(path=artefacts / "film-slices.png")
    plane = film.lesson.locator("[data-plane]")
    plane.press(".")
    plane.press("f")  # a wrong label: there is no w* any more, and the picture says so
    film.lesson.get_by_text("No line through the origin").wait_for()
    film.lesson.get_by_role("button", name="Put the points back").press("Enter")
    film.lesson.locator("[data-slices]").wait_for()


def test_less_motion_shows_moments_at_once(open_page):
    film = Film(page := open_page("#guide/2", width=390, height=844, reduced_motion="reduce"))
    film.say("drops a shadow")
    assert film.scene() == "shadows"
    assert film.number("data-along") == pytest.approx(film.tips[3] @ film.best)  # it has arrived
    film.say("The shadows stack")
    assert film.number("data-along") == pytest.approx(film.tips[5] @ film.best)
    page.wait_for_timeout(500)
    page.mouse.move(2, 700)  # beside the text: reading alone chooses the scene
    for _ in range(30):  # whoever reads on comes to the next scene
        if film.scene() == "meeting":
            break
        page.mouse.wheel(0, 60)
        page.wait_for_timeout(60)
    assert film.scene() == "meeting"
    assert whole(page, film.lesson.get_by_role("button", name="Play", exact=True))
