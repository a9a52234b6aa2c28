"""The latest updates of a run, with the hypothesis before them: a journal can be replayed."""

from __future__ import annotations

from rosenblatt.engine.state import Stretch
from rosenblatt.theory import journal
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.spaces import Array


class Recorder:
    """Keeps at least `keep` updates; the oldest are dropped in stretches of at least `room`."""

    def __init__(self, keep: int, room: int) -> None:
        self.keep, self.room = keep, room
        self.stretches: list[Stretch] = []

    def add(self, updates: Updates, before: Array, opened: Counters) -> None:
        """Record updates; drop the oldest stretch when what follows is long enough."""
        if not len(updates.t):
            return
        if not self.stretches or self.stretches[-1].size >= max(self.room, self.keep):
            # Few stretches, each with the hypothesis before it: that is what dropping costs.
            self.stretches = [*self.stretches[-1:], Stretch(before.copy(), opened, [], 0)]
        last = self.stretches[-1]
        last.parts.append(Updates(*(column.copy() for column in updates)))
        last.size += len(updates.t)

    def updates(self) -> Updates:
        """All that is kept."""
        return journal.joined([part for stretch in self.stretches for part in stretch.parts])

    def exported(self) -> list[Stretch]:
        """The stretches, the updates of each in one piece."""
        return [
            Stretch(s.before, s.opened, [journal.joined(s.parts)], s.size) for s in self.stretches
        ]
