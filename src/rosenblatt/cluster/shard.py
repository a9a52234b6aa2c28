"""A shard: a part of the data where it lies, and one pass of the family over it.

`make_pass` depends on nothing but its arguments. A pass that is lost with its machine is made again
elsewhere, with the same result to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from rosenblatt.cluster.mix import Moved, Part, Report, Survey
from rosenblatt.data import held_out_mask
from rosenblatt.engine.inputs import canonical
from rosenblatt.engine.plan import Examples, Plan
from rosenblatt.engine.run import Run
from rosenblatt.engine.runs import Runs
from rosenblatt.engine.state import RunState
from rosenblatt.engine.trainer import Start, Trainer
from rosenblatt.models import predicted
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.readouts import Voted
from rosenblatt.theory.spaces import Array

TYPES = {"b": "booleans", "U": "text", "S": "bytes"}
"""Types of labels by the kind of their array; all others are numbers."""


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
            X = _as_numbers(X, where)
        y = _as_labels(y, where)
        X = canonical(sp.csr_array(X)) if sp.issparse(X) else np.ascontiguousarray(X)
        _check_finite(X, where)
        self.X, self.y, self.where = X, y, where
        self.held_out: tuple[Any, Array] | None = None
        if share:
            out = held_out_mask(0, len(y), share, number)
            self.held_out, self.X, self.y = (X[out], y[out]), X[~out], y[~out]
            if not len(self.y):
                raise ValueError(f"{where} has no row left to learn from; hold out fewer.")
        self._prepared: tuple[str, Trainer] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_prepared": None}  # made again where it arrives

    def facts(self) -> dict[str, Any]:
        """What must be known of all shards before the first round."""
        labels, counts = np.unique(self.y, return_counts=True)
        return {
            "features": self.X.shape[1], "labels": labels, "counts": counts,
            "sparse": sp.issparse(self.X), "dtype": self.X.dtype.str, "where": self.where,
            "type": TYPES.get(labels.dtype.kind, "numbers"),
        }  # fmt: skip

    def trainer(self, plan: RoundPlan, number: int) -> Trainer:
        """The trainer of this shard, prepared once for a fit."""
        if self._prepared is None or self._prepared[0] != plan.token:
            local, weights = plan.local(number), None
            if plan.factors is not None:
                weights = plan.factors[np.searchsorted(local.classes, self.y)]
            self._prepared = plan.token, Trainer(local, Examples(self.X, self.y, weights))
        return self._prepared[1]


@dataclass(frozen=True)
class RoundPlan:
    """What all shards share in one fit."""

    plan: Plan
    token: str
    seed: int
    mixing: str
    factors: Array | None  # of the steps of each class
    alone: bool  # one shard: its readout goes on as a local one does

    def local(self, number: int) -> Plan:
        """The plan of a shard; the first draws as a local estimator would, the others their own."""
        # Of mixtures `survey` counts the errors.
        counted = self.alone and self.plan.count_errors
        plan = replace(self.plan, count_errors=counted, jobs=None, tol=None)
        if number:
            seed = np.random.SeedSequence([self.seed, number]).generate_state(1)[0]
            drawn = check_random_state(int(seed)).randint(2**31, size=len(plan.seeds))
            plan = replace(plan, seeds=tuple(drawn.tolist()))
        return plan


def _as_numbers(X: Any, where: str) -> Any:
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{where} has features that are no numbers; encode them as numbers first."
        ) from None


def _as_labels(y: Array, where: str) -> Array:
    """Return labels in an array of one type: text, booleans or numbers."""
    if y.dtype.kind == "O":
        kinds = {type(label) for label in y.tolist()}
        if not (kinds <= {str} or kinds <= {bool} or kinds <= {int, float}):
            found = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise ValueError(
                f"{where} has labels of the types {found}; make them all text or all numbers."
            )
        y = np.array(y.tolist())
    if y.dtype.kind not in "biufUS":
        raise ValueError(
            f"{where} has labels of the type {y.dtype}; make them all text or all numbers."
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise ValueError(
            f"{where}, row {row}: the label is {float(y[row])}, not a finite number. Fix or drop "
            "the row."
        )
    return y


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


def begin(shard: Shard, plan: RoundPlan, number: int) -> list[RunState]:
    """The states of all runs before the first round."""
    states = []
    for run in shard.trainer(plan, number).prepared().runs:
        state = run.export_state(here=False)
        states.append(replace(state, from_zero=not run.h.any(), readout=plan.plan.readout.copy()))
    return states


def _start(state: RunState, own: Report | None, plan: RoundPlan) -> Start:
    """Where a run begins a round: the mixture, this shard's own counters and random numbers."""
    counts = (0, 0, 0) if own is None else (own.visits, own.updates, own.mistakes)
    old = state.counters
    counters = Counters(*counts, step_sum=old.step_sum, upper=old.upper, drift=old.drift)
    readout = plan.plan.readout.on_shard()
    if plan.alone and not isinstance(readout, Voted):
        readout = state.readout
    begun = replace(state, counters=counters, readout=readout)
    return begun, None if own is None else own.generator


