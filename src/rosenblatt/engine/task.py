"""A learning task: the runs that a classifier needs for its classes, side by side.

Two classes need one run, and so do many with the native multi-class rule; one-vs-rest needs one
for each class.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite, nan
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from rosenblatt.engine import inputs
from rosenblatt.engine.run import Pass, Run
from rosenblatt.models import Jury, Linear, Votes
from rosenblatt.theory import rules, spaces
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.readouts import Last, Voted
from rosenblatt.theory.spaces import Array

VANISHING = 1e-280  # squares of lengths below lose their digits


@dataclass
class Carried:
    """What one run hands to the next when a stream goes on."""

    state: Array  # the hypothesis: a row for each score, then what else it holds
    counters: Counters
    passes: list[Pass]
    readout: Last
    from_zero: bool
    votes: Any  # of all hypotheses so far, or None
    memo: dict[str, Array]


class Facts(NamedTuple):
    """What an estimator may fit its rule to once the data are known."""

    dimension: int  # of a hypothesis, the bias and every class included
    examples: int
    mean: float  # <x, x> of an example, in the mean and
    widest: float  # at most, as it counts in a step
    streaming: bool


def two_at_least(classes: Array) -> None:
    """Refuse to learn from one class."""
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only, {classes.tolist()}; a classifier needs two. "
            "In partial_fit, announce the others with `classes`."
        )


class Task:
    """The runs of one fit."""

    p = 2.0  # of the norm in which examples are measured

    def watch(self, part: float) -> None:
        """Told, in a pass that is long, how much of it is done; an estimator may listen in."""

    def __init__(
        self,
        estimator: Any,
        settings: dict[str, Any],
        X: Any,
        y: Array,
        weights: Array | None,
        start: tuple[Array, Array] | None,
        classes: Array,
        stream: tuple[Array, list[Carried]] | None = None,
        streaming: bool = False,
    ) -> None:
        two_at_least(classes)
        self.X, self.y, self.classes, self.bias = X, y, classes, settings["bias"]
        self.kind = "binary" if len(classes) == 2 else estimator.multiclass
        rule = settings["rule"]
        p = self.p = inputs.power(settings["p"], self.bias, X)
        if self.kind == "native" and p != 2.0:
            raise ValueError("p other than 2 is for two classes; set multiclass='ovr' for more.")
        if self.kind == "native" and rules.prior(rule):
            raise ValueError(
                f"the rule {type(rule).__name__} is for two classes; set multiclass='ovr' for more."
            )
        if getattr(rule, "needs_dual", False):
            self._check_dual(estimator, start)
        if self.kind == "native" and estimator.threshold:
            raise ValueError("threshold is for two classes; set multiclass='ovr' or threshold=0.")
        if weights is not None and rules.whole(rule):
            weights = weights / weights.max()
        sizes = _checked_norms(X, self.bias, p)
        native = len(classes) if self.kind == "native" else 1
        twice = 2.0 if self.kind == "native" else 1.0  # an example stands against its rival
        facts = Facts(
            native * (X.shape[1] + (self.bias > 0)),
            len(y),
            twice * float(sizes.mean()),
            twice * float(sizes.max()),
            streaming,
        )
        rule = estimator._fitted(rule, facts)
        offset = 0.0 if self.bias else -estimator.threshold
        if self.kind == "native":
            scheme = estimator.scheme
            space = inputs.class_space(X, len(classes), self.bias, scheme, rule, sizes)
            problems = [inputs.codes(y, classes)]
        else:
            space = inputs.binary_space(X, self.bias, offset, p, sizes)
            if rules.prior(rule):
                space = inputs.variance_space(space, rule)
            positives = classes[1:] if self.kind == "binary" else classes
            problems = [inputs.signs(y, positive) for positive in positives]
        if start is None and stream is None:
            start = estimator._opening(self, problems, sizes, weights, facts)
        if start is None and self.bias and estimator.threshold:
            start = (
                np.zeros((len(problems), X.shape[1])),
                np.full(len(problems), -estimator.threshold),
            )
        order = estimator._order()
        if order is None or streaming:
            order = "shuffled" if estimator.shuffle and not streaming else "cyclic"
        seeds = check_random_state(estimator.random_state).randint(2**31, size=len(problems))
        self.runs = [
            estimator._driver()(
                rule,
                spaces.own(space),
                problem,
                order=order,
                rng=int(seed),
                weights=weights,
                start=self._begin(space, start, number),
                readout=estimator._readout(streaming),
                count_errors=estimator.count_errors,
                keep=estimator.journal_size,
            )
            for number, (problem, seed) in enumerate(zip(problems, seeds, strict=True))
        ]
        self.streaming = streaming
        self.before: list[Any] = [None] * len(self.runs)
        if stream is not None:
            self._resume(*stream)

    def _check_dual(self, estimator: Any, start: tuple[Array, Array] | None) -> None:
        """A rule that takes steps back must know them all, each against the one rival there is."""
        if self.kind == "native":
            raise ValueError(
                "a rule with a dual coefficient for each example is for two classes; set "
                "multiclass='ovr' for more."
            )
        if start is not None or estimator.threshold:
            raise ValueError(
                "a rule with a dual coefficient for each example begins at zero; leave out "
                "coef_init, intercept_init, warm_start and threshold."
            )

    def _begin(self, space: Any, start: tuple[Array, Array] | None, number: int) -> Array | None:
        """The hypothesis that one run starts from."""
        if start is None:
            return None
        coef, intercept = start
        part = slice(None) if self.kind == "native" else slice(number, number + 1)
        scaled = intercept[part] / self.bias if self.bias else np.zeros(len(intercept[part]))
        rows: Array = np.column_stack([coef[part], scaled])
        return np.asarray(spaces.from_rows(space, rows))

    # --- a stream goes on -------------------------------------------------------------------

    def carry(self) -> tuple[Array, list[Carried]]:
        """What the next call of partial_fit goes on from."""
        carried = []
        for run, votes, passes in zip(self.runs, self._votes(), self._aligned(), strict=True):
            state = self._told(run, run.h)
            run.readout.carry(partial(self._told, run))
            parts = (state, run.n, passes, run.readout, run._from_zero, votes, run.memo())
            carried.append(Carried(*parts))
        return self.classes, carried

    def _told(self, run: Run, h: Array) -> Array:
        """A hypothesis in rows that the next task can read."""
        return np.asarray(spaces.as_state(run.space, h))

    def _understood(self, run: Run, state: Array) -> Array:
        """The inverse of `_told`, in this task's space."""
        return np.asarray(spaces.from_state(run.space, state))

    def _resume(self, known: Array, carried: list[Carried]) -> None:
        """Go on from an earlier task, whose classes may be fewer."""
        place = np.searchsorted(self.classes, known)
        grown = len(known) < len(self.classes)
        if grown and carried[0].votes is not None:
            raise ValueError(
                "a vote cannot take in new classes midway; announce all with `classes` in the "
                "first partial_fit, or use another readout."
            )
        if grown and len(known) == 2:
            carried = self._from_two(carried[0])
        for number, run in enumerate(self.runs):
            if self.kind == "native" or not grown:
                old = carried[number]
            elif number in place:
                old = carried[int(np.flatnonzero(place == number)[0])]
            else:
                run.passes = [Pass(0, 0, 0, 0)] * len(carried[0].passes)  # a new class
                continue

            def change(state: Array, run: Run = run) -> Array:
                if self.kind == "native" and grown:
                    wide = np.zeros((len(self.classes), state.shape[1]))
                    wide[place] = state
                    state = wide
                h = self._understood(run, state)
                if h.shape != run.h.shape:  # compiled code would read beyond its end
                    raise ValueError(
                        f"what was learned has the shape {h.shape}, these data and parameters "
                        f"need {run.h.shape}; a parameter was changed, or the file is wrong."
                    )
                return h

            run.h = change(old.state)
            run.readout = old.readout.twin()  # what goes wrong from here on leaves the old one be
            run.readout.carry(change)
            if grown:
                run.readout.widen()
            # Through a link the sum of the steps is known only as well as weights tell it.
            from_zero = old.from_zero and not grown and bool(spaces.linear(run.space))
            run.resume(old.counters, list(old.passes), from_zero)
            run.recall(old.memo)
            self.before[number] = old.votes

    def _from_two(self, old: Carried) -> list[Carried]:
        """A two-class run as the run, or runs, of many classes; the scores' difference stays."""
        if self.kind == "native":
            factors = [np.array([[-0.5], [0.5]])]
        else:
            # The score changes sides; what else a hypothesis holds, such as variances, does not.
            rest = np.ones((len(old.state) - 1, 1))
            factors = [np.vstack([[[side]], rest]) for side in (-1.0, 1.0)]
        result = []
        for factor in factors:
            readout = old.readout.twin()
            readout.carry(partial(np.multiply, factor))
            shorter = 0.5 if self.kind == "native" else 1.0
            counters = old.counters._replace(ww=shorter * old.counters.ww, sa=nan, upper=inf)
            parts = (factor * old.state, counters, list(old.passes), readout, False, None, old.memo)
            result.append(Carried(*parts))
        return result

    # --- learning ---------------------------------------------------------------------------

    def make_pass(self, jobs: int | None) -> None:
        """One pass of every run that may still change."""
        active = [run for run in self.runs if not run.settled]
        if jobs in (None, 1) or len(active) == 1:
            for run in active:
                run.advance()
            return
        with ThreadPoolExecutor(len(active) if jobs < 0 else jobs) as pool:
            list(pool.map(lambda run: run.advance(), active))

    @property
    def settled(self) -> bool:
        """Whether no run can change any more."""
        return all(run.settled for run in self.runs)

    @property
    def visits(self) -> int:
        """Visits of the longest run: one that settled early stands by its last hypothesis."""
        return max(run.n.t for run in self.runs)

    @property
    def converged(self) -> bool:
        # A stream's last batch says nothing of the batches before it.
        return not self.streaming and all(run.converged for run in self.runs)

    @property
    def reached(self) -> bool:
        """Whether every run has what its rule seeks, separated data or something else."""
        return all(run.converged or run.reached for run in self.runs)

    def passes(self, field: str) -> Array:
        """One number per pass, summed over the runs; -1 if one of them did not count."""
        table = [[getattr(p, field) for p in passes] for passes in self._aligned()]
        full = np.array(table)
        return np.where((full < 0).any(axis=0), -1, full.sum(axis=0))

    def _aligned(self) -> list[list[Pass]]:
        """The passes of each run; one that has settled rests, and its errors stay as they are."""
        width = max(len(run.passes) for run in self.runs)
        return [
            run.passes + [Pass(0, 0, 0, run.passes[-1].errors)] * (width - len(run.passes))
            for run in self.runs
        ]

    # --- results ----------------------------------------------------------------------------

    def linear(self, last: bool = False) -> Linear:
        """The readout's hypothesis, or the last one, as weights."""
        pairs = [
            spaces.weights(run.space, run.h if last else run.readout.hypothesis(run, self.visits))
            for run in self.runs
        ]
        coef, intercept = map(np.concatenate, zip(*pairs, strict=True))
        return Linear(coef, intercept)

    def _votes(self) -> list[Any]:
        return [self.crowd(run, before) for run, before in zip(self.runs, self.before, strict=True)]

    def crowd(self, run: Any, before: Any = None) -> Any:
        """The votes of a run, after those of the runs it goes on from."""
        if not isinstance(run.readout, Voted):
            return None
        updates = run.readout.updates()
        used, which = np.unique(updates.i, return_inverse=True)
        start = Linear(*spaces.weights(run.space, run.readout.start))
        signs = run.y[used].astype(np.int64)
        lives = run.readout.votes(self.visits)
        votes = Votes(start, self.X[used], self.bias, signs, updates._replace(i=which), lives)
        return votes if before is None else before.then(votes)

    def model(self) -> Any:
        """What predicts."""
        votes = [v for v in self._votes() if v is not None]
        if not votes:
            return self.linear()
        return votes[0] if len(votes) == 1 else Jury(votes)

    def fitted(self, model: Any = None) -> dict[str, Any]:
        """The attributes of a fitted estimator."""
        model = self.model() if model is None else model
        brackets = np.array([run.bracket for run in self.runs])
        lower = float(brackets[:, 0].min())
        if self.streaming:
            brackets[:, 0] = -inf
        journals = [run.journal() for run in self.runs]
        result = {
            "classes_": self.classes,
            "n_iter_": max(len(run.passes) for run in self.runs),
            "converged_": self.converged,
            "n_updates_": sum(run.n.k for run in self.runs),
            "pass_mistakes_": self.passes("mistakes"),
            "pass_errors_": self.passes("errors"),
            "radius_": max(run.radius for run in self.runs),
            "margin_bracket_": (float(brackets[:, 0].min()), float(brackets[:, 1].min())),
            "journal_": journals[0] if len(journals) == 1 else journals,
            "_model": model,
            "_examples": len(self.y),
            "_streamed": self.streaming,
            "_one_vs_rest": len(self.runs) > 1,
            "_p": self.p,
            "_separated": not self.streaming and all(run.separated for run in self.runs),
            # Of these examples alone; who sees all parts of a stream can put them together.
            "_part": (all(run.converged for run in self.runs), lower),
        }
        votes = [v for v in self._votes() if v is not None]
        if votes:
            result["votes_"] = votes[0].lives if len(votes) == 1 else [v.lives for v in votes]
        return result | self._hypotheses(model)

    def _hypotheses(self, model: Any) -> dict[str, Any]:
        """What was learned, as the space has it."""
        flat = model if isinstance(model, Linear) else self.linear()
        last = self.linear(last=True)
        return {
            "coef_": flat.coef,
            "intercept_": flat.intercept,
            "_last": (last.coef, last.intercept),
        }


def _checked_norms(X: Any, bias: float, p: float) -> Array:
    """Norms of the examples; they are finite only if all features are, so this checks both."""
    sizes = inputs.norms(X, bias, p)
    if not isfinite(sizes.sum()):
        inputs.all_finite("X", X)
        raise ValueError(
            "X holds numbers so large that their squares overflow; scale the features, "
            "for instance with StandardScaler."
        )
    if sizes.max() < VANISHING and (X.data if issparse(X) else X).any():
        raise ValueError(
            "X holds numbers so small that their squares vanish; scale the features, for instance "
            "with StandardScaler."
        )
    return sizes
