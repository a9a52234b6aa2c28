"""AdaTron: a dual coefficient for each example."""

from __future__ import annotations

from math import inf
from typing import Any

from rosenblatt.estimators.classifier import Member
from rosenblatt.estimators.members import member
from rosenblatt.estimators.parameters import Choice, Integer, Real, array, param, result
from rosenblatt.estimators.shared import RESULTS, WEIGHTS
from rosenblatt.theory import rules


@member
class AdaTron(Member):
    """AdaTron: the largest margin, by steps that can be taken back.

    w <- w + a·y·x with a = max(-b, eta0·(1 - y·f(x))/q), b the sum of the example's own steps so
    far, and never beyond b + a = C (Anlauf & Biehl 1989). With eta0 = 1 each step maximises the
    dual of the hard margin in one coordinate, or with a finite C that of the soft margin.

    Stops with a proof: when the margin found is at least (1 - gap) times the largest, or with a
    finite C when the objective is within `gap` of its optimum. `converged_` says, as elsewhere,
    that the training examples are separated. On data that no hyperplane separates the weights grow
    for ever if C is infinite.

    The largest margin is that of `rosenblatt.max_margin`: the intercept counts. Weights of
    examples shorten steps and so change the way, not the goal. In `partial_fit` each example is met
    for the first time, and the rule is that of `PassiveAggressive`.

    Examples
    --------
    >>> from rosenblatt import AdaTron, max_margin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = AdaTron(random_state=0).fit(X, y == 0)
    >>> lower, upper = clf.margin_bracket_
    >>> clf.converged_, bool(lower >= 0.999 * upper)
    (True, True)
    """

    eta0: float = param(
        1.0, Real(above=0, below=2), "Part of the best step to take; above 0 and below 2."
    )
    C: float = param(
        inf,
        Real(above=0, infinite=True),
        "Most that an example may contribute; finite for data that no hyperplane separates.",
    )
    gap: float = param(
        1e-3,
        Real(above=0, below=1),
        "Part of the largest margin, or of the objective, that may be missed; below 1.",
    )
    multiclass: str = param(
        "ovr",
        Choice("ovr"),
        "With more than two classes: one problem per class against the rest.",
    )
    tol = None
    max_iter: int = param(1000, Integer(least=1), "Passes at most.")

    declared_results = (
        *WEIGHTS,
        *RESULTS,
        array(
            "dual_",
            "(1 or n_classes, n_samples)",
            "What each training example of weight above 0 contributes to the weights; of a "
            "stream, those of the last call.",
        ),
        result(
            "gap_",
            "float",
            "Part of the largest margin, or of the objective, that may still be missed; inf if "
            "unknown.",
        ),
    )

    def _rule(self, given: Any) -> Any:
        return rules.Adatron(given.eta0, given.C, given.gap)

    def _remedy(self) -> str:
        return (
            "Raise max_iter; if no hyperplane separates the classes, set a finite C, such as C=1, "
            "for without it the weights grow for ever."
        )
