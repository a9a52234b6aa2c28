"""Parameters as data: each is declared once, as a default, a kind of values and a sentence.

Signatures, checks and their messages, documentation, type stubs, the controls of the lab and the
options of the command line are all derived from these declarations.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf, isfinite
from types import MappingProxyType, SimpleNamespace
from typing import Any, Literal

import numpy as np

Control = Literal["number", "integer", "boolean", "choice"]


class Kind:
    """The values that a parameter may have."""

    nullable: bool = False
    control: Control = "choice"
    choices: tuple[Any, ...] = ()

    @property
    def words(self) -> str:
        """The type as documentation states it."""
        raise NotImplementedError

    @property
    def annotation(self) -> str:
        """The type as an annotation."""
        raise NotImplementedError

    @property
    def alternatives(self) -> tuple[str, ...]:
        """What a value must be, each possibility in words."""
        raise NotImplementedError

    @property
    def requirement(self) -> str:
        """What a value must be, as the end of a sentence."""
        *others, last = self.alternatives
        return f"{', '.join(others)} or {last}" if others else last

    def check(self, name: str, value: Any) -> Any:
        """Return the value in its plain type, or raise an error that names the parameter."""
        raise NotImplementedError

    def parse(self, text: str) -> Any:
        """Return the value that a text stands for: JSON or a Python constant, else the text."""
        constants = {"True": True, "False": False, "None": None, "inf": inf}
        if text in constants:
            return constants[text]
        try:
            return json.loads(text)
        except ValueError:
            return text


@dataclass(frozen=True)
class Real(Kind):
    """A number, finite unless `infinite`, within bounds that may be open or closed."""

    above: float | None = None
    least: float | None = None
    below: float | None = None
    most: float | None = None
    infinite: bool = False
    nullable: bool = False

    control = "number"

    @property
    def words(self) -> str:
        return "float or None" if self.nullable else "float"

    @property
    def annotation(self) -> str:
        return "float | None" if self.nullable else "float"

    @property
    def alternatives(self) -> tuple[str, ...]:
        bounds = {
            "greater than": self.above,
            "at least": self.least,
            "less than": self.below,
            "at most": self.most,
        }
        ends = [f"{words} {bound:g}" for words, bound in bounds.items() if bound is not None]
        bounded = self.infinite or self.below is not None or self.most is not None
        number = " ".join(["a number" if bounded else "a finite number", " and ".join(ends)])
        return (number.rstrip(), "None") if self.nullable else (number.rstrip(),)

    def check(self, name: str, value: Any) -> float | None:
        if value is None and self.nullable:
            return None
        if not _is_number(value):
            raise TypeError(
                f"{name}={value!r} must be a number{' or None' if self.nullable else ''}."
            )
        try:
            number = float(value)
        except OverflowError:  # an integer beyond all doubles
            number = inf if value > 0 else -inf
        if not self._holds(number):
            raise ValueError(f"{name}={value!r} must be {self.requirement}.")
        return number

    def _holds(self, number: float) -> bool:
        return (
            (isfinite(number) or (self.infinite and abs(number) == inf))
            and (self.above is None or number > self.above)
            and (self.least is None or number >= self.least)
            and (self.below is None or number < self.below)
            and (self.most is None or number <= self.most)
        )


@dataclass(frozen=True)
class Integer(Kind):
    """A whole number, at least `least`."""

    least: int | None = None
    nullable: bool = False

    control = "integer"

    @property
    def words(self) -> str:
        return "int or None" if self.nullable else "int"

    @property
    def annotation(self) -> str:
        return "int | None" if self.nullable else "int"

    @property
    def alternatives(self) -> tuple[str, ...]:
        number = "a whole number" + ("" if self.least is None else f" of at least {self.least}")
        return (number, "None") if self.nullable else (number,)

    def check(self, name: str, value: Any) -> int | None:
        if value is None and self.nullable:
            return None
        if not _is_number(value) or not isinstance(value, (int, np.integer)):
            raise TypeError(
                f"{name}={value!r} must be a whole number{' or None' if self.nullable else ''}."
            )
        if self.least is not None and value < self.least:
            raise ValueError(f"{name}={value!r} must be {self.requirement}.")
        return int(value)


@dataclass(frozen=True)
class Flag(Kind):
    """True or false."""

    control = "boolean"

    @property
    def words(self) -> str:
        return "bool"

    @property
    def annotation(self) -> str:
        return "bool"

    @property
    def alternatives(self) -> tuple[str, ...]:
        return "True", "False"

    def check(self, name: str, value: Any) -> bool:
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name}={value!r} must be {self.requirement}.")
        return bool(value)

    def parse(self, text: str) -> Any:
        numbers = {"1": True, "0": False}
        return numbers[text] if text in numbers else super().parse(text)


@dataclass(frozen=True, init=False)
class Choice(Kind):
    """One of a few values."""

    choices: tuple[Any, ...]

    def __init__(self, *choices: Any) -> None:
        object.__setattr__(self, "choices", choices)

    @property
    def nullable(self) -> bool:  # type: ignore[override]
        return None in self.choices

    @property
    def words(self) -> str:
        return "{" + ", ".join(map(literal, self.choices)) + "}"

    @property
    def annotation(self) -> str:
        return f"Literal[{', '.join(map(literal, self.choices))}]"

    @property
    def alternatives(self) -> tuple[str, ...]:
        return tuple(map(repr, self.choices))

    def check(self, name: str, value: Any) -> Any:
        if isinstance(value, (str, int, np.integer)) or value is None:
            for choice in self.choices:
                # True equals 1 in Python, but is no choice of it.
                if value == choice and isinstance(value, bool) == isinstance(choice, bool):
                    return choice
        remedy = "one of " + ", ".join(map(str, self.choices))
        if len(self.choices) == 1:
            remedy = f"{name}={self.choices[0]!r}"
        raise ValueError(f"{name}={value!r} is not known; take {remedy}.")

    def parse(self, text: str) -> Any:
        named = {str(choice): choice for choice in self.choices}
        return named[text] if text in named else super().parse(text)


@dataclass(frozen=True, init=False)
class Either(Kind):
    """A value of one kind or of another."""

    kinds: tuple[Kind, ...]

    def __init__(self, *kinds: Kind) -> None:
        object.__setattr__(self, "kinds", kinds)

    @property
    def control(self) -> Control:  # type: ignore[override]
        return self.kinds[0].control

    @property
    def choices(self) -> tuple[Any, ...]:  # type: ignore[override]
        return self.kinds[0].choices

    @property
    def words(self) -> str:
        return " or ".join(kind.words for kind in self.kinds)

    @property
    def annotation(self) -> str:
        return " | ".join(kind.annotation for kind in self.kinds)

    @property
    def alternatives(self) -> tuple[str, ...]:
        return tuple(words for kind in self.kinds for words in kind.alternatives)

    def check(self, name: str, value: Any) -> Any:
        for kind in self.kinds:
            try:
                return kind.check(name, value)
            except (TypeError, ValueError):
                continue
        raise ValueError(f"{name}={value!r} must be {self.requirement}.")


@dataclass(frozen=True)
class Anything(Kind):
    """A name, or else an object that is checked where it is used."""

    type_in_words: str
    type_hint: str
    names: tuple[str, ...] = ()
    nullable: bool = False

    @property
    def words(self) -> str:
        return self.type_in_words

    @property
    def annotation(self) -> str:
        return self.type_hint

    @property
    def alternatives(self) -> tuple[str, ...]:
        return (self.type_in_words,)

    @property
    def choices(self) -> tuple[Any, ...]:  # type: ignore[override]
        return (None, *self.names) if self.nullable else self.names

    def check(self, name: str, value: Any) -> Any:
        return value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def literal(value: Any) -> str:
    """Return a value as documentation shows it: text in double quotes, long numbers readable."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:_}" if value > 9_999 else str(value)
    if isinstance(value, float) and len(repr(value)) > 8:
        return f"{value:.6g}"
    return repr(value)


