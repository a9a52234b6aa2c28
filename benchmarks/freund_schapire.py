"""Freund & Schapire's Tables 1 and 2: MNIST with polynomial kernels, every way to predict.

Kernels (1 + x·y)^d, one class against the rest. For the errors at several epochs one run is enough:
its hypotheses after fewer visits are the beginning of its course.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, tables
from rosenblatt import inputs, rules
from rosenblatt.expansion import Course, kernel_rows
from rosenblatt.kernel import BLOCK, KernelRun, kernel_runs
from rosenblatt.similarity import Similarity

EPOCHS = (0.1, 1.0, 2.0, 3.0, 4.0, 10.0, 30.0)
METHODS = ("vote", "avg_unnorm", "avg_norm", "last_unnorm", "last_norm", "rand_unnorm",
           "rand_norm")  # fmt: skip
COUNTS = ("supvec", "mistakes")
GAPS = tuple(f"{what}, {when}" for when in ("T = 0.1", "T >= 1")
             for what in ("vote, avg", "last", "rand", "counts"))  # fmt: skip
FULL = 60_000
ONE = 1.0 / 255**2
"""The kernel's 1, where pixels from 0 to 255 are divided by 255: a factor of the kernel changes no
decision, and single precision could not hold the sixth power of such inner products."""
PUBLISHED = Path(__file__).with_suffix(".txt")
PICTURE = tables.ROOT / "docs" / "images" / "freund_schapire.png"
BARS = {"first pass": 6.0, "to T = 10": 100.0, "voted prediction": 10.0}
"""Seconds that degree 4 may take on two cores."""

NOTE = """MNIST, kernels (1 + x·y)^d on pixels from 0 to 255, one class against the rest. Each
order of the examples is repeated in every epoch; the figures are means over the orders that the
next table tells, fewer at greater T, where the paper has ten. Test error in per cent, support
vectors of all classes together, mistakes summed over the classes; the paper's figures in brackets.
Random methods draw one moment for each test example. ![error](images/freund_schapire.png)"""

GAP_NOTE = """Points of test error, and support vectors and mistakes in per cent. `orders` is how
many were learned for T = 0.1; the more, the nearer to the paper's means of ten."""
SPEED_NOTE = """All ten classes; times from the start of learning, in a process that has its kernels
loaded."""
SVC_NOTE = """MNIST, what each second buys. `SVC(kernel='poly', degree=d, coef0=1)` of scikit-learn,
its other settings as they come."""

Row = dict[str, Any]
BLANK: Row = {"ours": {}, "orders": {}}
Figures = dict[float, dict[str, float]]
"""By epochs and method."""


def published() -> dict[tuple[int, str, float], float]:
    """The paper's figures by degree, method and epochs."""
    found = {}
    for line in PUBLISHED.read_text().splitlines():
        if line and not line.startswith("#"):
            degree, method, *values = line.split()
            for epoch, value in zip(EPOCHS, values, strict=False):  # degree 1 ends at T = 10
                found[int(degree), method, epoch] = float(value)
    return found


def learn(
    X: Any, y: Any, degree: int, epochs: float, seed: int
) -> tuple[list[KernelRun], dict[str, float]]:
    """The ten runs after so many epochs, and the seconds they took."""
    started, seconds = time.perf_counter(), {}
    similarity = Similarity("poly", degree=degree, gamma=1.0, coef0=ONE)
    problems = [inputs.signs(y, c) for c in range(10)]
    order = np.random.default_rng(seed).permutation(len(y))  # the paper's: the same in each epoch
    runs = kernel_runs(rules.Plain(), similarity, X, problems, seed, count_errors=False,
                       keep=10**9, order=order)  # fmt: skip
    left = int(epochs * len(y))
    while left:
        position = runs[0].n.t % len(y)
        size = min(BLOCK - position % BLOCK, len(y) - position, left)
        for run in runs:
            run.advance(visits=size)
        left -= size
        if position + size == len(y):
            passed, now = runs[0].n.t // len(y), time.perf_counter() - started
            seconds["first pass" if passed == 1 else f"to T = {passed}"] = now
            made = sum(run.n.k for run in runs)
            print(f"  d={degree} epoch {passed}: {made:,} mistakes, {now:.1f} s", flush=True)
    return runs, seconds


