"""Bounds on the updates of the plain perceptron, compared with a run.

z = y·(x, c) is a signed example with the constant feature, and R the largest norm of a z. A unit
vector u has margin γ if u·z >= γ for all examples. k is the number of updates from the start w0.

- Zero start, γ > 0: k <= (R/γ)² (Novikoff 1962).
- Any start, γ > 0: k <= |w0 - αu|²/(2αγ - R²) for every α > R²/(2γ).
- Zero start, any u and γ > 0, with the shortfalls d = max(0, γ - u·z): k <= ((R + √Σd²)/γ)²
  (Freund & Schapire 1999).
- Any u of any norm, with L = Σ max(0, 1 - u·z): √k <= (R|u| + √(R²|u|² + 4L))/2.

The sums of the last two are over all visits, or over the mistakes that were made. The scale of u is
chosen on the visits. It must not be chosen on the mistakes: the smaller u, the closer the bound is
to k itself, for any data.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.markup import card, paragraphs, table
from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.problem import UNIT, Array
from rosenblatt.proofs.checker.statement import margin_range
from rosenblatt.proofs.convergence.analysis import AnalysedRun, Reference, analyse, binary_problem
from rosenblatt.proofs.convergence.trace import best_alpha
from rosenblatt.theory import orders, rules
from rosenblatt.theory.rounding import at_least, at_most

KEEP = 1 << 22  # updates in the journal of a run made here
NOTE_WIDTH = 52  # of a printed note
HEAD = ("bound", "at most", "formula", "note")


class Bound(NamedTuple):
    """One bound on the number of updates."""

    name: str
    formula: str
    value: float  # infinite if it does not apply
    applies: bool
    note: str


@dataclass(frozen=True, repr=False)
class Bounds:
    """All bounds on the updates of a run; made by `bounds`."""

    rows: tuple[Bound, ...]
    updates: int  # made by the run
    radius: float
    margin: float  # the largest proved margin, or 0
    margin_upper: float  # a proved upper bound on the best margin

    def __getitem__(self, name: str) -> Bound:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"{name!r}; there are {', '.join(row.name for row in self.rows)}")

    @property
    def best(self) -> Bound:
        """The least bound that applies."""
        return min(self.rows, key=lambda row: row.value)

    def _head(self) -> str:
        margin = f"best margin {margin_range(self.margin, self.margin_upper)}"
        if not self.margin_upper:
            margin = "no positive margin"
        return f"{self.updates:,} updates made; R = {self.radius:.6g}, {margin}"

    def _cells(self) -> list[tuple[str, str, str, str]]:
        return [(row.name, _number(row), row.formula, row.note) for row in self.rows]

    def __str__(self) -> str:
        rows = [HEAD, *self._cells()]
        name, value, formula = (max(len(cells[j]) for cells in rows) for j in range(3))
        lines = [self._head()]
        for cells in rows:
            first = f"{cells[0]:{name}}  {cells[1]:>{value}}  {cells[2]:{formula}}  "
            note = textwrap.wrap(cells[3], NOTE_WIDTH) or [""]
            lines.append((first + note[0]).rstrip())
            lines += [" " * len(first) + more for more in note[1:]]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return card("Bounds", paragraphs(self._head()), table(HEAD, self._cells()))


def _number(row: Bound) -> str:
    if not row.applies:
        return "-"
    # Two decimals never round a bound below its integer part, which is all that counts.
    return f"{row.value:,.2f}" if row.value < 1e7 else at_most(row.value)


def bounds(
    X: Any, y: Any, run: Any = None, *, certificate: Certificate | None = None,
    fit_intercept: bool = True, intercept_scaling: float = 1.0, start: Any = None,
    max_iter: int = 1000,
) -> Bounds:  # fmt: skip
    """Compare the updates of the plain perceptron with all bounds on them.

    >>> found = bounds([[1.0], [-1.0]], [1, -1])
    >>> found.updates, round(found["Novikoff"].value, 6)
    (2, 2.0)

    Parameters
    ----------
    X, y : arrays
        Examples and labels of two classes.
    run : Run or fitted estimator, optional
        A run of the plain rule on them; without it, one is made that visits them in their order.
        If its journal has dropped the oldest updates, the rest is counted and bounded.
    certificate : Certificate, optional
        A certificate for the data; found if not given.
    fit_intercept, intercept_scaling : bool, float
        As in the estimators; a given run has its own.
    start : array, optional
        Start of the run made here: weights, optionally followed by the intercept.
    max_iter : int, default=1000
        Maximal number of passes of the run made here.

    Notes
    -----
    The bounds are theorems about exact arithmetic, and their values are rounded upwards. A run in
    floats obeys them unless a margin is so close to zero that rounding decides its sign.
    """
    if run is None:
        run = _make_run(X, y, certificate, fit_intercept, intercept_scaling, start, max_iter)
    elif start is not None:
        raise ValueError("a run has its own start; give run or start, not both.")
    analysed = analyse(run, X, y, certificate)
    # Divided by eta0, the run makes steps of 1 from w0/eta0.
    analysed = replace(analysed, start=analysed.start / _step(analysed))
    counts = np.bincount(analysed.journal.updates.i, minlength=len(analysed.problem.codes))
    counts = counts.astype(float)
    upper = _margin_upper(analysed)
    rows = [*_separable(analysed, upper), *_any_data(analysed, counts, _visits(run, analysed))]
    margin = max(analysed.best.margin, 0.0)
    return Bounds(tuple(rows), int(counts.sum()), analysed.radius, margin, upper)


def _margin_upper(analysed: AnalysedRun) -> float:
    """Return the least proved upper bound on the best margin."""
    journal, certificate = analysed.journal, analysed.certificate
    uppers = [analysed.radius]
    # In a stream, or if updates were dropped, w is made of more than these examples.
    if journal.config["from_zero"] and not journal.started["t"]:
        uppers.append(float(journal.counters["upper"]))
    if certificate.scaling == analysed.problem.scaling:
        uppers.append(certificate.margin_bracket[1])
    if certificate.verdict == "inseparable":  # for any size of the constant feature
        uppers.append(0.0)
    return max(0.0, min(uppers))


def _make_run(
    X: Any, y: Any, certificate: Certificate | None, fit_intercept: bool, scaling: float,
    start: Any, max_iter: int,
) -> Run:  # fmt: skip
    """Return a run of the plain rule."""
    scaling = inputs.positive_number("intercept_scaling", scaling)
    inputs.whole_number("max_iter", max_iter, 1)
    problem = binary_problem(X, y, scaling if fit_intercept else 0.0, certificate)
    d, c = problem.X.shape[1], problem.scaling
    h = np.zeros(d + 1)
    if start is not None:
        given = np.asarray(start, float).ravel()
        if len(given) not in ((d, d + 1) if c else (d,)) or not np.isfinite(given).all():
            raise ValueError(
                f"start holds {len(given)} numbers; it needs {d} finite weights"
                + (", optionally followed by the intercept." if c else ".")
            )
        h[: len(given)] = given
        h[-1] /= c or 1.0
    space = inputs.binary_space(problem.X, c)
    run = Run(
        rules.Plain(),
        space,
        problem.signs.astype(np.int8),
        order="cyclic",
        start=h,
        keep=KEEP,
    )
    run.go(max_iter)
    return run


def _step(analysed: AnalysedRun) -> float:
    """Return the step of every update."""
    config, steps = analysed.journal.config, analysed.journal.updates.a
    eta0 = float(config["parameters"].get("eta0", 1.0))
    if config["rule"] != "Plain" or not np.all(steps == eta0):
        raise ValueError(
            f"these bounds are about equal steps on mistakes, but the run uses the rule "
            f"{config['rule']} or sample weights; use rule='plain' without weights, or leave run "
            "out."
        )
    return eta0


def _visits(run: Any, analysed: AnalysedRun) -> Array | None:
    """Return a bound on the visits of each example in the journal; None if unknown."""
    size = length = len(analysed.problem.codes)
    order = run.order
    if not isinstance(run, Run):
        order = orders.find("cyclic" if order is None else order, size)
    if order is orders.ORDERS["sampled"] or order.pick:
        return None
    once = np.ones(size)
    if not any(order is named for named in orders.ORDERS.values()):
        fixed = order.draw(size, np.random.default_rng(), lambda words, visits: None)
        # A stream visits its examples as they come, so each counts at least once.
        once, length = np.maximum(once, np.bincount(fixed, minlength=size)), len(fixed)
    began, ended = analysed.journal.started["t"], analysed.journal.counters["t"]
    # A journal that begins within a pass may touch one pass more than its length suggests.
    return once * (ceil((ended - began) / length) + (began > 0))


def _square(number: float) -> float:
    """Return the square, inf if it overflows; Python's `**` would raise an error."""
    return number * number


