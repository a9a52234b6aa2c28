"""Write docs/promises.md: each promise in one line, with the test and the figure behind it.

`make soak` and `make fuzz` leave figures in `benchmarks/results/promises`; this counts the cases of
the tests, and writes the page: `python -m benchmarks.promises`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks.tables import RESULTS, ROOT
from rosenblatt.storage.atomic import write

FIGURES = RESULTS / "promises"
COUNTS = FIGURES / "tests.json"
PAGE = ROOT / "docs" / "promises.md"
INTRODUCTION = """# Promises

What Rosenblatt promises beyond its algorithms, the test that tries to break it, and what that test
last found. This page is written by `benchmarks/promises.py`. `make test` runs the tests, or a
sample of the long ones; `make soak`, `make fuzz` and `make mutate` run those in full.
"""


class Promise(NamedTuple):
    """A promise, and what shows it."""

    text: str
    shown_by: str  # a file or a folder of tests
    figures: str = ""  # the file of figures that a long test leaves
    figure: Callable[[Any], str] | None = None  # makes a phrase of them


def _streams(found: dict[str, dict[str, float]]) -> str:
    time, memory = (
        max(figures[f"growth of {what}"] for figures in found.values())
        for what in ("time", "memory")
    )
    calls = min(int(figures["calls"]) for figures in found.values())
    return (
        f"{calls:,} calls of each of {len(found)} members: time per call {100 * time:+.1f} %, "
        f"memory {100 * memory:+.1f} % at most"
    )


def _lab(found: dict[str, Any]) -> str:
    first, last = found["memory"][0], found["memory"][-1]
    return (
        f"{found['clients']} clients: {first['resident']:.0f} MB after {first['runs']:,} runs, "
        f"{last['resident']:.0f} MB after {last['runs']:,}"
    )


def _faults(found: dict[str, Any]) -> str:
    commands = found["commands"]
    kinds = len(next(iter(commands.values())))
    return (
        f"{found['tried']:,} tried ({len(commands)} commands, {kinds} faults), "
        f"{len(found['broken'])} broke it"
    )


def _fuzz(found: dict[str, Any]) -> str:
    outcomes = found["outcomes"]
    return (
        f"{found['cases']:,} damaged files of {found['kinds']} kinds, {found['ways']} ways to "
        f"damage them: {outcomes['rejected']:,} were rejected, {outcomes['works']:,} work, "
        f"{len(found['failures'])} failed"
    )


PROMISES = [
    Promise(
        "A damaged file is rejected with a `ValueError`, or loads and works; it never crashes, "
        "hangs or takes a gigabyte.",
        "tests/fuzz", "fuzz.json", _fuzz,
    ),
    Promise(
        "A command that is interrupted, or finds a full disk or a closed pipe, leaves the old file "
        "or the new one, and nothing else.",
        "tests/cli/faults.py", "faults.json", _faults,
    ),
    Promise(
        "A stream costs the same at every call, in time and memory.",
        "tests/engine/stream_soak.py", "streams.json", _streams,
    ),
    Promise(
        "The lab's memory does not grow with the runs that it has made.",
        "tests/lab/soak.py", "lab_memory.json", _lab,
    ),
    Promise(
        "What is printed as proved is proved, whatever the data.", "tests/laws/test_claims.py"
    ),
    Promise(
        "Plain Python, the code for each processor and code compiled just in time agree.",
        "tests/laws/test_executions.py",
    ),
    Promise(
        "Equal seeds give equal bits, in threads and processes alike.",
        "tests/engine/test_processes.py",
    ),
    Promise(
        "A worker that dies changes neither the result nor its bits.",
        "tests/cluster/test_faults.py",
    ),
    Promise(
        "A bad shard is named in one sentence, and the cluster works afterwards.",
        "tests/cluster/test_bad_shards.py",
    ),
    Promise(
        "Nothing listens beyond this machine unless asked to.", "tests/cluster/test_listening.py"
    ),
    Promise(
        "A malformed request to the lab is answered in one sentence.",
        "tests/lab/test_rejections.py",
    ),
    Promise("No output is ever written over an input.", "tests/cli/test_nothing_destroyed.py"),
    Promise("No file takes memory that it only declares.", "tests/data/test_sizes.py"),
    Promise("Text from data never controls the terminal.", "tests/cli/test_printing.py"),
]  # fmt: skip


def count(tests: str) -> int:
    """Return the number of test cases in a file or folder."""
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", tests],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return sum(map(int, re.findall(r"^\S+: (\d+)$", found.stdout, re.MULTILINE)))


def shown(promise: Promise, counts: dict[str, int]) -> str:
    """Return the figure behind a promise."""
    file = FIGURES / promise.figures
    if promise.figure is None:
        return f"{counts[promise.shown_by]:,} cases"
    return promise.figure(json.loads(file.read_text())) if file.is_file() else "not measured yet"


def page(counts: dict[str, int]) -> str:
    """Return the page."""
    table = tomllib.loads((ROOT / "tests" / "mutations" / "table.toml").read_text())
    lines = [INTRODUCTION, "| promise | shown by | figure |", "| --- | --- | --- |"]
    for promise in PROMISES:
        lines.append(f"| {promise.text} | `{promise.shown_by}` | {shown(promise, counts)} |")
    lines.append(
        "| Small errors in the code are noticed by the tests. | `tests/mutations` | "
        f"{len(table['mutation']):,} mutations |"
    )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Count the tests, and write the page."""
    counts = {p.shown_by: count(p.shown_by) for p in PROMISES if p.figure is None}
    FIGURES.mkdir(parents=True, exist_ok=True)
    write(COUNTS, (json.dumps(counts, indent=1) + "\n").encode())
    write(PAGE, page(counts).encode())
    print(page(counts))


if __name__ == "__main__":
    main()