def courses(runs: list[KernelRun]) -> tuple[list[Course], Any]:
    """All hypotheses of the runs, and the examples that they are made of."""
    supports = runs[0].supports
    place = np.full(len(runs[0].y), -1)
    place[supports.numbers] = np.arange(len(supports.numbers))
    whole = [run.course().placed(place, len(supports.numbers)) for run in runs]
    return whole, supports.X[supports.numbers]


def predict(
    similarity: Any, whole: list[Course], examples: Any, X: Any, moments: Any, methods: Any
) -> Row:
    """Scores of the ten classes by several methods."""
    scores = {method: np.empty((X.shape[0], len(whole))) for method in methods}
    longest = max(len(course.lives) for course in whole)
    for rows, K in kernel_rows(similarity, X, examples, longest):
        for c, course in enumerate(whole):
            for method, found in course.readouts(K, moments[rows], methods).items():
                scores[method][rows, c] = found
    return scores


def measure(
    runs: list[KernelRun], X: Any, y: Any, epochs: list[float], seed: int
) -> tuple[Figures, float]:
    """Errors and counts at some epochs, and the seconds of a vote of all hypotheses."""
    similarity, n = runs[0].supports.similarity, len(runs[0].y)
    whole, examples = courses(runs)
    rng, table = np.random.default_rng(seed), {}
    for epoch in epochs:
        visits = int(epoch * n)
        part = [course.before(visits) for course in whole]
        moments = rng.integers(0, visits, len(y))  # the same for all classes
        found = predict(similarity, part, examples, X, moments, METHODS)
        line = {m: 100 * float((s.argmax(axis=1) != y).mean()) for m, s in found.items()}
        used = np.concatenate([course.updates.i for course in part])
        table[epoch] = line | {"supvec": len(np.unique(used)), "mistakes": len(used)}
    started = time.perf_counter()
    predict(similarity, whole, examples, X, np.zeros(len(y), int), ("vote",))
    return table, time.perf_counter() - started


def beside_svc(degree: int) -> None:
    """Record scikit-learn's machine with the same kernel beside what was recorded of a vote."""
    from sklearn.svm import SVC

    X, y, X_test, y_test = data.mnist()
    started = time.perf_counter()
    machine = SVC(kernel="poly", degree=degree, coef0=1).fit(X, y)
    learned = time.perf_counter()
    error = 100 * float((machine.predict(X_test) != y_test).mean())
    theirs = {
        "degree": degree, "what": f"SVC, d = {degree}", "learned in": f"{learned - started:.1f} s",
        "predicted in": f"{time.perf_counter() - learned:.1f} s",
        "supports": f"{len(machine.support_):,}", "error": f"{error:.2f}",
    }  # fmt: skip
    seconds = {r["what"]: r["seconds"] for r in tables.kept("freund_schapire_speed")}
    found = {r["method"]: r["ours"] for r in tables.kept("freund_schapire")
             if r["degree"] == degree}  # fmt: skip
    ours = [
        {
            "degree": degree, "what": f"voted perceptron, d = {degree}, T = {epoch}",
            "learned in": f"{seconds[f'd = {degree}, {moment}']} s",
            "predicted in": f"{seconds[f'd = {degree}, voted prediction']} s"
            if epoch == "10" else "",
            "supports": f"{found['supvec'][epoch]:,.0f}", "error": f"{found['vote'][epoch]:.2f}",
        }
        for epoch, moment in (("1", "first pass"), ("3", "to T = 3"), ("10", "to T = 10"))
    ]  # fmt: skip
    columns = ["what", "learned in", "predicted in", "supports", "error"]
    title = "Kernel perceptron beside a support vector machine"
    rows = merged("freund_schapire_svc", [*ours, theirs])
    tables.record("freund_schapire_svc", title, SVC_NOTE, columns, rows)


