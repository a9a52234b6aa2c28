"""Members that know each example's own part in the hypothesis."""

from __future__ import annotations

from math import inf, isinf
from typing import Any

from rosenblatt.engine import inputs
from rosenblatt.estimators.naming import Named, member
from rosenblatt.theory import rules


@member
class AdaTron(Named):
    """AdaTron: the largest margin, by steps that can be taken back.

    w <- w + a·y·x with a = max(-b, eta·(1 - y·f(x))/q), b the sum of the example's own steps so
    far, and never beyond b + a = C (Anlauf & Biehl 1989). With eta = 1 each step maximises the dual
    of the hard margin in one coordinate, or with a finite C that of the soft margin.

    Stops with a proof: when the margin found is at least (1 - gap) times the largest, or with a
    finite C when the objective is within `gap` of its optimum. `converged_` says, as elsewhere,
    that the training examples are separated. On data that no hyperplane separates the weights grow
    for ever if C is infinite.

    The largest margin is that of `rosenblatt.max_margin`: the intercept counts. Weights of
    examples shorten steps and so change the way, not the goal. In `partial_fit` each example is met
    for the first time, and the rule is that of `PassiveAggressive`.

    Parameters
    ----------
    eta : float, default=1.0
        Part of the best step to take; above 0 and below 2.
    C : float, default=inf
        Most that an example may contribute; finite for data that no hyperplane separates.
    gap : float, default=1e-3
        Part of the largest margin, or of the objective, that may be missed; below 1.
    multiclass : {"ovr"}, default="ovr"
        With more than two classes: one problem a class against the rest.
    max_iter : int, default=1000
        Passes at most.

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

    eta: float = 1.0
    C: float = inf
    gap: float = 1e-3
    multiclass: str = "ovr"
    max_iter: int = 1000

    _remedy = (
        "Raise max_iter; if no hyperplane separates the classes, set a finite C, such as C=1, for "
        "without it the weights grow for ever."
    )
    _results = """dual_ : array of shape (1 or n_classes, n_samples)
    What each training example of weight above 0 contributes to the weights; of a stream, those of
    the last call.
gap_ : float
    Part of the largest margin, or of the objective, that may still be missed; inf if unknown.
"""

    def _rule(self) -> Any:
        eta, gap = (inputs.positive_number(n, getattr(self, n)) for n in ("eta", "gap"))
        if eta >= 2:
            raise ValueError(f"eta={eta:g} must be less than 2.")
        if gap >= 1:
            raise ValueError(f"gap={gap:g} must be less than 1.")
        bounded = not (isinstance(self.C, float) and isinf(self.C) and self.C > 0)
        C = inputs.positive_number("C", self.C) if bounded else inf
        return rules.Adatron(eta, C, gap)
