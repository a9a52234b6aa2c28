"""The runs of one fit in kernel form, side by side, so that they share every kernel value."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from rosenblatt.engine import inputs
from rosenblatt.engine.budget_run import BudgetRun
from rosenblatt.engine.kernel_run import KernelRun, kernel_runs
from rosenblatt.engine.run import Run
from rosenblatt.engine.task import VANISHING, Carried, Task, two_at_least
from rosenblatt.models.expansion import Course, Crowd, Expansion
from rosenblatt.theory import rules
from rosenblatt.theory.readouts import Voted
from rosenblatt.theory.similarity import Precomputed
from rosenblatt.theory.spaces import Array

Stream = tuple[Array, list[Carried], Any]
"""Classes, what each run hands on, and the examples that its coefficients belong to."""


class KernelTask(Task):
    """Two classes need one run; more need one, or one for each class against the rest."""

    runs: list[KernelRun]

    def __init__(
        self,
        estimator: Any,
        settings: dict[str, Any],
        X: Any,
        y: Array,
        weights: Array | None,
        start: Stream | None,
        classes: Array,
        stream: Stream | None = None,
        streaming: bool = False,
    ) -> None:
        two_at_least(classes)
        self.X, self.y, self.classes, self.streaming = X, y, classes, streaming
        self.kind = "binary" if len(classes) == 2 else estimator.multiclass
        self.how = estimator._reading()
        inputs.all_finite("X", X)
        similarity = estimator._similarity(X, settings["bias"])
        rule, native = settings["rule"], self.kind == "native"
        self._check(estimator, rule, native, start)
        if weights is not None and rules.whole(rule):
            weights = weights / weights.max()
        earlier = start or stream
        before, self._place = _places(earlier[2] if earlier else None, X, similarity)
        problems = [inputs.codes(y, classes)]
        if not native:
            positives = classes[1:] if self.kind == "binary" else classes
            problems = [inputs.signs(y, positive) for positive in positives]
        order = estimator.order
        if order is None or streaming:
            order = "shuffled" if estimator.shuffle and not streaming else "cyclic"
        self.random = check_random_state(estimator.random_state)
        options: dict[str, Any] = {"classes": len(classes), "scheme": estimator.scheme}
        if not native:
            options = {}
        if settings["policy"] is not None:
            options = {"kind": BudgetRun, "policy": settings["policy"], "budget": estimator.budget}
        self.runs = kernel_runs(
            rule, similarity, X, problems, int(self.random.randint(2**31)), order=order,
            weights=weights, count_errors=estimator.count_errors, keep=estimator.journal_size,
            block=estimator.block_size, before=before,
            readouts=[estimator._readout(streaming) for _ in problems], **options,
        )  # fmt: skip
        if not isfinite(self.runs[0].space.norms.sum()):
            raise ValueError(
                "the kernel overflows on these examples; scale the features, or take a lower "
                "degree."
            )
        values = X.data if sp.issparse(X) else X
        if (
            np.abs(self.runs[0].space.norms).max() < VANISHING
            and values.dtype != object
            and values.any()
        ):
            raise ValueError(
                "the kernel is next to nothing on these examples, so that rounding hides it; scale "
                "the features, for instance with StandardScaler."
            )
        self._moment = float(self.random.uniform())
        self.before = [None] * len(self.runs)
        if stream is not None:
            self._resume(stream[0], stream[1])
        elif start is not None:
            for run, old in zip(self.runs, start[1], strict=True):
                run.begin(self._understood(run, old.state), old.counters.ww)
                run.recall(self._renumbered(old.memo))
                if isinstance(run, BudgetRun):
                    run.memory[0] = 0.0  # damage is weighed against mistakes, counted from here on

    def _check(self, estimator: Any, rule: Any, native: bool, start: Stream | None) -> None:
        if getattr(rule, "needs_dual", False):
            self._check_dual(estimator, start)  # type: ignore[arg-type]
        if native and (estimator.normalise or estimator.readout in ("voted", "random")):
            raise ValueError(
                "with multiclass='native' take readout='last', 'averaged' or 'pocket' and "
                "normalise=False; set multiclass='ovr' for the others."
            )
        if native and estimator.budget is not None:
            raise ValueError("a budget is for two classes; set multiclass='ovr' for more.")

    # --- a stream goes on -------------------------------------------------------------------

    def carry(self) -> Any:
        """What the next call of partial_fit goes on from, with the examples it needs."""
        held = self._held()
        examples = self.runs[0].supports.pick(held)
        classes, carried = super().carry()
        for one, run in zip(carried, self.runs, strict=True):
            one.memo = {}  # of an unbounded run the votes have it all
            if isinstance(run, BudgetRun):
                one.memo = {"held": np.searchsorted(held, run.held), "memory": run.memory}
        return classes, carried, examples

    def _told(self, run: Run, h: Array) -> Array:
        return np.atleast_2d(h)[:, self._held()]

    def _understood(self, run: Run, state: Array) -> Array:
        rows = np.zeros((len(state), len(self.y) + run.space.before))
        np.add.at(rows.T, self._place, state.T)
        return rows if self.kind == "native" else rows[0]

    def _resume(self, known: Array, carried: list[Carried]) -> None:
        carried = [replace(one, memo=self._renumbered(one.memo)) for one in carried]
        super()._resume(known, carried)
        if not isinstance(self.runs[0], BudgetRun):
            self.runs[0].supports.add(self._place)  # averages and votes may need them all
        size = len(self.y) + self.runs[0].space.before
        self.before = [v and v.placed(self._place, size) for v in self.before]

    def _renumbered(self, memo: dict[str, Array]) -> dict[str, Array]:
        return memo and memo | {"held": self._place[memo["held"]]}

    # --- learning ---------------------------------------------------------------------------

    def make_pass(self, jobs: int | None) -> None:
        """One pass, block by block, of every run that may still change."""
        active, done = [run for run in self.runs if not run.settled], 0
        aim = len(active[0].passes) + 1
        while len(active[0].passes) < aim:
            size = active[0]._size()
            for run in active:
                done = run.advance(visits=size)
            self.watch(active[0].part_done)
            if not done:
                break

    # --- results ----------------------------------------------------------------------------

    def _held(self) -> Array:
        """Examples that any class needs."""
        bounded = [run for run in self.runs if isinstance(run, BudgetRun)]
        if bounded:
            # One whose coefficient has become zero is held all the same.
            used = [part for run in bounded for part in (np.flatnonzero(run.h), run.held)]
            return np.unique(np.concatenate(used))
        return self.runs[0].supports.numbers

    def crowd(self, run: Any, before: Any = None) -> Any:
        """All hypotheses of a run, after those of the runs it goes on from."""
        if not isinstance(run.readout, Voted):
            return None
        updates = run.readout.updates()
        signs = run.y[updates.i].astype(float)
        start = run.readout.start if run.squares[0][0] > 0 else None
        course = Course(updates, signs, run.readout.votes(self.visits), run.lengths(), start)
        course = course if before is None else before.then(course)
        held = self._held()
        place = np.zeros(len(run.h), np.int64)
        place[held] = np.arange(len(held))
        return course.placed(place, len(held))

    def _expansion(self, hypotheses: list[Array]) -> Expansion:
        held, supports = self._held(), self.runs[0].supports
        coef = np.concatenate([np.atleast_2d(h)[:, held] for h in hypotheses])
        return Expansion(supports.similarity, supports.pick(held), coef)

    def _read(self) -> Expansion:
        return self._expansion([run.readout.hypothesis(run, self.visits) for run in self.runs])

    def model(self) -> Any:
        """What predicts."""
        courses = [course for course in self._votes() if course is not None]
        if courses:
            supports = self.runs[0].supports
            moment = int(self._moment * self.visits)
            examples = supports.pick(self._held())
            return Crowd(supports.similarity, examples, courses, self.how, moment)
        model = self._read()
        if self.how == "last_norm":
            model.coef /= np.array([max(run.n.ww, 5e-324) ** 0.5 for run in self.runs])[:, None]
        return model

    def _hypotheses(self, model: Any) -> dict[str, Any]:
        held = self._held()
        return {
            "support_": held,
            "support_vectors_": self.runs[0].supports.rows(held),
            "dual_coef_": self._read().coef,
            "_last": self._expansion([run.h for run in self.runs]),
            "_lengths": np.array([max(run.n.ww, 0.0) ** 0.5 for run in self.runs]),
        }


def _places(before: Any, X: Any, similarity: Any) -> tuple[Any, Array]:
    """Examples from before that X does not have, and the number that each of all gets."""
    if before is None:
        return None, np.zeros(0, np.int64)
    if isinstance(similarity, Precomputed):
        if len(before) and before.max() >= X.shape[0]:
            raise ValueError("warm_start needs the examples of the fit before, in their order.")
        return None, np.asarray(before)
    n = X.shape[0]
    known = {_key(X, i): i for i in range(n)}
    place = np.array([known.get(_key(before, j), -1) for j in range(before.shape[0])], np.int64)
    fresh = np.flatnonzero(place < 0)
    place[fresh] = n + np.arange(len(fresh))
    return before[fresh], place


def _key(X: Any, i: int) -> Any:
    """What equal examples have in common."""
    if sp.issparse(X):
        part = slice(X.indptr[i], X.indptr[i + 1])
        return X.indices[part].tobytes(), X.data[part].tobytes()
    return object() if X.dtype == object else X[i].tobytes()  # who knows when objects are equal
