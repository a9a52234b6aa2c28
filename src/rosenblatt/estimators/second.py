"""Members of second order: they know how sure they are of each weight."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import Any

from rosenblatt.estimators.classifier import Member
from rosenblatt.estimators.members import member
from rosenblatt.estimators.parameters import Choice, Integer, Real, param
from rosenblatt.estimators.shared import ONE_VS_REST
from rosenblatt.theory import rules

COVARIANCE = param(
    "diagonal",
    Choice("diagonal", "full"),
    "Variances of the weights alone, at the cost of the non-zeros of an example, or of all pairs "
    "of weights too, at the cost of a matrix.",
)
AGGRESSIVENESS = param(1.0, Real(above=0), "Aggressiveness.")
CONFIDENCE = param(0.7, Real(above=0.5, below=1), "Confidence asked for, between 0.5 and 1.")


def _quantile(confidence: float) -> float:
    """Return the normal quantile of a confidence."""
    return NormalDist().inv_cdf(confidence)


@member
class SecondOrderPerceptron(Member):
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

    Examples
    --------
    >>> from rosenblatt import SecondOrderPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = SecondOrderPerceptron(covariance="full", random_state=0).fit(X, y == 0)
    >>> clf.converged_, clf.score(X, y == 0)
    (True, 1.0)
    """

    a: float = param(
        1.0, Real(above=0), "What S^-1 has on its diagonal at first. Large: like the perceptron."
    )
    covariance: str = replace(
        COVARIANCE, text=f"{COVARIANCE.text} The paper's bound is of the full one."
    )
    multiclass: str = ONE_VS_REST

    def _rule(self, given: Any) -> Any:
        return rules.Sop(given.a, given.covariance == "full")


@member
class ConfidenceWeighted(Member):
    """Confidence-weighted learning: the least change that is right with a given confidence.

    Weights are a normal law N(w, S). If y·f(x) < phi·sqrt(x'Sx), phi the normal quantile of
    `confidence`, it becomes the nearest one, by the divergence KL, for which this holds with
    equality: w moves along Sx, and S shrinks along x (Crammer, Dredze & Kulesza 2008). The variant
    "variance" asks for y·f(x) >= phi·x'Sx instead (Dredze, Crammer & Pereira 2008).

    A step meets every example in full, so noisy labels do harm: take `SCW` or `AROW` there. With
    "diagonal" the steps are those of the full formulas, and the diagonal of xx' is added to S^-1,
    as in both papers. `margin_bracket_` has the radius as its upper end.

    Examples
    --------
    >>> from rosenblatt import ConfidenceWeighted
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ConfidenceWeighted(confidence=0.9, random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    variant: str = param(
        "stdev",
        Choice("stdev", "variance"),
        "Whether the deviation or the variance of f(x) is compared with the margin.",
    )
    confidence: float = CONFIDENCE
    covariance: str = COVARIANCE
    multiclass: str = ONE_VS_REST
    max_iter: int = param(
        5,
        Integer(least=1),
        "Passes at most. More do harm where labels are noisy: each example is met in full again.",
    )

    def _rule(self, given: Any) -> Any:
        phi, full = _quantile(given.confidence), given.covariance == "full"
        return rules.CW(phi, full) if given.variant == "stdev" else rules.CWVariance(phi, full)


@member
class AROW(Member):
    """AROW, adaptive regularisation of weights: confidence that withstands noisy labels.

    w <- w + (1 - m)/(v + r)·y·Sx and S^-1 <- S^-1 + xx'/r if m = y·f(x) < 1, with v = x'Sx: the
    exact minimum of the divergence from N(w, S) plus the squared hinge loss and the variance of
    f(x), each over 2r (Crammer, Kulesza & Dredze 2009). Rare features, of which little is known,
    take long steps; so it suits text.

    With "diagonal" the diagonal of xx'/r is added to S^-1. It updates wherever the margin is less
    than 1, so few passes do. `margin_bracket_` has the radius as its upper end.

    Examples
    --------
    >>> from rosenblatt import AROW
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AROW(random_state=0, max_iter=1000).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    r: float = param(
        1.0,
        Real(above=0),
        "Regularisation: the larger, the shorter the steps and the slower S shrinks.",
    )
    covariance: str = COVARIANCE
    multiclass: str = ONE_VS_REST

    def _rule(self, given: Any) -> Any:
        return rules.Arow(given.r, given.covariance == "full")


@member
class SCW(Member):
    """Soft confidence-weighted learning: CW whose steps give way to noise.

    The divergence KL(N(w', S') || N(w, S)) plus C times the loss phi·sqrt(x'S'x) - y·f'(x) where it
    is positive ("I") or its square ("II") is made least, exactly (Wang, Zhao & Hoi 2012): as
    `ConfidenceWeighted`, with steps of at most C, or softened by 1/(2C).

    Differs from LIBOL's in variant "II", whose code there has another root, which is not the
    minimum. With "diagonal" see `ConfidenceWeighted`.

    Examples
    --------
    >>> from rosenblatt import SCW
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SCW(confidence=0.9, random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    variant: str = param("I", Choice("I", "II"), "The loss, or its square.")
    C: float = AGGRESSIVENESS
    confidence: float = CONFIDENCE
    covariance: str = COVARIANCE
    multiclass: str = ONE_VS_REST

    def _rule(self, given: Any) -> Any:
        phi, full = _quantile(given.confidence), given.covariance == "full"
        if given.variant == "I":
            return rules.SCW1(given.C, phi, full)
        return rules.SCW2(given.C, phi, full)


@member
class NHERD(Member):
    """NHERD: a normal herd of hypotheses, led towards the margin by one linear map.

    w <- w + (1 - m)/(v + 1/C)·y·Sx and S^-1 <- S^-1 + (2·C + C²·v)·xx' if m = y·f(x) < 1, with
    v = x'Sx: every hypothesis of N(w, S) takes the passive-aggressive step that suits the herd
    (Crammer & Lee 2010). Beside `AROW` with r = 1/C, w moves alike and S shrinks faster.

    With "diagonal" the diagonal is added to S^-1, the paper's exact one of three.
    `margin_bracket_` has the radius as its upper end.

    Examples
    --------
    >>> from rosenblatt import NHERD
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> NHERD(random_state=0, max_iter=1000).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    C: float = AGGRESSIVENESS
    covariance: str = COVARIANCE
    multiclass: str = ONE_VS_REST

    def _rule(self, given: Any) -> Any:
        return rules.Nherd(given.C, given.covariance == "full")
