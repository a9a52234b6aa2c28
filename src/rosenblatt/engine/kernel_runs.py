"""The runs of one model in kernel form, block by block, so that they share every kernel value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine import inputs
from rosenblatt.engine.budget_run import BudgetRun
from rosenblatt.engine.kernel_cache import KernelCache
from rosenblatt.engine.kernel_run import KernelRun
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.plan import VANISHING, Examples, KernelPlan, Plan
from rosenblatt.engine.runs import Runs
from rosenblatt.engine.state import RunState, State
from rosenblatt.models import Expansion, History, VotedRuns
from rosenblatt.theory.readouts import Voted
from rosenblatt.theory.similarity import Precomputed
from rosenblatt.theory.spaces import Array


class KernelRuns(Runs):
    """Two classes need one run; more need one, or one for each class against the rest."""

    runs: list[KernelRun]

    def __init__(
        self, plan: Plan, examples: Examples, state: State | None, observers: Sequence[Observer]
    ) -> None:
        assert plan.kernel is not None
        self.kernel: KernelPlan = plan.kernel
        inputs.all_finite("X", examples.X)
        earlier = None if state is None else state.examples
        before, self._place = _places(earlier, examples.X, self.kernel.similarity)
        self.cache = KernelCache(self.kernel.similarity, examples.X, before)
        self._picked: tuple[bytes, Any] | None = None
        super().__init__(plan, examples, state, observers)

    def _make(self) -> list[KernelRun]:
        plan, kernel, X = self.plan, self.kernel, self.examples.X
        norms2 = kernel.similarity.diagonal(X)
        _check_norms2(norms2, X)
        options: dict[str, Any] = {}
        kind: Callable[..., KernelRun] = KernelRun
        if plan.multiclass == "native":
            options = {"classes": len(plan.classes), "scheme": plan.scheme}
        if kernel.budget is not None:
            kind, options = BudgetRun, {"policy": kernel.policy, "budget": kernel.budget}
        return [
            kind(
                plan.rule, self.cache, labels, norms2, rng=plan.seeds[0], order=self.order,
                weights=self.examples.weights, count_errors=plan.count_errors,
                keep=plan.journal_size, block=kernel.block, readout=plan.readout.copy(),
                observers=self.observers, **options,
            )
            for labels in plan.labellings(self.examples.y)
        ]  # fmt: skip

    # --- state out and in -------------------------------------------------------------------

    def export_state(self) -> State:
        """What learning goes on from, with the examples that it needs."""
        support = self.support
        state = super().export_state()
        for one, run in zip(state.runs, self.runs, strict=True):
            at_support = one.converted(lambda rows: rows[:, support])
            one.hypothesis, one.readout = at_support.hypothesis, at_support.readout
            one.memory = {}  # of a run without a budget the votes have it all
            if isinstance(run, BudgetRun):
                one.memory = {
                    "support": np.searchsorted(support, run.support),
                    "damage": run.damage,
                }
        return replace(state, examples=self._support_examples())

    def _resume(self, state: State) -> None:
        placed = replace(state, runs=[self._renumbered(one) for one in state.runs])
        if all(not one.passes for one in state.runs):
            self._restart(placed)
            return
        super()._resume(placed)
        if not isinstance(self.runs[0], BudgetRun):
            self.cache.add(self._place)  # averages and votes may need them all
        size = self._size
        self.votes_before = [v and v.renumbered(self._place, size) for v in self.votes_before]

    def _restart(self, state: State) -> None:
        """Begin from hypotheses of which nothing is counted."""
        for run, one in zip(self.runs, state.runs, strict=True):
            run.begin(run.native(one.hypothesis), one.counters.norm2)
            run.remember(one.memory)
            if isinstance(run, BudgetRun):
                run.forget_damage()

    @property
    def _size(self) -> int:
        """Examples, those of an earlier state included."""
        return len(self.examples.y) + self.cache.before.shape[0]

    def _renumbered(self, one: RunState) -> RunState:
        """A state with its coefficients at the numbers that the examples have here."""

        def spread(rows: Array) -> Array:
            wide = np.zeros((len(rows), self._size))
            np.add.at(wide.T, self._place, rows.T)
            return wide

        memory = one.memory
        if "support" in memory:
            memory = memory | {"support": self._place[memory["support"]]}
        return one.converted(spread, memory=memory)

    # --- learning ---------------------------------------------------------------------------

    def make_passes(self, on_block: Callable[[], None], most: int = 1) -> int:
        """Make one pass, block by block, of every run that may still change."""
        active, done = [run for run in self.runs if not run.rests], 0
        aim = len(active[0].passes) + 1
        while len(active[0].passes) < aim:
            size = active[0].block_left
            for run in active:
                done = run.advance(visits=size)
            on_block()
            if not done:
                break
        self._mark_stalled()
        return 1

    # --- results ----------------------------------------------------------------------------

    @property
    def support(self) -> Array:
        """Numbers of the examples that any class needs."""
        bounded = [run for run in self.runs if isinstance(run, BudgetRun)]
        if bounded:
            # One whose coefficient has become zero keeps its place in the budget.
            used = [part for run in bounded for part in (np.flatnonzero(run.h), run.support)]
            return np.unique(np.concatenate(used))
        return self.cache.numbers

    def _support_examples(self) -> Any:
        """The examples of the support set, copied once while it stays the same."""
        key = self.support.tobytes()
        if self._picked is None or self._picked[0] != key:
            self._picked = key, self.cache.pick(self.support)
        return self._picked[1]

    def run_votes(self, run: Any, before: Any = None) -> Any:
        """Return all hypotheses of a run, after those it resumed from; None without a vote."""
        if not isinstance(run.readout, Voted):
            return None
        if run.readout.t0 < 0 and before is not None:
            return before  # no visit has been made since
        updates = run.readout.updates()
        history = History(
            updates,
            run.y[updates.i].astype(np.int32),
            run.readout.votes(self.visits),
            run.lengths(),
            run.readout.start if run.squares[0][0] > 0 else None,
        )
        history = history if before is None else before.then(history)
        support = self.support
        numbers = np.zeros(len(run.h), np.int64)
        numbers[support] = np.arange(len(support))
        return history.renumbered(numbers, len(support))

    def hypotheses(self, last: bool = False) -> Expansion:
        """Return a model of the readout's hypotheses, or of the last ones."""
        found = [run.h if last else run.readout.hypothesis(run, self.end(run)) for run in self.runs]
        support = self.support
        coef = np.concatenate([np.atleast_2d(h)[:, support] for h in found])
        return Expansion(self.cache.similarity, self._support_examples(), coef)

    def predictor(self) -> Any:
        """Return the model that predicts."""
        histories = [history for history in self.votes() if history is not None]
        kernel = self.kernel
        if histories:
            moment = int(kernel.moment * self.visits)
            supports = self._support_examples()
            return VotedRuns(kernel.similarity, supports, histories, kernel.reading, moment)
        model = self.hypotheses()
        if kernel.reading == "last_norm":
            model.coef /= np.array([max(run.n.norm2, 5e-324) ** 0.5 for run in self.runs])[:, None]
        return model

    def details(self) -> dict[str, Any]:
        """What an outcome has of kernel runs alone."""
        return {
            "support": self.support,
            "support_vectors": self.cache.rows(self.support),
            "lengths": np.array([max(run.n.norm2, 0.0) ** 0.5 for run in self.runs]),
        }


def _check_norms2(norms2: Array, X: Any) -> None:
    """Reject examples whose kernel values overflow or vanish."""
    if not isfinite(norms2.sum()):
        raise ValueError(
            "the kernel overflows on these examples; scale the features, or take a lower degree."
        )
    values = X.data if sp.issparse(X) else X
    if np.abs(norms2).max() < VANISHING and values.dtype != object and values.any():
        raise ValueError(
            "the kernel is next to nothing on these examples, so that rounding hides it; scale "
            "the features, for instance with StandardScaler."
        )


def _places(before: Any, X: Any, similarity: Any) -> tuple[Any, Array]:
    """Examples from before that X does not have, and the number that each of all gets."""
    if before is None:
        return None, np.zeros(0, np.int64)
    if isinstance(similarity, Precomputed):
        if len(before) and before.max() >= X.shape[0]:
            raise ValueError("warm_start needs the examples of the fit before, in their order.")
        return None, np.asarray(before)
    if before.shape[1:] != X.shape[1:]:
        raise ValueError(
            f"what was learned has examples of the shape {before.shape[1:]}, these have "
            f"{X.shape[1:]}; fit anew."
        )
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
    return object() if X.dtype == object else X[i].tobytes()  # equality of objects is unknown
