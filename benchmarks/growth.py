"""How the time of a visit grows: flat in the examples, linear in features or non-zeros."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import tables
from benchmarks.clock import best
from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.theory import rules

PICTURE = tables.ROOT / "docs" / "images" / "growth.png"
VISITS = 20_000_000  # multiplications in one pass, about


def visit(X: Any, rng: np.random.Generator) -> float:
    """Nanoseconds of a visit, in order."""
    y = np.where(X @ rng.normal(size=X.shape[1]) > 0, 1, -1)
    y = np.where(rng.random(len(y)) < 0.05, -y, y).astype(np.int8)
    run = Run(rules.Plain(), inputs.binary_space(X, 1.0), y, order="cyclic")
    return best({"run": run.advance}, rounds=7)["run"] / len(y) * 1e9


def dense(examples: int, features: int, rng: np.random.Generator) -> float:
    return visit(rng.normal(size=(examples, features)), rng)


def sparse(examples: int, entries: int, rng: np.random.Generator) -> float:
    columns = rng.integers(0, 100_000, examples * entries)
    places = np.arange(0, examples * entries + 1, entries)
    X = sp.csr_matrix((rng.random(len(columns)), columns, places), shape=(examples, 100_000))
    X.sum_duplicates()
    return visit(X, rng)


def measure(rng: np.random.Generator) -> dict[str, list[tuple[int, float]]]:
    """Nanoseconds of a visit against each size."""
    return {
        "examples (50 features)": [
            (n, dense(n, 50, rng)) for n in (1_000, 10_000, 100_000, 1_000_000)
        ],
        "features (dense)": [
            (d, dense(max(100, VISITS // d), d, rng)) for d in (10, 100, 1_000, 10_000)
        ],
        "non-zeros of an example (sparse)": [
            (k, sparse(max(100, VISITS // 4 // k), k, rng)) for k in (10, 100, 1_000, 10_000)
        ],
    }


def draw(curves: dict[str, list[tuple[int, float]]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    for ax, (name, points) in zip(axes, curves.items(), strict=True):
        sizes, times = np.array(points).T
        ax.loglog(sizes, times, "o-", color="#0072B2", label="measured")
        line = times[-1] * (sizes / sizes[-1] if "examples" not in name else np.ones(len(sizes)))
        ax.loglog(sizes, line, ":", color="0.4", label="flat" if "examples" in name else "linear")
        ax.set(xlabel=name, ylabel="ns a visit")
        ax.legend(frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure, draw and record."""
    argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__).parse_args()
    curves = measure(np.random.default_rng(0))
    draw(curves, PICTURE)
    rows = [
        {"size": name, "value": f"{size:,}", "ns a visit": f"{time:.1f}"}
        for name, points in curves.items()
        for size, time in points
    ]
    tables.record(
        "growth",
        "Growth: time of a visit against the size of the data",
        "Plain rule, in order, one thread. ![growth](images/growth.png)",
        ["size", "value", "ns a visit"],
        rows,
    )


if __name__ == "__main__":
    main()
