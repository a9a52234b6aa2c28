"""Write what the library draws and learns, for the page's engine to equal: `python -m web.learned`.

The library runs as on a processor that cannot fuse a product with a sum, as WebAssembly cannot.
A case is a request as the page would make it, with the journal, the counts, the weights and the
scores that the library makes of it, or with the library's refusal.
"""

from __future__ import annotations

import json
import os
import platform
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from rosenblatt.data import TOYS
from rosenblatt.engine.execution import shipped
from rosenblatt.lab import schema
from rosenblatt.lab.actions import run_orders
from rosenblatt.lab.registry import estimator, registry
from rosenblatt.storage.json_values import plain
from rosenblatt.storage.replay import run_document
from rosenblatt.theory.budgets import BUDGETS
from rosenblatt.theory.orders import ORDERS, shuffle
from rosenblatt.theory.readouts import READOUTS
from rosenblatt.theory.rules import RULES
from rosenblatt.theory.spaces.rows import SCHEMES

TESTS = Path(__file__).parent / "tests"
SEEDS = (0, 1, 7, 12_345, 2**31 - 1, 2**32 - 1)
SIZES = (1, 2, 3, 14, 255, 600)
PASSES = 3
UNFUSED = "x86-64-v2"  # the level of processors without fused products and sums

# --- random numbers and orders --------------------------------------------------------------------


def drawn(seed: int) -> dict[str, Any]:
    """Return seeds, numbers and the visits of some passes, in every order."""
    state = check_random_state(seed)
    return {
        "seed": seed,
        "seeds": state.randint(2**31, size=700).tolist(),
        "moment": float(state.uniform()),
        "uniform": np.random.default_rng(seed).random(5).tolist(),
        "visits": {name: [_visits(name, seed, n) for n in SIZES] for name in ORDERS},
    }


def _visits(name: str, seed: int, examples: int) -> list[list[int]]:
    """Return the visits of some passes, with a number drawn after each pass."""
    rng = np.random.default_rng(seed)
    passes = []
    for _ in range(PASSES):
        passes.append(ORDERS[name].draw(examples, rng, shuffle).tolist())
        rng.random()
    return passes


# --- toy sets ---------------------------------------------------------------------------------


def toys() -> Iterator[dict[str, Any]]:
    """Yield sets of every generator, with its defaults and with other parameters."""
    for name, generator in TOYS.items():
        for seed in range(6):
            given = {} if seed < 2 else {p: _between(r, seed) for p, r in generator.ranges.items()}
            try:
                toy = generator.make(seed=seed, **given)
            except ValueError:
                continue
            drawn = plain(vars(toy))
            yield {"generator": name, "parameters": given, "seed": seed, "drawn": drawn}


def _between(limits: Any, seed: int) -> float:
    """Return a value of a parameter that changes with the seed."""
    share = (seed - 1) / 9
    value = limits.low + share * (min(limits.high, 150.0) - limits.low)
    return float(round(value)) if limits.is_integer else round(value, 3)


# --- runs -----------------------------------------------------------------------------------------

DATA = {
    "two": TOYS["halfplanes"].make(n=30, margin=0.05, seed=5),
    "noisy": TOYS["halfplanes"].make(n=40, margin=0.02, noise=0.15, seed=2),
    "three": TOYS["clouds"].make(n=30, spread=0.5, seed=2),
    "four": TOYS["clouds"].make(n=40, classes=4, spread=0.4, seed=3),
    "ring": TOYS["rings"].make(n=40, noise=0.1, seed=1),
}
PROBES = np.random.default_rng(0).uniform(-1.2, 1.2, (12, 2))

Case = tuple[str, str, dict[str, Any], Any]
"""An algorithm, the name of data, parameters, and weights to start from or None."""


def cases() -> Iterator[Case]:
    """Yield every member with its choices, and what they share."""
    for algorithm in registry().algorithms:
        yield from _defaults(algorithm)
    yield from _rules()
    yield from _shared()
    yield from _own()
    yield from _kernels()
    yield from _starts()


