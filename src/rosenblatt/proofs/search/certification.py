"""certify and max_margin: prove whether, and by what margin, data are separable.

The search goes from cheap to reliable. Equal examples of different classes are found first. Then a
perceptron runs: it may separate the data, or return to an earlier hypothesis, which proves that it
never will. Wolfe's algorithm for the nearest point of the convex hull brackets the margin. A linear
programme (HiGHS) follows where floats are too imprecise for that, and for small data a simplex
method in integers.

What they find is made exact: floats are rational numbers, a separator is checked on every example
in exact arithmetic behind a filter with proved rounding bounds, and the few examples that prove
inseparability get rational coefficients whose combination is exactly zero.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any, NamedTuple

from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.feature_space import KernelCertificate
from rosenblatt.proofs.checker.problem import Problem, read_problem
from rosenblatt.proofs.search import steps
from rosenblatt.proofs.search.evidence import Evidence
from rosenblatt.proofs.search.feature_space import certify_in_feature_space, proved_similarity
from rosenblatt.proofs.search.weak_separability import decide_weak_separability
from rosenblatt.theory.similarity import Similarity

MAX_NARROWING = 3.0  # seconds for a narrower bracket once the data are proved to be separable

Progress = Callable[[str], None]


class Search(NamedTuple):
    """Options of a search."""

    gap: float
    exact: bool
    deadline: float
    progress: Progress

    @property
    def late(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() >= self.deadline


def certify(
    X: Any, y: Any, *, fit_intercept: bool = True, intercept_scaling: float = 1.0,
    multiclass: str = "native", gap: float = 1e-3, exact: bool = True,
    time_limit: float | None = None, progress: Progress | None = None, kernel: str | None = None,
    degree: float = 3, gamma: float | None = None, coef0: float = 1.0,
) -> Any:  # fmt: skip
    """Prove that the examples can be separated by a hyperplane, or that they cannot.

    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> certify(X, y), certify(X, y).coefficients[0]
    (Inseparable(4 points, exact), Fraction(1, 4))
    >>> certify(X, [0, 0, 0, 1])
    Separable(margin in [0.242535, 0.242536], exact)
    >>> certify(X, y, kernel="poly", degree=2, gamma=1.0, fit_intercept=False)
    Separable(margin in [0.29277, 0.292771], exact)

    Parameters
    ----------
    X, y : examples, dense or sparse, and their classes
        With more than two classes, a hypothesis must score every example highest in its own class.
    fit_intercept, intercept_scaling : bool, float
        As in the estimators; `inf` makes the intercept free: the margin is then the distance from
        the hyperplane, as in support vector machines (two classes only).
    multiclass : "native" or "ovr"
        "ovr" returns a dict with a certificate for each class against the rest.
    gap : float
        Relative width of the bracket of the best margin to aim for; it delays a verdict by at most
        a few seconds.
    exact : bool
        False skips the search in rational arithmetic. What floats prove is still proved.
    time_limit : seconds, or None
        When it has passed, what is proved so far is returned.
    progress : callable, or None
        Called with a short description before each step.
    kernel, degree, gamma, coef0 : as in KernelPerceptron
        Separate in the feature space of a "linear", "poly" or "rbf" kernel (two classes, or "ovr").

    Returns
    -------
    Certificate, or KernelCertificate with a kernel
        `verify(certificate, X, y)` checks it without the search.
    """
    if multiclass not in ("native", "ovr"):
        raise ValueError(f"multiclass={multiclass!r} must be 'native' or 'ovr'.")
    search = _search(gap, exact, time_limit, progress)
    prove: Callable[[Problem], Any] = partial(_certify, search=search)
    if kernel is not None:
        scaling = intercept_scaling if fit_intercept else 0.0
        similarity = proved_similarity(kernel, degree, gamma, coef0, scaling)
        prove = partial(_certify_with_kernel, similarity=similarity, search=search)
    problem = read_problem(X, y, fit_intercept=fit_intercept, scaling=intercept_scaling)
    if multiclass == "native":
        return prove(problem)
    return _certify_each_class(problem, prove, search.progress)


def max_margin(
    X: Any,
    y: Any,
    gap: float = 1e-6,
    *,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Find the largest margin to a relative `gap`, with a proof.

    >>> max_margin([[0.0], [1.0], [3.0]], ["low", "low", "high"], intercept_scaling=inf)
    Separable(margin in [1, 1], exact)

    The margin is min y(w·x + b)/√(|w|² + b²/c²), where c is `intercept_scaling`. With `inf` it is
    the distance of the nearest example from the hyperplane, which a hard-margin support vector
    machine maximises. The parameters and the certificate are those of `certify`. Inseparable data
    get a certificate, too.
    """
    search = _search(gap, True, time_limit, progress)
    problem = read_problem(X, y, fit_intercept=fit_intercept, scaling=intercept_scaling)
    _check_intercept(problem)
    evidence = Evidence(problem)
    search.progress("nearest point of the hull")
    steps.hull(evidence, gap, search.deadline, exact=True)
    _decide_cheaply(evidence, search)
    _decide(evidence, search)
    return _finish(evidence, search, narrowing_stopped=False)


