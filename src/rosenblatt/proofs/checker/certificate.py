"""Certificates: what is proved about a data set, and what proves it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, inf
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.proofs.checker import schema, statement
from rosenblatt.proofs.checker.problem import Array
from rosenblatt.storage.atomic import write
from rosenblatt.theory.rounding import at_least, at_most

FORMAT = "rosenblatt-certificate/1"
VERDICTS = ("separable", "inseparable", "undecided")
DATA = ("examples", "features", "classes", "target", "digest")
FIELDS = (
    "format", "statement", "verdict", "weakly_separable", "data", "intercept_scaling", "radius",
    "mistake_bound", "margin_bracket", "weights", "intercept", "support", "rivals", "coefficients",
    "note",
)  # fmt: skip
# Only in certificates about a file: the columns that were used, and how they were read.
FILE_FIELDS = ("scope", "recipe")


@dataclass(frozen=True, eq=False)
class Certificate:
    """A proof that a data set is separable, or that it is not.

    Made by `certify`, checked by `verify`.

    Separable: `weights` and `intercept` have a positive margin on every example, at least
    `margin_bracket[0]` times their norm. Inseparable: the convex combination of the signed examples
    in `support` with these `coefficients` is exactly zero, so no hypothesis is positive on all of
    them. In either case a convex combination of norm at most `margin_bracket[1]` proves that no
    hypothesis has a larger margin.
    """

    verdict: str  # "separable", "inseparable" or "undecided"
    classes: tuple[Any, ...]
    target: Any  # the class that is separated from the rest, or None
    examples: int
    features: int
    digest: str  # of the data
    scaling: float  # of the intercept: 0 without one, infinite if it is free
    radius: float  # no signed example has a larger norm
    margin_bracket: tuple[float, float]
    weights: Array | None = None  # floats, or fractions where floats are too imprecise
    intercept: Array | None = None
    support: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    # With more than two classes, the rival class of each signed example in `support`.
    rivals: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    coefficients: tuple[Fraction, ...] = ()  # non-negative, sum 1
    # Inseparable data only. True: some hyperplane has no example on its wrong side and does not
    # contain all examples, so the best margin is exactly 0. False: there is none. None: not known.
    weakly_separable: bool | None = None
    note: str = ""  # why the search proved less than it was asked to

    @property
    def margin(self) -> float | None:
        """The proved margin of the weights; None unless the data are separable."""
        return self.margin_bracket[0] if self.verdict == "separable" else None

    @property
    def mistake_bound(self) -> int | None:
        """The most updates of the perceptron, started at zero: (radius/margin)²."""
        if self.verdict != "separable" or self.scaling == inf:
            return None
        return floor((Fraction(self.radius) / Fraction(self.margin_bracket[0])) ** 2)

    def __str__(self) -> str:
        low, high = self.margin_bracket
        if self.verdict == "separable":
            return f"Separable(margin in [{at_least(low, 6)}, {at_most(high, 6)}], exact)"
        if self.verdict == "inseparable":
            weak = ", best margin exactly 0" if self.weakly_separable else ""
            return f"Inseparable({len(self.support)} points, exact{weak})"
        return f"Undecided(margin in [{at_least(low, 6)}, {at_most(high, 6)}])"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from rosenblatt.proofs.checker import view

        return view.html(self)

    def statement(self) -> str:
        """Return what is proved, in one to four sentences."""
        return statement.state(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain values; fractions and the bracket are strings."""
        return {
            "format": FORMAT,
            "statement": self.statement(),
            "verdict": self.verdict,
            "weakly_separable": self.weakly_separable,
            "data": {
                "examples": self.examples,
                "features": self.features,
                "classes": list(self.classes),
                "target": self.target,
                "digest": self.digest,
            },
            "intercept_scaling": self.scaling if self.scaling < inf else "free",
            "radius": self.radius,
            "mistake_bound": self.mistake_bound,
            "margin_bracket": [repr(float(bound)) for bound in self.margin_bracket],
            "weights": _to_lists(self.weights),
            "intercept": _to_lists(self.intercept),
            "support": self.support.tolist(),
            "rivals": self.rivals.tolist(),
            "coefficients": [schema.format_fraction(c) for c in self.coefficients],
            "note": self.note,
        }

    def save(self, path: str | Path, *, scope: str | None = None, recipe: Any = None) -> None:
        """Write the certificate as JSON, with the scope and the recipe of a file if given."""
        more = {} if scope is None else {"scope": scope, "recipe": recipe}
        content = json.dumps(self.to_dict() | more, indent=1, allow_nan=False)
        write(path, f"{content}\n".encode())

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate from a file, without checking it against any data."""
        return load_with_scope(path)[0]


def load_with_scope(path: str | Path) -> tuple[Certificate, dict[str, Any]]:
    """Return the certificate in a file, and the scope and the recipe if it has them."""
    try:
        saved = schema.read_object(path)
        if saved.get("format") != FORMAT:
            raise ValueError("it has a different format.")
        found = _parse(saved)
        derived = found.to_dict()
        if saved["statement"] in statement.accepted_statements(found):
            derived["statement"] = saved["statement"]
        for name, value in derived.items():
            if saved[name] != value or type(saved[name]) is not type(value):
                raise ValueError(f"'{name}' does not follow from the rest of the file.")
    except (ValueError, ArithmeticError) as error:
        raise ValueError(f"{path} is not a certificate of format {FORMAT}: {error}") from None
    return found, {name: saved[name] for name in FILE_FIELDS if name in saved}


def _parse(saved: dict[str, Any]) -> Certificate:
    """Return the certificate in a file after checking the type of every field."""
    schema.fields(saved, "the certificate", FIELDS, FILE_FIELDS)
    if sum(name in saved for name in FILE_FIELDS) == 1:
        raise ValueError("it has only one of 'scope' and 'recipe'.")
    if "scope" in saved:
        schema.string(saved["scope"], "scope")
    data = schema.fields(saved["data"], "'data'", DATA)
    weak, scaling = saved["weakly_separable"], saved["intercept_scaling"]
    if not (weak is None or isinstance(weak, bool)):
        raise ValueError("'weakly_separable' must be true, false or null.")
    bracket = schema.list_of(schema.float_string, saved["margin_bracket"], "margin_bracket")
    if len(bracket) != 2 or any(end != end for end in bracket):
        raise ValueError("'margin_bracket' must hold two numbers.")
    if saved["verdict"] == "separable" and not 0 < bracket[0] < inf:
        raise ValueError("the lower end of 'margin_bracket' must be positive for separable data.")
    classes = schema.list_of(_label, data["classes"], "classes")
    fraction = schema.FractionReader()
    support, rivals = (
        np.array(schema.list_of(schema.index, saved[name], name), np.int64)
        for name in ("support", "rivals")
    )
    return Certificate(
        verdict=schema.string(saved["verdict"], "verdict", VERDICTS),
        classes=tuple(classes),
        target=None if data["target"] is None else _label(data["target"], "target"),
        examples=schema.index(data["examples"], "examples"),
        features=schema.index(data["features"], "features"),
        digest=schema.string(data["digest"], "digest"),
        scaling=inf if scaling == "free" else schema.finite_float(scaling, "intercept_scaling"),
        radius=schema.finite_float(saved["radius"], "radius"),
        margin_bracket=(bracket[0], bracket[1]),
        weights=_numbers(saved["weights"], "weights", 2, fraction),
        intercept=_numbers(saved["intercept"], "intercept", 1, fraction),
        support=support,
        rivals=rivals,
        coefficients=tuple(schema.list_of(fraction, saved["coefficients"], "coefficients")),
        weakly_separable=weak,
        note=schema.string(saved["note"], "note"),
    )


def _label(given: Any, name: str) -> Any:
    """Return a class label."""
    if type(given) not in (str, int, float) or given != given:
        raise ValueError(f"'{name}' must hold strings or numbers.")
    return given


def _numbers(given: Any, name: str, depth: int, fraction: schema.FractionReader) -> Array | None:
    """Return nested lists of floats, or of fractions as strings, as an array."""
    if given is None:
        return None
    rows = [given] if depth == 1 else schema.list_of(lambda row, _: row, given, name)
    flat = [v for row in rows for v in schema.list_of(lambda v, _: v, row, name)]
    if not flat or len({len(row) for row in rows}) > 1:
        raise ValueError(f"'{name}' must have rows of the same positive length.")
    exact = isinstance(flat[0], str)
    values = np.empty(len(flat), object if exact else float)
    values[:] = [(fraction if exact else schema.finite_float)(v, name) for v in flat]
    return values if depth == 1 else values.reshape(len(rows), -1)


def _to_lists(numbers: Array | None) -> Any:
    """Return nested lists of floats, or of fractions as strings."""
    if numbers is None or numbers.dtype != object:
        return None if numbers is None else numbers.tolist()
    return (
        np.array([schema.format_fraction(v) for v in numbers.ravel()], object)
        .reshape(numbers.shape)
        .tolist()
    )
