"""The loops that visit examples, and the counters they keep.

`online` visits in a given order, `greedy` chooses its examples, `bounded` keeps a support set
within a budget; all count their updates in `update.py`. `passes` makes several passes of `online`.
"""

from rosenblatt.theory.loops.bounded import bounded
from rosenblatt.theory.loops.closing import Opening, Proof, square, upper_end
from rosenblatt.theory.loops.online import online
from rosenblatt.theory.loops.passes import Table, passes
from rosenblatt.theory.loops.replay import add, replay
from rosenblatt.theory.loops.survey import survey, unsettled
from rosenblatt.theory.loops.tag import tag, tag_ranks
from rosenblatt.theory.loops.update import (
    Counters,
    Totals,
    apply_update,
    count_update,
    temper,
    totals,
)

__all__ = [
    "Counters",
    "Opening",
    "Proof",
    "Table",
    "Totals",
    "add",
    "apply_update",
    "bounded",
    "count_update",
    "online",
    "passes",
    "replay",
    "square",
    "survey",
    "tag",
    "tag_ranks",
    "temper",
    "totals",
    "unsettled",
    "upper_end",
]
