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
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt import journal as journals
from rosenblatt import rules, spaces
from rosenblatt.journal import Journal
from rosenblatt.proofs.certificate import Certificate
from rosenblatt.proofs.problem import UNIT, Array, Problem, read
from rosenblatt.run import Run


class Reference(NamedTuple):
    """A unit vector u to compare a run with."""

    name: str
    unit: Array  # the constant feature's weight last
    margins: Array  # no u·z is below its own
    margin: float  # nor any of them below this


@dataclass(frozen=True)
class Case:
    """A run, the problem it was made on, what is proved of it, and vectors to compare it with."""

    problem: Problem
    journal: Journal
    certificate: Certificate
    radius: float
    start: Array  # the constant feature's weight last
    references: tuple[Reference, ...]

    @property
    def best(self) -> Reference:
        """The reference of the largest proved margin; without a positive one, the average."""
        best = max(self.references, key=lambda reference: reference.margin)
        return best if best.margin > 0 else self.references[-1]

    @property
    def obstacle(self) -> str:
        """Why no positive margin is at hand."""
        if self.certificate.verdict != "inseparable":
            return "no w* with a positive margin is known: the certificate leaves it undecided"
        why = "the best is exactly 0" if self.certificate.weakly_separable else "inseparable data"
        return f"no w* has a positive margin on all examples ({why})"


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


# --- from a run to a case -----------------------------------------------------------------------


def follow(run: Any, X: Any, y: Any, certificate: Certificate | None) -> Case:
    """What a run did, on which problem, and what is proved of that problem."""
    journal, last = _journal(run)
    c = float(journal.config["bias"])
    if X is None or y is None:
        if not isinstance(run, Run) or X is not None or y is not None:
            raise ValueError("X and y are needed: the examples that were learned, in their order.")
        X, y = _examples(run)
    problem = pose(X, y, c, certificate)
    updates = journal.updates
    if (updates.c != 1.0).any() or (updates.a <= 0.0).any():
        raise ValueError(
            f"the rule {journal.config['rule']} also scales w or steps backwards; the proof is of "
            "steps w <- w + a·y·x with a > 0. Take a run of rule='plain'."
        )
    strange = ValueError("X and y are not the examples that were learned from, in their order.")
    start = journal.start[0].astype(float)
    if not np.array_equal(problem.signs, journal.labels) or len(start) != problem.X.shape[1] + 1:
        raise strange
    radius = problem.radius()
    final = _sum(problem, updates.i, updates.a) + start
    spread = float(np.linalg.norm(start)) + radius * float(updates.a.sum())
    if not np.allclose(final, last, rtol=0.0, atol=1e-6 * spread):
        raise strange
    lives = journals.survivals(updates, int(journal.started["t"]), int(journal.counters["t"]))
    weights = np.empty(len(lives))
    journals.pull(updates.c, lives, weights)
    averaged = weights[0] * start + _sum(problem, updates.i, weights[1:] * updates.a)
    if certificate is None:
        from rosenblatt.proofs.certify import certify

        certificate = certify(X, y, fit_intercept=c > 0, intercept_scaling=c or 1.0)
    _same(certificate, problem)
    references = _references(problem, certificate, last, averaged)
    return Case(problem, journal, certificate, radius, start, references)


def pose(X: Any, y: Any, c: float, certificate: Certificate | None) -> Problem:
    """The problem of two classes; one against the rest if the certificate is about that."""
    target = None if certificate is None else certificate.target
    problem = read(X, y, fit_intercept=c > 0, scaling=c or 1.0, target=target)
    if problem.rows > 1:
        raise ValueError(
            f"y holds {len(problem.classes)} classes, the proof is of two: take one against the "
            "rest, y == label."
        )
    return problem


