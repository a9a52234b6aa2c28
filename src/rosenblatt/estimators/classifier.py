"""The general classifier, in scikit-learn's world; `estimators` names its members."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rosenblatt.engine import custom, inputs
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.plan import Examples, Facts, Plan, Source, facts, measured
from rosenblatt.engine.state import State
from rosenblatt.engine.trainer import Trainer, make_runs
from rosenblatt.estimators import report
from rosenblatt.estimators.members import member
from rosenblatt.estimators.observers import Callbacks, EarlyStopping, ProgressPrinter
from rosenblatt.estimators.parameters import Result, declared, param, values
from rosenblatt.estimators.shared import RESULTS, RULE, WEIGHTS
from rosenblatt.estimators.sources import Weighted
from rosenblatt.estimators.validation import InputValidation, unchanged_on_error
from rosenblatt.markup import Lines
from rosenblatt.models import Linear, Margins, codes, leads, margins, predicted
from rosenblatt.storage import atomic
from rosenblatt.theory import orders, readouts, rules
from rosenblatt.theory.spaces import Array

try:  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    FRAMES = 4  # from a warning at the end of a fit to its caller
except ImportError:  # pragma: no cover - depends on the version installed

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Callbacks need scikit-learn 1.9."""

    def with_callbacks(method: Any) -> Any:
        return method

    FRAMES = 3


