"""A run with its problem, a certificate, and unit vectors to compare it with."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.run import Run
from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.problem import Array, Problem, read_problem
from rosenblatt.proofs.search.certification import certify
from rosenblatt.theory import journal as journals
from rosenblatt.theory import spaces
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.spaces import csr

MIN_RADIUS = 1e-70  # below it, or above its inverse, the fourth power is not a normal float

_OTHER_EXAMPLES = "X and y must be the training examples of the run, in their order."


class Reference(NamedTuple):
    """A unit vector u to compare a run with."""

    name: str
    unit: Array  # the weight of the constant feature last
    margins: Array  # a proved lower bound on u·z for each example
    margin: float  # a proved lower bound on all of them


@dataclass(frozen=True)
class AnalysedRun:
    """A run, its problem, a certificate, and unit vectors to compare it with."""

    problem: Problem
    journal: Journal
    certificate: Certificate
    radius: float
    start: Array  # the weight of the constant feature last
    references: tuple[Reference, ...]

    @property
    def best(self) -> Reference:
        """The reference of the largest proved margin; if none is positive, the average."""
        best = max(self.references, key=lambda reference: reference.margin)
        return best if best.margin > 0 else self.references[-1]

    @property
    def obstacle(self) -> str:
        """Why no positive margin is known."""
        if self.certificate.verdict != "inseparable":
            return "no w* with a positive margin is known, because the certificate is undecided"
        weak = self.certificate.weakly_separable
        why = "the best margin is exactly 0" if weak else "inseparable data"
        return f"no w* has a positive margin on all examples ({why})"


def analyse(run: Any, X: Any, y: Any, certificate: Certificate | None) -> AnalysedRun:
    """Return what the theorem needs of a run, after checking that it applies."""
    journal = _linear_journal(run)
    if X is None or y is None:
        if not isinstance(run, Run) or X is not None or y is not None:
            raise ValueError("X and y are needed: the training examples in their order.")
        X, y = _examples(run)
    c = float(journal.config["bias"])
    problem = binary_problem(X, y, c, certificate)
    updates = journal.updates
    if (updates.c != 1.0).any() or (updates.a <= 0.0).any():
        raise ValueError(
            f"the rule {journal.config['rule']} also scales w or makes negative steps, but the "
            "theorem is about steps w <- w + a·y·x with a > 0; use rule='plain'."
        )
    start = journal.start[0].astype(float)
    if not np.array_equal(problem.signs, journal.labels) or len(start) != problem.X.shape[1] + 1:
        raise ValueError(_OTHER_EXAMPLES)
    radius = _checked_radius(problem)
    last = _sum(problem, updates.i, updates.a) + start
    _check_last(run, journal, last, float(np.linalg.norm(start)) + radius * float(updates.a.sum()))
    if certificate is None:
        certificate = certify(X, y, fit_intercept=c > 0, intercept_scaling=c or 1.0)
    _check_certificate(certificate, problem)
    if isinstance(run, Run):
        last = run.h
    references = _references(problem, certificate, last, _averaged(problem, journal, start))
    return AnalysedRun(problem, journal, certificate, radius, start, references)


def _checked_radius(problem: Problem) -> float:
    radius = problem.radius()
    if radius > 0 and not MIN_RADIUS < radius < 1 / MIN_RADIUS:
        raise ValueError(
            f"the longest example has norm {radius:.3g}, whose fourth power overflows or "
            "underflows; scale the features, for instance with StandardScaler."
        )
    return radius


def _check_last(run: Any, journal: Journal, last: Array, reach: float) -> None:
    """Check that the updates on these examples lead to the last hypothesis of the run."""
    if isinstance(run, Run):
        same = np.allclose(last, run.h, rtol=0.0, atol=1e-6 * reach)
    else:
        norm = sqrt(max(0.0, journal.counters["ww"]))
        same = abs(float(np.linalg.norm(last)) - norm) <= 1e-6 * reach
    if not same:
        raise ValueError(_OTHER_EXAMPLES)


def _averaged(problem: Problem, journal: Journal, start: Array) -> Array:
    """Return the average of all hypotheses over the visits."""
    updates = journal.updates
    lives = journals.survivals(updates, int(journal.started["t"]), int(journal.counters["t"]))
    weights = np.empty(len(lives))
    journals.pull(updates.c, lives, weights)
    return weights[0] * start + _sum(problem, updates.i, weights[1:] * updates.a)


def binary_problem(X: Any, y: Any, c: float, certificate: Certificate | None) -> Problem:
    """Return the problem of two classes, or of the target against the rest."""
    target = None if certificate is None else certificate.target
    problem = read_problem(X, y, fit_intercept=c > 0, scaling=c or 1.0, target=target)
    if problem.rows > 1:
        raise ValueError(
            f"y holds {len(problem.classes)} classes, but the theorem is about two; use one "
            "against the rest, y == label."
        )
    if problem.fractions is not None:
        raise ValueError(
            "X holds numbers that floats cannot represent, so a run learns from rounded numbers; "
            "round them first, with X.astype(float)."
        )
    return problem


def _linear_journal(run: Any) -> Journal:
    """Return the journal of a run or an estimator to which the theorem applies."""
    if isinstance(run, Run):
        if not isinstance(run.space, (spaces.Dense, csr.CSR)):
            raise ValueError(
                f"the run is in a space of kind {type(run.space).__name__}, but the theorem is "
                "about two classes and p=2; make the run in inputs.binary_space(X, bias)."
            )
        if run.space.offset:
            raise ValueError("the theorem does not cover a fixed offset; learn it as the bias.")
        return run.journal()
    if not hasattr(run, "journal_"):
        raise ValueError(
            f"{type(run).__name__} is neither a Run nor a fitted estimator of rosenblatt; "
            "call fit first."
        )
    if len(run.classes_) != 2:
        raise ValueError("the theorem is about two classes; fit one against the rest, y == label.")
    journal: Journal = run.journal_
    if journal.config["parameters"].get("p", 2.0) != 2.0:
        raise ValueError("the theorem is about p=2; set p=2.")
    if not journal.config["linear"]:
        raise ValueError(
            "the theorem is about steps along examples, which a rule with variances or a kernel "
            "does not make; use rule='plain'."
        )
    if run.threshold and not run.fit_intercept:
        raise ValueError(
            "the theorem does not cover a fixed threshold; set threshold=0 or fit_intercept=True."
        )
    return journal


def _examples(run: Run) -> tuple[Any, Array]:
    """Return the examples of a run and their labels."""
    space = run.space
    if isinstance(space, spaces.Dense):
        return space.X, run.y
    signed = [a.view(f"i{a.itemsize}") for a in (space.indices, space.indptr)]
    shape = (len(run.y), space.features)
    return sp.csr_array((space.data, *signed), shape=shape), run.y


def _sum(problem: Problem, i: Array, factors: Array) -> Array:
    """Return Σ factor·z over the examples i."""
    size = len(problem.codes)
    weights = np.bincount(i, weights=factors, minlength=size) * problem.signs
    return np.append(problem.X.T @ weights, problem.scaling * weights.sum())


def _check_certificate(certificate: Certificate, problem: Problem) -> None:
    """Check that a certificate is about this problem."""
    if certificate.digest != problem.digest():
        raise ValueError("the certificate was made for other data; certify these examples.")
    if (certificate.scaling > 0) != (problem.scaling > 0):
        stated, own = ("without", "with") if problem.scaling > 0 else ("with", "without")
        raise ValueError(
            f"the certificate is about hyperplanes {stated} an intercept, but the run is {own} "
            "one; certify with the same fit_intercept."
        )


def _references(
    problem: Problem, certificate: Certificate, last: Array, averaged: Array
) -> tuple[Reference, ...]:
    """Return the nonzero ones of the certificate's weights, last and averaged w."""
    given: list[tuple[str, Array, float]] = []
    if certificate.weights is not None and certificate.intercept is not None:
        both = [*np.ravel(certificate.weights), *np.ravel(certificate.intercept)]
        # Fractions may be out of the range of floats; their ratios to the largest are not.
        largest = max(abs(v) for v in both) or 1
        vector = np.array([float(v / largest) for v in both])
        vector[-1] = vector[-1] / problem.scaling if problem.scaling else 0.0
        proved = certificate.verdict == "separable" and certificate.scaling == problem.scaling
        low = certificate.margin_bracket[0] if proved else -inf
        given.append(("the certificate's weights", vector, low))
    given += [("the last hypothesis", last, -inf), ("the averaged hypothesis", averaged, -inf)]
    found = [_reference(problem, *one) for one in given if one[1].any()]
    # Any direction will do if all of these are zero.
    return tuple(found) or (_reference(problem, "the first feature", np.eye(len(last))[0], -inf),)


def _reference(problem: Problem, name: str, vector: Array, low: float) -> Reference:
    unit = vector / np.abs(vector).max()
    unit /= np.linalg.norm(unit)
    W, b = unit[None, :-1], problem.scaling * unit[-1:]
    # Twice: once for the products, once for the norm of the vector, whose error is no larger.
    proved = (problem.margins(W, b) - 2 * problem.margin_errors(W, b))[:, 0]
    proved = np.maximum(proved, low)
    return Reference(name, unit, proved, float(proved.min()))
