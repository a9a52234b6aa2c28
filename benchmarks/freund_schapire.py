"""Freund & Schapire's Tables 1 and 2: MNIST with polynomial kernels, every way to predict.

Kernels (1 + x·y)^d, one class against the rest. For the errors at several epochs one run is enough:
its hypotheses after fewer visits are the beginning of its course.
"""

from __future__ import annotations

import argparse
import csv
import time
from typing import Any

import numpy as np

from benchmarks import data, tables
from rosenblatt import inputs, rules
from rosenblatt.expansion import kernel_rows
from rosenblatt.kernel import BLOCK, KernelRun, kernel_runs
from rosenblatt.similarity import Similarity

EPOCHS = (0.1, 1.0, 2.0, 3.0, 4.0, 10.0, 30.0)
METHODS = ("vote", "avg_unnorm", "avg_norm", "last_unnorm", "last_norm", "rand_unnorm",
           "rand_norm")  # fmt: skip


def published() -> dict[tuple[int, str, float], float]:
    """The paper's figures: test error in per cent, SupVec and Mistakes, by degree and epochs."""
    path = data.folder().parent / "reference" / "fs1999_tables.csv"
    with path.open() as file:
        rows = [r for r in csv.DictReader(file) if r["table"] in ("T1", "T2")]
    return {
        (int(r["kernel_degree"]), r["method"], float(r["T_epochs"])): float(r["value"])
        for r in rows
    }


def learn(X: Any, y: Any, degree: int, epochs: float, seed: int) -> tuple[list[KernelRun], float]:
    """The ten runs after so many epochs, and the seconds they took."""
    started = time.perf_counter()
    similarity = Similarity("poly", degree=degree, gamma=1.0, coef0=1.0)
    problems = [inputs.signs(y, c) for c in range(10)]
    runs = kernel_runs(rules.Plain(), similarity, X, problems, seed, count_errors=False,
                       keep=10**9)  # fmt: skip
    left = int(epochs * len(y))
    while left:
        position = runs[0].n.t % len(y)
        size = min(BLOCK - position % BLOCK, len(y) - position, left)
        for run in runs:
            run.advance(visits=size)
        left -= size
        if position + size == len(y):
            passed, seconds = runs[0].n.t // len(y), time.perf_counter() - started
            made = sum(run.n.k for run in runs)
            print(f"  d={degree} epoch {passed}: {made:,} mistakes, {seconds:.1f} s", flush=True)
    return runs, time.perf_counter() - started


def errors(runs: list[KernelRun], X: Any, y: Any, epochs: list[float], seed: int) -> Any:
    """Test error in per cent by epochs and method, and the seconds of the last full prediction."""
    n = len(runs[0].y)
    supports = runs[0].supports
    place = np.full(n, -1)
    place[supports.numbers] = np.arange(len(supports.numbers))
    whole = [run.course() for run in runs]
    for course in whole:
        course.updates.i[:] = place[course.updates.i]
    rng = np.random.default_rng(seed)
    table: dict[float, dict[str, Any]] = {}
    examples = supports.X[supports.numbers]
    longest = max(len(course.lives) for course in whole)
    for epoch in epochs:
        visits = int(epoch * n)
        courses = [course.before(visits) for course in whole]
        moments = rng.integers(0, visits, len(y))  # the same for all classes
        scores = {method: np.empty((len(y), 10)) for method in METHODS}
        for rows, K in kernel_rows(supports.similarity, X, examples, longest):
            for c, course in enumerate(courses):
                for method, found in course.readouts(K, moments[rows], METHODS).items():
                    scores[method][rows, c] = found
        line: dict[str, Any] = {
            method: 100 * float((found.argmax(axis=1) != y).mean())
            for method, found in scores.items()
        }
        used = np.concatenate([course.updates.i for course in courses])
        line |= {"supvec": len(np.unique(used)), "mistakes": len(used)}
        table[epoch] = line
    return table


def main() -> None:
    """Measure what is asked for and record the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.freund_schapire",
                                     description=__doc__)  # fmt: skip
    parser.add_argument("--degrees", type=int, nargs="*", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--epochs", type=float, default=3.0, help="train for so many; default 3")
    parser.add_argument("--examples", type=int, default=60_000, help="use fewer to try it out")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    X, y, X_test, y_test = data.mnist()
    X, y = X[: asked.examples], y[: asked.examples]
    paper, rows = published(), []
    for degree in asked.degrees:
        runs, seconds = learn(X, y, degree, asked.epochs, asked.seed)
        moments = [epoch for epoch in EPOCHS if epoch <= asked.epochs]
        started = time.perf_counter()
        found = errors(runs, X_test, y_test, moments, asked.seed)
        predicting = (time.perf_counter() - started) / len(moments)
        print(f"  d={degree}: {seconds:.1f} s to learn, {predicting:.1f} s to predict", flush=True)
        for epoch, line in found.items():
            for method, value in line.items():
                rows.append(
                    {
                        "degree": degree,
                        "epochs": f"{epoch:g}",
                        "method": method,
                        "ours": f"{value:.2f}" if method in METHODS else f"{value:,}",
                        "paper": paper.get((degree, method, epoch)),
                        "learned in": f"{seconds:.1f} s",
                    }
                )
    columns = ["degree", "epochs", "method", "ours", "paper", "learned in"]
    if asked.examples < 60_000:
        print(tables.markdown(columns, rows))
        return
    tables.record(
        "freund_schapire",
        "Freund & Schapire 1999, Tables 1 and 2",
        "MNIST, kernels (1 + x·y)^d on pixels from 0 to 1, one class against the rest; one order "
        "of the examples, where the paper has the mean of ten. Test error in per cent, support "
        "vectors of all classes together, mistakes summed over the classes.",
        columns,
        rows,
    )


if __name__ == "__main__":
    main()
