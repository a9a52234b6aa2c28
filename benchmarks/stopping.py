"""When to stop: rules that need no second look at the data, beside all passes and scikit-learn's.

Each data set is learned once for each seed, to the first pass without an update or for all passes,
and the errors after each pass are kept. Then each rule says after which of these passes it would
have stopped.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import Perceptron
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks import data, speed, tables
from benchmarks.synthetic import short_rows, wide_rows, zipf
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.plateau import Plateau
from rosenblatt.engine.trainer import Trainer
from rosenblatt.models.decisions import labels

SEEDS, PASSES = 3, 100
TITLE = "Stopping: which passes are worth making"
COLUMNS = ["data", "stops", "passes", "clean", "last %", "averaged %", "time"]
NOTE = f"""\
`AveragedPerceptron` with {SEEDS} seeds, and after how many passes each rule would have stopped it
(mean). Every rule also stops at the first pass without an update; `clean` is how many of the
{SEEDS} runs got there. Errors are on test examples, in per cent, of the last hypothesis and of the
average, mean ± standard deviation; those of the last hypothesis vary much from pass to pass. `time`
is that of the passes. The rules: `{PASSES} passes` at most; `1 % better`: a pass is the best so far
by 1 % of its mistakes, or five passes end it; `1 % better, patient`: or as many passes as had been
made to the best, at least five; `loss`: scikit-learn's rule with mistakes for the loss, a best pass
by more than 0.1 % of all examples or five passes end it; `average`: the average turns by less than
1 - cosine = 1e-4 in a pass; `thirds`: the default of this package, `tol=1`: the last third of the
passes, five at least, made fewer mistakes than as many before, by one standard deviation, or all of
them fewer than 100. The last
row of each data set is scikit-learn's `Perceptron` with its defaults, whole fits."""


class Pass(NamedTuple):
    """What is known after a pass."""

    mistakes: int
    updates: int
    turned: float  # 1 - cosine of the average and the one before
    last: float
    averaged: float
    seconds: float


