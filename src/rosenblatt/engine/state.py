"""State: everything that changes during training, in one form for memory, files and the network.

A saved run, a stream between two calls, a warm start, a model file, a checkpoint, what travels on
a cluster: all are a `State`. A run restored from it ends in the same bits.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.storage.codec import Packer, Unpacker, within
from rosenblatt.storage.json_values import parse_strictly
from rosenblatt.theory import spaces
from rosenblatt.theory.journal import Updates, joined
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.readouts import Last, Readout, Voted
from rosenblatt.theory.spaces import Array

FORMAT = "rosenblatt-state/1"
HEADER = "header"  # the array that holds everything but arrays, as JSON


class Pass(NamedTuple):
    """One pass of a run over its examples."""

    visits: int
    updates: int
    mistakes: int  # made while learning
    errors: int  # left after it; -1 if not counted


LATEST = 20
"""Passes of a stream that are kept one by one."""


def latest(passes: list[Pass]) -> list[Pass]:
    """Return passes of which those before the latest are added up, as the first of them."""
    if len(passes) <= LATEST:
        return passes
    visits, updates, mistakes, _ = map(sum, zip(*passes[: 1 - LATEST], strict=True))
    return [Pass(visits, updates, mistakes, -1), *passes[1 - LATEST :]]


@dataclass
class Stretch:
    """A part of the journal: the hypothesis and counters before it, and its updates."""

    before: Array
    opened: Counters
    parts: list[Updates]
    size: int


@dataclass
class Position:
    """Where a run is among its own examples; of no use on any others."""

    dual: Array  # the coefficient of each example, for a rule that needs it
    margins: Array  # of all examples, and
    sizes: Array  # their squared lengths, as a greedy loop carries them
    visit: int  # of the pass
    opened: Counters  # when the pass began
    entries: int  # steps of the pass so far
    least: float  # the shortest of them
    scaled: bool  # whether any of them scaled w
    in_pass: bool
    generator: dict[str, Any]  # state of the random numbers now, and
    drawn: dict[str, Any]  # before the pass was drawn
    kept: list[Stretch]  # of the journal
    settled: bool
    separated: bool
    converged: bool
    lower: float
    seconds: float


@dataclass
class RunState:
    """The state of one run."""

    hypothesis: Array  # a row for each score, then whatever else the space keeps
    counters: Counters = field(default_factory=Counters)
    passes: list[Pass] = field(default_factory=list)
    readout: Readout = field(default_factory=Last)
    from_zero: bool = True  # it began without weights, so that |w|/step_sum bounds the best margin
    votes: Any = None  # the hypotheses of earlier examples, for a readout that keeps them all
    memory: dict[str, Array] = field(default_factory=dict)  # what else a kind of run remembers
    position: Position | None = None

    def converted(self, change: Callable[[Array], Array], **changes: Any) -> RunState:
        """The same with every hypothesis changed."""
        readout = self.readout.copy()
        readout.convert(change)
        return replace(self, hypothesis=change(self.hypothesis), readout=readout, **changes)

    def check_examples(self, space: Any, count: int, shape: tuple[int, ...]) -> None:
        """Reject a state of a run over other than `count` examples in a space, naming the field.

        `shape` is that of a hypothesis in the space.
        """
        kept = [] if self.position is None else self.position.kept
        updates = {f"position.kept.{n}": joined(stretch.parts) for n, stretch in enumerate(kept)}
        if isinstance(self.readout, Voted):
            updates["readout"] = self.readout.updates()
        for name, found in updates.items():
            if not within(found.i, count) or not spaces.rivals_exist(space, found.i, found.r):
                raise ValueError(f"{name} has an update of an example or a class that is not there")
        for n, stretch in enumerate(kept):
            if stretch.before.shape != shape:
                raise ValueError(f"position.kept.{n}.before has another shape than the hypothesis")

    def unbounded(self) -> RunState:
        """The same without the bounds on margins, which hold in one geometry only."""
        counters = self.counters._replace(upper=inf, step_sum=nan)
        return replace(self, counters=counters, from_zero=False)

    def restarted(self) -> RunState:
        """The hypothesis as a start: nothing is counted yet."""
        return replace(self, counters=Counters(norm2=self.counters.norm2), passes=[], votes=None)


@dataclass
class Tally:
    """One pass over data that come in parts."""

    rows: int = 0
    updates: int = 0
    mistakes: int = 0  # made while learning
    held_out_rows: int = 0
    held_out_errors: int = 0

    @property
    def held_out_error(self) -> float | None:
        """Held-out error, if anything was held out."""
        return self.held_out_errors / self.held_out_rows if self.held_out_rows else None


@dataclass
class Parts:
    """A pass under way over data that come in parts."""

    tally: Tally = field(default_factory=Tally)
    done: int = 0  # parts
    clean: bool = True  # no part made an update, and each is proved to be separated
    lower: float = inf  # least margin of the parts
    radius: float = 0.0


@dataclass
class State:
    """The state of all runs of one model."""

    classes: Array
    runs: list[RunState]
    examples: Any = None  # in kernel form: what the coefficients of hypotheses belong to
    history: list[Tally] = field(default_factory=list)
    parts: Parts = field(default_factory=Parts)  # the pass under way, and
    closed: Parts = field(default_factory=Parts)  # the one before
    finished: bool = False
    settings: dict[str, Any] = field(default_factory=dict)  # what a resumed training must share
    geometry: tuple[float, ...] = ()  # bias, offset and p, in which margins were bounded

    def to_arrays(self) -> dict[str, Array]:
        """All of it as arrays by name, to be written or sent."""
        from rosenblatt.engine.schema import build_kinds

        packer = Packer(build_kinds())
        header = {"format": FORMAT, "state": packer.pack(self, "state")}
        text = json.dumps(header, allow_nan=False).encode()
        return packer.arrays | {HEADER: np.frombuffer(text, np.uint8)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Array]) -> State:
        """What `to_arrays` gave, every field checked; a ValueError names what is wrong."""
        from rosenblatt.engine.schema import build_kinds

        text = arrays.get(HEADER)
        if text is None or text.dtype != np.uint8 or text.ndim != 1:
            raise ValueError("it is damaged, or of an earlier version; start again")
        try:
            header = parse_strictly(text.tobytes())
        except ValueError as error:
            raise ValueError(f"its header cannot be read: {error}") from error
        found = header.get("format") if isinstance(header, dict) else None
        if found != FORMAT:
            raise ValueError(
                f"it has format {str(found)[:40]}, and this version reads {FORMAT}; start again"
            )
        state = Unpacker(arrays, build_kinds()).unpack(header.get("state"), "state")
        if not isinstance(state, cls):
            raise ValueError("its header describes something else than a state")
        return state


def split_in_two(old: RunState, native: bool, space: Any) -> list[RunState]:
    """Convert a two-class run to the run or runs of many classes; the scores' difference stays."""

    def halves(rows: Array) -> Array:
        if len(rows) != 1:
            raise ValueError(
                f"what was learned of two classes has {len(rows)} rows of weights, not one; fit "
                "anew."
            )
        return np.array([[-0.5], [0.5]]) * rows

    def opposite(rows: Array) -> Array:
        return np.asarray(spaces.flipped(space, rows))

    def same(rows: Array) -> Array:
        return rows.copy()

    shorter = 0.5 if native else 1.0
    counters = old.counters._replace(norm2=shorter * old.counters.norm2, step_sum=nan, upper=inf)
    changes: dict[str, Any] = {"counters": counters, "from_zero": False, "votes": None}
    return [
        old.converted(change, **changes) for change in ([halves] if native else [opposite, same])
    ]
