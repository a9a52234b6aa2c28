"""The runs of one model over the same examples: one, or one for each class against the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import inf, nan
from typing import Any

import numpy as np

from rosenblatt.engine import inputs
from rosenblatt.engine.batch_run import BatchRun
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.plan import (
    Examples,
    Plan,
    check_measured,
    copied_coarsely,
    measured,
    measured_by_first_pass,
)
from rosenblatt.engine.plateau import Plateau
from rosenblatt.engine.run import Run
from rosenblatt.engine.spaces import build_space
from rosenblatt.engine.state import Pass, RunState, State, split_in_two
from rosenblatt.models import History, Linear, PerClass, VotedRuns
from rosenblatt.theory import orders, spaces
from rosenblatt.theory.readouts import Voted
from rosenblatt.theory.similarity import Similarity
from rosenblatt.theory.spaces import Array


class Runs:
    """Linear runs; `KernelRuns` has those in kernel form."""

    runs: Sequence[Any]

    def __init__(
        self, plan: Plan, examples: Examples, state: State | None, observers: Sequence[Observer]
    ) -> None:
        self.plan, self.examples, self.observers = plan, examples, observers
        order: Any = plan.order
        if examples.visits is not None:
            order = orders.permuted(examples.visits)
        self.order = order
        self._votes: tuple[Any, list[Any]] | None = None  # as they were after these visits
        self._unchecked: Array | None = None  # lengths that the first pass measures
        self.runs = self._make()
        self.votes_before: list[Any] = [None] * len(self.runs)
        if state is not None:
            self._resume(state)
        self._plateaus = plan.new_plateaus(len(self.runs))
        self._mark_stalled()

    def _make(self) -> Sequence[Run]:
        """The runs before they have learned anything."""
        plan, examples = self.plan, self.examples
        norms2, copied = examples.norms2, False
        alone = not self.observers and (len(plan.seeds) == 1 or plan.jobs in (None, 1))
        if norms2 is None and alone and measured_by_first_pass(plan, examples):
            norms2 = self._unchecked = np.full(len(examples.y), nan)
            copied = copied_coarsely(plan, examples)
        elif norms2 is None:
            norms2 = measured(examples.X, plan.bias, plan.p)
        space = build_space(plan, examples.X, norms2)
        if copied:
            space = inputs.with_coarse_copies(space)
        kind: Callable[..., Run] = BatchRun if plan.batch else Run
        return [
            kind(
                plan.rule,
                spaces.with_own_scratch(space),
                labels,
                order=self.order,
                rng=seed,
                weights=self.examples.weights,
                start=self._start(space, number),
                readout=plan.readout.copy(),
                count_errors=plan.count_errors,
                proves=plan.proves,
                keep=plan.journal_size,
                criterion=plan.criterion,
                observers=self.observers,
            )
            for number, (labels, seed) in enumerate(
                zip(plan.labellings(examples.y), plan.seeds, strict=True)
            )
        ]

    def _start(self, space: Any, number: int) -> Array | None:
        """The hypothesis that one run starts from."""
        if self.plan.start is None:
            return None
        coef, intercept = self.plan.start
        part = slice(None) if self.plan.multiclass == "native" else slice(number, number + 1)
        bias = self.plan.bias
        scaled = intercept[part] / bias if bias else np.zeros(len(intercept[part]))
        rows: Array = np.column_stack([coef[part], scaled])
        return np.asarray(spaces.from_rows(space, rows))

    # --- state out and in -------------------------------------------------------------------

    def export_state(self) -> State:
        """What learning on other examples goes on from."""
        runs = []
        for run, votes, passes in zip(self.runs, self.votes(), self._aligned(), strict=True):
            state = run.export_state(here=False)
            state.votes, state.passes = votes, passes
            runs.append(state)
        return State(self.plan.classes, runs, geometry=self.plan.geometry)

    def _check(self, state: State) -> None:
        """Reject a state that these runs cannot continue."""
        if (state.examples is None) != (self.plan.kernel is None):
            raise ValueError(
                "what was learned is in kernel form, or this is, but not both; fit anew."
            )
        same = np.array_equal(state.classes, self.plan.classes)
        if not same and not np.isin(state.classes, self.plan.classes).all():
            raise ValueError(
                f"what was learned has the classes {state.classes.tolist()}, which are not all "
                f"among {self.plan.classes.tolist()}; fit anew."
            )
        single, native = len(state.classes) < 3, self.plan.multiclass == "native"
        if not single and len(state.runs) != (1 if native else len(state.classes)):
            raise ValueError(
                "multiclass was changed since the last call; fit anew, or set it back."
            )

    def _in_this_geometry(self, one: RunState, geometry: tuple[float, ...]) -> RunState:
        """A state as the space of these runs has it; bounds hold in one geometry only."""
        if not geometry or geometry == self.plan.geometry:
            return one
        space = self.runs[0].space
        if geometry[2] != self.plan.p:

            def through_weights(rows: Array) -> Array:
                return np.asarray(spaces.as_state(space, spaces.from_rows(space, rows[:1])))

            one = one.converted(through_weights)
        return one.unbounded()

    def _resume(self, state: State) -> None:
        """Go on from an earlier state, whose classes may be fewer."""
        self._check(state)
        classes, known = self.plan.classes, state.classes
        place = np.searchsorted(classes, known)
        native, grown = self.plan.multiclass == "native", len(known) < len(classes)
        old = [self._in_this_geometry(one, state.geometry) for one in state.runs]
        if grown and old[0].votes is not None:
            raise ValueError(
                "a vote cannot take in new classes midway; announce all with `classes` in the "
                "first partial_fit, or use another readout."
            )
        if grown and len(known) == 2:
            old = split_in_two(old[0], native, self.runs[0].space)
        if grown and native:
            old = [old[0].converted(lambda rows: _widened(rows, place, len(classes)))]
        where = dict(zip(place.tolist(), old, strict=True)) if grown and not native else {}
        for number, run in enumerate(self.runs):
            if grown and not native and number not in where:
                run.passes = [Pass(0, 0, 0, 0)] * len(old[0].passes)  # a new class
                continue
            one = where.get(number) or old[number]
            run.import_state(one)
            if grown:
                run.readout.on_new_classes()
                run.from_zero = False
            self.votes_before[number] = one.votes

    # --- learning ---------------------------------------------------------------------------

    def make_passes(self, on_block: Callable[[], None], most: int = 1) -> int:
        """Make passes of every run that may still change, at most `most`; return how many."""
        pairs, jobs = zip(self.runs, self._plateaus.each, strict=True), self.plan.jobs or 1
        active = [(run, plateau) for run, plateau in pairs if not run.rests]
        parallel = jobs != 1 and len(active) > 1
        if self._plateaus.together or parallel:
            # Whether a run ends may depend on the others; and Ctrl-C waits for all threads.
            most = 1

        def learn(pair: tuple[Run, Plateau]) -> int:
            return self._make_passes(*pair, most)

        with self._checking_first_pass():
            if not parallel:
                made = [learn(pair) for pair in active]
            else:
                with ThreadPoolExecutor(len(active) if jobs < 0 else jobs) as pool:
                    made = list(pool.map(learn, active))
        self._mark_stalled()
        return max(made)

    @contextmanager
    def _checking_first_pass(self) -> Iterator[None]:
        """Check the examples that the first pass measures; they are the reason if it fails."""
        try:
            yield
        except ValueError:
            if self._unchecked is not None:
                inputs.all_finite("X", self.examples.X)
            raise
        if self._unchecked is not None:
            check_measured(self.examples.X, self._unchecked)
            self._unchecked = None

    def _make_passes(self, run: Run, plateau: Plateau, most: int) -> int:
        """Make passes of one run until it rests, at most `most`; return how many."""
        made = run.make_passes(most, plateau)
        while made < most and not run.settled and not plateau.reached(run.passes):
            made += run.make_passes(most - made, plateau)
        return made

    def _mark_stalled(self) -> None:
        """Let the runs rest whose passes no longer get better."""
        if self.plan.streaming:
            return  # passes over different examples: their counts do not compare
        passes, settled = [run.passes for run in self.runs], [run.settled for run in self.runs]
        for run, stalled in zip(self.runs, self._plateaus.stalled(passes, settled), strict=True):
            run.stalled = stalled

    @property
    def settled(self) -> bool:
        """Whether no run can change any more."""
        return all(run.settled for run in self.runs)

    @property
    def rests(self) -> bool:
        """Whether no run makes a further pass."""
        return all(run.rests for run in self.runs)

    @property
    def stalled(self) -> bool:
        """Whether learning ended since the passes of some run no longer got better."""
        return self.rests and any(run.stalled for run in self.runs)

    @property
    def visits(self) -> int:
        """Visits of the longest run."""
        return max(run.n.t for run in self.runs)

    def end(self, run: Any) -> int:
        """Visits to which a run's last hypothesis lives; of all runs if nothing can change it."""
        return self.visits if run.settled else int(run.n.t)

    @property
    def updates(self) -> int:
        """Updates of all runs."""
        return sum([run.n.k for run in self.runs])

    @property
    def converged(self) -> bool:
        """Whether every run has converged on these examples."""
        return all(run.converged for run in self.runs)

    @property
    def separated(self) -> bool:
        """Whether every run's last hypothesis is proved to separate these examples."""
        return all(run.separated for run in self.runs)

    @property
    def reached(self) -> bool:
        """Whether every run has what its rule seeks, or no longer came nearer to it."""
        return all(run.converged or run.reached or run.stalled for run in self.runs)

    @property
    def bracket(self) -> tuple[float, float]:
        """Bounds on the best margin, of the class that is hardest to separate."""
        lowers, uppers = zip(*(run.bracket for run in self.runs), strict=True)
        return float(min(lowers)), float(min(uppers))

    def passes(self, field: str) -> Array:
        """One number per pass, summed over the runs; -1 if one of them did not count."""
        place = Pass._fields.index(field)
        full = np.array([[p[place] for p in passes] for passes in self._aligned()])
        if len(full) == 1:
            return full[0]
        return np.where((full < 0).any(axis=0), -1, full.sum(axis=0))

    def _aligned(self) -> list[list[Pass]]:
        """The passes of each run; one that rests makes no mistake, and its errors stay."""
        if len(self.runs) == 1:
            return [list(self.runs[0].passes)]
        width = max(len(run.passes) for run in self.runs)
        return [
            run.passes + [Pass(0, 0, 0, run.passes[-1].errors)] * (width - len(run.passes))
            for run in self.runs
        ]

    def criterion(self) -> Array | None:
        """The perceptron criterion after each pass, summed over the runs."""
        curves = [run.criterion for run in self.runs]
        if curves[0] is None:
            return None
        total = np.zeros(max(map(len, curves)))
        for curve in curves:  # a settled run makes no mistake: its criterion is 0
            total[: len(curve)] += curve
        return total

    # --- results ----------------------------------------------------------------------------

    def hypotheses(self, last: bool = False) -> Any:
        """Return a model of the readout's hypotheses, or of the last ones."""
        pairs = [
            spaces.weights(run.space, run.h if last else run.readout.hypothesis(run, self.end(run)))
            for run in self.runs
        ]
        if len(pairs) == 1:
            return Linear(*pairs[0])
        coef, intercept = map(np.concatenate, zip(*pairs, strict=True))
        return Linear(coef, intercept)

    def votes(self) -> list[Any]:
        """Return the votes of each run, after those it resumed from; None without a vote."""
        moment = tuple(run.n.t for run in self.runs)
        if self._votes is None or self._votes[0] != moment:
            pairs = zip(self.runs, self.votes_before, strict=True)
            self._votes = moment, [self.run_votes(run, before) for run, before in pairs]
        return self._votes[1]

    def run_votes(self, run: Any, before: Any = None) -> Any:
        """Return all hypotheses of a run, after those it resumed from; None without a vote."""
        if not isinstance(run.readout, Voted):
            return None
        if run.readout.t0 < 0 and before is not None:
            return before  # no visit has been made since
        updates = run.readout.updates()
        used, which = np.unique(updates.i, return_inverse=True)
        start = Linear(*spaces.weights(run.space, run.readout.start))
        history = History(
            updates._replace(i=which),
            run.y[updates.i].astype(np.int32),
            run.readout.votes(self.visits),
            start=start,
        )
        inner_product = Similarity("linear", constant=self.plan.bias * self.plan.bias)
        supports = self.examples.X[used].astype(np.float64, copy=False)
        votes = VotedRuns(inner_product, supports, [history])
        votes = votes if before is None else before.then(votes)
        most = self.plan.max_hypotheses
        return votes if most is None else votes.latest(most)

    def predictor(self) -> Any:
        """Return the model that predicts."""
        votes = [v for v in self.votes() if v is not None]
        if not votes:
            return self.hypotheses()
        return votes[0] if len(votes) == 1 else PerClass(votes)

    def details(self) -> dict[str, Any]:
        """What an outcome has of linear runs alone."""
        return {}

    def dual(self) -> Array | None:
        """The coefficient of each example, for a rule that keeps them."""
        if not getattr(self.plan.rule, "needs_dual", False):
            return None
        return np.array([run.dual for run in self.runs])

    def gap(self) -> float:
        """How far the runs may be from what their rule seeks."""
        return inf if self.plan.streaming else max(run.optimality_gap for run in self.runs)


def _widened(rows: Array, place: Array, classes: int) -> Array:
    wide = np.zeros((classes, rows.shape[1]))
    wide[place] = rows
    return wide
