"""A fitted estimator beside the truth about its data; what all checks look at."""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tests.laws.claims.case import Case, Outcome, run
from tests.laws.claims.truth import Hypothesis, Truth

FIXED = {"AveragedPerceptron": "averaged", "VotedPerceptron": "voted", "PocketPerceptron": "pocket"}
PLAIN = ("Perceptron", *FIXED)  # estimators of Rosenblatt's own rule


class Broken(NamedTuple):
    """A claim that does not hold, and the numbers that show it."""

    claim: str
    detail: str


class Fit:
    """One outcome, with everything that checks share."""

    def __init__(self, case: Case, outcome: Outcome) -> None:
        self.case, self.clf, self.warned = case, outcome.estimator, outcome.warned
        self.streaming = "stream" in case.way
        self.truth = Truth(case, self.clf)
        self.recent = self.truth  # the examples of the last call
        if self.streaming:
            self.recent = Truth(case, self.clf, case.parts()[-1])

    @property
    def journals(self) -> list[Any]:
        """The journal of each problem."""
        journals = self.clf.journal_
        return journals if isinstance(journals, list) else [journals]

    @property
    def rule(self) -> str:
        """The rule by its name, where the estimator leaves the choice; a budget changes it."""
        if self.case.options.get("budget"):
            return ""
        if self.case.name in PLAIN:
            return "plain"
        if self.case.name in ("PerceptronClassifier", "KernelPerceptron"):
            return str(self.case.options.get("rule", "plain"))
        return ""

    @property
    def weighted(self) -> bool:
        return self.case.weights is not None or "class_weight" in self.case.options

    @property
    def from_zero(self) -> bool:
        """Whether learning began with zero weights, in this one call."""
        begins = self.case.start is None and not self.case.options.get("threshold")
        return begins and self.case.way == "fit" and self.case.name != "MaxOver"

    @property
    def readout(self) -> str:
        default = "averaged" if self.case.name == "KernelPerceptron" else "last"
        return FIXED.get(self.case.name, str(self.case.options.get("readout", default)))

    @cached_property
    def shows_last(self) -> Any:
        """An estimator whose weights are those of the last hypothesis: this one, or its twin."""
        seen = ("last", "voted") if hasattr(self.clf, "coef_") else ("last",)
        if self.readout in seen:
            return self.clf
        options = {k: v for k, v in self.case.options.items() if k not in ("ratchet", "normalise")}
        name = "Perceptron" if self.case.name in FIXED else self.case.name
        if name not in PLAIN:
            options["readout"] = "last"
        twin = run(replace(self.case, name=name, options=options)).estimator
        same = twin is not None and twin.n_updates_ == self.clf.n_updates_
        return twin if same else None

    @cached_property
    def last(self) -> Hypothesis | None:
        """The last hypothesis on all examples so far."""
        return self._margins(self.truth)

    @cached_property
    def last_on_recent(self) -> Hypothesis | None:
        """The last hypothesis on the examples of the last call."""
        return self._margins(self.recent) if self.streaming else self.last

    def one_more_pass(self, zeros: bool) -> int | None:
        """Updates of one more pass over all examples; None where that is another algorithm.

        Examples of length 0 are mistakes for ever, whatever the update; `zeros` counts them in.
        """
        other = self.case.name in ("AdaTron", "KernelPerceptron") or self.rule == "adatron"
        annealed = self.case.name == "ThermalPerceptron" and self.clf.annealing
        gram, more = self.truth.gram, copy.deepcopy(self.clf)
        rows = [i for place, i in enumerate(self.truth.kept) if zeros or gram[place][place]]
        balanced = self.case.options.get("class_weight") == "balanced"
        if other or annealed or balanced or not rows:
            return None
        X, y = self.case.X[rows], np.array(self.case.labels)[rows]
        weights = None if self.case.weights is None else np.array(self.case.weights)[rows]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                more.partial_fit(X, y, sample_weight=weights)
        except ValueError:  # the weights overflowed
            return None
        return int(more.n_updates_ - self.clf.n_updates_)

    def _margins(self, truth: Truth) -> Hypothesis | None:
        shown = self.shows_last
        if shown is None:
            return None
        if hasattr(shown, "coef_"):
            return truth.linear(shown.coef_, shown.intercept_)
        return truth.expansion(shown)
