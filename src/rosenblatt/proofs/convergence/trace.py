"""A run as the convergence proof sees it, update by update.

Write z = y·(x, c) for a signed example with the constant feature, R for the length of the longest,
and let w* be a unit vector with w*·z >= γ > 0 for all of them. A step w <- w + a·z that is made on
a mistake, w·z <= 0, changes

    w·w*        by a·w*·z                          >= a·γ,
    |w|²        by 2a·w·z + a²|z|²                 <= a²R²,
    |w - α·w*|² by 2a·w·z + a²|z|² - 2aα·w*·z      <= a²R² - 2aα·γ.

With steps of 1 from w = 0 the first two give k·γ <= w·w* <= |w| <= √k·R after k updates, so that
k <= (R/γ)². The third holds from any start, and shows w coming closer to α·w* if α > R²/(2γ).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.problem import UNIT, Array
from rosenblatt.proofs.convergence.case import SMALLEST, Case, follow
from rosenblatt.theory.journal import Journal


def nearest(start: Array, unit: Array, margin: float, radius: float) -> tuple[float, float]:
    """The α for which |start - α·w*|²/(2αγ - R²) is least, and |start - R²/(2γ)·w*|.

    With g = 2αγ - R² and A = |start - R²/(2γ)·w*|² the quotient is A/g + g/(4γ²) plus what does not
    depend on g. Its derivative vanishes at g = 2γ·√A, which is α = R²/(2γ) + √A.
    """
    middle = radius**2 / (2 * margin)
    away = float(np.linalg.norm(start - middle * unit))
    return middle + away, away


@dataclass(frozen=True, eq=False, repr=False)
class ProofTrace:
    """The inequalities of the convergence proof after each update; made by `proof_trace`.

    `low` = w0·w* + γ·Σa and `along` = w·w*; `length` = |w| and `high` = √(|w0|² + R²·Σa²);
    `distance` = |w - α·w*|² and `ceiling` = |w0 - α·w*|² + R²·Σa² - 2αγ·Σa, sums over the steps so
    far. With steps of 1 from w0 = 0, `low` is k·γ and `high` is √k·R. The proof says that
    low <= along <= length <= high and distance <= ceiling.
    """

    k: Array
    example: Array  # whose update it was
    gain: Array  # by which w·w* grew, in units of the step: w*·z
    low: Array
    along: Array
    length: Array
    high: Array
    distance: Array  # nan, as the ceiling, if γ is 0: then no α brings w closer
    ceiling: Array
    margin: float  # γ: a proved margin of w*, or 0 if it has none
    radius: float  # R
    alpha: float  # the one that promises the fewest updates
    reference: str  # where w* comes from
    obstacle: str  # why γ is 0, or nothing
    worst: tuple[int, float]  # the example on which w* has its least margin, and that margin
    slack: Array  # what rounding may do to lengths, relative to `reach`
    reach: Array  # |w0| + R·Σa: no length, and no product with a unit vector, is larger

    def __repr__(self) -> str:
        told = "all inequalities hold" if self.fails is None else self.fails
        return f"<ProofTrace of {len(self.k):,} updates: {told}>"

    @property
    def holds(self) -> dict[str, Array]:
        """After which updates each inequality held, but for rounding.

        "along": this and all earlier updates brought w·w* forward by at least γ > 0 a unit of step.
        "length": |w| <= high. "distance": distance <= ceiling.
        """
        least = self.along >= self.low - self.slack * self.reach
        far = (self.reach + self.alpha) ** 2
        return {
            "along": least & np.logical_and.accumulate(self.gain > 0),
            "length": self.length**2 <= self.high**2 + self.slack * self.reach**2,
            "distance": self.distance <= self.ceiling + self.slack * far,
        }

    @property
    def fails(self) -> str | None:
        """The step of the proof that fails, in words; None if all of them hold."""
        holds = self.holds
        if self.margin > 0:
            broken = [name for name, kept in holds.items() if not kept.all()]
            return f"rounding broke the inequalities of {', '.join(broken)}" if broken else None
        still = " |w|² <= |w0|² + R²·Σa² still holds." if holds["length"].all() else ""
        step = "'w·w* grows by at least γ > 0 with each update' fails: " + self.obstacle
        grain = float(self.slack[:1].sum()) * self.radius  # what may be rounding is told as 0
        back = np.flatnonzero(self.gain <= 0)
        if len(back):
            e = back[0]
            seen = (
                f"for the w* used here ({self.reference}), update {self.k[e]} on example "
                f"{self.example[e]} changed it by {_told(self.gain[e], grain)} a unit of step"
            )
        else:
            seen = (
                f"the w* used here ({self.reference}) has margin {_told(self.worst[1], grain)} on "
                f"example {self.worst[0]}, which this run never learned"
            )
        return f"{step}; {seen}.{still}"

    def columns(self) -> dict[str, Array]:
        """What to plot, by name, a number for each update."""
        names = ("k", "example", "low", "along", "length", "high", "distance", "ceiling")
        return {name: getattr(self, name) for name in names}


def _told(value: float, grain: float) -> str:
    return f"{value:.3g}" if abs(value) > grain else "0"


def proof_trace(
    run: Any, *, X: Any = None, y: Any = None, certificate: Certificate | None = None
) -> ProofTrace:
    """Evaluate both inequalities of the convergence proof, and the distance proof, on a run.

    Parameters
    ----------
    run : Run or fitted estimator
        Two classes; steps w <- w + a·y·x on mistakes, as the plain and the normalised rule make
        them. If its journal has forgotten the oldest updates, w0 is where the rest begins.
    X, y : arrays, optional
        The examples that were learned, in their order. An estimator needs them; a run has its own.
    certificate : Certificate, optional
        What is proved of them; found if not given. Its weights are w*. Inseparable data have none,
        so the averaged hypothesis stands in, and `fails` says where the proof breaks.

    Returns
    -------
    ProofTrace

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[2.0, 1.0], [-1.0, -2.0], [0.5, 2.0]]), np.array([1, 0, 1])
    >>> trace = proof_trace(Perceptron(shuffle=False).fit(X, y), X=X, y=y)
    >>> all(held.all() for held in trace.holds.values()), trace.fails
    (True, None)
    """
    case = follow(run, X, y, certificate)
    problem, journal, R = case.problem, case.journal, case.radius
    _, i, _, a, _ = journal.updates
    number = np.arange(1, len(a) + 1)
    total, squares = np.cumsum(a), np.cumsum(a * a)
    reach = float(np.linalg.norm(case.start)) + R * total
    slack = 8 * UNIT * (problem.X.shape[1] + 8 + number)
    before, ww = _walk(case)
    _on_mistakes(journal, before, slack * R * reach)

    best = case.best
    unit, gamma = best.unit, max(best.margin, 0.0)
    if 0 < gamma < SMALLEST * R:
        raise ValueError(
            f"the best margin known is {gamma:.3g}, so small beside R = {R:.3g} that (R/γ)² "
            "overflows; scale the features, for instance with StandardScaler."
        )
    at = float(case.start @ unit)
    gain = best.margins[i]
    along = at + np.cumsum(a * gain)
    if gamma > 0:
        # Of steps other than 1 the longest is taken as the unit: it gains least for its length.
        scale = float(a.max(initial=0.0)) or 1.0
        alpha = scale * nearest(case.start / scale, unit, gamma, R)[0]
    else:
        alpha = nan
    origin = float(np.sum((case.start - alpha * unit) ** 2))
    return ProofTrace(
        k=number,
        example=i,
        gain=gain,
        low=at + gamma * total,
        along=along,
        length=np.sqrt(ww),
        high=np.sqrt(float(case.start @ case.start) + R**2 * squares),
        distance=np.maximum(ww - 2 * alpha * along + alpha**2, 0.0),
        ceiling=origin + R**2 * squares - 2 * alpha * gamma * total,
        margin=gamma,
        radius=R,
        alpha=alpha,
        reference=best.name,
        obstacle="" if gamma > 0 else case.obstacle,
        worst=(int(np.argmin(best.margins)), float(best.margins.min())),
        slack=slack,
        reach=reach,
    )


def _walk(case: Case) -> tuple[Array, Array]:
    """Margin of each update's example before it, and <w, w> after it."""
    X, signs, c = case.problem.X, case.problem.signs, case.problem.scaling
    w, sparse = case.start.copy(), sp.issparse(X)
    ww, margins, squares = float(w @ w), np.empty(len(case.journal)), np.empty(len(case.journal))
    every = slice(0, X.shape[1])
    for e, (_, i, _, a, _) in enumerate(zip(*case.journal.updates, strict=True)):
        at: Any = every
        if sparse:
            stored = slice(X.indptr[i], X.indptr[i + 1])
            at, x = X.indices[stored], X.data[stored].astype(float)
        else:
            x = X[i].astype(float)
        m = signs[i] * (float(x @ w[at]) + c * w[-1])
        ww += a * (2 * m + a * (float(x @ x) + c * c))
        w[at] += a * signs[i] * x
        w[-1] += a * signs[i] * c
        margins[e], squares[e] = m, max(ww, 0.0)
    return margins, squares


def _on_mistakes(journal: Journal, margins: Array, slack: Array) -> None:
    """Refuse steps of which the proof knows nothing."""
    early = np.flatnonzero(margins > slack)
    if len(early):
        raise ValueError(
            f"update {early[0] + 1} of the rule {journal.config['rule']} was made at margin "
            f"{margins[early[0]]:.3g}; the proof needs updates on mistakes only (margin <= 0). "
            "Trace a run of rule='plain'."
        )
