"""The trainer: the only driver of passes, for arrays, for data in parts, and for a shard."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from rosenblatt.engine.kernel_runs import KernelRuns
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.plan import Examples, Plan
from rosenblatt.engine.plateau import Plateaus
from rosenblatt.engine.runs import Runs
from rosenblatt.engine.sequence_runs import SequenceRuns
from rosenblatt.engine.state import Parts, Pass, RunState, State, Tally, latest
from rosenblatt.models import Linear, Tagger

Start = tuple[RunState, dict[str, Any] | None]
"""Where a run begins a round, and the state of its random numbers; None restarts them."""


def make_runs(
    plan: Plan, examples: Examples, state: State | None = None, observers: Sequence[Observer] = ()
) -> Runs:
    """The runs of a plan over some examples, continuing a state if one is given."""
    kind: type[Runs] = Runs
    if plan.kernel is not None:
        kind = KernelRuns
    elif plan.sequences is not None:
        kind = SequenceRuns
    return kind(plan, examples, state, observers)


class Trainer:
    """Makes passes until they change nothing, an observer stops it, or `max_passes` is reached.

    It also ends when the passes no longer get better, by the counts that `Plateau` compares.

    Parameters
    ----------
    plan : Plan
    examples : Examples or Source
        All examples in memory, or data that come in parts: `parts(number)` gives those of a pass.
    state : State, optional
        What to continue from.
    observers : sequence of Observer
        Called after chunks, parts and passes.
    """

    def __init__(
        self, plan: Plan, examples: Any, state: State | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:  # fmt: skip
        self.plan, self.examples, self.observers = plan, examples, observers
        self.in_parts = not isinstance(examples, Examples)
        self.state = state
        self.runs: Runs | None = None
        self.history: list[Tally] = []
        self.parts, self.closed, self.finished = Parts(), Parts(), False
        if self.in_parts and state is not None:
            self.history, self.finished = list(state.history), state.finished
            self.parts, self.closed = replace(state.parts), state.closed
            self.parts.tally = replace(state.parts.tally)
        self.passes = len(self.history)  # made in this training
        self.stopped_by: list[Observer] = []
        self.preferred: Any = None  # what an observer would have predict, such as the best so far
        self.seconds, self.visited = 0.0, 0  # of learning, in this process
        self._part: Examples | None = None

    def train(self) -> Outcome:
        """Learn to the end."""
        if not self.in_parts or self.finished or self.passes >= self.plan.max_passes:
            self.prepared()
        for observer in self.observers:
            observer.on_start(self)
        while not self.finished and self.passes < self.plan.max_passes:
            self._pass()
            self.stopped_by = [one for one in self.observers if one.on_pass(self)]
            if self.stopped_by:
                break
        for observer in self.observers:
            observer.on_end(self)
        return self.outcome()

    def prepared(self) -> Runs:
        """The runs; of the first part, where none has been learned yet."""
        return self._runs_of(next(self.examples.parts(0))) if self.runs is None else self.runs

    def progress(self) -> Tally:
        """The pass under way over data in parts, or the last one if none is."""
        return self.parts.tally if self.parts.done or not self.history else self.history[-1]

    def make_round(self, starts: Sequence[Start | None]) -> Runs:
        """Make one pass of each run from a given start; a run without one rests.

        A shard of a cluster learns so: every round begins from a mixture of all shards.
        """
        runs = self.prepared()
        for run, start in zip(runs.runs, starts, strict=True):
            run.settled = start is None
            if start is not None:
                run.begin_round(*start)
        runs.make_passes(self._on_block)
        return runs

    # --- passes -------------------------------------------------------------------------------

    def _pass(self) -> None:
        """Make a pass; several at a time over examples in memory, if nobody looks at them."""
        if not self.in_parts:
            assert self.runs is not None
            most = 1 if self.observers else self.plan.max_passes - self.passes
            self.passes += self.runs.make_passes(self._on_block, most)
            self.finished = self.runs.rests
            return
        for place, part in enumerate(self.examples.parts(len(self.history))):
            if place >= self.parts.done:
                self._learn_part(part)
        if not self.parts.done:
            raise ValueError("there is no row to learn from.")
        self.prepared()  # a state may have been saved after the last part of a pass
        self._close()

    def _runs_of(self, part: Examples) -> Runs:
        """The runs over some examples, which continue from the state."""
        if self.runs is None or part is not self._part:
            self.runs = make_runs(self.plan, part, self.state, self.observers)
            self._part = part
        return self.runs

    def _learn(self, runs: Runs) -> Tally:
        """Make a pass over the examples of some runs."""
        active = [run for run in runs.runs if not run.rests]
        before, began, rows = runs.updates, time.perf_counter(), len(runs.examples.y)
        runs.make_passes(self._on_block)
        self.seconds += time.perf_counter() - began
        self.visited += rows
        mistakes = sum([run.passes[-1].mistakes for run in active])
        return Tally(rows, runs.updates - before, mistakes)

    def _learn_part(self, part: Examples) -> None:
        """Make a pass over one part, and count it towards the pass over all."""
        runs, parts = self._runs_of(part), self.parts
        made = self._learn(runs)
        parts.done += 1
        parts.tally.rows += made.rows
        parts.tally.updates += made.updates
        parts.tally.mistakes += made.mistakes
        parts.clean = parts.clean and runs.converged and not made.updates
        parts.lower = min(parts.lower, runs.bracket[0])
        parts.radius = max(parts.radius, *(run.radius for run in runs.runs))
        self.state = runs.export_state()
        self._on_block()

    def _on_block(self) -> None:
        """Call the observers after a part of a pass."""
        for observer in self.observers:
            observer.on_part(self)

    @cached_property
    def _plateau_of_parts(self) -> Plateaus:
        """The watch over passes that come in parts."""
        return self.plan.new_plateaus(1)

    def _close(self) -> None:
        """End a pass over several parts: make one pass of each run."""
        done = self.parts
        assert self.state is not None
        self.history.append(done.tally)
        self.passes = len(self.history)
        for run in self.state.runs:
            parts = run.passes[-done.done :]
            visits, updates, mistakes, _ = (sum(column) for column in zip(*parts, strict=True))
            left = 0 if done.clean else -1
            run.passes[-done.done :] = [Pass(visits, updates, mistakes, left)]
        (stalled,) = self._plateau_of_parts.stalled([self.history], [done.clean])
        self.finished = done.clean or stalled
        self.closed, self.parts = done, Parts()

    # --- results ------------------------------------------------------------------------------

    def export_state(self) -> State:
        """Everything that changes, to go on from here or elsewhere."""
        assert self.runs is not None
        if not self.in_parts or self.state is None:
            return self.runs.export_state()
        return replace(
            self.state,
            classes=self.plan.classes,
            history=self.history,
            parts=self.parts,
            closed=self.closed,
            finished=self.finished,
        )

    def predictor(self) -> Any:
        """What would predict if learning ended now."""
        assert self.runs is not None
        return self.runs.predictor() if self.preferred is None else self.preferred

    def outcome(self) -> Outcome:
        """What learning has led to so far."""
        runs, plan = self.runs, self.plan
        assert runs is not None
        if plan.streaming and not self.in_parts:
            for run in runs.runs:
                run.passes = latest(run.passes)
        (lower, upper), predictor = runs.bracket, self.predictor()
        outcome = Outcome(
            classes=plan.classes,
            predictor=predictor,
            hypothesis=predictor if isinstance(predictor, (Linear, Tagger)) else runs.hypotheses(),
            last=runs.hypotheses(last=True),
            passes=max(len(run.passes) for run in runs.runs),
            converged=not plan.streaming and runs.converged,
            separated=not plan.streaming and runs.separated,
            updates=runs.updates,
            pass_mistakes=runs.passes("mistakes"),
            pass_errors=runs.passes("errors"),
            radius=max(run.radius for run in runs.runs),
            bracket=(-inf if plan.streaming else lower, upper),
            examples=len(runs.examples.y),
            state=self.export_state(),
            streamed=plan.streaming,
            stalled=runs.stalled,
            one_vs_rest=len(runs.runs) > 1,
            p=plan.p,
            journals=[run.journal() for run in runs.runs],
            criterion=runs.criterion(),
            dual=runs.dual(),
            gap=None if runs.dual() is None else runs.gap(),
            **runs.details(),
        )
        return self._of_parts(outcome) if self.in_parts else outcome

    def _of_parts(self, outcome: Outcome) -> Outcome:
        """The outcome of passes over several parts: no part says anything of the others."""
        closed = self.closed
        outcome.passes = len(self.history)
        outcome.pass_mistakes = np.array([tally.mistakes for tally in self.history])
        outcome.pass_errors = np.full(len(self.history), -1)
        outcome.pass_errors[-1] = 0 if closed.clean else -1
        outcome.converged = outcome.separated = closed.clean
        outcome.radius, outcome.examples = closed.radius, closed.tally.rows
        outcome.streamed, outcome.stalled = False, self.finished and not closed.clean
        lower = closed.lower if closed.clean else -inf
        outcome.bracket = (lower, outcome.bracket[1])
        # These are of the last part alone, whose examples are gone.
        outcome.journals, outcome.criterion, outcome.dual, outcome.gap = [], None, None, None
        return outcome
