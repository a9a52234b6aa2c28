"""Members of second order: they know how sure they are of each weight."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

from rosenblatt.engine import inputs
from rosenblatt.estimators.naming import Named, member
from rosenblatt.theory import rules


def _full(estimator: Any) -> bool:
    """Whether the covariance is a full matrix."""
    if estimator.covariance not in ("diagonal", "full"):
        raise ValueError(
            f"covariance={estimator.covariance!r} is not known; take one of diagonal, full."
        )
    return bool(estimator.covariance == "full")


def _phi(eta: Any) -> float:
    """The normal quantile of a confidence."""
    value = inputs.positive_number("eta", eta, least=0.5)
    if value >= 1:
        raise ValueError(f"eta={value:g} must be less than 1.")
    return NormalDist().inv_cdf(value)


def _variant(given: Any, known: tuple[str, ...]) -> str:
    if given not in known:
        raise ValueError(f"variant={given!r} is not known; take one of {', '.join(known)}.")
    return str(given)


@member
class SecondOrderPerceptron(Named):
    """The second-order perceptron: on a mistake, a step that past examples have shaped.

    w = S·u; u <- u + y·x and S^-1 <- S^-1 + xx' if m = y·f(x) <= 0, with u = 0 and S = I/a at
    first: directions in which there were mistakes before are stepped in with care. With
    covariance="full" this is the algorithm of Cesa-Bianchi, Conconi & Gentile 2005, whose mistakes
    are bounded by the spread of the examples along a separator where the perceptron's are by their
    length. The default keeps the diagonal of S^-1 only, w_j = u_j·S_jj: cheaper, without the bound.

    The paper scores x as if it had been learned already, with S^-1 + xx' for S^-1; of a full matrix
    the sign of that is the sign of <w, x>, so prediction is linear. Differs from LIBOL's, which
    lets S shrink at every visit where the paper does at mistakes only. `margin_bracket_` has the
    radius as its upper end.

    Parameters
    ----------
    a : float, default=1.0
        What S^-1 has on its diagonal at first. Large: like the perceptron.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all pairs
        of weights too, at the cost of a matrix. The paper's bound is of the full one.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem a class against the rest. There is no native rule.

    Examples
    --------
    >>> from rosenblatt import SecondOrderPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = SecondOrderPerceptron(covariance="full", random_state=0).fit(X, y == 0)
    >>> clf.converged_, clf.score(X, y == 0)
    (True, 1.0)
    """

    a: float = 1.0
    covariance: str = "diagonal"
    multiclass: str = "ovr"

    def _rule(self) -> Any:
        return rules.Sop(inputs.positive_number("a", self.a), _full(self))


@member
class ConfidenceWeighted(Named):
    """Confidence-weighted learning: the least change that is right with probability eta.

    Weights are a normal law N(w, S). If y·f(x) < phi·sqrt(x'Sx), phi the normal quantile of eta, it
    becomes the nearest one, by the divergence KL, for which this holds with equality: w moves along
    Sx, and S shrinks along x (Crammer, Dredze & Kulesza 2008). The variant "variance" asks for
    y·f(x) >= phi·x'Sx instead (Dredze, Crammer & Pereira 2008).

    A step meets every example in full, so noisy labels do harm: take `SCW` or `AROW` there. With
    "diagonal" the steps are those of the full formulas, and the diagonal of xx' is added to S^-1,
    as in both papers. `margin_bracket_` has the radius as its upper end.

    Parameters
    ----------
    variant : {"stdev", "variance"}, default="stdev"
        Whether the deviation or the variance of f(x) is compared with the margin.
    eta : float, default=0.7
        Confidence asked for, between 0.5 and 1.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all pairs
        of weights too, at the cost of a matrix.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem a class against the rest. There is no native rule.
    max_iter : int, default=5
        Passes at most. More do harm where labels are noisy: each example is met in full again.

    Examples
    --------
    >>> from rosenblatt import ConfidenceWeighted
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ConfidenceWeighted(eta=0.9, random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    variant: str = "stdev"
    eta: float = 0.7
    covariance: str = "diagonal"
    multiclass: str = "ovr"
    max_iter: int = 5

    def _rule(self) -> Any:
        if _variant(self.variant, ("stdev", "variance")) == "stdev":
            return rules.CW(_phi(self.eta), _full(self))
        return rules.CWVariance(_phi(self.eta), _full(self))


@member
class AROW(Named):
    """AROW, adaptive regularisation of weights: confidence that withstands noisy labels.

    w <- w + (1 - m)/(v + r)·y·Sx and S^-1 <- S^-1 + xx'/r if m = y·f(x) < 1, with v = x'Sx: the
    exact minimum of the divergence from N(w, S) plus the squared hinge loss and the variance of
    f(x), each over 2r (Crammer, Kulesza & Dredze 2009). Rare features, of which little is known,
    take long steps; so it suits text.

    With "diagonal" the diagonal of xx'/r is added to S^-1. It updates wherever the margin is less
    than 1, so few passes do. `margin_bracket_` has the radius as its upper end.

    Parameters
    ----------
    r : float, default=1.0
        Regularisation: the larger, the shorter the steps and the slower S shrinks.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all pairs
        of weights too, at the cost of a matrix.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem a class against the rest. There is no native rule.

    Examples
    --------
    >>> from rosenblatt import AROW
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AROW(random_state=0, max_iter=1000).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    r: float = 1.0
    covariance: str = "diagonal"
    multiclass: str = "ovr"

    def _rule(self) -> Any:
        return rules.Arow(inputs.positive_number("r", self.r), _full(self))


@member
class SCW(Named):
    """Soft confidence-weighted learning: CW whose steps give way to noise.

    The divergence KL(N(w', S') || N(w, S)) plus C times the loss phi·sqrt(x'S'x) - y·f'(x) where it
    is positive ("I") or its square ("II") is made least, exactly (Wang, Zhao & Hoi 2012): as
    `ConfidenceWeighted`, with steps of at most C, or softened by 1/(2C).

    Differs from LIBOL's in variant "II", whose code there has another root, which is not the
    minimum. With "diagonal" see `ConfidenceWeighted`.

    Parameters
    ----------
    variant : {"I", "II"}, default="I"
        The loss, or its square.
    C : float, default=1.0
        Aggressiveness.
    eta : float, default=0.7
        Confidence asked for, between 0.5 and 1.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all pairs
        of weights too, at the cost of a matrix.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem a class against the rest. There is no native rule.

    Examples
    --------
    >>> from rosenblatt import SCW
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SCW(eta=0.9, random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    variant: str = "I"
    C: float = 1.0
    eta: float = 0.7
    covariance: str = "diagonal"
    multiclass: str = "ovr"

    def _rule(self) -> Any:
        C, phi = inputs.positive_number("C", self.C), _phi(self.eta)
        if _variant(self.variant, ("I", "II")) == "I":
            return rules.SCW1(C, phi, _full(self))
        return rules.SCW2(C, phi, _full(self))


@member
class NHERD(Named):
    """NHERD: a normal herd of hypotheses, led towards the margin by one linear map.

    w <- w + (1 - m)/(v + 1/C)·y·Sx and S^-1 <- S^-1 + (2·C + C²·v)·xx' if m = y·f(x) < 1, with
    v = x'Sx: every hypothesis of N(w, S) takes the passive-aggressive step that suits the herd
    (Crammer & Lee 2010). Beside `AROW` with r = 1/C, w moves alike and S shrinks faster.

    With "diagonal" the diagonal is added to S^-1, the paper's exact one of three.
    `margin_bracket_` has the radius as its upper end.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness.
    covariance : {"diagonal", "full"}, default="diagonal"
        Variances of the weights alone, at the cost of the non-zeros of an example, or of all pairs
        of weights too, at the cost of a matrix.
    multiclass : {"ovr", "native"}, default="ovr"
        With more than two classes: one problem a class against the rest. There is no native rule.

    Examples
    --------
    >>> from rosenblatt import NHERD
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> NHERD(random_state=0, max_iter=1000).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    C: float = 1.0
    covariance: str = "diagonal"
    multiclass: str = "ovr"

    def _rule(self) -> Any:
        return rules.Nherd(inputs.positive_number("C", self.C), _full(self))
