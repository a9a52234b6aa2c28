"""Hands on the points in a real browser: drags, strokes, fingers, and what undo makes of them."""

from __future__ import annotations

import itertools

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
    page.mouse.move(place["x"] + 0.4 * place["width"], middle)
    page.mouse.down()
    page.mouse.move(place["x"] + 0.9 * place["width"], middle, steps=10)
    page.mouse.up()
    page.wait_for_function("!document.querySelector('.facts').innerText.includes('margin 0.05 ')")
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


def test_play_is_near_for_the_keyboard_and_its_button_stays_where_it_is(open_page):
    page = ready(open_page(width=1280, height=720))
    page.evaluate("document.activeElement.blur()")
    stops = 0
    while page.evaluate("document.activeElement.getAttribute('aria-label')") != "Play":
        page.keyboard.press("Tab")
        stops += 1
        assert stops < 16
    phone = ready(open_page(width=360, height=740, has_touch=True, is_mobile=True))
    guide = open_page("#guide/1", width=360, height=740, has_touch=True, is_mobile=True)
    figure = guide.locator("[data-figure='one']")
    figure.scroll_into_view_if_needed()
    guide.wait_for_selector("[data-figure='one'][data-ready='true']")
    for where in (page, phone, figure):
        button = where.get_by_label("One update on").first
        before = button.bounding_box()
        for _ in range(3):
            button.click()
        after = button.bounding_box()
        assert abs(after["x"] - before["x"]) < 1
        assert abs(after["y"] - before["y"]) < 1


def test_one_screen_has_large_planes_their_names_and_the_scores(open_page, artefacts):
    page = ready(open_page(width=1280, height=720))

    def plane(index):
        return page.locator(f"svg[data-plane='{index}']").bounding_box()

    alone = plane(0)
    assert alone["width"] > 500
    page.get_by_role("button", name="Settings").click()
    assert plane(0) == alone  # they lie over it
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog", name="Settings of panel 1").count() == 0
    preset(page, "Article 3: MaxOver")
    page.get_by_role("button", name="Add a panel").click()
    page.get_by_label("Algorithm of panel 3").select_option("MaxOver")
    names = page.locator("tbody th").all_inner_texts()
    assert len({name.split("·")[1] for name in names}) == 3
    preset(page, "Four algorithms, one clock")
    page.keyboard.press("End")
    boxes = [plane(n) for n in range(4)]
    assert sum(box["width"] * box["height"] for box in boxes) > 0.25 * 1280 * 720
    table = page.get_by_role("region", name="Scores")
    box = table.bounding_box()
    assert max(one["y"] + one["height"] for one in [*boxes, box]) <= 720
    assert table.evaluate("e => e.scrollWidth <= e.clientWidth")
    page.screenshot(path=artefacts / "four.png")


def test_a_line_by_hand_is_judged_without_the_answer(open_page):
    page = ready(open_page())
    page.keyboard.press("End")
    plane = page.locator("svg[data-plane='0']")
    assert plane.locator("[data-line]").count() == 1
    page.get_by_role("button", name="Solve it by hand").click()
    for answer in ("[data-line]", "[data-best]", ".half", ".truth", ".arrow"):
        assert plane.locator(answer).count() == 0
    mine = page.locator("[data-hand]").get_attribute("data-hand")
    assert int(mine) > 0
    assert plane.locator("[data-wrong]").get_attribute("data-wrong") == mine
    page.get_by_role("button", name="Put your line away").click()
    assert plane.locator("[data-line]").count() == 1


def test_borders_of_votes_and_classes_are_lines(open_page, artefacts):
    page = ready(open_page())
    for name in ("Five classes", "Article 4: the vote"):
        preset(page, name)
        page.keyboard.press("End")
        edge = page.locator("svg[data-plane='0'] [data-edge]")
        edge.wait_for(state="attached")
        pieces = edge.get_attribute("d").split("M")[1:]
        assert all(piece.count("L") == 1 for piece in pieces)
        assert 1 < len(pieces) < 60
    page.screenshot(path=artefacts / "borders.png")


def test_one_clock_plays_every_visit(open_page):
    page = ready(open_page())
    preset(page, "Four algorithms, one clock")
    page.get_by_label("Visits done").wait_for()
    ends = page.locator("[data-run-end]")
    assert ends.count() > 0
    assert "logarithmic" in page.locator(".what").inner_text()
    page.get_by_label("Speed").select_option("300")
    page.get_by_label("To the start").click()
    page.evaluate(
        """() => { window.seen = [];
          const look = () => {
            window.seen.push(Number(document.querySelector('output.where span')
              .innerText.split(' ')[1].replaceAll(',', '')));
            requestAnimationFrame(look);
          };
          look(); }"""
    )
    page.get_by_role("button", name="Play").click()
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Pause").click()
    seen = page.evaluate("window.seen")
    total = float(page.get_by_label("Visits done").get_attribute("max"))
    assert seen[-1] > 125
    assert max(b - a for a, b in itertools.pairwise(seen)) < total / 4
