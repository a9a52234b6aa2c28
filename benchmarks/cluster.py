"""On shards: rounds against the bound, speed, overhead, the wire."""

from __future__ import annotations

import argparse
import tempfile
import warnings
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from benchmarks import tables
from benchmarks.shards import standard_error
from rosenblatt.cluster import DistributedPerceptron
from rosenblatt.cluster.mix import FAN
from rosenblatt.cluster.rounds import SMALL, connected

PICTURE = tables.ROOT / "docs" / "images" / "cluster_rounds.png"
MODEL_PICTURE = tables.ROOT / "docs" / "images" / "cluster_model.png"
COLUMNS = ["what", "found", "against", "ratio", "bar", "holds"]
FASTER, OVERHEAD = 1.6, 0.050
TURNS = 3  # of the clusters whose speeds are compared
TASK = 12_000  # bytes that a task takes besides weights
NOTE = """\
Mixing is uniform. Speed is the best round over data made for it ({size:.2g} GB of Parquet,
{features} numbers a row, read once), with worker processes of one thread each, clusters of one and
of two by turns, {turns} times; errors are not counted. `order="blocks"` mixes blocks of neighbours,
which is faster, and so nearer to what the memory gives. The overhead is the median round over
shards of ten rows each. Bytes are those that client, scheduler and workers put on their connections
in a round, by the counters of the system, beside the formula of [the guide to the
cluster](cluster.md)."""
ROUNDS_NOTE = """\
Rounds in which some shard made an update, until a whole round made none, on {rows:,} separable
examples of {features} features; (R/g)² with the largest margin g. Mixing by mistakes needs at most
(R/g)² rounds whatever the number of shards; uniform mixing at most that times the shards. Mean ±
standard error over {seeds} draws of the examples and their order.
![rounds against shards](images/cluster_rounds.png)"""
MODEL_NOTE = """\
**A simulation, not a measurement.** Seconds of a round by the model of [the guide to the
cluster](cluster.md#time-of-a-round), with the speed of a pass ({rate:.3g} numbers a second) and the
overhead of a task ({task:.2g} ms) measured here and put into it; {rows:.2g} rows of {entries}
non-zeros each. ![time against workers](images/cluster_model.png)"""


def row(what: str, found: str, against: str, ratio: str, bar: str, holds: bool) -> dict[str, Any]:
    return {
        "what": what, "found": found, "against": against, "ratio": ratio, "bar": bar,
        "holds": "yes" if holds else "NO",
    }  # fmt: skip


# --- rounds -----------------------------------------------------------------------------------


