"""Many visitors of the lab at once: `python -m benchmarks.lab_load [clients] [runs]`.

Starts the lab, lets clients ask for runs as fast as they are answered, and tells what came back,
how fast, and what memory the server holds before and after. Nothing may come back but an answer or
a clear 503.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from rosenblatt.data.toys import TOYS


def resident(process: int) -> float:
    """Megabytes that a process holds."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def visit(url: str, body: dict[str, object], runs: int) -> tuple[Counter[int], list[float]]:
    """One client's requests; a 503 is counted, waited out and asked again."""
    codes: Counter[int] = Counter()
    times = []
    with httpx.Client(base_url=url, timeout=120) as client:
        for seed in range(runs):
            while True:
                started = time.perf_counter()
                answer = client.post("/api/run", json={**body, "seed": seed})
                codes[answer.status_code] += 1
                if answer.status_code != 503:
                    times.append(time.perf_counter() - started)
                    break
                time.sleep(float(answer.headers["retry-after"]))
    return codes, times


def main(clients: int = 50, runs: int = 200) -> int:
    """Load a server of our own, and judge."""
    command = [sys.executable, "-m", "rosenblatt.lab", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().split("at ")[1].split()[0]
            toy = TOYS["halfplanes"].make(n=40, margin=0.05)
            table = {"points": toy.X.tolist(), "labels": toy.y.tolist()}
            body: dict[str, object] = {"data": table, "algorithm": "Perceptron"}
            visit(url, body, 50)
            before, started = resident(server.pid), time.perf_counter()
            with ThreadPoolExecutor(clients) as pool:
                found = list(pool.map(lambda _: visit(url, body, runs), range(clients)))
            seconds, after = time.perf_counter() - started, resident(server.pid)
        finally:
            server.terminate()
    codes = sum((c for c, _ in found), Counter())
    times = sorted(t for _, part in found for t in part)
    print(
        f"{clients} clients x {runs} runs in {seconds:.0f} s: {len(times) / seconds:.0f} a second"
    )
    print(
        f"answers {dict(codes)}; median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s"
    )
    print(f"memory {before:.0f} MB before, {after:.0f} MB after")
    return int(set(codes) - {200, 503} != set() or after > 1.3 * before + 50)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
