"""The family side by side on a user's data: the same folds for all."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
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

QUIET = 2.0  # seconds before progress is told
FEW = 2_048  # examples at most for a member that looks at all of them before every step,
SOME = 8_192  # and for one that compares every example with a good part of the others
POOR = "no better than chance"
SETTINGS: dict[str, dict[str, Any]] = {
    "AdaTron": {"C": 1.0},
    "MaxOver": {"multiclass": "ovr"},
    "MinOver": {"multiclass": "ovr"},
    "VotedPerceptron": {"max_iter": 1},
}
"""Where a member departs from the common settings: without a bound AdaTron's weights grow for ever
on most real data; one class against the rest lets a member that picks its examples keep their inner
products; and a vote takes as long to predict as it has updates, so one pass must do."""


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

    The differences are uncertain by about the spread, and the best of many looks better than it
    is: measure the winner anew on examples that took no part.

    Parameters
    ----------
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        Examples.
    y : array of shape (n_samples,)
        Their labels.
    cv : int, splitter or iterable of (train, test), default=5
        Folds; a number stands for so many shuffled ones with the classes in proportion.
    members : list of names and estimators, optional
        What to compare: names of estimators of this package, with common settings, or any
        classifiers as they are. All members by default.
    scale : bool, default=True
        Standardise the features on each training part; those of sparse data are divided by their
        largest size. A pipeline that is given is left as it is.
    max_iter : int, default=20
        Passes at most, of members given by name; a vote makes one only, to predict in good time.
        A member whose time grows with the square of the examples learns from some of them: one
        that looks at all before every step from 2,048, one with a kernel from 8,192.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds and of members given by name.
    n_jobs : int, default=None
        Folds to fit at a time, in threads; -1 for one a processor.
    progress : bool, default=True
        Tell on stderr of each member, if all takes longer than two seconds.

    Returns
    -------
    Leaderboard

    Examples
    --------
    >>> from rosenblatt import compare
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> board = compare(X, y == 0, members=["Perceptron", "AveragedPerceptron"])
    >>> [row.error for row in board.rows]
    [0.0, 0.0]
    >>> clf = board.best.fit(X, y == 0)
    """
    inputs.whole_number("max_iter", max_iter, 1)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    y = column_or_1d(np.asarray(y), warn=True)
    check_consistent_length(X, y)
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(labels) < 2:
        raise ValueError(f"y holds one class only, {labels.tolist()}; there is nothing to compare.")
    folds = _folds(cv, X, y, counts, random_state)
    chance = float(np.mean([_guess(codes[train], codes[test]) for train, test in folds]))
    named = _members(members, max_iter, random_state)
    rows, teller = [], _Teller(progress, len(named))
    for name, estimator in named:
        whole = _scaled(estimator, sp.issparse(X)) if scale else estimator
        row = _measured(name, whole, X, y, folds, chance, n_jobs)
        rows.append(row)
        teller.tell(row)
    rows.sort(key=lambda row: (row.failed, row.error))
    poor = [row.name for row in rows if POOR in row.note]
    if poor:
        warnings.warn(
            f"{', '.join(poor)}: no better than always naming the most frequent class (error "
            f"{percent(chance)}); {'raise max_iter' if scale else 'scale the features'}, balance "
            "the classes with class_weight, or look for features that tell more.",
            stacklevel=2,
        )
    return Leaderboard(rows, chance, len(y), X.shape[1], len(labels), len(folds))


# --- what to compare, and on what -------------------------------------------------------------


def _folds(cv: Any, X: Any, y: Array, counts: Array, seed: Any) -> list[tuple[Array, Array]]:
    if isinstance(cv, (int, np.integer)):
        cv = inputs.whole_number("cv", cv, 2)
        if counts.min() < cv:
            raise ValueError(
                f"cv={cv} folds need {cv} examples of each class, but one class has "
                f"{counts.min()}; take fewer folds or leave that class out."
            )
        cv = StratifiedKFold(cv, shuffle=True, random_state=seed)
    return list(check_cv(cv, y, classifier=True).split(X, y))