def _rounding_allowance(analysed: AnalysedRun) -> float:
    """Return the relative increase of computed bounds that allows for rounding."""
    # A bound takes a few dozen operations, and a product of vectors one per coordinate.
    return 1e-12 + 8 * UNIT * (analysed.problem.X.shape[1] + 8)


def _separable(analysed: AnalysedRun, margin_upper: float) -> list[Bound]:
    """Return the bounds that need a positive margin."""
    why = "" if analysed.best.margin > 0 else analysed.obstacle
    nonzero = "the run starts at w0 ≠ 0: see 'any start'" if analysed.start.any() else ""
    from_zero = why or nonzero
    no_intercept = "" if analysed.problem.scaling > 0 else "the run has no intercept"
    return [
        _bound("Novikoff", "(R/γ)²", from_zero, lambda: _novikoff(analysed, margin_upper)),
        _bound(
            "with offset", "(R² + c²)(|w|² + b²/c²)/γ²", no_intercept or from_zero,
            lambda: _with_offset(analysed),
        ),
        _bound(
            "any start", "|w0 - αu|²/R², α = R²/γ", why,
            lambda: _any_start(analysed, _standard_alpha),
        ),
        _bound(
            "any start, best α", "|w0 - αu|²/(2αγ - R²)", why,
            lambda: _any_start(analysed, _least_alpha),
        ),
    ]  # fmt: skip


