"""The leaderboard: results of a comparison on the same folds, best first."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isfinite, nan
from typing import Any

import numpy as np
from sklearn.base import clone

from rosenblatt.data.extras import extra
from rosenblatt.markup import card, table
from rosenblatt.theory.rounding import at_least, at_most
from rosenblatt.theory.spaces import Array


@dataclass(frozen=True)
class Row:
    """The results of one member: means over the folds, unless it failed."""

    name: str
    estimator: Any = field(repr=False)  # unfitted, with its scaler if there is one
    errors: Array  # held-out error of each fold; empty if it failed
    train_error: float = nan
    updates: float = nan
    seconds: float = nan  # per fit
    margin: tuple[float, float] = (-inf, inf)  # a bracket of the best margin of every fold
    separated: int = 0  # folds whose training part was separated
    note: str = ""  # what to know before trusting the results
    scores: Array = field(default_factory=lambda: np.zeros(0))  # of each fold, if scoring was given
    difference: float = nan  # mean of loss minus the best member's, over the same folds
    standard_error: float = nan  # of the difference
    may_be_best: bool = False  # whether the folds do not tell it from the best

    @property
    def losses(self) -> Array:
        """What ranks it on each fold, less is better: the error, or the score with a minus."""
        return -self.scores if len(self.scores) else self.errors

    @property
    def loss(self) -> float:
        """Mean loss."""
        return float(self.losses.mean()) if len(self.errors) else nan

    @property
    def score(self) -> float:
        """Mean score, where scoring was given."""
        return float(self.scores.mean()) if len(self.scores) else nan

    @property
    def result(self) -> str:
        """The error or the score, in words."""
        return f"score {self.score:.4f}" if len(self.scores) else f"error {percent(self.error)}"

    @property
    def error(self) -> float:
        """Mean held-out error."""
        return float(self.errors.mean()) if len(self.errors) else nan

    @property
    def spread(self) -> float:
        """Standard deviation of the held-out error over the folds."""
        return float(self.errors.std(ddof=1)) if len(self.errors) > 1 else nan

    @property
    def failed(self) -> bool:
        """Whether the fit failed, for the reason in `note`."""
        return not len(self.errors)


@dataclass(frozen=True)
class Leaderboard:
    """Members of the family on the same folds, best first; failed ones come last."""

    rows: list[Row]
    chance: float  # held-out error of always predicting the most frequent class
    examples: int
    features: int
    classes: int
    folds: int
    scoring: str | None = None  # what they are ranked by; None for the error

    @property
    def contenders(self) -> list[Row]:
        """The best member and those that the folds do not tell from it."""
        return [row for row in self.rows if row.may_be_best]

    @property
    def best(self) -> Any:
        """The estimator with the least error or highest score, unfitted, with its scaler."""
        if self.rows[0].failed:
            raise ValueError("no member could be fitted; see the notes of the rows.")
        return clone(self.rows[0].estimator)

    def records(self) -> list[dict[str, Any]]:
        """Return the table as a list of dictionaries."""
        return [
            {
                "member": row.name,
                "error": row.error,
                "spread": row.spread,
                **({} if self.scoring is None else {self.scoring: row.score}),
                "difference": row.difference,
                "standard error": row.standard_error,
                "may be best": row.may_be_best,
                "training error": row.train_error,
                "updates": row.updates,
                "seconds": row.seconds,
                "margin at least": row.margin[0],
                "margin at most": row.margin[1],
                "separated": row.separated,
                "note": row.note,
            }
            for row in self.rows
        ]

    def frame(self) -> Any:
        """Return the table as a pandas DataFrame; without pandas there is `records`."""
        with extra("notebook", "a frame"):
            import pandas as pd
        return pd.DataFrame(self.records())

    def _heading(self) -> str:
        count = len(self.contenders)
        verdict = f"{count} members may be best" if count > 1 else "one member is best"
        return (
            f"{self.examples:,} examples x {self.features:,} features · {self.classes} classes · "
            f"{self.folds} folds · predicting the most frequent class: error "
            f"{percent(self.chance)}" + (f" · {verdict} (marked *)" if self._compared else "")
        )

    @property
    def _compared(self) -> bool:
        """Whether there are several members, and folds enough to tell them apart."""
        return sum(isfinite(row.standard_error) for row in self.rows) > 1

    def _cells(self) -> list[list[str]]:
        head = ["", "member", *([self.scoring] if self.scoring else []), "error", "behind the best"]
        head += ["training", "updates", "seconds", "margin", "separated", "note"]
        table = [head]
        for place, row in enumerate(self.rows, 1):
            if row.failed:
                table.append(["", row.name, *[""] * (len(head) - 3), row.note])
                continue
            mark = "*" if row.may_be_best and self._compared else ""
            spread = f" ± {percent(row.spread)}" if isfinite(row.spread) else ""
            updates = f"{row.updates:,.0f}" if isfinite(row.updates) else ""
            cells = [f"{place}{mark}", row.name, *([f"{row.score:.4f}"] if self.scoring else [])]
            cells += [percent(row.error) + spread, self._behind(row), percent(row.train_error)]
            cells += [updates, f"{row.seconds:.3g}", _bracket(row.margin)]
            table.append([*cells, f"{row.separated} of {self.folds}", row.note])
        return table

    def _behind(self, row: Row) -> str:
        """How far a member is behind the best, with the standard error of that."""
        if row is self.rows[0] or not isfinite(row.standard_error):
            return ""
        if self.scoring:
            return f"{row.difference:.4f} ± {row.standard_error:.4f}"
        return f"{100 * row.difference:.2f} ± {percent(row.standard_error)}"

    def __str__(self) -> str:
        table = self._cells()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in table]
        return "\n".join([self._heading(), *lines])

    def _repr_html_(self) -> str:
        head, *body = self._cells()
        return card("Leaderboard", table(head, body, self._heading()))


def percent(fraction: float) -> str:
    """Return a fraction as a percentage with two decimals."""
    return f"{100 * fraction:.2f} %"


def _bracket(margin: tuple[float, float]) -> str:
    lower, upper = margin
    if not isfinite(upper):
        return ""
    top = at_most(upper, 3)
    return f"{at_least(lower, 3)} to {top}" if lower > 0 else f"at most {top}"
