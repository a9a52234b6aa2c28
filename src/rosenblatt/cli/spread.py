"""Fitting on a cluster: what `fit --cluster` does instead of streaming."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from rosenblatt.cli import tables
from rosenblatt.cli.app import plain, say
from rosenblatt.cluster import DistributedPerceptron, words
from rosenblatt.data.stream import learned
from rosenblatt.training import Tally

STATE = "rounds.npz"


class Spread:
    """Files to be learned on a cluster, with the recipe of their columns."""

    def __init__(
        self, data: str, target: str | None, text: list[str] | None, drop: list[str] | None,
        validate: str | None, budget: float,
    ) -> None:  # fmt: skip
        self.data, self.validate = data, validate
        self.source = tables.opened(data, target, text)
        options = {"target": target, "text": text or (), "drop": drop or ()}
        self.recipe = learned(self.source, budget, **options)
        tables.check_classes(self.recipe, self.source)
        self.shards = 0

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
            "shards": self.shards,
        }

    def fit(
        self, estimator: Any, cluster: str, shards: int | None, mixing: str,
        checkpoint: Path | None, resume: bool, quiet: bool,
    ) -> tuple[Any, list[Tally], float]:  # fmt: skip
        """The fitted local estimator, the rounds, and rows a second."""
        from sklearn.exceptions import ConvergenceWarning

        share, other = tables.part(self.validate)
        spread = DistributedPerceptron(
            estimator, mixing=mixing, shards=shards, client=cluster,
            checkpoint=_state(checkpoint, resume),
        )  # fmt: skip

        def watch(number: int, told: dict[str, Any]) -> None:
            if not quiet:
                say(words(number, told))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the summary says it
            spread.fit(
                self.data, recipe=self.recipe, X_val=other, validate=share, watch=watch
            )
        self.shards = len(spread.rounds_[-1]["by_shard"])
        seconds = sum(told["seconds"] for told in spread.rounds_)
        visits = sum(told["visits"] for told in spread.rounds_)
        return spread.model_, [_tally(told) for told in spread.rounds_], visits / max(seconds, 1e-9)


def _state(folder: Path | None, resume: bool) -> Path | None:
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
