"""A certificate: what is proved of a data set, with everything that is needed to check it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, inf
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.proofs.checker import schema
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
FILED = ("scope", "recipe")  # of a certificate about a file: which columns, and how they were read
# What more is proved of inseparable data: of many classes or not, weakly separable or not.
WEAK = {
    (False, True): " They are weakly separable: a hyperplane has none on its wrong side, but some "
    "on it; the best margin is exactly 0.",
    (False, False): " Not even a hyperplane through some of them has none on its wrong side.",
    (True, True): " They are weakly separable: some weights score no example higher in another "
    "class than in its own, and at least one lower; the best margin is exactly 0. A class may well "
    "be separable from the rest, but not all from each other at once.",
    (True, False): " Not even with ties allowed can weights score each of them highest in its own "
    "class, unless they score all classes alike.",
}


@dataclass(frozen=True, eq=False)
class Certificate:
    """Whether a data set can be separated, proved. Made by `certify`, checked by `verify`.

    Separable: `weights` and `intercept` have a positive margin on every example, at least
    `margin_bracket[0]` times their length. Inseparable: the signed examples `support`, weighted
    with `coefficients` (non-negative, sum 1), add up to exactly zero, so no hypothesis is positive
    on all of them. In either case a combination of length `margin_bracket[1]` or less proves that
    no margin is larger.
    """

    verdict: str  # "separable", "inseparable" or "undecided"
    classes: tuple[Any, ...]
    target: Any  # the class held against the rest, or None
    examples: int
    features: int
    digest: str  # of the data
    scaling: float  # of the intercept: 0 without, infinite if it is free
    radius: float  # no signed example is longer
    margin_bracket: tuple[float, float]
    weights: Array | None = None  # floats, or fractions where floats are too coarse
    intercept: Array | None = None
    support: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    rivals: Array = field(default_factory=lambda: np.zeros(0, np.int64))  # of many classes
    coefficients: tuple[Fraction, ...] = ()
    # A hyperplane through some examples with none on its wrong side: proved to exist (the best
    # margin is exactly zero), proved not to exist, or not known. Of inseparable data only.
    weakly_separable: bool | None = None
    note: str = ""  # why a search ended before all that was asked for was proved

    @property
    def margin(self) -> float | None:
        """The margin that the weights are proved to have."""
        return self.margin_bracket[0] if self.verdict == "separable" else None

    @property
    def mistake_bound(self) -> int | None:
        """Updates that the perceptron, started at zero, can make at most: (radius/margin)²."""
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

    def statement(self) -> str:
        """What is proved, in a sentence or two."""
        what = f"The {self.examples:,} examples" + (
            f" (class {self.target} against the rest)" if self.target is not None else ""
        )
        low, high = self.margin_bracket
        if self.verdict == "separable":
            bound = self.mistake_bound
            promise = "" if bound is None else (
                " No order of the examples makes the perceptron, started at zero, err more than "
                f"{bound:,} times."
            )  # fmt: skip
            return (
                f"{what} are separable: the weights classify each of them correctly. "
                f"The best margin is {between(low, high)}.{promise}"
            )
        if self.verdict == "inseparable":
            many = self.target is None and len(self.classes) > 2
            ending = "" if self.weakly_separable is None else WEAK[many, self.weakly_separable]
            return (
                f"{what} are not strictly separable: {len(self.support)} of them, signed and "
                f"weighted, add up to exactly zero.{ending}"
            )
        most = at_most(high, 6)
        return f"{what} are undecided: the best margin is at most {most}."

    def to_dict(self) -> dict[str, Any]:
        """Plain values; fractions are strings, floats are exact as printed."""
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
            "weights": _written(self.weights),
            "intercept": _written(self.intercept),
            "support": self.support.tolist(),
            "rivals": self.rivals.tolist(),
            "coefficients": [schema.written(c) for c in self.coefficients],
            "note": self.note,
        }

    def save(self, path: str | Path, *, scope: str | None = None, recipe: Any = None) -> None:
        """Write it as readable JSON; of a file, with its scope in words and how it was read."""
        more = {} if scope is None else {"scope": scope, "recipe": recipe}
        content = json.dumps(self.to_dict() | more, indent=1, allow_nan=False)
        write(path, f"{content}\n".encode())

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate; `verify` says whether to believe it."""
        return load(path)[0]


