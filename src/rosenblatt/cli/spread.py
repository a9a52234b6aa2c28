"""Fitting on a cluster: what `fit --cluster` does instead of streaming."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from rosenblatt.cli import reading
from rosenblatt.cli.app import plain, say
from rosenblatt.cli.training import Tally
from rosenblatt.cluster import DistributedPerceptron, describe_round
from rosenblatt.data import learn_recipe

STATE = "rounds.npz"


class Spread:
    """Files to be learned on a cluster, with the recipe of their columns."""

    def __init__(
        self, spread: DistributedPerceptron, data: str, target: str | None,
        text: list[str] | None, drop: list[str] | None, validate: str | None, budget: float,
        ngrams: int,
    ) -> None:  # fmt: skip
        self.spread, self.data = spread, data
        self.share, self.held = reading.part(validate)
        self.source = reading.source_of(data, target, text)
        options = {"target": target, "text": text or (), "drop": drop or ()}
        self.recipe = learn_recipe(self.source, budget, ngrams=ngrams, **options)
        reading.check_classes(self.recipe.classes, self.source)

    def told(self) -> str:
        """What was read."""
        return f"reading {self.source.name}    {self.recipe.report()}"

    def origin(self) -> dict[str, Any]:
        """Where a model comes from; the digest if all bytes went by here."""
        known = all(file.digest for file in self.source.files)
        return {
            "data": self.source.name,
            "digest": self.source.digest() if known else None,
            "target": self.recipe.target_name,
            "shards": len(self.spread.rounds_[-1]["by_shard"]),
        }

    def fit(self, quiet: bool) -> tuple[Any, list[Tally], float]:
        """The fitted local estimator, the rounds, and rows a second."""
        from sklearn.exceptions import ConvergenceWarning

        spread = self.spread

        def watch(number: int, told: dict[str, Any]) -> None:
            if not quiet:
                say(describe_round(number, told))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the summary says it
            spread.fit(
                self.data, recipe=self.recipe, X_val=self.held, validate=self.share, watch=watch
            )
        seconds = sum(told["seconds"] for told in spread.rounds_)
        visits = sum(told["visits"] for told in spread.rounds_)
        return spread.model_, [_tally(told) for told in spread.rounds_], visits / max(seconds, 1e-9)


def state(folder: Path | None, resume: bool) -> Path | None:
    """The file of a cluster's checkpoint; a training that is there must be meant."""
    if folder is None:
        return None
    if (folder / STATE).exists() and not resume:
        raise ValueError(
            f"{folder} holds a training already; add --resume to go on with it, or name an empty "
            "folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    return folder / STATE


def _tally(told: dict[str, Any]) -> Tally:
    rows = told.get("held_rows", 0)
    wrong = round(told.get("held_out", 0.0) * rows)
    return Tally(*plain([told["visits"], told["updates"], told["mistakes"], rows, wrong]))
