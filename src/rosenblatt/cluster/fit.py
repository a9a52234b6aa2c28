"""The rounds of one fit, and the outcome that they lead to."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.cluster import checkpoint, proof, shard
from rosenblatt.cluster.mix import Part, Report, Survey
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.cluster.shard import RoundPlan
from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.state import Pass, RunState, State
from rosenblatt.models import Linear, PerClass, Sum, VotedRuns
from rosenblatt.theory import spaces
from rosenblatt.theory.readouts import Voted
from rosenblatt.theory.spaces import Array


@dataclass
class Mixture:
    """The part of a run that a readout needs: its current hypothesis."""

    h: Array


class Fit:
    """The rounds of one fit."""

    def __init__(
        self, rounds: Rounds, plan: RoundPlan, estimator: Any, held_out: Any, file: Any,
        on_round: Any, recipe: Any = None,
    ) -> None:  # fmt: skip
        self.cluster, self.rounds_plan, self.plan = rounds, plan, plan.plan
        self.estimator, self.held_out, self.on_round = estimator, held_out, on_round
        self.recipe = recipe  # of files, whose labels are codes on the shards
        classes = plan.plan.classes
        self.labels = classes if recipe is None else recipe.classes[classes]
        self.states: list[RunState] = rounds.share(plan, estimator)
        self.settled = [False] * len(self.states)  # a whole round changed nothing
        self.reports: list[list[Report]] | None = None  # of each shard, of each run
        self.rounds: list[dict[str, Any]] = []
        self.votes: list[list[VotedRuns]] = [[] for _ in self.states]
        self.lower, self.proved, self.radius = -inf, -inf, 0.0
        self.converged = self.separated = False
        self.file = None if file is None else Path(file)
        if self.file is not None:
            self._recover()
        self._plateaus = self.plan.new_plateaus(len(self.states))
        self.stalled = self._stalled()  # whether the rounds of each run no longer get better

    @property
    def finished(self) -> bool:
        """Whether no run makes a further round."""
        return all(self._resting)

    @property
    def _resting(self) -> list[bool]:
        """Whether each run makes no further round."""
        return [a or b for a, b in zip(self.settled, self.stalled, strict=True)]

    @property
    def at_rest(self) -> bool:
        """Whether all runs have settled although the data are not separated."""
        return all(self.settled) and not self.converged

    # --- rounds -------------------------------------------------------------------------------

    def run(self) -> None:
        """Make rounds until they change nothing, get no better, or max_iter is reached."""
        while len(self.rounds) < self.plan.max_passes and not self.converged and not self.finished:
            self._round()
            self.on_round(len(self.rounds), self.rounds[-1])
            if self.file is not None:
                checkpoint.write(self.file, self)
        if self._unsurveyed:
            found = self.cluster.survey([state.hypothesis for state in self.states])
            self.rounds[-1]["errors"] = self._survey(found)

    def _round(self) -> None:
        began = time.perf_counter()
        parts = self.cluster.passes(
            len(self.rounds), self.states, self._resting, self.reports, ask=self._unsurveyed
        )
        received = sum(part.moved.nbytes for part in parts)
        if parts[0].surveys:
            by_shard = zip(*(part.surveys for part in parts), strict=True)
            self.rounds[-1]["errors"] = self._survey([list(one) for one in by_shard])
        self._mix(parts)
        made: dict[str, Any] = {
            "visits": sum(part.counters.t for part in parts),
            "updates": sum(part.counters.k for part in parts),
            "mistakes": sum(part.counters.mistakes for part in parts),
            "errors": self._errors(parts),
            "seconds": time.perf_counter() - began,
            "bytes": received,
            "by_shard": [sum(one.made for one in of_shard) for of_shard in self.reports or []],
        }
        self.rounds.append(made | self._held_out_error())

    @property
    def _unsurveyed(self) -> bool:
        """Whether the errors of the last round are not known yet: the next round asks for them."""
        return bool(self.rounds) and self.rounds[-1]["errors"] is None

    def _held_out_error(self) -> dict[str, Any]:
        """The error on held-out examples, here or on the shards; nothing if there are none."""
        if self.held_out is not None:
            wrong, count = shard.wrong(self.held_out, self.predictor(), self.labels)
        elif self.cluster.share_held_out:
            model = self.cluster.send(self.predictor())
            found = self.cluster.each(shard.held_out_wrong, model, self.plan.classes)
            wrong, count = (sum(column) for column in zip(*found, strict=True))
        else:
            return {}
        return {"held_out": wrong / max(1, count), "held_rows": count}

    def _mix(self, parts: list[Part]) -> None:
        """Make one state of what came back."""
        reports = [one for part in parts for one in part.reports]
        self.radius = max(one.radius for one in reports)
        self.states = [
            self._mixed(place, part, state)
            for place, (part, state) in enumerate(zip(parts, self.states, strict=True))
        ]
        self.settled = [part.still for part in parts]
        self.stalled = self._stalled()
        updates = sum(part.counters.k for part in parts)
        self.converged = updates == 0 and all(one.converged for one in reports)
        known = self.rounds_plan.alone or self.converged  # else the mixture is another hypothesis
        self.separated = known and all(one.separated for one in reports)
        if known:
            self.lower = max(self.lower, min(one.lower for one in reports))
        by_shard = zip(*(part.reports for part in parts), strict=True)
        self.reports = [list(of_shard) for of_shard in by_shard]

    def _stalled(self) -> list[bool]:
        """Whether the rounds of each run no longer get better."""
        return self._plateaus.stalled([state.passes for state in self.states], self.settled)

    def _mixed(self, place: int, part: Part, state: RunState) -> RunState:
        """The state of one run after the round."""
        for votes in part.votes:
            self._vote(place, votes)
        fresh = part.mixed(state, self.plan.flat, self.radius)
        if part.counters.t:  # it was not at rest
            made = Pass(part.counters.t, part.counters.k, part.counters.mistakes, -1)
            fresh = replace(fresh, passes=[*state.passes, made])
        if self.rounds_plan.alone:
            return replace(fresh, readout=part.readout)
        fresh.readout.join([part.readout])
        return fresh

    def _vote(self, place: int, vote: VotedRuns) -> None:
        votes = self.votes[place]
        if votes and self.rounds_plan.alone:
            votes[0] = votes[0].then(vote)
        else:
            votes.append(vote)

    def _errors(self, parts: list[Part]) -> int | None:
        """Training errors of the current mixture; -1 if they are not counted.

        None if they are not known yet: the next pass looks at all examples anyhow.
        """
        unchanged = all(part.still for part in parts)
        if self.rounds_plan.alone or unchanged:  # the shards have looked at this hypothesis
            found = [one.errors for part in parts for one in part.reports]
            return -1 if min(found) < 0 else sum(found)
        if not self.plan.readout.wants_errors:
            return None if self.plan.count_errors else -1
        errors = self._survey(self.cluster.survey([state.hypothesis for state in self.states]))
        for state in self.states:
            state.readout.offer(state.hypothesis, errors)
        return errors

    def _survey(self, found: list[list[Survey]]) -> int:
        """Errors of a mixture on all shards; its margin, if it separates."""
        errors = sum(run.errors for of_shard in found for run in of_shard)
        lower = min(run.lower for of_shard in found for run in of_shard)
        self.lower, self.separated = max(self.lower, lower), lower > 0
        return int(errors)

    def prove(self) -> None:
        """Check the separator on every shard in exact arithmetic; the bracket gets its margin."""
        plan = self.plan
        if plan.p != 2.0 or plan.offset or plan.start is not None:
            return
        flat = self._weights([state.hypothesis for state in self.states])
        found = self.cluster.each(
            proof.separated, flat.coef, flat.intercept, plan.classes, plan.bias, plan.multiclass
        )
        self.proved = min(found)

    # --- results ------------------------------------------------------------------------------

    def _weights(self, hypotheses: list[Array]) -> Linear:
        """Hypotheses as they travel, as weights and intercepts."""
        space = proof.space(self.cluster.facts[0], self.plan)
        pairs = [spaces.weights(space, spaces.from_state(space, rows)) for rows in hypotheses]
        coef, intercept = map(np.concatenate, zip(*pairs, strict=True))
        return Linear(coef, intercept)

    @property
    def _most_visits(self) -> int:
        """Visits of the run that made most."""
        return max(state.counters.t for state in self.states)

    def _read(self) -> list[Array]:
        """The hypotheses that the readout makes of the rounds."""
        return [
            state.readout.hypothesis(
                Mixture(state.hypothesis),  # type: ignore[arg-type]
                self._most_visits if settled else state.counters.t,
            )
            for state, settled in zip(self.states, self.settled, strict=True)
        ]

    def predictor(self) -> Any:
        """What would predict now."""
        if not any(self.votes):
            return self._weights(self._read())
        members: list[Any] = []
        for votes, state in zip(self.votes, self.states, strict=True):
            # The last hypothesis of a class that has settled survives until all have.
            parts = [*votes[:-1], votes[-1].prolonged(self._most_visits - state.counters.t)]
            members.append(parts[0] if len(parts) == 1 else Sum(parts))
        return members[0] if len(members) == 1 else PerClass(members)

    def outcome(self) -> Outcome:
        """What the rounds have led to."""
        predictor, facts = self.predictor(), self.cluster.facts
        return Outcome(
            classes=self.labels,
            predictor=predictor,
            hypothesis=self._weights(self._read()),
            last=self._weights([state.hypothesis for state in self.states]),
            passes=len(self.rounds),
            converged=self.converged,
            stalled=self.finished and any(self.stalled),
            separated=self.separated,
            updates=sum(r["updates"] for r in self.rounds),
            pass_mistakes=np.array([r["mistakes"] for r in self.rounds]),
            pass_errors=np.array([r["errors"] for r in self.rounds]),
            radius=self.radius,
            bracket=(
                max(self.lower, self.proved),
                min(state.counters.upper for state in self.states),
            ),
            examples=sum(int(f["counts"].sum()) for f in facts),
            state=self._state(predictor),
            one_vs_rest=len(self.states) > 1,
            p=self.plan.p,
            stopped_early=False,
        )

    def _state(self, predictor: Any) -> State | None:
        """Return what partial_fit resumes from; None for votes of several shards."""
        members = predictor.members if isinstance(predictor, PerClass) else [predictor]
        if any(isinstance(member, Sum) for member in members):
            return None
        passes = [Pass(r["visits"], r["updates"], r["mistakes"], r["errors"]) for r in self.rounds]
        runs = []
        for place, state in enumerate(self.states):
            readout = state.readout.copy()
            readout.drop_examples()
            votes = members[place] if isinstance(members[0], VotedRuns) else None
            runs.append(replace(state, readout=readout, passes=list(passes), votes=votes))
        return State(self.labels, runs)

    # --- checkpoints --------------------------------------------------------------------------

    def _recover(self) -> None:
        assert self.file is not None
        if isinstance(self.plan.readout, Voted):
            raise ValueError("a vote keeps every update, too much for a checkpoint; leave it out.")
        if self.file.exists():
            checkpoint.read(self.file, self)


def describe_round(number: int, made: dict[str, Any]) -> str:
    """A round in a line."""
    line = f"round {number}: {made['updates']:,} updates, {made['mistakes']:,} mistakes"
    if made["errors"] is not None and made["errors"] >= 0:
        line += f", {made['errors']:,} training errors after mixing"
    if "held_out" in made:
        line += f", held-out error {100 * made['held_out']:.2f} %"
    return f"{line} · {made['visits'] / max(made['seconds'], 1e-9):,.0f} rows/s"
