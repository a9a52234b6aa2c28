"""Members that ask for a margin, fixed or growing."""

from __future__ import annotations

from typing import Any

from rosenblatt.engine import inputs
from rosenblatt.estimators.naming import Named, member
from rosenblatt.theory import rules


@member
class MarginPerceptron(Named):
    """The perceptron with margin, even or uneven (PAUM).

    w <- w + eta·y·x if y·f(x) <= margin. With m = margin/eta, and R and g as for `Perceptron`, it
    makes at most (R² + 2m)/g² updates from zero weights, and the last hypothesis has a margin of at
    least m·g/(R² + 2m), which tends to g/2 (Krauth & Mézard 1987). With a margin of its own for the
    negative class it is the algorithm of Li et al. 2002 for uneven classes.

    Parameters
    ----------
    margin : float, default=1.0
        The margin asked for, of the positive class if the other has its own.
    negative_margin : float or None, default=None
        The margin asked for of the negative class.
    eta : float, default=1.0
        Learning rate.

    Examples
    --------
    >>> from rosenblatt import MarginPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = MarginPerceptron(margin=50.0, random_state=0).fit(X, y == 0)
    >>> clf.margin_bracket_[0] > 0.3 * clf.margin_bracket_[1]
    True
    """

    margin: float = 1.0
    negative_margin: float | None = None
    eta: float = 1.0

    def _rule(self) -> Any:
        margin = inputs.positive_number("margin", self.margin, open_below=False)
        eta = inputs.positive_number("eta", self.eta)
        if self.negative_margin is None:
            return rules.Margin(margin, eta)
        other = inputs.positive_number("negative_margin", self.negative_margin, open_below=False)
        return rules.Uneven(margin, other, eta)


