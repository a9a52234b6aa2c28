"""The estimator of the cluster: any linear member of the family, its rounds mixed."""

from __future__ import annotations

import time
import warnings
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from rosenblatt import orders, rules, spaces
from rosenblatt.classifier import PerceptronClassifier
from rosenblatt.cluster import proof, record, shard
from rosenblatt.cluster.blocks import blocks
from rosenblatt.cluster.mix import MIXINGS, Part, Stand
from rosenblatt.cluster.rounds import Rounds, connected
from rosenblatt.cluster.shard import Plan
from rosenblatt.models import Assembly, Jury, Linear, Votes
from rosenblatt.spaces import Array


class DistributedPerceptron(ClassifierMixin, BaseEstimator):
    """A linear member of the family on shards of the data, by iterative parameter mixing.

    In each round every shard makes one pass from the same weights; then the weights are mixed
    (McDonald, Hall & Mann 2010). Of separable data with margin g and radius R, mixing by mistakes
    needs at most (R/g)² rounds with an update, however many shards there are; uniform mixing at
    most (R/g)² times the shards. A round in which no shard makes an update proves that all data
    are separated. With one shard it is the local estimator, exactly.

    Parameters
    ----------
    estimator : estimator or None, default=None
        The member to learn with; None for an `AveragedPerceptron`.
    mixing : {"uniform", "mistakes"}, default="uniform"
        Every shard counts alike, or by the updates that it made.
    shards : int or None, default=None
        Parts to make of data that are in memory here; two by default. Dask collections and lists
        of shards keep their own.
    client : dask.distributed.Client, str or None, default=None
        Where to run: a client, the address of a scheduler, "local:4" for four processes here, or
        None for one process a core, ended after the fit.
    checkpoint : path or None, default=None
        A file that holds the state after each round. If it is there, `fit` goes on from it.
    verbose : int, default=0
        Tell of each round.

    Attributes
    ----------
    model_ : estimator
        The fitted local estimator; it predicts, and is saved and loaded, without Dask.
    rounds_ : list of dict
        Visits, updates (of all and of each shard), mistakes and seconds of each round, and the
        bytes of weights that came back.

    Examples
    --------
    >>> from rosenblatt.cluster import DistributedPerceptron  # doctest: +SKIP
    >>> clf = DistributedPerceptron(client="local:2").fit(X, y)  # doctest: +SKIP
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        mixing: str = "uniform",
        shards: int | None = None,
        client: Any = None,
        checkpoint: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.mixing = mixing
        self.shards = shards
        self.client = client
        self.checkpoint = checkpoint
        self.verbose = verbose

    # --- learning ---------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any = None, *, target: str | None = None, X_val: Any = None,
        y_val: Any = None,
    ) -> DistributedPerceptron:  # fmt: skip
        """Learn from shards.

        Parameters
        ----------
        X : Dask array or data frame, list of pairs (X, y), array or sparse matrix
            Examples, or shards of them with their labels, delayed or not.
        y : Dask array, series or array, optional
            Labels, where X does not hold them.
        target : str, optional
            The column of a data frame that holds the labels.
        X_val, y_val : arrays, optional
            Held-out examples; their error is told after each round.

        Returns
        -------
        self
        """
        estimator = self._member()
        settings = estimator._settings()
        parts = blocks(X, y, self.shards, target)
        with connected(self.client) as client:
            rounds = Rounds(client, parts)
            plan = self._plan(estimator, settings, rounds)
            held = None if X_val is None else shard.Shard(X_val, np.asarray(y_val), "X_val")
            fit = Fit(rounds, plan, held, self.checkpoint, self.verbose)
            fit.go()
            if fit.converged:
                fit.prove()
        names = list(X.columns) if hasattr(X, "columns") else None
        if names is not None:
            names = [name for name in names if name != target]
        self.model_ = fit.model(names)
        self.rounds_ = fit.rounds
        for name, value in vars(self.model_).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(self, name, value)
        if not fit.converged and not fit.enough:
            warnings.warn(
                f"the shards still made {fit.rounds[-1]['updates']:,} updates in round "
                f"{len(fit.rounds)}. Raise max_iter of the estimator, or take an averaged readout "
                "if no hyperplane separates the classes.",
                ConvergenceWarning, stacklevel=2,
            )  # fmt: skip
        return self

    def _member(self) -> Any:
        from rosenblatt.estimators import AveragedPerceptron

        member = AveragedPerceptron() if self.estimator is None else clone(self.estimator)
        name = type(member).__name__
        if self.mixing not in MIXINGS:
            raise ValueError(f"mixing={self.mixing!r} is not known; take one of {MIXINGS}.")
        if not isinstance(member, PerceptronClassifier):
            raise TypeError(f"{name} is not a member of the family; take AveragedPerceptron, say.")
        kind, base = type(member), PerceptronClassifier
        whole = (
            kind._fitted is not base._fitted
            or kind._driver is not base._driver
            or kind._task is not base._task
            or orders.picks(member._order())
            or getattr(member._rule(), "needs_dual", False)
        )
        if whole:
            raise ValueError(
                f"{name} looks at all examples at once, so it cannot learn on shards; take a "
                "member that learns one example after the other."
            )
        if member.early_stopping or member.warm_start:
            raise ValueError(
                "early_stopping and warm_start are for one machine; give fit X_val and y_val, or "
                "a checkpoint."
            )
        return member

    def _plan(self, estimator: Any, settings: dict[str, Any], rounds: Rounds) -> Plan:
        facts = rounds.facts
        widths = {fact["features"] for fact in facts}
        if len(widths) > 1:
            few, many = (
                next(f for f in facts if f["features"] == w) for w in (min(widths), max(widths))
            )
            raise ValueError(
                f"{few['where']} has {few['features']} features and {many['where']} has "
                f"{many['features']}; all shards need the same."
            )
        classes = np.unique(np.concatenate([fact["labels"] for fact in facts]))
        if len(classes) < 2:
            raise ValueError(f"y holds one class only, {classes.tolist()}; a classifier needs two.")
        factors = None
        if estimator.class_weight is not None:
            if rules.whole(settings["rule"]):
                raise ValueError("this rule takes whole steps; leave out class_weight on shards.")
            counts = np.zeros(len(classes), int)
            for fact in facts:
                counts[np.searchsorted(classes, fact["labels"])] += fact["counts"]
            y = np.repeat(classes, counts)
            factors = compute_class_weight(estimator.class_weight, classes=classes, y=y)
        seed = estimator.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = int(check_random_state(seed).randint(2**31))
        estimator.random_state = int(seed)
        return Plan(
            rounds.token, estimator, settings, classes, int(seed), self.mixing, factors, None,
            alone=len(rounds) == 1,
        )  # fmt: skip

    # --- prediction, by the local estimator -------------------------------------------------

    def predict(self, X: Any) -> Array:
        """Labels."""
        check_is_fitted(self, "model_")
        return np.asarray(self.model_.predict(X))

    def decision_function(self, X: Any) -> Array:
        """Scores: one for each example with two classes, else one for each class."""
        check_is_fitted(self, "model_")
        return np.asarray(self.model_.decision_function(X))

    def summary(self) -> str:
        """What was learned and what is proved, in a few lines."""
        check_is_fitted(self, "model_")
        return str(self.model_.summary())


class Fit:
    """The rounds of one fit, and what they leave behind."""

    def __init__(
        self, rounds: Rounds, plan: Plan, held: Any, checkpoint: Any, verbose: int
    ) -> None:
        self.cluster, self.plan, self.held, self.verbose = rounds, plan, held, verbose
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
            parts = self.cluster.passes(len(self.rounds), self.stands, self.before)
            came = sum(part.moved.nbytes for part in parts)
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
                wrong, count = shard.wrong(self.held, self._predictor(), self.plan.classes)
                told["held_out"] = wrong / count
            self.rounds.append(told)
            self.enough = all(stand.settled for stand in self.stands) and not self.converged
            if self.verbose:
                print(_words(len(self.rounds), told), flush=True)
            if self.file is not None:
                record.write(self.file, self)

    def _take(self, parts: list[Part]) -> None:
        """Mix what came back."""
        fresh = []
        for place, (part, stand) in enumerate(zip(parts, self.stands, strict=True)):
            for one in part.shards:
                vote = one.pop("votes", None)
                if vote is not None:
                    self._vote(place, vote)
            squared = None
            if part.moved.summed and part.updates:
                h = part.moved.mixed(stand.h)
                squared = float((h * h).sum()) if self._flat else None
            fresh.append(part.stand(stand, squared))
        self.converged = all(
            part.updates == 0 and all(one["converged"] for one in part.shards) for part in parts
        )
        self.before = [list(of_shard) for of_shard in zip(*(p.shards for p in parts), strict=True)]
        self.stands = fresh
        self.radius = max(one["radius"] for part in parts for one in part.shards)
        if self.alone or self.converged:
            lows = [min(one["lower"] for one in part.shards) for part in parts]
            self.lower = max(self.lower, min(lows))

    @property
    def _flat(self) -> bool:
        """Whether <w, w> is the sum of the squares of the hypothesis as it travels."""
        return not rules.prior(self.plan.settings["rule"]) and self.plan.settings["p"] == 2.0

    def _vote(self, place: int, vote: Votes) -> None:
        votes = self.votes[place]
        if votes and self.alone:
            votes[0] = votes[0].then(vote)
        else:
            votes.append(vote)

    def _errors(self, parts: list[Part]) -> int:
        """Training errors of where the cluster now stands; -1 if they are not counted."""
        pocket = self.plan.estimator.readout == "pocket" and not self.alone
        if not self.plan.estimator.count_errors and not pocket:
            return -1
        if self.alone:
            return sum(one["errors"] for part in parts for one in part.shards)
        hypotheses = [stand.h for stand in self.stands]
        told = self.cluster.survey(hypotheses)
        errors = sum(run["errors"] for of_shard in told for run in of_shard)
        if all(run["clear"] for of_shard in told for run in of_shard):
            runs = zip(*told, strict=True)
            lows = [min(run["low"] / sqrt(run["squared"]) for run in of_run) for of_run in runs]
            self.lower = max(self.lower, min(lows))
        if pocket and (self.best is None or errors < self.best[0]):
            self.best = errors, [h.copy() for h in hypotheses]
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
        uppers = [
            sqrt(stand.bw) / stand.bs if stand.from_zero and stand.bw < inf else inf
            for stand in self.stands
        ]
        estimator.n_features_in_ = int(self.cluster.facts[0]["features"])
        if names is not None:
            estimator.feature_names_in_ = np.array(names, object)
        told = {
            "classes_": plan.classes,
            "coef_": read.coef,
            "intercept_": read.intercept,
            "n_iter_": len(self.rounds),
            "converged_": self.converged,
            "n_updates_": sum(r["updates"] for r in self.rounds),
            "pass_mistakes_": np.array([r["mistakes"] for r in self.rounds]),
            "pass_errors_": np.array([r["errors"] for r in self.rounds]),
            "radius_": self.radius,
            "margin_bracket_": (max(self.lower, self.proved), min(*uppers, self.radius)),
            "stopped_early_": False,
            "_model": predictor,
            "_last": (last.coef, last.intercept),
            "_examples": sum(int(f["counts"].sum()) for f in self.cluster.facts),
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

    # --- stop here, go on elsewhere ---------------------------------------------------------

    def _recover(self) -> None:
        if self.plan.estimator.readout == "voted":
            raise ValueError("a vote keeps every update, too much for a checkpoint; leave it out.")
        assert self.file is not None
        if self.file.exists():
            record.read(self.file, self)


def _words(number: int, told: dict[str, Any]) -> str:
    line = f"round {number}: {told['updates']:,} updates, {told['mistakes']:,} mistakes"
    if told["errors"] >= 0:
        line += f", {told['errors']:,} training errors after mixing"
    if "held_out" in told:
        line += f", held-out error {100 * told['held_out']:.2f} %"
    return f"{line} · {told['visits'] / max(told['seconds'], 1e-9):,.0f} rows/s"
