"""The outcome of learning: what was learned and what is known of it, and the one writer of it.

A fitted estimator has nothing that does not come from here, whether it was trained in memory, from
a stream, on a cluster or read from a file.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rosenblatt.engine.state import LATEST, State
from rosenblatt.models import Expansion, Linear, PerClass, Sum, Tagger, VotedRuns
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.spaces import Array


@dataclass
class Outcome:
    """What learning has led to."""

    classes: Array
    predictor: Any  # what predicts
    hypothesis: Linear | Expansion | Tagger  # the readout's; with a vote, the last
    last: Linear | Expansion | Tagger
    passes: int
    converged: bool
    separated: bool  # the last hypothesis is proved to separate all training examples
    updates: int
    pass_mistakes: Array
    pass_errors: Array
    radius: float
    bracket: tuple[float, float]
    examples: int
    state: State | None  # None: learning cannot go on from here
    streamed: bool = False  # the examples of the last call are not all that were learned from
    stalled: bool = False  # learning ended since passes no longer got better
    one_vs_rest: bool = False
    p: float = 2.0  # of the norm
    stopped_early: bool | None = None
    validation_score: float | None = None
    journals: list[Journal] = field(default_factory=list)
    criterion: Array | None = None
    dual: Array | None = None
    gap: float | None = None
    support: Array | None = None
    support_vectors: Any = None
    lengths: Array | None = None  # in kernel form: |w| of each last hypothesis

    def attributes(self) -> dict[str, Any]:
        """The attributes of a fitted estimator; those that do not apply are left out."""
        flat, kernel = self.hypothesis, isinstance(self.hypothesis, Expansion)
        journals = self.journals
        named = {
            "outcome_": self,
            "classes_": self.classes if len(self.classes) else None,
            "n_iter_": self.passes,
            "converged_": self.converged,
            "n_updates_": self.updates,
            "pass_mistakes_": self.pass_mistakes,
            "pass_errors_": self.pass_errors,
            "radius_": self.radius,
            "margin_bracket_": self.bracket,
            "journal_": (journals[0] if len(journals) == 1 else journals) if journals else None,
            "votes_": _lives(self.predictor),
            "stopped_early_": self.stopped_early,
            "validation_score_": self.validation_score,
            "criterion_": self.criterion,
            "dual_": self.dual,
            "gap_": self.gap,
            "coef_": None if kernel else self._coef(),
            "intercept_": flat.intercept if isinstance(flat, Linear) else None,
            "transition_coef_": flat.transitions if isinstance(flat, Tagger) else None,
            "pair_coef_": flat.pair_transitions if isinstance(flat, Tagger) else None,
            "support_": self.support,
            "support_vectors_": self.support_vectors,
            "dual_coef_": flat.coef if kernel else None,
        }
        return {name: value for name, value in named.items() if value is not None}

    def _coef(self) -> Array:
        """Return the weights, in one row if a number is predicted, as scikit-learn has it."""
        coef: Array = self.hypothesis.coef
        return coef if len(self.classes) else coef[0]

    def continues(self, before: Outcome) -> None:
        """Take over what a further part of a stream does not renew, in bounded memory."""
        self.passes = before.passes + 1
        self.stopped_early = before.stopped_early
        self.validation_score = before.validation_score
        if self.criterion is not None and before.criterion is not None:
            self.criterion = np.concatenate([before.criterion, self.criterion])[-LATEST:]

    def relabelled(self, classes: Array) -> Outcome:
        """The same for a model that learned codes 0, 1, ..., with the classes they stand for."""
        state = None if self.state is None else replace(self.state, classes=classes)
        return replace(self, classes=classes, state=state)

    def write(self, estimator: Any) -> None:
        """Set the attributes of a fitted estimator; those of an earlier fit are removed."""
        attributes, old = vars(estimator), getattr(estimator, "outcome_", None)
        for name in () if old is None else old.attributes():
            del attributes[name]
        attributes.update(self.attributes())


def _lives(predictor: Any) -> Any:
    """Return the visits that each hypothesis survived; None if only one was kept."""
    if isinstance(predictor, PerClass):
        return [_lives(member) for member in predictor.members]
    if isinstance(predictor, Sum):
        return np.concatenate([_lives(part) for part in predictor.parts])
    if isinstance(predictor, VotedRuns):
        lives = [history.lives for history in predictor.histories]
        return lives[0] if len(lives) == 1 else lives
    return None
