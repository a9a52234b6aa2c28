"""Members that predict numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from rosenblatt.engine import custom, inputs
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.plan import Examples, Plan
from rosenblatt.engine.state import State
from rosenblatt.engine.trainer import Trainer, make_runs
from rosenblatt.estimators.members import complete
from rosenblatt.estimators.observers import ProgressPrinter
from rosenblatt.estimators.parameters import (
    Anything,
    Choice,
    Real,
    Result,
    array,
    declared,
    param,
    result,
    values,
)
from rosenblatt.estimators.second import COVARIANCE
from rosenblatt.estimators.shared import SharedParameters
from rosenblatt.estimators.validation import TableInput, unchanged_on_error
from rosenblatt.theory import readouts, rules
from rosenblatt.theory.spaces import Array

SHARED = declared(SharedParameters)
NAMES = ("plain", "normalised", "pa", "pa1", "pa2", "arow")
"""Rules whose step is measured by how far an example is from a margin, or has a fixed length."""

EPSILON = param(
    0.1,
    Real(least=0),
    "Half the width of the tube: residuals below it are right as they are, and no others.",
)


def regression_rule(given: Any) -> Any:
    """Return a rule that aims at the edge of the tube."""
    if isinstance(given, str) and given not in NAMES:
        raise ValueError(f"rule={given!r} is not for numbers; take one of {', '.join(NAMES)}.")
    rule = custom.rule(given)
    if isinstance(given, str) and "margin" in rule._fields:
        return rule._replace(margin=0.0)
    return rule


@partial(complete, positional=("rule", "readout"))
class PerceptronRegressor(TableInput, RegressorMixin, BaseEstimator):
    """Predict numbers with a rule of the family.

    With f(x) = w·x + b and the residual e = y - f(x), the rules see epsilon - |e| in place of the
    margin, and a step moves f(x) towards y. So the plain rule adds eta0·sign(e)·x where |e| >=
    epsilon, and the passive-aggressive rules take the least step to the edge of the tube.

    Scale the features first, and y to a spread of about 1, or choose `epsilon` and, of PA-I, `C` in
    the units of y. `score` is R², as for scikit-learn's regressors.

    Examples
    --------
    >>> from rosenblatt import PerceptronRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = PerceptronRegressor("pa1", random_state=0).fit(scale(X), scale(y))
    >>> reg.score(scale(X), scale(y)) > 0.4
    True
    """

    rule: Any = param(
        "pa1",
        Anything("str, record or function of `Look`", "Any", NAMES),
        "When to update and how far: a name, a record such as `rules.PA1(C=0.1, margin=0.0)`, or a "
        "function of `Look` that returns (a, c).",
    )
    readout: str = param(
        "averaged", Choice("averaged", "last"), "What to make of the hypotheses that come and go."
    )
    epsilon: float = EPSILON
    fit_intercept: Any = SHARED["fit_intercept"]
    intercept_scaling: Any = SHARED["intercept_scaling"]
    max_iter: Any = SHARED["max_iter"]
    tol: Any = SHARED["tol"]
    n_iter_no_change: Any = replace(
        SHARED["n_iter_no_change"], text="The least number of passes that `tol` compares."
    )
    shuffle: Any = SHARED["shuffle"]
    random_state: Any = replace(SHARED["random_state"], text="Seed of the order.")
    warm_start: Any = SHARED["warm_start"]
    count_errors: Any = SHARED["count_errors"]
    journal_size: Any = SHARED["journal_size"]
    verbose: Any = SHARED["verbose"]

    declared_results: tuple[Result, ...] = (
        array("coef_", "(n_features,)", "Weights."),
        array("intercept_", "(1,)", "Intercept."),
        result("n_iter_", "int", "Passes made."),
        result(
            "converged_",
            "bool",
            "Whether the last pass made no update: every training residual is below epsilon.",
        ),
        result("n_updates_", "int", "Updates made."),
        array("pass_mistakes_", "(n_iter_,)", "Residuals of epsilon or more, met in each pass."),
        array(
            "pass_errors_",
            "(n_iter_,)",
            "Residuals of epsilon or more that are left after each pass; -1 where not counted.",
        ),
        result("radius_", "float", "Largest length of an example, the constant feature included."),
        result("journal_", "Journal", "The updates, to replay or save."),
    )

    outcome_: Outcome

    def _rule(self, given: Any) -> Any:
        """The rule as a record."""
        return regression_rule(given.rule)

    # --- learning ---------------------------------------------------------------------------

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, observers: Sequence[Observer] = ()
    ) -> PerceptronRegressor:
        """Learn from examples X and the numbers y.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Examples. float64 in C order and CSR matrices are read in place.
        y : array of shape (n_samples,)
            Numbers to predict.
        sample_weight : array of shape (n_samples,), optional
            Factors of the step that each example makes; an example of weight 0 is left out.
        observers : sequence of Observer, optional
            Called after each pass; see `rosenblatt.engine.observers`.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            given = values(self)
            X, y, weights = self._validated(X, y, sample_weight, reset=True)
            plan = self._plan(given, X.shape[1], streaming=False)
            watching = [*([ProgressPrinter(self.verbose)] if self.verbose else []), *observers]
            self._train(plan, (X, y, weights), None, watching).write(self)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> PerceptronRegressor:
        """Go on learning: one pass over these examples in the order given.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The next examples.
        y : array of shape (n_samples,)
            Their numbers.
        sample_weight : array of shape (n_samples,), optional
            Factors of the step that each example makes.

        Returns
        -------
        self
        """
        with unchanged_on_error(self):
            given, before = values(self), getattr(self, "outcome_", None)
            X, y, weights = self._validated(X, y, sample_weight, reset=before is None)
            plan = self._plan(given, X.shape[1], streaming=True)
            state = None if before is None else before.state
            outcome = self._train(plan, (X, y, weights), state, ())
            if before is not None:
                outcome.continues(before)
            outcome.write(self)
        return self

    def _train(
        self, plan: Plan, data: tuple[Any, Array, Array | None], state: State | None,
        observers: Sequence[Observer],
    ) -> Outcome:  # fmt: skip
        X, y, weights = data
        if weights is not None and rules.full_step_only(plan.rule):
            weights = weights / weights.max()
        return Trainer(plan, Examples(X, y, weights), state, observers).train()

    def _plan(self, given: Any, features: int, streaming: bool) -> Plan:
        random = 0 if streaming else check_random_state(self.random_state).randint(2**31)
        bias = given.intercept_scaling if given.fit_intercept else 0.0
        return Plan(
            rule=self._rule(given),
            classes=np.zeros(0),
            multiclass="regression",
            seeds=(int(random),),
            readout=readouts.READOUTS[given.readout](),
            order="shuffled" if given.shuffle and not streaming else "cyclic",
            bias=bias,
            start=None if streaming else self._start(features),
            max_passes=1 if streaming else given.max_iter,
            proves=not streaming,
            tol=given.tol,
            patience=given.n_iter_no_change,
            count_errors=given.count_errors or (given.verbose > 0 and not streaming),
            journal_size=given.journal_size,
            streaming=streaming,
            epsilon=given.epsilon,
        )

    def _start(self, features: int) -> tuple[Array, Array] | None:
        """The weights of the fit before, with `warm_start`."""
        before = getattr(self, "outcome_", None)
        if not self.warm_start or before is None:
            return None
        if before.last.coef.shape[1] != features:
            raise ValueError(
                "warm_start needs the features of the fit before; set warm_start=False to start "
                "afresh."
            )
        return before.last.coef, before.last.intercept

    def _validated(
        self, X: Any, y: Any, sample_weight: Any, reset: bool
    ) -> tuple[Any, Array, Array | None]:
        """X and y as arrays, and the weights of the examples; those of weight zero are left out."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        X = self._table(X, reset=reset)
        X = X if X.dtype == np.float64 else X.astype(np.float64)
        y = column_or_1d(np.asarray(y), warn=True, dtype=np.float64)
        check_consistent_length(X, y)
        assert_all_finite(y, input_name="y")
        weights = inputs.sample_weights(sample_weight, X.shape[0])
        if weights is not None and not weights.all():
            chosen = np.flatnonzero(weights)
            X, y, weights = X[chosen], y[chosen], weights[chosen]
        return X, y, weights

    def check_parameters(self) -> None:
        """Raise an error that names the first parameter that cannot work."""
        self._rule(values(self))

    def check_state(self) -> None:
        """Raise an error if partial_fit could not go on from what was learned."""
        row = np.ones((1, self.n_features_in_))
        plan = self._plan(values(self), self.n_features_in_, streaming=True)
        make_runs(plan, Examples(row, np.zeros(1)), self.outcome_.state)

    # --- prediction -------------------------------------------------------------------------

    def predict(self, X: Any) -> Array:
        """Return the predicted number of each example."""
        check_is_fitted(self, "outcome_")
        scores: Array = self.outcome_.predictor.scores(self._rows(X))
        return scores[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Fixed(PerceptronRegressor):
    """A regressor whose rule is its own, made from its parameters."""

    rule = None


@complete
class PassiveAggressiveRegressor(_Fixed):
    """Passive-aggressive regression: the least change that brings the residual into the tube.

    With e = y - f(x) and l = |e| - epsilon > 0, w <- w + a·sign(e)·x, a = l/q for PA, min(C, l/q)
    for PA-I and l/(q + 1/(2C)) for PA-II, q the squared length of the example (Crammer et al.
    2006). Differs from scikit-learn's in that q counts the constant feature, so that after a PA
    step the residual is epsilon.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressiveRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = PassiveAggressiveRegressor(C=0.01, readout="averaged", random_state=0)
    >>> reg.fit(scale(X), scale(y)).score(scale(X), scale(y)) > 0.45
    True
    """

    variant: str = param(
        "PA-I",
        Choice("PA", "PA-I", "PA-II"),
        "Without bound on the step, with a bound, or with a softened step.",
    )
    C: float = param(1.0, Real(above=0), "Aggressiveness, of PA-I and PA-II.")
    readout: str = replace(PerceptronRegressor.readout, default="last")  # type: ignore[type-var]

    def _rule(self, given: Any) -> Any:
        if given.variant == "PA":
            return rules.PA(margin=0.0)
        kind = rules.PA1 if given.variant == "PA-I" else rules.PA2
        return kind(given.C, margin=0.0)


@complete
class AROWRegressor(_Fixed):
    """AROW for numbers: steps that each weight's variance shapes, and that give way to noise.

    With e = y - f(x), l = |e| - epsilon > 0 and v = x'Sx, w <- w + l/(v + r)·sign(e)·Sx and
    S^-1 <- S^-1 + xx'/r. With epsilon=0 and covariance="full" this is AROWR (Vaits & Crammer
    2011), recursive least squares with prior variance 1. One or few passes are enough, since the
    variances shrink with every update.

    Examples
    --------
    >>> from rosenblatt import AROWRegressor
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = AROWRegressor(max_iter=1, covariance="full", random_state=0).fit(scale(X), scale(y))
    >>> reg.score(scale(X), scale(y)) > 0.5
    True
    """

    r: float = param(1.0, Real(above=0), "How slowly steps and variances shrink; large for noise.")
    covariance: str = COVARIANCE
    epsilon: float = replace(EPSILON, default=0.0)
    readout: str = replace(PerceptronRegressor.readout, default="last")  # type: ignore[type-var]
    max_iter: Any = replace(SHARED["max_iter"], default=5)

    def _rule(self, given: Any) -> Any:
        return rules.Arow(given.r, given.covariance == "full", margin=0.0)


REGRESSORS: dict[str, Any] = {
    kind.__name__: kind for kind in (PerceptronRegressor, PassiveAggressiveRegressor, AROWRegressor)
}
"""The regressors by name."""
