"""The journal: what the loop did, update by update.

Everything that can be known of a run is a fold of its updates: the last hypothesis, the averaged,
voted and pocket ones, the dual weights, a picture, a film.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

FORMAT = "rosenblatt-journal/1"


class Updates(NamedTuple):
    """Updates as parallel arrays: w <- c·w + a·(signed example i, against rival r) at visit t.

    When several rivals share the blame for one mistake, its visit has an entry for each.
    """

    t: Array  # visits before the update
    i: Array  # example
    r: Array  # rival class; 0 with two classes
    a: Array  # step
    c: Array  # scale of w before the step

    def part(self, start: int, stop: int) -> Updates:
        """Entries start to stop, without a copy."""
        if start == 0 and stop == len(self.t):
            return self
        t, i, r, a, c = self
        return Updates(t[start:stop], i[start:stop], r[start:stop], a[start:stop], c[start:stop])


def blank(size: int) -> Updates:
    """Room for `size` updates."""
    t, i = np.empty(size, np.int64), np.empty(size, np.int64)
    return Updates(t, i, np.empty(size, np.int32), np.empty(size), np.empty(size))


def joined(parts: list[Updates]) -> Updates:
    """Several stretches of updates as one."""
    return Updates(*map(np.concatenate, zip(*parts, strict=True))) if parts else blank(0)


def survivals(updates: Updates, start: int, stop: int) -> Array:
    """Visits for which each hypothesis was in force between visits `start` and `stop`.

    The first number is that of the hypothesis before the first update; a new hypothesis counts
    the visit that made it (Freund & Schapire's c), so that all of them sum to stop - start.
    """
    return np.diff(updates.t, prepend=start, append=stop)


def pull(c: Array, lives: Array, g: Array) -> None:
    """What each update contributes to the sum of the hypotheses over their lives; fills g.

    That sum is g[0]·w_0 + sum of g[e + 1]·a_e·(example of update e). Backwards, g_e = life_e +
    c_(e+1)·g_(e+1): no long product of scales that could overflow.
    """
    total = 0.0
    for e in range(len(lives) - 1, -1, -1):
        total = lives[e] + (c[e] * total if e < len(c) else 0.0)
        g[e] = total


@dataclass
class Journal:
    """A run, complete enough to be replayed: where it started, every update, every pass.

    A long run keeps its latest updates only; `start` is then the hypothesis before the first of
    them, so that the journal still replays. It has a row for each score, the bias last.
    """

    config: dict[str, Any]
    start: Array
    started: dict[str, float]
    updates: Updates
    passes: dict[str, list[int]]
    counters: dict[str, float]
    labels: Array = field(repr=False)

    def __len__(self) -> int:
        return len(self.updates.t)

    def __repr__(self) -> str:
        name = self.config.get("rule", "?")
        return f"<Journal of {name}: {len(self):,} updates in {self.counters['t']:,} visits>"

    def to_dict(self) -> dict[str, Any]:
        """The exchange format, as plain lists and numbers."""
        return {
            "format": FORMAT,
            "config": self.config | {"parameters": _finite(self.config["parameters"])},
            "data": {"labels": self.labels.tolist()},
            "start": {"w": self.start.tolist(), "counters": _finite(self.started)},
            "updates": {name: column.tolist() for name, column in self.updates._asdict().items()},
            "passes": self.passes,
            "counters": _finite(self.counters),
        }

    def save(self, path: str | Path) -> None:
        """Write as JSON; the file appears whole or not at all."""
        from rosenblatt.store import write

        write(path, json.dumps(self.to_dict()).encode())

    @classmethod
    def load(cls, path: str | Path) -> Journal:
        """Read what `save` wrote."""
        saved = json.loads(Path(path).read_text())
        if not isinstance(saved, dict) or saved.get("format") != FORMAT:
            raise ValueError(f"{path} is not a journal of format {FORMAT}.")
        kinds = blank(0)
        updates = Updates(
            *(np.array(saved["updates"][n], k.dtype) for n, k in kinds._asdict().items())
        )
        return cls(
            config=saved["config"],
            start=np.array(saved["start"]["w"]),
            started=_infinite(saved["start"]["counters"]),
            updates=updates,
            passes=saved["passes"],
            counters=_infinite(saved["counters"]),
            labels=np.array(saved["data"]["labels"]),
        )


def _finite(told: dict[str, Any]) -> dict[str, Any]:
    # JSON has no infinity: a bound that is not known yet, or not set, is written as null.
    return {n: None if isinstance(v, float) and not np.isfinite(v) else v for n, v in told.items()}


def _infinite(counters: dict[str, float | None]) -> dict[str, float]:
    return {name: np.inf if value is None else value for name, value in counters.items()}
