"""A run before the theory: its problem, what is proved of that, and vectors to compare it with."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.run import Run
from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.problem import Array, Problem, read
from rosenblatt.theory import journal as journals
from rosenblatt.theory import rules, spaces
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.spaces import csr

SMALLEST = 1e-70  # length of the longest example, for its fourth power to be a number


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
    if radius > 0 and not SMALLEST < radius < 1 / SMALLEST:
        raise ValueError(
            f"the longest example has length {radius:.3g}, whose powers overflow or vanish in "
            "doubles; scale the features, for instance with StandardScaler."
        )
    final = _sum(problem, updates.i, updates.a) + start
    spread = float(np.linalg.norm(start)) + radius * float(updates.a.sum())
    if not np.allclose(final, last, rtol=0.0, atol=1e-6 * spread):
        raise strange
    lives = journals.survivals(updates, int(journal.started["t"]), int(journal.counters["t"]))
    weights = np.empty(len(lives))
    journals.pull(updates.c, lives, weights)
    averaged = weights[0] * start + _sum(problem, updates.i, weights[1:] * updates.a)
    if certificate is None:
        from rosenblatt.proofs.search.certify import certify

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
    if problem.fine is not None:
        raise ValueError(
            "X holds numbers that floats cannot, so a run learns from other numbers than these; "
            "round them first, with X.astype(float)."
        )
    return problem


def _journal(run: Any) -> tuple[Journal, Array]:
    """The journal of a run or an estimator, and its last hypothesis."""
    if isinstance(run, Run):
        if not isinstance(run.space, (spaces.Dense, csr.CSR)):
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
        (getattr(run.resolve_rule(), "p", 2.0) != 2.0, "the proof is of p=2: set p=2."),
        (
            rules.prior(run.resolve_rule()) > 0,
            "the proof is of steps along examples, which a rule with variances does not make.",
        ),
        (
            run.threshold and not run.fit_intercept,
            "a fixed threshold is no part of the proof: set threshold=0 or fit_intercept=True.",
        ),
    ):
        if obstacle:
            raise ValueError(words)
    last = run.outcome_.last
    (coef,), (intercept,) = last.coef, last.intercept
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
