"""The rounds of one fit, and what they leave behind."""

from __future__ import annotations

import time
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from rosenblatt.cluster import proof, record, shard
from rosenblatt.cluster.mix import Part, Stand
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.cluster.shard import Plan
from rosenblatt.engine.run import Pass
from rosenblatt.engine.task import Carried
from rosenblatt.models import Assembly, Jury, Linear, Votes
from rosenblatt.theory import rules, spaces
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.readouts import Averaged, Pocket
from rosenblatt.theory.spaces import Array


class Fit:
    """The rounds of one fit, and what they leave behind."""

    def __init__(
        self, rounds: Rounds, plan: Plan, held: Any, checkpoint: Any, watch: Any,
        recipe: Any = None,
    ) -> None:  # fmt: skip
        self.cluster, self.plan, self.held, self.watch = rounds, plan, held, watch
        self.recipe = recipe  # of files, whose labels are codes on the shards
        self.labels = plan.classes if recipe is None else recipe.classes[plan.classes]
        self.stands: list[Stand] = rounds.share(plan)
        self.before: list[list[dict[str, Any]]] | None = None  # of each shard, of each run
        self.rounds: list[dict[str, Any]] = []
        self.votes: list[list[Votes]] = [[] for _ in self.stands]
        self.best: tuple[int, list[Array]] | None = None  # of the pocket: errors, hypotheses
        self.lower, self.radius = -inf, 0.0
        self.converged = self.enough = False
        self.file = None if checkpoint is None else Path(checkpoint)
        if self.file is not None:
            self._recover()

    @property
    def alone(self) -> bool:
        """One shard: everything is as in a local run."""
        return self.plan.alone

    def go(self) -> None:
        """Round after round until nothing changes or the patience ends."""
        limit = self.plan.estimator._longest(
            sum(int(f["counts"].sum()) for f in self.cluster.facts)
        )
        while len(self.rounds) < limit and not self.converged and not self.enough:
            began = time.perf_counter()
            parts = self.cluster.passes(
                len(self.rounds), self.stands, self.before, ask=self._unknown
            )
            came = sum(part.moved.nbytes for part in parts)
            self._told(parts)
            self._take(parts)
            told: dict[str, Any] = {
                "visits": sum(part.visits for part in parts),
                "updates": sum(part.updates for part in parts),
                "mistakes": sum(part.mistakes for part in parts),
                "errors": self._errors(parts),
                "seconds": time.perf_counter() - began,
                "bytes": came,
                "by_shard": [
                    sum(one["made"] for one in of_shard) for of_shard in self.before or []
                ],
            }
            if self.held is not None:
                wrong, count = shard.wrong(self.held, self._predictor(), self.labels)
                told |= {"held_out": wrong / count, "held_rows": count}
            elif self.cluster.held:
                model = self.cluster.send(self._predictor())
                found = self.cluster.each(shard.held_wrong, model, self.plan.classes)
                wrong, count = (sum(column) for column in zip(*found, strict=True))
                told |= {"held_out": wrong / max(1, count), "held_rows": count}
            self.rounds.append(told)
            self.enough = all(stand.settled for stand in self.stands) and not self.converged
            self.watch(len(self.rounds), told)
            if self.file is not None:
                record.write(self.file, self)
        if self._unknown:
            self._learn(self.cluster.survey([stand.h for stand in self.stands]))

    @property
    def _unknown(self) -> bool:
        """Whether the errors of the last round are still to be told, by the next or at the end."""
        return bool(self.rounds) and self.rounds[-1]["errors"] is None

    def _told(self, parts: list[Part]) -> None:
        """Hear what shards say of the last mixture, if they were asked."""
        told = [[one.pop("survey", None) for one in part.shards] for part in parts]
        if told[0][0] is not None:
            self._learn([list(of_shard) for of_shard in zip(*told, strict=True)])

    def _take(self, parts: list[Part]) -> None:
        """Mix what came back."""
        fresh = []
        self.radius = max(one["radius"] for part in parts for one in part.shards)
        for place, (part, stand) in enumerate(zip(parts, self.stands, strict=True)):
            for one in part.shards:
                vote = one.pop("votes", None)
                if vote is not None:
                    self._vote(place, vote)
            norm2 = None
            if part.moved.summed and part.updates:
                h = part.moved.mixed(stand.h)
                norm2 = float((h * h).sum()) if self._flat and stand.from_zero else None
            fresh.append(part.stand(stand, norm2, self.radius))
        self.converged = all(
            part.updates == 0 and all(one["converged"] for one in part.shards) for part in parts
        )
        self.before = [list(of_shard) for of_shard in zip(*(p.shards for p in parts), strict=True)]
        self.stands = fresh
        self.separated = (self.alone or self.converged) and all(
            one["separated"] for part in parts for one in part.shards
        )
        if self.alone or self.converged:
            lows = [min(one["lower"] for one in part.shards) for part in parts]
            self.lower = max(self.lower, min(lows))

    @property
    def _flat(self) -> bool:
        """Whether |w| over the sum of the steps bounds the margin, w being what travels."""
        settings = self.plan.settings
        offset = self.plan.estimator.threshold and not settings["bias"]
        return not rules.prior(settings["rule"]) and settings["p"] == 2.0 and not offset

    def _vote(self, place: int, vote: Votes) -> None:
        votes = self.votes[place]
        if votes and self.alone:
            votes[0] = votes[0].then(vote)
        else:
            votes.append(vote)

    def _errors(self, parts: list[Part]) -> int | None:
        """Training errors of where the cluster now stands; -1 if they are not counted.

        None if they are still to be told: the next pass looks at all examples anyhow.
        """
        pocket = self.plan.estimator.readout == "pocket" and not self.alone
        if not self.plan.estimator.count_errors and not pocket:
            return -1
        if self.alone:
            return sum(one["errors"] for part in parts for one in part.shards)
        if not pocket:
            return None
        hypotheses = [stand.h for stand in self.stands]
        errors = self._survey(self.cluster.survey(hypotheses))
        if self.best is None or errors < self.best[0]:
            self.best = errors, [h.copy() for h in hypotheses]
        return errors

    def _learn(self, told: list[list[dict[str, Any]]]) -> None:
        self.rounds[-1]["errors"] = self._survey(told)

    def _survey(self, told: list[list[dict[str, Any]]]) -> int:
        """Errors of a mixture, by what each shard says of each run; its margin, if it separates."""
        errors = sum(run["errors"] for of_shard in told for run in of_shard)
        lower = min(run["lower"] for of_shard in told for run in of_shard)
        self.lower, self.separated = max(self.lower, lower), lower > 0
        return int(errors)

    def prove(self) -> None:
        """Check the separator on every shard in exact arithmetic; the bracket tells the margin."""
        flat = self._weights([stand.h for stand in self.stands])
        if self.plan.settings["p"] != 2.0 or self.plan.estimator.threshold:
            return
        found = self.cluster.each(
            proof.separated, flat.coef, flat.intercept, self.plan.classes,
            self.plan.settings["bias"], self.plan.estimator.multiclass,
        )  # fmt: skip
        self.proved = min(found)

    proved = -inf
    separated = False  # by where the cluster stands, proved

    # --- results ----------------------------------------------------------------------------

    def _weights(self, hypotheses: list[Array]) -> Linear:
        """Hypotheses as they travel, as weights and intercepts."""
        space = proof.space(self.cluster.facts[0], self.plan)
        pairs = [spaces.weights(space, h) for h in hypotheses]
        coef, intercept = map(np.concatenate, zip(*pairs, strict=True))
        return Linear(coef, intercept)

    def _read(self) -> list[Array]:
        """The hypotheses that the readout makes of the run."""
        readout = self.plan.estimator.readout
        longest = max(stand.visits for stand in self.stands)
        if readout == "averaged":
            read = []
            for stand in self.stands:
                if stand.total is None or not stand.visits:
                    read.append(stand.h)
                    continue
                rest = longest - stand.visits
                read.append((stand.total + rest * stand.h) / (stand.visits + rest))
            return read
        if readout == "pocket" and self.alone and self.before is not None:
            held = [one["readout"]["best"] for one in self.before[0]]
            return [h if h.size else stand.h for h, stand in zip(held, self.stands, strict=True)]
        if readout == "pocket" and self.best is not None:
            return self.best[1]
        return [stand.h for stand in self.stands]

    def _predictor(self) -> Any:
        """What predicts, as things stand."""
        if self.plan.estimator.readout != "voted":
            return self._weights(self._read())
        longest = max(stand.visits for stand in self.stands)
        members = []
        for votes, stand in zip(self.votes, self.stands, strict=True):
            last = votes[-1]
            lives = last.lives.copy()
            lives[-1] += longest - stand.visits  # a class that came to rest stands by its last
            last = Votes(last.start, last.supports, last.bias, last.signs, last.updates, lives)
            parts = [*votes[:-1], last]
            members.append(parts[0] if len(parts) == 1 else Assembly(parts))
        return members[0] if len(members) == 1 else Jury(members)

    def model(self, names: list[str] | None) -> Any:
        """The fitted local estimator."""
        estimator, plan = clone(self.plan.estimator), self.plan
        predictor, read = self._predictor(), self._weights(self._read())
        last = self._weights([stand.h for stand in self.stands])
        estimator.n_features_in_ = int(self.cluster.facts[0]["features"])
        if names is not None:
            estimator.feature_names_in_ = np.array(names, object)
        told = {
            "classes_": self.labels,
            "coef_": read.coef,
            "intercept_": read.intercept,
            "n_iter_": len(self.rounds),
            "converged_": self.converged,
            "n_updates_": sum(r["updates"] for r in self.rounds),
            "pass_mistakes_": np.array([r["mistakes"] for r in self.rounds]),
            "pass_errors_": np.array([r["errors"] for r in self.rounds]),
            "radius_": self.radius,
            "margin_bracket_": (
                max(self.lower, self.proved),
                min(stand.upper for stand in self.stands),
            ),
            "stopped_early_": False,
            "_model": predictor,
            "_last": (last.coef, last.intercept),
            "_examples": sum(int(f["counts"].sum()) for f in self.cluster.facts),
            "_streamed": False,
            "_one_vs_rest": len(self.stands) > 1,
            "_separated": self.separated,
            "_stream": self._carried(predictor),
        }
        if plan.estimator.readout == "voted":
            told["votes_"] = [
                np.concatenate([v.lives for v in votes]) for votes in self.votes
            ]  # fmt: skip
            if len(self.votes) == 1:
                told["votes_"] = told["votes_"][0]
        for name, value in told.items():
            setattr(estimator, name, value)
        return estimator

    def _carried(self, predictor: Any) -> tuple[Array, list[Carried]] | None:
        """What partial_fit goes on from; None for votes of several shards, which are no course."""
        members = predictor.votes if isinstance(predictor, Jury) else [predictor]
        if any(isinstance(member, Assembly) for member in members):
            return None
        space = proof.space(self.cluster.facts[0], self.plan)
        passes = [Pass(r["visits"], r["updates"], r["mistakes"], r["errors"]) for r in self.rounds]
        carried = []
        for place, (stand, read) in enumerate(zip(self.stands, self._read(), strict=True)):
            readout = self.plan.estimator._readout(streaming=True)
            if isinstance(readout, Averaged) and stand.total is not None:
                readout.total = spaces.as_state(space, stand.total)
                readout.visits = readout.end = stand.visits
            elif isinstance(readout, Pocket):
                readout.best, readout.longest = spaces.as_state(space, read), 1
            counts = [
                one["counters"] for one in (of_shard[place] for of_shard in self.before or [])
            ]
            updates, mistakes = (sum(count[k] for count in counts) for k in (1, 2))
            votes = None if isinstance(predictor, Linear) else members[place]
            counters = Counters(
                stand.visits, updates, mistakes, sa=stand.sa, upper=stand.upper, drift=stand.drift
            )
            state = spaces.as_state(space, stand.h)
            carried.append(
                Carried(state, counters, list(passes), readout, stand.from_zero, votes, {})
            )
        return self.labels, carried

    # --- stop here, go on elsewhere ---------------------------------------------------------

    def _recover(self) -> None:
        if self.plan.estimator.readout == "voted":
            raise ValueError("a vote keeps every update, too much for a checkpoint; leave it out.")
        assert self.file is not None
        if self.file.exists():
            record.read(self.file, self)


def words(number: int, told: dict[str, Any]) -> str:
    """A round in a line."""
    line = f"round {number}: {told['updates']:,} updates, {told['mistakes']:,} mistakes"
    if told["errors"] is not None and told["errors"] >= 0:
        line += f", {told['errors']:,} training errors after mixing"
    if "held_out" in told:
        line += f", held-out error {100 * told['held_out']:.2f} %"
    return f"{line} · {told['visits'] / max(told['seconds'], 1e-9):,.0f} rows/s"
