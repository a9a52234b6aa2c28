"""Cross-validation of the family on the same folds."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import inf, nan, sqrt
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, check_cv, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, column_or_1d

from rosenblatt.engine import inputs
from rosenblatt.estimators import MEMBERS, KernelPerceptron
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.evaluation.leaderboard import Leaderboard, Row, percent
from rosenblatt.theory import orders
from rosenblatt.theory.spaces import Array

QUIET_SECONDS = 2.0
"""A comparison that takes less prints no progress."""
MOST_GREEDY = 2_048
"""Training examples of a member that looks at all of them before every step."""
MOST_KERNEL = 8_192
"""Training examples of a member with a kernel, which compares examples with each other."""
POOR = "no better than chance"
SETTINGS: dict[str, dict[str, Any]] = {
    "AdaTron": {"C": 1.0},
    "MaxOver": {"multiclass": "ovr"},
    "MinOver": {"multiclass": "ovr"},
    "VotedPerceptron": {"max_iter": 1},
}
"""Settings that differ from the common ones.

Without a bound, AdaTron's weights grow without limit on most real data. One-vs-rest lets a greedy
member cache inner products. Predicting by a vote takes time proportional to the updates, so one
pass must suffice.
"""


def compare(
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    members: Sequence[Any] | None = None,
    scale: bool = True,
    max_iter: int = 20,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> Leaderboard:
    """Cross-validate members of the family on the same folds, and rank them by error.

    The spread shows how uncertain the differences are. The best of many looks better than it is:
    measure it again on examples that took no part.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        Examples.
    y : array of shape (n_samples,)
        Their labels.
    cv : int, splitter or iterable of (train, test), default=5
        Folds; an int is the number of shuffled, stratified folds.
    members : list of names and estimators, optional
        Names of estimators of this package, with common settings, or any classifiers as they
        are. All estimators of this package by default.
    scale : bool, default=True
        Standardise the features on each training part; features of sparse data are divided by
        their largest absolute value. Pipelines are left as they are.
    max_iter : int, default=20
        Maximum number of passes of members given by name; a vote makes one. Greedy members are
        trained on 2,048 examples at most, members with a kernel on 8,192.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds and of members given by name.
    n_jobs : int, default=None
        Number of folds to fit at the same time, in threads; -1 for one per processor.
    progress : bool, default=True
        Report each member on stderr if the comparison takes longer than two seconds.

    Returns
    -------
    Leaderboard

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> board = compare(X, y == 0, members=["Perceptron", "AveragedPerceptron"])
    >>> [row.error for row in board.rows]
    [0.0, 0.0]
    >>> clf = board.best.fit(X, y == 0)
    """
    named = _members(members, inputs.whole_number("max_iter", max_iter, 1), random_state)
    data = _examples(X, y, cv, random_state)
    reporter = _ProgressReporter(progress, len(named))
    board = data.leaderboard(_measure_all(named, data, scale, n_jobs, reporter))
    _warn_if_poor(board, scale)
    return board


# --- what to compare, and on what -------------------------------------------------------------


@dataclass(frozen=True)
class _Examples:
    """Labelled examples with their folds."""

    X: Any
    y: Array
    folds: list[tuple[Array, Array]]
    chance: float  # held-out error of always predicting the most frequent class

    def leaderboard(self, rows: list[Row]) -> Leaderboard:
        """Rank the results."""
        ranked = sorted(rows, key=lambda row: (row.failed, row.error))
        classes = len(np.unique(self.y))
        examples, features = self.X.shape
        return Leaderboard(ranked, self.chance, examples, features, classes, len(self.folds))


def _examples(X: Any, y: Any, cv: Any, seed: Any) -> _Examples:
    """Check the examples and split them into folds."""
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    y = column_or_1d(np.asarray(y), warn=True)
    check_consistent_length(X, y)
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(labels) < 2:
        raise ValueError(f"y holds one class only, {labels.tolist()}; there is nothing to compare.")
    folds = _folds(cv, X, y, counts, seed)
    chance = float(np.mean([_guess(codes[train], codes[test]) for train, test in folds]))
    return _Examples(X, y, folds, chance)


def _folds(cv: Any, X: Any, y: Array, counts: Array, seed: Any) -> list[tuple[Array, Array]]:
    if isinstance(cv, (int, np.integer)):
        cv = inputs.whole_number("cv", cv, 2)
        if counts.min() < cv:
            raise ValueError(
                f"cv={cv} folds need {cv} examples of each class, but one class has "
                f"{counts.min()}; use fewer folds or leave that class out."
            )
        cv = StratifiedKFold(cv, shuffle=True, random_state=seed)
    return list(check_cv(cv, y, classifier=True).split(X, y))


def _members(members: Sequence[Any] | None, max_iter: int, seed: Any) -> list[tuple[str, Any]]:
    """Return estimators with unique names."""
    if members is None:
        # The general classifier with its defaults is the perceptron.
        members = [name for name in MEMBERS if name != "PerceptronClassifier"]
    if isinstance(members, str) or not len(members):
        raise ValueError("members must be a list of names or estimators, and not empty.")
    found: list[tuple[str, Any]] = []
    for given in members:
        if isinstance(given, str):
            if given not in MEMBERS:
                raise ValueError(f"{given!r} is not a member; choose from {', '.join(MEMBERS)}.")
            settings = {"max_iter": max_iter, "random_state": seed} | SETTINGS.get(given, {})
            found.append((given, MEMBERS[given](**settings)))
        elif hasattr(given, "fit") and not isinstance(given, type):
            name = type(given[-1] if isinstance(given, Pipeline) else given).__name__
            found.append((name, given))
        else:
            raise TypeError(f"{given!r} is neither the name of a member nor an estimator.")
    return _numbered(found)


def _numbered(found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Append a number to names that occur more than once."""
    names = [name for name, _ in found]
    seen: dict[str, int] = {}
    for place, (name, estimator) in enumerate(found):
        seen[name] = seen.get(name, 0) + 1
        if names.count(name) > 1:
            found[place] = f"{name} {seen[name]}", estimator
    return found


