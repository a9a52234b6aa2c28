"""What this package promises of its speed, its start and its size, beside what is measured.

Every figure has a bar and either holds or does not. Sides take turns, the best of several rounds
counts, and all of it runs on one thread.
"""

from __future__ import annotations

import argparse
import atexit
import math
import shutil
import statistics
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import Perceptron, SGDClassifier
from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks import data, executions, lean, speed, stopping, tables, wasm
from benchmarks.clock import best
from benchmarks.passes import limit_row, row
from benchmarks.synthetic import short_rows, wide_rows, zipf
from rosenblatt.engine.execution import status

PASSES, SMALL_PASSES = speed.PASSES, 20
NOISE = 0.5
"""Noise of the scores of dense examples with which a fifth of the visits make an update."""
FLIPPED = 0.05
"""The share of flipped labels with which 15 to 20 % of the visits to sparse examples do."""
ONE_BY_ONE = 100
"""Rows that are learned by a call each."""
SEEDS, FEWEST = 10, 3
"""Orders behind a test error, and how many at least where fits take long."""
BUDGET, LIMIT = 60.0, 300.0
"""Seconds of a match, and after which no further seed is tried, about."""
SAME_TIME = 1.1
PEER = "scikit-learn"
TITLE = "Bars"
COLUMNS = ["what", "bar", "figure", "holds", "ours", "against"]
NOTE = f"""\
What is promised, and what was measured. Sides take turns and the best of several rounds counts;
fits run on one thread. `faster` is the other side's time over ours, `x` ours over the other's.
Whole fits, with `max_iter` equal and `tol=None` on both sides; ours also stops at the first pass
without an update, and where it made fewer passes the row says so. What is learned from leaves out
the examples that test errors are measured on. `defaults`: no setting on either side but
`random_state`, which is 0 to {SEEDS - 1}, or fewer where fits take long; times are means over these
seeds of the best of each. Test errors are means ± their standard errors, in per cent; an error
counts as no higher if it exceeds the other by at most two standard errors of the difference, and
the plain comparison is beside it. New processes run in an environment that has only what `pip
install rosenblatt` installs, so without Numba; one that may write nowhere has a read-only file
system, no variables and no network, and its time is that from the first import to the end of the
first fit. The installed size is what comes beside NumPy, SciPy and scikit-learn, with bytecode."""

Rows = Iterator[dict[str, Any]]


# --- new processes ------------------------------------------------------------------------------


LOAD = "from sklearn.datasets import load_breast_cancer; X, y = load_breast_cancer(return_X_y=True)"
READ = "import numpy as np; X, y = np.load({X!r}), np.load({y!r})"
FIT = "from {module} import Perceptron; Perceptron(random_state=0).fit(X, y)"
FIRST = f"""
import time
began = time.perf_counter()
{LOAD}
{FIT.format(module="rosenblatt")}
seconds = time.perf_counter() - began
import importlib.util, os, rosenblatt
assert importlib.util.find_spec("numba") is None, "Numba is installed"
print(seconds, os.access(os.path.dirname(rosenblatt.__file__), os.W_OK))
"""
"""Prints how long the first fit took from the first import on, and whether the package's folder can
be written to."""


@cache
def lean_environment() -> tuple[Path, list[str]]:
    """Return a lean environment and the command that starts its Python; made once, then removed."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    return folder / "lean", lean.make(folder / "lean")


def start(rounds: int) -> Rows:
    """Import, fit breast cancer and exit."""
    folder, python = lean_environment()
    X, y = load_breast_cancer(return_X_y=True)
    files = {"X": str(folder / "X.npy"), "y": str(folder / "y.npy")}
    np.save(files["X"], X)
    np.save(files["y"], y)
    for what, source in (("scikit-learn's loader", LOAD), ("files", READ.format(**files))):
        scripts = {
            module: [*python, "-c", f"{source}; {FIT.format(module=module)}"]
            for module in ("rosenblatt", "sklearn.linear_model")
        }
        runs = {
            name: partial(subprocess.run, command, check=True) for name, command in scripts.items()
        }
        ours, theirs = best(runs, 2 * rounds, BUDGET).values()
        name = f"new process without Numba: import, fit breast cancer from {what}, exit"
        yield row(name, ours, PEER, theirs, 1.15, False)


def readonly(rounds: int) -> Rows:
    """Fit for the first time where nothing can be written."""
    what = "first fit where nothing can be written, without HOME, variables or a network"
    if not lean.can_seal():
        yield unmeasured(what, f"<= {SAME_TIME:g}", "unshare cannot make a read-only system here")
        return
    folder, python = lean_environment()
    ordinary = [*python, "-c", FIRST]
    turns = [
        (first_fit(lean.sealed(folder, ordinary), False), first_fit(ordinary, True))
        for _ in range(2 * rounds + 1)
    ]
    sealed, plain = map(min, zip(*turns[1:], strict=True))
    yield row(what, sealed, "ordinary run", plain, SAME_TIME, False)


def first_fit(command: list[str], writable: bool) -> float:
    """Return the seconds of a first fit, in a process that may write to the package or may not."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, found = done.stdout.split()
    if found != str(writable):
        raise RuntimeError(f"the package's folder is writable: {found}; it should be {writable}.")
    return float(seconds)


