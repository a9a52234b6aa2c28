"""The general classifier, in scikit-learn's world; `estimators` names its members."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
)

from rosenblatt.engine import custom, inputs
from rosenblatt.engine.run import Run
from rosenblatt.engine.task import Facts, Task
from rosenblatt.estimators import report
from rosenblatt.estimators.members import member
from rosenblatt.estimators.parameters import Result, param
from rosenblatt.estimators.shared import RESULTS, RULE, WEIGHTS
from rosenblatt.estimators.validation import Intake
from rosenblatt.models import Linear
from rosenblatt.theory import orders, readouts, rules
from rosenblatt.theory.spaces import Array

try:  # scikit-learn 1.9 and later
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # pragma: no cover - depends on the version installed

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Callbacks need scikit-learn 1.9."""

    def with_callbacks(method: Any) -> Any:
        return method


@partial(member, positional=("rule", "readout"))
class PerceptronClassifier(CallbackSupportMixin, Intake, ClassifierMixin, BaseEstimator):
    """Any rule of the family with any readout.

    Learning stops at the first pass over the data that makes no update: that pass proves that
    every training example is classified correctly. There is no tolerance to choose. If
    `max_iter` passes are not enough, a `ConvergenceWarning` says what is known.

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

    _results: tuple[Result, ...] = (*WEIGHTS, *RESULTS)
    _task: type[Task] = Task
    _remedy = (
        "Raise max_iter, or take readout='averaged' or early_stopping=True if no hyperplane "
        "separates the classes."
    )
    _watch: Callable[[Any], None] | None = None  # is told what would predict after each pass

    # --- what a named estimator may say of itself -------------------------------------------

    def _rule(self) -> Any:
        """The rule as a record."""
        return custom.rule(self.rule)

    def _readout(self, streaming: bool = False) -> readouts.Last:
        if self.readout == "pocket":
            picked = not streaming and orders.picks(self._order())
            return readouts.Fewest() if picked else readouts.Pocket(ratchet=not streaming)
        return readouts.READOUTS[self.readout]()

    def _driver(self) -> type[Run]:
        """What makes the passes."""
        return Run

    def _order(self) -> Any:
        """The order by name or as an array; None leaves it to `shuffle`."""
        return self.order

    def _fitted(self, rule: Any, facts: Facts) -> Any:
        """The rule, fitted to what is known of the data."""
        return rule

    def _opening(
        self,
        task: Task,
        problems: list[Array],
        sizes: Array,
        weights: Array | None,
        facts: Facts,
    ) -> tuple[Array, Array] | None:
        """The weights to start from if none are given; None for zero."""
        return None

    def _longest(self, examples: int) -> int:
        """Passes at most."""
        return self.max_iter

    def _enough(self, task: Task) -> bool:
        """Whether the passes made will do, though the data are not separated."""
        return False

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
    ) -> PerceptronClassifier:
        """Learn from examples X and labels y.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Examples. Doubles and singles in C order, and CSR matrices, are read in place.
        y : array of shape (n_samples,)
            Labels, of two or more classes.
        sample_weight : array of shape (n_samples,), optional
            Factors of the step that each example makes; an example of weight 0 is left out.
        coef_init, intercept_init : arrays, optional
            Where to start; zero by default.
        X_val, y_val : arrays, optional
            Examples to stop early on, in place of a part split off.

        Returns
        -------
        self
        """
        with self._unchanged_on_error():
            settings = self._settings()
            X, y, weights = self._validated(X, y, sample_weight, reset=True)
            held = None
            if self.early_stopping:
                held = self._held_out(X_val, y_val)
                if held is None:
                    X, y, weights, held = self._split(X, y, weights)
            elif X_val is not None:
                raise ValueError("X_val is used for early stopping only; set early_stopping=True.")
            classes = np.unique(y)
            start = self._start(coef_init, intercept_init, classes, self.n_features_in_)
            self.classes_ = classes
            task = self._task(self, settings, X, y, weights, start, classes)
            model = self._learn(task, held, X, y)
            self._finish(task, model)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> PerceptronClassifier:
        """Go on learning: one pass over these examples in the order given.

        Calls for the parts of a data set equal one pass over the whole, up to rounding; after a
        `fit` it goes on from there. Labels may appear that were not seen before; `classes`
        announces them if they are known.

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
        with self._unchanged_on_error():
            settings = self._settings()
            if isinstance(self.class_weight, str):
                raise ValueError(
                    "class_weight='balanced' needs all labels at once; give partial_fit a dict "
                    "of class weights, or sample_weight."
                )
            first = not hasattr(self, "_stream")
            if not first and self._stream is None:
                raise ValueError(
                    "this model holds the votes of several shards, which no stream can go on "
                    "from; fit anew, or take another readout."
                )
            X, y, weights = self._validated(X, y, sample_weight, reset=first)
            known = [np.unique(y)] if classes is None else [np.unique(y), np.unique(classes)]
            if not first:
                known.append(self.classes_)
            union = np.unique(np.concatenate(known))
            self._go_on(settings, X, y, weights, union)
        return self

    def _go_on(
        self,
        settings: dict[str, Any],
        X: Any,
        y: Array,
        weights: Array | None,
        classes: Array,
        visits: Array | None = None,
    ) -> None:
        """One pass over examples that are known to be sound, in the order of `visits` if given."""
        stream = self.__dict__.get("_stream")
        task = self._task(self, settings, X, y, weights, None, classes, stream, streaming=True)
        if visits is not None:
            for run in task.runs:
                run.order = orders.permuted(visits)
        self.classes_ = classes
        task.make_pass(None)
        self._finish(task, task.model())

    def _learn(self, task: Task, held: tuple[Any, Array] | None, X: Any, y: Array) -> Any:
        """Pass after pass, until the data are separated or the patience ends; the model."""
        best, best_score, stale = None, -inf, 0
        longest = self._longest(len(y))
        root = None
        if hasattr(self, "_init_callback_context"):
            root = self._init_callback_context(max_subtasks=longest)
            root.call_on_fit_task_begin(estimator=self, X=X, y=y)
        narrator = report.Narrator(self.verbose)
        task.watch = partial(narrator.tell_part, task)  # type: ignore[method-assign]
        self.stopped_early_ = False
        for number in range(longest):
            context = None
            if root is not None:
                context = root.subcontext(task_name="pass")
                context.call_on_fit_task_begin(estimator=self, X=X, y=y)
            task.make_pass(self.n_jobs)
            score = None
            if held is not None:
                model = task.model()
                score = float(np.mean(self._labels(model.scores(held[0])) == held[1]))
                stale = 0 if score > best_score else stale + 1
                if score > best_score:
                    best, best_score = model, score
            narrator.tell(number + 1, task, score)
            if self._watch is not None:
                self._watch(task.model() if best is None else best)
            stop = False
            if context is not None:
                stop = context.call_on_fit_task_end(
                    estimator=self, X=X, y=y, reconstruction_attributes=task.fitted
                )
            self.stopped_early_ = bool(stop) or (
                held is not None and stale >= self.n_iter_no_change
            )
            if task.settled or self.stopped_early_ or self._enough(task):
                break
        if root is not None:
            root.call_on_fit_task_end(
                estimator=self, X=X, y=y, reconstruction_attributes=task.fitted
            )
        if held is not None:
            self.validation_score_ = best_score
        elif not task.reached and not self.stopped_early_:
            warnings.warn(report.not_converged(self, task), ConvergenceWarning, stacklevel=4)
        return task.model() if best is None else best

    def _finish(self, task: Task, model: Any) -> None:
        """Set what a fitted estimator has."""
        for name, value in task.fitted(model).items():
            setattr(self, name, value)
        self._stream = task.carry()

    # --- prediction -------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """Scores: one for each example with two classes, else one for each class."""
        check_is_fitted(self, "classes_")
        scores = self._model.scores(self._rows(X))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Array:
        """Labels: with two classes the second where the score is above 0, else the best class."""
        check_is_fitted(self, "classes_")
        return self._labels(self._model.scores(self._rows(X)))

    def _labels(self, scores: Array) -> Array:
        if len(self.classes_) == 2:
            return self.classes_[(scores[:, 0] > 0).astype(int)]
        return self.classes_[np.argmax(scores, axis=1)]

    # --- understanding ----------------------------------------------------------------------

    def margins(self, X: Any, y: Any) -> tuple[Array, float]:
        """Margin of each example and of the data set, in the space in which it was learned.

        The margin of an example is y·f(x)/|w|, its distance to the boundary, negative if it is on
        the wrong side; with many classes f is the lead over the best rival. The data set's is the
        least of them. The intercept counts as a weight, as it does in the mistake bound.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Examples.
        y : array of shape (n_samples,)
            Their labels, which must be classes of the fit.

        Returns
        -------
        tuple of (array of shape (n_samples,), float)
        """
        check_is_fitted(self, "classes_")
        X, y = self._rows(X), np.asarray(y)
        check_consistent_length(X, y)
        strange = np.setdiff1d(y, self.classes_)
        if len(strange):
            raise ValueError(f"y has labels that are not classes of the fit: {strange.tolist()}.")
        return report.margins(self, Linear(self.coef_, self.intercept_).scores(X), y)

    def top_features(self, k: int = 5) -> dict[Any, dict[str, list[tuple[str, float]]]]:
        """The k most positive and the k most negative weights of each class, with names.

        Weights compare only between features of the same scale: standardise first.
        """
        check_is_fitted(self, "classes_")
        return report.top_features(self, inputs.whole_number("k", k, 1))

    def summary(self) -> str:
        """What was learned and what is proved, in a few lines."""
        check_is_fitted(self, "classes_")
        rule = self._rule()
        p = getattr(self, "_p", getattr(rule, "p", 2.0))
        return report.summary(self, float(p), rules.gap(rule) > 0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Member(PerceptronClassifier):
    """A classifier whose rule is its own, made from its parameters."""

    rule = None
