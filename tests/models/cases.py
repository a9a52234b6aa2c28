"""Runs made up at random, with every hypothesis written out as a vector of weights."""

from __future__ import annotations

import numpy as np

from rosenblatt.models import History, Linear, VotedRuns
from rosenblatt.theory.journal import Updates
from rosenblatt.theory.similarity import Similarity

BIAS = 0.5


def numbers(rng, *shape):
    """Small whole numbers, so that sums are exact in any order."""
    return rng.integers(-3, 4, shape).astype(float)


def updates(rng, count, supports, scaled=False, classes=1, codes=None):
    """Updates at rising visits; rivals differ from the own class."""
    rivals = np.zeros(count, np.int32)
    if classes > 1:
        rivals = ((codes + rng.integers(1, classes, count)) % classes).astype(np.int32)
    return Updates(
        np.sort(rng.choice(5 * count, count, replace=False)),
        rng.integers(0, supports, count),
        rivals,
        rng.integers(1, 3, count).astype(float),
        rng.choice([1.0, 0.5, 2.0], count) if scaled else np.ones(count),
    )


def voted(seed, classes=1, scaled=False, count=12, supports=5, features=3, **options):
    """A linear run with all its hypotheses."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, count) if classes > 1 else rng.choice([-1, 1], count)
    start = Linear(numbers(rng, classes, features), numbers(rng, classes))
    history = History(
        updates(rng, count, supports, scaled, classes, codes),
        codes,
        rng.integers(0, 4, count + 1),
        rng.integers(0, 3, count + 1).astype(float),
        start,
    )
    similarity = Similarity("linear", constant=BIAS * BIAS)
    return VotedRuns(similarity, numbers(rng, supports, features), [history], **options)


def hypotheses(runs):
    """All hypotheses of one linear run by definition: weights, and the intercept last."""
    (history,) = runs.histories
    W = np.column_stack([history.start.coef, history.start.intercept])
    out = [W.copy()]
    for (_, i, r, a, c), code in zip(
        zip(*history.updates, strict=True), history.codes, strict=True
    ):
        x = np.append(runs.supports[i], BIAS * BIAS)
        W = c * W
        if len(W) == 1:
            W[0] += a * code * x
        else:
            W[code] += a * x
            W[r] -= a * x
        out.append(W.copy())
    return out


def all_scores(runs, X):
    """Scores under each hypothesis by definition: hypotheses, examples, outputs."""
    return np.array([X @ W[:, :-1].T + W[:, -1] for W in hypotheses(runs)])
