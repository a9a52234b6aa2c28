"""The lab in a notebook: a run as a figure, whose moment Python reads and sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_consistent_length, column_or_1d

from rosenblatt.data.extras import extra
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.storage.replay import Samples, dense, journal_document, replayed, run_document
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.spaces import Array

if TYPE_CHECKING:
    from rosenblatt.lab.widget import Figure


def watch(shown: Any, X: Any, y: Any) -> Figure:
    """Show how an estimator learned, update by update, in a notebook.

    Parameters
    ----------
    shown : classifier of this package or Journal
        A fitted estimator is shown with the updates that it kept; of one that is not fitted a clone
        is; a journal is shown as it is.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        The examples of the run, in their order; the plane shows the first two features.
    y : array of shape (n_samples,)
        Their labels.

    Returns
    -------
    Figure
        A widget with the traits `step`, the updates made in what is shown, and `point`, the number
        of the selected example or None. Setting them moves the figure; playing, stepping and
        selecting in the figure sets them. Where widgets cannot be shown, it is a figure without
        them, which plays all the same.

    Examples
    --------
    >>> import rosenblatt as rb
    >>> toy = rb.data.TOYS["halfplanes"].make(n=30, seed=7)
    >>> view = rb.watch(rb.Perceptron(random_state=0), toy.X, toy.y)
    >>> view.step = 3  # the figure moves
    >>> view
    <Figure of Perceptron: 3 of 4 updates>
    """
    with extra("notebook", "the lab in a notebook"):
        from rosenblatt.lab.widget import Figure
    from rosenblatt.lab import schema
    from rosenblatt.lab.export import run_opening

    y = column_or_1d(np.asarray(y), warn=True)
    if isinstance(shown, Journal):
        document = _journal(shown, dense(X), y)
    elif isinstance(shown, PerceptronClassifier):
        fitted = hasattr(shown, "outcome_")
        document = _kept(shown, X, y) if fitted else _learned(clone(shown), X, y)
    else:
        raise TypeError(
            f"watch shows a classifier of this package or a Journal, not {type(shown).__name__}; "
            "of a pipeline, give its last step and transformed data."
        )
    return Figure(run_opening(schema.Document.model_validate(document)))


def _checked(X: Array, y: Array) -> None:
    """Reject what the lab has no room for."""
    from rosenblatt.lab import schema

    check_consistent_length(X, y)
    classes = len(np.unique(y))
    for number, most, what in (
        (len(X), schema.POINTS, "examples"),
        (X.shape[1], schema.FEATURES, "features"),
        (classes, schema.CLASSES, "classes"),
    ):
        if number > most:
            raise ValueError(
                f"there are {number:,} {what}; the lab shows at most {most:,}: give a part of the "
                "data, with an estimator that is not fitted."
            )
    if classes < 2:
        raise ValueError("all labels are the same; a run has at least two classes.")


def _learned(clf: Any, X: Any, y: Array) -> dict[str, Any]:
    """Return the document of a fit, which ends at the limits of the lab."""
    from rosenblatt.lab.actions import Limit
    from rosenblatt.lab.registry import UPDATES

    _checked(dense(X), y)
    limit, samples = Limit(), Samples()
    clf.set_params(journal_size=4 * UPDATES).fit(X, y, observers=[limit, samples])
    _same_labels(_journals(clf), y, clf.classes_)
    made = run_document(clf, X, y, samples)
    made["cut"] = limit.reason
    return made


def _kept(clf: Any, X: Any, y: Array) -> dict[str, Any]:
    """Return the document of what a fitted estimator kept."""
    journals = _journals(clf)
    checked = dense(clf.check_rows(X))
    _checked(checked, y)
    _same_labels(journals, y, clf.classes_)
    samples = Samples()
    samples.runs = {n: replayed(journal, checked) for n, journal in enumerate(journals)}
    return run_document(clf, X, y, samples)


def _journal(journal: Journal, X: Array, y: Array) -> dict[str, Any]:
    """Return the document of a journal."""
    _checked(X, y)
    _same_labels([journal], y, np.unique(y))
    return journal_document(journal, X, y)


def _journals(clf: Any) -> list[Journal]:
    """Return the journals of a fitted estimator, one for each of its runs."""
    found = getattr(clf, "journal_", None)
    if found is None:
        raise ValueError(
            f"this {type(clf).__name__} has no journal_ to watch: it was learned in parts, or read "
            "from a file without it; give an estimator that is not fitted."
        )
    return found if isinstance(found, list) else [found]


def _same_labels(journals: list[Journal], y: Array, classes: Array) -> None:
    """Reject labels that are not those of the run."""
    own = np.searchsorted(classes, y)
    for number, journal in enumerate(journals):
        if len(journal.start) > 1:
            expected = own
        else:
            positive = 1 if len(classes) == 2 else number
            expected = np.where(own == positive, 1, -1)
        if not np.array_equal(journal.labels, expected):
            raise ValueError(
                f"y has {len(y):,} labels that are not those of the run on "
                f"{len(journal.labels):,} examples; give X and y as they were in the fit, in the "
                "same order, and fit without early stopping, which holds out a part of them."
            )