@partial(member, positional=("rule", "readout"))
class PerceptronClassifier(CallbackSupportMixin, InputValidation, ClassifierMixin, BaseEstimator):
    """Any rule of the family with any readout.

    Learning stops at the first pass over the data that makes no update: that pass proves that
    every training example is classified correctly. It also stops when the passes no longer get
    better, which proves nothing (`summary` says so); `tol=None` goes on. If `max_iter` passes are
    not enough, a `ConvergenceWarning` says what is known.

    A mistake is y·f(x) <= 0; prediction is f(x) > 0. The intercept is the weight of a constant
    feature, so that mistake bounds and step lengths hold with it. Dense and sparse data that are
    equal give equal models, up to rounding: sums are taken in another order.

    Examples
    --------
    >>> from rosenblatt import PerceptronClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = PerceptronClassifier("normalised", "averaged", random_state=0).fit(X, y == 0)
    >>> clf.converged_, clf.score(X, y == 0)
    (True, 1.0)

    A rule of one's own is a function of what it sees (`Look`); it runs as fast as those here.

    >>> def cautious(look):
    ...     return (0.5 if look.m <= 0.1 else 0.0), 1.0
    >>> PerceptronClassifier(cautious, random_state=0).fit(X, y == 0).score(X, y == 0)
    1.0
    """

    rule: Any = param(
        "plain",
        RULE,
        "When to update and how far: a name from the table of rules, a record such as "
        "`rules.Margin(theta=2.0)`, or a function of `Look` that returns (a, c).",
    )

    declared_results: tuple[Result, ...] = (*WEIGHTS, *RESULTS)
    _adapts_to_data = False  # whether its rule depends on facts of all examples

    # --- hooks for named estimators ---------------------------------------------------------

    def _rule(self, given: Any) -> Any:
        """The rule as a record."""
        return custom.rule(self.rule)

    def _readout(self, streaming: bool = False) -> readouts.Readout:
        if self.readout == "pocket":
            picked = not streaming and orders.picks(self._order())
            return readouts.Fewest() if picked else readouts.Pocket(ratchet=not streaming)
        return readouts.READOUTS[self.readout]()

    def _order(self) -> Any:
        """The order by name or as an array; None leaves it to `shuffle`."""
        return self.order

    def visiting_order(self) -> Any:
        """The order in which a fit visits the examples: a name, or an array of example numbers."""
        order = self._order()
        if order is None:
            return "shuffled" if self.shuffle else "cyclic"
        return order

    def _adapted(self, rule: Any, facts: Facts) -> Any:
        """The rule, adapted to the facts of the data."""
        return rule

    def _initial_weights(
        self, plan: Plan, examples: Examples, facts: Facts
    ) -> tuple[Array, Array] | None:
        """The weights to start from if none are given; None for zero."""
        return None

    def _options(self) -> dict[str, Any]:
        """Further fields of the plan."""
        return {}

    def _observers(self) -> list[Observer]:
        """Observers that belong to the algorithm."""
        return []

    def _remedy(self) -> str:
        """What to try where max_iter was not enough."""
        takes_readout = "readout" in declared(type(self))
        average = "set readout='averaged'" if takes_readout else "use AveragedPerceptron"
        return f"Raise max_iter, or {average} if no hyperplane separates the classes."

    def _max_passes(self, examples: int) -> int:
        return self.max_iter

    def _tolerance(self) -> float | None:
        """By how much passes must get better; None to go on anyway."""
        return None if self.early_stopping else self.tol

    # --- what others may ask before a fit ---------------------------------------------------

    def check_parameters(self) -> None:
        """Raise an error that names the first parameter that cannot work."""
        self._settings()

    def check_state(self) -> None:
        """Raise an error if partial_fit could not go on from what was learned.

        Nothing is learned; random numbers are drawn. A model that never could go on is not checked.
        """
        state: State | None = self.outcome_.state
        if state is None or self.class_weight == "balanced":
            return
        shape = 1, self.n_features_in_
        row: Any = csr_matrix(shape) if issparse(state.examples) else np.ones(shape)
        factors = self.class_weight if isinstance(self.class_weight, dict) else {}
        learned = [bool(factors.get(label, 1.0)) for label in self.classes_.tolist()]
        if not any(learned):
            return
        X, y, weights = self._validated(row, self.classes_[learned][:1], None, reset=False)
        plan, examples = self._plan(
            self._settings(), X, y, weights, self.classes_, None, state, streaming=True
        )
        make_runs(plan, examples, state)

    def resolve_rule(self) -> Any:
        """The rule as a record, its parameters checked."""
        return self._rule(values(self))

    def learns_one_by_one(self) -> bool:
        """Whether it learns one example after the other, without facts of all of them."""
        needs_all = self._adapts_to_data or self._options().get("batch", False)
        dual = getattr(self.resolve_rule(), "needs_dual", False)
        return not (needs_all or dual or orders.picks(self._order()))

    def check_rows(self, X: Any) -> Any:
        """X as a table with the features of the fit, checked."""
        return self._rows(X)

    # --- learning ---------------------------------------------------------------------------

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        coef_init: Any = None,
        intercept_init: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        observers: Sequence[Observer] = (),
    ) -> PerceptronClassifier:
        """Learn from examples X and labels y.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Examples. float64 and float32 in C order, and CSR matrices, are read in place.
        y : array of shape (n_samples,)
            Labels, of two or more classes.
        sample_weight : array of shape (n_samples,), optional
            Factors of the step that each example makes; an example of weight 0 is left out.
        coef_init, intercept_init : arrays, optional
            Where to start; zero by default.
        X_val, y_val : arrays, optional
            Examples to stop early on, in place of a part split off.
        observers : sequence of Observer, optional
            Called after each pass; see `rosenblatt.engine.observers`.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            settings = self._settings()
            X, y, weights = self._validated(X, y, sample_weight, reset=True)
            watching: list[Observer] = []
            if self.early_stopping:
                held_out = self._held_out(X_val, y_val)
                if held_out is None:
                    X, y, weights, held_out = self._split(X, y, weights)
                watching.append(EarlyStopping(*held_out, self.n_iter_no_change))
            elif X_val is not None:
                raise ValueError("X_val is used for early stopping only; set early_stopping=True.")
            classes = _distinct(y)
            if 2 * len(classes) > len(y):
                check_classification_targets(y)  # warns if they look like numbers to be predicted
            start, state = self._start(coef_init, intercept_init, classes, self.n_features_in_)
            plan, examples = self._plan(settings, X, y, weights, classes, start, state)
            watching += [*([ProgressPrinter(self.verbose)] if self.verbose else []), *observers]
            if getattr(self, "_skl_callbacks", None):
                context = self._init_callback_context(max_subtasks=plan.max_passes)
                watching.append(Callbacks(context, self, X, y))
            trainer = Trainer(plan, examples, state, [*watching, *self._observers()])
            self._finish(trainer, trainer.train())
        return self

    def _finish(self, trainer: Trainer, outcome: Outcome) -> None:
        """Write the outcome of a fit; warn if it is not what was hoped for."""
        outcome.stopped_early = any(one.early for one in trainer.stopped_by)
        held_out = [one for one in trainer.observers if isinstance(one, EarlyStopping)]
        if held_out:
            outcome.validation_score = held_out[0].best_score
        outcome.write(self)
        assert trainer.runs is not None
        # An average, a vote or a pocket is of use whether or not the last hypothesis settles.
        expected = trainer.runs.settled or self.readout == "last"
        done = held_out or trainer.runs.reached or outcome.stopped_early
        if expected and not done:
            message = report.not_converged(self, trainer.runs, self._remedy())
            warnings.warn(message, ConvergenceWarning, stacklevel=FRAMES)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> PerceptronClassifier:
        """Go on learning: one pass over these examples in the order given.

        Calling it on each part of a data set gives the same result as one pass over the whole, up
        to rounding; after a `fit` it continues from there. Labels may appear that were not seen
        before; `classes` announces them if they are known.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The next examples.
        y : array of shape (n_samples,)
            Their labels.
        classes : array, optional
            All labels that will appear, as far as they are known.
        sample_weight : array of shape (n_samples,), optional
            Factors of the step that each example makes.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            settings, before = self._settings(), self._outcome_to_continue()
            X, y, weights = self._validated(X, y, sample_weight, reset=before is None)
            known = None if before is None else before.classes
            union = _union(y, classes, known)
            state = None if before is None else before.state
            plan, examples = self._plan(settings, X, y, weights, union, None, state, streaming=True)
            outcome = Trainer(plan, examples, state).train()
            if before is not None:
                outcome.continues(before)
            outcome.write(self)
        return self

    def _outcome_to_continue(self) -> Outcome | None:
        """What a stream goes on from; None if nothing has been learned yet."""
        if isinstance(self.class_weight, str):
            raise ValueError(
                "class_weight='balanced' needs all labels at once; give partial_fit a dict "
                "of class weights, or sample_weight."
            )
        before: Outcome | None = getattr(self, "outcome_", None)
        if before is not None and before.state is None:
            raise ValueError(
                "this model holds the votes of several shards, which no stream can go on "
                "from; fit anew, or take another readout."
            )
        return before

    def fit_source(
        self, source: Source, *, max_passes: int = 1, state: State | None = None,
        observers: Sequence[Observer] = (),
    ) -> PerceptronClassifier:  # fmt: skip
        """Learn from data that come in parts, such as files, in `max_passes` passes at most.

        Parameters
        ----------
        source : Source
            Its rows are finite numbers and its labels are among its classes.
        max_passes : int
            Learning ends before at the first pass that changes nothing.
        state : State, optional
            A checkpoint to resume from.
        observers : sequence of Observer, optional
            Called after each part and each pass.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            settings = self._settings()
            self._outcome_to_continue()
            max_passes = inputs.whole_number("max_passes", max_passes, 1)
            parts = Weighted(source, self.class_weight)
            first = next(parts.parts(0), None)
            if first is None:
                raise ValueError("there is no row to learn from.")
            self._table(first.X[:1], reset=True)
            plan, _ = self._plan(
                settings, first.X, first.y, first.weights, source.classes, None, state,
                streaming=True,
            )  # fmt: skip
            plan = replace(plan, max_passes=max_passes, proves=True)
            Trainer(plan, parts, state, observers).train().write(self)
            atomic.remember(self, source.files)
        return self

    def make_plan(
        self, classes: Array, features: int, examples: int, streaming: bool = False
    ) -> Plan:
        """The plan of a fit, as far as it does not depend on the examples themselves."""
        random = check_random_state(self.random_state)
        return self._bare_plan(self._settings(), classes, features, examples, streaming, random)

    def _bare_plan(
        self, settings: dict[str, Any], classes: Array, features: int, examples: int,
        streaming: bool, random: Any, seeds: int | None = None,
    ) -> Plan:  # fmt: skip
        bias, threshold = settings["bias"], self.threshold
        multiclass = "binary" if len(classes) == 2 else self.multiclass
        if multiclass == "native" and threshold:
            raise ValueError("threshold is for two classes; set multiclass='ovr' or threshold=0.")
        count = len(classes) if multiclass == "ovr" else 1
        drawn = count if seeds is None else seeds
        start = None
        if bias and threshold:
            start = np.zeros((count, features)), np.full(count, -threshold)
        order = "cyclic" if streaming else self.visiting_order()
        return Plan(
            rule=settings["rule"],
            classes=classes,
            multiclass=multiclass,
            seeds=(0,) * drawn
            if random is None
            else tuple(random.randint(2**31, size=drawn).tolist()),
            readout=self._readout(streaming),
            order=order,
            scheme=self.scheme,
            bias=bias,
            offset=0.0 if bias else -threshold,
            p=inputs.power(settings["p"], bias, features),
            start=start,
            max_passes=1 if streaming else self._max_passes(examples),
            proves=not streaming,
            tol=self._tolerance(),
            patience=self.n_iter_no_change,
            count_errors=self.count_errors or (self.verbose > 0 and not streaming),
            journal_size=self.journal_size,
            jobs=self.n_jobs,
            streaming=streaming,
            **self._options(),
        )

    def _plan(
        self, settings: dict[str, Any], X: Any, y: Array, weights: Array | None, classes: Array,
        start: tuple[Array, Array] | None, state: State | None, streaming: bool = False,
    ) -> tuple[Plan, Examples]:  # fmt: skip
        """Turn parameters and the facts of the data into a plan and examples for it."""
        # A stream visits its examples as they come: nothing is drawn.
        random = None if streaming else check_random_state(self.random_state)
        plan = self._bare_plan(settings, classes, X.shape[1], len(y), streaming, random)
        if weights is not None and rules.full_step_only(plan.rule):
            weights = weights / weights.max()
        examples = Examples(X, y, weights)
        if self._adapts_to_data:
            norms2 = measured(X, plan.bias, plan.p)
            examples = Examples(X, y, weights, norms2)
            native = len(classes) if plan.multiclass == "native" else 0
            known = facts(X, norms2, plan.bias, native, streaming)
            plan = replace(plan, rule=self._adapted(plan.rule, known))
            if start is None and state is None:
                start = self._initial_weights(plan, examples, known)
        return plan if start is None else replace(plan, start=start), examples

    # --- prediction -------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """Scores: one for each example with two classes, else one for each class."""
        check_is_fitted(self, "classes_")
        scores = self.outcome_.predictor.scores(self._rows(X))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Array:
        """Labels: with two classes the second where the score is above 0, else the best class."""
        check_is_fitted(self, "classes_")
        return predicted(self.outcome_.predictor, self._rows(X), self.classes_)

    # --- understanding ----------------------------------------------------------------------

    def margins(self, X: Any, y: Any) -> Margins:
        """Return the margin of each example, and the least of them, that of the data set.

        The margin of an example is y·f(x)/|w|, its distance to the boundary, negative if it is on
        the wrong side; with many classes f is the lead over the best rival. The
        intercept counts as a weight, as it does in the mistake bound.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Examples.
        y : array of shape (n_samples,)
            Their labels, which must be classes of the fit.

        Returns
        -------
        Margins
            A named tuple: `each`, an array of shape (n_samples,), and `least`, a float.
        """
        X, own = self._labelled(X, y)
        scores = Linear(self.coef_, self.intercept_).scores(X)
        return margins(leads(scores, own), report.weights_length(self))

    def _labelled(self, X: Any, y: Any) -> tuple[Any, Array]:
        """Return checked examples, and the number of each label in the classes."""
        check_is_fitted(self, "classes_")
        X, y = self._rows(X), np.asarray(y)
        check_consistent_length(X, y)
        return X, codes(y, self.classes_)

    def top_features(self, k: int = 5) -> dict[Any, dict[str, list[tuple[str, float]]]]:
        """The k most positive and the k most negative weights of each class, with names.

        Weights compare only between features of the same scale: standardise first.
        """
        check_is_fitted(self, "classes_")
        return report.top_features(self, inputs.whole_number("k", k, 1))

    def summary(self, feature_names: Sequence[str] | None = None) -> Lines:
        """Return what was learned and what is proved, in a few lines."""
        check_is_fitted(self, "classes_")
        return report.summary(self, self._seeks(), feature_names)

    def _seeks(self) -> bool:
        """Whether the rule may end near its goal, still updating."""
        return bool(rules.stopping_gap(self.resolve_rule()) > 0)

    def _card(self) -> str:
        """What was learned, for a notebook; empty before that."""
        return report.html(self, self._seeks()) if hasattr(self, "outcome_") else ""

    @property
    def _repr_html_(self) -> Any:
        below = super()._repr_html_  # scikit-learn's, which is not there if text was asked for
        return lambda: self._card() + below()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        if "text/html" in bundle:
            bundle["text/html"] = self._card() + bundle["text/html"]
        return bundle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _distinct(y: Array) -> Array:
    """Return the distinct labels in order; small whole numbers are counted, not sorted."""
    if len(y) > 1000 and np.can_cast(y.dtype, np.int64) and y.dtype.kind in "iu":
        low, high = int(y.min()), int(y.max())
        if high - low < 1000:
            counts = np.bincount(y.astype(np.int64) - low)
            return (np.flatnonzero(counts) + low).astype(y.dtype)
    return np.unique(y)


def _union(y: Array, announced: Any, known: Array | None) -> Array:
    """Return all classes: those known before, those of the labels, those announced."""
    if known is not None and announced is None:
        place = known.searchsorted(y)
        if y.dtype == known.dtype and place.max() < len(known) and (known[place] == y).all():
            return known
    parts = [np.unique(part) for part in (y, announced, known) if part is not None]
    return np.unique(np.concatenate(parts))


class Member(PerceptronClassifier):
    """A classifier whose rule is its own, made from its parameters."""

    rule = None
