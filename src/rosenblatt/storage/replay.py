"""A run as one document that tells everything: `rosenblatt-journal/1` with its examples.

It is the journal's own exchange format, with the examples, the algorithm and the results beside
it, in plain lists and numbers. Whoever reads it can replay every hypothesis without this library.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from rosenblatt.engine import inputs
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.run import Run
from rosenblatt.models import Expansion
from rosenblatt.theory import rules, spaces
from rosenblatt.theory.journal import Journal, Updates
from rosenblatt.theory.readouts import Averaged, Last, Pocket, Voted
from rosenblatt.theory.rules import RULES
from rosenblatt.theory.spaces import Array
from rosenblatt.version import __version__

KINDS = {kind.__name__: kind for kind in RULES.values()}
SPAN = 16  # visits between two checkpoints
READS = 400  # samples of a readout, at most
FOLDED = (Last, Averaged, Voted, Pocket)  # readouts that every viewer of documents can fold


class Samples(Observer):
    """Keeps what a replay in other arithmetic cannot make again by itself.

    A rule that stretches w stretches rounding errors along with it: after some hundred updates a
    replay has little in common with the run. Hypotheses kept on the way set it right. A run in
    parts ends in the same bits, so that watching changes nothing. Of a readout that not every
    viewer knows, its hypotheses are kept too.
    """

    chunk = SPAN

    def __init__(self) -> None:
        self.runs: dict[int, RunSamples] = {}

    def on_chunk(self, run: Run, updates: Updates) -> None:
        samples = self.runs.setdefault(id(run), RunSamples())
        samples.entries += len(updates.t)
        if (updates.c != 1.0).any() and spaces.traits(run.space).linear:
            samples.checkpoints[samples.entries] = spaces.as_rows(run.space, run.h).tolist()
        if type(run.readout) not in FOLDED and run.n.t - samples.last >= samples.apart:
            samples.take(run)

    def of_runs(self) -> list[RunSamples]:
        """The samples of each run, in the order of the runs."""
        return list(self.runs.values())


@dataclass
class RunSamples:
    """What is kept of one run."""

    entries: int = 0  # of the journal
    checkpoints: dict[int, list[list[float]]] = field(default_factory=dict)
    reads: dict[int, list[list[float]]] = field(default_factory=dict)
    last: int = 0  # visit of the last of them
    apart: int = 1  # visits between two of them, at least

    def take(self, run: Run) -> None:
        """Sample the readout; when there are many samples, every second one goes."""
        h = run.readout.hypothesis(run, run.n.t)
        self.reads[run.n.t], self.last = spaces.as_rows(run.space, h).tolist(), run.n.t
        if len(self.reads) > READS:
            self.reads = dict(list(self.reads.items())[1::2])
            self.apart *= 2


def document(estimator: Any, X: Any, y: Any, samples: Samples | None = None) -> dict[str, Any]:
    """A fitted estimator's run with the examples it learned from, in their order.

    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[2.0, 1.0], [-1.0, -2.0]]), np.array([1, 0])
    >>> made = document(Perceptron(shuffle=False).fit(X, y), X, y)
    >>> made["updates"]["i"], made["config"]["space"]["kind"], made["result"]["converged"]
    ([0], 'linear', True)

    With one problem a class against the rest the document is that of the first class, and
    `others` holds those of the rest. `samples` observed the fit.
    """
    X, y = np.asarray(X, float), np.asarray(y)
    journals = estimator.journal_ if isinstance(estimator.journal_, list) else [estimator.journal_]
    made = [_entries(estimator, journal, X) for journal in journals]
    for entries, kept in zip(made, samples.of_runs() if samples else [], strict=False):
        entries["checkpoints"] = _table("k", kept.checkpoints)
        entries["reads"] = _table("t", kept.reads) if kept.reads else None
    classes = estimator.classes_
    bias = float(made[0]["config"]["bias"])
    native = len(classes) > 2 and len(journals) == 1
    told = made[0]
    told["config"] |= {
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
    told["data"] |= {
        "points": X.tolist(),
        "targets": np.searchsorted(classes, y).tolist(),
        "classes": classes.tolist(),
        "bias": bias,
        "offset": _offset(estimator, bias),
    }
    told["others"] = made[1:]
    told["result"] = _result(estimator, X, y)
    return dict(plain(told))


def _table(name: str, kept: dict[int, Any]) -> dict[str, list[Any]]:
    """Samples by number, as two columns."""
    return {name: list(kept), "w": list(kept.values())}


def _order(estimator: Any) -> str:
    """The order by name; of visits that were given there is none."""
    order = estimator.visiting_order()
    return order if isinstance(order, str) else "given"


def settings(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator that are plain values."""
    kept = (bool, int, float, str, type(None))
    return {n: v for n, v in estimator.get_params().items() if isinstance(v, kept)}


def plain(value: Any) -> Any:
    """The same in what JSON knows: lists, numbers and null, which stands for what is not finite."""
    if isinstance(value, dict):
        return {str(name): plain(v) for name, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def _entries(estimator: Any, journal: Journal, X: Array) -> dict[str, Any]:
    """One run in the exchange format; where weights have variances, with what each step did."""
    told = journal.to_dict() | {"checkpoints": {"k": [], "w": []}}
    rule = _rule(journal)
    if rules.prior_variance(rule):
        told["updates"]["g"] = _narrowed(estimator, journal, rule, X)
    return told


def _rule(journal: Journal) -> Any:
    kind = KINDS.get(journal.config["rule"])
    return None if kind is None else kind(**journal.config["parameters"])


def _narrowed(estimator: Any, journal: Journal, rule: Any, X: Array) -> list[float]:
    """By how much each step made us surer of w: g, for the inverse covariance to grow by g·xx'."""
    bias = float(journal.config["bias"])
    base = inputs.binary_space(np.ascontiguousarray(X), bias, _offset(estimator, bias))
    space, y = inputs.variance_space(base, rule), journal.labels
    h, made = spaces.from_rows(space, journal.start), []
    for i, r, a in zip(journal.updates.i, journal.updates.r, journal.updates.a, strict=True):
        _, v, _ = spaces.look(space, y, i, h)
        made.append(float(rules.confidence_gain(rule, v, a)))
        spaces.move(space, y, i, r, a, h)
    return made


def _offset(estimator: Any, bias: float) -> float:
    return 0.0 if bias else -float(getattr(estimator, "threshold", 0.0))


def _space(estimator: Any, journal: Journal, X: Array, native: bool) -> dict[str, Any]:
    """Where hypotheses live, with the numbers that a replay needs."""
    rule, bias = _rule(journal), float(journal.config["bias"])
    if isinstance(estimator.outcome_.last, Expansion):
        # A kernel run has no constant feature of its own: the kernel adds its square.
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
    # An infinite p, multiplicative steps, is null in JSON.
    return {"kind": "linear"} if p == 2.0 else {"kind": "mirror", "p": p}


def _result(estimator: Any, X: Array, y: Array) -> dict[str, Any]:
    """What was learned and what is proved."""
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
