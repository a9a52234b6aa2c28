"""Cross-validation of the family on the same folds."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import inf, nan, sqrt
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedKFold, check_cv, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, column_or_1d

from rosenblatt.engine import inputs
from rosenblatt.engine.observers import Observer
from rosenblatt.estimators import MEMBERS, KernelPerceptron
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.evaluation.leaderboard import Leaderboard, Row, percent
from rosenblatt.evaluation.paired import with_differences
from rosenblatt.theory import orders
from rosenblatt.theory.spaces import Array

QUIET_SECONDS = 2.0
"""A comparison that takes less prints no progress."""
MOST_GREEDY = 2_048
"""Training examples of a member that looks at all of them before every step."""
MOST_KERNEL = 8_192
"""Training examples of a member with a kernel, which compares examples with each other."""
WATCHED = 2_048
"""Training examples from which on a fit is watched: passes over fewer take no time."""
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
    members: Sequence[Any] | Mapping[str, Any] | None = None,
    scoring: Any = None,
    scale: bool = True,
    max_iter: int = 20,
    time_limit: float | None = 60.0,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> Leaderboard:
    """Cross-validate members of the family on the same folds, and rank them by error.

    Each member is compared with the best on the folds that both had: `difference` and its standard
    error allow for folds that share training examples (Nadeau & Bengio 2003), and `may_be_best`
    marks those that the folds do not tell from the best. The best of many looks better than it is:
    measure it again on examples that took no part.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        Examples.
    y : array of shape (n_samples,)
        Their labels.
    cv : int, splitter or iterable of (train, test), default=5
        Folds; an int is the number of shuffled, stratified folds.
    members : list of names and estimators, or dict of them, optional
        Names of estimators of this package, with common settings, or any classifiers as they
        are; the keys of a dict are the names in the table. All estimators of this package by
        default.
    scoring : str or callable, optional
        What to rank by, as in scikit-learn: a name such as "balanced_accuracy", "f1_macro" or
        "roc_auc", or a function of estimator, X and y; greater is better. By default the error,
        the part of the held-out examples that are classified incorrectly.
    scale : bool, default=True
        Standardise the features on each training part; features of sparse data are divided by
        their largest absolute value. Pipelines are left as they are.
    max_iter : int, default=20
        Maximum number of passes of members given by name; a vote makes one. Greedy members are
        trained on 2,048 examples at most, members with a kernel on 8,192.
    time_limit : float or None, default=60
        Seconds for all folds of a member, after which it is stopped and listed without a result.
        Members of this package are stopped while they learn, others between two folds.
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
    data = _examples(X, y, cv, scoring, random_state)
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit={time_limit!r} must be a number of seconds above 0, or None.")
    reporter = _ProgressReporter(progress, len(named))
    board = data.leaderboard(_measure_all(named, data, scale, time_limit, n_jobs, reporter))
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
    scoring: Any = None  # what to rank by; None for the error

    def leaderboard(self, rows: list[Row]) -> Leaderboard:
        """Rank the results, and compare each with the best."""
        ranked = sorted(rows, key=lambda row: (row.failed, row.loss))
        share = float(np.mean([len(test) / len(train) for train, test in self.folds]))
        classes = len(np.unique(self.y))
        examples, features = self.X.shape
        return Leaderboard(
            with_differences(ranked, share), self.chance, examples, features, classes,
            len(self.folds), _name_of(self.scoring),
        )  # fmt: skip


def _name_of(scoring: Any) -> str | None:
    return scoring if scoring is None or isinstance(scoring, str) else "score"


def _examples(X: Any, y: Any, cv: Any, scoring: Any, seed: Any) -> _Examples:
    """Check the examples and split them into folds."""
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    y = column_or_1d(np.asarray(y), warn=True)
    check_consistent_length(X, y)
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(labels) < 2:
        raise ValueError(f"y holds one class only, {labels.tolist()}; there is nothing to compare.")
    folds = _folds(cv, X, y, counts, seed)
    chance = float(np.mean([_guess(codes[train], codes[test]) for train, test in folds]))
    return _Examples(X, y, folds, chance, scoring)


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


def _members(members: Any, max_iter: int, seed: Any) -> list[tuple[str, Any]]:
    """Return estimators with unique names."""
    if members is None:
        # The general classifier with its defaults is the perceptron.
        members = [name for name in MEMBERS if name != "PerceptronClassifier"]
    if isinstance(members, str) or not len(members):
        raise ValueError("members must be a list or dict of names or estimators, and not empty.")
    if isinstance(members, Mapping):
        return [(str(key), _member(one, max_iter, seed)[1]) for key, one in members.items()]
    return _numbered([_member(given, max_iter, seed) for given in members])


