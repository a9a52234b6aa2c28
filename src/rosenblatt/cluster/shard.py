"""A shard: a part of the data where it lies, and one pass of the family over it.

`make_pass` depends on nothing but its arguments. A pass that is lost with its machine is made again
elsewhere, with the same result to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.cluster.mix import Moved, Part, Stand
from rosenblatt.data import held_out_mask
from rosenblatt.engine.inputs import canonical
from rosenblatt.engine.run import Run
from rosenblatt.engine.task import Task
from rosenblatt.theory import readouts
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.spaces import Array


class Shard:
    """Examples and labels, with the name of where they came from.

    A `share` of the rows may be held out, chosen by the shard's `number` and the row.
    """

    def __init__(self, X: Any, y: Any, where: str, share: float = 0.0, number: int = 0) -> None:
        X = X if sp.issparse(X) else np.asarray(X)
        y = np.asarray(y)
        if X.ndim != 2 or y.ndim != 1 or X.shape[0] != len(y):
            raise ValueError(
                f"{where}: {X.shape} examples and {y.shape} labels; a shard needs one label for "
                "each row."
            )
        if not len(y):
            raise ValueError(f"{where} is empty; leave it out.")
        if X.dtype not in (np.float64, np.float32):
            X = X.astype(np.float64)
        X = canonical(sp.csr_array(X)) if sp.issparse(X) else np.ascontiguousarray(X)
        _check_finite(X, where)
        self.X, self.y, self.where = X, y, where
        self.held: tuple[Any, Array] | None = None
        if share:
            out = held_out_mask(0, len(y), share, number)
            self.held, self.X, self.y = (X[out], y[out]), X[~out], y[~out]
            if not len(self.y):
                raise ValueError(f"{where} has no row left to learn from; hold out fewer.")
        self._prepared: tuple[str, Task] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_prepared": None}  # made again where it arrives

    def facts(self) -> dict[str, Any]:
        """What must be known of all shards before the first round."""
        labels, counts = np.unique(self.y, return_counts=True)
        return {
            "features": self.X.shape[1], "labels": labels, "counts": counts,
            "sparse": sp.issparse(self.X), "dtype": self.X.dtype.str, "where": self.where,
        }  # fmt: skip

    def task(self, plan: Plan, number: int) -> Task:
        """The runs over this shard, prepared once for a fit."""
        if self._prepared is None or self._prepared[0] != plan.token:
            estimator = plan.estimator
            if number:
                # The first shard draws as a local estimator would; the others draw their own.
                seed = np.random.SeedSequence([plan.seed, number]).generate_state(1)[0]
                estimator = type(estimator)(**estimator.get_params())
                estimator.random_state = int(seed)
            weights = None
            if plan.factors is not None:
                weights = plan.factors[np.searchsorted(plan.classes, self.y)]
            task = Task(estimator, plan.settings, self.X, self.y, weights, plan.start, plan.classes)
            self._prepared = plan.token, task
        return self._prepared[1]


class Plan:
    """What all shards share in one fit."""

    def __init__(
        self, token: str, estimator: Any, settings: dict[str, Any], classes: Array, seed: int,
        mixing: str, factors: Array | None, start: tuple[Array, Array] | None, alone: bool,
    ) -> None:  # fmt: skip
        self.token, self.estimator, self.settings = token, estimator, settings
        self.classes, self.seed, self.mixing = classes, seed, mixing
        self.factors, self.start = factors, start
        self.alone = alone  # the only shard: its readout goes on as a local one does


def _check_finite(X: Any, where: str) -> None:
    values = X.data if sp.issparse(X) else X
    # One sum tells in most cases; to look for the place costs a mask as large as the data.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    if sp.issparse(X):
        place = int(np.flatnonzero(bad)[0])
        row, column = int(np.searchsorted(X.indptr, place, "right")) - 1, int(X.indices[place])
    else:
        row, column = (int(k) for k in np.argwhere(bad)[0])
    raise ValueError(
        f"{where}, row {row}: feature {column} is {float(X[row, column])}, not a finite number. "
        "Fix or drop the row."
    )


def begin(shard: Shard, plan: Plan, number: int) -> list[Stand]:
    """Where all runs stand before the first round."""
    runs = shard.task(plan, number).runs
    return [Stand(run.h.copy(), from_zero=not run.h.any()) for run in runs]


def _take_up(
    run: Run, stand: Stand, before: dict[str, Any] | None, plan: Plan, number: int
) -> None:
    """Put a run where the cluster stands, with what this shard itself has to go on with."""
    t, k, mistakes = (0, 0, 0) if before is None else before["counters"]
    counters = Counters(t, k, mistakes, sa=stand.sa, upper=stand.upper, drift=stand.drift)
    readout = plan.estimator._readout()
    if before is not None and "readout" in before:
        readout.restore(before["readout"])
    elif isinstance(readout, readouts.Averaged) and number == 0 and stand.total is not None:
        readout.total, readout.visits, readout.end = stand.total.copy(), stand.visits, t
    run.count_errors = plan.alone and plan.estimator.count_errors  # of mixtures `survey` tells
    drawn = None if before is None else before["rng"]
    run.transplant(stand.h.copy(), counters, stand.from_zero, readout, drawn)


def make_pass(
    shard: Shard, number: int, before: list[dict[str, Any]] | None, *, plan: Plan,
    stands: list[Stand], ask: bool = False,
) -> list[Part]:  # fmt: skip
    """One pass of every run that may still change, from where the cluster stands.

    With `ask`, the shard also says what it makes of where the cluster stood: that spares a task.
    """
    task, parts = shard.task(plan, number), []
    for place, (run, stand) in enumerate(zip(task.runs, stands, strict=True)):
        own = before[place] if before else None
        if stand.settled and own is not None:
            still = Moved(stand.h[:0].ravel(), np.zeros(0, np.uint32), 0.0)
            total = stand.total if number == 0 else None
            rest = own | {"made": 0}
            parts.append(Part(still, stand.sa, stand.upper, stand.drift, 0, 0, 0, total, [rest]))
            continue
        _take_up(run, stand, own, plan, number)
        opened = run.n
        run.advance()
        n, readout = run.n, run.readout
        made = n.k - opened.k
        kept = {
            "counters": (n.t, n.k, n.mistakes), "rng": run.rng.bit_generator.state,
            "radius": run.radius, "errors": run.passes[-1].errors, "lower": run.bracket[0],
            "settled": run.settled, "separated": run.separated, "converged": run.converged,
            "made": made,
        }  # fmt: skip
        if isinstance(readout, readouts.Voted):
            kept["votes"] = task.crowd(run)
        elif plan.alone:
            kept["readout"] = readout.state()
        weight = float(made) if plan.mixing == "mistakes" else 1.0
        total = readout.total if isinstance(readout, readouts.Averaged) else None
        parts.append(
            Part(
                Moved.of(run.h, stand.h, weight), n.sa, run.bracket[1], n.drift, n.t - opened.t,
                made, n.mistakes - opened.mistakes, total, [kept],
            )
        )  # fmt: skip
    if ask:
        told = survey(shard, plan, number, [stand.h for stand in stands])
        for part, one in zip(parts, told, strict=True):
            part.shards[0]["survey"] = one
    return parts


def survey(shard: Shard, plan: Plan, number: int, hypotheses: list[Array]) -> list[dict[str, Any]]:
    """Errors of mixed hypotheses here, and the margin that they are proved to have."""
    told = []
    for run, h in zip(shard.task(plan, number).runs, hypotheses, strict=True):
        errors, low = run.survey(h)
        told.append({"errors": errors, "lower": run.proved_margin(h, low), "radius": run.radius})
    return told


def held_wrong(shard: Shard, model: Any, classes: Array) -> tuple[int, int]:
    """Errors of a model on what a shard holds out, and how many examples that are."""
    assert shard.held is not None
    return wrong(shard.held, model, classes)


def wrong(held: tuple[Any, Array], model: Any, classes: Array) -> tuple[int, int]:
    """Errors of a model on held-out examples, and how many there are."""
    X, y = held
    if not len(y):
        return 0, 0
    scores = model.scores(X)
    if len(classes) == 2:
        labels = classes[(scores[:, 0] > 0).astype(int)]
    else:
        labels = classes[np.argmax(scores, axis=1)]
    return int((labels != y).sum()), len(y)
