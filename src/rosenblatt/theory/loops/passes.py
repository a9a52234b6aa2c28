"""Several passes in one call: for few examples, calls would take longer than the passes.

Between two passes it does what a run does at the end of a pass. It stops after a pass that needs a
closer look, whose end is left to the run.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, NamedTuple

from rosenblatt.theory.arrays import flat
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.closing import Opening, Proof, shortest, square, upper_end
from rosenblatt.theory.loops.online import online
from rosenblatt.theory.loops.plateau import Level, levelled
from rosenblatt.theory.loops.update import Counters
from rosenblatt.theory.orders import shuffle
from rosenblatt.theory.spaces import Array, rivals
from rosenblatt.theory.verbs import inner


class Table(NamedTuple):
    """What several passes leave: a row for each pass."""

    before: Array  # the hypothesis before each pass; no rows if nobody asks for it
    counts: Array  # visits, updates, mistakes and journal entries, after each pass
    numbers: Array  # <w, w>, sum of steps, upper end and drift, before each pass


@inner
def begin(table: Table, p: int, h: Array, n: Counters) -> Counters:
    """Note the hypothesis and the counters before a pass; return the counters as it begins."""
    if len(table.before) > 0:
        row, kept = flat(h), table.before[p]
        for j in range(row.size):
            kept[j] = row[j]
    numbers = table.numbers[p]
    numbers[0], numbers[1], numbers[2], numbers[3] = n.norm2, n.step_sum, n.upper, n.drift
    return Counters(n.t, n.k, n.mistakes, n.norm2, n.step_sum, inf, 1.0, n.upper, n.drift)


@inner
def close(h: Array, n: Counters, opening: Opening, entries: int, least: float, proof: Proof) -> Any:
    """Return the counters at the end of a pass that needs no closer look."""
    n = Counters(
        n.t, n.k, n.mistakes, square(h), n.step_sum, n.best_norm2, n.best_step_sum, n.upper, n.drift
    )
    upper, drifted = upper_end(opening, n, entries, least, proof)
    return Counters(
        n.t, n.k, n.mistakes, n.norm2, n.step_sum, n.best_norm2, n.best_step_sum, upper, drifted
    )


def passes(
    space: Any, y: Array, weights: Array, visits: Array, words: Array, rule: Any, h: Array,
    dual: Array, n: Counters, journal: Updates, proof: Proof, level: Level, made: int, table: Table,
) -> tuple[int, int, Counters]:  # fmt: skip
    """Make passes until one needs a closer look, and at most as many as the table has rows for.

    Each shuffles the visits by its row of random words, or repeats them if there are none. `made`
    passes were made before. Returns the passes made, the journal entries written and the counters
    when the last of the passes is not closed yet.
    """
    used, limit, totals = 0, len(table.counts), level.totals
    for p in range(limit):
        if words.shape[1] > 0:
            for v in range(len(visits)):
                visits[v] = v
            shuffle(words[p], visits)
        opening = Opening(n.norm2, n.step_sum, n.drift)
        n = begin(table, p, h, n)
        rest = Updates(
            journal.t[used:], journal.i[used:], journal.r[used:], journal.a[used:],
            journal.c[used:],
        )  # fmt: skip
        _, entries, now = online(space, y, weights, visits, rule, h, dual, n, rest)
        k, mistakes, used, done = now[1] - n.k, now[2] - n.mistakes, used + entries, made + p + 1
        n = Counters(now[0], now[1], now[2], now[3], now[4], now[5], now[6], n.upper, n.drift)
        counts = table.counts[p]
        counts[0], counts[1], counts[2], counts[3] = n.t, n.k, n.mistakes, used
        totals[0, done], totals[1, done] = totals[0, done - 1] + mistakes, totals[1, done - 1] + k
        least, scaled = shortest(rest, entries)
        full = len(journal.t) - used < len(visits) * rivals(space)
        ends = k == 0 or mistakes == 0 or scaled or full or p + 1 == limit
        if ends or not isfinite(n.norm2) or levelled(level, done):
            return p + 1, used, n
        n = close(h, n, opening, entries, least, proof)
    return limit, used, n
