"""The digits, in fractions and in whole numbers, at once and in parts."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

X, Y = load_digits(return_X_y=True)
X = X / 16.0
WHOLE = np.rint(16 * X)
INTEGER = {"kernel": "poly", "degree": 2, "gamma": 1.0, "shuffle": False}


def in_parts(clf, rows, y, ends, **options):
    for start, stop in zip([0, *ends], [*ends, len(y)], strict=True):
        clf.partial_fit(rows[start:stop], y[start:stop], **options)
    return clf
