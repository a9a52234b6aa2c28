"""The actions of the lab's server: thin calls of the library, with limits."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from rosenblatt.data import TOYS
from rosenblatt.engine import inputs
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.run import Run
from rosenblatt.engine.trainer import Trainer
from rosenblatt.lab import schema
from rosenblatt.lab.registry import SECONDS, UPDATES, estimator, registry
from rosenblatt.proofs.search import certify
from rosenblatt.storage.json_values import plain
from rosenblatt.storage.replay import Samples, run_document
from rosenblatt.theory import rules
from rosenblatt.theory.spaces import Array

CERTIFY_SECONDS = 5.0
MAX_PASSES = 2000
"""Maximum number of passes over one order."""


def list_choices(_: None) -> schema.Registry:
    """Return the algorithms, readouts and generators with their parameters."""
    return registry()


def default_run(drawn: schema.Drawn | None = None) -> schema.Document:
    """Return the run that the lab shows first, on the given points or on a toy set."""
    drawn = drawn or draw_toy_set(schema.DataRequest(generator="halfplanes"))
    table = schema.Table(points=drawn.points, labels=drawn.labels)
    return learn(schema.RunRequest(data=table, algorithm="Perceptron"))


def draw_toy_set(request: schema.DataRequest) -> schema.Drawn:
    """Draw a toy set."""
    if request.generator not in TOYS:
        raise ValueError(
            f"{request.generator!r} is not a generator; choose one of {', '.join(TOYS)}."
        )
    toy = TOYS[request.generator].make(seed=request.seed, **request.parameters)
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
    limit, samples = Limit(), Samples()
    clf.fit(X, y, **options, observers=[limit, samples])
    made = run_document(clf, X, y, samples)
    made["cut"] = limit.reason
    return schema.Document.model_validate(made)


def certify_points(request: schema.CertifyRequest) -> schema.Verdict:
    """Prove that points are separable, or that they are not."""
    X, y = _arrays(request.data)
    found = certify(
        X,
        y,
        fit_intercept=request.fit_intercept,
        intercept_scaling=request.intercept_scaling,
        time_limit=CERTIFY_SECONDS,
    )
    weights = found.weights
    fields = {
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
    return schema.Verdict.model_validate(plain(fields))


def run_orders(request: schema.OrdersRequest) -> schema.Orders:
    """Count the perceptron's updates over many orders of two classes, and bound them."""
    X, y = _arrays(request.data)
    classes = np.unique(y)
    if len(classes) != 2:
        raise ValueError(f"there are {len(classes)} classes; the mistake bound is for two.")
    proved = certify_points(schema.CertifyRequest(**request.model_dump(exclude={"orders", "seed"})))
    bias = request.intercept_scaling if request.fit_intercept else 0.0
    space, signs = inputs.binary_space(X, bias), inputs.signs(y, classes[1])
    updates, converged, deadline = [], [], time.monotonic() + SECONDS
    for seed in range(request.seed, request.seed + request.orders):
        run = Run(rules.Plain(), space, signs, rng=seed, keep=0)
        for _ in run.passing(MAX_PASSES):
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


def _arrays(data: schema.Table) -> tuple[Array, Array]:
    return np.array(data.points, float), np.array(data.labels)


def _bound(updates: int | None) -> float | None:
    """Return an integer as a float; None if it is too large for one."""
    return None if updates is None or updates > 1e300 else float(updates)


def _rows(weights: Array) -> list[list[float]]:
    return [[float(w) for w in row] for row in np.atleast_2d(weights)]


class Limit(Observer):
    """Ends learning after a pass when the time or the updates of a run are used up."""

    def __init__(self) -> None:
        self.deadline = time.monotonic() + SECONDS
        self.reason: str | None = None

    def on_pass(self, trainer: Trainer) -> bool:
        assert trainer.runs is not None
        updates, late = trainer.runs.updates, time.monotonic() > self.deadline
        if late or updates >= UPDATES:
            what = f"{SECONDS:g} seconds" if late else f"{updates:,} updates"
            self.reason = f"cut off after {what}: the limit of one run in the lab."
        return self.reason is not None