def _bound(
    name: str, formula: str, obstacle: str, evaluate: Callable[[], tuple[float, str]]
) -> Bound:
    """Return a bound, or with an obstacle one that does not apply."""
    value, note = (inf, obstacle) if obstacle else evaluate()
    return Bound(name, formula, value, not obstacle, note)


def _novikoff(analysed: AnalysedRun, margin_upper: float) -> tuple[float, str]:
    R, best, allowance = analysed.radius, analysed.best, _rounding_allowance(analysed)
    note = f"γ = {best.margin:.4g} of {best.name}; the learning rate has no effect"
    if 0 < margin_upper < inf and _square(R / margin_upper) < inf:
        least = at_least(_square(R / margin_upper) * (1 - allowance))
        note += f"; no γ can bring it below {least}"
    ratio = R / best.margin
    return ratio * ratio * (1 + allowance), note


def _with_offset(analysed: AnalysedRun) -> tuple[float, str]:
    # The formula holds for every scale of (w, b); with |w| = 1 the margin is a distance of the x.
    best, c = analysed.best, analysed.problem.scaling
    w, b = best.unit[:-1], float(best.unit[-1]) * c
    norm = float(np.linalg.norm(w))
    Rx = replace(analysed.problem, scaling=0.0).radius()
    value = (Rx**2 + c**2) * (norm**2 + (b / c) ** 2) / best.margin / best.margin
    note = "c = 1, |w| = 1: (R²+1)(1+b²)/γ²; c = R, |b| <= R|w|: at most 4(R|w|/γ)²"
    if norm > 0:
        wrong = _square(Rx * norm / best.margin)
        note += f"; R = {Rx:.4g} is that of x alone, and (R|w|/γ)² = {wrong:,.4g} is not a bound"
    return value * (1 + _rounding_allowance(analysed)), note


Alpha = Callable[[Array, Reference, float, float], tuple[float, float]]


def _any_start(analysed: AnalysedRun, evaluate: Alpha) -> tuple[float, str]:
    """Return the least bound from any start over all references."""
    R, allowance = analysed.radius, _rounding_allowance(analysed)
    found = [
        (*evaluate(analysed.start, reference, R, allowance), reference)
        for reference in analysed.references
        if reference.margin > 0
    ]
    value, alpha, reference = min(found, key=lambda entry: entry[0])
    return value, f"α = {alpha:.4g}, u = {reference.name}"


def _standard_alpha(
    w0: Array, reference: Reference, R: float, allowance: float
) -> tuple[float, float]:
    """Return the bound from any start for α = R²/γ, and this α."""
    alpha = R * R / reference.margin
    distance = float(np.linalg.norm(w0 - alpha * reference.unit))
    distance += allowance * (float(np.linalg.norm(w0)) + alpha)
    return _square(distance / R) * (1 + allowance), alpha


def _least_alpha(
    w0: Array, reference: Reference, R: float, allowance: float
) -> tuple[float, float]:
    """Return the least bound from any start over all α, and its α.

    It is (α - w0·u)/γ, which also follows from k·γ + w0·u <= √(|w0|² + k·R²).
    """
    alpha = best_alpha(w0, reference.unit, reference.margin, R)
    # The difference may be small, so the allowance is relative to its terms.
    difference = alpha - float(w0 @ reference.unit)
    difference += allowance * (alpha + float(np.linalg.norm(w0)))
    return difference / reference.margin * (1 + allowance), alpha


