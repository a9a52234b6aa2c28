"""The family by name: each a rule and a readout of the general classifier, with its documentation.

A named estimator states its own parameters as annotated defaults; the parameters that all share
are added to its signature and documentation.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

from rosenblatt import inputs, readouts, rules
from rosenblatt.classifier import PerceptronClassifier

SHARED = """multiclass : {"native", "ovr"}, default="native"
    With more than two classes: one multi-class rule, or one problem a class against the rest.
scheme : {"max", "uniform", "proportional", "projection"}, default="max"
    How the wrong classes share the blame in the native rule (Crammer & Singer 2003).
threshold : float, default=0.0
    Value that the activation must exceed, in learning and prediction. With an intercept it is
    only where the intercept starts.
fit_intercept : bool, default=True
    Learn the weight of a constant feature.
intercept_scaling : float, default=1.0
    The constant feature's value.
max_iter : int, default=100
    Passes at most.
shuffle : bool, default=True
    Visit the examples in a fresh random order each pass.
order : {"cyclic", "shuffled", "blocks", "sampled"} or array of int, default=None
    Order of the visits, in place of `shuffle`; an array is made in every pass.
random_state : int, RandomState or None, default=None
    Seed of the order and of the validation split.
class_weight : dict or "balanced", default=None
    Factor of the steps of each class.
warm_start : bool, default=False
    Go on from the weights of the last fit.
early_stopping : bool, default=False
    Stop when the held-out accuracy no longer rises, and keep the best weights.
validation_fraction : float, default=0.1
    Part to hold out if no validation set is given.
n_iter_no_change : int, default=5
    Passes without a better held-out accuracy before stopping.
count_errors : bool, default=True
    Count the training errors that are left after each pass; it costs a look at each example.
journal_size : int, default=100_000
    Updates that `journal_` keeps at least; the oldest are dropped.
n_jobs : int, default=None
    Threads for one-vs-rest; -1 for one a class.
verbose : int, default=0
    1 tells of the progress about once a second, 2 after each pass.
"""

ATTRIBUTES = """coef_ : array of shape (1 or n_classes, n_features)
    Weights; the averaged, pocket or last ones. With a vote, those of the last hypothesis.
intercept_ : array of shape (1 or n_classes,)
    Intercepts.
classes_ : array of shape (n_classes,)
    Labels.
n_iter_ : int
    Passes made.
converged_ : bool
    Whether a full pass made no update and no mistake: a proof that the last hypothesis separates
    the training examples.
n_updates_ : int
    Updates made.
pass_mistakes_ : array of shape (n_iter_,)
    Mistakes made while learning, in each pass.
pass_errors_ : array of shape (n_iter_,)
    Training errors of the hypothesis left by each pass; -1 where not counted.
radius_ : float
    Largest length of an example in the space of the mistake bound: with the constant feature,
    and with many classes times the square root of two.
margin_bracket_ : tuple of (float, float)
    Bounds on the best margin in that space that the run itself has proved; the lower is -inf
    before the data are separated.
journal_ : Journal or list of Journal
    The updates, to replay or save; one for each class with one-vs-rest.
votes_ : array or list of arrays
    Visits that each hypothesis survived (with readout="voted").
"""


READOUT = """readout : {"last", "averaged", "voted", "pocket"}, default="last"
    What to make of the hypotheses that come and go.
"""


def _documentation(text: str, fixed: set[str]) -> str:
    """A member's own text with the shared parameters and attributes in their places."""
    lead, rule, example = inspect.cleandoc(text).partition("Examples\n--------\n")
    about, _, own = lead.partition("Parameters\n----------\n")
    readout = "" if "readout" in fixed else READOUT
    parameters = f"{own.strip()}\n{readout}{SHARED}".lstrip()
    return (
        f"{about}Parameters\n----------\n{parameters}\nAttributes\n----------\n{ATTRIBUTES}\n"
        f"{rule}{example}"
    )


class Named(PerceptronClassifier):
    """What type checkers know of a member: its parameters are in its signature at run time."""

    if TYPE_CHECKING:

        def __init__(self, **parameters: Any) -> None: ...


Kind = TypeVar("Kind", bound=type[Named])


def member(kind: Kind) -> Kind:
    """Complete a named estimator: signature, constructor and documentation."""
    mine = [name for name in inspect.get_annotations(kind) if not name.startswith("_")]
    own = {name: getattr(kind, name) for name in mine}
    fixed = {"rule"} | ({"readout"} if "readout" in vars(kind) else set())
    base = inspect.signature(PerceptronClassifier.__init__).parameters
    shared = [p for n, p in base.items() if n not in own and n not in fixed and n != "self"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(name, keyword, default=v) for name, v in own.items()]
    parameters += [p.replace(kind=keyword) for p in shared]
    signature = inspect.Signature([base["self"], *parameters])

    def construct(self: Any, **given: Any) -> None:
        bound = signature.bind(self, **given)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            setattr(self, name, value)

    construct.__name__, construct.__qualname__ = "__init__", f"{kind.__qualname__}.__init__"
    construct.__signature__ = signature  # type: ignore[attr-defined]
    kind.__init__ = construct  # type: ignore[method-assign]
    for name in own:
        delattr(kind, name)
    kind.__doc__ = _documentation(kind.__doc__ or "", fixed)
    MEMBERS[kind.__name__] = kind
    return kind


