"""Take the picture of the lab that the README shows: needs Chromium and the built page.

`python docs/screenshot.py` starts the lab, steps through a run and writes docs/images/lab.png.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent / "images" / "lab.png"


def main() -> None:
    """Serve, look, write."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("no Chromium was found; install the package chromium.")
    command = [sys.executable, "-m", "rosenblatt", "lab", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[4]
        try:
            with sync_playwright() as playwright:
                chromium = playwright.chromium.launch(
                    executable_path=browser, args=["--no-sandbox"]
                )
                page = chromium.new_page(viewport={"width": 1360, "height": 820})
                page.goto(address)
                page.get_by_role("button", name="Play").wait_for()
                page.wait_for_timeout(1500)
                for _ in range(6):
                    page.keyboard.press("ArrowRight")
                    page.wait_for_timeout(400)
                page.wait_for_timeout(1500)
                page.screenshot(path=PICTURE)
                chromium.close()
        finally:
            server.terminate()
    print(f"wrote {PICTURE.name}")


if __name__ == "__main__":
    main()
