"""Bare loops beside scikit-learn's and beside products, and limits; whole fits are in `speed`.

A pass is what a longer run takes more than a shorter one: neither the checks of a fit nor what it
reports is in it. Rounds alternate between the contenders and the best of each counts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks import data, synthetic, tables
from benchmarks.clock import best
from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.theory import rules

PASSES = 5
TITLE = "Speed: bare loops, without the rest of a fit; and limits"
NOTE = (
    "Bare loops, not what a user waits for: that is in the table of whole fits. One thread, two "
    "classes; rounds of the contenders alternate and the best of each counts. The time of a pass "
    f"is (time of {1 + PASSES} passes - time of one)/{PASSES} on every side, so that checks and "
    "preparation cancel out; errors after a pass are not counted. Sparse passes in order are "
    "limited by reading the weights at the indices, as a product is; shuffled passes by reading "
    "the rows, which can be prefetched."
)
COLUMNS = ["what", "ours", "against", "ratio", "bar", "holds"]


def row(
    what: str, ours: float, peer: str, theirs: float, bar: float, faster: bool
) -> dict[str, Any]:
    """One line: how many times faster than a peer, or how many times the cost of a limit."""
    ratio = theirs / ours if faster else ours / theirs
    sign, word = (">=", "faster") if faster else ("<=", "x")
    return {
        "what": what,
        "ours": f"{ours * 1e3:.2f} ms",
        "against": f"{peer}: {theirs * 1e3:.2f} ms",
        "ratio": f"{ratio:.2f} {word}",
        "bar": f"{sign} {bar:g}",
        "holds": "yes" if (ratio >= bar if faster else ratio <= bar) else "NO",
    }


def epochs(
    X: Any, y: Any, order: str, rounds: int, limit: Callable[[], Any] | None = None
) -> dict[str, float]:
    """Seconds of one pass over two classes: ours, scikit-learn's, and the limit."""
    signs, shuffle = inputs.signs(y, 1), order == "shuffled"

    def ours(passes: int) -> Any:
        space = inputs.binary_space(X, 1.0)
        run = Run(rules.Plain(), space, signs, order=order, rng=0)
        return [run.advance() for _ in range(passes)]

    def peer(passes: int) -> Any:
        return Perceptron(max_iter=passes, tol=None, shuffle=shuffle, random_state=0).fit(X, y)

    contenders: dict[str, Callable[[int], Any]] = {"ours": ours, "sklearn": peer}
    if limit is not None:
        contenders["limit"] = lambda passes: [limit() for _ in range(passes)]
    runs = {
        (name, passes): partial(contender, passes)
        for name, contender in contenders.items()
        for passes in (1, 1 + PASSES)
    }
    times = best(runs, rounds)
    # A fit prepares its data first; the difference of two fits is passes alone.
    return {name: (times[name, 1 + PASSES] - times[name, 1]) / PASSES for name in contenders}


def dense(rounds: int) -> list[dict[str, Any]]:
    X, y, _, _ = data.mnist()
    w = np.random.default_rng(0).normal(size=X.shape[1]).astype(X.dtype)
    times = epochs(X, np.where(y == 9, 1, -1), "cyclic", rounds, lambda: X @ w)
    name = "dense pass, 60,000 x 784 float32, in order"
    return [
        row(name, times["ours"], "BLAS X @ w", times["limit"], 1.3, False),
        row(name, times["ours"], "scikit-learn", times["sklearn"], 4.5, True),
    ]


def short_rows(rounds: int) -> list[dict[str, Any]]:
    times = epochs(*synthetic.short_rows(), "shuffled", rounds)
    name = "dense pass, 200,000 x 20 float64, shuffled"
    return [row(name, times["ours"], "scikit-learn", times["sklearn"], 5, True)]


def covertype(rounds: int) -> list[dict[str, Any]]:
    X, y = data.covtype()
    times = epochs(scale(X), np.where(y == 2, 1, -1), "shuffled", rounds)
    name = "covertype, 581,012 x 54, shuffled"
    return [row(name, times["ours"], "scikit-learn", times["sklearn"], 3, True)]


def sparse(rounds: int) -> list[dict[str, Any]]:
    news, labels, _, _ = data.newsgroups()
    sets = {
        "20 Newsgroups TF-IDF": (news, np.where(labels == labels[0], 1, -1)),
        "Zipf": synthetic.zipf(),
    }
    rows = []
    for name, (X, y) in sets.items():
        w = np.random.default_rng(0).normal(size=X.shape[1]).astype(X.dtype)
        in_order = epochs(X, y, "cyclic", rounds, partial(X.dot, w))
        shuffled = epochs(X, y, "shuffled", rounds)
        what = f"sparse pass, {name}, {X.nnz / 1e6:.1f} million non-zeros"
        rows += [
            row(
                f"{what}, in order", in_order["ours"], "scipy X @ w", in_order["limit"], 1.5, False
            ),
            row(
                f"{what}, in order", in_order["ours"], "scikit-learn", in_order["sklearn"], 2, True
            ),
            row(
                f"{what}, shuffled", shuffled["ours"], "scikit-learn", shuffled["sklearn"], 2, True
            ),
        ]
    return rows