class Curves(Observer):
    """Keeps what each pass led to."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X, self.y, self.passes = X, y, list[Pass]()
        self.before: Any = None
        self.seconds = 0.0

    def on_pass(self, trainer: Trainer) -> bool:
        runs = trainer.runs
        assert runs is not None
        average, last = runs.hypotheses(), runs.hypotheses(last=True)
        now = np.column_stack([average.coef, average.intercept]).ravel()
        turned = inf if self.before is None else 1 - _cosine(now, self.before)
        self.before, seconds = now, sum(run.seconds for run in runs.runs)
        errors = [
            float(np.mean(labels(model.scores(self.X), trainer.plan.classes) != self.y))
            for model in (last, average)
        ]
        mistakes, updates = (int(runs.passes(name)[-1]) for name in ("mistakes", "updates"))
        self.passes.append(Pass(mistakes, updates, turned, *errors, seconds - self.seconds))
        self.seconds = seconds
        return False


def _cosine(a: Any, b: Any) -> float:
    length = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / length if length else 1.0


# --- the rules ------------------------------------------------------------------------------------

Rule = Callable[[Sequence[Pass], int], bool]
"""Whether to stop after these passes over so many examples."""


def never(passes: Sequence[Pass], examples: int) -> bool:
    return False


def better(passes: Sequence[Pass], examples: int, growth: float) -> bool:
    """No pass of the last ones was the best so far by one per cent."""
    best, at = inf, 0
    for number, one in enumerate(passes, 1):
        if one.mistakes < 0.99 * best:
            best, at = one.mistakes, number
    return len(passes) - at >= max(5, growth * at)


def loss(passes: Sequence[Pass], examples: int) -> bool:
    """What scikit-learn asks of the loss, asked of the mistakes."""
    best, stale = inf, 0
    for one in passes:
        stale = stale + 1 if one.mistakes > best - 1e-3 * examples else 0
        best = min(best, one.mistakes)
        if stale >= 5:
            return True
    return False


def average(passes: Sequence[Pass], examples: int) -> bool:
    return passes[-1].turned < 1e-4


def thirds(passes: Sequence[Pass], examples: int) -> bool:
    return Plateau(1.0, 5).reached(passes)


RULES: dict[str, Rule] = {
    f"{PASSES} passes": never,
    "1 % better": partial(better, growth=0.0),
    "1 % better, patient": partial(better, growth=1.0),
    "loss": loss,
    "average": average,
    "thirds": thirds,
}


def stop(rule: Rule, passes: Sequence[Pass], examples: int) -> int:
    """How many of the passes a rule lets be made."""
    return next((n for n in range(1, len(passes)) if rule(passes[:n], examples)), len(passes))


# --- data -----------------------------------------------------------------------------------------


def toy(load: Callable[..., Any]) -> data.Split:
    X, y = load(return_X_y=True)
    parts = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    return parts[0], parts[2], parts[1], parts[3]


SETS: dict[str, Callable[[], data.Split]] = {
    "normal draws, 60,000 x 784 float32, no noise": lambda: speed.halved(wide_rows(70_000), 10_000),
    "the same with noise": lambda: speed.halved(wide_rows(70_000, 0.5), 10_000),
    "MNIST, 9 or not": speed.digit_nine,
    "normal draws, 200,000 x 20 float64": lambda: speed.halved(short_rows(220_000), 20_000),
    "covertype, 2 or not": speed.cover_two,
    "20 Newsgroups TF-IDF, one or not": speed.first_newsgroup,
    "Zipf, 150,000 x 80,000, sparse": lambda: speed.halved(zipf(160_000, 80_000, 60), 10_000),
    "MNIST, ten classes": data.mnist,
    "iris": partial(toy, load_iris),
    "wine": partial(toy, load_wine),
    "breast cancer": partial(toy, load_breast_cancer),
    "digits": partial(toy, load_digits),
}


def curves(split: data.Split) -> list[list[Pass]]:
    """The passes of each seed, to the first without an update."""
    X, y, X_test, y_test = split
    rb.AveragedPerceptron(max_iter=1, random_state=0).fit(X, y)  # loads what is compiled
    found = []
    for seed in range(SEEDS):
        watch = Curves(X_test, y_test)
        clf = rb.AveragedPerceptron(max_iter=PASSES, tol=None, random_state=seed)
        clf.fit(X, y, observers=[watch])
        found.append(watch.passes)
    return found


def rows_of(name: str, split: data.Split) -> list[dict[str, Any]]:
    """A row for each rule, and one of scikit-learn."""
    found, rows = curves(split), []
    for kind, rule in RULES.items():
        made = [passes[: stop(rule, passes, len(split[1]))] for passes in found]
        clean = sum(not passes[-1].updates for passes in made)
        rows.append({
            "data": name,
            "stops": kind,
            "passes": f"{np.mean([len(passes) for passes in made]):.0f}",
            "clean": f"{clean} of {SEEDS}",
            "last %": tables.spread([100 * passes[-1].last for passes in made], 2),
            "averaged %": tables.spread([100 * passes[-1].averaged for passes in made], 2),
            "time": _time([sum(one.seconds for one in passes) for passes in made]),
        })  # fmt: skip
    return [*rows, peer(name, split)]


def peer(name: str, split: data.Split) -> dict[str, Any]:
    """The row of scikit-learn."""
    X, y, X_test, y_test = split
    passes, errors, times = [], [], []
    for seed in range(SEEDS):
        began = time.perf_counter()
        clf = Perceptron(random_state=seed).fit(X, y)
        times.append(time.perf_counter() - began)
        passes.append(int(np.max(clf.n_iter_)))
        errors.append(100 * (1 - clf.score(X_test, y_test)))
    return {
        "data": name,
        "stops": "scikit-learn",
        "passes": f"{np.mean(passes):.0f}",
        "last %": tables.spread(errors, 2),
        "time": _time(times),
    }


def _time(seconds: Sequence[float]) -> str:
    return f"{1e3 * np.mean(seconds):.1f} ms"


def main() -> None:
    """Measure all data sets, or those whose names contain a given text."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stopping", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names; nothing is recorded then")
    given = parser.parse_args().names
    warnings.simplefilter("ignore")
    rows = []
    with threadpool_limits(1):
        for name, load in SETS.items():
            if not given or any(part in name for part in given):
                rows += rows_of(name, load())
                print(tables.markdown(COLUMNS, rows[-len(RULES) - 1 :]), flush=True)
    if not given:
        tables.record("stopping", TITLE, " ".join(NOTE.split("\n")), COLUMNS, rows)


if __name__ == "__main__":
    main()
