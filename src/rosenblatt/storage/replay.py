"""Replay documents: a journal with its examples, algorithm and results, in plain JSON.

A document is the exchange format of journals, `rosenblatt-journal/1`, with more entries. Every
hypothesis of the run can be replayed from it without this library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import issparse

from rosenblatt.engine import inputs
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.run import Run
from rosenblatt.models import Expansion
from rosenblatt.storage.json_values import plain
from rosenblatt.theory import rules, spaces
from rosenblatt.theory.journal import Journal, Updates
from rosenblatt.theory.readouts import Averaged, Last, Pocket, Voted
from rosenblatt.theory.rules import RULES
from rosenblatt.theory.spaces import (
    CSR,
    Array,
    Dense,
    Diagonal,
    Dual,
    DualRows,
    Full,
    Mirror,
    Rows,
    RowsCSR,
)
from rosenblatt.version import __version__

KINDS = {kind.__name__: kind for kind in RULES.values()}
SPAN = 16  # visits between two checkpoints
MOST_READS = 400  # samples of a readout
REPLAYED = (Dense, CSR, Rows, RowsCSR, Mirror, Diagonal, Full, Dual, DualRows)
"""Spaces in which every viewer of documents can reproduce the updates."""
COMPUTED = (Last, Averaged, Voted, Pocket)  # readouts that every viewer can compute


class Samples(Observer):
    """An observer that samples hypotheses which a replay cannot reproduce.

    A rule that scales w scales its rounding errors as well: after some hundred updates a replay
    in other arithmetic has little in common with the run. Hypotheses sampled along the way correct
    it. The hypotheses of readouts that not every viewer can compute are sampled too. The run ends
    in the same bits with and without this observer.
    """

    def __init__(self) -> None:
        self.chunk = 1  # until the space is known
        self.runs: dict[int, RunSamples] = {}

    def on_chunk(self, run: Run, updates: Updates) -> None:
        """Sample the hypothesis after a scaling update, and readouts at intervals."""
        samples = self.runs.setdefault(id(run), RunSamples())
        samples.entries += len(updates.t)
        replayed = isinstance(run.space, REPLAYED)
        self.chunk = SPAN if replayed else 1  # elsewhere every hypothesis is needed
        stretched = (updates.c != 1.0).any() and spaces.traits(run.space).linear
        if len(updates.t) and (stretched or not replayed):
            samples.checkpoints[samples.entries] = spaces.as_rows(run.space, run.h).tolist()
        if type(run.readout) not in COMPUTED and run.n.t - samples.last >= samples.apart:
            samples.take(run)

    def of_runs(self) -> list[RunSamples]:
        """Return the samples of each run, in the order of the runs."""
        return list(self.runs.values())


@dataclass
class RunSamples:
    """The samples of one run."""

    entries: int = 0  # of the journal
    checkpoints: dict[int, list[list[float]]] = field(default_factory=dict)
    reads: dict[int, list[list[float]]] = field(default_factory=dict)
    last: int = 0  # visit of the last sample of the readout
    apart: int = 1  # least number of visits between two samples of it

    def take(self, run: Run) -> None:
        """Sample the readout; of too many samples, drop every second one."""
        h = run.readout.hypothesis(run, run.n.t)
        self.reads[run.n.t], self.last = spaces.as_rows(run.space, h).tolist(), run.n.t
        if len(self.reads) > MOST_READS:
            self.reads = dict(list(self.reads.items())[1::2])
            self.apart *= 2


def run_document(estimator: Any, X: Any, y: Any, samples: Samples | None = None) -> dict[str, Any]:
    """Return the replay document of a fitted estimator, X and y in the order of the fit.

    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[2.0, 1.0], [-1.0, -2.0]]), np.array([1, 0])
    >>> made = run_document(Perceptron(shuffle=False).fit(X, y), X, y)
    >>> made["updates"]["i"], made["config"]["space"]["kind"], made["result"]["converged"]
    ([0], 'linear', True)

    With one problem per class against the rest, the document is that of the first class, and
    `others` holds those of the other classes. `samples` is the observer of the fit.
    """
    given, X, y = X, dense(X), np.asarray(y)
    journals = estimator.journal_ if isinstance(estimator.journal_, list) else [estimator.journal_]
    entries = [_entries(estimator, journal, X) for journal in journals]
    for one, sampled in zip(entries, samples.of_runs() if samples else [], strict=False):
        one["checkpoints"] = _table("k", sampled.checkpoints)
        one["reads"] = _table("t", sampled.reads) if sampled.reads else None
    classes = estimator.classes_
    bias = float(entries[0]["config"]["bias"])
    native = len(classes) > 2 and len(journals) == 1
    first = entries[0]
    first["config"] |= {
        "algorithm": type(estimator).__name__,
        "settings": settings(estimator),
        "readout": estimator.readout,
        "drawn": estimator.outcome_.predictor.moment if estimator.readout == "random" else None,
        "order": _order(estimator),
        "seed": estimator.random_state if isinstance(estimator.random_state, int) else None,
        "problem": "native" if native else "binary" if len(classes) == 2 else "ovr",
        "space": _space(estimator, journals[0], X, native),
        "library": __version__,
    }
    first["data"] |= {
        "points": X.tolist(),
        "targets": np.searchsorted(classes, y).tolist(),
        "classes": classes.tolist(),
        "bias": bias,
        "offset": _offset(estimator, bias),
    }
    first["others"] = entries[1:]
    first["result"] = _result(estimator, given, y)
    return dict(plain(first))


def dense(X: Any) -> Array:
    """Return a table of numbers as a dense array."""
    return np.asarray(X.toarray() if issparse(X) else X, float)


def replayed(journal: Journal, X: Array) -> RunSamples:
    """Return hypotheses of a run by its journal alone, as `Samples` would have taken them.

    Only sums of examples can be replayed; of other runs there are none. A ValueError if the
    examples are not those of the run.
    """
    samples, updates = RunSamples(), journal.updates
    if not journal.config.get("linear", True):
        return samples
    ends = np.flatnonzero(np.diff(updates.t, append=-1)) + 1  # rivals that share a visit are one
    scaled, last, W = bool((updates.c != 1.0).any()), 0, journal.start
    for k, (weights, _) in zip(ends.tolist(), journal.replay(X), strict=True):
        W = weights
        if scaled and k - last >= SPAN:
            samples.checkpoints[k], last = weights.tolist(), k
    length2, reached = float((W**2).sum()), float(journal.counters["ww"])
    if not np.isclose(length2, reached, rtol=1e-6, atol=1e-12):
        raise ValueError(
            f"X is not the data of this run: its updates on X end with |w|² = {length2:.6g}, the "
            f"run with {reached:.6g}; give X and y as they were in the fit, in the same order."
        )
    return samples


def journal_document(journal: Journal, X: Any, y: Any) -> dict[str, Any]:
    """Return the replay document of a journal alone, X and y in the order of its run.

    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[2.0, 1.0], [-1.0, -2.0]]), np.array([1, 0])
    >>> made = journal_document(Perceptron(shuffle=False).fit(X, y).journal_, X, y)
    >>> made["updates"]["i"], made["config"]["algorithm"], made["result"]["updates"]
    ([0], 'PerceptronClassifier', 1)

    Its readout is the last hypothesis; what else an estimator knows is not in a journal.
    """
    if not journal.config.get("linear", True):
        raise ValueError(
            f"a journal alone does not tell the weights of {journal.config['rule']}, which are no "
            "sum of examples; give the fitted estimator."
        )
    X, classes = dense(X), np.unique(y)
    bias, passes, native = float(journal.config["bias"]), journal.passes, len(journal.start) > 1
    kinds = {kind: name for name, kind in RULES.items()}
    made = journal.to_dict()
    made["checkpoints"] = _table("k", replayed(journal, X).checkpoints)
    made["config"] |= {
        "algorithm": "PerceptronClassifier",
        "settings": {"rule": kinds.get(KINDS.get(journal.config["rule"], type(None)))},
        "readout": "last",
        "seed": None,
        "problem": "native" if native else "binary",
        "space": {"kind": "rows" if native else "linear"},
        "library": __version__,
    }
    made["data"] |= {
        "points": X.tolist(),
        "targets": np.searchsorted(classes, y).tolist(),
        "classes": classes.tolist(),
        "bias": bias,
        "offset": 0.0,
    }
    made["others"] = []
    made["result"] = {
        "coef": None,
        "intercept": None,
        "updates": journal.counters["k"],
        "passes": len(passes["visits"]),
        "converged": bool(passes["updates"]) and passes["updates"][-1] == 0,
        "radius": float(np.sqrt(((X**2).sum(axis=1) + bias**2).max())),
        "margin_bracket": [None, journal.counters["upper"]],
        "pass_mistakes": passes["mistakes"],
        "pass_errors": passes["errors"],
        "errors": passes["errors"][-1] if passes["errors"] else -1,
        "summary": repr(journal),
    }
    return dict(plain(made))


def _table(name: str, sampled: dict[int, Any]) -> dict[str, list[Any]]:
    """Return samples by number as two columns."""
    return {name: list(sampled), "w": list(sampled.values())}


def _order(estimator: Any) -> str:
    """Return the name of the order; "given" for an array of visits."""
    order = estimator.visiting_order()
    return order if isinstance(order, str) else "given"


def settings(estimator: Any) -> dict[str, Any]:
    """Return the parameters of an estimator that are plain values."""
    plain_types = (bool, int, float, str, type(None))
    return {n: v for n, v in estimator.get_params().items() if isinstance(v, plain_types)}


def _entries(estimator: Any, journal: Journal, X: Array) -> dict[str, Any]:
    """Return a run in the exchange format; if weights have variances, with their changes."""
    entries = journal.to_dict() | {"checkpoints": {"k": [], "w": []}}
    rule = _rule(journal)
    if rules.prior_variance(rule):
        entries["updates"]["g"] = _precision_steps(estimator, journal, rule, X)
    return entries


def _rule(journal: Journal) -> Any:
    """Return the rule of a journal; None for a rule of the user's own."""
    kind = KINDS.get(journal.config["rule"])
    return None if kind is None else kind(**journal.config["parameters"])