def separable(seed: int, rows: int, features: int, gap: float) -> tuple[Any, Any]:
    """Points with a gap along a random direction."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=features)
    direction /= np.linalg.norm(direction)
    X = rng.normal(size=(rows, features))
    y = X @ direction > 0
    return X + np.where(y, gap, -gap)[:, None] * direction, y


def separations(
    client: Any, rows: int, seeds: int, most: int
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    features, table, curves = 10, [], {}
    counts = [count for count in (1, 2, 4, 16, 64) if count <= most]
    sets = [separable(seed, rows, features, gap=0.02) for seed in range(seeds)]
    bounds = []
    for X, y in sets:
        radius = np.sqrt((X * X).sum(axis=1).max() + 1.0)
        bounds.append((radius / rb.max_margin(X, y).margin) ** 2)
    bound = float(np.mean(bounds))
    for mixing in ("uniform", "mistakes"):
        curves[mixing] = []
        for count in counts:
            made = []
            for seed, (X, y) in enumerate(sets):
                member = rb.Perceptron(max_iter=5_000, tol=None, random_state=seed)
                spread = DistributedPerceptron(
                    member, shards=count, mixing=mixing, client=client
                ).fit(X, y)
                assert spread.converged_
                made.append(sum(told["updates"] > 0 for told in spread.rounds_))
            limit = bound * (count if mixing == "uniform" else 1)
            mean, slack = float(np.mean(made)), standard_error(made)
            curves[mixing].append((count, mean, slack))
            table.append(
                {
                    "mixing": mixing, "shards": count,
                    "rounds with an update": f"{mean:.1f} ± {slack:.1f}",
                    "bound": f"{limit:,.0f}",
                    "holds": "yes" if mean <= limit else "NO",
                }
            )  # fmt: skip
            print(table[-1], flush=True)
    return table, {"curves": curves, "bound": bound}


def draw_rounds(found: dict[str, Any], path: Path) -> None:
    plt = _pyplot()
    figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    colours = {"uniform": "#0072B2", "mistakes": "#D55E00"}
    for mixing, points in found["curves"].items():
        shards, rounds, slack = np.array(points).T
        ax.errorbar(shards, rounds, yerr=slack, fmt="o-", capsize=4, color=colours[mixing],
                    label=f"{mixing}, measured")  # fmt: skip
        limit = found["bound"] * (shards if mixing == "uniform" else np.ones(len(shards)))
        ax.loglog(shards, limit, ":", color=colours[mixing], label=f"{mixing}, bound")
    ax.set(xlabel="shards", ylabel="rounds with an update", xscale="log", yscale="log")
    ax.set_xticks(shards, [f"{int(count)}" for count in shards])
    ax.minorticks_off()
    ax.legend(frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)


def _pyplot() -> Any:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    return plt


# --- speed ------------------------------------------------------------------------------------


def make(folder: Path, size: float, features: int, files: int = 4) -> None:
    """About `size` gigabytes of Parquet in a few files: single-precision noise, nothing to pack."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    direction = rng.normal(size=features).astype(np.float32)
    block = 50_000
    blocks = max(1, round(size * 1e9 / (4.0 * features * block * files)))
    names = [*(f"x{j}" for j in range(features)), "label"]
    for number in range(files):
        writer = None
        for _ in range(blocks):
            X = rng.standard_normal(size=(block, features), dtype=np.float32)
            noise = rng.standard_normal(block, dtype=np.float32)
            label = np.where(X @ direction + noise > 0, "yes", "no")
            batch = pa.RecordBatch.from_arrays([*map(pa.array, X.T), pa.array(label)], names=names)
            if writer is None:
                path = folder / f"part-{number}.parquet"
                writer = pq.ParquetWriter(path, batch.schema, compression="none")
            writer.write_batch(batch)
        assert writer is not None
        writer.close()


def speed(size: float, features: int, rounds: int) -> tuple[list[dict[str, Any]], float]:
    """Two workers against one on the same shards; numbers a second of one worker."""
    orders = ("shuffled", "blocks")
    seconds: dict[tuple[str, int], float] = dict.fromkeys(product(orders, (1, 2)), inf)
    models: dict[str, list[Any]] = {order: [] for order in orders}
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), size, features)
        for count in (1, 2) * TURNS:
            with connected(f"local:{count}") as client:
                for order in orders:
                    member = rb.AveragedPerceptron(
                        max_iter=rounds, tol=None, order=order, random_state=0
                    )
                    spread = DistributedPerceptron(member, shards=4, client=client)
                    spread.fit(name, target="label")
                    models[order].append(spread.coef_)
                    best = min(told["seconds"] for told in spread.rounds_)
                    seconds[order, count] = min(best, seconds[order, count])
                    visits = spread.rounds_[-1]["visits"]
                    print(f"{order}, {count} workers: {best:.3f} s the best round", flush=True)
    told = []
    for order in orders:
        for other in models[order]:  # the shards are the same, so is the model
            assert np.array_equal(other, models[order][0])
        one, two = seconds[order, 1], seconds[order, 2]
        told.append(
            row(
                f"a round over {size:.2g} GB on disk, 2 workers, order {order}", f"{two:.3f} s",
                f"1 worker: {one:.3f} s", f"{one / two:.2f} faster", f">= {FASTER}",
                one / two >= FASTER,
            )
        )  # fmt: skip
    return told, visits * features / seconds["blocks", 1]


