"""How members get their names: a rule and a readout of the general classifier, documented.

A named estimator states its own parameters as annotated defaults; the parameters that all share
are added to its signature and documentation.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeVar

from rosenblatt.estimators.classifier import PerceptronClassifier

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
order : str or array of int, default=None
    Order of the visits, in place of `shuffle`: "cyclic", "shuffled", "blocks" or "sampled"; an
    array, whose visits are made in every pass; or "least", "violated" or "nearest", which look at
    all examples before each visit and choose one that the rule would learn.
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
    Whether learning ended with every margin positive: a proof that the last hypothesis separates
    the training examples.
n_updates_ : int
    Updates made.
pass_mistakes_ : array of shape (n_iter_,)
    Mistakes made while learning, in each pass; with one-vs-rest of all classes together.
pass_errors_ : array of shape (n_iter_,)
    Training errors of the hypothesis left by each pass, with one-vs-rest of all classes together;
    -1 where not counted. In a stream they are errors on the examples of that call.
radius_ : float
    Largest length of an example in the space of the mistake bound: with the constant feature,
    and with many classes times the square root of two. In a stream, of the last call.
margin_bracket_ : tuple of (float, float)
    Bounds on the best margin in that space that the run itself has proved, rounding errors
    included; the lower is -inf before the data are separated. With one-vs-rest they hold for the
    class that is hardest to separate from the rest.
journal_ : Journal or list of Journal
    The updates, to replay or save; one for each class with one-vs-rest.
votes_ : array or list of arrays
    Visits that each hypothesis survived (with readout="voted").
"""


READOUT = """readout : {"last", "averaged", "voted", "pocket"}, default="last"
    What to make of the hypotheses that come and go.
"""


def _without(text: str, names: Collection[str]) -> str:
    """The entries of a list of parameters or attributes but for some."""
    entries = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    return "".join(entry for entry in entries if entry.partition(" :")[0] not in names)


def _documentation(
    text: str, fixed: set[str], without: Collection[str] = (), attributes: str = ATTRIBUTES
) -> str:
    """A member's own text with the shared parameters and attributes in their places."""
    lead, rule, example = inspect.cleandoc(text).partition("Examples\n--------\n")
    about, _, special = lead.partition("Parameters\n----------\n")
    readout = "" if "readout" in fixed else READOUT
    parameters = f"{special.strip()}\n{readout}{_without(SHARED, without)}".lstrip()
    return (
        f"{about}Parameters\n----------\n{parameters}\nAttributes\n----------\n{attributes}\n"
        f"{rule}{example}"
    )


class Named(PerceptronClassifier):
    """What type checkers know of a member: its parameters are in its signature at run time."""

    _lacks: frozenset[str] = frozenset()  # shared parameters that make no sense for it
    _attributes = ATTRIBUTES

    if TYPE_CHECKING:

        def __init__(self, **parameters: Any) -> None: ...


Kind = TypeVar("Kind", bound=type[Named])


def member(kind: Kind) -> Kind:
    """Complete a named estimator: signature, constructor and documentation."""
    mine = [name for name in inspect.get_annotations(kind) if not name.startswith("_")]
    own = {name: getattr(kind, name) for name in mine}
    fixed = {"rule"} | ({"readout"} if "readout" in vars(kind) else set())
    base = inspect.signature(PerceptronClassifier.__init__).parameters
    left_out = {"self", *own, *fixed, *kind._lacks}
    shared = [p for name, p in base.items() if name not in left_out]
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
    hidden = {*own, *kind._lacks}
    attributes = kind._attributes + vars(kind).get("_results", "")
    kind.__doc__ = _documentation(kind.__doc__ or "", fixed, hidden, attributes)
    MEMBERS[kind.__name__] = kind
    return kind


MEMBERS: dict[str, type[PerceptronClassifier]] = {"PerceptronClassifier": PerceptronClassifier}
"""Every estimator by its public name."""

PerceptronClassifier.__doc__ = _documentation(PerceptronClassifier.__doc__ or "", set(), [])
