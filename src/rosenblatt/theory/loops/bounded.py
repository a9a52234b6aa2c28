"""The loop on a budget: a policy decides how each step that is due is made."""

from __future__ import annotations

from typing import Any

from rosenblatt.theory.budgets import DueStep, SupportSet, admit, rescale, score
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.update import Counters, Totals, count_update, temper
from rosenblatt.theory.rules import Look, step
from rosenblatt.theory.spaces import Array


def bounded(
    support: SupportSet, numbers: Array, y: Array, weights: Array, rule: Any, policy: Any,
    n: Counters, journal: Updates,
) -> tuple[int, int, tuple[int, int, int, float, float, float, float]]:  # fmt: skip
    """Visit the examples of a block in order, as `online` does; `admit` makes the steps."""
    now, mistakes = Totals(n.k, n.ww, n.sa, n.bw, n.bs), n.mistakes
    room = len(journal.t) - len(support.numbers) - 2
    used, done = 0, len(y)
    for v in range(len(y)):
        if used > room:
            done = v
            break
        m, q, sign = y[v] * score(support, v), support.K[v, v], float(y[v])
        if m <= 0.0:
            mistakes += 1
        a, c = step(rule, Look(m, q, now.ww, 0.0, n.t + v, now.k, now.sa, sign))
        if a != 0.0 and len(weights) > 1:
            a, c = temper(a, c, weights[v])
        if c != 1.0:
            rescale(support, c)
            now = Totals(now.k, now.ww * (c * c), now.sa, now.bw, now.bs)
            support.memory[1] *= c
        if a == 0.0:
            continue
        at = -1
        for j in range(support.size[0]):
            if support.numbers[j] == numbers[v]:
                at = j
        s = DueStep(
            v, numbers[v], at, sign, a, support.memory[1], c * m, q, n.t + v, mistakes
        )  # fmt: skip
        before = used
        ww, used = admit(policy, support, s, now.ww, journal, used)
        if used == before:
            continue
        support.memory[1] = 1.0
        # As long as every coefficient has its label's sign, w is in the cone of the examples.
        steps, in_cone = 0.0, True
        for j in range(support.size[0]):
            part = support.coef[j] * support.signs[j]
            steps, in_cone = steps + part, in_cone and part >= 0.0
        now = count_update(now, max(ww, 0.0), steps, in_cone)
    return done, used, (n.t + done, now.k, mistakes, now.ww, now.sa, now.bw, now.bs)
