"""Members that pick their examples: MinOver and Wendemuth's algorithms."""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np

from rosenblatt.engine.plan import Examples, Facts, Plan
from rosenblatt.estimators.classifier import Member
from rosenblatt.estimators.members import member
from rosenblatt.estimators.parameters import Choice, Flag, Real, param
from rosenblatt.theory import rules
from rosenblatt.theory.spaces import Array

PICKS = {1: "least", 2: "violated", 3: "nearest"}
"""The order of each of Wendemuth's algorithms."""


@member
class MinOver(Member):
    """MinOver: always learn the example with the least margin; in the end the margin is the best.

    w <- w + y·x/N for the example with the least y·f(x), until that exceeds c·R²/N; N is the
    dimension, R the largest length of an example. If the best margin g is positive, at most
    (1 + 2c)·R²/g² updates are made, and as c grows the margin tends to g (Krauth & Mézard 1987,
    whose patterns all have R² = N). It falls short of g by a part of about 1/c.

    It is for data that can be separated: on others w goes to and fro between the examples that are
    most wrong, and a warning says so. Take `MaxOver` then.

    A pass is as many updates as there are examples, and each update looks at all of them. With up
    to 2,048 examples their inner products are kept, and a look costs little. A stream is learned
    in the order in which it comes, as the perceptron with margin learns.

    Examples
    --------
    >>> from rosenblatt import MinOver, max_margin
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MinOver(c=1000, max_iter=1000).fit(X, y == 0)
    >>> best = max_margin(X, y == 0).margin
    >>> bool(0.999 * best < clf.margins(X, y == 0)[1] <= best)
    True
    """

    c: float = param(100.0, Real(least=0), "Margin asked for, in units of R²/N.")

    _adapts_to_data = True

    def _rule(self, given: Any) -> Any:
        return rules.Margin(given.c)

    def _adapted(self, rule: Any, facts: Facts) -> Any:
        return rules.Margin(rule.theta * facts.largest / facts.dimension, 1.0 / facts.dimension)

    def _order(self) -> Any:
        return "least" if self.order is None else self.order

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # It is for data that can be separated. On others the example of least margin is the one
        # most wrong, and w goes to and fro between such.
        tags.classifier_tags.poor_score = True
        return tags


@member
class MaxOver(Member):
    """Wendemuth's algorithms, which settle down whether or not the data can be separated.

    All examples z = y·x are scaled to the length sqrt(N), N the dimension; w starts at their sum,
    scaled to the length N. Then w <- w + r/N, r = z + [(N - w·z)/(|w|² - w·z)]·w if w·z < 0, else
    r = z. So |w| never falls, and w turns less and less (Wendemuth 1995).

    1. The example of least w·z: the largest margin, or a local maximum of it.
    2. A random example with w·z <= kappa·|w|: all margins above kappa, where that is possible.
    3. Of these the one of largest w·z, nearest to kappa: the same, and a local maximum of the
       number of margins above kappa where not all can be.

    It stops when no example is left below kappa, or at `limit`; then `n_iter_` counts one more
    pass, which changed nothing. Scaling an example does not change its side, so predictions are
    those of the data as they are. "MaxOver" is a later name; the paper has none.

    A pass is as many updates as there are examples, and each update looks at all of them. With up
    to 2,048 examples their inner products are kept, and a look costs little. A stream is learned
    in the order in which it comes, with the same rule.

    Examples
    --------
    >>> from rosenblatt import MaxOver
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MaxOver().fit(X, y == 0)
    >>> clf.converged_, clf.score(X, y == 0)
    (True, 1.0)
    """

    algorithm: int = param(3, Choice(*PICKS), "Which example to take.")
    kappa: float = param(
        0.0,
        Real(),
        "Stability asked for, y·f(x)/|w| of an example of length sqrt(N). Below 0 it tolerates "
        "errors. Algorithm 1 does without.",
    )
    limit: float | None = param(
        None,
        Real(above=0, nullable=True),
        "Stop when |w| exceeds it; w has the length N at the start. None for no limit.",
    )
    normalise: bool = param(
        True,
        Flag(),
        "Scale each example. If False, all are scaled by one factor, so that N is the mean of "
        "|z|², and |z|² takes the place of the first N in r.",
    )

    _adapts_to_data = True

    def _rule(self, given: Any) -> Any:
        kappa = inf if given.algorithm == 1 else given.kappa
        return rules.Maxover(kappa, inf if given.limit is None else given.limit)

    def _adapted(self, rule: Any, facts: Facts) -> Any:
        N = float(facts.dimension)
        factor = 0.0 if self.normalise or facts.mean == 0 else sqrt(N / facts.mean)
        return rule._replace(N=N, factor=factor)

    def _order(self) -> Any:
        return PICKS[self.algorithm] if self.order is None else self.order

    def _initial_weights(
        self, plan: Plan, examples: Examples, facts: Facts
    ) -> tuple[Array, Array] | None:
        """Hebb's vector: the sum of all scaled examples."""
        norms2, X, bias = examples.norms2, examples.X, plan.bias
        assert norms2 is not None
        scales = np.ones(len(norms2))
        if self.normalise:
            scales = np.divide(1.0, np.sqrt(norms2), out=np.zeros(len(norms2)), where=norms2 > 0)
        if examples.weights is not None:
            scales = scales * examples.weights
        rows = []
        for labels in plan.labellings(examples.y):
            shares = labels[None, :].astype(float)
            if plan.multiclass == "native":
                # The sum over all rivals of an example: its own class against the mean.
                shares = (np.arange(len(plan.classes))[:, None] == labels) * 1.0
                shares -= 1.0 / len(plan.classes)
            shares *= scales
            sums = np.column_stack([(X.T @ shares.T).T, shares.sum(axis=1) * bias])
            rows.append(_start(sums, float(scales.sum()), norms2, facts.dimension))
        full = np.concatenate(rows)
        return full[:, :-1], full[:, -1] * bias


def _start(sums: Array, weight: float, sizes: Array, dimension: int) -> Array:
    """Hebb's vector at length N; where it vanishes, a direction of its own instead.

    Any start will do but zero and the opposite of an example, from which no step turns w; the
    directions that would be in the way have no volume. A fixed one keeps equal data equal.
    """
    length = float(np.linalg.norm(sums))
    if length <= 1e-9 * weight * sqrt(float(sizes.max())):
        sums = np.random.default_rng(0).normal(size=sums.shape)
        if len(sums) > 1:
            sums -= sums.mean(axis=0)
        length = float(np.linalg.norm(sums))
    return sums * (dimension / length)