@dataclass(frozen=True)
class Parameter:
    """A parameter of an estimator; an instance that sets none has its default."""

    name: str
    default: Any
    kind: Kind
    text: str
    advanced: bool = False  # about the machine or held-out examples: not for a first look

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else self.default

    @property
    def words(self) -> str:
        """Type and default as documentation states them."""
        return f"{self.kind.words}, default={literal(self.default)}"

    def check(self, value: Any) -> Any:
        """Return the value in its plain type, or raise an error that names the parameter."""
        return self.kind.check(self.name, value)


def param(default: Any, kind: Kind, text: str, *, advanced: bool = False) -> Any:
    """Declare a parameter as an attribute of an estimator class, which gives it its name."""
    return Parameter("", default, kind, text, advanced)


@dataclass(frozen=True)
class Result:
    """An attribute of a fitted estimator."""

    name: str
    annotation: str
    text: str
    words: str


def array(name: str, shape: str, text: str) -> Result:
    """Return a result that is an array of the given shape."""
    return Result(name, "Array", text, f"array of shape {shape}")


def result(name: str, annotation: str, text: str, words: str = "") -> Result:
    """Return a result whose type is documented by `words`, or else by its annotation."""
    return Result(name, annotation, text, words or annotation)


def declared(estimator: type) -> Mapping[str, Parameter]:
    """Return the parameters of an estimator class by name, its own before the shared ones.

    A class has the parameters of its bases. It changes one by declaring it again, and fixes one by
    a plain value.
    """
    if estimator not in _DECLARED:
        _DECLARED[estimator] = MappingProxyType(_collected(estimator))
    return _DECLARED[estimator]


