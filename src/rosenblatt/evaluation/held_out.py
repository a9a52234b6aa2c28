"""Held-out error: how a hypothesis classifies examples that it was not trained on.

A convergence proof is about the training examples only: a hypothesis without errors on them will be
found. It does not extend to other examples, so some must be held out.
"""

from __future__ import annotations

import textwrap
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_consistent_length, column_or_1d

from rosenblatt.engine import inputs
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.trainer import Trainer
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.markup import Lines, card, curves, paragraphs
from rosenblatt.models import predicted
from rosenblatt.theory.spaces import Array

COARSE = 0.1
"""If two standard errors exceed this, there are too few held-out examples for a conclusion."""


@dataclass(frozen=True)
class Holdout:
    """Training and held-out errors after each pass, as fractions.

    Errors are those that `predict` would make if training ended with that pass.
    """

    train_error: Array
    test_error: Array
    best_pass: int  # the first with the least held-out error, counted from 1
    n_train: int
    n_test: int
    warning: str | None  # why the training error alone is misleading
    guess_error: float  # held-out error of always predicting the most frequent class
    estimator: Any = field(repr=False)  # fitted to the training part

    @property
    def standard_error(self) -> Array:
        """Standard error of the held-out error after each pass."""
        return _standard_error(self.test_error, self.n_test)

    def summary(self) -> Lines:
        """Return both errors, their uncertainty, and what a proof does not cover."""
        train, test, room = self.train_error[-1], self.test_error[-1], self.standard_error[-1]
        passes = len(self.test_error)
        lines = [
            f"{type(self.estimator).__name__} · {self.n_train:,} training and {self.n_test:,} "
            f"held-out examples · {passes} pass{'es' * (passes != 1)}",
            f"training error {_percent(train)}, held-out error {_percent(test)} ± "
            f"{_percent(2 * room)} (two standard errors); always predicting the most frequent "
            f"class has an error of {_percent(self.guess_error)}",
        ]
        least = self.test_error[self.best_pass - 1]
        if least < test:
            lines.append(
                f"least held-out error {_percent(least)} after pass {self.best_pass}; these "
                "examples selected that pass, so measure it again on others"
            )
        if self.warning:
            lines.append(f"warning: {self.warning[0].lower()}{self.warning[1:]}")
        proved = "the training examples are proved to be separated; "
        lines.append(
            (proved if self.estimator.converged_ else "")
            + "a convergence proof is about the training examples only, the error on new examples "
            "is estimated by the held-out error"
        )
        return Lines("\n".join(textwrap.fill(line, 96, subsequent_indent="  ") for line in lines))

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        along = {"held-out error": self.test_error, "training error": self.train_error}
        title, _, rest = self.summary().partition("\n")
        return card(title, paragraphs(rest), curves("after each pass", along))


def holdout(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    X_test: Any = None,
    y_test: Any = None,
    test_size: float | int = 0.25,
    random_state: Any = None,
    passes: int | None = None,
) -> Holdout:
    """Train a clone of an estimator and measure both errors after each pass.

    The clone gets the same weights as `clone(estimator).fit` on the training part. With early
    stopping, whose validation part is taken from the training part, the errors after a pass are
    those of the best hypothesis so far, which `predict` would use.

    Parameters
    ----------
    estimator : estimator of this package
        The estimator to clone; it is not changed.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        Examples.
    y : array of shape (n_samples,)
        Their labels.
    X_test, y_test : arrays, optional
        Held-out examples, instead of a part that is split off.
    test_size : float or int
        Fraction or number of examples to split off, stratified by class where possible.
    random_state : int, RandomState instance or None
        Seed of the split; the estimator has its own for training.
    passes : int, optional
        Maximum number of passes; `max_iter` of the estimator by default.

    Returns
    -------
    Holdout

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = holdout(Perceptron(random_state=0), X, y == 0, random_state=0)
    >>> print(result.train_error[-1], result.test_error[-1], result.n_test)
    0.0 0.0 38
    """
    clf = _clone(estimator, passes)
    data = _checked_parts(X, y, X_test, y_test, test_size, random_state)
    train, test = _errors_after_passes(clf, *data).T
    return _result(clf, train, test, data[1], data[3])


def _clone(estimator: Any, passes: int | None) -> Any:
    """Return an unfitted clone that makes at most `passes` passes."""
    if not isinstance(estimator, PerceptronClassifier):
        kind = estimator if isinstance(estimator, type) else type(estimator)
        raise TypeError(
            f"holdout trains estimators of this package, and {kind.__name__} is none; pass an "
            "instance such as Perceptron(), or the last step of a pipeline with transformed data."
        )
    clf = clone(estimator)
    if passes is not None:
        clf.set_params(max_iter=inputs.whole_number("passes", passes, 1))
    return clf