def _member(given: Any, max_iter: int, seed: Any) -> tuple[str, Any]:
    """Return the name and the estimator of one member."""
    if isinstance(given, str):
        if given not in MEMBERS:
            raise ValueError(f"{given!r} is not a member; choose from {', '.join(MEMBERS)}.")
        settings = {"max_iter": max_iter, "random_state": seed} | SETTINGS.get(given, {})
        return given, MEMBERS[given](**settings)
    if hasattr(given, "fit") and not isinstance(given, type):
        return type(_last(given)).__name__, given
    raise TypeError(f"{given!r} is neither the name of a member nor an estimator.")


def _last(estimator: Any) -> Any:
    """Return the estimator that learns, the last one of a pipeline."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


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
    seconds: float | None,
    jobs: int | None,
    reporter: _ProgressReporter,
) -> list[Row]:
    """Cross-validate each member."""
    rows = []
    for name, estimator in named:
        whole = _scaled(estimator, sp.issparse(data.X)) if scale else estimator
        rows.append(_measure(name, whole, data, _Deadline(seconds), jobs))
        reporter.report(rows[-1])
    return rows


def _measure(
    name: str, estimator: Any, data: _Examples, deadline: _Deadline, jobs: int | None
) -> Row:
    """Cross-validate one member; a failure is noted, not raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the table shows it
            _warm_up(estimator, data.X, data.y, data.folds[0][0])
            found = _map_folds(partial(_fold, estimator, data, deadline), data.folds, jobs)
    except _TimeUpError as error:
        return Row(name, estimator, np.zeros(0), note=f"stopped: {error}")
    except Exception as error:
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        return Row(name, estimator, np.zeros(0), note=f"failed: {reason}")
    errors, train, updates, seconds, lower, upper, separated, scores = map(
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
        scores=np.zeros(0) if data.scoring is None else scores,
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


def _fold(
    estimator: Any, data: _Examples, deadline: _Deadline, fold: tuple[Array, Array]
) -> tuple[float, ...]:
    """Fit on one fold; return errors, updates, seconds, margin bracket, separation and score."""
    deadline.check()
    X, y, (train, test) = data.X, data.y, fold
    model, train = clone(estimator), _training_part(estimator, y, train)
    X_train, y_train = X[train], y[train]
    watched = _watched(model, deadline) if len(train) > WATCHED else {}
    began = time.perf_counter()
    model.fit(X_train, y_train, **watched)
    seconds = time.perf_counter() - began
    wrong, left = (float(np.mean(model.predict(A) != b)) for A, b in
                   ((X[test], y[test]), (X_train, y_train)))  # fmt: skip
    score = 1.0 - wrong
    if data.scoring is not None:
        score = float(check_scoring(model, data.scoring)(model, X[test], y[test]))
    last = _last(model)
    lower, upper = getattr(last, "margin_bracket_", (-inf, inf))
    updates = getattr(last, "n_updates_", nan)
    separated = getattr(last, "converged_", False) or lower > 0  # the latter after some pass
    return wrong, left, float(updates), seconds, lower, upper, float(separated), score


class _TimeUpError(Exception):
    """A member has used up its time."""


class _Deadline(Observer):
    """Ends a fit that takes too long, wherever it is."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.end = inf if seconds is None else time.perf_counter() + seconds

    def check(self) -> None:
        """Raise an error if the time is up."""
        if time.perf_counter() > self.end:
            raise _TimeUpError(f"{self.seconds:g} s were not enough; raise time_limit")

    def on_chunk(self, run: Any, updates: Any) -> None:
        self.check()

    def on_part(self, trainer: Any) -> None:
        self.check()

    def on_pass(self, trainer: Any) -> bool:
        self.check()
        return False


def _watched(model: Any, deadline: _Deadline) -> dict[str, Any]:
    """Return the arguments of a fit that ends when the time is up."""
    if deadline.seconds is None or not isinstance(_last(model), PerceptronClassifier):
        return {}
    step = f"{model.steps[-1][0]}__" if isinstance(model, Pipeline) else ""
    return {f"{step}observers": [deadline]}


def _training_part(estimator: Any, y: Array, train: Array) -> Array:
    """Return the examples to train on: a sample if the time grows with their square."""
    last, most = _last(estimator), len(train)
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
        result = row.note if row.failed else row.result
        place = f"{len(self.lines) + 1} of {self.total}"
        self.lines.append(f"compare: {place} · {row.name} · {result} · {seconds:.1f} s")
        if self.wanted and seconds > QUIET_SECONDS:
            print("\n".join(self.lines[self.printed :]), file=sys.stderr, flush=True)
            self.printed = len(self.lines)