_DECLARED: dict[type, Mapping[str, Parameter]] = {}


def _collected(estimator: type) -> dict[str, Parameter]:
    shared: dict[str, Parameter] = {}
    own: dict[str, Parameter] = {}
    for base in reversed(estimator.__mro__):
        table = own if shared else shared
        for name, value in vars(base).items():
            if isinstance(value, Parameter):
                own.pop(name, None)
                table[name] = replace(value, name=name)
            elif name in own or name in shared:
                own.pop(name, None)
                shared.pop(name, None)
    return own | {name: p for name, p in shared.items() if name not in own}


def values(estimator: Any) -> SimpleNamespace:
    """Return the checked values of an estimator's parameters, in their plain types."""
    found = {}
    for name, (parameter, plain_default) in _with_plain_defaults(type(estimator)).items():
        value = getattr(estimator, name)
        unchanged = value is parameter.default  # as most are: no need to check them again
        found[name] = plain_default if unchanged else parameter.check(value)
    return SimpleNamespace(**found)


def _with_plain_defaults(estimator: type) -> dict[str, tuple[Parameter, Any]]:
    """Return the parameters of an estimator class, each with its default in its plain type."""
    if estimator not in _PLAIN_DEFAULTS:
        _PLAIN_DEFAULTS[estimator] = {
            name: (p, p.check(p.default)) for name, p in declared(estimator).items()
        }
    return _PLAIN_DEFAULTS[estimator]


_PLAIN_DEFAULTS: dict[type, dict[str, tuple[Parameter, Any]]] = {}


_BOUNDS = "in place of a penalty, PassiveAggressive(C=...) and AdaTron(C=...) bound the steps."

EQUIVALENTS: dict[str, str] = {
    "alpha": _BOUNDS,
    "average": "take AveragedPerceptron, or readout='averaged' where there is a readout.",
    "C": "take PassiveAggressive(C=...), where it bounds the steps.",
    "eta0": "its rule sets the length of a step.",
    "l1_ratio": "take WinnowPerceptron where few features matter.",
    "learning_rate": "its rule sets the length of a step; Perceptron(eta0=...) takes a constant.",
    "loss": "take PassiveAggressive(variant='PA-I') for 'hinge', variant='PA-II' for "
    "'squared_hinge', Perceptron for 'perceptron'.",
    "penalty": _BOUNDS,
    "power_t": "steps do not decay by a schedule; AveragedPerceptron has the same effect.",
}
"""What to do in place of a parameter that scikit-learn's linear models have."""


def unknown(estimator: type, name: str) -> str:
    """Return the sentence that an estimator has no parameter of that name."""
    known = list(declared(estimator))
    near = get_close_matches(name, known, n=1)
    remedy = f"did you mean {near[0]!r}?" if near else f"it has {_listed(known)}."
    remedy = EQUIVALENTS.get(name, remedy)
    return f"{estimator.__name__} has no parameter {name!r}; {remedy}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names, key=str.lower))
