"""Draw cases: any estimator with any options, on any small data set.

Everything is drawn from one `random.Random`, so that a number repeats a case, and so that
Hypothesis, which can stand in for it, finds a simple one among those that fail.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from rosenblatt import BUDGETS, ORDERS, READOUTS, RULES
from rosenblatt.estimators import MEMBERS
from tests.laws.claims.case import Case
from tests.laws.claims.own_rules import OWN

SCHEMES = ("max", "uniform", "proportional", "projection")
SECOND = ("AROW", "NHERD", "SCW", "ConfidenceWeighted", "SecondOrderPerceptron")
Numbers = Callable[[], float]


def draw(rng: Random, name: str = "") -> Case:
    """A case of some estimator, or of the one named."""
    name = name or rng.choice(sorted(MEMBERS))
    classes = rng.choice((2, 2, 2, 2, 3, 3, 4))
    n = rng.randint(max(2, classes), 8)
    d = rng.choice((1, 1, 2, 2, 2, 3, 3, 4, 12, 40))
    dtype = rng.choice(("float64", "float64", "float64", "float32", "float32", "int64"))
    if dtype == "float32" and rng.random() < 0.1:
        d, n = 150, min(n, 5)  # rows so long that a copy of the weights in single precision is used
    table = _table(rng, n, d, dtype)
    labels = _labels(rng, table, classes)
    table, labels = _repeated(rng, table, labels)
    way = rng.choice(("fit",) * 7 + ("warm", "stream", "fit+stream"))
    case = Case(
        name,
        _options(rng, name, len(labels), classes),
        table,
        labels,
        dtype,
        sparse=rng.random() < 0.25,
        weights=_weights(rng, len(labels)),
        start=_start(rng, classes, d, way),
        way=way,
    )
    if name == "KernelPerceptron":
        case = _kernel_case(rng, case)
    return _cut(rng, case)


# --- data ---------------------------------------------------------------------------------------


def _table(rng: Random, n: int, d: int, dtype: str) -> list[list[float]]:
    """Numbers of one kind or another, some columns and rows with something odd."""
    whole = dtype == "int64"
    far = 10 ** rng.randint(3, 9)
    kinds: dict[str, Numbers] = {
        "whole": lambda: rng.randint(-3, 3),
        "near": lambda: far + rng.randint(0, 3),
    }
    if not whole:
        kinds["quarters"] = lambda: rng.randint(-8, 8) / 4
        kinds["tenths"] = lambda: rng.randint(-30, 30) / 10
        kinds["real"] = lambda: rng.uniform(-1, 1)
    kind = rng.choice([k for k in kinds for _ in range(1 if k == "near" else 4)])
    rows = [[float(kinds[kind]()) for _ in range(d)] for _ in range(n)]
    for j in range(d):
        if rng.random() < 0.06:
            constant = float(10 ** rng.randint(0, 6))
            for row in rows:
                row[j] = constant
    if rng.random() < 0.1:
        rows[rng.randrange(n)] = [0.0] * d
    return rows if whole else _scaled(rng, rows, dtype)


def _scaled(rng: Random, rows: list[list[float]], dtype: str) -> list[list[float]]:
    """The table, or one column of it, times a power of ten."""
    if rng.random() < 0.7:
        return rows
    reach = 300 if dtype == "float64" else 37
    exponent = rng.choice((rng.randint(-reach, reach), rng.randint(-10, 10), rng.randint(-10, 10)))
    columns = range(len(rows[0]))
    if rng.random() < 0.4:
        columns = range(rng.choice(columns), len(rows[0]))
    factor = 10.0**exponent
    table = [[v * factor if j in columns else v for j, v in enumerate(row)] for row in rows]
    with np.errstate(over="ignore"):
        fine = np.isfinite(np.array(table, dtype)).all()
    return table if fine else rows


def _labels(rng: Random, table: list[list[float]], classes: int) -> list[int]:
    """Labels at random, or by a linear rule; every class is there."""
    n, d = len(table), len(table[0])
    if rng.random() < 0.4:
        labels = [rng.randrange(classes) for _ in range(n)]
    else:
        size = max(abs(v) for row in table for v in row) or 1.0
        X = np.array(table) / size
        centre = X.mean(axis=0) if rng.random() < 0.7 else 0.0
        W = np.array([[rng.uniform(-1, 1) for _ in range(d)] for _ in range(classes)])
        labels = np.argmax((X - centre) @ W.T, axis=1).tolist()
    places = rng.sample(range(n), classes) if len(set(labels)) < classes else []
    for label, place in enumerate(places):
        labels[place] = label
    return labels


def _repeated(
    rng: Random, table: list[list[float]], labels: list[int]
) -> tuple[list[list[float]], list[int]]:
    """Some example once more, perhaps with another label."""
    if rng.random() < 0.8:
        return table, labels
    i = rng.randrange(len(labels))
    label = labels[i] if rng.random() < 0.6 else rng.choice(labels)
    return [*table, list(table[i])], [*labels, label]


def _weights(rng: Random, n: int) -> list[float] | None:
    if rng.random() < 0.87:
        return None
    return [rng.choice((0.0, 0.5, 1.0, 1.0, 2.0, 3.0, 0.1, 1e-3)) for _ in range(n)]


def _start(rng: Random, classes: int, d: int, way: str) -> Any:
    """Weights to begin with: ordinary, long, or so short that their squares are 0."""
    if way == "stream" or rng.random() < 0.88:
        return None
    rows = 1 if classes == 2 else classes
    size = rng.choice((1.0, 1.0, 1.0, 100.0, 1e-3, 1e-200, 0.0))
    coef = [[size * rng.randint(-3, 3) for _ in range(d)] for _ in range(rows)]
    intercept = [size * rng.randint(-3, 3) for _ in range(rows)] if rng.random() < 0.5 else None
    return coef, intercept


def _cut(rng: Random, case: Case) -> Case:
    """The parts of a stream, and the classes that `partial_fit` is given."""
    if case.way not in ("stream", "fit+stream"):
        return case
    n = len(case.labels)
    cuts = sorted(rng.sample(range(1, n), min(rng.randint(1, 2), n - 1)))
    announce = sorted(set(case.labels)) if rng.random() < 0.8 else None
    return Case(**{**vars(case), "cuts": cuts, "announce": announce})


# --- options ------------------------------------------------------------------------------------


def _maybe(rng: Random, chance: float, name: str, *choices: Any) -> dict[str, Any]:
    return {name: rng.choice(choices)} if rng.random() < chance else {}


def _options(rng: Random, name: str, n: int, classes: int) -> dict[str, Any]:
    """Options of one estimator; those left out keep their defaults."""
    options = SPECIAL.get(name, lambda rng: {})(rng)
    options["max_iter"] = rng.choice((1, 2, 3, 5, 8, 12, 30))
    options["random_state"] = rng.randint(0, 9)
    options |= _maybe(rng, 0.3, "shuffle", False)
    options |= _order(rng, n, name)
    options |= _maybe(rng, 0.25, "fit_intercept", False)
    options |= _maybe(rng, 0.25, "intercept_scaling", 1e-6, 1e-3, 0.1, 0.3, 10.0, 1e3, 1e6)
    if name != "KernelPerceptron":
        options |= _maybe(rng, 0.08, "threshold", 0.5, -1.0, 3.0)
    options |= _maybe(rng, 0.08, "class_weight", "balanced", {0: 2.0, 1: 0.5})
    if classes > 2:
        options |= _maybe(rng, 0.6, "multiclass", "native", "ovr")
        options |= _maybe(rng, 0.4, "scheme", *SCHEMES)
    options |= _maybe(rng, 0.7, "count_errors", True)
    if name not in ("AdaTron", "PocketPerceptron"):
        options |= _maybe(rng, 0.3, "tol", None, 0.0, 3.0)
    options |= _maybe(rng, 0.05, "journal_size", 0, 1, 3)
    return options


def _order(rng: Random, n: int, name: str) -> dict[str, Any]:
    chance = rng.random()
    if chance < 0.45:
        return {}
    if chance < 0.88:
        return {"order": rng.choice(sorted(ORDERS))}
    return {"order": [rng.randrange(n) for _ in range(rng.randint(1, n + 3))]}


def _second(rng: Random) -> dict[str, Any]:
    return _maybe(rng, 0.4, "covariance", "full")


def _classifier(rng: Random) -> dict[str, Any]:
    rule = rng.choice([*sorted(RULES), *(f"own:{name}" for name in sorted(OWN) * 2)])
    return {"rule": rule, "readout": rng.choice(sorted(READOUTS))}


SPECIAL: dict[str, Callable[[Random], dict[str, Any]]] = {
    "PerceptronClassifier": _classifier,
    "Perceptron": lambda r: _maybe(r, 0.3, "eta0", 0.1, 3.0),
    "AveragedPerceptron": lambda r: _maybe(r, 0.3, "eta0", 0.1),
    "VotedPerceptron": lambda r: _maybe(r, 0.3, "eta0", 0.1),
    "PocketPerceptron": lambda r: _maybe(r, 0.3, "ratchet", False),
    "MarginPerceptron": lambda r: (
        _maybe(r, 0.7, "margin", 0.0, 0.1, 10.0, 50.0)
        | _maybe(r, 0.2, "negative_margin", 0.1, 5.0)
        | _maybe(r, 0.2, "eta0", 0.1, 2.0)
    ),
    "PassiveAggressive": lambda r: (
        _maybe(r, 0.7, "variant", "PA", "PA-II") | _maybe(r, 0.3, "C", 0.1, 10.0)
    ),
    "MIRA": lambda r: _maybe(r, 0.6, "margin", 0.1, 1.0, 50.0),
    "ROMMA": lambda r: _maybe(r, 0.6, "aggressive", True),
    "ALMA": lambda r: (
        _maybe(r, 0.6, "alpha", 0.1, 0.5, 1.0)
        | _maybe(r, 0.3, "p", 3.0, 6.0)
        | (_maybe(r, 0.7, "B", 8.0**0.5 / 0.9, 8.0**0.5 / 0.5))
    ),
    "Ballseptron": lambda r: _maybe(r, 0.6, "radius", 0.0, 0.01, 0.5, 2.0),
    "DynamicMarginPerceptron": lambda r: _maybe(r, 0.6, "eps", 0.3, 0.5, 0.9, 1.0),
    "MinOver": lambda r: _maybe(r, 0.7, "c", 0.0, 1.0, 5.0),
    "MaxOver": lambda r: (
        _maybe(r, 0.6, "algorithm", 1, 2)
        | _maybe(r, 0.3, "kappa", 0.1, -0.1)
        | _maybe(r, 0.3, "limit", 10.0, 100.0)
        | _maybe(r, 0.3, "normalise", False)
    ),
    "ThermalPerceptron": lambda r: (
        _maybe(r, 0.3, "temperature", 1.0, 100.0) | _maybe(r, 0.3, "annealing", False)
    ),
    "AdaTron": lambda r: (
        _maybe(r, 0.3, "eta0", 0.5, 1.5)
        | _maybe(r, 0.3, "C", 0.5, 10.0)
        | _maybe(r, 0.5, "gap", 0.1, 0.3)
    ),
    "BatchPerceptron": lambda r: (
        _maybe(r, 0.4, "method", "stochastic")
        | _maybe(r, 0.3, "learning_rate", "inverse", "sqrt")
        | _maybe(r, 0.2, "eta0", 0.1)
        | _maybe(r, 0.3, "readout", "averaged")
    ),
    "WinnowPerceptron": lambda r: (
        _maybe(r, 0.6, "p", "exponential", 2.0, 3.0, 10.0) | _maybe(r, 0.3, "eta0", 0.01, 1.0)
    ),
    "SecondOrderPerceptron": lambda r: _maybe(r, 0.3, "a", 0.1, 100.0) | _second(r),
    "ConfidenceWeighted": lambda r: _maybe(r, 0.4, "variant", "variance") | _second(r),
    "AROW": lambda r: _maybe(r, 0.3, "r", 0.1, 10.0) | _second(r),
    "SCW": lambda r: _maybe(r, 0.4, "variant", "II") | _maybe(r, 0.3, "C", 0.1, 10.0) | _second(r),
    "NHERD": lambda r: _maybe(r, 0.3, "C", 0.1, 10.0) | _second(r),
}


def _kernel_case(rng: Random, case: Case) -> Case:
    """The same data with a kernel, a rule, a readout and perhaps a budget."""
    kind = rng.choice(("linear", "poly", "rbf", "rbf", "sigmoid", "precomputed"))
    options = case.options | {"kernel": kind, "count_errors": rng.random() < 0.7}
    if kind in ("poly", "rbf", "sigmoid"):
        options["gamma"] = rng.choice((0.125, 0.5, 1.0, 0.1))
        options |= _maybe(rng, 0.5, "coef0", 0.0, -1.0, 0.5) if kind != "rbf" else {}
        options |= _maybe(rng, 0.5, "degree", 1, 2) if kind == "poly" else {}
    options |= _maybe(rng, 0.7, "readout", "last", "last", "voted", "pocket", "random")
    options |= _maybe(rng, 0.4, "rule", *sorted(RULES), *(f"own:{name}" for name in OWN))
    options |= _maybe(rng, 0.15, "normalise", True)
    options |= _maybe(rng, 0.2, "block_size", 1, 2)
    if rng.random() < 0.3:
        options |= {"budget": rng.randint(1, 4), "budget_policy": rng.choice(sorted(BUDGETS))}
        options |= {"readout": "last", "rule": "plain"}
    table, sparse = case.table, case.sparse
    if kind == "precomputed":
        table, sparse = _gram(rng, len(case.labels)), False
    start = case.start if rng.random() < 0.1 else None
    changes = {"options": options, "table": table, "sparse": sparse, "start": start}
    if kind == "precomputed":
        changes["dtype"] = "float64"
    return Case(**{**vars(case), **changes})


def _gram(rng: Random, n: int) -> list[list[float]]:
    """A kernel matrix of whole numbers; now and then one of no kernel."""
    d = rng.randint(1, 3)
    X = np.array([[rng.randint(-2, 2) for _ in range(d)] for _ in range(n)], float)
    K = X @ X.T + rng.choice((0.0, 1.0))
    if rng.random() < 0.3:
        noise = np.array([[rng.randint(-2, 2) for _ in range(n)] for _ in range(n)], float)
        K = K + noise + noise.T
    return K.tolist()
