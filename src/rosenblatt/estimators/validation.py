"""What an estimator is given, checked before it learns: parameters, examples, labels, weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from rosenblatt.engine import inputs
from rosenblatt.estimators.parameters import values
from rosenblatt.estimators.shared import SharedParameters
from rosenblatt.storage import atomic
from rosenblatt.theory import rules
from rosenblatt.theory.spaces import Array


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Whatever goes wrong, Ctrl-C included, leaves the estimator as it was before the call."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class TableInput:
    """The part of an estimator that reads tables of features."""

    n_features_in_: int

    def _table(self, X: Any, reset: bool) -> Any:
        """Return X as a table that compiled code reads, its features counted and named."""
        if _is_table(X) and not hasattr(self, "feature_names_in_"):
            # As `validate_data` would return it, which takes longer than to learn from a row.
            if reset:
                self.n_features_in_ = X.shape[1]
            if X.shape[1] == self.n_features_in_:
                return X
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            ensure_all_finite=False,  # the norms of the rows, needed anyway, will tell
        )
        return inputs.canonical(X)

    def _rows(self, X: Any) -> Any:
        return validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32]
        )


class InputValidation(TableInput, SharedParameters):
    """The part of a classifier that looks at what it is given, before anything is learned."""

    classes_: Array

    def _rule(self, given: Any) -> Any:
        """The rule as a record."""
        raise NotImplementedError

    def _settings(self) -> dict[str, Any]:
        """Check the parameters and gather what a run needs of them."""
        given = values(self)
        rule = self._rule(given)
        p = float(getattr(rule, "p", 2.0))
        if p != 2.0 and given.readout == "voted":
            raise ValueError(
                "a vote needs p=2; take readout='averaged' or 'last' with other norms."
            )
        if rules.prior_variance(rule) and given.readout == "voted":
            raise ValueError(
                f"the hypotheses of the rule {type(rule).__name__} are not sums of examples, so "
                "they cannot be kept for a vote; take readout='averaged' or 'last'."
            )
        seed = given.random_state
        if seed is not None and not (type(seed) is int and 0 <= seed < 2**32):
            check_random_state(seed)
        bias = given.intercept_scaling if given.fit_intercept else 0.0
        return {"rule": rule, "bias": bias, "p": p}

    def _validated(
        self, X: Any, y: Any, sample_weight: Any, reset: bool
    ) -> tuple[Any, Array, Array | None]:
        """X and y as arrays, and the weights of the examples; those of weight zero are left out."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        if isinstance(X, np.memmap) and X.filename is not None:
            atomic.remember(self, [X.filename])  # not to be written over
        X = self._table(X, reset=reset)
        if not _are_labels(y, X.shape[0]):
            y = self._labels(y, X)
        weights = inputs.sample_weights(sample_weight, X.shape[0])
        if self.class_weight is not None:
            classes, which = np.unique(y, return_inverse=True)
            factor = self._class_weights(classes, y, reset)[which]
            weights = inputs.sample_weights(factor if weights is None else weights * factor, len(y))
        if weights is not None and not weights.all():
            chosen = np.flatnonzero(weights)
            X, y, weights = X[chosen], y[chosen], weights[chosen]
        return X, y, weights

    def _class_weights(self, classes: Array, y: Array, reset: bool) -> Array:
        """Return the weight of each class; a part of a stream need not have all that are named."""
        if isinstance(self.class_weight, dict) and not reset:
            return np.array([self.class_weight.get(label, 1.0) for label in classes.tolist()])
        return np.asarray(compute_class_weight(self.class_weight, classes=classes, y=y))

    def _labels(self, y: Any, X: Any) -> Array:
        """Return labels as an array, one for each example."""
        if isinstance(y, (list, tuple)) and any(isinstance(v, str) and v[-1:] == "\0" for v in y):
            raise ValueError(
                "y has labels that end in a null character, which NumPy drops; write them without."
            )
        y = column_or_1d(np.asarray(y), warn=True)
        check_consistent_length(X, y)
        if y.dtype.kind == "f":
            assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        return y

    def _held_out(self, X_val: Any, y_val: Any) -> tuple[Any, Array] | None:
        if X_val is None:
            return None
        if y_val is None:
            raise ValueError("X_val came without y_val; give both, or neither for a split.")
        X, y, _ = self._validated(X_val, y_val, None, reset=False)
        inputs.all_finite("X_val", X)
        return X, y

    def _split(
        self, X: Any, y: Array, weights: Array | None
    ) -> tuple[Any, Array, Array | None, tuple[Any, Array]]:
        from sklearn.model_selection import train_test_split  # slow to load, seldom needed

        seed = check_random_state(self.random_state)
        counts = np.unique(y, return_counts=True)[1]
        rows = np.arange(len(y))
        stratify = y if counts.min() > 1 else None
        try:
            learn, hold = train_test_split(
                rows, test_size=self.validation_fraction, random_state=seed, stratify=stratify
            )
        except ValueError as error:
            raise ValueError(
                f"validation_fraction={self.validation_fraction} cannot be split off "
                f"{len(y)} examples: {error}"
            ) from error
        part = None if weights is None else weights[learn]
        return X[learn], y[learn], part, (X[hold], y[hold])

    def _start(
        self, coef: Any, intercept: Any, classes: Array, features: int
    ) -> tuple[tuple[Array, Array] | None, Any]:
        """Weights, or a state, to start from: given, or with warm_start of the last fit."""
        rows = 1 if len(classes) == 2 else len(classes)
        if coef is None and intercept is None:
            before = getattr(self, "outcome_", None)
            if not self.warm_start or before is None:
                return None, None
            last = before.last
            if not np.array_equal(before.classes, classes) or last.coef.shape != (rows, features):
                raise ValueError(
                    "warm_start needs the classes and features of the fit before; "
                    "set warm_start=False to start afresh."
                )
            return (last.coef, last.intercept), None
        coef = np.zeros((rows, features)) if coef is None else np.asarray(coef, float)
        intercept = np.zeros(rows) if intercept is None else np.asarray(intercept, float)
        if coef.ndim == 1:
            coef = coef[None, :]
        if coef.shape != (rows, features):
            raise ValueError(f"coef_init has shape {coef.shape}; the data need {(rows, features)}.")
        intercept = intercept.reshape(-1)
        if intercept.shape != (rows,):
            raise ValueError(
                f"intercept_init has shape {intercept.shape}; the data need {(rows,)}."
            )
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise ValueError("coef_init and intercept_init must be finite.")
        return (coef, intercept), None


def _is_table(X: Any) -> bool:
    """Return whether X is an array of floats that compiled code reads as it is."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in (np.float64, np.float32)
        and X.size > 0
        and X.flags.c_contiguous
    )


def _are_labels(y: Any, n: int) -> bool:
    """Return whether y is an array of n labels with nothing to check."""
    return type(y) is np.ndarray and y.shape == (n,) and y.dtype.kind in "iub"