def installed(rounds: int) -> Rows:
    """Count what an install adds."""
    megabytes, how = lean.installed_size(["numpy", "scipy", "scikit-learn"])
    yield limit_row(f"installed beside NumPy, SciPy and scikit-learn ({how})", megabytes, "MB", 40)


# --- whole fits with equal passes ---------------------------------------------------------------


def equal(passes: int, **settings: Any) -> tuple[Any, Any]:
    """Return both perceptrons with equal passes."""
    both = {"max_iter": passes, "tol": None, "random_state": 0, **settings}
    return rb.Perceptron(**both), Perceptron(**both)


def whole_fit(
    what: str, split: data.Split, ours: Any, peer: Any, bar: float, rounds: int
) -> dict[str, Any]:
    """Time whole fits of both sides."""
    X, y, *_ = split
    sides = {"ours": partial(ours.fit, X, y), PEER: partial(peer.fit, X, y)}
    times = best(sides, rounds, BUDGET)
    made, theirs = int(np.max(ours.n_iter_)), int(np.max(peer.n_iter_))
    passes = f"{made} passes" if made == theirs else f"{made} passes against {theirs}"
    if len(ours.classes_) == 2:
        passes += f", {ours.n_updates_ / (made * len(y)):.0%} updates"
    return row(f"{what}, {passes}", times["ours"], PEER, times[PEER], bar, True)


def two_classes(names: Sequence[str], bar: float, rounds: int) -> Rows:
    """Time shuffled passes over sets of two classes."""
    for name in names:
        yield whole_fit(name, SETS[name](), *equal(PASSES), bar, rounds)


def sparse(rounds: int) -> Rows:
    """Time sparse passes, shuffled and in order."""
    split = SETS[SPARSE]()
    for order, shuffle, bar in (("shuffled", True, 2), ("in order", False, 1.2)):
        sides = equal(PASSES, shuffle=shuffle)
        yield whole_fit(f"{SPARSE}, {order}", split, *sides, bar, rounds)


def classes(rounds: int) -> Rows:
    """Time the averaged perceptron with ten classes."""
    split = SETS[DIGITS]()
    for multiclass, bar in (("native", 15), ("ovr", 8)):
        ours = rb.AveragedPerceptron(
            max_iter=PASSES, tol=None, random_state=0, multiclass=multiclass
        )
        what = f"{DIGITS}, averaged, {multiclass} against one-vs-all"
        yield whole_fit(what, split, ours, speed.averaged_peer(), bar, rounds)


def small(rounds: int) -> Rows:
    """Time small sets: whole fits, and rows that are learned one by one."""
    for name in SMALL:
        split = SETS[name]()
        yield whole_fit(name, split, *equal(SMALL_PASSES), 1, 3 * rounds)
        X, y, *_ = split
        sides = {
            side: partial(one_by_one, estimator.partial_fit(X[:1], y[:1], np.unique(y)), X, y)
            for side, estimator in (("ours", rb.Perceptron()), (PEER, Perceptron()))
        }
        ours, theirs = best(sides, 3 * rounds, BUDGET).values()
        yield row(
            f"{name}, partial_fit of {ONE_BY_ONE} rows, one each", ours, PEER, theirs, 2, True
        )


def one_by_one(estimator: Any, X: Any, y: Any) -> None:
    """Learn from some rows, each in a call of its own."""
    for i in range(ONE_BY_ONE):
        estimator.partial_fit(X[i : i + 1], y[i : i + 1])


# --- all defaults -------------------------------------------------------------------------------


def defaults(rounds: int) -> Rows:
    """Time whole fits with all defaults, and compare test errors."""
    for name, load in SETS.items():
        split = load()
        yield from by_default(f"defaults, {name}", split, rb.Perceptron(), Perceptron(), rounds)
        if name == DIGITS:
            peer = SGDClassifier(loss="perceptron", average=True)
            what = f"defaults, {name}, averaged"
            yield from by_default(what, split, rb.AveragedPerceptron(), peer, rounds)


def by_default(what: str, split: data.Split, ours: Any, peer: Any, rounds: int) -> Rows:
    """Fit both sides with several seeds; return a row of times and a row of test errors."""
    X, y, X_test, y_test = split
    times: list[list[float]] = []
    errors: list[list[float]] = []
    began = time.perf_counter()
    for seed in range(SEEDS):
        if seed >= FEWEST and time.perf_counter() - began > LIMIT:
            break
        models = [clone(side).set_params(random_state=seed) for side in (ours, peer)]
        fits = {number: partial(model.fit, X, y) for number, model in enumerate(models)}
        times.append([*best(fits, rounds, BUDGET / SEEDS).values()])
        errors.append([100 * (1 - model.score(X_test, y_test)) for model in models])
    seconds = [statistics.fmean(side) for side in zip(*times, strict=True)]
    yield row(f"{what}, {len(times)} seeds", seconds[0], PEER, seconds[1], 1, True)
    yield no_higher(f"{what}, {len(times)} seeds: test error", *zip(*errors, strict=True))