def means(degree: int, trials: list[Figures]) -> list[Row]:
    """A row for each method: the mean of the trials by epochs, and how many trials there were."""
    return [
        {
            "degree": degree, "method": method,
            "ours": {f"{e:g}": statistics.fmean(t[e][method] for t in trials) for e in trials[0]},
            "orders": {f"{e:g}": len(trials) for e in trials[0]},
        }
        for method in (*METHODS, *COUNTS)
    ]  # fmt: skip


def pooled(row: Row, other: Row) -> Row:
    """The mean over the orders of both."""
    ours, orders = dict(row["ours"]), dict(row["orders"])
    for epoch, value in other["ours"].items():
        here, there = orders.get(epoch, 0), other["orders"][epoch]
        ours[epoch] = (ours.get(epoch, 0.0) * here + value * there) / (here + there)
        orders[epoch] = here + there
    return row | {"ours": ours, "orders": orders}


def beside(row: Row, paper: dict[Any, float]) -> Row:
    """A row with its cells: our mean, and the paper's figure in brackets."""
    cells = {}
    for epoch, value in row["ours"].items():
        theirs = paper.get((row["degree"], row["method"], float(epoch)))
        digits = 2 if row["method"] in METHODS else 0
        told = "-" if theirs is None else f"{theirs:,.{min(digits, 1)}f}"
        cells[f"T = {epoch}"] = f"{value:,.{digits}f} ({told})"
    return row | cells


def agreement(degree: int, rows: list[Row], paper: dict[Any, float]) -> Row:
    """How far a degree is from the paper at most: points of error, and counts in per cent."""
    worst = dict.fromkeys(GAPS, 0.0)
    for row in rows:
        for epoch, value in row["ours"].items():
            theirs = paper.get((degree, row["method"], float(epoch)))
            if row["degree"] != degree or theirs is None:
                continue
            when = "T = 0.1" if float(epoch) < 1 else "T >= 1"
            what, gap = row["method"].split("_")[0], abs(value - theirs)
            if row["method"] in COUNTS:
                what, gap = "counts", 100 * gap / theirs
            elif what in ("vote", "avg"):
                what = "vote, avg"
            worst[f"{what}, {when}"] = max(worst[f"{what}, {when}"], gap)
    orders = rows[0]["orders"]
    return {"degree": degree, "orders": max(orders.values())} | {
        name: f"{value:.2f}" for name, value in worst.items()
    }


def merged(name: str, rows: list[Row]) -> list[Row]:
    """The rows with those of other degrees that were recorded before."""
    fresh = {row["degree"] for row in rows}
    both = [row for row in tables.kept(name) if row["degree"] not in fresh] + rows
    return sorted(both, key=lambda row: row["degree"])


def draw(path: Path, rows: list[Row], paper: dict[Any, float]) -> None:
    """Error against epochs, ours as lines and the paper's as marks."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    degrees = sorted({row["degree"] for row in rows})
    figure, axes = plt.subplots(1, len(degrees), figsize=(2.6 * len(degrees) + 1, 3.4),
                                squeeze=False, layout="constrained")  # fmt: skip
    shown = {"vote": "#0072B2", "avg_unnorm": "#009E73", "last_unnorm": "#D55E00",
             "rand_unnorm": "#CC79A7"}  # fmt: skip
    for degree, ax in zip(degrees, axes[0], strict=True):
        for method, colour in shown.items():
            for row in rows:
                if (row["degree"], row["method"]) == (degree, method):
                    epochs = [float(epoch) for epoch in row["ours"]]
                    ax.plot(epochs, list(row["ours"].values()), "-", color=colour, label=method)
            marks = [(e, paper[degree, method, e]) for e in EPOCHS if (degree, method, e) in paper]
            ax.plot(*zip(*marks, strict=True), "x", color=colour)
        ax.set(title=f"d = {degree}", xlabel="epochs", xscale="log")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set_ylabel("test error, per cent (x: the paper)")
    axes[0, 0].legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def options(given: list[str] | None) -> Any:
    """What is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.freund_schapire",
                                     description=__doc__)  # fmt: skip
    add = parser.add_argument
    add("--degrees", type=int, nargs="*", default=[1, 2, 3, 4, 5, 6])
    add("--epochs", type=float, default=10.0, help="train for so many; default 10")
    add("--permutations", type=int, default=1, help="orders of the examples to take the mean of")
    add("--examples", type=int, default=FULL, help="fewer, to try it out: nothing is recorded")
    add("--svc", action="store_true", help="time scikit-learn's SVC instead, which takes minutes")
    add("--seed", type=int, default=0)
    add("--add", action="store_true", help="take the mean with the orders recorded before")
    add("--picture", type=Path, help="draw here, too")
    return parser.parse_args(given)


