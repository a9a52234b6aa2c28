"""The loop on a budget: a policy decides how each step that is due is made."""

from __future__ import annotations

from typing import Any

from rosenblatt.theory.budgets import DueStep, SupportSet, admit, rescale, score
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.loops.update import (
    Counted,
    Counters,
    Totals,
    count_update,
    counted,
    temper,
    totals,
)
from rosenblatt.theory.rules import Look, step
from rosenblatt.theory.spaces import Array


def bounded(
    support: SupportSet, numbers: Array, y: Array, weights: Array, rule: Any, policy: Any,
    n: Counters, journal: Updates,
) -> tuple[int, int, Counted]:  # fmt: skip
    """Visit the examples of a block in order; `admit` makes the steps."""
    now, mistakes = totals(n), n.mistakes
    room = len(journal.t) - len(support.numbers) - 2
    used, done = 0, len(y)
    for v in range(len(y)):
        if used > room:
            done = v
            break
        m, q, sign = y[v] * score(support, v), support.K[v, v], float(y[v])
        if m <= 0.0:
            mistakes += 1
        a, c = step(rule, Look(m, q, now.norm2, 0.0, n.t + v, now.k, now.step_sum, sign))
        if a != 0.0 and len(weights) > 1:
            a, c = temper(a, c, weights[v])
        if c != 1.0:
            rescale(support, c)
            now = Totals(
                now.k, now.norm2 * (c * c), now.step_sum, now.best_norm2, now.best_step_sum
            )
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
        norm2, used = admit(policy, support, s, now.norm2, journal, used)
        if used == before:
            continue
        support.memory[1] = 1.0
        # As long as every coefficient has its label's sign, w is in the cone of the examples.
        steps, in_cone = 0.0, True
        for j in range(support.size[0]):
            part = support.coef[j] * support.signs[j]
            steps, in_cone = steps + part, in_cone and part >= 0.0
        now = count_update(now, max(norm2, 0.0), steps, in_cone)
    return done, used, counted(n.t + done, mistakes, now)
