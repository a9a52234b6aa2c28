"""Speed, as ratios against peers and limits, measured side by side in one process on one thread.

Rounds alternate between the contenders and the best of each counts, so that a disturbance of the
machine hits all alike.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks import data, tables
from rosenblatt import inputs, rules
from rosenblatt.run import Run

K = TypeVar("K")
PASSES = 5
NOTE = (
    "One thread; rounds of the contenders alternate and the best of each counts. A pass is the "
    f"{PASSES}th part of what a run of {1 + PASSES} passes takes longer than one of a single pass, "
    "for all alike, and without counting the errors left after it, which scikit-learn does not do "
    "either. Sparse passes in order wait for the weights that their indices name, as a product "
    "does: ours take about as long as scipy's product, scikit-learn's little longer, and to be "
    "twice as fast as those a pass would have to take less than two thirds of the product. "
    "Shuffled passes wait for the rows, which can be asked for ahead."
)
COLUMNS = ["what", "ours", "against", "ratio", "bar", "holds"]


def best(contenders: dict[K, Callable[[], Any]], rounds: int = 15) -> dict[K, float]:
    """Least seconds of each contender over alternating rounds, the first one not counted."""
    times: dict[K, list[float]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, contender in contenders.items():
            started = time.perf_counter()
            contender()
            if number:
                times[name].append(time.perf_counter() - started)
    return {name: min(measured) for name, measured in times.items()}


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


def epochs(X: Any, y: Any, order: str, limit: Callable[[], Any] | None) -> dict[str, float]:
    """Seconds of one pass over two classes: ours, scikit-learn's, and the limit."""
    signs, shuffle = inputs.signs(y, 1), order == "shuffled"

    def ours(passes: int) -> Any:
        space = inputs.binary_space(X, 1.0)
        run = Run(rules.Plain(), space, signs, order=order, rng=0, count_errors=False)
        return [run.advance() for _ in range(passes)]

    def peer(passes: int) -> Any:
        return Perceptron(max_iter=passes, tol=None, shuffle=shuffle, random_state=0).fit(X, y)

    contenders: dict[str, Callable[[int], Any]] = {"ours": ours, "sklearn": peer}
    if limit is not None:
        contenders["limit"] = lambda passes: [limit() for _ in range(passes)]
    times = best({
        (name, passes): partial(contender, passes)
        for name, contender in contenders.items()
        for passes in (1, 1 + PASSES)
    })  # fmt: skip
    # A fit prepares its data first; the difference of two fits is passes alone.
    return {name: (times[name, 1 + PASSES] - times[name, 1]) / PASSES for name in contenders}


def dense() -> list[dict[str, Any]]:
    X, y, _, _ = data.mnist()
    w = np.random.default_rng(0).normal(size=X.shape[1]).astype(X.dtype)
    times = epochs(X, np.where(y == 9, 1, -1), "cyclic", lambda: X @ w)
    name = "dense pass, 60,000 x 784 float32, in order"
    return [
        row(name, times["ours"], "BLAS X @ w", times["limit"], 1.3, False),
        row(name, times["ours"], "scikit-learn", times["sklearn"], 4.5, True),
    ]


def short_rows() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 20))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=len(X)) > 0, 1, -1)
    times = epochs(X, y, "shuffled", None)
    name = "dense pass, 200,000 x 20 float64, shuffled"
    return [row(name, times["ours"], "scikit-learn", times["sklearn"], 5, True)]


def covertype() -> list[dict[str, Any]]:
    X, y = data.covtype()
    times = epochs(scale(X), np.where(y == 2, 1, -1), "shuffled", None)
    name = "covertype, 581,012 x 54, shuffled"
    return [row(name, times["ours"], "scikit-learn", times["sklearn"], 3, True)]


def zipf(examples: int = 50_000, width: int = 100_000) -> tuple[Any, Any]:
    """Sparse examples whose features fall off like words do: five million non-zeros."""
    rng = np.random.default_rng(0)
    rows, columns, wanted = [], [], 100
    chance = 1.0 / (1.0 + np.arange(width))
    draws = rng.choice(width, p=chance / chance.sum(), size=(examples, 2 * wanted))
    for number, words in enumerate(draws):
        distinct = np.unique(words)
        columns.append(rng.permutation(distinct)[:wanted])
        rows.append(np.full(len(columns[-1]), number))
    where = np.concatenate(rows), np.concatenate(columns)
    X = sp.csr_matrix((rng.random(len(where[0])), where), shape=(examples, width))
    y = np.where(X @ rng.normal(size=width) > 0, 1, -1)
    return X, np.where(rng.random(examples) < 0.1, -y, y)


