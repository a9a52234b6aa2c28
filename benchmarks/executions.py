"""Bare loops of the shipped machine code beside those compiled just in time.

Each execution has a process of its own, which stays: they make passes by turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import IO, Any

import numpy as np

from benchmarks.synthetic import zipf
from rosenblatt.engine import inputs
from rosenblatt.engine.execution import shipped
from rosenblatt.engine.run import Run
from rosenblatt.theory import rules

EXECUTIONS = ("shipped", "jit")


def dense() -> Run:
    """Return a run over a dense table of two classes; a tenth of the labels is flipped."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 100))
    return _run(inputs.binary_space(X, 1.0), _flipped(X @ rng.normal(size=100) > 0, 2, rng))


def sparse() -> Run:
    """Return a run over sparse examples of two classes."""
    X, y = zipf(20_000, 80_000, 60)
    return _run(inputs.binary_space(X, 1.0), y.astype(np.int8))


def rows() -> Run:
    """Return a run over a dense table of ten classes; a tenth of the labels is flipped."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_000, 100))
    best = np.argmax(X @ rng.normal(size=(100, 10)), axis=1)
    return _run(inputs.class_space(X, 10, 1.0), _flipped(best, 10, rng))


RUNS = {
    "dense 20,000 x 100": dense,
    "sparse 20,000 x 80,000, 60 non-zeros a row": sparse,
    "rows 5,000 x 100, ten classes": rows,
}


def _flipped(right: Any, classes: int, rng: np.random.Generator) -> Any:
    """Return labels of which a tenth is another; -1 and +1 if there are two."""
    shift = np.where(rng.random(len(right)) < 0.1, rng.integers(1, classes, len(right)), 0)
    codes = (right + shift) % classes
    return np.where(codes, 1, -1).astype(np.int8) if classes == 2 else codes


def _run(space: Any, y: Any) -> Run:
    return Run(rules.Plain(), space, y, order="cyclic")


def serve() -> None:
    """Make a pass of the run that each line of the input names, and print its seconds."""
    runs: dict[str, Run] = {}
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in runs:
            runs[name] = RUNS[name]()
        began = time.perf_counter()
        runs[name].advance()
        print(time.perf_counter() - began, flush=True)


@contextmanager
def process(execution: str) -> Iterator[Callable[[str], float]]:
    """Start a process that serves an execution; the value makes a pass and returns its seconds."""
    environment = {name: text for name, text in os.environ.items() if name != shipped.CHOICE}
    chosen = {} if execution == "shipped" else {shipped.CHOICE: execution}
    command = [sys.executable, "-m", "benchmarks.executions"]
    with subprocess.Popen(
        command,
        env=environment | chosen,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        yield partial(_make_pass, started.stdin, started.stdout)


def _make_pass(requests: IO[str], answers: IO[str], name: str) -> float:
    requests.write(f"{name}\n")
    requests.flush()
    return float(answers.readline())


def measured(rounds: int) -> Iterator[tuple[str, float, float]]:
    """Return each run with the least seconds of its passes, shipped and just in time."""
    with ExitStack() as stack:
        servers = [stack.enter_context(process(execution)) for execution in EXECUTIONS]
        for name in RUNS:
            # The first pass of each, in which code is loaded or compiled, is not counted.
            turns = [[make_pass(name) for make_pass in servers] for _ in range(rounds + 1)]
            yield name, *map(min, zip(*turns[1:], strict=True))


if __name__ == "__main__":
    serve()