def vote(rounds: int) -> list[dict[str, Any]]:
    X, y, X_test, _ = data.mnist()
    # Two passes make more than enough hypotheses; the first 5,000 vote.
    model = rb.VotedPerceptron(max_iter=2, shuffle=False).fit(X, y == 8)
    outcome = model.outcome_
    (history,) = outcome.predictor.histories
    if len(history.lives) < 5000:
        raise RuntimeError(f"only {len(history.lives)} hyperplanes were learned, not 5,000")
    used, numbers = np.unique(history.updates.i[:4999], return_inverse=True)
    first = replace(
        history,
        updates=history.updates.part(0, 4999)._replace(i=numbers),
        codes=history.codes[:4999],
        lives=history.lives[:5000],
        lengths=None,
    )
    supports = outcome.predictor.supports[used]
    outcome.predictor = replace(outcome.predictor, supports=supports, histories=[first], moment=0)
    Z = X_test.astype(float)
    planes = np.random.default_rng(0).normal(size=(Z.shape[1], 5000))
    times = best(
        {"ours": lambda: model.predict(Z), "limit": lambda: Z @ planes}, rounds=min(3, rounds)
    )
    name = "voted prediction, 10,000 x 784 rows, 5,000 hyperplanes"
    return [row(name, times["ours"], "BLAS product", times["limit"], 2, False)]


MEMORY = """
import sys, threading, time, warnings
import numpy as np
import rosenblatt as rb
warnings.simplefilter("ignore")

def anonymous():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024

small = np.random.default_rng(0).normal(size=(100, 784)).astype(np.float32)
rb.Perceptron(max_iter=1).fit(small, small[:, 0] > 0)
X = np.load(sys.argv[1], mmap_mode="r")
y = np.asarray(X[:, 0] > 0)
before = peak = anonymous()
done = threading.Event()

def watch():
    global peak
    while not done.wait(0.005):
        peak = max(peak, anonymous())

thread = threading.Thread(target=watch)
thread.start()
rb.Perceptron(max_iter=2, random_state=0).fit(X, y)
done.set()
thread.join()
print(peak - before)
"""


def memory(_rounds: int) -> list[dict[str, Any]]:
    """Fit a memory-mapped file of 2 GB in a process of its own."""
    examples = 2 * 10**9 // (784 * 4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "X.npy"
        shape = (examples, 784)
        X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
        rng = np.random.default_rng(0)
        for first in range(0, examples, 50_000):
            X[first : first + 50_000] = rng.normal(size=X[first : first + 50_000].shape)
        X.flush()
        del X
        command = [sys.executable, "-c", MEMORY, str(path)]
        grown = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return [limit_row("memory beyond the mapped pages, fit on a 2 GB file", grown, "MB", 200)]


def start(rounds: int) -> list[dict[str, Any]]:
    code = "import time; t = time.perf_counter(); import rosenblatt; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", code]
    times = [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(max(2, rounds // 2))
    ]
    return [limit_row("import rosenblatt", min(times), "s", 0.15)]


def limit_row(what: str, value: float, unit: str, bar: float) -> dict[str, Any]:
    """One line for a figure that has a limit of its own."""
    return {
        "what": what,
        "ours": f"{value:.3g} {unit}",
        "against": "",
        "ratio": "",
        "bar": f"<= {bar:g} {unit}",
        "holds": "yes" if value <= bar else "NO",
    }


PARTS = {
    "dense": dense,
    "short": short_rows,
    "covertype": covertype,
    "sparse": sparse,
    "vote": vote,
    "memory": memory,
    "start": start,
}


def main() -> None:
    """Measure the parts asked for, all by default, and record them beside those kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.passes", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--rounds", type=int, default=15, help="of each comparison")
    parser.add_argument("--dry", action="store_true", help="print, and record nothing")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows: list[dict[str, Any]] = []
    with threadpool_limits(1):
        for part in options.parts or PARTS:
            print(f"measuring: {part}", flush=True)
            for line in PARTS[part](options.rounds):
                rows.append({"part": part, **line})
                print("  ", line["what"], line["ours"], line["ratio"], line["holds"], flush=True)
    if not options.dry:
        whole = tables.joined("speed_passes", rows, list(PARTS))
        tables.record("speed_passes", TITLE, NOTE, COLUMNS, whole)


if __name__ == "__main__":
    main()
