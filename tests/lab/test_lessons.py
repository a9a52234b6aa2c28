"""Every lesson to its end, in a real browser: the run's numbers are the library's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.data.toys import TOYS
from tests.lab.conftest import ROOT
from tests.lab.pages import fitted, proved

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
BARE = {"fit_intercept": False}
LESSONS = 12


def make(kind, **given):
    return TOYS[kind].make(**given)


def wrong(clf, toy):
    return int((clf.predict(toy.X) != toy.y).sum())


def figure(page, name):
    """A lesson, once its run is there."""
    one = page.locator(f"[data-figure='{name}']")
    one.locator("xpath=ancestor::section").evaluate("e => e.scrollIntoView()")
    page.wait_for_selector(f"[data-figure='{name}'][data-ready='true']")
    return one


def names(page):
    page.locator("[data-figure]").nth(LESSONS - 1).wait_for(state="attached")
    return page.locator("[data-figure]").evaluate_all("e => e.map((f) => f.dataset.figure)")


def number(lesson, name):
    found = lesson.locator(f"[{name}]").first
    found.wait_for(state="attached")
    return float(found.get_attribute(name))


def barriers(page):
    page.evaluate(AXE.read_text())
    report = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (v["id"], v["nodes"][0]["html"][:160])
        for v in report["violations"]
        if v["impact"] in ("serious", "critical")
    ]


def test_every_lesson_runs_to_its_end_on_a_phone_in_the_dark(open_page, artefacts):
    page = open_page("#guide/1", width=390, height=844, color_scheme="dark", has_touch=True)
    for number_, name in enumerate(names(page), 1):
        lesson = figure(page, name)
        page.wait_for_timeout(150)
        page.screenshot(path=artefacts / f"lesson-{number_}-phone.png")
        lesson.get_by_label("To the end").click()
        done, total = re.findall(r"[\d,]+", lesson.locator("output.where").inner_text())
        assert done == total != "0", name
        if lesson.locator("[data-claims]").count():
            lesson.locator("[data-claims]:not([data-claims='0'])").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
    assert barriers(page) == []


# --- what each lesson asks before Play: the library's own answer ----------------------------------


def answer_margin():
    return fitted("Perceptron", make("halfplanes", n=40, margin=0.1, seed=5), **BARE).n_updates_


def answer_bias():
    toy = make("gaussians", n=30, distance=5, shift=1.2, seed=0)
    return wrong(fitted("Perceptron", toy, **BARE, max_iter=20), toy)


def answer_noline():
    toy = make("xor", n=24, seed=0)
    return len(rb.certify(toy.X, toy.y).support)


def answer_best():
    toy = make("halfplanes", n=40, margin=0.15, seed=7)
    w = fitted("Perceptron", toy, **BARE).coef_[0]
    share = (toy.y * (toy.X @ w)).min() / np.linalg.norm(w) / toy.margin
    return round(100 * share)


def answer_unlearnable():
    toy = make("halfplanes", n=60, margin=0.05, noise=0.1, seed=0)
    return wrong(fitted("MaxOver", toy, **BARE, algorithm=3, kappa=0.5, max_iter=5), toy)


def answer_voting():
    toy = make("gaussians", n=60, distance=1.5, seed=0)
    return wrong(fitted("Perceptron", toy, max_iter=1), toy)


def answer_passive():
    toy = make("halfplanes", n=40, margin=0.1, noise=0.05, seed=0)
    return wrong(fitted("PassiveAggressive", toy, **BARE, C=100.0, max_iter=3), toy)


def answer_kernels():
    toy = make("rings", n=60, seed=0)
    settings = {"kernel": "poly", "degree": 2, "gamma": 1.0, "readout": "last", "max_iter": 200}
    return fitted("KernelPerceptron", toy, **settings).n_updates_


def answer_classes():
    toy = make("clouds", n=80, classes=4, spread=0.2, seed=1)
    return fitted("Perceptron", toy, max_iter=200).n_updates_


def answer_new():
    toy = make("gaussians", n=60, distance=4, noise=0.1, seed=7)
    return wrong(fitted("Perceptron", toy, max_iter=30), toy)


# --- the puzzles, solved as a reader would --------------------------------------------------------


def until_solved(lesson, most=30):
    """Draw new points until the run of some solves the puzzle."""
    for _ in range(most):
        lesson.get_by_role("button", name="New points").click()
        lesson.page.wait_for_timeout(450)
        if lesson.locator("[data-solved='true']").count():
            return


def solve_noline(lesson):
    lesson.get_by_role("combobox", name="points").select_option("halfplanes")
    lesson.page.wait_for_timeout(500)
    toy = make("halfplanes", n=20, margin=0.1, noise=0.05, seed=0)
    flipped = int(np.flatnonzero(toy.y * (toy.X @ toy.separator) < 0)[0])
    lesson.locator("[data-plane]").focus()
    for _ in range(flipped + 1):
        lesson.page.keyboard.press(".")
    lesson.page.keyboard.press("f")


def solve_kernels(lesson):
    lesson.get_by_role("combobox", name="points").select_option("spirals")
    lesson.get_by_role("combobox", name="kernel").select_option("gaussian")
    lesson.get_by_role("slider", name="gamma").fill("20")


def solve_classes(lesson):
    lesson.get_by_role("slider", name="classes", exact=True).fill("6")
    lesson.get_by_role("slider", name="spread").fill("0.1")


def solve_new(lesson):
    lesson.get_by_role("slider", name="points", exact=True).fill("20")
    until_solved(lesson)


SOLUTIONS = {
    "margin": lambda lesson: lesson.get_by_role("slider", name="Margin", exact=True).press("Home"),
    "bias": lambda lesson: lesson.get_by_role("slider", name="clouds at").fill("0.5"),
    "noline": solve_noline,
    "best": lambda lesson: lesson.get_by_role("combobox", name="c", exact=True).select_option("30"),
    "unlearnable": lambda lesson: lesson.locator("input[aria-label=kappa]").fill("0"),
    "voting": until_solved,
    "passive": lambda lesson: lesson.get_by_role("slider", name="C", exact=True).fill("-1"),
    "kernels": solve_kernels,
    "classes": solve_classes,
    "new": solve_new,
}
ANSWERS = {
    "margin": answer_margin, "bias": answer_bias, "noline": answer_noline, "best": answer_best,
    "unlearnable": answer_unlearnable, "voting": answer_voting, "passive": answer_passive,
    "kernels": answer_kernels, "classes": answer_classes, "new": answer_new,
}  # fmt: skip


def guess(lesson):
    """Guess, play as fast as it goes, and return what the run made of the question."""
    lesson.get_by_label("Speed").select_option("1000")
    lesson.locator("[data-prediction] input").fill("1000")
    lesson.get_by_role("button", name="Guess, and play").click()
    lesson.locator("[data-answer]").wait_for()
    return number(lesson, "data-answer")


def test_every_lesson_meets_a_guess_and_has_a_puzzle_that_can_be_solved(open_page, artefacts):
    page = open_page("#guide/3", width=1280, height=720)
    assert set(names(page)[2:]) == set(ANSWERS)
    for name, answer in ANSWERS.items():
        lesson = figure(page, name)
        assert lesson.locator("[data-claims]").get_attribute("data-claims") == "0", name
        assert guess(lesson) == answer(), name
        lesson.locator("[data-claims]:not([data-claims='0'])").wait_for()
        page.screenshot(path=artefacts / f"lesson-{name}.png")
        assert lesson.locator("[data-solved]").get_attribute("data-solved") == "false", name
        SOLUTIONS[name](lesson)
        lesson.locator("[data-solved='true']").wait_for()
    assert barriers(page) == []


def test_the_numbers_of_the_lessons_are_the_library_s(open_page):
    page = open_page("#guide/1", width=1280, height=720)

    def ended(name):
        one = figure(page, name)
        one.get_by_label("To the end").click()
        return one

    toy = make("halfplanes", n=30, margin=0.06, seed=7)
    clf, one = fitted("Perceptron", toy, **BARE), ended("one")
    assert number(one, "data-end-updates") == number(one, "data-updates") == clf.n_updates_
    assert number(one, "data-end-errors") == number(one, "data-error") == 0

    two, toy = ended("two"), make("halfplanes", n=16, margin=0.15, seed=50)
    assert number(two, "data-k") == fitted("Perceptron", toy, **BARE).n_updates_
    assert number(two, "data-bound") == proved(toy.X, toy.y, **BARE)["bound"]

    toy = make("halfplanes", n=40, margin=0.1, seed=5)
    lesson, truth = ended("margin"), proved(toy.X, toy.y, **BARE)
    assert number(lesson, "data-orders") == 200
    assert number(lesson, "data-most") <= number(lesson, "data-bound") == truth["bound"]
    assert number(lesson, "data-margin") == truth["margin"][0]

    lesson, toy = ended("noline"), make("xor", n=24, seed=0)
    lesson.locator("[data-verdict=inseparable]").wait_for()
    support = rb.certify(toy.X, toy.y).support
    points = lesson.locator("tbody td:first-child").all_inner_texts()
    assert sorted(map(int, points)) == sorted(i + 1 for i in support)
    assert lesson.locator("[data-certificate]").count() == 1

    lesson, toy = ended("best"), make("halfplanes", n=40, margin=0.15, seed=7)
    w = fitted("MinOver", toy, **BARE, c=10).coef_[0]
    share = (toy.y * (toy.X @ w)).min() / np.linalg.norm(w) / toy.margin
    assert number(lesson, "data-share") == pytest.approx(share)

    lesson = ended("unlearnable")
    toy = make("halfplanes", n=60, margin=0.05, noise=0.1, seed=0)
    kinds = {
        "MaxOver": {"algorithm": 3, "kappa": 0.5}, "PocketPerceptron": {}, "Perceptron": {},
    }  # fmt: skip
    expected = [wrong(fitted(k, toy, **BARE, **s, max_iter=5), toy) for k, s in kinds.items()]
    lesson.locator("[data-errors]").nth(2).wait_for()
    assert list(map(int, lesson.locator("[data-errors]").all_inner_texts())) == expected

    lesson, toy = ended("voting"), make("gaussians", n=60, distance=1.5, seed=0)
    clf = fitted("VotedPerceptron", toy, max_iter=1)
    assert number(lesson, "data-errors") == wrong(clf, toy)
    assert number(lesson, "data-last-votes") == clf.votes_[-1]

    lesson, toy = ended("classes"), make("clouds", n=80, classes=4, spread=0.2, seed=1)
    clf = fitted("Perceptron", toy, max_iter=200)
    assert lesson.locator("[data-vector]").count() == 4
    shown = lesson.locator("tr[data-class='3'] td").all_inner_texts()
    learned = [*clf.coef_[3], clf.intercept_[3]]
    assert [float(v.replace("−", "-")) for v in shown] == pytest.approx(learned, rel=5e-3)

    lesson, toy = ended("new"), make("gaussians", n=60, distance=4, noise=0.1, seed=7)
    other = make("gaussians", n=1000, distance=4, noise=0.1, seed=1007)
    clf = fitted("Perceptron", toy, max_iter=30)
    assert number(lesson, "data-test") == np.mean(clf.predict(other.X) != other.y)
