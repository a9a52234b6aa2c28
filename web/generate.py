"""Write what the page takes from the library: its TypeScript types, and journals to test it with.

python web/generate.py             the types, web/src/schema.ts
python web/generate.py --golden    journals of every rule and readout, web/tests/golden.json
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
from pydantic.json_schema import models_json_schema
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.toys import TOYS
from rosenblatt.engine.observers import Observer
from rosenblatt.engine.trainer import Trainer
from rosenblatt.estimators import MEMBERS
from rosenblatt.lab import schema
from rosenblatt.storage.json_values import plain
from rosenblatt.storage.replay import Samples, run_document
from rosenblatt.theory.budgets import BUDGETS
from rosenblatt.theory.readouts import READOUTS
from rosenblatt.theory.rules import RULES

HERE = Path(__file__).parent
TYPES, GOLDEN = HERE / "src" / "schema.ts", HERE / "tests" / "golden.json"
PLAIN = {
    "string": "string", "number": "number", "integer": "number", "boolean": "boolean",
    "null": "null",
}  # fmt: skip


def types() -> str:
    """The interface's models as TypeScript."""
    models = [
        kind
        for kind in vars(schema).values()
        if isinstance(kind, type) and issubclass(kind, schema.BaseModel)
        and kind not in (schema.BaseModel, schema.Strict)
    ]  # fmt: skip
    _, found = models_json_schema([(m, "validation") for m in models])
    parts = ["// Made by web/generate.py from src/rosenblatt/lab/schema.py; change it there."]
    for name, body in sorted(found["$defs"].items()):
        answers = not any(word in name for word in ("Request", "Table", "Start"))
        answers = answers or name == "Started"
        needed = set(body.get("required", []))
        lines = []
        for field, kind in body.get("properties", {}).items():
            # An answer has every field; in a request those with defaults may be left out.
            mark = "" if answers or field in needed else "?"
            lines.append(f"  {field}{mark}: {_type(kind)};")
        parts.append(f"export interface {name} {{\n" + "\n".join(lines) + "\n}")
    return "\n\n".join(parts) + "\n"


def _type(kind: dict[str, Any]) -> str:
    if "$ref" in kind:
        return str(kind["$ref"]).rpartition("/")[2]
    if "const" in kind:
        return json.dumps(kind["const"])
    if "enum" in kind:
        return " | ".join(json.dumps(v) for v in kind["enum"])
    if "anyOf" in kind:
        return " | ".join(dict.fromkeys(_type(k) for k in kind["anyOf"]))
    if kind.get("type") == "array":
        inner = _type(kind.get("items", {}))
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind.get("type") == "object":
        more = kind.get("additionalProperties", {})
        return f"Record<string, {_type(more) if isinstance(more, dict) else 'unknown'}>"
    return PLAIN.get(kind.get("type", ""), "unknown")


def golden() -> list[dict[str, Any]]:
    """Runs, each with the library's scores of some other points after each pass."""
    two = TOYS["halfplanes"].make(n=14, margin=0.05, noise=0.1, seed=5)
    three = TOYS["clouds"].make(n=15, spread=0.5, seed=2)
    probes = np.random.default_rng(0).uniform(-1.2, 1.2, (9, 2))
    cases = chain(_rules(two, three), _members(two, three), _settings(two, three),
                  _kernels(two, three))  # fmt: skip
    made = ((name, _run(clf, toy, probes)) for name, clf, toy in cases)
    return [{"name": name, "probes": probes.tolist(), **run} for name, run in made if run]


Case = tuple[str, Any, Any]  # a name, an estimator, a toy set


def _rules(two: Any, three: Any) -> Iterator[Case]:
    """Every rule with every readout, of two classes and of three."""
    for rule in RULES:
        for readout in READOUTS:
            if (rule, readout) == ("mira", "pocket"):
                continue  # it puts examples exactly on the boundary: rounding counts the errors
            settings = {"rule": rule, "readout": readout, "max_iter": 4, "random_state": 3}
            yield f"{rule} {readout}", MEMBERS["PerceptronClassifier"](**settings), two
            for multiclass in ("native", "ovr"):
                clf = MEMBERS["PerceptronClassifier"](**settings, multiclass=multiclass)
                yield f"{rule} {readout} {multiclass}", clf, three


