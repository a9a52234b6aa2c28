"""Fits of every rule in every kind of space, as one process executes them.

python -m tests.laws.executions FILE [SPACE ...] writes journals and weights of the fits to a file.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import rosenblatt as rb
from rosenblatt.theory import rules
from rosenblatt.theory.budgets import BUDGETS
from rosenblatt.theory.rules import RULES

TABLES = {
    "dense64": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "sparse64": sp.csr_matrix,
    "sparse32": lambda X: sp.csr_matrix(X.astype(np.float32)),
}
SPACES = tuple(TABLES)
EXACT = ("plain", "margin", "uneven")  # whole steps
ORDERS = ("shuffled", "least")
OPTIONS: dict[str, Any] = {"max_iter": 3, "random_state": 0}


def data(classes: int, whole: bool = False) -> tuple[Any, Any]:
    """Return examples with noisy labels.

    Sums of whole numbers are exact in every order; with others, rounding decides no tie.
    """
    rng = np.random.default_rng(classes)
    X = rng.integers(-3, 4, (48, 6)).astype(float) if whole else rng.normal(size=(48, 6))
    scores = X @ rng.integers(-3, 4, (6, classes)) + rng.normal(0.0, 3.0, (48, classes))
    return X, scores.argmax(axis=1)


def sentences(whole: bool) -> tuple[Any, Any]:
    """Return sentences of tokens with features, and noisy labels."""
    rng = np.random.default_rng(7)
    lengths = rng.integers(1, 7, 30)
    labels = rng.integers(0, 9, int(lengths.sum()))
    values = rng.integers(-3, 4, (len(labels), 6)) if whole else rng.normal(size=(len(labels), 6))
    tokens = [{f"f{j}": float(v) for j, v in enumerate(row)} for row in values]
    ends = np.cumsum(lengths).tolist()
    places = list(zip([0, *ends], ends, strict=False))
    return [tokens[a:b] for a, b in places], [labels[a:b].tolist() for a, b in places]


def cases(spaces: tuple[str, ...]) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield the name of a fit, an estimator, and its data."""
    for classes in (2, 3):
        for space in spaces:
            for rule in RULES:
                X, y = data(classes, rule in EXACT)
                for order in ORDERS:
                    if (rule, order) == ("cw", "least"):
                        continue  # steps grow without bound, and rounding errors with them
                    name = f"{space} {classes} {rule} {order}"
                    yield name, _classifier(rule, order), TABLES[space](X), y
        X, y = data(classes)
        for rule in ("pa1", "mira"):
            kernel = rb.KernelPerceptron(rule=rule, kernel="poly", degree=2, **OPTIONS)
            yield f"kernel {classes} {rule}", kernel, X, y
    if spaces == SPACES:
        for rule in ("plain", "pa1", "mira"):
            for order in (1, 2):
                tagger = rb.SequencePerceptron(rule, order=order, **OPTIONS)
                yield f"sequences {rule} order {order}", tagger, *sentences(rule in EXACT)
    X, y = data(2)
    for policy in BUDGETS:
        kernel = rb.KernelPerceptron(
            kernel="poly", readout="last", budget=8, budget_policy=policy, **OPTIONS
        )  # fmt: skip
        yield f"budget {policy}", kernel, X, y


def _classifier(rule: str, order: str) -> Any:
    made = RULES[rule]()
    binary = rule == "winnow" or hasattr(made, "needs_dual") or rules.prior_variance(made) > 0
    multiclass = "ovr" if binary else "native"
    return rb.PerceptronClassifier(rule=rule, order=order, multiclass=multiclass, **OPTIONS)


def main(file: str, *spaces: str) -> None:
    """Fit and write."""
    made: dict[str, Any] = {}
    for name, estimator, X, y in cases(spaces or SPACES):
        estimator.fit(X, y)
        for number, journal in enumerate(np.atleast_1d(estimator.journal_)):
            updates = journal.updates
            made[f"{name}/{number}/visits"] = np.stack([updates.t, updates.i, updates.r])
            made[f"{name}/{number}/steps"] = np.stack([updates.a, updates.c])
        made[f"{name}/scores"] = estimator.decision_function(X)
    np.savez(file, **made)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*sys.argv[1:])
