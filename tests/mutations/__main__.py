"""Apply the mutations of table.toml one at a time and run the tests that should notice.

    python -m tests.mutations               all of them
    python -m tests.mutations readouts.py   those whose file or snippet contains the text

Each worker has its own copy of the tree in a temporary folder; the checkout is never changed.
Exit status 1: a mutation survived without a reason in the table, a snippet no longer occurs exactly
once in its file, or the tests fail without any mutation.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("table.toml")
COPIED = ("src", "tests", "web", "benchmarks", "pyproject.toml")
LONGEST = 600.0  # seconds for one command: the mutated code may loop for ever
BAD = ("survived", "not applied", "no verdict", "unexpectedly killed")
# A file that cannot even be imported, "ERROR" without a test, is no verdict.
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::\S+)|^ FAIL +(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Mutation:
    """A snippet of a file, what replaces it, and the tests that should fail then."""

    file: str
    find: str
    put: str
    tests: str  # arguments of pytest, or "vitest" and its arguments
    survives: str = ""  # why no test can notice

    def applied(self, text: str) -> str:
        """Return the mutated text of the file."""
        count = text.count(self.find)
        if count != 1:
            raise ValueError(f"the snippet occurs {count} times, it must occur once")
        return text.replace(self.find, self.put)

    def __str__(self) -> str:
        old, new = (" ".join(part.split()) for part in (self.find, self.put))
        return f"{self.file}: {old}  ->  {new or '(removed)'}"


@dataclass(frozen=True)
class Outcome:
    """What became of a mutation."""

    verdict: str
    note: str = ""
    seconds: float = 0.0


class Copy:
    """A copy of the tree in which one worker runs tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # The machine code comes along; it is not used while its sources are mutated.
        skip = shutil.ignore_patterns("*.pyc", "node_modules")
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / name, ignore=skip)
            else:
                shutil.copy2(ROOT / name, folder / name)
        if (ROOT / "web" / "node_modules").exists():
            (folder / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")

    def run(self, command: list[str], where: str = ".") -> Any:
        """Run a command in the copy, with the copy's library."""
        settings = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"}
        settings |= {
            "PYTHONPATH": str(self.folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",  # bytecode of the same second and size would be stale
            "OPENBLAS_NUM_THREADS": "1",
            "NO_COLOR": "1",
        }
        return subprocess.run(
            command, cwd=self.folder / where, env=settings, capture_output=True, text=True,
            check=False, timeout=LONGEST,
        )  # fmt: skip

    def test(self, tests: str) -> tuple[str, str]:
        """Run some tests: "passed", "failed" or what else happened, and a line about it."""
        words = shlex.split(tests)
        try:
            if words[0] == "vitest":
                done = self.run(["npx", "vitest", "run", "--bail=1", *words[1:]], "web")
            else:
                options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
                done = self.run([sys.executable, "-m", "pytest", *options, *words])
        except subprocess.TimeoutExpired:
            return "failed", f"not finished after {LONGEST:.0f} s"
        if done.returncode == 0:
            return "passed", ""
        named = FAILED.search(done.stdout + done.stderr)
        if named and done.returncode == 1:
            return "failed", (named[1] or named[2]).strip()
        if done.returncode < 0:
            return "failed", f"ended by signal {-done.returncode}"
        return f"exit status {done.returncode}", (done.stdout + done.stderr)[-2000:]

    @contextmanager
    def mutated(self, mutation: Mutation) -> Iterator[None]:
        """Change a file of the copy, and put it back with its old time stamp."""
        path = self.folder / mutation.file
        text, stamp = path.read_text(), path.stat()
        path.write_text(mutation.applied(text))
        try:
            yield
        finally:
            path.write_text(text)
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


def judged(copy: Copy, mutation: Mutation) -> Outcome:
    """Run the tests of a mutation on the mutated copy."""
    began = time.perf_counter()
    with copy.mutated(mutation):
        result, note = copy.test(mutation.tests)
    seconds = time.perf_counter() - began
    if result == "passed":
        return Outcome("accepted" if mutation.survives else "survived", mutation.survives, seconds)
    if result != "failed":
        return Outcome("no verdict", f"{result}: {note}", seconds)
    verdict = "unexpectedly killed" if mutation.survives else "killed"
    return Outcome(verdict, note, seconds)


def report(mutation: Mutation, outcome: Outcome) -> None:
    """Print one mutation and its outcome."""
    print(f"{outcome.verdict:<12}{outcome.seconds:6.1f} s  {mutation}", flush=True)
    if outcome.note:
        print(f"{'':22}{outcome.note}", flush=True)


class Crew:
    """Workers that share some copies of the tree."""

    def __init__(self, folder: Path, workers: int) -> None:
        made = [Copy(folder / str(number)) for number in range(workers)]
        self.free: SimpleQueue[Copy] = SimpleQueue()
        for copy in made:
            self.free.put(copy)
        self.printing = Lock()

    def unmutated(self, tests: str) -> str:
        """Run tests without a mutation: what is wrong, if they do not pass."""
        copy, began = self.free.get(), time.perf_counter()
        try:
            result, note = copy.test(tests)
        finally:
            self.free.put(copy)
        with self.printing:
            print(f"{result:<12}{time.perf_counter() - began:6.1f} s  {tests}", flush=True)
        return "" if result == "passed" else f"unmutated tests do not pass: {result}: {note}"

    def mutated(self, mutation: Mutation, wrong: str) -> str:
        """Run the tests of a mutation, unless something is wrong with them: the verdict."""
        copy = self.free.get()
        try:
            outcome = Outcome("no verdict", wrong) if wrong else judged(copy, mutation)
        finally:
            self.free.put(copy)
        with self.printing:
            report(mutation, outcome)
        return outcome.verdict


def applicable(mutations: list[Mutation]) -> list[Mutation]:
    """The mutations whose snippet occurs once in its file; the others are reported."""
    fine = []
    for mutation in mutations:
        try:
            mutation.applied((ROOT / mutation.file).read_text())
            fine.append(mutation)
        except (OSError, ValueError) as error:
            report(mutation, Outcome("not applied", f"{error}; correct it in {TABLE.name}"))
    return fine


def run(mutations: list[Mutation], workers: int) -> bool:
    """Run mutations; return whether all of them ended as in the table."""
    fine = applicable(mutations)
    tests = sorted({mutation.tests for mutation in fine})
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        crew = Crew(Path(folder).resolve(), workers)
        if any(words.startswith("vitest") for words in tests):
            prepare_page(Path(folder).resolve(), workers)
        wrong = dict(zip(tests, pool.map(crew.unmutated, tests), strict=True))
        verdicts = list(pool.map(lambda one: crew.mutated(one, wrong[one.tests]), fine))
    verdicts += ["not applied"] * (len(mutations) - len(fine))
    survived = verdicts.count("survived") + verdicts.count("accepted")
    counted = f"{len(mutations)} mutations, {verdicts.count('killed')} killed, {survived} survived"
    for verdict in ("accepted", *BAD[1:]):
        if verdict in verdicts:
            what = "with a reason" if verdict == "accepted" else verdict
            counted += f", {verdicts.count(verdict)} {what}"
    print(counted)
    return not set(verdicts) & set(BAD)


def prepare_page(folder: Path, workers: int) -> None:
    """Write what the page's tests read, once, with the unmutated library."""
    if not (ROOT / "web" / "node_modules").exists():
        raise SystemExit("the page's packages are not installed: run make page first.")
    copies = [folder / str(number) / "web" for number in range(workers)]
    settings = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    for command in (["web/generate.py", "--golden"], ["-m", "web.learned"]):
        subprocess.run(
            [sys.executable, *command], cwd=copies[0].parent, env=settings, check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
    for other in copies[1:]:
        for written in (copies[0] / "tests").glob("*.json"):
            shutil.copy2(written, other / "tests" / written.name)


def main() -> int:
    """Read the table and run it, or the part of it that was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("text", nargs="?", default="", help="run those that contain this")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    table = tomllib.loads(TABLE.read_text())["mutation"]
    mutations = [Mutation(**entry) for entry in table]
    chosen = [one for one in mutations if options.text in f"{one.file} {one.find}"]
    if not chosen:
        raise SystemExit(f"no mutation in {TABLE.name} contains {options.text!r}.")
    return 0 if run(chosen, options.workers) else 1


if __name__ == "__main__":
    sys.exit(main())
