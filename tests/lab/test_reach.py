"""One page anywhere: links, settings in the address, figures in other pages, offline copies."""

from __future__ import annotations

# --- lessons --------------------------------------------------------------------------------------


def figure(page, name):
    one = page.locator(f"[data-figure='{name}']")
    one.scroll_into_view_if_needed()
    page.wait_for_selector(f"[data-figure='{name}'][data-ready='true']")
    return one


def test_settings_of_lessons_survive_reload_back_and_sharing(open_page):
    page = open_page("#guide/3")

    def margin():
        return figure(page, "three").get_by_label("margin γ").input_value()

    figure(page, "three").get_by_label("margin γ").fill("0.25")
    figure(page, "four").get_by_label("points").select_option("rings")
    page.wait_for_timeout(600)
    assert page.url.endswith("#guide/3?margin.margin=0.25&noline.kind=rings")
    page.reload()
    assert margin() == "0.25"
    page.get_by_role("link", name="Kernels").first.click()
    figure(page, "eight")
    assert page.url.endswith("#guide/8?margin.margin=0.25&noline.kind=rings")
    page.get_by_role("link", name="Workspace", exact=True).click()
    page.wait_for_selector("[data-verdict]")
    page.wait_for_timeout(600)
    page.go_back()
    figure(page, "eight")
    assert margin() == "0.25"
    figure(page, "three").get_by_label("margin γ").fill("0.1")  # as the lesson begins
    page.wait_for_timeout(600)
    assert page.url.endswith("#guide/8?noline.kind=rings")
    page.go_back()
    page.wait_for_function("location.hash.startsWith('#guide/3')")
    assert margin() == "0.25"
    other = open_page("#guide/4?noline.kind=rings&noline.seed=<b>&margin.margin=9", quiet=False)
    assert figure(other, "four").get_by_label("points").input_value() == "rings"
    other.locator("[data-figure='three'] .fault").wait_for()  # out of range: a sentence