def _members(two: Any, three: Any) -> Iterator[Case]:
    """Every member of the family with its defaults."""
    for name, kind in MEMBERS.items():
        options = {"max_iter": 4, "random_state": 1}
        yield name, kind(**options), two
        yield f"{name} of three", kind(**options), three
        yield f"{name} bare", kind(**options, fit_intercept=False), two
        if "covariance" in kind().get_params():
            yield f"{name} full", kind(**options, covariance="full"), two


def _settings(two: Any, three: Any) -> Iterator[Case]:
    """Members with settings that change what a replay must do."""
    noisy = TOYS["halfplanes"].make(n=60, margin=0.05, noise=0.1, seed=2)
    for number in (1, 2, 3):  # long runs, in which rounding errors are stretched
        clf = MEMBERS["MaxOver"](algorithm=number, max_iter=20, random_state=0, fit_intercept=False)
        yield f"MaxOver {number}, long", clf, noisy
        for order in ("least", "violated", "nearest"):
            settings = {"order": order, "readout": "pocket", "max_iter": 3, "random_state": number}
            yield f"pocket {order} {number}", MEMBERS["MinOver"](**settings), noisy
    for ratchet, seed in product((True, False), range(4)):
        clf = MEMBERS["PocketPerceptron"](ratchet=ratchet, max_iter=5, random_state=seed)
        yield f"pocket, ratchet {ratchet} {seed}", clf, noisy
    four = TOYS["clouds"].make(n=60, classes=4, spread=0.5, seed=3)
    for seed in range(3):
        yield f"MIRA of four {seed}", MEMBERS["MIRA"](max_iter=9, random_state=seed), four
    for scheme in ("uniform", "proportional", "projection"):
        yield f"MIRA {scheme}", MEMBERS["MIRA"](scheme=scheme, max_iter=4, random_state=1), three
    for p in ("exponential", 3.0):
        clf = MEMBERS["WinnowPerceptron"](p=p, max_iter=4, random_state=1, readout="averaged")
        yield f"Winnow {p}", clf, two


def _kernels(two: Any, three: Any) -> Iterator[Case]:
    """Kernels, readouts, budgets and normalised scores."""

    def of(**settings: Any) -> Any:
        return MEMBERS["KernelPerceptron"](**settings)

    for kernel in ("rbf", "poly", "linear", "sigmoid"):
        for readout, data in product(READOUTS, (two, three)):
            clf = of(kernel=kernel, readout=readout, max_iter=3, random_state=1)
            yield f"kernel {kernel} {readout} {len(set(data.y))}", clf, data
    for data in (two, three):
        classes = len(set(data.y))
        clf = of(readout="random", max_iter=4, random_state=2)
        yield f"kernel random {classes}", clf, data
        for readout in (*READOUTS, "random"):
            clf = of(rule="pa", readout=readout, normalise=True, max_iter=4, random_state=2)
            yield f"kernel normalised {readout} {classes}", clf, data
        for policy in BUDGETS:
            clf = of(budget=3, budget_policy=policy, readout="last", max_iter=4, random_state=2)
            yield f"kernel budget {policy} {classes}", clf, data
    for readout in ("last", "averaged", "pocket"):
        clf = of(multiclass="native", readout=readout, max_iter=3, random_state=1)
        yield f"kernel native {readout}", clf, three


def _run(clf: Any, toy: Any, probes: Any) -> dict[str, Any] | None:
    """The document of a fit and the scores after each pass; None for a rule without this form."""
    scores, samples = Scores(probes), Samples()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(toy.X, toy.y, observers=[scores, samples])
    except ValueError:
        return None
    made = run_document(clf, toy.X, toy.y, samples)
    return dict(plain({"document": made, "scores": scores.passes}))


class Scores(Observer):
    """Keeps the scores of some points after each pass."""

    def __init__(self, probes: Any) -> None:
        self.probes = probes
        self.passes: list[Any] = []

    def on_pass(self, trainer: Trainer) -> bool:
        self.passes.append(trainer.predictor().scores(self.probes))
        return False


if __name__ == "__main__":
    if "--golden" in sys.argv:
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(golden(), allow_nan=False))
        print(f"wrote {GOLDEN.name}: {GOLDEN.stat().st_size:,} bytes")
    else:
        TYPES.parent.mkdir(exist_ok=True)
        TYPES.write_text(types())
        print(f"wrote {TYPES.name}")
