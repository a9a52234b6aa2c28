"""The loop on a budget: a policy decides what becomes of each example that a step is due on."""

from __future__ import annotations

from typing import Any

from rosenblatt.theory.budgets import Held, Visit, admit, shrink, value
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.update import Counters, Totals, count_update, temper
from rosenblatt.theory.rules import Look, step
from rosenblatt.theory.spaces import Array


def bounded(
    held: Held, numbers: Array, y: Array, weights: Array, rule: Any, policy: Any, n: Counters,
    journal: Updates,
) -> tuple[int, int, tuple[int, int, int, float, float, float, float]]:  # fmt: skip
    """Visit the examples of a block in order; as `online`, but for what `admit` does."""
    now, mistakes = Totals(n.k, n.ww, n.sa, n.bw, n.bs), n.mistakes
    room = len(journal.t) - len(held.numbers) - 2
    used, done = 0, len(y)
    for v in range(len(y)):
        if used > room:
            done = v
            break
        m, q, sign = y[v] * value(held, v), held.K[v, v], float(y[v])
        if m <= 0.0:
            mistakes += 1
        a, c = step(rule, Look(m, q, now.ww, 0.0, n.t + v, now.k, now.sa, sign))
        if a != 0.0 and len(weights) > 1:
            a, c = temper(a, c, weights[v])
        if c != 1.0:
            shrink(held, c)
            now = Totals(now.k, now.ww * (c * c), now.sa, now.bw, now.bs)
            held.memory[1] *= c
        if a == 0.0:
            continue
        at = -1
        for j in range(held.size[0]):
            if held.numbers[j] == numbers[v]:
                at = j
        s = Visit(
            v, numbers[v], at, sign, a, held.memory[1], c * m, q, n.t + v, mistakes
        )  # fmt: skip
        before = used
        ww, used = admit(policy, held, s, now.ww, journal, used)
        if used == before:
            continue
        held.memory[1] = 1.0
        # As long as every coefficient has its label's sign, w is in the cone of the examples.
        steps, in_cone = 0.0, True
        for j in range(held.size[0]):
            part = held.coef[j] * held.signs[j]
            steps, in_cone = steps + part, in_cone and part >= 0.0
        now = count_update(now, max(ww, 0.0), steps, in_cone)
    return done, used, (n.t + done, now.k, mistakes, now.ww, now.sa, now.bw, now.bs)