def _defaults(algorithm: Any) -> Iterator[Case]:
    """Yield a member on all data, with each of its choices, readouts and flags."""
    for data in DATA:
        yield algorithm.name, data, {}, None
    for parameter in (*algorithm.parameters, *algorithm.common):
        values = parameter.choices
        if parameter.kind == "boolean":
            values = [not parameter.default]
        own = parameter in algorithm.parameters
        for number, value in enumerate(values):
            # What all members share is tried on one set, what is a member's own on both.
            for data in ("noisy", "three") if own else (("noisy", "three")[number % 2],):
                if value != parameter.default:
                    yield algorithm.name, data, {parameter.name: value}, None


def _rules() -> Iterator[Case]:
    """Yield every rule with every readout."""
    for rule, readout in product(RULES, READOUTS):
        given = {"rule": rule, "readout": readout}
        yield "PerceptronClassifier", "noisy", given, None
        for multiclass in ("native", "ovr"):
            yield "PerceptronClassifier", "three", given | {"multiclass": multiclass}, None


def _shared() -> Iterator[Case]:
    """Yield what all members share: orders, schemes, the constant feature."""
    for name, order in product(("Perceptron", "MaxOver", "AROW", "WinnowPerceptron"), ORDERS):
        yield name, "four", {"order": order}, None
    # A pass that draws with replacement may miss the examples that are left to learn.
    for name, passes in product(("Perceptron", "KernelPerceptron"), range(60, 75)):
        yield name, "two", {"order": "sampled", "max_iter": passes}, None
    for name, scheme in product(("Perceptron", "MIRA", "PassiveAggressive"), SCHEMES):
        yield name, "four", {"scheme": scheme}, None
    for name in ("Perceptron", "MaxOver", "ALMA", "AROW", "AdaTron"):
        yield name, "two", {"intercept_scaling": 3.0}, None
        yield name, "two", {"fit_intercept": False, "max_iter": 40}, None


def _own() -> Iterator[Case]:
    """Yield members with other parameters of their own."""
    for name, given in (
        ("Perceptron", {"eta0": 0.1}),
        ("Perceptron", {"max_iter": 200}),
        ("MarginPerceptron", {"margin": 2.0, "negative_margin": 0.5}),
        ("PassiveAggressive", {"variant": "PA-II", "C": 0.1}),
        ("MIRA", {"margin": 0.3}),
        ("ALMA", {"p": 3.0}),
        ("ALMA", {"B": 2.0, "alpha": 0.5}),
        ("Ballseptron", {"radius": 0.02}),
        ("DynamicMarginPerceptron", {"eps": 0.5, "max_iter": 200}),
        ("MinOver", {"c": 3.0, "max_iter": 100}),
        ("MaxOver", {"algorithm": 2, "kappa": 0.02}),
        ("MaxOver", {"algorithm": 1, "limit": 5.0}),
        ("MaxOver", {"algorithm": 1, "normalise": False}),
        ("ThermalPerceptron", {"temperature": 2.0, "annealing": False}),
        ("AdaTron", {"C": 1.0, "max_iter": 300}),
        ("AdaTron", {"max_iter": 1000}),
        ("ConfidenceWeighted", {"confidence": 0.95, "covariance": "full"}),
        ("SCW", {"variant": "II", "C": 0.5, "covariance": "full"}),
        ("PocketPerceptron", {"schedule": "gallant", "ratchet": False}),
        ("PocketPerceptron", {"schedule": "gallant"}),
    ):
        for data in ("two", "noisy"):
            yield name, data, given, None


