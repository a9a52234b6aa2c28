"""Bounds on the updates of the plain perceptron, next to the number that a run really made.

z = y·(x, c) is a signed example with the constant feature, R the length of the longest. A unit
vector u has margin γ if u·z >= γ for all examples; k is the number of updates from the start w0.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from math import ceil, inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.proofs.checker.certificate import Certificate, between
from rosenblatt.proofs.checker.problem import UNIT, Array
from rosenblatt.proofs.convergence.case import Case, Reference, follow, pose
from rosenblatt.proofs.convergence.trace import nearest
from rosenblatt.theory import orders, rules

KEPT = 1 << 22  # updates that a run made here keeps
WIDTH = 52  # of a note in print


class Bound(NamedTuple):
    """One bound on the number of updates."""

    name: str
    formula: str
    value: float  # infinite if it does not apply
    applies: bool
    note: str


@dataclass(frozen=True, repr=False)
class Bounds:
    """Every bound on the updates of a run; made by `bounds`."""

    rows: tuple[Bound, ...]
    updates: int  # really made
    radius: float
    margin: float  # the largest that is proved, or 0
    ceiling: float  # no margin is larger

    def __getitem__(self, name: str) -> Bound:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"{name!r}; there are {', '.join(row.name for row in self.rows)}")

    @property
    def best(self) -> Bound:
        """The least of those that apply."""
        return min(self.rows, key=lambda row: row.value)

    def _head(self) -> str:
        margin = f"best margin {between(self.margin, self.ceiling)}"
        if not self.ceiling:
            margin = "no positive margin"
        return f"{self.updates:,} updates made; R = {self.radius:.6g}, {margin}"

    def __str__(self) -> str:
        table = [("bound", "at most", "formula", "note")]
        table += [(row.name, _number(row), row.formula, row.note) for row in self.rows]
        name, value, formula = (max(len(cells[j]) for cells in table) for j in range(3))
        lines = [self._head()]
        for cells in table:
            first = f"{cells[0]:{name}}  {cells[1]:>{value}}  {cells[2]:{formula}}  "
            note = textwrap.wrap(cells[3], WIDTH) or [""]
            lines.append((first + note[0]).rstrip())
            lines += [" " * len(first) + more for more in note[1:]]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
            for row in self.rows
            for cells in [(row.name, _number(row), row.formula, row.note)]
        )
        heads = "<tr><th>bound</th><th>at most</th><th>formula</th><th>note</th></tr>"
        return f"<p>{escape(self._head())}</p><table>{heads}{body}</table>"


def _number(row: Bound) -> str:
    if not row.applies:
        return "-"
    return f"{row.value:,.2f}" if row.value < 1e7 else f"{row.value:.4g}"


def bounds(
    X: Any,
    y: Any,
    run: Any = None,
    *,
    certificate: Certificate | None = None,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    start: Any = None,
    max_iter: int = 1000,
) -> Bounds:
    """Every bound on the updates of the plain perceptron that applies to these data and a run.

    Zero start, γ > 0: (R/γ)² (Novikoff 1962). Any start, γ > 0: |w0 - αu|²/(2αγ - R²) for every
    α > R²/(2γ). Zero start, any u and γ > 0, with the shortfalls d = max(0, γ - u·z):
    ((R + √Σd²)/γ)² (Freund & Schapire 1999). Any u of any length, L = Σ max(0, 1 - u·z):
    √k <= (R|u| + √(R²|u|² + 4L))/2. The sums of the last two run over all visits, or over the
    mistakes that were made; the scale of u is chosen on the visits. On the mistakes it could not
    be: the smaller u, the nearer the bound to k itself, whatever the data.

    Parameters
    ----------
    X, y : arrays
        Examples and labels of two classes.
    run : Run or fitted estimator, optional
        A run of the plain rule over them; without it one is made, in the order given. If its
        journal has forgotten the oldest updates, the rest is what is counted and bounded.
    certificate : Certificate, optional
        What is proved of the data; found if not given.
    fit_intercept, intercept_scaling : bool, float
        As in the estimators; those of the run, if there is one.
    start : array, optional
        Where the run made here starts: weights, and perhaps the intercept after them.
    max_iter : int, default=1000
        Passes that it makes at most.

    Returns
    -------
    Bounds

    Notes
    -----
    The bounds are theorems about exact arithmetic, and no value is below its bound by rounding. A
    run in floats obeys them as long as no margin is so near zero that rounding decides its sign.

    Examples
    --------
    >>> found = bounds([[1.0], [-1.0]], [1, -1])
    >>> found.updates, round(found["Novikoff"].value, 6)
    (2, 2.0)
    """
    if run is None:
        run = _made(X, y, certificate, fit_intercept, intercept_scaling, start, max_iter)
    elif start is not None:
        raise ValueError("a run has its own start; give run or start, not both.")
    case = follow(run, X, y, certificate)
    step = _step(case)
    # Whatever eta0, from here on it is 1: w/eta0 is what a step of 1 from w0/eta0 makes.
    case = replace(case, start=case.start / step)
    counts = np.bincount(case.journal.updates.i, minlength=len(case.problem.codes)).astype(float)
    known = case.certificate
    tops = [case.radius]
    # Of a stream, or once the beginning is forgotten, w is made of more than these examples.
    if case.journal.config["from_zero"] and not case.journal.started["t"]:
        tops.append(float(case.journal.counters["upper"]))
    if known.scaling == case.problem.scaling:
        tops.append(known.margin_bracket[1])
    if known.verdict == "inseparable":  # whatever the size of the constant feature
        tops.append(0.0)
    ceiling = max(0.0, min(tops))
    visits = _visits(run, case)
    rows = [*_separable(case, ceiling), *_any(case, counts, visits)]
    return Bounds(tuple(rows), int(counts.sum()), case.radius, max(case.best.margin, 0.0), ceiling)


def _made(
    X: Any,
    y: Any,
    certificate: Certificate | None,
    fit_intercept: bool,
    scaling: float,
    start: Any,
    max_iter: int,
) -> Run:
    """A run of the plain rule."""
    scaling = inputs.positive_number("intercept_scaling", scaling)
    inputs.whole_number("max_iter", max_iter, 1)
    problem = pose(X, y, scaling if fit_intercept else 0.0, certificate)
    d, c = problem.X.shape[1], problem.scaling
    h = np.zeros(d + 1)
    if start is not None:
        given = np.asarray(start, float).ravel()
        if len(given) not in ((d, d + 1) if c else (d,)) or not np.isfinite(given).all():
            raise ValueError(
                f"start holds {len(given)} numbers; it needs {d} finite weights"
                + (", and perhaps the intercept." if c else ".")
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
        count_errors=False,
        keep=KEPT,
    )
    run.go(max_iter)
    return run


def _step(case: Case) -> float:
    """The step of every update."""
    config, steps = case.journal.config, case.journal.updates.a
    eta0 = float(config["parameters"].get("eta0", 1.0))
    if config["rule"] != "Plain" or not np.all(steps == eta0):
        raise ValueError(
            f"these bounds count updates of equal steps on mistakes, and the run is one of the "
            f"rule {config['rule']}, or weighted. Take rule='plain' without weights, or leave run "
            "out to have one made."
        )
    return eta0


def _visits(run: Any, case: Case) -> Array | None:
    """How often each example was visited since the journal's start, at most."""
    size = length = len(case.problem.codes)
    order = run.order
    if not isinstance(run, Run):
        order = orders.find("cyclic" if order is None else order, size)
    if order is orders.ORDERS["sampled"] or order.pick:
        return None
    once = np.ones(size)
    if not any(order is named for named in orders.ORDERS.values()):
        fixed = order.draw(size, np.random.default_rng(), lambda words, visits: None)
        # A stream is visited as it comes, whatever the order asked for.
        once, length = np.maximum(once, np.bincount(fixed, minlength=size)), len(fixed)
    began, ended = case.journal.started["t"], case.journal.counters["t"]
    # What does not begin with a pass may touch one pass more than its length says.
    return once * (ceil((ended - began) / length) + (began > 0))


