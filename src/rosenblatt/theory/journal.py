"""The journal: a record of a run, update by update.

Everything about a run is a fold of its updates: the last hypothesis, the averaged, voted and
pocket ones, the dual weights, a plot, an animation.
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
    """Updates as parallel arrays: w <- c·w + a·(signed example i) at visit t.

    With many classes the example counts for its own class and against the rival r.
    When several rivals share the blame for one mistake, its visit has an entry per rival.
    """

    t: Array  # visits before the update
    i: Array  # example
    r: Array  # rival class; 0 with two classes
    a: Array  # step
    c: Array  # scale of w before the step

    def part(self, start: int, stop: int) -> Updates:
        """Return the entries from start to stop, without a copy."""
        if start == 0 and stop == len(self.t):
            return self
        t, i, r, a, c = self
        return Updates(t[start:stop], i[start:stop], r[start:stop], a[start:stop], c[start:stop])


def blank(size: int) -> Updates:
    """Return uninitialised arrays for `size` updates."""
    t, i = np.empty(size, np.int64), np.empty(size, np.int64)
    return Updates(t, i, np.empty(size, np.int32), np.empty(size), np.empty(size))


@inner
def write_entry(journal: Updates, used: int, t: int, i: int, r: int, a: float, c: float) -> int:
    """Write an update after the first `used` ones; return how many there are now."""
    journal.t[used], journal.i[used], journal.r[used] = t, i, r
    journal.a[used], journal.c[used] = a, c
    return used + 1


def joined(parts: list[Updates]) -> Updates:
    """Return several sequences of updates as one."""
    return Updates(*map(np.concatenate, zip(*parts, strict=True))) if parts else blank(0)


def survivals(updates: Updates, start: int, stop: int) -> Array:
    """Return the visits that each hypothesis survived from `start` to `stop`.

    The first number is that of the hypothesis before the first update. A new hypothesis counts
    the visit that made it (Freund & Schapire's c), so that the numbers sum to stop - start.
    """
    ends = np.empty(len(updates.t) + 2, updates.t.dtype)
    ends[0], ends[1:-1], ends[-1] = start, updates.t, stop
    return ends[1:] - ends[:-1]


def centre(rows: Array) -> None:
    """Subtract the mean of the rows from each, as a run does after a pass that scaled w.

    The vectors of many classes sum to zero up to rounding errors, which scaling would amplify. Rows
    are added one after the other, whatever their layout in memory. A single row is not changed.
    """
    if len(rows) > 1:
        total = rows[0].copy()
        for row in rows[1:]:
            total += row
        rows -= total / len(rows)


def pull(c: Array, lives: Array, g: Array) -> None:
    """Fill g with the share of each update in the sum of the hypotheses over their lives.

    That sum is g[0]·w_0 + sum of g[e + 1]·a_e·(example of update e). It is computed backwards as
    g_e = life_e + c_(e+1)·g_(e+1), without long products of scales that could overflow.
    """
    total = 0.0
    for e in range(len(lives) - 1, -1, -1):
        total = lives[e] + (c[e] * total if e < len(c) else 0.0)
        g[e] = total


@dataclass
class Journal:
    """A run that can be replayed: its start, its updates and its passes.

    The journal of a long run has only the latest updates; `start` is then the hypothesis before the
    first of them, so that it can still be replayed. It has a row per score, the bias last.
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

    def _repr_html_(self) -> str:
        from rosenblatt.markup import card, curves, facts

        counters, passes = self.counters, self.passes
        known = {
            "updates": f"{counters['k']:,}",
            "kept here": None if len(self) == counters["k"] else f"{len(self):,} entries",
            "visits": f"{counters['t']:,}",
            "passes": f"{len(passes['visits']):,}",
            "examples": f"{len(self.labels):,}",
        }
        known |= self.config["parameters"]
        along = {"updates": passes["updates"]}
        if passes["mistakes"] != passes["updates"]:  # a rule that steps for a margin, too
            along["mistakes"] = passes["mistakes"]
        title = f"Journal of {self.config.get('rule', '?')}"
        return card(title, facts(known), curves("by pass", along))

    def replay(self, X: Any) -> Iterator[tuple[Array, float]]:
        """Yield the weights after each visit that changed them, and the sum of the steps.

        Weights have a row per score, the bias last; the same array is yielded every time. X holds
        the examples of the fit, in their order. The weights are those of the run to the bit, except
        for batch steps, which are added in another order.

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
                "weights have variances, a kernel or a p-norm other than 2, or label sequences."
            )
        W, steps, bias = self.start.copy(), float(self.started["sa"]), self.config["bias"]
        ends, scaled, number = np.cumsum(self.passes["visits"]), False, -1
        centred = bool(self.config["from_zero"])  # the vectors of a start may have any sum
        numbers = np.searchsorted(ends, self.updates.t, side="right")  # the pass of each update
        last = np.diff(self.updates.t, append=-1) != 0  # rivals that share the blame share a visit
        for _, i, r, a, c, at, done in zip(*self.updates, numbers, last, strict=True):
            if scaled and at != number:
                centre(W)
                scaled = False
            x = np.append(X[[i]].toarray() if sp.issparse(X) else X[i], bias).astype(float)
            self._move(W, self.labels[i], r, a, c, x)
            # After a step out of the cone of the examples, the sum of the steps bounds nothing.
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
        """Return the exchange format, as plain lists and numbers."""
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
        """Write the journal as JSON; a crash leaves the old file or the new one."""
        from rosenblatt.storage.atomic import write

        write(path, json.dumps(self.to_dict()).encode())

    @classmethod
    def load(cls, path: str | Path) -> Journal:
        """Read a journal that `save` wrote; a ValueError if it is damaged or something else."""
        from rosenblatt.storage.journal_file import read

        return read(path)


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    # JSON has no infinity: a bound that is unknown or not set is written as null.
    return {
        n: None if isinstance(v, float) and not np.isfinite(v) else v for n, v in values.items()
    }