def _kernels() -> Iterator[Case]:
    """Yield kernels, budgets and normalised scores."""
    for kernel, readout in product(("rbf", "poly", "linear", "sigmoid"), (*READOUTS, "random")):
        for data in ("ring", "three"):
            yield "KernelPerceptron", data, {"kernel": kernel, "readout": readout}, None
    for rule in RULES:
        yield "KernelPerceptron", "ring", {"rule": rule, "readout": "last"}, None
    for readout in (*READOUTS, "random"):
        given = {"readout": readout, "normalise": True, "gamma": 2.0}
        yield "KernelPerceptron", "ring", given, None
        native = {"readout": readout, "multiclass": "native", "kernel": "poly", "degree": 2}
        yield "KernelPerceptron", "four", native, None
    for policy, readout in product(BUDGETS, ("last", "averaged")):
        given = {"budget": 5, "budget_policy": policy, "readout": readout}
        yield "KernelPerceptron", "ring", given, None
        yield "KernelPerceptron", "three", given, None
    yield "KernelPerceptron", "ring", {"order": "sampled"}, None
    yield "KernelPerceptron", "ring", {"budget": 3, "rule": "margin", "readout": "last"}, None


def _starts() -> Iterator[Case]:
    """Yield runs that go on from weights."""
    one = {"coef": [[0.5, -1.0]], "intercept": [0.25]}
    many = {"coef": [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], "intercept": [0.0, 0.5, -0.5]}
    for name in ("Perceptron", "WinnowPerceptron", "AROW", "MaxOver", "AdaTron", "ALMA"):
        yield name, "two", {}, one
        yield name, "three", {}, many
    yield "WinnowPerceptron", "two", {"p": "exponential"}, one


def learned(number: int, case: Case) -> dict[str, Any]:
    """Return a case with what the library makes of it."""
    name, data, parameters, start = case
    toy, seed = DATA[data], number % 5
    given = {"max_iter": 6} | parameters
    made: dict[str, Any] = {
        "name": " ".join([name, data, *(f"{k}={v}" for k, v in parameters.items())]),
        "algorithm": name, "data": data, "parameters": given, "seed": seed, "start": start,
    }  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf = estimator(name, given, seed)
            options = {} if start is None else {f"{k}_init": np.array(v) for k, v in start.items()}
            clf.fit(toy.X, toy.y, **options)
    except (ValueError, TypeError) as error:
        return made | {"refused": str(error)}
    document = run_document(clf, toy.X, toy.y)
    scores = clf.outcome_.predictor.scores(PROBES)
    return made | plain({"document": document, "scores": scores})


def over_orders() -> Iterator[dict[str, Any]]:
    """Updates over many orders, of separable points and of others."""
    for data, biased, scaling, orders in (
        ("two", True, 1.0, 20), ("two", False, 1.0, 20), ("noisy", True, 3.0, 2),
    ):  # fmt: skip
        table = schema.Table(points=DATA[data].X.tolist(), labels=DATA[data].y.tolist())
        settings = {"fit_intercept": biased, "intercept_scaling": scaling, "seed": orders}
        found = run_orders(schema.OrdersRequest(data=table, orders=orders, **settings))
        yield {"data": data, **settings, "updates": found.updates}


def execution() -> str:
    """Return the execution that fuses nothing; without machine code for it, plain Python."""
    file = shipped.file_of(UNFUSED)
    there = platform.machine() == "x86_64" and file.exists() and not shipped.Library(file).stale
    return UNFUSED if there else "plain"


def main() -> None:
    """Write the files."""
    os.environ.setdefault(shipped.CHOICE, execution())
    unique = {json.dumps(case): case for case in cases()}
    made = [learned(number, case) for number, case in enumerate(unique.values())]
    data = {n: {"points": toy.X.tolist(), "labels": toy.y.tolist()} for n, toy in DATA.items()}
    contents = {
        "toys.json": list(toys()),
        "orders.json": {"sizes": SIZES, "streams": [drawn(seed) for seed in SEEDS]},
        "learned.json": {
            "registry": registry().model_dump(), "data": data, "probes": PROBES.tolist(),
            "cases": made, "orders": list(over_orders()),
        },
    }  # fmt: skip
    for name, content in contents.items():
        (TESTS / name).write_text(json.dumps(content, allow_nan=False))
        print(f"wrote {name}: {(TESTS / name).stat().st_size:,} bytes")
    print(f"{len(made)} cases, {sum('refused' in case for case in made)} refused")


if __name__ == "__main__":
    main()