def no_higher(what: str, ours: Sequence[float], theirs: Sequence[float]) -> dict[str, Any]:
    """Compare two means: ours may exceed the other by two standard errors of the difference."""
    gap = statistics.fmean(ours) - statistics.fmean(theirs)
    error = math.hypot(standard_error(ours), standard_error(theirs))
    plain = "higher" if gap > 0 else "lower" if gap < 0 else "equal"
    return {
        "what": what,
        "ours": mean(ours),
        "against": f"{PEER}: {mean(theirs)}",
        "ratio": f"{gap:+.2f} ± {error:.2f}: {plain}",
        "bar": "no higher",
        "holds": "yes" if gap <= 2 * error else "NO",
    }


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of a mean."""
    return statistics.stdev(values) / math.sqrt(len(values))


def mean(values: Sequence[float]) -> str:
    """Format a mean with its standard error."""
    return f"{statistics.fmean(values):.2f} ± {standard_error(values):.2f} %"


# --- executions ---------------------------------------------------------------------------------


def jit(rounds: int) -> Rows:
    """Time shipped loops against those that are compiled just in time."""
    reason = status()
    if reason is not None:
        yield unmeasured("shipped loops", "<= 1.05", reason)
        return
    for name, ours, theirs in executions.measured(15 * rounds):
        yield row(f"shipped loop, {name}", ours, "just in time", theirs, 1.05, False)


def webassembly(rounds: int) -> Rows:
    """Time the page's module in Node against native code."""
    if shutil.which("node") is None:
        yield unmeasured("online, dense, in Node", f"<= {wasm.BAR}", "there is no Node")
        return
    yield from wasm.measured(15 * rounds)


def unmeasured(what: str, bar: str, reason: str) -> dict[str, Any]:
    """Return a row without a figure."""
    return {"what": what, "ours": reason, "against": "", "ratio": "-", "bar": bar, "holds": "-"}


# --- the table ----------------------------------------------------------------------------------


DENSE, NOISY = "normal draws, 60,000 x 784 float32", "noisy normal draws, 60,000 x 784 float32"
SHORT, COVER = "normal draws, 200,000 x 20 float64", "covertype, 2 or not, 522,911 x 54 float32"
SPARSE = "Zipf, CSR 150,000 x 80,000, 60 non-zeros a row"
DIGITS = "MNIST, ten classes, 60,000 x 784 float32"
SMALL = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
SETS: dict[str, Callable[[], data.Split]] = {
    DENSE: lambda: speed.halved(wide_rows(70_000), 10_000),
    NOISY: lambda: speed.halved(wide_rows(70_000, NOISE), 10_000),
    SHORT: lambda: speed.halved(short_rows(220_000), 20_000),
    COVER: speed.cover_two,
    SPARSE: lambda: speed.halved(zipf(160_000, 80_000, 60, FLIPPED), 10_000),
    DIGITS: data.mnist,
    **{name: partial(stopping.toy, load) for name, load in SMALL.items()},
}
PARTS: dict[str, Callable[[int], Rows]] = {
    "start": start,
    "readonly": readonly,
    "size": installed,
    "dense": lambda rounds: two_classes([DENSE, NOISY], 4.5, rounds),
    "short": lambda rounds: two_classes([SHORT], 4, rounds),
    "covertype": lambda rounds: two_classes([COVER], 4, rounds),
    "sparse": sparse,
    "classes": classes,
    "small": small,
    "defaults": defaults,
    "jit": jit,
    "wasm": webassembly,
}


def line(part: str, found: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the table: its figure is a ratio, or what is limited itself."""
    return {"part": part, "figure": found["ratio"] or found["ours"], **found}


def main() -> None:
    """Measure the parts asked for, all by default, and record them beside those kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bars", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all by default")
    parser.add_argument("--rounds", type=int, default=7, help="of each comparison at most")
    parser.add_argument("--dry", action="store_true", help="print, and record nothing")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; choose from {', '.join(PARTS)}.")
    reason = status()
    if reason is not None and not options.dry:
        parser.exit(2, f"{reason} Bars are those of the shipped code; --dry measures without it.\n")
    warnings.simplefilter("ignore")
    rows = []
    with threadpool_limits(1):
        for part in options.parts or PARTS:
            for found in PARTS[part](options.rounds):
                rows.append(line(part, found))
                print(" | ".join(str(rows[-1][column]) for column in COLUMNS), flush=True)
    if not options.dry:
        note = " ".join(NOTE.split("\n"))
        tables.record("bars", TITLE, note, COLUMNS, tables.joined("bars", rows, list(PARTS)))


if __name__ == "__main__":
    main()