def _search(gap: float, exact: bool, time_limit: float | None, progress: Progress | None) -> Search:
    if not 0 < gap < 1:
        raise ValueError(f"gap={gap!r} must be between 0 and 1.")
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit={time_limit!r} must be a positive number of seconds.")
    deadline = inf if time_limit is None else time.monotonic() + time_limit
    return Search(gap, exact, deadline, progress or (lambda step: None))


def _check_intercept(problem: Problem) -> None:
    if problem.scaling == inf and (problem.rows > 1 or len(problem.classes) < 2):
        raise ValueError(
            f"a free intercept (intercept_scaling=inf) needs two classes, y has "
            f"{len(problem.classes)}; give a finite one, or multiclass='ovr'."
        )


def _certify_each_class(
    problem: Problem, prove: Callable[[Problem], Any], progress: Progress
) -> dict[Any, Any]:
    """Return a certificate for each class against the rest."""
    certificates = {}
    for label in problem.classes:
        progress(f"class {label} against the rest")
        certificates[label] = prove(replace(problem, target=label))
    return certificates


def _certify_with_kernel(
    problem: Problem, similarity: Similarity, search: Search
) -> KernelCertificate:
    _check_intercept(problem)
    if problem.rows > 1:
        raise ValueError(
            f"certify with a kernel needs two classes, y has {len(problem.classes)}; set "
            "multiclass='ovr'."
        )
    return certify_in_feature_space(problem, similarity, search.gap, search.deadline)


def _certify(problem: Problem, search: Search) -> Certificate:
    _check_intercept(problem)
    evidence = Evidence(problem)
    _decide_cheaply(evidence, search)
    narrowing_stopped = False
    if evidence.verdict != "inseparable":
        narrowing_stopped = _bracket_margin(evidence, search)
    _decide(evidence, search)
    return _finish(evidence, search, narrowing_stopped=narrowing_stopped)


def _decide_cheaply(evidence: Evidence, search: Search) -> None:
    """Look for duplicates, then run a perceptron."""
    if search.exact and evidence.verdict == "undecided":
        steps.duplicates(evidence)
    if evidence.verdict == "undecided":
        search.progress("perceptron")
        steps.perceptron(evidence, search.deadline)


def _bracket_margin(evidence: Evidence, search: Search) -> bool:
    """Bracket the margin; return whether MAX_NARROWING seconds were not enough."""
    search.progress("nearest point of the hull")
    known = evidence.verdict == "separable"
    stop = time.monotonic() + MAX_NARROWING if known else inf
    steps.hull(evidence, search.gap, min(search.deadline, stop), search.exact)
    return time.monotonic() >= stop


def _decide(evidence: Evidence, search: Search) -> None:
    """Try the linear programme and the simplex method, then decide weak separability."""
    if not search.exact:
        return
    if evidence.verdict == "undecided" and not search.late:
        search.progress("linear programme")
        steps.linear_programme(evidence, search.deadline)
    if evidence.verdict == "undecided" and not search.late:
        search.progress("simplex method in integers")
        steps.integer_simplex(evidence, search.deadline)
    if evidence.verdict == "inseparable":
        search.progress("weak separability")
        decide_weak_separability(evidence, search.deadline)


def _finish(evidence: Evidence, search: Search, *, narrowing_stopped: bool) -> Certificate:
    """Return the certificate, with a note if less is proved than was requested."""
    if evidence.verdict == "undecided":
        evidence.note = _why_undecided(search)
    elif evidence.verdict == "separable" and evidence.lower < evidence.upper * (1 - search.gap):
        evidence.note = _why_wide(search, narrowing_stopped)
    return evidence.certificate()


def _why_undecided(search: Search) -> str:
    if not search.exact:
        return "The search in rational arithmetic was skipped; exact=True may prove more."
    if search.late:
        return "The time limit was reached; a larger time_limit may prove more."
    return "Floats were too imprecise to suggest a proof; scale the features to similar sizes."


def _why_wide(search: Search, narrowing_stopped: bool) -> str:
    if search.late:
        why = "the time limit was reached; a larger time_limit may narrow it."
    elif narrowing_stopped:
        why = "certify spends only a few seconds on it; max_margin narrows it further."
    else:
        why = "floats were too imprecise; scale the features to similar sizes."
    return f"The bracket is wider than gap: {why}"
