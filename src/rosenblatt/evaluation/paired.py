"""Differences between members that were measured on the same folds."""

from __future__ import annotations

from dataclasses import replace
from math import nan, sqrt

import numpy as np
from scipy.special import stdtr

from rosenblatt.evaluation.leaderboard import Row
from rosenblatt.theory.spaces import Array

LEVEL = 0.05
"""A difference that chance would produce less often than this counts as real."""


def with_differences(ranked: list[Row], share: float) -> list[Row]:
    """Return the rows, best first, each compared with the best.

    `share` is the number of held-out examples of a fold over that of its training examples.
    """
    if not ranked or ranked[0].failed:
        return ranked
    best, measured = ranked[0], [row for row in ranked if not row.failed]
    paired = [_with_difference(row, row.losses - best.losses, share) for row in measured]
    folds = len(best.losses)
    tied = _not_rejected([p_value(row.difference, row.standard_error, folds) for row in paired])
    compared = [replace(row, may_be_best=one) for row, one in zip(paired, tied, strict=True)]
    return compared + ranked[len(measured) :]


def _with_difference(row: Row, differences: Array, share: float) -> Row:
    spread = standard_error(differences, share)
    return replace(row, difference=float(differences.mean()), standard_error=spread)


def standard_error(differences: Array, share: float) -> float:
    """Return the standard error of a mean over folds that share training examples.

    That of independent folds would be too small; the correction is that of Nadeau & Bengio 2003.
    """
    if len(differences) < 2:
        return nan
    return sqrt((1.0 / len(differences) + share) * float(differences.var(ddof=1)))


def p_value(difference: float, error: float, folds: int) -> float:
    """Return how often chance alone gives such a difference, by Student's t with two tails."""
    if not error > 0:  # equal on all folds, or too few folds to tell
        return 1.0 if np.isnan(error) or difference == 0 else 0.0
    return float(2.0 * stdtr(folds - 1, -abs(difference) / error))


def _not_rejected(p_values: list[float]) -> list[bool]:
    """Return which members are not told from the best, by Holm's rule for many comparisons.

    The first is the best itself.
    """
    others = np.array(p_values[1:])
    order = np.argsort(others, kind="stable")
    limits = LEVEL / np.arange(len(others), 0, -1)
    rejected = np.cumprod(others[order] < limits).astype(bool)
    tied = np.ones(len(others), bool)
    tied[order[rejected]] = False
    return [True, *tied.tolist()]
