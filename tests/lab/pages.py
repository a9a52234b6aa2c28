"""What tests do with a page: wait for it, read its numbers, and fit the same with the library."""

from __future__ import annotations

import itertools
import warnings

from web.exact_margin import signed_examples
from web.verdicts import GAP, exactly

import rosenblatt as rb
from rosenblatt.data.toys import TOYS
from rosenblatt.lab.link import decode


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
    """The state in the address, once it has come to rest, with all its points."""
    page.wait_for_timeout(700)
    return opened(page.url)


def opened(link):
    """What a link shows: what is in it, and the points that it only names."""
    found = decode(link.partition("#s=")[2]).model_dump()
    source, edits = found["source"], found.pop("edits")
    if source and found["points"] is None:
        toy = TOYS[source["generator"]].make(seed=source["seed"], **source["parameters"])
        drawn = list(zip(toy.X.tolist(), toy.y.tolist(), strict=True))
        drawn, held = arranged(drawn, found["share"], source["seed"])
        changed = []
        for edit in edits or ():
            first, *rest = edit
            run = (
                drawn[first : first + rest[0]] if len(edit) == 2 else [([first, rest[0]], rest[1])]
            )
            changed += run
        shown = changed if edits else drawn
        found["points"], found["labels"] = [x for x, _ in shown], [y for _, y in shown]
        found["held"] = found["held"] if edits else held
        found["source"] = None if edits else source
    return found


def arranged(drawn, share, seed):
    """The points as the page arranges them, those held out last, and how many these are."""
    keys = list(itertools.islice(stream(seed), len(drawn)))
    out = set()
    for label in {y for _, y in drawn}:
        own = sorted((n for n, (_, y) in enumerate(drawn) if y == label), key=keys.__getitem__)
        out.update(own[: min(len(own) - 1, int(share * len(own) + 0.5))])
    sides = [[one for n, one in enumerate(drawn) if (n in out) is held] for held in (False, True)]
    return sides[0] + sides[1], len(out)


def stream(seed):
    """The page's random numbers from 0 to 1 for what is held out."""
    state = seed
    while True:
        state = (state + 0x6D2B79F5) % 2**32
        mixed = (state ^ state >> 15) * (state | 1) % 2**32
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (mixed | 61)) % 2**32
        yield (mixed ^ mixed >> 14) / 2**32


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