@member
class PassiveAggressive(Named):
    """Passive-aggressive learning: the least change that gives the example margin 1.

    w <- w + a·y·x if l = 1 - y·f(x) > 0, with a = l/q for PA, min(C, l/q) for PA-I and
    l/(q + 1/(2C)) for PA-II, q the squared length of the example (Crammer et al. 2006).

    Differs from scikit-learn's and river's in that q counts the constant feature, so that after
    a PA step the example does have margin 1; and in many classes, where the best wrong class is the
    rival.

    Parameters
    ----------
    variant : {"PA", "PA-I", "PA-II"}, default="PA-I"
        Without bound on the step, with a bound, or with a softened step.
    C : float, default=1.0
        Aggressiveness, of PA-I and PA-II.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> PassiveAggressive(C=0.1, random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    variant: str = "PA-I"
    C: float = 1.0

    def _rule(self) -> Any:
        C = inputs.positive_number("C", self.C)
        known = {"PA": rules.PA(), "PA-I": rules.PA1(C), "PA-II": rules.PA2(C)}
        if self.variant not in known:
            raise ValueError(
                f"variant={self.variant!r} is not known; take one of {', '.join(known)}."
            )
        return known[self.variant]


@member
class MIRA(Named):
    """MIRA, the margin-infused relaxed algorithm: the least change that repairs a mistake.

    Projects the hypothesis to y·f(x) = margin with a step of at most 1; with many classes the
    steps of all of them are the exact solution of the quadratic programme of Crammer & Singer
    2003. Their margin is 0; it is not the passive-aggressive update, which asks for 1 and, as PA,
    has no bound. With margin 0 examples may end up on the boundary itself, where rounding decides
    their labels; a small margin keeps them off it.

    Parameters
    ----------
    margin : float, default=0.0
        The margin to project to.
    scheme : {"projection", "max", "uniform", "proportional"}, default="projection"
        How the wrong classes share the blame; "projection" is MIRA's.

    Examples
    --------
    >>> from rosenblatt import MIRA
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MIRA(margin=0.1, random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    margin: float = 0.0
    scheme: str = "projection"

    def _rule(self) -> Any:
        return rules.Mira(inputs.positive_number("margin", self.margin, open_below=False))


@member
class ROMMA(Named):
    """ROMMA, the relaxed online maximum margin algorithm.

    On a mistake, takes the shortest hypothesis that gives the example margin 1 and stays in the
    half-space that sums up the examples before (Li & Long 2002). From zero weights, mistakes <=
    (R/g)². On data that no hyperplane separates its weights grow without bound and are scaled back:
    take few passes.

    Parameters
    ----------
    aggressive : bool, default=False
        Update also where the margin is less than 1.

    Examples
    --------
    >>> from rosenblatt import ROMMA
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ROMMA(aggressive=True, random_state=0, max_iter=20).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    aggressive: bool = False

    def _rule(self) -> Any:
        return rules.Romma(bool(self.aggressive))


@member
class ALMA(Named):
    """ALMA, the approximate maximal margin algorithm, for any norm.

    Works on examples of p-norm 1 with hypotheses of at most length 1 in the dual norm; margins
    asked for and steps shrink with the number of corrections (Gentile 2001). From zero weights, and
    with B = sqrt(8)/alpha, it finds a margin of (1 - alpha) times the best in
    O((p - 1)/(alpha²·g²)) corrections. Large p suits data of which few features matter.

    Parameters
    ----------
    alpha : float, default=0.9
        How far from the best margin the result may stay; in (0, 1].
    p : float, default=2.0
        The norm, at least 2. Other than 2: two classes or one-vs-rest, no vote.
    B : float or None, default=None
        Factor of the margin asked for; 1/alpha if None, as in the paper's experiments.
    C : float, default=sqrt(2)
        Factor of the step.

    Examples
    --------
    >>> from rosenblatt import ALMA
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ALMA(random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    alpha: float = 0.9
    p: float = 2.0
    B: float | None = None
    C: float = 2.0**0.5

    def _rule(self) -> Any:
        alpha = inputs.positive_number("alpha", self.alpha)
        if alpha > 1:
            raise ValueError(f"alpha={alpha:g} must be at most 1.")
        p = inputs.positive_number("p", self.p, least=2.0, open_below=False)
        B = 0.0 if self.B is None else inputs.positive_number("B", self.B)
        return rules.Alma(alpha, p, B, inputs.positive_number("C", self.C))


@member
class Ballseptron(Named):
    """Ballseptron: the perceptron on balls of radius r around the examples.

    A mistake is learned as by the perceptron; an example whose ball is cut by the boundary is
    learned at the ball's worst point (Shalev-Shwartz & Singer 2005). If r is less than the best
    margin g it makes at most ((R + r)/(g - r))² updates from zero weights. Once it has converged,
    the margin is above r.

    Parameters
    ----------
    radius : float, default=0.1
        Radius of the balls, in the units of the features.

    Examples
    --------
    >>> from rosenblatt import Ballseptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = Ballseptron(radius=0.2, random_state=0).fit(X, y == 0)
    >>> clf.margin_bracket_[0] > 0.2
    True
    """

    radius: float = 0.1

    def _rule(self) -> Any:
        return rules.Ballsep(inputs.positive_number("radius", self.radius, open_below=False))


@member
class DynamicMarginPerceptron(Named):
    """The perceptron with dynamic margin: a margin within (1 - eps) of the best, with proof.

    Updates while y·f(x) <= (1 - eps)·|w|²/k after k updates. From zero weights |w|/k is never below
    the best margin, so that a full pass without update proves a margin above (1 - eps) times the
    best (Panagiotakopoulos & Tsampouka 2011). From other weights it proves no more than that the
    examples are separated.

    Parameters
    ----------
    eps : float, default=0.1
        Part of the best margin that may be missed; in (0, 1].

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

    eps: float = 0.1

    def _rule(self) -> Any:
        eps = inputs.positive_number("eps", self.eps)
        if eps > 1:
            raise ValueError(f"eps={eps:g} must be at most 1.")
        return rules.Dynamic(eps)
