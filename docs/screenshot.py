"""Take pictures of the lab: needs Chromium and the built page.

`python docs/screenshot.py` writes the opening, each lesson at two moments, the workspace and the
phone to artefacts/pictures; with `--write` the best also go to docs/images, where the README and
the documentation show them.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from rosenblatt.lab.export import static_page

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS.parent / "artefacts" / "pictures"
SHOWN = {"workspace.png": "lab.png", "opening-after.png": "opening.png", "four.png": "four.png"}
"""The best pictures, and their names in docs/images."""

DESK, PHONE = {"width": 1360, "height": 820}, {"width": 390, "height": 844}
REST = 1500  # milliseconds after which nothing moves any more


class Camera:
    """Opens pages of one lab in one browser, and keeps pictures of them."""

    def __init__(self, chromium: Any, address: str) -> None:
        self.chromium, self.address = chromium, address

    @contextmanager
    def page(self, end: str, screen: dict[str, int], **options: Any) -> Iterator[Any]:
        """Open the lab at the end of an address."""
        context = self.chromium.new_context(viewport=screen, **options)
        page = context.new_page()
        page.goto(self.address + end)
        yield page
        context.close()

    def keep(self, page: Any, name: str) -> None:
        """Take a picture once all movements are done."""
        page.wait_for_timeout(REST)
        page.screenshot(path=PICTURES / name)
        print(f"wrote {PICTURES.name}/{name}")

    def opening(self, prefix: str, screen: dict[str, int], **options: Any) -> None:
        """Before Play, and after it."""
        with self.page("", screen, **options) as page:
            part = page.locator("[data-opening][data-ready=true]")
            part.wait_for()
            self.keep(page, f"{prefix}opening.png")
            part.get_by_role("button", name="Play").click()
            part.locator("[data-mistakes]").wait_for()
            self.keep(page, f"{prefix}opening-after.png")

    def lessons(self, prefix: str, screen: dict[str, int], **options: Any) -> None:
        """Each lesson after two updates, and at its end."""
        with self.page("#guide/1", screen, **options) as page:
            page.locator("[data-figure]").first.wait_for()
            for n in range(1, page.locator("section[id^='part-']").count() + 1):
                lesson = page.locator(f"#part-{n}")
                lesson.evaluate("(e) => e.scrollIntoView()")
                lesson.locator("[data-figure][data-ready=true]").first.wait_for()
                lesson.evaluate("(e) => e.scrollIntoView()")
                step = lesson.get_by_label("One update on").first
                for _ in range(2):
                    step.click()
                self.keep(page, f"{prefix}lesson-{n}-begins.png")
                lesson.get_by_label("To the end").first.click()
                self.keep(page, f"{prefix}lesson-{n}-ends.png")

    def workspace(self, prefix: str, screen: dict[str, int], **options: Any) -> None:
        """One panel after six updates, and four in the middle of their runs."""
        with self.page("#workspace", screen, **options) as page:
            page.locator("[data-verdict]").wait_for(state="attached")
            for _ in range(6):
                page.keyboard.press("ArrowRight")
            self.keep(page, f"{prefix}workspace.png")
        if screen == PHONE:
            return
        with self.page("#workspace", screen, **options) as page:
            page.locator("[data-verdict]").wait_for(state="attached")
            page.get_by_label("Preset").select_option("Four algorithms, one clock")
            page.locator("tr[data-row='3'] [data-updates]").wait_for()
            for _ in range(5):
                page.keyboard.press("ArrowRight")
            self.keep(page, f"{prefix}four.png")


def main() -> None:
    """Open, look, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the best to docs/images, too")
    write = parser.parse_args().write
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no Chromium was found; install the package chromium.")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "index.html"
        file.write_text(static_page(), encoding="utf-8")
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        camera = Camera(chromium, file.as_uri())
        for take in (camera.opening, camera.lessons, camera.workspace):
            take("", DESK)
            take("phone-", PHONE, has_touch=True, is_mobile=True)
        camera.opening("dark-", DESK, color_scheme="dark")
        camera.workspace("dark-", DESK, color_scheme="dark")
        chromium.close()
    for name, shown in SHOWN.items() if write else ():
        shutil.copy(PICTURES / name, DOCS / "images" / shown)
        print(f"wrote images/{shown}")


if __name__ == "__main__":
    main()
