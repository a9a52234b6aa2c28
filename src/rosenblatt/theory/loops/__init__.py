"""The loops that visit examples, and the numbers they keep."""

from rosenblatt.theory.loops.bounded import bounded
from rosenblatt.theory.loops.online import online
from rosenblatt.theory.loops.replay import add, replay
from rosenblatt.theory.loops.survey import survey, unsettled
from rosenblatt.theory.loops.update import Counters, commit, inside, temper, update

__all__ = [
    "Counters",
    "add",
    "bounded",
    "commit",
    "inside",
    "online",
    "replay",
    "survey",
    "temper",
    "unsettled",
    "update",
]