def _journal(run: Any) -> tuple[Journal, Array]:
    """The journal of a run or an estimator, and its last hypothesis."""
    if isinstance(run, Run):
        if not isinstance(run.space, (spaces.Dense, spaces.CSR)):
            raise ValueError(
                f"the run is in a space of kind {type(run.space).__name__}; the proof is of two "
                "classes and p=2: make the run in inputs.binary_space(X, bias)."
            )
        if run.space.offset:
            raise ValueError("a fixed offset is no part of the proof; learn it as the bias.")
        return run.journal(), run.h
    if not hasattr(run, "journal_"):
        raise ValueError(
            f"{type(run).__name__} is neither a Run nor a fitted estimator of rosenblatt; "
            "call fit first."
        )
    journal: Any = run.journal_
    for obstacle, words in (
        (
            len(run.classes_) != 2,
            "the proof is of two classes: fit one against the rest, y == label.",
        ),
        (getattr(run._rule(), "p", 2.0) != 2.0, "the proof is of p=2: set p=2."),
        (
            rules.prior(run._rule()) > 0,
            "the proof is of steps along examples, which a rule with variances does not make.",
        ),
        (
            run.threshold and not run.fit_intercept,
            "a fixed threshold is no part of the proof: set threshold=0 or fit_intercept=True.",
        ),
    ):
        if obstacle:
            raise ValueError(words)
    (coef,), (intercept,) = run._last
    bias = journal.config["bias"]
    return journal, np.append(coef, intercept / bias if bias else 0.0)


def _examples(run: Run) -> tuple[Any, Array]:
    """The examples that a run holds."""
    space = run.space
    if isinstance(space, spaces.Dense):
        return space.X, run.y
    signed = [a.view(f"i{a.itemsize}") for a in (space.indices, space.indptr)]
    shape = (len(run.y), space.features)
    return sp.csr_array((space.data, *signed), shape=shape), run.y


def _sum(problem: Problem, i: Array, factors: Array) -> Array:
    """Σ factor·z over examples i."""
    size = len(problem.codes)
    weights = np.bincount(i, weights=factors, minlength=size) * problem.signs
    return np.append(problem.X.T @ weights, problem.scaling * weights.sum())


def _same(certificate: Certificate, problem: Problem) -> None:
    """Refuse a certificate that is about something else."""
    if certificate.digest != problem.digest():
        raise ValueError("the certificate is about other data; certify these examples.")
    if (certificate.scaling > 0) != (problem.scaling > 0):
        words = ("without", "with") if problem.scaling > 0 else ("with", "without")
        raise ValueError(
            f"the certificate is about hyperplanes {words[0]} an intercept, the run {words[1]}; "
            "certify with the same fit_intercept."
        )


def _references(
    problem: Problem, certificate: Certificate, last: Array, averaged: Array
) -> tuple[Reference, ...]:
    """The certificate's weights, the last hypothesis and the average, those that are not zero."""
    given: list[tuple[str, Array, float]] = []
    if certificate.weights is not None and certificate.intercept is not None:
        both = [*np.ravel(certificate.weights), *np.ravel(certificate.intercept)]
        # Fractions may be out of the range of floats, their ratios to the largest are not.
        largest = max(abs(v) for v in both) or 1
        vector = np.array([float(v / largest) for v in both])
        vector[-1] = vector[-1] / problem.scaling if problem.scaling else 0.0
        proved = certificate.verdict == "separable" and certificate.scaling == problem.scaling
        low = certificate.margin_bracket[0] if proved else -inf
        given.append(("the certificate's weights", vector, low))
    given += [("the last hypothesis", last, -inf), ("the averaged hypothesis", averaged, -inf)]
    found = [_reference(problem, *one) for one in given if one[1].any()]
    # Any direction will do where all of these are zero.
    return tuple(found) or (_reference(problem, "the first feature", np.eye(len(last))[0], -inf),)


def _reference(problem: Problem, name: str, vector: Array, low: float) -> Reference:
    unit = vector / np.abs(vector).max()
    unit /= np.linalg.norm(unit)
    W, b = unit[None, :-1], problem.scaling * unit[-1:]
    # Once for the products, once for the length of the vector: its rounding is no larger.
    sure = (problem.margins(W, b) - 2 * problem.rounding(W, b))[:, 0]
    sure = np.maximum(sure, low)
    return Reference(name, unit, sure, float(sure.min()))