def _square(number: float) -> float:
    """The square, infinite where it overflows; Python's power would raise an error."""
    return number * number


def _grain(case: Case) -> float:
    # A value is computed in a few dozen roundings, and a product of vectors in as many as they have
    # coordinates. Raised by this part, a value is never below the bound that it stands for.
    return 1e-12 + 8 * UNIT * (case.problem.X.shape[1] + 8)


def _separable(case: Case, ceiling: float) -> list[Bound]:
    """Bounds that need a positive margin."""
    R, c, w0, best = case.radius, case.problem.scaling, case.start, case.best
    up = 1 + _grain(case)
    why = "" if best.margin > 0 else case.obstacle
    from_zero = why or ("the run starts at w0 ≠ 0: see 'any start'" if w0.any() else "")
    rows = []

    def enter(
        name: str, formula: str, obstacle: str, tell: Callable[[], tuple[float, str]]
    ) -> None:
        value, note = (inf, obstacle) if obstacle else tell()
        rows.append(Bound(name, formula, value, not obstacle, note))

    def novikoff() -> tuple[float, str]:
        note = f"γ = {best.margin:.4g} of {best.name}; the learning rate has no effect"
        if 0 < ceiling < inf and _square(R / ceiling) < inf:
            note += f"; no proof of a margin can bring it below {_square(R / ceiling):,.4g}"
        ratio = R / best.margin
        return ratio * ratio * up, note

    def offset() -> tuple[float, str]:
        # Exact for every scale of (w, b); with |w| = 1 the margin is a distance among the x.
        w, b = best.unit[:-1], float(best.unit[-1]) * c
        length = float(np.linalg.norm(w))
        Rx = replace(case.problem, scaling=0.0).radius()
        value = (Rx**2 + c**2) * (length**2 + (b / c) ** 2) / best.margin / best.margin * up
        note = "c = 1, |w| = 1: (R²+1)(1+b²)/γ²; c = R, |b| <= R|w|: at most 4(R|w|/γ)²"
        if length > 0:
            wrong = _square(Rx * length / best.margin)
            note += f"; R = {Rx:.4g} of x alone, and (R|w|/γ)² = {wrong:,.4g} is no bound"
        return value, note

    def distance(least: bool) -> tuple[float, str]:
        found = [
            (*_from(w0, r, R, least, _grain(case)), r) for r in case.references if r.margin > 0
        ]
        value, alpha, reference = min(found, key=lambda entry: entry[0])
        return value, f"α = {alpha:.4g}, u {reference.name}"

    enter("Novikoff", "(R/γ)²", from_zero, novikoff)
    no_bias = "" if c > 0 else "the run has no intercept"
    formula = "(R² + c²)(|w|² + b²/c²)/γ²"
    enter("with offset", formula, no_bias or from_zero, offset)
    enter("any start", "|w0 - αu|²/R², α = R²/γ", why, lambda: distance(False))
    enter("any start, best α", "|w0 - αu|²/(2αγ - R²)", why, lambda: distance(True))
    return rows


