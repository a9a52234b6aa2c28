"""The family side by side on real data, as `rosenblatt.compare` has it."""

from __future__ import annotations

import argparse
import time
from typing import Any

from sklearn.datasets import load_breast_cancer

from benchmarks import data, tables
from rosenblatt import Leaderboard, compare

NOTE = """\
`compare` with its own settings: {folds} folds, the same for all members, features standardised
(those of sparse data divided by their largest size), 20 passes at most (a vote: one), no parameter
tuned; MinOver and MaxOver learn from 2,048 examples of each fold, a kernel from 8,192. Error: mean
± standard deviation over the folds; second and third place show how close the winner is. Chance is
the error of always naming the most frequent class. Seconds: the whole comparison of {members}
members. The best of many looks better than it is."""


def sets() -> dict[str, tuple[Any, Any]]:
    """The data sets by name."""
    X, y = data.mnist()[:2]
    return {
        "breast cancer": load_breast_cancer(return_X_y=True),
        "spambase": data.spambase(),
        "a9a": data.a9a()[:2],
        "MNIST, first 10,000": (X[:10_000], y[:10_000]),
    }


def row(name: str, board: Leaderboard, seconds: float) -> dict[str, Any]:
    """One line of the table."""

    def told(place: int) -> str:
        best = board.rows[place]
        return f"{best.name}: {100 * best.error:.2f} ± {100 * best.spread:.2f}"

    return {
        "data": f"{name} ({board.examples:,} x {board.features})",
        "chance": f"{100 * board.chance:.1f}",
        "best, error in %": told(0),
        "second": told(1),
        "third": told(2),
        "no better than chance": ", ".join(r.name for r in board.rows if "chance" in r.note)
        or "none",
        "seconds": f"{seconds:.0f}",
    }


def merged(found: dict[str, Any], names: list[str]) -> list[dict[str, Any]]:
    """The line with those of other data sets that were recorded before."""
    both = [*tables.kept("leaderboard"), found]
    lines = {line["data"].split(" (")[0]: line for line in both}
    return [lines[name] for name in names if name in lines]


def main() -> None:
    """Measure and record the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.leaderboard", description=__doc__)
    parser.add_argument("--folds", type=int, default=5, help="folds of the cross-validation")
    parser.add_argument("--sets", nargs="*", help="only these, by name; others stay as recorded")
    asked = parser.parse_args()
    folds, known = asked.folds, sets()
    for name in asked.sets or known:
        X, y = known[name]
        began = time.perf_counter()
        board = compare(X, y, cv=folds, n_jobs=-1)
        found = row(name, board, time.perf_counter() - began)
        print(f"{name}\n{board}", flush=True)
        # After each set: what is measured is kept if the next is stopped.
        tables.record(
            "leaderboard",
            "The family side by side",
            " ".join(NOTE.format(folds=folds, members=len(board.rows)).split("\n")),
            list(found),
            merged(found, list(known)),
        )


if __name__ == "__main__":
    main()
