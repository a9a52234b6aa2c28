"""The inequalities of the convergence proof on a run, update by update.

Let z = y·(x, c) be a signed example with the constant feature, R the largest norm of a z, and w* a
unit vector with w*·z >= γ > 0 for all z. A step w <- w + a·z on a mistake, w·z <= 0, changes

    w·w*        by a·w*·z                          >= a·γ,
    |w|²        by 2a·w·z + a²|z|²                 <= a²R²,
    |w - α·w*|² by 2a·w·z + a²|z|² - 2aα·w*·z      <= a²R² - 2aα·γ.

With steps of 1 from w = 0, the first two give k·γ <= w·w* <= |w| <= √k·R after k updates, so that
k <= (R/γ)². The third holds from any start and shows that w approaches α·w* if α > R²/(2γ).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.problem import UNIT, Array
from rosenblatt.proofs.convergence.analysis import MIN_RADIUS, AnalysedRun, Reference, analyse
from rosenblatt.theory.journal import Journal


def best_alpha(start: Array, unit: Array, margin: float, radius: float) -> float:
    """Return the α for which |start - α·w*|²/(2αγ - R²) is least.

    With g = 2αγ - R² and A = |start - R²/(2γ)·w*|² the quotient is A/g + g/(4γ²) plus a constant.
    Its derivative vanishes at g = 2γ·√A, which is α = R²/(2γ) + √A.
    """
    middle = radius**2 / (2 * margin)
    return middle + float(np.linalg.norm(start - middle * unit))


@dataclass(frozen=True, eq=False, repr=False)
class ProofTrace:
    """The inequalities of the convergence proof after each update.

    `low` = w0·w* + γ·Σa and `along` = w·w*; `length` = |w| and `high` = √(|w0|² + R²·Σa²);
    `distance2` = |w - α·w*|² and `ceiling2` = |w0 - α·w*|² + R²·Σa² - 2αγ·Σa. The sums are over the
    steps so far. With steps of 1 from w0 = 0, `low` is k·γ and `high` is √k·R. The proof states
    that low <= along <= length <= high and distance2 <= ceiling2.
    """

    k: Array
    example: Array  # the example of each update
    gain: Array  # w*·z, the increase of w·w* per unit of step
    low: Array
    along: Array
    length: Array
    high: Array
    distance2: Array  # nan, like `ceiling2`, if γ is 0: then w approaches no α·w*
    ceiling2: Array
    margin: float  # γ: a proved margin of w*, or 0 if it has none
    radius: float  # R
    alpha: float  # the α that gives the least bound on the updates
    reference: str  # where w* comes from
    obstacle: str  # why γ is 0, or empty
    worst: tuple[int, float]  # the example on which w* has its least margin, and that margin
    slack: Array  # a bound on the rounding error of norms, relative to `reach`
    reach: Array  # |w0| + R·Σa, a bound on all norms and products with a unit vector

    def __repr__(self) -> str:
        result = "all inequalities hold" if self.fails is None else self.fails
        return f"<ProofTrace of {len(self.k):,} updates: {result}>"

    @property
    def holds(self) -> dict[str, Array]:
        """Whether each inequality holds after each update, up to rounding.

        "along": this and all earlier updates increased w·w* by at least γ > 0 per unit of step.
        "length": |w| <= high. "distance": distance2 <= ceiling2.
        """
        least = self.along >= self.low - self.slack * self.reach
        far2 = (self.reach + self.alpha) ** 2
        return {
            "along": least & np.logical_and.accumulate(self.gain > 0),
            "length": self.length**2 <= self.high**2 + self.slack * self.reach**2,
            "distance": self.distance2 <= self.ceiling2 + self.slack * far2,
        }

    @property
    def fails(self) -> str | None:
        """The step of the proof that fails, as a sentence; None if all hold."""
        holds = self.holds
        if self.margin > 0:
            broken = [name for name, kept in holds.items() if not kept.all()]
            return f"rounding violates {', '.join(broken)}" if broken else None
        still = " |w|² <= |w0|² + R²·Σa² still holds." if holds["length"].all() else ""
        step = "'w·w* grows by at least γ > 0 with each update' fails: " + self.obstacle
        noise = float(self.slack[:1].sum()) * self.radius  # smaller numbers are shown as 0
        back = np.flatnonzero(self.gain <= 0)
        if len(back):
            e = back[0]
            seen = (
                f"with {self.reference} as w*, update {self.k[e]} on example {self.example[e]} "
                f"changed it by {_format(self.gain[e], noise)} per unit of step"
            )
        else:
            seen = (
                f"{self.reference}, used as w*, has margin {_format(self.worst[1], noise)} on "
                f"example {self.worst[0]}, on which this run made no update"
            )
        return f"{step}; {seen}.{still}"

    def columns(self) -> dict[str, Array]:
        """Return the curves to plot by name, with a number per update."""
        names = ("k", "example", "low", "along", "length", "high", "distance2", "ceiling2")
        return {name: getattr(self, name) for name in names}


def _format(value: float, noise: float) -> str:
    return f"{value:.3g}" if abs(value) > noise else "0"


def proof_trace(
    run: Any, *, X: Any = None, y: Any = None, certificate: Certificate | None = None
) -> ProofTrace:
    """Evaluate the inequalities of the convergence proof after each update of a run.

    Parameters
    ----------
    run : Run or fitted estimator
        Two classes, with steps w <- w + a·y·x on mistakes, as of the plain and the normalised rule.
        If its journal has dropped the oldest updates, w0 is the hypothesis before the rest.
    X, y : arrays, optional
        The training examples, in their order. Required for an estimator; a run has its own.
    certificate : Certificate, optional
        A certificate for them; found if not given. Its weights are w*. For inseparable data w* is
        the averaged hypothesis, and `fails` describes the step of the proof that fails.

    Returns
    -------
    ProofTrace

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[2.0, 1.0], [-1.0, -2.0], [0.5, 2.0]]), np.array([1, 0, 1])
    >>> trace = proof_trace(Perceptron(shuffle=False).fit(X, y), X=X, y=y)
    >>> all(ok.all() for ok in trace.holds.values()), trace.fails
    (True, None)
    """
    analysed = analyse(run, X, y, certificate)
    best = analysed.best
    gamma = max(best.margin, 0.0)
    if 0 < gamma < MIN_RADIUS * analysed.radius:
        raise ValueError(
            f"the best margin known is {gamma:.3g}, so small compared with R = "
            f"{analysed.radius:.3g} that (R/γ)² overflows; scale the features, for instance with "
            "StandardScaler."
        )
    return _evaluate(analysed, best, gamma)


def _evaluate(analysed: AnalysedRun, best: Reference, gamma: float) -> ProofTrace:
    """Return the trace of a run with `best` as w* and γ = gamma."""
    start, R, (_, i, _, a, _) = analysed.start, analysed.radius, analysed.journal.updates
    number = np.arange(1, len(a) + 1)
    total, total2 = np.cumsum(a), np.cumsum(a * a)
    reach = float(np.linalg.norm(start)) + R * total
    slack = 8 * UNIT * (analysed.problem.X.shape[1] + 8 + number)
    before, norm2 = _replay(analysed)
    _check_mistakes(analysed.journal, before, slack * R * reach)
    at = float(start @ best.unit)
    gain = best.margins[i]
    along = at + np.cumsum(a * gain)
    alpha = nan
    if gamma > 0:
        # If steps differ, the longest is the unit: it gains least for its length.
        scale = float(a.max(initial=0.0)) or 1.0
        alpha = scale * best_alpha(start / scale, best.unit, gamma, R)
    origin2 = float(np.sum((start - alpha * best.unit) ** 2))
    return ProofTrace(
        k=number,
        example=i,
        gain=gain,
        low=at + gamma * total,
        along=along,
        length=np.sqrt(norm2),
        high=np.sqrt(float(start @ start) + R**2 * total2),
        distance2=np.maximum(norm2 - 2 * alpha * along + alpha**2, 0.0),
        ceiling2=origin2 + R**2 * total2 - 2 * alpha * gamma * total,
        margin=gamma,
        radius=R,
        alpha=alpha,
        reference=best.name,
        obstacle="" if gamma > 0 else analysed.obstacle,
        worst=(int(np.argmin(best.margins)), float(best.margins.min())),
        slack=slack,
        reach=reach,
    )


def _replay(analysed: AnalysedRun) -> tuple[Array, Array]:
    """Return the margin of each update's example before it, and |w|² after it."""
    X, signs, c = analysed.problem.X, analysed.problem.signs, analysed.problem.scaling
    w, sparse, size = analysed.start.copy(), sp.issparse(X), len(analysed.journal)
    norm2, margins, norms2 = float(w @ w), np.empty(size), np.empty(size)
    every = slice(0, X.shape[1])
    for e, (_, i, _, a, _) in enumerate(zip(*analysed.journal.updates, strict=True)):
        at: Any = every
        if sparse:
            stored = slice(X.indptr[i], X.indptr[i + 1])
            at, x = X.indices[stored], X.data[stored].astype(float)
        else:
            x = X[i].astype(float)
        m = signs[i] * (float(x @ w[at]) + c * w[-1])
        norm2 += a * (2 * m + a * (float(x @ x) + c * c))
        w[at] += a * signs[i] * x
        w[-1] += a * signs[i] * c
        margins[e], norms2[e] = m, max(norm2, 0.0)
    return margins, norms2


def _check_mistakes(journal: Journal, margins: Array, slack: Array) -> None:
    """Check that every update was made on a mistake."""
    early = np.flatnonzero(margins > slack)
    if len(early):
        raise ValueError(
            f"update {early[0] + 1} of the rule {journal.config['rule']} was made at margin "
            f"{margins[early[0]]:.3g}; the proof needs updates on mistakes only (margin <= 0). "
            "Trace a run with rule='plain'."
        )
