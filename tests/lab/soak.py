"""Many clients of the lab for long: the memory of its server must not grow.

SOAK_RUNS=10000 python -m tests.lab.soak

The server is the one that a user starts. Clients request runs of every member as fast as they are
answered, small ones and some of the largest that the lab allows. Its memory is read when no request
is under way: after the last run it may be a tenth more than after the first hundred.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosenblatt.data import TOYS
from rosenblatt.estimators import MEMBERS
from rosenblatt.lab.guard import RELEASE_AFTER
from rosenblatt.storage.atomic import write

RESULT = Path(__file__).parents[2] / "benchmarks" / "results" / "promises" / "lab_memory.json"
CLIENTS, FIRST, GROWTH = 50, 100, 1.10
LARGE = 50  # one run in this many is about as large as the lab allows
SECONDS = 120  # for an answer


def memory(process: int) -> dict[str, float]:
    """Return megabytes of a process: resident, those of them in no file, and the most so far."""
    status = Path(f"/proc/{process}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in status)
    names = {"resident": "VmRSS", "anonymous": "RssAnon", "most": "VmHWM"}
    return {name: round(int(fields[key].split()[0]) / 1024, 1) for name, key in names.items()}


class Load:
    """Requests by number: all members in turn on few points, and now and then a large run."""

    def __init__(self) -> None:
        # Neither of the large sets can be separated: a run goes on to its last pass or is cut off.
        sets = {
            "small": TOYS["halfplanes"].make(n=40, margin=0.05),
            "two": TOYS["xor"].make(n=2000),
            "many": TOYS["clouds"].make(n=500, classes=8, spread=0.8),
        }
        tables = {
            name: {"points": toy.X.tolist(), "labels": toy.y.tolist()} for name, toy in sets.items()
        }
        self.small = [{"data": tables["small"], "algorithm": name} for name in MEMBERS]
        self.large = [
            {"data": tables[name], "algorithm": algorithm}
            for name, algorithm in (
                ("two", "VotedPerceptron"), ("many", "KernelPerceptron"), ("two", "AROW"),
                ("many", "AveragedPerceptron"),
            )
        ]  # fmt: skip

    def body(self, number: int) -> bytes:
        """Return the request of that number."""
        kinds, place = (self.small, number) if number % LARGE else (self.large, number // LARGE)
        return json.dumps({**kinds[place % len(kinds)], "seed": number}).encode()


def visit(address: str, load: Load, numbers: Iterator[int], codes: Counter[int]) -> None:
    """Be one client: send the next request as soon as the last is answered."""
    connection = http.client.HTTPConnection(address, timeout=SECONDS)
    for number in numbers:
        while True:
            headers = {"content-type": "application/json"}
            connection.request("POST", "/api/run", load.body(number), headers)
            answer = connection.getresponse()
            while answer.read(1 << 16):
                pass
            codes[answer.status] += 1
            if answer.status != 503:
                break
            time.sleep(float(answer.headers["retry-after"]))
    connection.close()


def visits(address: str, load: Load, first: int, last: int) -> Counter[int]:
    """Send the requests from one number to another by many clients; return the statuses."""
    numbers, lock, codes = iter(range(first, last)), threading.Lock(), Counter[int]()

    def drawn() -> Iterator[int]:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            yield number

    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(visit, address, load, drawn(), codes) for _ in range(CLIENTS)]
        for client in clients:
            client.result()
    return codes


@contextmanager
def serving() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the lab; yield its process and its address."""
    command = [sys.executable, "-m", "rosenblatt", "lab", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server, server.stdout.readline().split("http://")[1].split("/")[0]
        finally:
            server.terminate()


def soak(runs: int) -> dict[str, Any]:
    """Load a server of our own; return what was seen."""
    load, codes, seen, done, began = Load(), Counter[int](), [], 0, time.monotonic()
    marks = [m for m in (FIRST, 300, 1000, 3000, 10_000, 30_000) if m < runs]
    with serving() as (server, address):
        for mark in [*marks, runs]:
            codes += visits(address, load, done, mark)
            done = mark
            time.sleep(2 * RELEASE_AFTER)  # no request is under way any more
            seen.append({"runs": mark, **memory(server.pid)})
            print(f"{mark:,} runs: {seen[-1]}, answers {dict(codes)}", flush=True)
    return {
        "clients": CLIENTS, "runs": runs, "answers": dict(codes), "memory": seen,
        # A system may drop pages of files, but hardly others: neither may grow.
        "growth": round(max(seen[-1][k] / seen[0][k] for k in ("resident", "anonymous")), 3),
        "allowed": GROWTH, "seconds": round(time.monotonic() - began),
    }  # fmt: skip


def main() -> int:
    """Soak, keep the result, and return 1 if memory grew or an answer was not good."""
    found = soak(int(os.environ.get("SOAK_RUNS", "10000")))
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    write(RESULT, (json.dumps(found, indent=1) + "\n").encode())
    good = found["growth"] <= GROWTH and set(found["answers"]) <= {200, 503}
    print(f"memory of the lab: {found['growth']:.3f} times that after {FIRST} runs")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