def _members(members: Sequence[Any] | None, max_iter: int, seed: Any) -> list[tuple[str, Any]]:
    """Estimators under names that tell them apart."""
    if members is None:
        # The general classifier, as it comes, is the perceptron.
        members = [name for name in MEMBERS if name != "PerceptronClassifier"]
    if isinstance(members, str) or not len(members):
        raise ValueError("members must be a list of names or estimators, and not empty.")
    found: list[tuple[str, Any]] = []
    for given in members:
        if isinstance(given, str):
            if given not in MEMBERS:
                raise ValueError(f"{given!r} is not a member; take some of {', '.join(MEMBERS)}.")
            settings = {"max_iter": max_iter, "random_state": seed} | SETTINGS.get(given, {})
            found.append((given, MEMBERS[given](**settings)))
        elif hasattr(given, "fit") and not isinstance(given, type):
            name = type(given[-1] if isinstance(given, Pipeline) else given).__name__
            found.append((name, given))
        else:
            raise TypeError(f"{given!r} is neither the name of a member nor an estimator.")
    names = [name for name, _ in found]
    twice = {name for name in names if names.count(name) > 1}
    seen: dict[str, int] = {}
    for place, (name, estimator) in enumerate(found):
        seen[name] = seen.get(name, 0) + 1
        if name in twice:
            found[place] = f"{name} {seen[name]}", estimator
    return found


def _scaled(estimator: Any, sparse: bool) -> Any:
    if isinstance(estimator, Pipeline):
        return estimator
    # Centred sparse data would not be sparse any more.
    return make_pipeline(MaxAbsScaler() if sparse else StandardScaler(), estimator)


# --- measuring --------------------------------------------------------------------------------


def _measured(
    name: str, estimator: Any, X: Any, y: Array, folds: Any, chance: float, jobs: int | None
) -> Row:
    """One member on all folds, or the reason why that cannot be."""
    one = partial(_fold, estimator, X, y)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # ordinary here; the table tells
            _warm(estimator, X, y, folds[0][0])
            found = _each(one, folds, jobs)
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
    room = row.spread / sqrt(len(folds)) if len(folds) > 1 else 0.0
    notes = [POOR] if row.error >= chance - room else []
    learned = len(_learned(estimator, y, folds[0][0]))
    if learned < len(folds[0][0]):
        notes.append(f"learned from {learned:,} examples of each fold")
    return Row(**{**row.__dict__, "note": "; ".join(notes)})


def _fold(estimator: Any, X: Any, y: Array, fold: tuple[Array, Array]) -> tuple[float, ...]:
    train, test = fold
    model, train = clone(estimator), _learned(estimator, y, train)
    X_train, y_train = X[train], y[train]
    began = time.perf_counter()
    model.fit(X_train, y_train)
    seconds = time.perf_counter() - began
    wrong, left = (float(np.mean(model.predict(A) != b)) for A, b in
                   ((X[test], y[test]), (X_train, y_train)))  # fmt: skip
    last = model[-1] if isinstance(model, Pipeline) else model
    lower, upper = getattr(last, "margin_bracket_", (-inf, inf))
    updates = getattr(last, "n_updates_", nan)
    separated = getattr(last, "converged_", False) or lower > 0  # by the hypothesis of some pass
    return wrong, left, float(updates), seconds, lower, upper, float(separated)


def _learned(estimator: Any, y: Array, train: Array) -> Array:
    """The examples to learn from: all, but for a member whose time grows with their square."""
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    most = len(train)
    if isinstance(last, PerceptronClassifier) and orders.picks(last.visiting_order()):
        most = FEW
    elif isinstance(last, KernelPerceptron):
        most = SOME
    if len(train) <= most:
        return train
    few, _ = train_test_split(train, train_size=most, stratify=y[train], random_state=0)
    return np.sort(few)


def _each(one: Callable[[Any], Any], folds: Any, jobs: int | None) -> list[Any]:
    if jobs in (None, 1):
        return [one(fold) for fold in folds]
    with ThreadPoolExecutor(os.cpu_count() if jobs < 0 else jobs) as pool:
        return list(pool.map(one, folds))


def _warm(estimator: Any, X: Any, y: Array, rows: Array) -> None:
    """Fit to a few examples first: loading compiled code is no part of a fit's time."""
    few = np.concatenate([rows[y[rows] == label][:3] for label in np.unique(y[rows])])
    clone(estimator).fit(X[few], y[few])


def _guess(train: Array, test: Array) -> float:
    """Held-out error of the most frequent training label."""
    return float(np.mean(test != np.bincount(train).argmax()))


class _Teller:
    """Says on stderr how far the comparison is, once it has taken long enough to wonder."""

    def __init__(self, wanted: bool, total: int) -> None:
        self.wanted, self.total, self.began = wanted, total, time.perf_counter()
        self.lines: list[str] = []
        self.told = 0

    def tell(self, row: Row) -> None:
        """One member is done."""
        so_far = time.perf_counter() - self.began
        result = row.note if row.failed else f"error {percent(row.error)}"
        place = f"{len(self.lines) + 1} of {self.total}"
        self.lines.append(f"compare: {place} · {row.name} · {result} · {so_far:.1f} s")
        if self.wanted and so_far > QUIET:
            print("\n".join(self.lines[self.told :]), file=sys.stderr, flush=True)
            self.told = len(self.lines)
