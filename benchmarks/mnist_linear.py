"""Freund & Schapire's linear rows on MNIST: last, averaged and voted, one-vs-rest."""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections import defaultdict
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks import data, tables
from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron

Array = data.Array
Figures = dict[tuple[float, str], list[float]]
"""Values of a figure after so many epochs, one for each order."""

EPOCHS = [0.1, 1, 2, 3, 4]
SCALES = {"pixels 0..255": 1.0, "pixels 0..1": 255.0}
FIGURES = {  # our name: the paper's in the table of its results, and the digits shown
    "voted, error %": ("vote", 1),
    "averaged, error %": ("avg_unnorm", 1),
    "last, error %": ("last_unnorm", 1),
    "supports": ("supvec", 0),
    "mistakes": ("mistakes", 0),
}

NOTE = """\
Kernel 1 + x·y: a constant feature of 1. Scores are not normalised and the greatest of the ten
one-vs-rest scores, or votes, wins; mistakes are summed over the ten problems, supports are the
examples that any of them learned. Each epoch repeats the same random order; T = 0.1 is its first
tenth. Paper: means over 10 orders (Machine Learning 37(3), table 1, d = 1); ours: mean ± standard
deviation over {orders}, votes over the first of them. The paper does not say how grey levels were
scaled; its counts of mistakes and supports are those of raw pixels, 0..255, beside which the
constant feature is next to nothing."""


def published() -> dict[tuple[float, str], float]:
    """The paper's figures for d = 1, if they are at hand."""
    path = data.folder().parent / "reference" / "fs1999_tables.csv"
    if not path.exists():
        return {}
    names = {theirs: ours for ours, (theirs, _) in FIGURES.items()}
    with path.open(newline="") as file:
        return {
            (float(row["T_epochs"]), names[row["method"]]): float(row["value"])
            for row in csv.DictReader(file)
            if row["table"] == "T1" and row["kernel_degree"] == "1" and row["method"] in names
        }


def fitted(kind: Any, split: data.Split, order: Array, T: float) -> Any:
    """An estimator after T epochs in the same order."""
    visits = order if T >= 1 else order[: round(T * len(order))]
    clf = kind(
        multiclass="ovr",
        order=visits,
        max_iter=max(1, round(T)),
        tol=None,
        journal_size=10**8,  # the supports are counted from the journal: keep it whole
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # no hyperplane separates a digit
        return clf.fit(*split[:2])


def error(clf: Any, split: data.Split) -> float:
    """Test error in per cent."""
    return 100.0 * float(np.mean(clf.predict(split[2]) != split[3]))


def figures(split: data.Split, order: Array, T: float, vote: bool) -> dict[str, float]:
    """All figures for one order and so many epochs."""
    last = fitted(Perceptron, split, order, T)
    learned = [journal.updates.i for journal in last.journal_]
    result = {
        "averaged, error %": error(fitted(AveragedPerceptron, split, order, T), split),
        "last, error %": error(last, split),
        "supports": len(np.unique(np.concatenate(learned))),
        "mistakes": int(last.pass_mistakes_.sum()),
    }
    if vote:
        result["voted, error %"] = error(fitted(VotedPerceptron, split, order, T), split)
    return result


def measure(white: float, epochs: list[float], orders: int, last_vote: float) -> Figures:
    """All figures over several random orders; votes, which are slow to count, for the first."""
    split, found = data.mnist(white), defaultdict(list)
    for seed in range(orders):
        order = np.random.default_rng(seed).permutation(len(split[1]))
        for T in epochs:
            began = time.perf_counter()
            for name, value in figures(split, order, T, seed == 0 and last_vote >= T).items():
                found[T, name].append(value)
            seconds = time.perf_counter() - began
            print(f"white {white:g}, order {seed}, T = {T:g}: {seconds:.1f} s", flush=True)
    return found


def main() -> None:
    """Measure and record the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mnist_linear", description=__doc__)
    parser.add_argument("--orders", type=int, default=5, help="random orders (the paper: 10)")
    parser.add_argument("--full", action="store_true", help="10 epochs, and votes for every T")
    options = parser.parse_args()
    epochs, last_vote = ([*EPOCHS, 10], 10) if options.full else (EPOCHS, 3)
    paper = published()
    ours = {
        name: measure(white, epochs, options.orders, last_vote) for name, white in SCALES.items()
    }
    rows = []
    for T in epochs:
        for name, (_, digits) in FIGURES.items():
            row: dict[str, Any] = {"T": f"{T:g}", "figure": name}
            if (T, name) in paper:
                row["paper"] = f"{paper[T, name]:.{digits}f}"
            for scale, found in ours.items():
                if (T, name) in found:
                    row[scale] = tables.spread(found[T, name], digits)
            rows.append(row)
    columns = ["T", "figure", *(["paper"] if paper else []), *SCALES]
    count = f"{options.orders} orders" if options.orders > 1 else "one order"
    note = " ".join(NOTE.format(orders=count).split("\n"))
    title = "MNIST: the linear perceptrons of Freund & Schapire 1999"
    tables.record("mnist_linear", title, note, columns, rows)


if __name__ == "__main__":
    main()
