"""The journal: what the loop did, update by update.

Everything that can be known of a run is a fold of its updates: the last hypothesis, the averaged,
voted and pocket ones, the dual weights, a picture, a film.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.theory.verbs import inner

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


@inner
def write_entry(journal: Updates, used: int, t: int, i: int, r: int, a: float, c: float) -> int:
    """Write an update after the first `used` ones; return how many there are now."""
    journal.t[used], journal.i[used], journal.r[used] = t, i, r
    journal.a[used], journal.c[used] = a, c
    return used + 1


def joined(parts: list[Updates]) -> Updates:
    """Several stretches of updates as one."""
    return Updates(*map(np.concatenate, zip(*parts, strict=True))) if parts else blank(0)


def survivals(updates: Updates, start: int, stop: int) -> Array:
    """Visits for which each hypothesis was in force between visits `start` and `stop`.

    The first number is that of the hypothesis before the first update; a new hypothesis counts
    the visit that made it (Freund & Schapire's c), so that all of them sum to stop - start.
    """
    return np.diff(updates.t, prepend=start, append=stop)


def centre(rows: Array) -> None:
    """Take the mean of several rows from each, as a run does after a pass in which w was scaled.

    The vectors of many classes sum to zero but for rounding, which scaling would let grow. Rows are
    added one after the other, whatever their layout in memory. A single row stays as it is.
    """
    if len(rows) > 1:
        total = rows[0].copy()
        for row in rows[1:]:
            total += row
        rows -= total / len(rows)


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

    def replay(self, X: Any) -> Iterator[tuple[Array, float]]:
        """Make the updates again: weights after each visit that changed them, and sum of the steps.

        Weights have a row for each score, the bias last; it is the same array every time. X holds
        the examples that were learned from, in their order. The weights equal those of the run to
        the bit, but for batch steps, which add up in another order.

        >>> from rosenblatt import Perceptron
        >>> X, y = np.array([[2.0, 1.0], [-1.0, -2.0], [0.5, 2.0]]), np.array([1, 0, 1])
        >>> clf = Perceptron(shuffle=False).fit(X, y)
        >>> *_, (weights, steps) = clf.journal_.replay(X)
        >>> np.array_equal(weights[:, :-1], clf.coef_), steps
        (True, 1.0)
        """
        if not self.config.get("linear", True):
            raise ValueError(
                f"this run of {self.config['rule']} cannot be replayed as a sum of examples: its "
                "weights have variances, a kernel or a p-norm other than 2."
            )
        W, steps, bias = self.start.copy(), float(self.started["sa"]), self.config["bias"]
        ends, scaled, number = np.cumsum(self.passes["visits"]), False, -1
        centred = bool(self.config["from_zero"])  # a start may have vectors that sum to anything
        numbers = np.searchsorted(ends, self.updates.t, side="right")  # of the pass of each update
        last = np.diff(self.updates.t, append=-1) != 0  # rivals that share the blame share a visit
        for _, i, r, a, c, at, done in zip(*self.updates, numbers, last, strict=True):
            if scaled and at != number:
                centre(W)
                scaled = False
            x = np.append(X[[i]].toarray() if sp.issparse(X) else X[i], bias).astype(float)
            self._move(W, self.labels[i], r, a, c, x)
            # A step out of the cone of the examples: their sum bounds nothing from there on.
            steps = float(steps * c + a) if c >= 0.0 and a >= 0.0 else nan
            scaled, number = scaled or (centred and c != 1.0), at
            if done:
                yield W, steps
        if scaled and number < len(ends):
            centre(W)

    def _move(self, W: Array, label: int, r: int, a: float, c: float, x: Array) -> None:
        """Make one update."""
        W *= c
        if len(W) == 1:
            W[0] += a * label * x
        else:
            W[label] += a * x
            W[r] -= a * x

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
        from rosenblatt.storage.atomic import write

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
