"""Many cases in processes of their own, with limits of time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from tests.fuzz.damage import WAYS
from tests.fuzz.files import KINDS, Originals
from tests.fuzz.worker import in_plain_python, numbered

LIMIT = 5.0  # seconds of processor time that a case may take
STUCK = 60.0  # seconds without a word from a worker that computes nothing
BATCH = 2000  # cases of two processes, which then make way for fresh ones
FINE = ("works", "rejected")
EVERY = 30.0  # seconds between two lines of progress


@dataclass
class Report:
    """What came of the cases."""

    seed: int
    seconds: float = 0.0
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # kind, way, outcome
    plain: int = 0  # cases that ran as plain Python
    failures: list[dict[str, Any]] = field(default_factory=list)
    slowest: float = 0.0  # seconds of processor time of one case

    @property
    def cases(self) -> int:
        """How many there were."""
        return sum(self.counts.values())

    def _by(self, place: int) -> dict[str, dict[str, int]]:
        found: dict[str, Counter[str]] = {}
        for key, count in self.counts.items():
            found.setdefault(key[place], Counter())[key[2]] += count
        return {name: dict(sorted(count.items())) for name, count in sorted(found.items())}

    def to_json(self) -> str:
        """The report as JSON."""
        totals: Counter[str] = Counter()
        for (_, _, word), count in self.counts.items():
            totals[word] += count
        found = {
            "seed": self.seed,
            "cases": self.cases,
            "in plain Python": self.plain,
            "kinds": len(KINDS),
            "files": sum(len(entry.makers) for entry in KINDS.values()),
            "ways": len(WAYS),
            "seconds": round(self.seconds),
            "slowest case in seconds": round(self.slowest, 2),
            "outcomes": dict(sorted(totals.items())),
            "failures": self.failures,
            "by kind": self._by(0),
            "by way": self._by(1),
        }
        return json.dumps(found, indent=1) + "\n"

    def summary(self) -> str:
        """The report in a line."""
        words: Counter[str] = Counter()
        for (_, _, word), count in self.counts.items():
            words[word] += count
        parts = ", ".join(f"{count:,} {word}" for word, count in sorted(words.items()))
        return f"{self.cases:,} cases in {self.seconds:.0f} s: {parts}"


def in_words(failure: dict[str, Any]) -> str:
    """A failure in a line, with its number."""
    what = f"{failure['kind']} '{failure['file']}', {failure['way']}"
    return f"  {failure['outcome']}: case {failure['number']}: {what}: {failure['detail']}"


class Campaign:
    """The cases of a seed, divided among processes."""

    def __init__(self, folder: Path, seed: int, cases: int, seconds: float, workers: int) -> None:
        self.folder, self.seed, self.workers = folder, seed, workers
        self.originals, self.end = Originals(folder), time.monotonic() + seconds
        self.report, self._lock = Report(seed), threading.Lock()
        self._reason: str | None = None
        self._batches: Queue[tuple[int, int, bool]] = Queue()
        for first in range(0, cases, BATCH):
            for plain in (False, True):
                self._batches.put((first, min(first + BATCH, cases), plain))

    def run(self, show: Callable[[str], None] = lambda line: None) -> Report:
        """Try the cases until all are done or time is up."""
        began, shown, failed = time.monotonic(), time.monotonic(), 0
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self.workers)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.05)
            self.report.seconds = time.monotonic() - began
            for failure in self.report.failures[failed:]:
                failed += 1
                show(in_words(failure))
            if time.monotonic() - shown > EVERY:
                shown = time.monotonic()
                show(self.report.summary())
        if self._reason is not None:
            raise RuntimeError(self._reason)
        return self.report

    def give_up(self, reason: str) -> None:
        """End for a reason that is not a case's."""
        self._reason, self.end = reason, 0.0

    def _work(self) -> None:
        while time.monotonic() < self.end:
            try:
                first, last, plain = self._batches.get_nowait()
            except Empty:
                return
            while first < last and time.monotonic() < self.end:
                first = Watched(self, first, last, plain).run()

    def count(self, number: int, word: str, detail: str, seconds: float) -> None:
        """Count what came of a case."""
        case = numbered(self.originals, self.seed, number)
        with self._lock:
            report = self.report
            report.counts[case.kind, case.way, word] += 1
            report.plain += in_plain_python(number)
            report.slowest = max(report.slowest, seconds)
            if word not in FINE:
                failure = {"number": number, "outcome": word, "detail": detail}
                report.failures.append(
                    failure | {"kind": case.kind, "file": case.name, "way": case.way}
                )


class Watched:
    """One process, and the case that it tries at the moment."""

    def __init__(self, campaign: Campaign, first: int, last: int, plain: bool) -> None:
        self.campaign, self.number, self.last = campaign, first, last
        environment = dict(os.environ) | {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
        if plain:
            environment["ROSENBLATT_EXECUTION"] = "plain"
        arguments = [campaign.folder, campaign.seed, first, last, int(plain)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker", *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
        )  # fmt: skip
        self._lines: Queue[str | None] = Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._under_way: int | None = None
        self._began = self._used = 0.0
        self._heard = time.monotonic()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(None)

    def run(self) -> int:
        """Watch the process to its end; return the number of the next case."""
        while time.monotonic() < self.campaign.end:
            try:
                line = self._lines.get(timeout=0.5)
            except Empty:
                if self._overdue():
                    self._stop()
                    return self._failed("hang", f"no end after {LIMIT:g} s")
                continue
            if line is None:
                return self._ended()
            self._hear(json.loads(line))
        self._stop()
        return self.last

    def _hear(self, line: dict[str, Any]) -> None:
        self._heard = time.monotonic()
        if "begin" in line:
            self._under_way, self._began = line["begin"], self._processor_time()
        elif "end" in line:
            seconds = self._processor_time() - self._began
            word, detail = line["outcome"], line["detail"]
            if seconds > LIMIT and word in FINE:
                word, detail = "slow", f"{seconds:.1f} s"
            self.campaign.count(line["end"], word, detail, seconds)
            self._under_way, self.number = None, line["end"] + 1

    def _processor_time(self) -> float:
        """Seconds that the process has computed, whatever else this machine does meanwhile."""
        try:
            with open(f"/proc/{self.process.pid}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return self._began
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _overdue(self) -> bool:
        if self._under_way is None:
            return False
        computed = self._processor_time() - self._began
        return computed > LIMIT or time.monotonic() - self._heard > STUCK

    def _ended(self) -> int:
        code = self.process.wait()
        if self._under_way is not None:
            return self._failed("signal" if code < 0 else "exit", str(code))
        if code:
            self.campaign.give_up(f"a worker ended with {code} before case {self.number}")
        return self.last

    def _failed(self, word: str, detail: str) -> int:
        assert self._under_way is not None
        self.campaign.count(self._under_way, word, detail, 0.0)
        return self._under_way + 1

    def _stop(self) -> None:
        self.process.kill()
        self.process.wait()
