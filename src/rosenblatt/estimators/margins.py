"""Members that ask for a margin, fixed or growing."""

from __future__ import annotations

from math import sqrt
from typing import Any

from rosenblatt.estimators.classifier import Member
from rosenblatt.estimators.members import member
from rosenblatt.estimators.parameters import Choice, Flag, Real, param
from rosenblatt.estimators.shared import LEARNING_RATE
from rosenblatt.theory import rules


@member
class MarginPerceptron(Member):
    """The perceptron with margin, even or uneven (PAUM).

    w <- w + eta0·y·x if y·f(x) <= margin. With m = margin/eta0, and R and g as for `Perceptron`, it
    makes at most (R² + 2m)/g² updates from zero weights, and the last hypothesis has a margin of at
    least m·g/(R² + 2m), which tends to g/2 (Krauth & Mézard 1987). With a margin of its own for the
    negative class it is the algorithm of Li et al. 2002 for uneven classes.

    Examples
    --------
    >>> from rosenblatt import MarginPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MarginPerceptron(margin=50.0, random_state=0).fit(X, y == 0)
    >>> clf.margin_bracket_[0] > 0.3 * clf.margin_bracket_[1]
    True
    """

    margin: float = param(
        1.0,
        Real(least=0),
        "The margin asked for, of the positive class if `negative_margin` is set.",
    )
    negative_margin: float | None = param(
        None, Real(least=0, nullable=True), "The margin asked for of the negative class."
    )
    eta0: float = LEARNING_RATE

    def _rule(self, given: Any) -> Any:
        if given.negative_margin is None:
            return rules.Margin(given.margin, given.eta0)
        return rules.Uneven(given.margin, given.negative_margin, given.eta0)


@member
class PassiveAggressive(Member):
    """Passive-aggressive learning: the least change that gives the example margin 1.

    w <- w + a·y·x if l = 1 - y·f(x) > 0, with a = l/q for PA, min(C, l/q) for PA-I and
    l/(q + 1/(2C)) for PA-II, q the squared length of the example (Crammer et al. 2006).

    Differs from scikit-learn's and river's in that q counts the constant feature, so that after
    a PA step the example does have margin 1; and in many classes, where the best wrong class is the
    rival.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> PassiveAggressive(C=0.1, random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    variant: str = param(
        "PA-I",
        Choice("PA", "PA-I", "PA-II"),
        "Without bound on the step, with a bound, or with a softened step.",
    )
    C: float = param(1.0, Real(above=0), "Aggressiveness, of PA-I and PA-II.")

    def _rule(self, given: Any) -> Any:
        if given.variant == "PA":
            return rules.PA()
        return rules.PA1(given.C) if given.variant == "PA-I" else rules.PA2(given.C)


@member
class MIRA(Member):
    """MIRA, the margin-infused relaxed algorithm: the least change that repairs a mistake.

    Projects the hypothesis to y·f(x) = margin with a step of at most 1; with many classes the
    steps of all of them are the exact solution of the quadratic programme of Crammer & Singer
    2003. Their margin is 0; it is not the passive-aggressive update, which asks for 1 and, as PA,
    has no bound. With margin 0 examples may end up on the boundary itself, where rounding decides
    their labels; a small margin keeps them off it.

    Examples
    --------
    >>> from rosenblatt import MIRA
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MIRA(margin=0.1, random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    margin: float = param(0.0, Real(least=0), "The margin to project to.")
    scheme: str = param(
        "projection",
        Choice("projection", "max", "uniform", "proportional"),
        'How the wrong classes share the blame; "projection" is MIRA\'s.',
    )

    def _rule(self, given: Any) -> Any:
        return rules.Mira(given.margin)


@member
class ROMMA(Member):
    """ROMMA, the relaxed online maximum margin algorithm.

    On a mistake, takes the shortest hypothesis that gives the example margin 1 and stays in the
    half-space that sums up the examples before (Li & Long 2002). From zero weights, mistakes <=
    (R/g)². On data that no hyperplane separates its weights grow without bound and are scaled back:
    take few passes.

    Examples
    --------
    >>> from rosenblatt import ROMMA
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ROMMA(aggressive=True, random_state=0, max_iter=20).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    aggressive: bool = param(False, Flag(), "Update also where the margin is less than 1.")

    def _rule(self, given: Any) -> Any:
        return rules.Romma(given.aggressive)


@member
class ALMA(Member):
    """ALMA, the approximate maximal margin algorithm, for any norm.

    Works on examples of p-norm 1 with hypotheses of at most length 1 in the dual norm; margins
    asked for and steps shrink with the number of corrections (Gentile 2001). From zero weights, and
    with B = sqrt(8)/alpha, it finds a margin of (1 - alpha) times the best in
    O((p - 1)/(alpha²·g²)) corrections. Large p suits data of which few features matter.

    Examples
    --------
    >>> from rosenblatt import ALMA
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ALMA(random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    alpha: float = param(
        0.9,
        Real(above=0, most=1),
        "How far from the best margin the result may stay; in (0, 1].",
    )
    p: float = param(
        2.0,
        Real(least=2),
        "The norm, at least 2. Other than 2: two classes or one-vs-rest, no vote.",
    )
    B: float | None = param(
        None,
        Real(above=0, nullable=True),
        "Factor of the margin asked for; 1/alpha if None, as in the paper's experiments.",
    )
    C: float = param(sqrt(2.0), Real(above=0), "Factor of the step; sqrt(2) by default.")

    def _rule(self, given: Any) -> Any:
        return rules.Alma(given.alpha, given.p, given.B or 0.0, given.C)


@member
class Ballseptron(Member):
    """Ballseptron: the perceptron on balls of radius r around the examples.

    A mistake is learned as by the perceptron; an example whose ball is cut by the boundary is
    learned at the ball's worst point (Shalev-Shwartz & Singer 2005). If r is less than the best
    margin g it makes at most ((R + r)/(g - r))² updates from zero weights. Once it has converged,
    the margin is above r.

    Examples
    --------
    >>> from rosenblatt import Ballseptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = Ballseptron(radius=0.2, random_state=0).fit(X, y == 0)
    >>> clf.margin_bracket_[0] > 0.2
    True
    """

    radius: float = param(0.1, Real(least=0), "Radius of the balls, in the units of the features.")

    def _rule(self, given: Any) -> Any:
        return rules.Ballsep(given.radius)


@member
class DynamicMarginPerceptron(Member):
    """The perceptron with dynamic margin: at least (1 - eps) times the best margin.

    Updates while y·f(x) <= (1 - eps)·|w|²/k after k updates. From zero weights |w|/k is never below
    the best margin, so that a full pass without update proves a margin above (1 - eps) times the
    best (Panagiotakopoulos & Tsampouka 2011). From other weights it proves no more than that the
    examples are separated.

    Examples
    --------
    >>> from rosenblatt import DynamicMarginPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = DynamicMarginPerceptron(eps=0.1, random_state=0, max_iter=1000).fit(X, y == 0)
    >>> lower, upper = clf.margin_bracket_
    >>> clf.converged_ and lower >= 0.9 * upper
    True
    """

    eps: float = param(
        0.1,
        Real(above=0, most=1),
        "Part of the best margin that may be missed; in (0, 1].",
    )

    def _rule(self, given: Any) -> Any:
        return rules.Dynamic(given.eps)