def _from(
    w0: Array, reference: Reference, R: float, least: bool, grain: float
) -> tuple[float, float]:
    """The bound from any start, and its α: R²/γ, or the one that makes it least.

    The least value is (α - w0·u)/γ, the same that k·γ + w0·u <= √(|w0|² + k·R²) gives.
    """
    unit, margin = reference.unit, reference.margin
    size = float(np.linalg.norm(w0))
    if not least:
        alpha = R * R / margin
        away = float(np.linalg.norm(w0 - alpha * unit)) + grain * (size + alpha)
        return _square(away / R) * (1 + grain), alpha
    alpha, _ = nearest(w0, unit, margin, R)
    # The difference may be small: what is added for rounding is a part of its terms.
    lead = alpha - float(w0 @ unit) + grain * (alpha + size)
    return lead / margin * (1 + grain), alpha


def _any(case: Case, counts: Array, visits: Array | None) -> list[Bound]:
    """Bounds that hold for every u, separable data or not."""
    R, grain = case.radius, _grain(case)
    # Examples of length zero never move w: to them every start is the same.
    w0 = case.start if R > 0 else np.zeros(len(case.start))
    size = float(w0 @ w0)
    shift = size / R**2 if R > 0 else 0.0
    # An order that does not tell how often it visits is taken to be even, to choose a scale by.
    spread = max(1.0, ceil(case.journal.counters["t"] / len(counts)))
    weights = np.full(len(counts), spread) if visits is None else visits

    def shortfall(s: float, r: Reference, times: Array) -> float:
        missing = np.maximum(0.0, 1 - s * r.margins)
        return _square(R * s + sqrt(float(times @ missing**2))) * (1 + grain)

    def hinge(s: float, r: Reference, times: Array) -> float:
        # From w0: k + w0·u - L <= |u|·√(|w0|² + k·R²), so k + |w0|²/R² takes the place of k.
        loss = float(times @ np.maximum(0.0, 1 - s * r.margins))
        loss += shift - s * float(w0 @ r.unit) + grain * (loss + shift + s * sqrt(size))
        root = (R * s + sqrt(max(0.0, R * R * s * s + 4 * loss))) / 2
        return _square(root) * (1 + grain) - shift * (1 - grain)

    rows = []
    apart = "zero start only" if w0.any() else ""
    unknown = "" if visits is not None else "the order does not say how often it visits an example"
    shifted = "; for w0: L - w0·u + |w0|²/R² for L, less |w0|²/R²" if w0.any() else ""
    for name, formula, value, obstacle, more in (
        ("Freund-Schapire", "((R + √Σd²)/γ)²", shortfall, apart, ""),
        ("hinge", "((R|u| + √(R²|u|² + 4L))/2)²", hinge, "", shifted),
    ):
        # One u for both sums: chosen on the mistakes, it would be the one nearest to zero.
        choices = [(_scale(value, r, weights, R), r) for r in case.references]
        s, r = min(choices, key=lambda choice: value(choice[0], choice[1], weights))
        for suffix, times, no in (
            ("", weights, obstacle or unknown),
            (", mistakes", counts, obstacle),
        ):
            if no:
                rows.append(Bound(name + suffix, formula, inf, False, no))
                continue
            scale = f"γ = {1 / s:.4g}" if name != "hinge" else f"|u| = {s:.4g}"
            if R * s < 1e-4 * sqrt(float(weights.sum())):
                scale += ": none says more than an update a visit"
            over = "the mistakes made" if suffix else "all visits"
            note = f"sum over {over}; u along {r.name}, {scale}{more}"
            rows.append(Bound(name + suffix, formula, value(s, r, times), True, note))
    return rows


def _scale(
    value: Callable[[float, Reference, Array], float], r: Reference, times: Array, R: float
) -> float:
    """The length s of u = s·unit, or 1/γ, for which a bound over all visits is least."""
    # At s = 0 the bound is the number of visits, and from √visits/R on it is larger. In between it
    # falls, then rises: what is under the bound's level is convex in s. Any s gives a true bound.
    top = sqrt(max(1.0, float(times.sum()))) / R if R > 0 else 1.0
    found = minimize_scalar(
        lambda s: value(s, r, times),
        bounds=(0.0, top),
        method="bounded",
        options={"xatol": 1e-9 * top},
    )
    choices = [float(found.x), *([1 / r.margin] if r.margin > 0 else [])]
    return min(choices, key=lambda s: value(s, r, times))
