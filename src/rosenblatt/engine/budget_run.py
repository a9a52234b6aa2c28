"""Runs on a budget: the support set of a kernel hypothesis has at most a fixed size."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.kernel_cache import KernelCache
from rosenblatt.engine.kernel_run import KernelRun
from rosenblatt.theory import budgets, journal, loops
from rosenblatt.theory.budgets import SupportSet
from rosenblatt.theory.journal import Journal, Updates
from rosenblatt.theory.spaces import Array


class BudgetRun(KernelRun):
    """A rule and a budget policy at work; two classes."""

    def __init__(
        self, rule: Any, cache: KernelCache, y: Array, norms2: Array, *, policy: Any, budget: int,
        **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(rule, cache, y, norms2, **options)
        self.policy, self.budget = policy, budget
        self.support: Array = np.zeros(0, np.int64)  # examples with a coefficient, oldest first
        self.damage = np.array([0.0, 1.0])  # the Forgetron's sum, and the scale to record next
        self.labels = self._labels(self.h)
        self._words: Array = np.zeros(0)

    def _labels(self, h: Array) -> Array:
        """Labels of the examples; of those learned before, the signs of their coefficients."""
        return np.concatenate([self.y, np.where(h[len(self.y) :] < 0, -1, 1)]).astype(float)

    def begin(self, h: Array, norm2: float) -> None:
        super().begin(h, norm2)
        self.labels = self._labels(h)

    def memory(self) -> dict[str, Array]:
        return {"support": self.support, "damage": self.damage, "labels": self.labels}

    def remember(self, memory: dict[str, Array]) -> None:
        if "support" not in memory or len(memory["support"]) > self.budget:
            raise ValueError(
                "budget was set or lowered since the last call; fit anew, or set it back."
            )
        self.support, self.damage = memory["support"], memory["damage"].copy()
        self.labels = memory.get("labels", self.labels)

    def forget_damage(self) -> None:
        """Begin to weigh damage against mistakes anew."""
        self.damage[0] = 0.0

    @property
    def draws(self) -> bool:
        """Whether a pass draws random numbers: what goes when the budget is used up."""
        return True

    def _open(self) -> None:
        super()._open()
        self._words = self.rng.random(len(self._visits))

    def _visit(self, visits: Array, h: Array, room: Updates, margin_cache: Any = None) -> Any:
        columns = np.concatenate([visits.astype(np.int64), self.support])
        cache = self.cache
        K = cache.similarity.block(cache.rows(columns), cache.pick(columns)).astype(float)
        support = self._support_set(K, len(visits))
        weights = self.weights if len(self.weights) == 1 else self.weights[visits]
        _, rule = self._executed
        done, used, n = self.compiled_form(loops.bounded)(
            support, columns[: len(visits)], self.y[visits], weights, rule, self.policy, self.n,
            room,
        )  # fmt: skip
        size = support.size[0]
        h[self.support] = 0.0
        self.support, self.damage = support.numbers[:size].copy(), support.memory
        h[self.support] = support.coef[:size]
        return done, used, n

    def _support_set(self, K: Array, first: int) -> SupportSet:
        """Return the support set before a block; in K it comes after the block's examples."""
        size = len(self.support)
        places = min(self.budget, size + first) + 1  # a block adds no more than its examples
        numbers, columns = np.zeros(places, np.int64), np.zeros(places, np.int64)
        coef, signs = np.zeros(places), np.ones(places)
        numbers[:size], columns[:size] = self.support, np.arange(first, first + size)
        coef[:size], signs[:size] = self.h[self.support], self.labels[self.support]
        inverse = np.zeros((0, 0))
        if budgets.needs_inverse(self.policy):
            # Afresh for every block, so that the errors of its growth do not add up.
            inverse = np.zeros((places, places))
            inverse[:size, :size] = np.linalg.pinv(K[first:, first:], hermitian=True)
        words = self._words[self._position : self._position + first]
        return SupportSet(
            K, numbers, columns, coef, signs, np.array([size]), inverse, np.zeros(places),
            self.damage.copy(), words,
        )  # fmt: skip

    def blend(self, updates: Updates, lives: Array, before: Array) -> Array:
        g = np.empty(len(lives))
        self.compiled_form(journal.pull)(updates.c, lives, g)
        total = g[0] * before
        np.add.at(total, updates.i, g[1:] * updates.a * self.labels[updates.i])
        return total

    def journal(self) -> Journal:
        made = super().journal()
        made.config |= {"budget": self.budget, "budget_policy": type(self.policy).__name__}
        made.labels = self.labels.astype(np.int8)
        return made
