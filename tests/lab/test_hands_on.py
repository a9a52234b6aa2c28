"""Hands on the points in a real browser: drags, strokes, fingers, and what undo makes of them."""

from __future__ import annotations

from tests.lab.pages import first_mark, preset, ready, state, touches


def largest(shown):
    return max(abs(v) for point in shown["points"] for v in point)


def test_a_drag_to_the_edge_does_not_run_away_and_is_undone_as_one(open_page):
    page = ready(open_page())
    before = state(page)
    x, y = first_mark(page)
    box = page.locator("svg[data-plane='0']").bounding_box()
    right = box["x"] + box["width"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(right - 2, y, steps=5)
    for step in range(60):  # the hand trembles at the edge
        page.mouse.move(right + step % 3, y)
    page.mouse.up()
    after = state(page)
    assert largest(after) < 1.5 * largest(before)
    page.keyboard.press("z")
    assert state(page)["points"] == before["points"]


def test_a_stroke_and_a_slider_are_undone_as_one(open_page):
    page = ready(open_page())
    before = state(page)
    box = page.locator("svg[data-plane='0']").bounding_box()
    page.get_by_role("radio", name="Paint").click()
    page.mouse.move(box["x"] + 40, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 40, box["y"] + 60, steps=25)
    page.mouse.up()
    assert len(state(page)["points"]) > len(before["points"]) + 5
    page.keyboard.press("z")
    assert state(page)["points"] == before["points"]
    slider = page.locator("#toy-margin")
    place = slider.bounding_box()
    middle = place["y"] + place["height"] / 2
    page.mouse.move(place["x"] + 30, middle)
    page.mouse.down()
    page.mouse.move(place["x"] + 80, middle, steps=10)
    page.mouse.up()
    moved = state(page)
    assert moved["source"]["parameters"]["margin"] != before["source"]["parameters"]["margin"]
    page.keyboard.press("Escape")
    page.locator("svg[data-plane='0']").focus()
    page.keyboard.press("z")
    assert state(page)["points"] == before["points"]


def test_a_finger_on_a_point_moves_it_and_beside_it_scrolls(open_page):
    page = ready(open_page(width=360, height=740, has_touch=True, is_mobile=True))
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    before, top = state(page), page.evaluate("scrollY")
    x, y = first_mark(page)
    touches(page, [(x, y - 6 * step) for step in range(12)])
    after = state(page)
    changed = [n for n, p in enumerate(before["points"]) if p != after["points"][n]]
    assert len(changed) == 1
    assert page.evaluate("scrollY") == top
    preset(page, "Article 2: the margin")
    box = page.locator("svg[data-plane='0']").bounding_box()
    corner = (box["x"] + 4, box["y"] + box["height"] - 4)  # no point is there
    still = state(page)["points"]
    touches(page, [(corner[0], corner[1] - 15 * step) for step in range(12)])
    assert page.evaluate("scrollY") > top
    assert state(page)["points"] == still