def _scaled(estimator: Any, sparse: bool) -> Any:
    if isinstance(estimator, Pipeline):
        return estimator
    # Sparse data would not stay sparse if they were centred.
    return make_pipeline(MaxAbsScaler() if sparse else StandardScaler(), estimator)


# --- measuring --------------------------------------------------------------------------------


def _measure_all(
    named: list[tuple[str, Any]],
    data: _Examples,
    scale: bool,
    jobs: int | None,
    reporter: _ProgressReporter,
) -> list[Row]:
    """Cross-validate each member."""
    rows = []
    for name, estimator in named:
        whole = _scaled(estimator, sp.issparse(data.X)) if scale else estimator
        rows.append(_measure(name, whole, data, jobs))
        reporter.report(rows[-1])
    return rows


def _measure(name: str, estimator: Any, data: _Examples, jobs: int | None) -> Row:
    """Cross-validate one member; a failure is noted, not raised."""
    X, y, folds = data.X, data.y, data.folds
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the table shows it
            _warm_up(estimator, X, y, folds[0][0])
            found = _map_folds(partial(_fold, estimator, X, y), folds, jobs)
    except Exception as error:
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        return Row(name, estimator, np.zeros(0), note=f"failed: {reason}")
    errors, train, updates, seconds, lower, upper, separated = map(
        np.array, zip(*found, strict=True)
    )
    row = Row(
        name,
        estimator,
        errors,
        float(train.mean()),
        float(updates.mean()),
        float(seconds.mean()),
        (float(lower.min()), float(upper.max())),
        int(separated.sum()),
    )
    return replace(row, note="; ".join(_notes(row, data)))


