"""Frames of the lab while a point is dragged: `python -m benchmarks.lab_frames`.

Starts the lab and Chromium, drags a point for some seconds and reads the browser's own trace. Wall
time depends on what else the machine does; so the processor time of tasks on the page's main thread
is shown beside the frames. It takes Playwright and Chromium.
"""

from __future__ import annotations

import base64
import json
import math
import os
import shutil
import subprocess
import sys
import time
import zlib
from typing import Any

from rosenblatt.data.toys import TOYS

SECONDS = 5.0
SCENES: dict[str, tuple[int, float, list[str]]] = {
    "500 points, Perceptron": (500, 0.0, ["Perceptron"]),
    "500 noisy points, Averaged": (500, 0.05, ["AveragedPerceptron"]),
    "500 noisy points, Voted": (500, 0.05, ["VotedPerceptron"]),
    "2,000 noisy points, four panels": (
        2000,
        0.1,
        ["Perceptron", "AveragedPerceptron", "VotedPerceptron", "KernelPerceptron"],
    ),
}
"""Points, flipped labels and panels."""
FRAMES = """
window.frames = [];
let last = performance.now();
const next = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(next); };
requestAnimationFrame(next);
"""
CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]


def link(points: int, noise: float, panels: list[str]) -> str:
    """Return the part of an address that has the whole state of the lab."""
    toy = TOYS["halfplanes"].make(n=points, margin=0.01 if noise else 0.05, noise=noise, seed=3)
    state = {
        "v": 1, "points": toy.X.tolist(), "labels": toy.y.tolist(), "names": {}, "source": None,
        "panels": [{"algorithm": name, "parameters": {}} for name in panels], "seed": 0,
        "clock": 10**9, "focus": 0, "tab": "happened", "branch": None, "hand": None,
    }  # fmt: skip
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = squeezed.compress(json.dumps(state).encode()) + squeezed.flush()
    return "#s=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def first_point(page: Any) -> tuple[float, float]:
    """Return where the first point of the first plane is on the screen."""
    x, y, wide = page.evaluate(
        """() => {
          const plane = document.querySelector("svg[data-plane='0']");
          const d = plane.querySelector('.mark').getAttribute('d');
          const [x, y] = d.slice(1).split(/[a-zA-Z]/)[0].split(',').map(Number);
          return [x, y + 5, plane.viewBox.baseVal.width];
        }"""
    )
    box = page.locator("svg[data-plane='0']").bounding_box()
    scale = box["width"] / wide
    return box["x"] + x * scale, box["y"] + y * scale


def drag(page: Any) -> None:
    """Move a point to and fro."""
    x, y = first_point(page)
    page.mouse.move(x, y)
    page.mouse.down()
    end, step = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        step += 1
        page.mouse.move(x + 40 * math.sin(step / 6), y + 30 * math.cos(step / 7) - 30)
        page.wait_for_timeout(16)
    page.mouse.up()


def main_tasks(trace: dict[str, Any]) -> list[float]:
    """Return the processor time of each task of the busiest main thread, in milliseconds."""
    events = trace["traceEvents"]
    threads = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    tasks: dict[Any, list[float]] = {}
    for event in events:
        where = event["pid"], event["tid"]
        if event.get("name") == "RunTask" and where in threads:
            tasks.setdefault(where, []).append(event.get("tdur", 0) / 1000)
    return sorted(max(tasks.values(), key=sum))


def measure(browser: Any, url: str, scene: tuple[int, float, list[str]]) -> str:
    """Return a line of figures for one scene."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(120_000)
    page.add_init_script(FRAMES)
    page.goto(url + link(*scene))
    page.wait_for_selector("[data-verdict]", state="attached")
    page.wait_for_timeout(1000)
    page.evaluate("window.frames = []")
    browser.start_tracing(page=page, categories=CATEGORIES)
    drag(page)
    frames = sorted(page.evaluate("window.frames")[1:])
    tasks = main_tasks(json.loads(browser.stop_tracing()))
    page.close()
    return (
        f"median frame {frames[len(frames) // 2]:.0f} ms, 95 % within "
        f"{frames[int(0.95 * len(frames))]:.0f} ms; longest task {tasks[-1]:.0f} ms of the "
        f"processor, {sum(tasks) / (10 * SECONDS):.0f} % busy"
    )


def main() -> None:
    """Measure every scene."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    command = [sys.executable, "-m", "rosenblatt", "lab", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().split("at ")[1].split()[0]
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                for name, scene in SCENES.items():
                    print(f"{name}: {measure(browser, url, scene)}", flush=True)
                browser.close()
        finally:
            server.terminate()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
