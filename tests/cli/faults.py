"""Faults while a command runs: the old file or the new one is there, and nothing else.

python -m tests.cli.faults                     every command and fault at twenty moments
python -m tests.cli.faults --moments 2 --out results.json

A fault is Ctrl-C, SIGTERM, a full disk, a target that becomes read-only, or a pipe whose reader
closes it. Moments are spread over the time of an undisturbed run, for a full disk over the bytes
of its file, for a pipe over what it prints; some signals come while the new file is written.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.cli.terminal import blobs

MOMENTS = 20
RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "promises" / "faults.json"
OLD = b"the old file"
COMMANDS = {
    "fit": ("fit data.csv -t cloud --passes 30 --set tol=None --out {out}", "m.rbt"),
    "predict": ("predict model.rbt data.csv --out {out}", "p.csv"),
    "certify": ("certify data.csv -t cloud --out {out}", "c.json"),
    "report": ("report model.rbt --out {out}", "r.html"),
}
"""A line of each command, and the file that it writes."""
PRINTING = COMMANDS | {"predict": ("predict model.rbt data.csv", "")}
"""Lines that print: predictions go to a pipe themselves."""
CODES = {
    "Ctrl-C": {0, 130, -signal.SIGINT},
    "SIGTERM": {0, 143, -signal.SIGTERM},
    "full disk": {2},
    "read-only": {0, 2},
    "closed pipe": {0, 141},
}
"""Exit codes of each fault: 0 if it came too late; the signal itself before our code has begun."""
WHILE_WRITING = 4
"""One of so many signals comes while the new file is written."""


@dataclass(frozen=True)
class Outcome:
    """What a fault left behind; `broken` describes each promise that did not hold."""

    command: str
    fault: str
    moment: int
    code: int
    new: bool
    broken: tuple[str, ...]


class Bench:
    """A folder with data and a model, and what undisturbed commands do there."""

    def __init__(self, folder: Path, rows: int = 3000) -> None:
        self.folder = folder
        blobs(folder / "data.csv", rows=rows, classes=2)
        self.check(["fit", "data.csv", "-t", "cloud", "--passes", "2", "--out", "model.rbt"])
        self.seconds: dict[str, float] = {}
        self.content: dict[str, bytes] = {}
        self.printed: dict[str, int] = {}

    def check(self, arguments):
        """Run a command that must work; what it prints."""
        return subprocess.run(
            _python(arguments), cwd=self.folder, check=True, capture_output=True, timeout=120
        ).stdout

    def measure(self, command):
        """Learn how long a command takes and what it writes."""
        line, name = COMMANDS[command]
        out = self.folder / f"whole-{name}"
        began = time.perf_counter()
        self.check(line.format(out=out.name).split())
        self.seconds[command] = time.perf_counter() - began
        self.content[command] = out.read_bytes()
        out.unlink()

    def measure_printed(self, command):
        """Learn how much a command prints."""
        line, name = PRINTING[command]
        out = self.folder / f"printed-{name}"
        self.printed[command] = len(self.check(line.format(out=out.name).split()))
        out.unlink(missing_ok=True)

    def outcome(self, command, fault, moment, of=MOMENTS):
        """Run a command with a fault at one of so many moments."""
        if command not in self.seconds and fault != "closed pipe":
            self.measure(command)
        if command not in self.printed and fault == "closed pipe":
            self.measure_printed(command)
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            return _Case(self, command, fault, moment, of, Path(place)).run()


class _Case:
    """One command with one fault, in a folder of its own that has an old file."""

    def __init__(self, bench, command, fault, moment, of, place):
        self.bench, self.command, self.fault = bench, command, fault
        self.moment, self.share, self.place = moment, (moment + 0.5) / of, place
        line, name = (PRINTING if fault == "closed pipe" else COMMANDS)[command]
        self.target = place / name if name else None
        if self.target:
            self.target.write_bytes(OLD)
        self.before = set(os.listdir(place))
        self.arguments = line.format(out=self.target).split()
        self.excused = set()  # hidden files that nobody could remove

    def run(self):
        process = subprocess.Popen(
            _python(self.arguments), cwd=self.bench.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=self._prepare,  # noqa: PLW1509 (no other thread runs here)
        )  # fmt: skip
        try:
            if self.fault == "closed pipe":
                error = self._close_pipe(process)
            else:
                self._strike(process)
                _, error = process.communicate(timeout=120)
        finally:
            process.kill()
            process.wait()
            self.place.chmod(0o700)
        new = self.target is not None and self.target.read_bytes() != OLD
        broken = tuple(self._broken(process.returncode, error.decode(), new))
        return Outcome(self.command, self.fault, self.moment, process.returncode, new, broken)

    def _prepare(self):
        if self.fault == "full disk":
            most = int(self.share * len(self.bench.content[self.command]))
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        elif self.fault == "read-only":
            _respect_permissions()

    def _strike(self, process):
        """Cause the fault, unless it is there from the beginning."""
        writing = self.moment % WHILE_WRITING == WHILE_WRITING - 1
        end = time.perf_counter() + self.bench.seconds[self.command] * (
            3 if writing else self.share
        )
        if self.fault == "full disk":
            return
        while time.perf_counter() < end and process.poll() is None:
            if writing and self.fault != "read-only" and set(os.listdir(self.place)) > self.before:
                break
            time.sleep(0.0005 if writing else 0.005)
        if self.fault == "read-only":
            self.place.chmod(0o500)
            self.excused = set(os.listdir(self.place))
        else:
            number = signal.SIGINT if self.fault == "Ctrl-C" else signal.SIGTERM
            process.send_signal(number)

    def _close_pipe(self, process):
        """Read a part of what is printed, then close the pipe; return what stderr has."""
        if self.moment:
            process.stdout.read(int(self.share * self.bench.printed[self.command]))
        process.stdout.close()
        error = process.stderr.read()
        process.wait(timeout=120)
        process.stderr.close()
        return error

    def _broken(self, code, error, new):
        """Describe each promise that did not hold."""
        if code not in CODES[self.fault]:
            yield f"exit code {code}: {error[-300:]}"
        if new and self.target.read_bytes() != self.bench.content.get(self.command):
            yield "the file is neither the old one nor the new one"
        if code == 0 and self.target is not None and not new:
            yield "success, but the old file is there"
        stray = set(os.listdir(self.place)) - self.before - self.excused
        if stray:
            yield f"stray files: {sorted(stray)}"
        if code == 2 and not (error.count("\n") == 1 and self.target.name in error):
            yield f"not one line with the name of the file: {error[-300:]}"
        if ".part" in error:
            yield f"the hidden file is named: {error[-300:]}"
        if code == 141 and error:
            yield f"noise about a closed pipe: {error[-300:]}"


def _python(arguments):
    return [sys.executable, "-m", "rosenblatt", *map(str, arguments)]


def _respect_permissions():
    """Give up the right of root to write to read-only folders."""
    if os.geteuid() != 0:
        return
    override = 0b1110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    # Programs that root starts get all rights of the bounding set.
    for right in (1, 2, 3):
        libc.prctl(24, right, 0, 0, 0)
    if libc.capget(header, sets) == 0:
        for place in (0, 1, 2):
            sets[place] &= ~override
        libc.capset(header, sets)


def summarise(outcomes):
    """Return how often each command survived each fault."""
    return {
        command: {
            fault: {
                "moments": len(some := [
                    o for o in outcomes if (o.command, o.fault) == (command, fault)
                ]),
                "held": sum(not o.broken for o in some),
                "old file": sum(not o.new for o in some),
                "new file": sum(o.new for o in some),
                "codes": sorted({o.code for o in some}),
            }
            for fault in CODES
        }
        for command in COMMANDS
    }  # fmt: skip


def main():
    """Run every command with every fault; write the results; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.cli.faults", description=__doc__)
    parser.add_argument("--moments", type=int, default=MOMENTS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for command in COMMANDS:
            bench.measure(command)
            bench.measure_printed(command)
        cases = [(c, f, m) for c in COMMANDS for f in CODES for m in range(given.moments)]
        with ProcessPoolExecutor() as pool:
            tried = [pool.submit(bench.outcome, *case, given.moments) for case in cases]
            outcomes = [case.result() for case in tried]
    broken = [asdict(outcome) for outcome in outcomes if outcome.broken]
    for outcome in broken:
        print(outcome)
    print(f"faults: {len(outcomes):,} tried, {len(broken):,} broke a promise")
    result = {"tried": len(outcomes), "broken": broken, "commands": summarise(outcomes)}
    given.out.write_text(json.dumps(result, indent=1) + "\n")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