def sparse() -> list[dict[str, Any]]:
    news, labels, _, _ = data.newsgroups()
    sets = {
        "20 Newsgroups TF-IDF": (news, np.where(labels == labels[0], 1, -1)),
        "Zipf": zipf(),
    }
    rows = []
    for name, (X, y) in sets.items():
        w = np.random.default_rng(0).normal(size=X.shape[1]).astype(X.dtype)
        in_order = epochs(X, y, "cyclic", lambda X=X, w=w: X @ w)
        shuffled = epochs(X, y, "shuffled", None)
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
            whole_fit(name, X, y),
        ]
    return rows


def whole_fit(name: str, X: Any, y: Any) -> dict[str, Any]:
    """What a user waits for: checks, norms, five passes, all that is told of them."""
    ours = rb.Perceptron(max_iter=PASSES, random_state=0, count_errors=False)
    peer = Perceptron(max_iter=PASSES, tol=None, random_state=0)
    times = best({"ours": lambda: ours.fit(X, y), "peer": lambda: peer.fit(X, y)})
    what = f"{name}, {PASSES} passes shuffled, whole fit"
    return row(what, times["ours"], "scikit-learn", times["peer"], 1, True)


def many_classes() -> list[dict[str, Any]]:
    X, y, X_test, y_test = data.mnist()
    rows = []
    for shuffle, order in ((False, "in order"), (True, "shuffled")):
        ours = rb.AveragedPerceptron(
            max_iter=5, shuffle=shuffle, random_state=0, count_errors=False
        )
        peer = SGDClassifier(
            loss="perceptron", learning_rate="constant", eta0=1, penalty=None, average=True,
            max_iter=5, tol=None, shuffle=shuffle, random_state=0,
        )  # fmt: skip
        contenders = {"ours": lambda m=ours: m.fit(X, y), "peer": lambda m=peer: m.fit(X, y)}
        times = best(contenders, rounds=3)
        error, theirs = (100 * (1 - m.score(X_test, y_test)) for m in (ours, peer))
        name = f"MNIST, ten classes, averaged, 5 passes {order}, whole fit"
        quality = f"SGDClassifier ({theirs:.1f} % test error, ours {error:.1f} %)"
        rows.append(row(name, times["ours"], quality, times["peer"], 15, True))
    return rows


def vote() -> list[dict[str, Any]]:
    X, y, X_test, _ = data.mnist()
    # Two passes make more than enough hypotheses; the first 5,000 vote.
    model = rb.VotedPerceptron(max_iter=2, shuffle=False, count_errors=False).fit(X, y == 8)
    crowd = model._model
    crowd.updates, crowd.lives = crowd.updates.part(0, 4999), crowd.lives[:5000]
    if len(crowd.updates.i) < 4999:
        raise RuntimeError(f"only {len(crowd.lives)} hyperplanes were learned, not 5,000")
    used, crowd.updates.i[:] = np.unique(crowd.updates.i, return_inverse=True)
    crowd.supports, crowd.signs = crowd.supports[used], crowd.signs[used]
    Z = X_test.astype(float)
    planes = np.random.default_rng(0).normal(size=(Z.shape[1], 5000))
    times = best({"ours": lambda: model.predict(Z), "limit": lambda: Z @ planes}, rounds=3)
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


def memory() -> list[dict[str, Any]]:
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


def start() -> list[dict[str, Any]]:
    code = "import time; t = time.perf_counter(); import rosenblatt; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", code]
    times = [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(7)
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
    "classes": many_classes,
    "vote": vote,
    "memory": memory,
    "start": start,
}


def main() -> None:
    """Measure the parts asked for, all by default, and record the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all by default")
    chosen = parser.parse_args().parts
    warnings.simplefilter("ignore")
    rows: list[dict[str, Any]] = []
    with threadpool_limits(1):
        for name in chosen or PARTS:
            print(f"measuring: {name}", flush=True)
            before = len(rows)
            rows += PARTS[name]()
            for line in rows[before:]:
                print("  ", line["what"], line["ours"], line["ratio"], line["holds"], flush=True)
    if not chosen:
        tables.record(
            "speed",
            "Speed: ratios against peers and limits",
            NOTE,
            COLUMNS,
            rows,
        )


if __name__ == "__main__":
    main()