def load(path: str | Path) -> tuple[Certificate, dict[str, Any]]:
    """A certificate, and what a file says besides: the scope and the recipe of a table."""
    try:
        saved = schema.document(path)
        if saved.get("format") != FORMAT:
            raise ValueError("it has a different format.")
        found = _parsed(saved)
        for name, value in found.to_dict().items():
            # What follows from the rest must be said as it is.
            if saved[name] != value or type(saved[name]) is not type(value):
                raise ValueError(f"'{name}' does not follow from the rest of the file.")
    except (ValueError, ArithmeticError) as error:
        raise ValueError(f"{path} is not a certificate of format {FORMAT}: {error}") from None
    return found, {name: saved[name] for name in FILED if name in saved}


def _parsed(saved: dict[str, Any]) -> Certificate:
    """The certificate in a file, every field of the right type."""
    schema.fields(saved, "the certificate", FIELDS, FILED)
    if sum(name in saved for name in FILED) == 1:
        raise ValueError("it has one of 'scope' and 'recipe' without the other.")
    if "scope" in saved:
        schema.text(saved["scope"], "scope")
    data = schema.fields(saved["data"], "'data'", DATA)
    weak, scaling = saved["weakly_separable"], saved["intercept_scaling"]
    if not (weak is None or isinstance(weak, bool)):
        raise ValueError("'weakly_separable' must be true, false or null.")
    bracket = schema.listed(saved["margin_bracket"], "margin_bracket", schema.decimal)
    if len(bracket) != 2 or any(end != end for end in bracket):
        raise ValueError("'margin_bracket' must have two ends.")
    if saved["verdict"] == "separable" and not 0 < bracket[0] < inf:
        raise ValueError("a separable set has a positive margin, and 'margin_bracket' has not.")
    classes = schema.listed(data["classes"], "classes", _label)
    fraction = schema.Fractions()
    support, rivals = (
        np.array(schema.listed(saved[name], name, schema.whole), np.int64)
        for name in ("support", "rivals")
    )
    return Certificate(
        verdict=schema.text(saved["verdict"], "verdict", VERDICTS),
        classes=tuple(classes),
        target=None if data["target"] is None else _label(data["target"], "target"),
        examples=schema.whole(data["examples"], "examples"),
        features=schema.whole(data["features"], "features"),
        digest=schema.text(data["digest"], "digest"),
        scaling=inf if scaling == "free" else schema.real(scaling, "intercept_scaling"),
        radius=schema.real(saved["radius"], "radius"),
        margin_bracket=(bracket[0], bracket[1]),
        weights=_read(saved["weights"], "weights", 2, fraction),
        intercept=_read(saved["intercept"], "intercept", 1, fraction),
        support=support,
        rivals=rivals,
        coefficients=tuple(schema.listed(saved["coefficients"], "coefficients", fraction)),
        weakly_separable=weak,
        note=schema.text(saved["note"], "note"),
    )


def _label(given: Any, name: str) -> Any:
    if type(given) not in (str, int, float) or given != given:
        raise ValueError(f"'{name}' must hold strings or numbers.")
    return given


def _read(given: Any, name: str, depth: int, fraction: Any) -> Array | None:
    """Nested lists of floats, or of fractions in strings, as an array."""
    if given is None:
        return None
    rows = [given] if depth == 1 else schema.listed(given, name, lambda row, _: row)
    flat = [v for row in rows for v in schema.listed(row, name, lambda v, _: v)]
    if not flat or len({len(row) for row in rows}) > 1:
        raise ValueError(f"'{name}' must have rows of the same length.")
    exact = isinstance(flat[0], str)
    values = np.empty(len(flat), object if exact else float)
    values[:] = [(fraction if exact else schema.real)(v, name) for v in flat]
    return values if depth == 1 else values.reshape(len(rows), -1)


def between(low: float, high: float) -> str:
    """Two ends of a bracket in words; one number if they are printed alike."""
    if f"{low:.6g}" == f"{high:.6g}":
        return f"{low:.6g}, to six digits"
    return f"between {at_least(low, 6)} and {at_most(high, 6)}"


def _written(numbers: Array | None) -> Any:
    """Nested lists of floats as they are, of fractions as strings."""
    if numbers is None or numbers.dtype != object:
        return None if numbers is None else numbers.tolist()
    return (
        np.array([schema.written(v) for v in numbers.ravel()], object)
        .reshape(numbers.shape)
        .tolist()
    )
