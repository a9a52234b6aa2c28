"""A certificate: what is proved of a data set, with everything that is needed to check it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, inf
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.proofs.problem import Array
from rosenblatt.store import write

FORMAT = "rosenblatt-certificate/1"
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
            return f"Separable(margin in [{low:.6g}, {high:.6g}], exact)"
        if self.verdict == "inseparable":
            weak = ", best margin exactly 0" if self.weakly_separable else ""
            return f"Inseparable({len(self.support)} points, exact{weak})"
        return f"Undecided(margin in [{low:.6g}, {high:.6g}])"

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
                f" No order of the examples makes the perceptron err more than {bound:,} times."
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
        return f"{what} are undecided: the best margin is at most {high:.6g}. {self.note}".rstrip()

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
            "coefficients": [_text(c) for c in self.coefficients],
            "note": self.note,
        }

    def save(self, path: str | Path, **more: Any) -> None:
        """Write it as readable JSON, with what else should stand in the file."""
        content = json.dumps(self.to_dict() | more, indent=1, allow_nan=False)
        write(path, f"{content}\n".encode())

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate; `verify` says whether to believe it."""
        try:
            saved = json.loads(Path(path).read_text(encoding="utf-8"))
            if saved["format"] != FORMAT:
                raise ValueError
            data, scaling = saved["data"], saved["intercept_scaling"]
            low, high = (float(bound) for bound in saved["margin_bracket"])
            return cls(
                verdict=str(saved["verdict"]),
                classes=tuple(data["classes"]),
                target=data["target"],
                examples=int(data["examples"]),
                features=int(data["features"]),
                digest=str(data["digest"]),
                scaling=inf if scaling == "free" else float(scaling),
                radius=float(saved["radius"]),
                margin_bracket=(low, high),
                weights=_read(saved["weights"]),
                intercept=_read(saved["intercept"]),
                support=np.array(saved["support"], np.int64),
                rivals=np.array(saved["rivals"], np.int64),
                coefficients=tuple(_fraction(c) for c in saved["coefficients"]),
                weakly_separable=saved["weakly_separable"],
                note=str(saved["note"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
            raise ValueError(f"{path} is not a certificate of format {FORMAT}.") from error


def between(low: float, high: float) -> str:
    """Two ends of a bracket in words; one number if they are printed alike."""
    ends = f"{low:.6g}", f"{high:.6g}"
    return f"{ends[0]}, to six digits" if ends[0] == ends[1] else f"between {ends[0]} and {ends[1]}"


def _text(number: Any) -> str:
    """A fraction in decimals, or in hexadecimals where Python would refuse so many decimals."""
    p, q = Fraction(number).as_integer_ratio()
    return f"{p}/{q}" if max(abs(p), q).bit_length() < 10_000 else f"{p:#x}/{q:#x}"


def _fraction(text: Any) -> Fraction:
    p, q = str(text).split("/")
    return Fraction(int(p, 0), int(q, 0))


def _written(numbers: Array | None) -> Any:
    """Nested lists of floats as they are, of fractions as strings."""
    if numbers is None or numbers.dtype != object:
        return None if numbers is None else numbers.tolist()
    return np.array([_text(v) for v in numbers.ravel()], object).reshape(numbers.shape).tolist()


def _read(numbers: Any) -> Array | None:
    if numbers is None:
        return None
    array = np.array(numbers)
    if array.dtype.kind == "U":
        flat = [_fraction(v) for v in array.ravel()]
        exact = np.empty(array.size, object)
        exact[:] = flat
        return exact.reshape(array.shape)
    return array.astype(float)
