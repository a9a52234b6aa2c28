"""A run made again from its journal, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from rosenblatt import ORDERS
from tests.laws.claims.fit import Fit
from tests.laws.claims.truth import TINY, UNIT, Margin
from tests.oracles.exact import dot

Vectors = list[list[Fraction]]
MOST = 60  # updates that are made again


class Replay:
    """Hypothesis after hypothesis of one problem.

    `size` bounds what has been added to each weight: rounding errors are parts of it.
    """

    def __init__(self, fit: Fit, number: int) -> None:
        journal, truth = fit.journals[number], fit.truth
        self.native, self.codes = truth.kind == "native", truth.codes
        self.signs = None if self.native else truth.signs[number]
        self.rows = [[*row, truth.bias] for row in truth.rows]
        self.offset, self.updates = truth.offset, journal.updates
        self.w: Vectors = [[Fraction(v) for v in row] for row in journal.start.tolist()]
        self.size: Vectors = [[abs(v) for v in row] for row in self.w]
        self.made = 0  # entries

    def until(self, visit: int) -> None:
        """Make the updates of all visits before this one."""
        t, i, r, a, c = self.updates
        while self.made < len(t) and t[self.made] < visit:
            e = self.made
            self._make(int(i[e]), int(r[e]), Fraction(float(a[e])), Fraction(float(c[e])))
            self.made += 1

    def _make(self, i: int, r: int, a: Fraction, c: Fraction) -> None:
        if c != 1:
            self.w = [[c * v for v in row] for row in self.w]
            self.size = [[abs(c) * v for v in row] for row in self.size]
        places = [(self.codes[i], a), (r, -a)] if self.native else [(0, a * self._sign(i))]
        for place, step in places:
            self.w[place] = [v + step * x for v, x in zip(self.w[place], self.rows[i], strict=True)]
            self.size[place] = [
                v + abs(step * x) for v, x in zip(self.size[place], self.rows[i], strict=True)
            ]

    def _sign(self, i: int) -> int:
        return self.signs[i] if self.signs is not None else 1

    def margin(self, i: int) -> Margin:
        """The margin of an example now."""
        row = self.rows[i]
        scores = [dot(w, row) for w in self.w]
        sizes = [sum(s * abs(x) for s, x in zip(size, row, strict=True)) for size in self.size]
        slack = 4 * (len(row) + self.made + 8) * UNIT * (max(sizes) + abs(self.offset)) + TINY
        if not self.native:
            return Margin(self._sign(i) * (scores[0] + self.offset), slack)
        own = self.codes[i]
        rival = max(s for c, s in enumerate(scores) if c != own)
        return Margin(scores[own] - rival, 2 * slack)

    def errors(self) -> tuple[int, int]:
        """Training errors now, at least and at most."""
        margins = [self.margin(i) for i in range(len(self.rows))]
        return sum(m.wrong for m in margins), sum(m.maybe_wrong for m in margins)

    def strays(self, coef: Any, intercept: Any, bias: Fraction) -> float:
        """How far given weights are from these, as a part of all that was added to them."""
        scale = max(v for size in self.size for v in size)
        worst = Fraction(0)
        for w, given, constant in zip(self.w, coef, intercept, strict=True):
            pairs = [*zip(w[:-1], given, strict=True)]
            if bias:
                pairs.append((w[-1], Fraction(float(constant)) / bias))
            worst = max(worst, *(abs(mine - Fraction(theirs)) - TINY for mine, theirs in pairs))
        return float(worst / scale) if worst > 0 and scale else float(worst > 0)


def replayable(fit: Fit) -> bool:
    """Whether journals hold all updates, and these are sums of examples in Euclid's space."""
    whole = fit.case.way == "fit" and hasattr(fit.clf, "coef_") and fit.truth.p == 2.0
    if not whole or fit.case.name in SECOND or fit.rule in SECOND_RULES:
        return False
    short = all(len(j.updates.t) <= MOST for j in fit.journals) and len(fit.truth.rows[0]) <= 12
    kept = all(j.started["t"] == 0 and _visits(j) == sum(j.passes["updates"]) for j in fit.journals)
    return short and kept


SECOND = ("AROW", "NHERD", "SCW", "ConfidenceWeighted", "SecondOrderPerceptron")
SECOND_RULES = ("second_order", "cw", "cw_variance", "arow", "scw1", "scw2", "nherd")


def _visits(journal: Any) -> int:
    return len(set(journal.updates.t.tolist()))


def visits(fit: Fit, journal: Any) -> Iterator[list[tuple[int, int]]] | None:
    """Pairs of visit and example, pass by pass; None where chance chose the examples."""
    order, n = fit.case.options.get("order"), len(fit.truth.rows)
    if fit.case.name in ("MinOver", "MaxOver") and order is None:
        order = "least"
    if fit.case.name == "BatchPerceptron" and fit.case.options.get("method") != "stochastic":
        return None
    if isinstance(order, str) and ORDERS[order].pick:
        return _picked(journal)
    fixed = order if isinstance(order, list) else range(n)
    if order not in (None, "cyclic") and not isinstance(order, list):
        return None
    if order is None and fit.case.options.get("shuffle", True):
        return None
    return _given(journal, fixed)


def _picked(journal: Any) -> Iterator[list[tuple[int, int]]]:
    """Where the loop picks examples, every one that it visits is learned."""
    t, i = journal.updates.t.tolist(), journal.updates.i.tolist()
    begin = 0
    for length in journal.passes["visits"]:
        end = begin + length
        yield sorted({(a, b) for a, b in zip(t, i, strict=True) if begin <= a < end})
        begin = end


def _given(journal: Any, fixed: Any) -> Iterator[list[tuple[int, int]]]:
    begin = 0
    for length in journal.passes["visits"]:
        yield [(begin + v, fixed[v]) for v in range(length)]
        begin += length
