"""Members that descend a criterion, or step through a link."""

from __future__ import annotations

from math import inf
from typing import Any

from rosenblatt.engine import inputs
from rosenblatt.estimators.naming import Named, member
from rosenblatt.theory import rules

METHODS = ("batch", "stochastic")
POWERS = {"constant": 0.0, "sqrt": 0.5, "inverse": 1.0}


@member
class BatchPerceptron(Named):
    """Gradient descent on the perceptron criterion, over all examples at once or one by one.

    J(w) = -(sum of weight·y·f(x) over the mistakes), y·f(x) <= 0; with many classes the margin is
    the lead over the best wrong class. A batch step adds rate·(sum of weight·y·x over the
    mistakes), one step a pass; the stochastic method steps at each mistake.

    From zero weights, on data with lengths at most R and best margin g > 0, the batch method with a
    constant rate makes at most n·(R/g)² passes (n the sum of the weights over the least of them),
    the stochastic one at most (R/g)² updates; eta0 then only scales the weights. With rates that
    shrink as 1/sqrt(k) or 1/k at the k-th step learning ends too, for their sum grows without bound
    and faster than the root of the sum of their squares; but it may take far longer. On other data
    J need not fall from pass to pass, and a constant rate never comes to rest.

    A weight of k equals k copies of the example, exactly, in the batch method: order plays no part.

    Parameters
    ----------
    method : {"batch", "stochastic"}, default="batch"
        One step a pass on the sum over all mistakes, or a step at each mistake.
    learning_rate : {"constant", "inverse", "sqrt"}, default="constant"
        The rate at the k-th step: eta0, eta0/k or eta0/sqrt(k).
    eta0 : float, default=1.0
        The first rate.
    readout : {"last", "averaged"}, default="last"
        What to make of the hypotheses that come and go; the batch method makes one a pass.

    Examples
    --------
    >>> from rosenblatt import BatchPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = BatchPerceptron().fit(X, y == 0)
    >>> clf.converged_, clf.n_iter_, clf.criterion_[-1] == 0
    (True, 7, np.True_)
    """

    method: str = "batch"
    learning_rate: str = "constant"
    eta0: float = 1.0
    readout: str = "last"

    _readouts = ("last", "averaged")
    _results = """criterion_ : array of shape (n_iter_,)
    The criterion J of the hypothesis left by each pass, summed over the classes with one-vs-rest.
"""

    def _rule(self) -> Any:
        for name, choices in (("method", METHODS), ("learning_rate", POWERS)):
            if getattr(self, name) not in choices:
                raise ValueError(
                    f"{name}={getattr(self, name)!r} is not known; "
                    f"take one of {', '.join(choices)}."
                )
        if self.scheme != "max" and self.method == "batch":
            raise ValueError("scheme is for method='stochastic'; a batch has the best rival only.")
        eta = inputs.positive_number("eta0", self.eta0)
        return rules.Descent(eta, POWERS[self.learning_rate])

    def _options(self) -> dict[str, Any]:
        return {"batch": self.method == "batch", "criterion": True}


@member
class WinnowPerceptron(Named):
    """The perceptron for few relevant features among many: p-norms, or multiplicative steps.

    On a mistake the example is added to a sum of steps; the weights are what a link makes of the
    sum. The link of the p-norm with p = 2·ln d, d the number of features, makes O(ln d)·(X/g)²
    mistakes, X the largest feature and g the best margin of weights of 1-norm 1, where the plain
    rule may need a number that grows with d (Grove, Littlestone & Schuurmans 2001, Gentile &
    Littlestone 1999). Multiplicative steps, w = exp(sum) - exp(-sum), are balanced Winnow
    (Littlestone 1989): at most ln(2·d)/(eta·g - eta²·X²/2) mistakes if eta < 2·g/X².

    `radius_` and `margin_bracket_` are in these norms: examples in the p-norm, weights in its dual.
    Weights of multiplicative steps are given at a length at which their 1-norm is the largest sum.

    Parameters
    ----------
    p : "log", "exponential" or float, default="log"
        The link: p = 2·ln d, at least 2; multiplicative steps; or this p, at least 2.
    eta : float, default=0.1
        Length of a step; matters for multiplicative steps only.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem a class against the rest; "native" for p=2 only.

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

    p: Any = "log"
    eta: float = 0.1
    multiclass: str = "ovr"

    def _rule(self) -> Any:
        eta, names = inputs.positive_number("eta", self.eta), {"log": 0.0, "exponential": inf}
        if isinstance(self.p, str):
            if self.p not in names:
                raise ValueError(f"p={self.p!r} must be 'log', 'exponential' or a number.")
            return rules.Winnow(eta, names[self.p])
        return rules.Winnow(eta, inputs.positive_number("p", self.p, least=2.0, open_below=False))