def make_pass(
    shard: Shard, number: int, before: list[Report] | None, *, plan: RoundPlan,
    states: list[RunState], settled: list[bool], ask: bool = False,
) -> list[Part]:  # fmt: skip
    """One pass of every run that may still change, from where the cluster is.

    With `ask`, the shard also surveys where the cluster was: that spares a task.
    """
    own: list[Any] = [None] * len(states) if before is None else list(before)
    starts = [
        None if rests and report is not None else _start(state, report, plan)
        for state, rests, report in zip(states, settled, own, strict=True)
    ]
    runs = shard.trainer(plan, number).make_round(starts)
    parts = [
        _resting(state, report, plan) if start is None else _part(runs, run, state, start, plan)
        for run, state, start, report in zip(runs.runs, states, starts, own, strict=True)
    ]
    if ask:
        found = survey(shard, plan, number, [state.hypothesis for state in states])
        for part, one in zip(parts, found, strict=True):
            part.surveys = [one]
    return parts


def _resting(state: RunState, own: Report, plan: RoundPlan) -> Part:
    """The part of a run that does not change any more."""
    still = Moved(state.hypothesis[:0].ravel(), np.zeros(0, np.uint32), 0.0)
    old = state.counters
    counters = Counters(step_sum=old.step_sum, upper=old.upper, drift=old.drift)
    readout = state.readout if plan.alone else plan.plan.readout.on_shard()
    return Part(still, counters, readout, [replace(own, made=0)])


def _part(runs: Runs, run: Run, state: RunState, start: Start, plan: RoundPlan) -> Part:
    """What a shard sends of a run after its pass."""
    opened = start[0].counters
    n, made = run.n, run.n.k - opened.k
    report = Report(
        n.t, n.k, n.mistakes, dict(run.rng.bit_generator.state), run.radius, run.passes[-1].errors,
        run.bracket[0], run.settled, run.separated, run.converged, made,
    )  # fmt: skip
    counters = Counters(
        n.t - opened.t, made, n.mistakes - opened.mistakes, step_sum=n.step_sum,
        upper=run.bracket[1], drift=n.drift,
    )  # fmt: skip
    weight = float(made) if plan.mixing == "mistakes" else 1.0
    moved = Moved.of(run.portable(run.h), state.hypothesis, weight)
    votes = runs.run_votes(run)
    readout = run.readout.copy() if votes is None else plan.plan.readout.copy()
    readout.convert(run.portable)
    return Part(moved, counters, readout, [report], [] if votes is None else [votes])


def survey(shard: Shard, plan: RoundPlan, number: int, hypotheses: list[Array]) -> list[Survey]:
    """Errors of mixed hypotheses here, and the margin that they are proved to have."""
    found = []
    runs = shard.trainer(plan, number).prepared().runs
    for run, rows in zip(runs, hypotheses, strict=True):
        h = run.native(rows)
        errors, low = run.survey(h)
        found.append(Survey(errors, run.proved_margin(h, low)))
    return found


def held_out_wrong(shard: Shard, model: Any, classes: Array) -> tuple[int, int]:
    """Return a model's errors on the shard's held-out examples, and their number."""
    assert shard.held_out is not None
    return wrong(shard.held_out, model, classes)


def wrong(held: tuple[Any, Array], model: Any, classes: Array) -> tuple[int, int]:
    """Errors of a model on held-out examples, and how many there are."""
    X, y = held
    if not len(y):
        return 0, 0
    return int((predicted(model, X, classes) != y).sum()), len(y)
