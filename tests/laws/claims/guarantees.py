"""What the documentation of a member or a rule guarantees, on data that can be separated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf, log, sqrt
from typing import Any

from tests.laws.claims.fit import PLAIN, Broken, Fit
from tests.laws.claims.truth import TINY
from tests.oracles.exact import root

HAIR = 1 + Fraction(1, 10**9)  # rounding may decide a step more


def check(fit: Fit) -> Iterator[Broken]:
    """Bounds on updates and mistakes, and the margin at the end."""
    if not fit.truth.has_space or fit.truth.offset:
        return
    if fit.from_zero and not fit.weighted:
        yield from _counts(fit)
    if fit.clf.converged_ and fit.case.way == "fit":
        yield from _margins(fit)


# --- how many updates ---------------------------------------------------------------------------


def _counts(fit: Fit) -> Iterator[Broken]:
    """Updates, or mistakes, of each problem against the documented bound."""
    bound = _bound(fit)
    if bound is None or fit.clf.early_stopping:
        return
    counted, most = bound
    for number, journal in enumerate(fit.journals):
        made = sum(journal.passes[counted])
        limit = most(number)
        if limit is not None and made > limit * HAIR:
            words = f"{made}, bound {root(Fraction(limit) ** 2)!r}"
            yield Broken(f"guarantee: at most so many {counted}", words)


def _bound(fit: Fit) -> tuple[str, Callable[[int], Any]] | None:
    name, options, truth = fit.case.name, fit.clf.get_params(), fit.truth
    if fit.case.options.get("budget"):
        return None
    square = truth.radius_squared
    # A margin that rounding has made too small costs an update that the theorem does not know.
    rounding = TINY if truth.kernel is None else truth.kernel_rounding(truth.gram)

    def novikoff(extra: Fraction = Fraction(0), factor: Fraction = Fraction(1)) -> Any:
        def limit(number: int) -> Fraction | None:
            best = truth.bests[number]
            if not best.separable:
                return None
            off = 2 * rounding * sum(fit.journals[number].passes["updates"])
            return factor * (square + extra + off) / (best.squared - best.error)

        return limit

    if name in PLAIN or fit.rule == "plain" or fit.rule == "descent":
        return "updates", novikoff()
    if name == "BatchPerceptron" and options["learning_rate"] == "constant":
        if options["method"] == "stochastic":
            return "updates", novikoff()
        return "updates", novikoff(factor=Fraction(len(truth.rows)))
    if name == "MarginPerceptron" and options["negative_margin"] is None:
        return "updates", novikoff(2 * Fraction(options["margin"]) / Fraction(options["eta0"]))
    if name == "MinOver" and options["order"] is None:
        return "updates", novikoff(factor=1 + 2 * Fraction(options["c"]))
    if name == "ROMMA" or fit.rule == "romma":
        return "mistakes", novikoff()
    if name == "PassiveAggressive":
        C = Fraction(options["C"])
        if options["variant"] == "PA-I":
            return "mistakes", novikoff(max(square, 1 / C) - square)
        return "mistakes", novikoff(1 / (2 * C) if options["variant"] == "PA-II" else Fraction(0))
    if name == "Ballseptron":
        return "updates", lambda number: _balls(fit, number, options["radius"])
    if fit.rule == "normalised":
        return "updates", lambda number: _of_directions(fit, number)
    if name == "WinnowPerceptron":
        return "updates", lambda number: _winnow(fit, number, options["eta0"])
    return None


def _balls(fit: Fit, number: int, r: float) -> Fraction | None:
    best, R = float(fit.truth.bests[number]), root(fit.truth.radius_squared)
    if not r < best * (1 - 1e-9):
        return None
    return ((Fraction(R) + Fraction(r)) / (Fraction(best) - Fraction(r))) ** 2


def _of_directions(fit: Fit, number: int) -> Fraction | None:
    best = fit.truth.bests_of_directions[number]
    return 1 / (best.squared - best.error) if best.separable else None


def _winnow(fit: Fit, number: int, eta0: float) -> Fraction | float | None:
    truth = fit.truth
    if truth.p == 2.0:
        best = truth.bests[number]
        return truth.radius_squared / best.squared if best.separable else None
    low = truth.dual_bounds[number].low
    if low <= 0:
        return None
    rows = [[*map(float, row), float(truth.bias)] for row in truth.rows]
    if truth.p < inf:
        largest = max(abs(x) for row in rows for x in row)
        parts = [[abs(x / largest) for x in row] for row in rows]
        longest = max(sum(x**truth.p for x in row) ** (1 / truth.p) for row in parts)
        ratio = largest / low * longest
        return (truth.p - 1) * ratio * ratio * (1 + 1e-9)
    widest = max(abs(x) for row in rows for x in row)
    gain = eta0 * low - eta0**2 * widest**2 / 2
    return log(2 * len(rows[0])) / gain * (1 + 1e-9) if gain > 1e-9 * eta0 * low else None


# --- how large a margin -------------------------------------------------------------------------


def _margins(fit: Fit) -> Iterator[Broken]:
    """The margin of the last hypothesis against the documented one."""
    if fit.last is None or fit.truth.p != 2.0:
        return
    for number, least in enumerate(_promised(fit)):
        low = min(m.value for m in fit.last.margins[number])
        square = fit.last.squares[number]
        if least > 0 and low * abs(low) < least * square * (1 - Fraction(1, 10**9)):
            margin = root(low**2 / square) if square else 0.0
            yield Broken("guarantee: margin at the end", f"{margin!r}, promised {root(least)!r}")


def _promised(fit: Fit) -> list[Fraction]:
    """The square of the margin that each problem's last hypothesis must have."""
    name, options, truth = fit.case.name, fit.clf.get_params(), fit.truth
    squares = [best.squared - best.error for best in truth.bests]
    if name == "DynamicMarginPerceptron" and fit.from_zero:
        return [(1 - Fraction(options["eps"])) ** 2 * s for s in squares]
    if name == "Ballseptron":
        return [Fraction(options["radius"]) ** 2 for _ in squares]
    even = name == "MarginPerceptron" and options["negative_margin"] is None
    if even and fit.from_zero and not fit.weighted:
        theta = Fraction(options["margin"]) / Fraction(options["eta0"])
        factor = theta / (truth.radius_squared + 2 * theta) if theta else Fraction(0)
        return [factor**2 * s for s in squares]
    if name == "AdaTron" and options["C"] == inf and fit.clf.gap_ < 1:
        return [(1 - Fraction(fit.clf.gap_)) ** 2 * s for s in squares]
    return []


def alma(fit: Fit) -> Iterator[Broken]:
    """ALMA with B = √8/alpha: (1 - alpha) times the best margin of examples of length 1."""
    options, truth = fit.clf.get_params(), fit.truth
    usual = fit.case.name == "ALMA" and fit.clf.converged_ and truth.p == 2.0 and fit.from_zero
    if not usual or fit.last is None or options["B"] is None or truth.offset:
        return
    if abs(options["B"] - sqrt(8.0) / options["alpha"]) > 1e-9:
        return
    twice = 2 if truth.kind == "native" else 1
    for number, best in enumerate(truth.bests_of_directions):
        lengths = [twice * truth.gram[i][i] for i in range(len(truth.gram))]
        margins = fit.last.margins[number]
        least = min(m.value * abs(m.value) / q for m, q in zip(margins, lengths, strict=True) if q)
        promised = (1 - Fraction(options["alpha"])) ** 2 * (best.squared - best.error)
        square = fit.last.squares[number]
        if promised > 0 and least < promised * square * (1 - Fraction(1, 10**9)):
            yield Broken("guarantee: margin at the end", f"ALMA: {float(least / square)!r}, "
                         f"promised {float(promised)!r}, both squared")  # fmt: skip
