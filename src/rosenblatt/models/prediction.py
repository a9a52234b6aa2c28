"""Labels by a model: as its scores decide, with no more votes than that takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.models.combined import PerClass
from rosenblatt.models.decisions import labels
from rosenblatt.models.history import CUTS
from rosenblatt.models.voted import VotedRuns
from rosenblatt.theory.spaces import Array


def predicted(model: Any, X: Any, classes: Array) -> Array:
    """Return the label of each row, as the scores of the model decide."""
    members = model.members if isinstance(model, PerClass) else [model]
    voting = [one for one in members if isinstance(one, VotedRuns) and one.reading == "vote"]
    everyone = len(voting) == len(members)
    return labels(_enough_votes(voting, X) if everyone else model.scores(X), classes)


def _enough_votes(members: list[VotedRuns], X: Any) -> Array:
    """Return votes until the others cannot change the decision, those of the last visits first."""
    histories = [history for one in members for history in one.histories]
    visits = max(history.visits for history in histories)
    out = np.zeros((X.shape[0], sum(history.outputs for history in histories)))
    rows = np.arange(len(out))
    for part in range(len(CUTS) - 1, 0, -1):
        rest = X if len(rows) == len(out) else X[rows]
        out[rows] += np.hstack([one.votes(rest, part) for one in members])
        left = int(CUTS[part - 1] * visits)
        # In one run a visit is a vote for one class; with a run for each class it is a vote for or
        # against each.
        rows = rows[_lead(out[rows]) <= (left if len(histories) == 1 else 2 * left)]
        if not len(rows):
            break
    return out


def _lead(scores: Array) -> Array:
    """Return by how much the best score exceeds the next; of one, its distance from 0."""
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0])
    best = np.partition(scores, -2, axis=1)
    return np.asarray(best[:, -1] - best[:, -2])
