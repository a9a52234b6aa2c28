"""A plan: everything about training that stays fixed.

An estimator turns its parameters and the facts of the data into a plan; after that the engine never
calls the estimator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse import issparse

from rosenblatt.engine import inputs
from rosenblatt.engine.plateau import Plateaus
from rosenblatt.theory import orders, rules, spaces
from rosenblatt.theory.readouts import Last, Readout
from rosenblatt.theory.spaces import Array

VANISHING = 1e-280  # squares of lengths below lose their digits
LARGE = 1 << 24  # bytes of a table that no cache keeps for the next pass
READINGS = 10  # of a table for which coarse copies of it pay


@dataclass(frozen=True)
class KernelPlan:
    """What learning in kernel form needs besides."""

    similarity: Any
    block: int  # examples that are scored at a time
    reading: str  # how the hypotheses are read, by the name that Freund & Schapire give it
    moment: float  # share of all visits after which a random reading takes its hypotheses
    policy: Any = None  # what to do when a budget is used up
    budget: int | None = None


@dataclass(frozen=True)
class SequencePlan:
    """What learning to label sequences needs besides."""

    allowed: Array  # for each transition, those from the beginning last, 0, or -inf to forbid it
    ends: Array  # the same for the last label
    order: int = 1  # how many labels a transition comes from


@dataclass(frozen=True)
class Plan:
    """What to learn with, and how."""

    rule: Any
    classes: Array  # none where numbers are predicted
    multiclass: str  # "binary", "native", "ovr" or "regression"
    seeds: tuple[int, ...]  # one for each run
    readout: Readout = field(default_factory=Last)  # each run gets a copy
    order: Any = "shuffled"
    scheme: str = "max"  # how wrong classes share the blame
    bias: float = 1.0
    offset: float = 0.0  # added to every score and never learned
    p: float = 2.0  # of the norm in which examples are measured
    start: tuple[Array, Array] | None = None  # weights and intercepts to start from
    max_passes: int = 100
    tol: float | None = None  # how much counts of passes must fall for learning to go on
    patience: int = 5  # the least number of passes that `plateau` compares
    count_errors: bool = False
    journal_size: int = 100_000
    jobs: int | None = None
    batch: bool = False  # one step per pass, on all examples at once
    max_hypotheses: int | None = None  # that a vote keeps, the latest ones
    criterion: bool = False  # measure the perceptron criterion after each pass
    streaming: bool = False  # the examples are a part of a stream: one pass, in their order
    proves: bool = True  # whether it matters that a part of a stream is separated
    kernel: KernelPlan | None = None
    sequences: SequencePlan | None = None
    epsilon: float = 0.0  # half the width of the tube in which a number counts as right

    def __post_init__(self) -> None:
        if len(self.classes) < 2 and not self.predicts_numbers:
            raise ValueError(
                f"y holds one class only, {self.classes.tolist()}; a classifier needs two. "
                "In partial_fit, announce the others with `classes`."
            )
        if self.multiclass == "native":
            self._check_native()
        if self.multiclass == "ovr" and self.max_hypotheses is not None:
            raise ValueError(
                "max_hypotheses is for two classes or multiclass='native': votes of one class "
                "against the rest compare only if all are kept."
            )
        if getattr(self.rule, "needs_dual", False):
            self._check_dual()

    def _check_native(self) -> None:
        if self.p != 2.0:
            raise ValueError("p other than 2 is for two classes; set multiclass='ovr' for more.")
        if rules.prior_variance(self.rule):
            raise ValueError(
                f"the rule {type(self.rule).__name__} is for two classes; set multiclass='ovr' for "
                "more."
            )
        if self.kernel is not None and self.kernel.budget is not None:
            raise ValueError("a budget is for two classes; set multiclass='ovr' for more.")

    def _check_dual(self) -> None:
        """A rule that takes steps back must know them all, each against the one rival there is."""
        if self.multiclass == "native":
            raise ValueError(
                "a rule with a dual coefficient for each example is for two classes; set "
                "multiclass='ovr' for more."
            )
        if self.start is not None or self.offset:
            raise ValueError(
                "a rule with a dual coefficient for each example begins at zero; leave out "
                "coef_init, intercept_init, warm_start and threshold."
            )

    def labellings(self, y: Array) -> list[Array]:
        """The labels of each run: class numbers, or signs of one class against the rest.

        The labels of sentences are in their space: a run has the sign of each.
        """
        if self.sequences is not None:
            return [y]
        if self.predicts_numbers:
            return [y.astype(np.float64)]
        if self.multiclass == "native":
            return [inputs.codes(y, self.classes)]
        positives = self.classes[1:] if self.multiclass == "binary" else self.classes
        return [inputs.signs(y, positive) for positive in positives]

    @property
    def predicts_numbers(self) -> bool:
        """Whether labels are numbers to predict, not classes."""
        return self.multiclass == "regression"

    @property
    def geometry(self) -> tuple[float, ...]:
        """What margins and lengths depend on, beside the examples."""
        return self.bias, self.offset, self.p

    @property
    def space(self) -> str:
        """The kind of space that the linear runs learn in, a name of `spaces.SPACES`."""
        if self.sequences is not None:
            return "sequences"
        if self.predicts_numbers:
            return "residuals"
        if self.multiclass == "native":
            return "classes"
        if self.multiclass not in ("binary", "ovr"):
            raise ValueError(f"multiclass={self.multiclass!r} is not known.")
        asked: str | None = getattr(self.rule, "space", None)
        if asked is not None:
            return asked
        if rules.prior_variance(self.rule):
            return "variances"
        return "linear" if self.p == 2.0 else "link"

    @property
    def levels_off(self) -> bool:
        """Whether counts of passes that fall no more mean that learning is at its end.

        Not where nearly every visit is chosen to be an update or a pass is one step, nor for a rule
        that knows its distance to an optimum, nor for a readout that any pass may improve.
        """
        one_by_one = not self.batch and not orders.picks(self.order)
        searches = self.readout.searches or rules.stopping_gap(self.rule) > 0
        return one_by_one and not searches

    def new_plateaus(self, runs: int) -> Plateaus:
        """A watch over the passes of some runs."""
        tol = self.tol if self.levels_off else None
        return Plateaus(runs, tol, self.patience, self.readout.counts_visits)

    @property
    def flat(self) -> bool:
        """Whether |w| over the sum of the steps bounds the margin, w being the weights."""
        return not rules.prior_variance(self.rule) and self.p == 2.0 and not self.offset


@dataclass(frozen=True)
class Examples:
    """Examples in memory, with their labels and weights."""

    X: Any
    y: Array
    weights: Array | None = None
    norms2: Array | None = None  # <x, x> of each, where it is known already
    visits: Array | None = None  # an order in which to visit each once; None: as planned

    def parts(self, number: int) -> Iterator[Examples]:
        """The parts of a pass: all examples at once."""
        yield self


class Source(Protocol):
    """Data that come in parts, the same in every pass of the same number."""

    classes: Array  # all labels, sorted
    files: Sequence[Path]  # that are read on the way, and must not be written to

    def parts(self, number: int) -> Iterator[Examples]:
        """The parts of a pass."""
        ...

    def held_out(self) -> Iterator[tuple[Any, Array]]:
        """Examples that are not learned; none if nothing is held out."""
        ...


class Facts(NamedTuple):
    """What a rule may depend on once the data are known."""

    dimension: int  # of a hypothesis, the bias and every class included
    examples: int
    mean: float  # <x, x> of an example, in the mean and
    largest: float  # at most, as it counts in a step
    streaming: bool


def measured(X: Any, bias: float, p: float) -> Array:
    """<x, x> of each example; they are finite only if all features are, so this checks both."""
    norms2 = inputs.norms2(X, bias, p)
    check_measured(X, norms2)
    return norms2


def check_measured(X: Any, norms2: Array) -> None:
    """Reject examples that are not finite, or too long or too short for floats."""
    if not isfinite(norms2.sum()):
        inputs.all_finite("X", X)
        raise ValueError(
            "X holds numbers so large that their squares overflow; scale the features, "
            "for instance with StandardScaler."
        )
    if norms2.max() < VANISHING and (X.data if issparse(X) else X).any():
        raise ValueError(
            "X holds numbers so small that their squares vanish; scale the features, for instance "
            "with StandardScaler."
        )


def measured_by_first_pass(plan: Plan, examples: Examples) -> bool:
    """Whether the first pass measures the examples: to read a large table once more takes long.

    As does another call of a loop for the few examples of a stream.
    Nobody may ask for their lengths before it is over.
    """
    plain = plan.space in ("linear", "classes", "residuals")
    measures = plain and not rules.prior_variance(plan.rule)
    in_loop = measures and plan.kernel is None and not plan.batch
    named = isinstance(plan.order, str) and plan.order in ("cyclic", "shuffled", "blocks")
    size = (examples.X.data if issparse(examples.X) else examples.X).nbytes
    worth_it = size >= LARGE or plan.streaming
    return worth_it and in_loop and named and examples.visits is None


def copied_coarsely(plan: Plan, examples: Examples) -> bool:
    """Whether the first pass also makes coarse copies, by which later visits are screened.

    To make them takes as long as two passes, and passes over them half the time, so that they pay
    where one run for each class reads the same examples.
    """
    linear = plan.space == "linear" and not issparse(examples.X) and not plan.offset
    screens = linear and rules.margin_limit(plan.rule) < inf and spaces.long_rows(examples.X)
    often = len(plan.seeds) > 2 and len(plan.seeds) * plan.max_passes >= READINGS
    return screens and often and not plan.streaming


def facts(X: Any, norms2: Array, bias: float, native: int, streaming: bool) -> Facts:
    """The facts of the data; `native` is the number of classes of a multi-class rule, else 0."""
    twice = 2.0 if native else 1.0  # an example stands against its rival
    return Facts(
        max(1, native) * (X.shape[1] + (bias > 0)),
        len(norms2),
        twice * float(norms2.mean()),
        twice * float(norms2.max()),
        streaming,
    )
