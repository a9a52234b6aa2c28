"""A stream costs at its end what it cost at its beginning: time per call, and memory.

SOAK_CALLS=1000000 python -m tests.engine.stream_soak
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

import rosenblatt as rb
from rosenblatt.storage.atomic import write

RESULT = Path(__file__).parents[2] / "benchmarks" / "results" / "promises" / "streams.json"
FIRST = 10_000  # calls before anything is compared
BATCH = 500  # calls that are timed together
MOST = 0.05  # growth, of time or memory
MEMBERS = {
    "Perceptron": rb.Perceptron,
    "AveragedPerceptron": rb.AveragedPerceptron,
    "AROW": rb.AROW,
    "VotedPerceptron(max_hypotheses=50)": lambda: rb.VotedPerceptron(max_hypotheses=50),
}


def resident() -> float:
    """Return the memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def soak(name: str, calls: int, features: int = 10) -> dict[str, float]:
    """Feed a stream of single rows to a member; return times and memory, early and late.

    A time is the best of many batches of calls, which other processes disturb least.
    """
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(4096, features)), rng.normal(size=features)
    y = (X @ w + rng.normal(size=len(X)) > 0).astype(int)
    clf, times, began = MEMBERS[name](), [], time.time()
    clf.partial_fit(X[:1], y[:1], classes=[0, 1])
    memory = resident()
    for call in range(0, calls, BATCH):
        started = time.perf_counter()
        for number in range(call, call + BATCH):
            row = number % len(X)
            clf.partial_fit(X[row : row + 1], y[row : row + 1])
        times.append((time.perf_counter() - started) / BATCH)
        if call + BATCH == FIRST:
            memory = resident()
        if time.time() - began > 5:
            print(f"{name}: {call + BATCH:,} calls, {resident():.0f} MB", flush=True)
            began = time.time()
    few = FIRST // BATCH
    early, late = min(times[few : 2 * few]), min(times[-few:])
    return {
        "calls": calls,
        "microseconds early": 1e6 * early,
        "microseconds late": 1e6 * late,
        "growth of time": late / early - 1,
        "megabytes early": memory,
        "megabytes late": resident(),
        "growth of memory": resident() / memory - 1,
    }


def main() -> int:
    calls = max(4 * FIRST, int(os.environ.get("SOAK_CALLS", "1000000")))
    found = {name: soak(name, calls) for name in MEMBERS}
    grown = False
    for name, figures in found.items():
        print(name, {key: round(value, 3) for key, value in figures.items()})
        grown |= max(figures["growth of time"], figures["growth of memory"]) > MOST
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    write(RESULT, (json.dumps(found, indent=1) + "\n").encode())
    print("a stream grew by more than 5 %" if grown else "all streams stay flat")
    return int(grown)


if __name__ == "__main__":
    sys.exit(main())
