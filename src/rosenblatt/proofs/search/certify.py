"""certify and max_margin: can a data set be separated, and by how much? Proved either way."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.problem import Problem, posed, read
from rosenblatt.proofs.search import kernels, steps, weak
from rosenblatt.proofs.search.evidence import Evidence

POLISH = 3.0  # seconds at most for a closer bracket, once the verdict is proved

Told = Callable[[str], None]


def certify(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    multiclass: str = "native",
    gap: float = 1e-3,
    exact: bool = True,
    time_limit: float | None = None,
    progress: Told | None = None,
    kernel: str | None = None,
    degree: float = 3,
    gamma: float | None = None,
    coef0: float = 1.0,
) -> Any:
    """Prove that the examples can be separated by a hyperplane, or that they cannot.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> certify(X, y)
    Inseparable(4 points, exact)
    >>> certify(X, y).coefficients
    (Fraction(1, 4), Fraction(1, 4), Fraction(1, 4), Fraction(1, 4))
    >>> certify(X, [0, 0, 0, 1])
    Separable(margin in [0.242535, 0.242536], exact)
    >>> certify(X, y, kernel="poly", degree=2, gamma=1.0, fit_intercept=False)
    Separable(margin in [0.29277, 0.292771], exact)

    A perceptron runs first: it may separate the data, or return to an earlier hypothesis, which is
    a proof that it never will. Then Wolfe's nearest point of the convex hull brackets the margin,
    and a linear programme (HiGHS) takes over where floats are too coarse for that, and for few
    examples a simplex method in whole numbers where they are too coarse for anything. Whatever they
    find is made exact: floats are rational numbers, a separator is checked on every example in
    exact arithmetic behind a filter with proved rounding bounds, and the few examples that prove
    inseparability get rational weights whose sum is exactly zero.

    Parameters
    ----------
    X, y : examples, dense or sparse, and their classes
        With three classes or more one asks for a hypothesis with a row for each class that scores
        every example highest in its own class (Kesler's construction).
    fit_intercept, intercept_scaling : as of the estimators
        The intercept is the weight of a constant feature of this size. With `inf` it is free: the
        margin is the distance from the hyperplane, as support vector machines measure it (two
        classes only).
    multiclass : "native" or "ovr"
        "ovr" gives a dict: a certificate for each class against the rest.
    gap : float
        How close, relatively, the bracket of the best margin should be; a verdict never waits more
        than a few seconds for it.
    exact : bool
        False leaves out the search in rational arithmetic: what floats prove, and a perceptron that
        returns to where it was, is still proved; anything else stays undecided, with a bracket.
    time_limit : seconds, or None
        When it is over, what is proved by then is returned.
    progress : callable, or None
        Told in a few words what is being tried.
    kernel : "linear", "poly", "rbf" or None
        Ask for a hyperplane in the space of a kernel, `degree`, `gamma` and `coef0` being those of
        `KernelPerceptron`. Linear and polynomial kernels are evaluated in whole numbers, the
        Gaussian one in floats with a bound on their error. Two classes, or "ovr".

    Returns
    -------
    Certificate
        `verify(certificate, X, y)` checks it without any of this. With a kernel it is a
        `KernelCertificate`.
    """
    if multiclass not in ("native", "ovr"):
        raise ValueError(f"multiclass={multiclass!r} must be 'native' or 'ovr'.")
    deadline, told = _deadline(time_limit), progress or (lambda words: None)
    prove: Callable[[Problem], Any] = partial(
        _certify, gap=gap, exact=exact, deadline=deadline, told=told
    )
    if kernel is not None:
        scaling = intercept_scaling if fit_intercept else 0.0
        similarity = kernels.similarity(kernel, degree, gamma, coef0, scaling)
        prove = partial(kernels.certify, kernel=similarity, gap=gap, deadline=deadline)
    if multiclass == "native":
        problem = _posed(read(X, y), fit_intercept, intercept_scaling, None, gap)
        if kernel is not None and problem.rows > 1:
            raise ValueError(
                f"with a kernel two classes are asked for, y has {len(problem.classes)}; set "
                "multiclass='ovr'."
            )
        return prove(problem)
    certificates, many = {}, read(X, y)
    for label in many.classes:
        told(f"class {label} against the rest")
        certificates[label] = prove(_posed(many, fit_intercept, intercept_scaling, label, gap))
    return certificates


def max_margin(
    X: Any,
    y: Any,
    gap: float = 1e-6,
    *,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    time_limit: float | None = None,
    progress: Told | None = None,
) -> Certificate:
    """The hypothesis of largest margin, with a proof that no other has one larger by `gap`.

    >>> max_margin([[0.0], [1.0], [3.0]], ["low", "low", "high"], intercept_scaling=inf)
    Separable(margin in [1, 1], exact)

    The margin is min y(w·x + b)/√(|w|² + b²/c²), c being `intercept_scaling`; with `inf` it is the
    distance of the nearest example from the hyperplane, which a hard-margin support vector machine
    maximises. The parameters are those of `certify`, and so is the certificate. Data that cannot be
    separated get theirs too.
    """
    deadline, told = _deadline(time_limit), progress or (lambda words: None)
    problem = _posed(read(X, y), fit_intercept, intercept_scaling, None, gap)
    evidence = Evidence(problem)
    told("nearest point of the hull")
    steps.hull(evidence, gap, deadline, True)
    return _certify(problem, gap, True, deadline, told, evidence)


def _certify(
    problem: Problem, gap: float, exact: bool, deadline: float, told: Told,
    known: Evidence | None = None,
) -> Certificate:  # fmt: skip
    evidence, slow = known or Evidence(problem), False
    if exact and evidence.verdict == "undecided":
        steps.twins(evidence)
    if evidence.verdict == "undecided":
        told("perceptron")
        steps.perceptron(evidence, deadline)
    if known is None and evidence.verdict != "inseparable":
        told("nearest point of the hull")
        polish = evidence.verdict == "separable"
        soon = time.monotonic() + POLISH if polish else inf
        steps.hull(evidence, gap, min(deadline, soon), exact)
        slow = time.monotonic() >= soon
    if evidence.verdict == "undecided" and exact and time.monotonic() < deadline:
        told("linear programme")
        steps.programme(evidence, deadline)
    if evidence.verdict == "undecided" and exact and time.monotonic() < deadline:
        told("simplex method in whole numbers")
        steps.whole(evidence, deadline)
    if evidence.verdict == "inseparable" and exact:
        told("weak separability")
        weak.decide(evidence, deadline)
    evidence.note = _note(evidence, gap, exact, time.monotonic() >= deadline, slow)
    return evidence.certificate()


def _note(evidence: Evidence, gap: float, exact: bool, late: bool, slow: bool) -> str:
    """Why less is proved than was asked for; nothing if all is."""
    if evidence.verdict == "undecided":
        if not exact:
            return "Rational arithmetic was left out; exact=True may prove more."
        if late:
            return "Time was up; a larger time_limit may prove more."
        return "Floats were too coarse to suggest a proof; scale the features to like sizes."
    if evidence.verdict == "inseparable" or evidence.lower >= evidence.upper * (1 - gap):
        return ""
    why = (
        "time was up; a larger time_limit may narrow it."
        if late
        else "the verdict waited no longer for it; max_margin does."
        if slow
        else "floats were too coarse for a closer one; scale the features to like sizes."
    )
    return f"The bracket is wider than asked: {why}"


def _deadline(time_limit: float | None) -> float:
    if time_limit is None:
        return inf
    if not time_limit > 0:
        raise ValueError(f"time_limit={time_limit!r} must be a positive number of seconds.")
    return time.monotonic() + time_limit


def _posed(given: Problem, intercept: bool, scaling: float, target: Any, gap: float) -> Problem:
    if not 0 < gap < 1:
        raise ValueError(f"gap={gap!r} must be between 0 and 1.")
    problem = posed(given, fit_intercept=intercept, scaling=scaling, target=target)
    if problem.scaling == inf and (problem.rows > 1 or len(problem.classes) < 2):
        raise ValueError(
            f"a free intercept (intercept_scaling=inf) needs two classes, y has "
            f"{len(problem.classes)}; give a finite one, or multiclass='ovr'."
        )
    return problem
