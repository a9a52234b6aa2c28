"""Members that descend a criterion, or step through a link."""

from __future__ import annotations

from math import inf
from typing import Any

from rosenblatt.estimators.classifier import Member
from rosenblatt.estimators.members import member
from rosenblatt.estimators.parameters import Choice, Either, Real, array, param
from rosenblatt.estimators.shared import RESULTS, WEIGHTS
from rosenblatt.theory import rules

METHODS = ("batch", "stochastic")
POWERS = {"constant": 0.0, "inverse": 1.0, "sqrt": 0.5}
LINKS = {"log": 0.0, "exponential": inf}  # the p by which the rule knows them


@member
class BatchPerceptron(Member):
    """Gradient descent on the perceptron criterion, over all examples at once or one by one.

    J(w) = -(sum of weight·y·f(x) over the mistakes), y·f(x) <= 0; with many classes the margin is
    the lead over the best wrong class. A batch step adds rate·(sum of weight·y·x over the
    mistakes), one step per pass; the stochastic method steps at each mistake.

    From zero weights, on data with lengths at most R and best margin g > 0, the batch method with a
    constant rate makes at most n·(R/g)² passes (n the sum of the weights over the least of them),
    the stochastic one at most (R/g)² updates; eta0 then only scales the weights. With rates that
    shrink as 1/sqrt(k) or 1/k at the k-th step learning ends too, for their sum grows without bound
    and faster than the root of the sum of their squares; but it may take far longer. On other data
    J need not fall from pass to pass, and a constant rate never comes to rest.

    A weight of k equals k copies of the example, exactly, in the batch method: order plays no part.

    Examples
    --------
    >>> from rosenblatt import BatchPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = BatchPerceptron().fit(X, y == 0)
    >>> clf.converged_, clf.n_iter_, clf.criterion_[-1] == 0
    (True, 7, np.True_)
    """

    method: str = param(
        "batch",
        Choice(*METHODS),
        "One step per pass on the sum over all mistakes, or a step at each mistake.",
    )
    learning_rate: str = param(
        "constant", Choice(*POWERS), "The rate at the k-th step: eta0, eta0/k or eta0/sqrt(k)."
    )
    eta0: float = param(1.0, Real(above=0), "The first rate.")
    readout: str = param(
        "last",
        Choice("last", "averaged"),
        "What to make of the hypotheses that come and go; the batch method makes one per pass.",
    )

    declared_results = (
        *WEIGHTS,
        *RESULTS,
        array(
            "criterion_",
            "(n_iter_,)",
            "The criterion J of the hypothesis left by each pass, summed over the classes with "
            "one-vs-rest.",
        ),
    )

    def _rule(self, given: Any) -> Any:
        if given.scheme != "max" and given.method == "batch":
            raise ValueError("scheme is for method='stochastic'; a batch has the best rival only.")
        return rules.Descent(given.eta0, POWERS[given.learning_rate])

    def _options(self) -> dict[str, Any]:
        return {"batch": self.method == "batch", "criterion": True}


@member
class WinnowPerceptron(Member):
    """The perceptron for few relevant features among many: p-norms, or multiplicative steps.

    On a mistake the example is added to a sum of steps; the weights are what a link makes of the
    sum. The link of the p-norm with p = 2·ln d, d the number of features, makes O(ln d)·(X/g)²
    mistakes, X the largest feature and g the best margin of weights of 1-norm 1, where the plain
    rule may need a number that grows with d (Grove, Littlestone & Schuurmans 2001, Gentile &
    Littlestone 1999). Multiplicative steps, w = exp(sum) - exp(-sum), are balanced Winnow
    (Littlestone 1989): at most ln(2·d)/(eta0·g - eta0²·X²/2) mistakes if eta0 < 2·g/X².

    `radius_` and `margin_bracket_` are in these norms: examples in the p-norm, weights in its dual.
    Weights of multiplicative steps are given at a length at which their 1-norm is the largest sum.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron, WinnowPerceptron
    >>> X = np.random.default_rng(0).choice([-1.0, 1.0], (2000, 1000))
    >>> y = X[:, :3].sum(axis=1) > 0  # three features matter
    >>> few, many = WinnowPerceptron(max_iter=1), Perceptron(max_iter=1)
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     [clf.fit(X, y) is clf for clf in (few, many)]
    [True, True]
    >>> few.pass_mistakes_[0] < 0.5 * many.pass_mistakes_[0]
    np.True_
    """

    p: Any = param(
        "log",
        Either(Choice(*LINKS), Real(least=2)),
        "The link: p = 2·ln d, at least 2; multiplicative steps; or this p, at least 2.",
    )
    eta0: float = param(
        0.1, Real(above=0), "Length of a step; matters for multiplicative steps only."
    )
    multiclass: str = param(
        "ovr",
        Choice("ovr", "native"),
        "With more than two classes: one problem per class against the rest; "
        '"native" for p=2 only.',
    )

    def _rule(self, given: Any) -> Any:
        return rules.Winnow(given.eta0, LINKS.get(given.p, given.p))