class AnyDataBounds:
    """The bounds that hold for every u, as functions of the scale of u.

    u is s times the unit vector of a reference, and γ = 1/s; `times` is how often each example
    counts in a sum.
    """

    def __init__(self, analysed: AnalysedRun) -> None:
        self.R, self.allowance = analysed.radius, _rounding_allowance(analysed)
        # If all examples are zero, no update changes w, and every start counts as zero.
        self.w0 = analysed.start if self.R > 0 else np.zeros(len(analysed.start))
        self.start2 = float(self.w0 @ self.w0)
        self.shift = self.start2 / self.R**2 if self.R > 0 else 0.0

    def freund_schapire(self, s: float, reference: Reference, times: Array) -> float:
        """Return ((R + √Σd²)/γ)²."""
        missing = np.maximum(0.0, 1 - s * reference.margins)
        return _square(self.R * s + sqrt(float(times @ missing**2))) * (1 + self.allowance)

    def hinge(self, s: float, reference: Reference, times: Array) -> float:
        """Return ((R|u| + √(R²|u|² + 4L))/2)², adapted to the start.

        From w0: k + w0·u - L <= |u|·√(|w0|² + k·R²), so k + |w0|²/R² takes the place of k.
        """
        R, shift, allowance = self.R, self.shift, self.allowance
        loss = float(times @ np.maximum(0.0, 1 - s * reference.margins))
        error = allowance * (loss + shift + s * sqrt(self.start2))
        loss += shift - s * float(self.w0 @ reference.unit) + error
        root = (R * s + sqrt(max(0.0, R * R * s * s + 4 * loss))) / 2
        return _square(root) * (1 + allowance) - shift * (1 - allowance)


Value = Callable[[float, Reference, Array], float]


def _any_data(analysed: AnalysedRun, counts: Array, visits: Array | None) -> list[Bound]:
    """Return the bounds that hold for every u, separable data or not."""
    every = AnyDataBounds(analysed)
    unknown = ""
    if visits is None:
        unknown = "the order does not determine how often it visits an example"
        # To choose a scale of u, visits are assumed to be evenly distributed.
        even = max(1.0, ceil(analysed.journal.counters["t"] / len(counts)))
        visits = np.full(len(counts), even)
    nonzero = bool(every.w0.any())
    shifted = "; for w0: L - w0·u + |w0|²/R² for L, less |w0|²/R²" if nonzero else ""
    rows = []
    for name, formula, value, symbol, obstacle, more in (
        ("Freund-Schapire", "((R + √Σd²)/γ)²", every.freund_schapire, "γ",
         "zero start only" if nonzero else "", ""),
        ("hinge", "((R|u| + √(R²|u|² + 4L))/2)²", every.hinge, "|u|", "", shifted),
    ):  # fmt: skip
        # The same u for both sums: chosen on the mistakes, it would tend to zero.
        choices = [(_scale(value, r, visits, every.R), r) for r in analysed.references]
        s, r = min(choices, key=lambda choice: value(choice[0], choice[1], visits))
        size = f"{symbol} = {1 / s if symbol == 'γ' else s:.4g}"
        if every.R * s < 1e-4 * sqrt(float(visits.sum())):
            size += ": no u gives less than one update per visit"
        for suffix, times, over, no in (
            ("", visits, "all visits", obstacle or unknown),
            (", mistakes", counts, "the mistakes made", obstacle),
        ):
            note = f"sum over {over}; u along {r.name}, {size}{more}"
            found = Bound(name + suffix, formula, inf, False, no)
            if not no:
                found = Bound(name + suffix, formula, value(s, r, times), True, note)
            rows.append(found)
    return rows


def _scale(value: Value, reference: Reference, times: Array, R: float) -> float:
    """Return the scale of u for which a bound over all visits is least."""
    # At s = 0 the bound is the number of visits, and from √visits/R on it is larger. In between it
    # falls, then rises, because its sublevel sets are convex in s. Any s gives a valid bound.
    top = sqrt(max(1.0, float(times.sum()))) / R if R > 0 else 1.0
    found = minimize_scalar(
        lambda s: value(s, reference, times),
        bounds=(0.0, top),
        method="bounded",
        options={"xatol": 1e-9 * top},
    )
    choices = [float(found.x), *([1 / reference.margin] if reference.margin > 0 else [])]
    return min(choices, key=lambda s: value(s, reference, times))
