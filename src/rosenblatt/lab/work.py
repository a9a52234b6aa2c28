"""What the lab's server does when it is asked: thin calls of the library, with limits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.toys import TOYS
from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.evaluation.held_out import holdout
from rosenblatt.lab import schema
from rosenblatt.lab.registry import SECONDS, UPDATES, estimator, registry
from rosenblatt.proofs.search.certify import certify
from rosenblatt.storage.replay import document, plain, watching
from rosenblatt.theory import rules
from rosenblatt.theory.spaces import Array

PROOF = 5.0  # seconds for a certificate
PASSES = 2000  # of one order, at most


def choices(asked: None) -> schema.Registry:
    """All that can be chosen."""
    return registry()


def default(drawn: schema.Drawn | None = None) -> schema.Document:
    """A run to begin with."""
    drawn = drawn or draw(schema.DataRequest(generator="halfplanes"))
    table = schema.Table(points=drawn.points, labels=drawn.labels)
    return learn(schema.RunRequest(data=table, algorithm="Perceptron"))


def draw(asked: schema.DataRequest) -> schema.Drawn:
    """A toy set."""
    if asked.generator not in TOYS:
        raise ValueError(f"{asked.generator!r} is no generator; take one of {', '.join(TOYS)}.")
    toy = TOYS[asked.generator].make(seed=asked.seed, **asked.parameters)
    return schema.Drawn(
        points=toy.X.tolist(),
        labels=toy.y.tolist(),
        margin=toy.margin,
        radius=toy.radius,
        separator=None if toy.separator is None else list(toy.separator),
        noise=toy.noise,
    )


def learn(asked: schema.RunRequest) -> schema.Document:
    """Run an algorithm; one that would take too long is cut off and says so."""
    X, y = _arrays(asked.data)
    clf = estimator(asked.algorithm, asked.parameters, asked.seed)
    options: dict[str, Any] = {}
    if isinstance(asked, schema.ContinueRequest):
        options = {
            "coef_init": np.array(asked.start.coef),
            "intercept_init": np.array(asked.start.intercept),
        }
    with _quiet(), _limited(clf) as reasons, watching(clf) as seen:
        clf.fit(X, y, **options)
    told = document(clf, X, y, seen)
    told["cut"] = reasons[0] if reasons else None
    return schema.Document.model_validate(told)


def decide(asked: schema.CertifyRequest) -> schema.Verdict:
    """A certificate."""
    X, y = _arrays(asked.data)
    found = certify(
        X,
        y,
        fit_intercept=asked.fit_intercept,
        intercept_scaling=asked.intercept_scaling,
        time_limit=PROOF,
    )
    weights = found.weights
    told = {
        "verdict": found.verdict,
        "statement": found.statement(),
        "margin": found.margin,
        "margin_bracket": list(found.margin_bracket),
        "radius": found.radius,
        "mistake_bound": _bound(found.mistake_bound),
        "weights": None if weights is None else _rows(weights),
        "intercept": None if weights is None else [float(b) for b in np.ravel(found.intercept)],
        "support": found.support,
        "rivals": found.rivals,
        "coefficients": [str(c) for c in found.coefficients],
        "shares": [float(c) for c in found.coefficients],
    }
    return schema.Verdict.model_validate(plain(told))


def many_orders(asked: schema.OrdersRequest) -> schema.Orders:
    """Updates of the perceptron over many orders of two classes, and what bounds them."""
    X, y = _arrays(asked.data)
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"there are {len(classes)} classes; the mistake bound is of two.")
    proved = decide(schema.CertifyRequest(**asked.model_dump(exclude={"orders", "seed"})))
    bias = asked.intercept_scaling if asked.fit_intercept else 0.0
    space, signs = inputs.binary_space(X, bias), inputs.signs(y, classes[1])
    updates, converged, deadline = [], [], time.monotonic() + SECONDS
    for seed in range(asked.seed, asked.seed + asked.orders):
        run = Run(rules.Plain(), space, signs, rng=seed, count_errors=False, keep=0)
        for _ in run.passing(PASSES):
            if run.n.k > UPDATES or time.monotonic() > deadline:
                break
        updates.append(run.n.k)
        converged.append(run.converged)
        if time.monotonic() > deadline:
            break
    return schema.Orders(
        updates=updates,
        converged=converged,
        bound=proved.mistake_bound,
        margin=proved.margin,
        radius=proved.radius,
    )


def measure(asked: schema.HoldoutRequest) -> schema.Curves:
    """Training error and error on other points, pass by pass."""
    X, y = _arrays(asked.data)
    T, z = _arrays(asked.test)
    if X.shape[1] != T.shape[1]:
        raise ValueError(
            f"the points to learn have {X.shape[1]} coordinates, the others {T.shape[1]}."
        )
    clf = estimator(asked.algorithm, asked.parameters, asked.seed)
    with _quiet():
        found = holdout(clf, X, y, X_test=T, y_test=z, passes=asked.passes)
    return schema.Curves(
        train=found.train_error.tolist(),
        test=found.test_error.tolist(),
        standard_error=found.standard_error.tolist(),
        best_pass=found.best_pass,
        summary=found.summary(),
    )


def _arrays(data: schema.Table) -> tuple[Array, Array]:
    return np.array(data.points, float), np.array(data.labels)


def _bound(updates: int | None) -> float | None:
    """A whole number as a float; None where there is none so large."""
    return None if updates is None or updates > 1e300 else float(updates)


def _rows(weights: Array) -> list[list[float]]:
    return [[float(w) for w in row] for row in np.atleast_2d(weights)]


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the document says as much
        yield


@contextmanager
def _limited(clf: Any) -> Iterator[list[str]]:
    """End learning after a pass when the time or the updates of a run are used up."""
    reasons: list[str] = []
    deadline, enough = time.monotonic() + SECONDS, clf._enough

    def stop(task: Any) -> bool:
        updates = sum(run.n.k for run in task.runs)
        late = time.monotonic() > deadline
        if late or updates >= UPDATES:
            what = f"{SECONDS:g} seconds" if late else f"{updates:,} updates"
            reasons.append(f"cut off after {what}: the lab asks for no more of one run.")
            return True
        return bool(enough(task))

    clf._enough = stop
    try:
        yield reasons
    finally:
        del clf._enough
