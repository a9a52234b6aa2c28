"""Test error against the number of shards, over several orders of the examples.

Each order decides which examples share a shard and in which sequence they are visited. What shards
cost is the difference to one machine that learned the same order.
"""

from __future__ import annotations

import argparse
import math
import statistics
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from benchmarks import data, tables
from rosenblatt.cluster import DistributedPerceptron
from rosenblatt.cluster.rounds import connected

PICTURE = tables.ROOT / "docs" / "images" / "cluster_errors.png"
SHARDS = (2, 4, 8)
POINTS = 0.5
"""Points of test error that shards may cost."""
COLUMNS = ["data", "shards", "test error %", "cost in points", "bar", "holds"]
NOTE = """\
Test errors of averaged perceptrons after {passes} passes, mixed uniformly: mean ± standard error
over {seeds} orders. Each order decides which examples share a shard and how each shard shuffles its
passes; the test set is the same for all. `cost` is the error less that of one machine with the same
order, the mean of {seeds} such differences ± its standard error. The bar of {points} points holds
if the mean and two standard errors are below it.
![error against shards](images/cluster_errors.png)"""

Errors = dict[int, list[float]]
"""Test errors by number of shards, one for each order; 1 is one machine."""


def splits(rows: int | None) -> dict[str, data.Split]:
    """MNIST as it is divided, covertype with a tenth held out; at most so many rows to learn."""
    X, y, X_test, y_test = data.mnist()
    found: dict[str, data.Split] = {"MNIST": (X[:rows], y[:rows], X_test, y_test)}
    X, y = data.covtype()
    order = np.random.default_rng(0).permutation(len(y))
    test, learn = order[: len(y) // 10], order[len(y) // 10 :][:rows]
    centre, scale = X[learn].mean(axis=0), X[learn].std(axis=0)
    X = (X - centre) / np.where(scale > 0, scale, 1)
    found["covertype"] = X[learn], y[learn], X[test], y[test]
    return found


def errors(client: Any, split: data.Split, passes: int, seeds: int) -> Errors:
    """Learn every order on one machine and on shards."""
    X, y, X_test, y_test = split
    found: Errors = {count: [] for count in (1, *SHARDS)}
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(y))
        member = rb.AveragedPerceptron(max_iter=passes, tol=None, random_state=seed)
        for count in found:
            spread = DistributedPerceptron(member, shards=count, client=client)
            model = member if count == 1 else spread
            model.fit(X[order], y[order])
            found[count].append(100 * float(np.mean(model.predict(X_test) != y_test)))
        shown = ", ".join(f"{values[-1]:.2f}" for values in found.values())
        print(f"order {seed}: {shown} on {', '.join(map(str, found))} shards", flush=True)
    return found


def standard_error(values: Sequence[float]) -> float:
    """The standard error of a mean."""
    return statistics.stdev(values) / math.sqrt(len(values))


def rows(name: str, found: Errors) -> list[dict[str, Any]]:
    """Lines of the table: one machine, then each number of shards."""
    made = []
    for count, values in found.items():
        line: dict[str, Any] = {
            "data": name,
            "shards": "one machine" if count == 1 else count,
            "test error %": f"{statistics.fmean(values):.2f} ± {standard_error(values):.2f}",
            "orders": [round(value, 4) for value in values],
        }
        if count > 1:
            costs = [error - alone for error, alone in zip(values, found[1], strict=True)]
            mean, slack = statistics.fmean(costs), 2 * standard_error(costs)
            sure = mean + slack <= POINTS
            line |= {
                "cost in points": f"{mean:+.2f} ± {slack / 2:.2f}",
                "bar": f"<= +{POINTS}",
                "holds": "yes" if sure else "NO" if mean - slack > POINTS else "not sure",
            }
        made.append(line)
    return made


def draw(found: dict[str, Errors]) -> None:
    """Mean test error against shards, with standard errors as bars."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(found), figsize=(4.2 * len(found), 3.2), squeeze=False,
                                layout="constrained")  # fmt: skip
    for ax, (name, by_count) in zip(axes[0], found.items(), strict=True):
        counts = list(by_count)
        means = [statistics.fmean(values) for values in by_count.values()]
        bars = [standard_error(values) for values in by_count.values()]
        ax.errorbar(counts, means, yerr=bars, fmt="o-", capsize=4, color="#0072B2")
        ax.axhline(means[0] + POINTS, ls=":", color="0.4", label=f"one machine + {POINTS} points")
        ax.set(title=name, xlabel="shards", ylabel="test error, per cent", xscale="log")
        ax.set_xticks(counts, [str(count) for count in counts])
        ax.minorticks_off()
        ax.margins(y=0.2)
        ax.legend(frameon=False, loc="upper left")
    figure.savefig(PICTURE, dpi=110)


def main() -> None:
    """Measure, draw and record."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shards", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="orders of the examples")
    parser.add_argument("--passes", type=int, default=10, help="rounds of learning")
    parser.add_argument("--rows", type=int, help="at most, to try it out: nothing is recorded")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    found, table = {}, []
    with connected("local:1") as client:
        for name, split in splits(options.rows).items():
            title = f"{name}, {len(split[1]):,} rows"
            found[title] = errors(client, split, options.passes, options.seeds)
            table += rows(title, found[title])
    if options.rows is not None:
        print(tables.markdown(COLUMNS, table))
        return
    draw(found)
    note = NOTE.format(passes=options.passes, seeds=options.seeds, points=POINTS)
    title = "On shards: test error against one machine"
    tables.record("cluster_errors", title, " ".join(note.split("\n")), COLUMNS, table)


if __name__ == "__main__":
    main()