def record(asked: Any, rows: list[Row], speed: list[Row]) -> None:
    """Write the tables and the picture, or print them if these are not all examples."""
    paper = published()
    if asked.add:
        before = {(row["degree"], row["method"]): row for row in tables.kept("freund_schapire")}
        rows = [pooled(before.get((r["degree"], r["method"]), r | BLANK), r) for r in rows]
    rows = [beside(row, paper) for row in rows]
    near = [agreement(degree, rows, paper) for degree in sorted({r["degree"] for r in rows})]
    told = [
        ("freund_schapire", "Freund & Schapire 1999, Tables 1 and 2", NOTE,
         ["degree", "method", *(f"T = {e:g}" for e in EPOCHS)], rows),
        ("freund_schapire_gap", "Freund & Schapire 1999: the largest differences", GAP_NOTE,
         ["degree", "orders", *GAPS], near),
    ]  # fmt: skip
    if not asked.add:  # the machine may have been busy
        told.append(("freund_schapire_speed", "Freund & Schapire 1999: speed", SPEED_NOTE,
                     ["what", "seconds", "bar", "holds"], speed))  # fmt: skip
    for name, title, note, columns, part in told:
        if asked.examples >= FULL:
            tables.record(name, title, note, columns, merged(name, part))
        else:
            print(f"\n{title}\n\n{tables.markdown(columns, part)}")
    if asked.examples >= FULL:
        draw(PICTURE, merged("freund_schapire", rows), paper)
    if asked.picture:
        draw(asked.picture, rows, paper)


def main(given: list[str] | None = None) -> None:
    """Measure what is asked for and record the tables, degree by degree."""
    asked = options(given)
    if asked.svc:
        for degree in asked.degrees:
            beside_svc(degree)
        return
    X, y, X_test, y_test = data.mnist()
    X, y = X[: asked.examples], y[: asked.examples]
    moments = [epoch for epoch in EPOCHS if epoch <= asked.epochs]
    learn(X[:1024], y[:1024], asked.degrees[0], 1.0, 0)  # load what is loaded once
    for degree in asked.degrees:
        trials, speed = [], []
        for seed in range(asked.seed, asked.seed + asked.permutations):
            runs, seconds = learn(X, y, degree, asked.epochs, seed)
            figures, voting = measure(runs, X_test, y_test, moments, seed)
            trials.append(figures)
        last = trials[-1][moments[-1]]
        for what, took in (seconds | {"voted prediction": voting}).items():
            bar = BARS.get(what) if degree == 4 and asked.examples == FULL else None
            speed.append({
                "degree": degree, "what": f"d = {degree}, {what}", "seconds": f"{took:.1f}",
                "bar": bar and f"<= {bar:g}", "holds": bar and ("yes" if took <= bar else "no"),
            })  # fmt: skip
        print(
            f"  d={degree}: {last['vote']:.2f} % by vote, predicted in {voting:.1f} s", flush=True
        )
        record(asked, means(degree, trials), speed)


if __name__ == "__main__":
    main()
