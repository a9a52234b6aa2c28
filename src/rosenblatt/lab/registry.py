"""All that can be chosen in the lab, from the declarations of the estimators."""

from __future__ import annotations

from functools import cache
from math import inf
from typing import Any

from rosenblatt.data import TOYS
from rosenblatt.estimators import MEMBERS, KernelPerceptron
from rosenblatt.estimators.members import described
from rosenblatt.estimators.parameters import Anything, Integer, Parameter, Real, declared
from rosenblatt.estimators.shared import SharedParameters
from rosenblatt.lab import schema
from rosenblatt.theory import rules
from rosenblatt.theory.readouts import READOUTS
from rosenblatt.version import __version__

UPDATES, SECONDS = 100_000, 8.0  # of one run, at most

NEEDS_A_MATRIX = "precomputed"  # a kernel of values instead of points, which the lab has not


@cache
def registry() -> schema.Registry:
    """Algorithms, readouts and generators, with typed parameters."""
    return schema.Registry(
        library=__version__,
        algorithms=[_algorithm(name, kind) for name, kind in MEMBERS.items()],
        readouts=list(READOUTS),
        generators=[
            schema.Drawer(name=name, text=one.text, parameters=_ranges(one.ranges))
            for name, one in TOYS.items()
        ],
        limits=schema.Limits(
            points=schema.POINTS, features=schema.FEATURES, classes=schema.CLASSES,
            updates=UPDATES, seconds=SECONDS, largest=schema.LARGEST,
        ),
    )  # fmt: skip


def estimator(algorithm: str, given: dict[str, Any], seed: int) -> Any:
    """An estimator by name, with checked parameters."""
    if algorithm not in MEMBERS:
        raise ValueError(f"{algorithm!r} is no member of the family; see the registry.")
    known = declared(MEMBERS[algorithm])
    for name in given:
        if name not in known or known[name].advanced:
            raise ValueError(f"{algorithm} has no parameter {name!r} in the lab; leave it out.")
    values = {name: _value(known[name], value) for name, value in given.items()}
    return MEMBERS[algorithm](
        **values,
        **_fixed(MEMBERS[algorithm]),
        random_state=seed,
        journal_size=4 * UPDATES,
        count_errors=True,
    )


def parameters(kind: type) -> list[schema.Parameter]:
    """Return the parameters of an estimator as the lab has controls for them, its own first."""
    return [_control(p) for p in declared(kind).values() if not p.advanced]


def _fixed(kind: type) -> dict[str, None]:
    """Return what the lab sets in every run: it is watched as long as the page asks for."""
    return {"tol": None} if "tol" in declared(kind) else {}


def _kernel(kind: type) -> bool:
    return issubclass(kind, KernelPerceptron)


def _algorithm(name: str, kind: type) -> schema.Algorithm:
    known, shared = parameters(kind), declared(SharedParameters)
    rule = kind().resolve_rule()
    return schema.Algorithm(
        name=name,
        text=described(kind).summary,
        parameters=[p for p in known if p.name not in shared],
        common=[p for p in known if p.name in shared],
        classes="many" if "multiclass" in declared(kind) else "two",
        restarts=_restarts(name, kind, rule),
        proof=isinstance(rule, rules.Plain) and not _kernel(kind),
        fixed=_fixed(kind),
    )


def _restarts(name: str, kind: type, rule: Any) -> str | None:
    """Why a member cannot go on from the weights of another moment; None if it can."""
    if _kernel(kind):
        return (
            f"{name} has no weights on coordinates: its hypothesis is a sum over the points it "
            "remembers, and moves when they are moved."
        )
    if getattr(rule, "needs_dual", False):
        return (
            f"{name} can take back what each point has contributed, and weights do not tell how "
            "much that was."
        )
    return None


def _control(parameter: Parameter) -> schema.Parameter:
    kind = parameter.kind
    return schema.Parameter(
        name=parameter.name,
        kind=kind.control,
        default="inf" if parameter.default == inf else parameter.default,
        text=parameter.text,
        choices=[choice for choice in kind.choices if choice != NEEDS_A_MATRIX],
        nullable=kind.nullable,
        bounds=_bounds(kind),
    )


def _bounds(kind: Any) -> schema.Bounds | None:
    """Return what a number must be; None for what is no number."""
    if isinstance(kind, Integer):
        return schema.Bounds(least=kind.least)
    if not isinstance(kind, Real):
        return None
    return schema.Bounds(
        above=kind.above, least=kind.least, below=kind.below, most=kind.most,
        infinite=kind.infinite,
    )  # fmt: skip


def _ranges(ranges: Any) -> list[schema.Parameter]:
    return [
        schema.Parameter(
            name=name,
            kind="integer" if r.is_integer else "number",
            default=int(r.default) if r.is_integer else r.default,
            text=r.text,
            low=r.low,
            high=r.high,
            step=r.step,
        )
        for name, r in ranges.items()
    ]


def _is_whole(value: float) -> bool:
    """Return whether a number is an integer that a browser can express."""
    return value.is_integer() and abs(value) <= 2**53


def _value(parameter: Parameter, value: Any) -> Any:
    """Return a value that came as JSON as the estimator expects it."""
    control = _control(parameter)
    if value == "inf":
        value = inf
    elif control.kind == "integer" and isinstance(value, float) and _is_whole(value):
        value = int(value)  # a browser has one type of numbers
    value = parameter.check(value)
    if isinstance(parameter.kind, Anything) and value not in control.choices:
        choices = ", ".join(str(choice) for choice in control.choices)
        raise ValueError(f"{parameter.name}={value!r} is not known; take one of {choices}.")
    return value
