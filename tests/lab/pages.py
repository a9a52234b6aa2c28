"""What tests do with a page: wait for it, read its numbers, and fit the same with the library."""

from __future__ import annotations

import warnings

from web.exact_margin import signed_examples
from web.verdicts import GAP, exactly

import rosenblatt as rb


def fitted(kind, toy, **settings):
    """What the lab learns: all passes that are asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        member = getattr(rb, kind)(random_state=0, **settings)
        if "tol" in member.get_params():
            member.set_params(tol=None)
        return member.fit(toy.X, toy.y)


def proved(X, y, *, fit_intercept=True):
    """The best margin between neighbouring floats, and the bound on updates, by fractions."""
    found = rb.max_margin(X, y, GAP, fit_intercept=fit_intercept)
    return exactly(signed_examples(X.tolist(), y.tolist(), float(fit_intercept)), found)


def ready(page):
    page.wait_for_selector("[data-verdict]", state="attached")
    return page


def cell(page, row, name):
    return int(page.locator(f"tr[data-row='{row}'] [data-{name}]").inner_text().replace(",", ""))


def state(page):
    """The state in the address, once it has come to rest."""
    page.wait_for_timeout(700)
    return page.evaluate(
        """async () => {
          const text = atob(location.hash.slice(3).replaceAll('-', '+').replaceAll('_', '/'));
          const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
          const way = new DecompressionStream('deflate-raw');
          const stream = new Blob([bytes]).stream().pipeThrough(way);
          return JSON.parse(await new Response(stream).text());
        }"""
    )


def preset(page, name):
    page.get_by_label("Preset").select_option(name)
    page.wait_for_timeout(400)
    page.wait_for_selector("td[data-updates]")
    page.wait_for_timeout(600)


def first_mark(page):
    """Where the first point of the first plane is on the screen."""
    x, y, wide = page.evaluate(
        """() => {
          const plane = document.querySelector("svg[data-plane='0']");
          const d = plane.querySelector('.mark').getAttribute('d');
          const [x, y] = d.slice(1).split(/[a-zA-Z]/)[0].split(',').map(Number);
          return [x, y + 5, plane.viewBox.baseVal.width];
        }"""
    )
    box = page.locator("svg[data-plane='0']").bounding_box()
    return box["x"] + x * box["width"] / wide, box["y"] + y * box["width"] / wide


def touches(page, path):
    """Move a finger along a path."""
    session = page.context.new_cdp_session(page)
    kinds = ["touchStart"] + ["touchMove"] * (len(path) - 1)
    for kind, (x, y) in zip(kinds, path, strict=True):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        page.wait_for_timeout(16)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(100)