MEMBERS: dict[str, type[PerceptronClassifier]] = {"PerceptronClassifier": PerceptronClassifier}
"""Every estimator by its public name."""

PerceptronClassifier.__doc__ = _documentation(PerceptronClassifier.__doc__ or "", set())


@member
class Perceptron(Named):
    """Rosenblatt's perceptron: on a mistake, add the example.

    w <- w + eta·y·x if y·(w·x + b) <= 0. From zero weights, on data with lengths at most R and
    best margin g > 0, it makes at most (R/g)² updates (Novikoff 1962) and then stops by itself.
    eta only scales the weights, unless they start elsewhere than at zero.

    Differs from scikit-learn's in stopping at the first pass without a mistake and not on a
    tolerance, in the intercept, which is the same for dense and sparse data, and in many classes,
    which one multi-class rule learns in one pass.

    Parameters
    ----------
    eta : float, default=1.0
        Learning rate.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 0, 0, 1])
    >>> clf = Perceptron(shuffle=False).fit(X, y)
    >>> clf.coef_, clf.intercept_, clf.n_updates_
    (array([[3., 2.]]), array([-4.]), 18)
    """

    readout = "last"
    eta: float = 1.0

    def _rule(self) -> Any:
        return rules.Plain(inputs.positive_number("eta", self.eta))


@member
class AveragedPerceptron(Perceptron):
    """The averaged perceptron: the mean of the hypotheses after each visit.

    Learns as `Perceptron` and predicts with the average over all visits, which is steadier on
    data that no hyperplane separates (Freund & Schapire 1999, Collins 2002).

    Parameters
    ----------
    eta : float, default=1.0
        Learning rate.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> clf = AveragedPerceptron(random_state=0).fit(X, y)
    >>> clf.converged_, clf.score(X, y) > 0.99  # the last hypothesis separates, the mean nearly
    (True, True)
    """

    readout = "averaged"
    eta: float = 1.0


@member
class VotedPerceptron(Perceptron):
    """The voted perceptron: every hypothesis votes, as often as it survived a visit.

    Learns as `Perceptron`; predicts the sign of sum c_k·sign(w_k·x + b_k), c_k the visits for which
    w_k was in force, the one that made it included (Freund & Schapire 1999). Memory and time of a
    prediction grow with the number of updates; `coef_` shows the last hypothesis.

    Parameters
    ----------
    eta : float, default=1.0
        Learning rate.

    Examples
    --------
    >>> from rosenblatt import VotedPerceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = VotedPerceptron(random_state=0).fit(X, y == 0)
    >>> clf.votes_.sum() == clf.n_iter_ * len(X)
    np.True_
    """

    readout = "voted"
    eta: float = 1.0


@member
class PocketPerceptron(Perceptron):
    """The pocket algorithm: keep the hypothesis that went longest without a mistake.

    Learns as `Perceptron`, best with order="sampled" as its paper has it, and keeps in its pocket
    the hypothesis with the longest run of correct visits (Gallant 1990). With the ratchet it is
    exchanged only for one with fewer training errors; then the pocket never gets worse, and finds
    an optimal hypothesis in the end with probability one (Muselli 1997).

    Parameters
    ----------
    eta : float, default=1.0
        Learning rate.
    ratchet : bool, default=True
        Count the training errors before an exchange. A stream, whose past examples are gone, is
        learned without.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import PocketPerceptron
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([0, 1, 0, 1])  # no threshold is right for all four
    >>> clf = PocketPerceptron(max_iter=20, order="sampled", random_state=0)
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     clf.fit(X, y).score(X, y)
    0.75
    """

    readout = "pocket"
    eta: float = 1.0
    ratchet: bool = True

    def _readout(self, streaming: bool = False) -> readouts.Last:
        return readouts.Pocket(bool(self.ratchet) and not streaming)


@member
class MarginPerceptron(Named):
    """The perceptron with margin, even or uneven (PAUM).

    w <- w + eta·y·x if y·f(x) <= margin. With R and g as for `Perceptron` it makes at most
    (R² + 2·margin)/g² updates, and the last hypothesis has a margin of at least
    margin·g/(R² + 2·margin), which tends to g/2 (Krauth & Mézard 1987). With a margin of its own
    for the negative class it is the algorithm of Li et al. 2002 for uneven classes.

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
    has no bound.

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
    half-space that sums up the examples before (Li & Long 2002). Mistakes <= (R/g)². On data that
    no hyperplane separates its weights grow without bound and are scaled back: take few passes.

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
    asked for and steps shrink with the number of corrections (Gentile 2001). Finds a margin of
    (1 - alpha) times the best in O((p - 1)/(alpha²·g²)) corrections with B = sqrt(8)/alpha. Large p
    suits data of which few features matter.

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
    margin g it makes at most ((R + r)/(g - r))² updates, and ends with a margin above r.

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

    Updates while y·f(x) <= (1 - eps)·|w|²/k after k updates. As |w|/k is never below the best
    margin, a pass without update proves a margin above (1 - eps) times the best
    (Panagiotakopoulos & Tsampouka 2011).

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