def _precision_steps(estimator: Any, journal: Journal, rule: Any, X: Array) -> list[float]:
    """Return g of each update: the inverse covariance grows by g·xx'."""
    bias = float(journal.config["bias"])
    base = inputs.binary_space(np.ascontiguousarray(X), bias, _offset(estimator, bias))
    space, y = inputs.variance_space(base, rule), journal.labels
    h, steps = spaces.from_rows(space, journal.start), []
    for i, r, a in zip(journal.updates.i, journal.updates.r, journal.updates.a, strict=True):
        _, v, _ = spaces.look(space, y, i, h)
        steps.append(float(rules.confidence_gain(rule, v, a)))
        spaces.move(space, y, i, r, a, h)
    return steps


def _offset(estimator: Any, bias: float) -> float:
    """Return the constant that is added to every score without an intercept."""
    return 0.0 if bias else -float(getattr(estimator, "threshold", 0.0))


def _space(estimator: Any, journal: Journal, X: Array, native: bool) -> dict[str, Any]:
    """Return the kind of space, with the numbers that a replay needs."""
    rule, bias = _rule(journal), float(journal.config["bias"])
    if isinstance(estimator.outcome_.last, Expansion):
        # A kernel run has no constant feature: the kernel adds the square of it.
        kernel = estimator.outcome_.last.similarity
        gamma = kernel.gamma
        return {
            "kind": "kernel",
            "kernel": kernel.kernel if isinstance(kernel.kernel, str) else "own",
            "degree": kernel.degree,
            "gamma": 1.0 / X.shape[1] if gamma is None else gamma,
            "coef0": kernel.coef0,
            "constant": kernel.constant,
        }
    if native:
        return {"kind": "rows"}
    if rule is not None and rules.prior_variance(rule):
        return {
            "kind": "full" if rule.full else "diagonal",
            "prior": rules.prior_variance(rule),
            "shrinks": rules.mean_shrinks(rule),
        }
    p = float(getattr(rule, "p", 2.0))
    if p != 2.0:
        p = inputs.power(p, bias, X.shape[1])
    # An infinite p stands for multiplicative steps, and becomes null in JSON.
    return {"kind": "linear"} if p == 2.0 else {"kind": "mirror", "p": p}


def _result(estimator: Any, X: Any, y: Array) -> dict[str, Any]:
    """Return what was learned and what is proved."""
    return {
        "coef": getattr(estimator, "coef_", None),
        "intercept": getattr(estimator, "intercept_", None),
        "updates": estimator.n_updates_,
        "passes": estimator.n_iter_,
        "converged": bool(estimator.converged_),
        "radius": estimator.radius_,
        "margin_bracket": list(estimator.margin_bracket_),
        "pass_mistakes": estimator.pass_mistakes_,
        "pass_errors": estimator.pass_errors_,
        "errors": int((estimator.predict(X) != y).sum()),
        "summary": estimator.summary(),
    }