def _notes(row: Row, data: _Examples) -> list[str]:
    """Return what to know before trusting a result."""
    folds, train = len(data.folds), data.folds[0][0]
    room = row.spread / sqrt(folds) if folds > 1 else 0.0
    notes = [POOR] if row.error >= data.chance - room else []
    learned = len(_training_part(row.estimator, data.y, train))
    if learned < len(train):
        notes.append(f"learned from {learned:,} examples of each fold")
    return notes


def _warn_if_poor(board: Leaderboard, scale: bool) -> None:
    """Warn of members that are no better than predicting the most frequent class."""
    poor = [row.name for row in board.rows if POOR in row.note]
    if poor:
        warnings.warn(
            f"{', '.join(poor)}: no better than always predicting the most frequent class (error "
            f"{percent(board.chance)}); {'raise max_iter' if scale else 'scale the features'}, "
            "balance the classes with class_weight, or find more informative features.",
            stacklevel=3,
        )


def _fold(estimator: Any, X: Any, y: Array, fold: tuple[Array, Array]) -> tuple[float, ...]:
    """Fit on one fold; return errors, updates, seconds, margin bracket and separation."""
    train, test = fold
    model, train = clone(estimator), _training_part(estimator, y, train)
    X_train, y_train = X[train], y[train]
    began = time.perf_counter()
    model.fit(X_train, y_train)
    seconds = time.perf_counter() - began
    wrong, left = (float(np.mean(model.predict(A) != b)) for A, b in
                   ((X[test], y[test]), (X_train, y_train)))  # fmt: skip
    last = model[-1] if isinstance(model, Pipeline) else model
    lower, upper = getattr(last, "margin_bracket_", (-inf, inf))
    updates = getattr(last, "n_updates_", nan)
    separated = getattr(last, "converged_", False) or lower > 0  # the latter after some pass
    return wrong, left, float(updates), seconds, lower, upper, float(separated)


def _training_part(estimator: Any, y: Array, train: Array) -> Array:
    """Return the examples to train on: a sample if the time grows with their square."""
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    most = len(train)
    if isinstance(last, PerceptronClassifier) and orders.picks(last.visiting_order()):
        most = MOST_GREEDY
    elif isinstance(last, KernelPerceptron):
        most = MOST_KERNEL
    if len(train) <= most:
        return train
    few, _ = train_test_split(train, train_size=most, stratify=y[train], random_state=0)
    return np.sort(few)


def _map_folds(one: Callable[[Any], Any], folds: Any, jobs: int | None) -> list[Any]:
    if jobs in (None, 1):
        return [one(fold) for fold in folds]
    with ThreadPoolExecutor(os.cpu_count() if jobs < 0 else jobs) as pool:
        return list(pool.map(one, folds))


def _warm_up(estimator: Any, X: Any, y: Array, rows: Array) -> None:
    """Fit to a few examples, so that loading compiled code is not timed."""
    few = np.concatenate([rows[y[rows] == label][:3] for label in np.unique(y[rows])])
    clone(estimator).fit(X[few], y[few])


def _guess(train: Array, test: Array) -> float:
    """Return the held-out error of predicting the most frequent training label."""
    return float(np.mean(test != np.bincount(train).argmax()))


class _ProgressReporter:
    """Prints each member on stderr once the comparison takes long."""

    def __init__(self, wanted: bool, total: int) -> None:
        self.wanted, self.total, self.began = wanted, total, time.perf_counter()
        self.lines: list[str] = []
        self.printed = 0

    def report(self, row: Row) -> None:
        """Report that a member is done."""
        seconds = time.perf_counter() - self.began
        result = row.note if row.failed else f"error {percent(row.error)}"
        place = f"{len(self.lines) + 1} of {self.total}"
        self.lines.append(f"compare: {place} · {row.name} · {result} · {seconds:.1f} s")
        if self.wanted and seconds > QUIET_SECONDS:
            print("\n".join(self.lines[self.printed :]), file=sys.stderr, flush=True)
            self.printed = len(self.lines)