def overhead(client: Any, rounds: int) -> tuple[list[dict[str, Any]], float]:
    """A round over next to no data, with and without counting errors; seconds of it."""
    rng, told, least = np.random.default_rng(0), [], 0.0
    for shards, counted in ((2, False), (2, True), (8, True)):
        X, y = rng.normal(size=(10 * shards, 10)), rng.random(10 * shards) > 0.5
        member = rb.AveragedPerceptron(
            max_iter=rounds, tol=None, random_state=0, count_errors=counted
        )
        spread = DistributedPerceptron(member, shards=shards, client=client).fit(X, y)
        median = float(np.median([one["seconds"] for one in spread.rounds_]))
        least = least or median
        words = "errors counted" if counted else "errors not counted"
        told.append(
            row(
                f"a round without data, {shards} shards, {words}", f"{1e3 * median:.1f} ms", "",
                "", f"<= {1e3 * OVERHEAD:.0f} ms", median <= OVERHEAD,
            )
        )  # fmt: skip
        print(told[-1], flush=True)
    return told, least


# --- the wire ---------------------------------------------------------------------------------


def predicted(shards: int, workers: int, numbers: int, averaged: bool) -> float:
    """Bytes in a round, dense, as the guide to the cluster has it."""
    weights = 8.0 * numbers
    down, up = weights * (1 + averaged), weights * (1 + averaged)
    if shards * down <= SMALL:
        return shards * (down + up + TASK)
    joins, tasks, level = 0, shards + 1, shards
    while level > 1:
        joins += level
        level = -(-level // FAN)
        tasks += level
    # The first number: client to scheduler to a worker, and back by the scheduler.
    remote = 1 - 1 / workers
    return 2 * down + (workers - 1) * down + remote * joins * up + 2 * up + tasks * TASK


def traffic() -> int:
    """Bytes that went over the loopback device so far, once each."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split(":")[1].split()[8])
    raise OSError("/proc/net/dev does not tell of the loopback device")


def wire(client: Any, count: int) -> list[dict[str, Any]]:
    """Bytes on the loopback device in a round against the formula."""
    rng, told = np.random.default_rng(0), []
    for shards, features, readout in (
        (2, 1_000, "last"), (4, 20_000, "averaged"), (4, 400_000, "last"), (4, 400_000, "averaged"),
    ):  # fmt: skip
        # Every example in both classes: each shard makes updates in every round.
        X = np.repeat(rng.normal(size=(5 * shards, features)), 2, axis=0)
        y = np.arange(len(X)) % 2 > 0
        marks: list[int] = []
        member = rb.PerceptronClassifier(readout=readout, max_iter=6, random_state=0)
        spread = DistributedPerceptron(member, shards=shards, client=client)
        spread.fit(X, y, watch=lambda number, told, marks=marks: marks.append(traffic()))
        bytes_ = float(np.median(np.diff(marks)))
        formula = predicted(shards, count, features + 1, readout == "averaged")
        told.append(
            row(
                f"bytes of a round, {shards} shards, {features:,} features, {readout}",
                f"{bytes_ / 1e6:.3f} MB", f"formula: {formula / 1e6:.3f} MB",
                f"{bytes_ / formula:.2f}", "", True,
            )
            | {"holds": ""}
        )  # fmt: skip
        print(told[-1], flush=True)
    return told


# --- a model of time --------------------------------------------------------------------------


def modelled(
    workers: int, rows: float, entries: int, features: float, gigabits: float, rate: float,
    task: float, fan: int = FAN,
) -> float:  # fmt: skip
    """Seconds of a round, one shard to a worker: a pass, weights down, a tree up, tasks."""
    weights = 8.0 * features / (gigabits * 1.25e8)
    levels = max(1, int(np.ceil(np.log(max(workers, 2)) / np.log(fan))))
    scheduler = 0.0005 * (workers + workers / (fan - 1))  # of a task, on one thread
    down = weights * (1 + np.log2(max(workers, 2)))  # workers hand on what they hold
    up = levels * min(fan, workers) * weights
    return rows / workers * entries / rate + down + up + task + scheduler


def simulate(rate: float, task: float) -> tuple[list[dict[str, Any]], list[str]]:
    rows, entries = 1e9, 100
    counts = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000]
    columns, curves = ["workers"], {}
    for features in (1e4, 1e6, 1e8):
        for gigabits in (1, 10):
            name = f"{features:.0e} features, {gigabits} Gb/s".replace("e+0", "e")
            columns.append(name)
            curves[name] = [
                modelled(n, rows, entries, features, gigabits, rate, task) for n in counts
            ]
    plt = _pyplot()
    figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for name, seconds in curves.items():
        ax.loglog(counts, seconds, "-" if "10 Gb" in name else "--", label=name)
    ax.set(xlabel="workers", ylabel="seconds a round", title="simulated, not measured")
    ax.legend(frameon=False, fontsize="small")
    figure.savefig(MODEL_PICTURE, dpi=110)
    table = [
        {"workers": n} | {name: f"{seconds[k]:.3g} s" for name, seconds in curves.items()}
        for k, n in enumerate(counts)
    ]
    return table, columns


def flat(note: str) -> str:
    """A note as one paragraph."""
    return " ".join(note.split("\n"))


def record_rounds(client: Any, seeds: int, most: int, dry: bool) -> None:
    """Measure rounds against the bound; draw and record them, or print them."""
    rounds, found = separations(client, 2_000, seeds, most)
    columns = ["mixing", "shards", "rounds with an update", "bound", "holds"]
    if dry:
        print(tables.markdown(columns, rounds))
        return
    draw_rounds(found, PICTURE)
    note = ROUNDS_NOTE.format(rows=2_000, features=10, seeds=seeds)
    title = "On shards: rounds to separate against the bound"
    tables.record("cluster_rounds", title, flat(note), columns, rounds)


def record_model(rate: float, task: float) -> None:
    """Record the simulation for a measured speed and overhead."""
    table, columns = simulate(rate, task)
    note = MODEL_NOTE.format(rate=rate, task=1e3 * task, rows=1e9, entries=100)
    title = "On shards: a simulation of up to 1,000 workers"
    tables.record("cluster_model", title, flat(note), columns, table)


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    add = parser.add_argument
    add("--gigabytes", type=float, default=4.0, help="of data on disk for speed")
    add("--features", type=int, default=100, help="numbers in a row of them")
    add("--passes", type=int, default=10, help="rounds of learning")
    add("--seeds", type=int, default=10, help="draws for rounds against the bound")
    add("--shards", type=int, default=64, help="at most, for the same")
    add("--only", choices=["speed", "wire", "rounds"], help="measure nothing else")
    add("--dry", action="store_true", help="print, and record nothing")
    return parser.parse_args()


def main() -> None:
    """Measure, draw and record."""
    asked = options()
    warnings.simplefilter("ignore", ConvergenceWarning)
    title = "On shards: speed, overhead, bytes"
    note = flat(NOTE.format(size=asked.gigabytes, features=asked.features, turns=TURNS))
    fresh: list[dict[str, Any]] = []
    rate = least = 0.0
    with connected("local:2") as client:
        if asked.only in (None, "rounds"):
            record_rounds(client, asked.seeds, asked.shards, asked.dry)
        if asked.only is None:
            idle, least = overhead(client, rounds=40)
            fresh += idle
        if asked.only in (None, "wire"):
            fresh += wire(client, count=2)
    if asked.only in (None, "speed"):
        fast, rate = speed(asked.gigabytes, asked.features, max(3, asked.passes))
        fresh = [*fast, *fresh]
    if asked.dry:
        print(tables.markdown(COLUMNS, fresh))
    elif fresh:
        renewed = {line["what"]: line for line in fresh}
        before = [renewed.get(line["what"], line) for line in tables.kept("cluster")]
        rows = before if asked.only else fresh
        tables.record("cluster", title, note, COLUMNS, rows)
    if asked.only is None and not asked.dry:
        record_model(rate, least)


if __name__ == "__main__":
    main()
