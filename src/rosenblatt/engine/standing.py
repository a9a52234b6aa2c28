"""Where a run stands: all of it that changes as it goes, its journal, and the file it is saved in.

A run that takes over a saved standing ends in the same bits as if it had never stopped.
"""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.storage.atomic import write
from rosenblatt.theory import journal, spaces
from rosenblatt.theory.journal import Journal, Updates
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.loops.greedy import Overlaps
from rosenblatt.theory.readouts import Last
from rosenblatt.theory.spaces import Array, Dense
from rosenblatt.theory.spaces.csr import CSR
from rosenblatt.theory.spaces.rows import Rows, RowsCSR

FORMAT = "rosenblatt-run/2"


class Pass(NamedTuple):
    """One pass over the data."""

    visits: int
    updates: int
    mistakes: int  # made while learning
    errors: int  # left after it; -1 if not counted


class Progress(NamedTuple):
    """How far a run is."""

    passes: int
    visits: int
    updates: int
    last: Pass | None
    converged: bool
    seconds: float


@dataclass
class Stretch:
    """A part of the journal: where it began, and its updates."""

    before: Array
    opened: Counters
    parts: list[Updates]
    size: int


class Standing(ABC):
    """What of a run changes as it goes, and what it is measured against when it is taken over."""

    rule: Any
    space: Any
    y: Array
    rng: np.random.Generator
    readout: Last
    keep: int  # updates of the journal, at least
    h: Array
    dual: Array
    seen: Overlaps | None
    n: Counters
    passes: list[Pass]
    settled: bool  # a pass over all examples changed nothing: none ever will
    separated: bool  # the hypothesis after the last pass is proved to separate them
    converged: bool  # both
    seconds: float
    _lower: float  # best margin of a hypothesis that separated after some pass
    _from_zero: bool
    _buffer: Updates  # room for those between two flushes
    _kept: list[Stretch]  # of the journal
    _visits: Array  # of the pass
    _position: int  # in them
    _drawn: dict[str, Any]  # the state of the random numbers before they were drawn
    _opened: Counters  # when the pass began
    _entries: int  # steps of the pass so far
    _least: float  # the shortest of them
    _scaled: bool  # whether any of them scaled w

    @property
    def part_done(self) -> float:
        """How much of the pass is behind; 1 when it is over."""
        return self._position / max(1, len(self._visits))

    def progress(self) -> Progress:
        """How far the run is."""
        last = self.passes[-1] if self.passes else None
        n = self.n
        return Progress(len(self.passes), n.t, n.k, last, self.converged, self.seconds)

    @abstractmethod
    def _open(self) -> None:
        """Begin a pass."""

    def memo(self) -> dict[str, Array]:
        """What a run knows besides: it is saved and carried on with it."""
        return {}

    def recall(self, memo: dict[str, Array]) -> None:  # noqa: B027 (most runs have none)
        """Take over a memo."""

    # --- the journal ------------------------------------------------------------------------

    def _keep(self, updates: Updates, before: Array, opened: Counters) -> None:
        """Add to the journal; forget its oldest part when what follows is long enough."""
        if not len(updates.t):
            return
        if not self._kept or self._kept[-1].size >= max(len(self._buffer.t), self.keep):
            # Few stretches, each with the hypothesis before it: that is what it costs to forget.
            self._kept = [*self._kept[-1:], Stretch(before, opened, [], 0)]
        last = self._kept[-1]
        last.parts.append(Updates(*(column.copy() for column in updates)))
        last.size += len(updates.t)

    def journal(self) -> Journal:
        """The run as a journal."""
        first = self._kept[0] if self._kept else Stretch(self.h, self.n, [], 0)
        return Journal(
            config={
                "rule": type(self.rule).__name__,
                "parameters": self.rule._asdict(),
                "bias": self.space.bias,
                "from_zero": self._from_zero,
                "linear": isinstance(self.space, (Dense, CSR, Rows, RowsCSR)),
            },
            start=spaces.as_rows(self.space, first.before).copy(),
            started=first.opened._asdict(),
            updates=journal.joined([part for stretch in self._kept for part in stretch.parts]),
            passes={f: [getattr(p, f) for p in self.passes] for f in Pass._fields},
            counters=self.n._asdict(),
            labels=self.y,
        )

    # --- stop here, go on elsewhere ---------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the state to a file; `restore` on the same data goes on from there."""
        arrays = {"h": self.h, "dual": self.dual}
        if self.seen is not None:
            arrays |= {"margins": self.seen.margins, "sizes": self.seen.sizes}
        arrays |= {f"readout.{name}": a for name, a in self.readout.state().items()}
        arrays |= {f"memo.{name}": a for name, a in self.memo().items()}
        for number, stretch in enumerate(self._kept):
            arrays[f"kept.{number}.h"] = stretch.before
            updates = journal.joined(stretch.parts)._asdict()
            arrays |= {f"kept.{number}.{name}": a for name, a in updates.items()}
        meta = {
            "format": FORMAT,
            "rule": type(self.rule).__name__,
            "examples": len(self.y),
            "counters": self.n,
            "opened": self._opened,
            "kept": [stretch.opened for stretch in self._kept],
            "passes": self.passes,
            "settled": self.settled,
            "separated": self.separated,
            "converged": self.converged,
            "steps": [self._entries, self._least, self._scaled],
            "lower": self._lower,
            "from_zero": self._from_zero,
            "seconds": self.seconds,
            "position": self._position,
            "in_pass": bool(len(self._visits)),
            "rng": self.rng.bit_generator.state,
            "drawn": self._drawn,
        }
        arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), np.uint8)
        content = io.BytesIO()
        np.savez(content, **arrays)  # type: ignore[arg-type]
        write(path, content.getvalue())

    def restore(self, path: str | Path) -> Self:
        """Take over a saved state; this run must have been made with the same data and options."""
        with np.load(path, allow_pickle=False) as file:
            saved = {name: file[name] for name in file.files}
        meta = json.loads(saved["meta"].tobytes())
        if meta["format"] != FORMAT:
            raise ValueError(f"{path} is not a run of format {FORMAT}.")
        for what, mine in (("rule", type(self.rule).__name__), ("examples", len(self.y))):
            if meta[what] != mine:
                raise ValueError(f"{path} was saved with {what} {meta[what]}, this run has {mine}.")
        if saved["h"].shape != self.h.shape:
            raise ValueError(f"{path} holds weights of another shape than this run's.")
        if (self.seen is not None) != ("margins" in saved):
            raise ValueError(f"{path} was saved with another kind of order than this run's.")
        self.h, self.dual = saved["h"], saved["dual"]
        if self.seen is not None:
            self.seen.margins[:], self.seen.sizes[:] = saved["margins"], saved["sizes"]
        self.n, self._opened = Counters(*meta["counters"]), Counters(*meta["opened"])
        self.passes = [Pass(*p) for p in meta["passes"]]
        self.settled, self.converged = meta["settled"], meta["converged"]
        self.separated = meta["separated"]
        self.seconds = meta["seconds"]
        self._lower = meta["lower"]
        self._from_zero = meta["from_zero"]
        self._kept = [
            Stretch(
                saved[f"kept.{number}.h"],
                Counters(*opened),
                [Updates(*(saved[f"kept.{number}.{name}"] for name in Updates._fields))],
                len(saved[f"kept.{number}.t"]),
            )
            for number, opened in enumerate(meta["kept"])
        ]
        told: dict[str, dict[str, Array]] = {"readout": {}, "memo": {}}
        for name, array in saved.items():
            part, _, rest = name.partition(".")
            if part in told:
                told[part][rest] = array
        self.readout.restore(told["readout"])
        self.recall(told["memo"])
        if meta["in_pass"]:
            self.rng.bit_generator.state = meta["drawn"]
            self._open()
            self.n, self._opened = Counters(*meta["counters"]), Counters(*meta["opened"])
            self._entries, self._least, self._scaled = meta["steps"]
        self._position = meta["position"]
        self.rng.bit_generator.state = meta["rng"]
        return self