def _checked_parts(
    X: Any, y: Any, X_test: Any, y_test: Any, test_size: float | int, random_state: Any
) -> tuple[Any, Array, Any, Array]:
    """Return the training part and the held-out part, given or split off."""
    if X_test is None and y_test is None:
        X, X_test, y, y_test = _split(X, y, test_size, random_state)
    elif X_test is None or y_test is None:
        raise ValueError("X_test and y_test belong together; give both, or neither for a split.")
    y, y_test = _labels("y", y), _labels("y_test", y_test)
    check_consistent_length(X_test, y_test)
    if len(y_test) == 0:
        raise ValueError("X_test holds no examples: nothing can be measured.")
    if not np.isin(y_test, y).any():
        raise ValueError("no label in y_test is among the labels in y; are they coded alike?")
    return X, y, X_test, y_test


def _errors_after_passes(clf: Any, X: Any, y: Array, X_test: Any, y_test: Array) -> Array:
    """Fit the estimator; return the training and the held-out error after each pass."""
    curves = ErrorCurves(clf, (X, y), (X_test, y_test))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the curves show it
        clf.fit(X, y, observers=[curves])
    return np.array(curves.errors)


def _result(clf: Any, train: Array, test: Array, y: Array, y_test: Array) -> Holdout:
    """Return the errors with their best pass and the warning that they deserve."""
    labels, counts = np.unique(y, return_counts=True)
    guess = float(np.mean(y_test != labels[counts.argmax()]))
    warning = _warning(train, test, len(y), len(y_test), guess)
    best = int(test.argmin()) + 1
    return Holdout(train, test, best, len(y), len(y_test), warning, guess, clf)


class ErrorCurves(Observer):
    """Measures the errors of what would predict after each pass."""

    def __init__(self, clf: Any, *parts: tuple[Any, Array]) -> None:
        self.clf, self.given = clf, parts
        self.parts: list[tuple[Any, Array]] = []
        self.errors: list[list[float]] = []

    def on_pass(self, trainer: Trainer) -> bool:
        if not self.parts:  # tables are checked once; the classifier knows its features by now
            self.parts = [(self.clf.check_rows(X), y) for X, y in self.given]
        model, classes = trainer.predictor(), trainer.plan.classes
        self.errors.append(
            [float(np.mean(predicted(model, X, classes) != y)) for X, y in self.parts]
        )
        return False


def _split(X: Any, y: Any, size: float | int, seed: Any) -> list[Any]:
    """Split off a held-out part, stratified unless a class has a single example."""
    labels = _labels("y", y)
    check_consistent_length(X, labels)
    alone = np.unique(labels, return_counts=True)[1].min(initial=2) < 2
    try:
        return train_test_split(
            X, labels, test_size=size, random_state=seed, stratify=None if alone else labels
        )
    except ValueError as error:
        raise ValueError(
            f"test_size={size!r} cannot be split off {len(labels)} examples: {error}"
        ) from error


def _labels(name: str, y: Any) -> Array:
    if y is None:
        raise ValueError(f"{name} is None; each example needs a label.")
    return column_or_1d(np.asarray(y), warn=True)


# --- how reliable the errors are --------------------------------------------------------------


def _standard_error(error: Any, number: int) -> Any:
    """Return the standard error of an error rate measured on `number` examples.

    Two correct and two wrong examples are added (Agresti & Coull 1998), so that no error among a
    few examples does not give a standard error of 0.
    """
    likely = (error * number + 2) / (number + 4)
    return np.sqrt(likely * (1 - likely) / (number + 4))


def _warning(train: Array, test: Array, n_train: int, n_test: int, guess: float) -> str | None:
    """Return a sentence if the training error alone is misleading, else None.

    A difference counts if it exceeds two standard errors. The best pass is compared with the last
    as if on different examples, which is stricter than a paired test, because the best of many
    passes was selected afterwards.
    """
    best = int(test.argmin())
    end, least = float(test[-1]), float(test[best])
    room = float(_standard_error(end, n_test))
    gap = end - train[-1] > 2 * np.hypot(room, _standard_error(train[-1], n_train))
    rise = end - least > 2 * np.hypot(room, _standard_error(least, n_test))
    # If the training error rose as well, it is not misleading.
    rise = bool(rise and train[-1] <= train[best])
    measured = f"{_percent(end)} ± {_percent(2 * room)}"
    after = f"after pass {best + 1} it was {_percent(least)}"
    if gap:
        text = f"The training error is {_percent(train[-1])}, but the held-out error {measured}"
        if end > guess - 2 * room:
            text += f", no better than predicting the most frequent class ({_percent(guess)})"
        return text + (f"; {after}." if rise else ".")
    if rise:
        return f"The held-out error rose to {measured} though the training error did not; {after}."
    if 2 * room > COARSE:
        return (
            f"The held-out examples ({n_test:,}) are too few to estimate the error on new ones: "
            f"{_percent(end)} ± {_percent(2 * room)}."
        )
    return None


def _percent(fraction: Any) -> str:
    share = 100 * float(fraction)
    return f"{share:.1f} %" if share >= 10 else f"{share:.2g} %"
