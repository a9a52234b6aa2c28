"""All that can be chosen in the lab, read off the estimators' signatures and documentation."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from math import inf
from typing import Any

from rosenblatt.data import TOYS
from rosenblatt.estimators import MEMBERS
from rosenblatt.lab import schema
from rosenblatt.theory import rules
from rosenblatt.theory.budgets import BUDGETS
from rosenblatt.theory.orders import ORDERS
from rosenblatt.theory.readouts import READOUTS
from rosenblatt.theory.rules import RULES
from rosenblatt.version import __version__

UPDATES, SECONDS = 100_000, 8.0  # of one run, at most

# What is about the machine, about examples held out, or not a plain value.
HIDDEN = frozenset({
    "class_weight", "count_errors", "early_stopping", "journal_size", "kernel_params", "n_jobs",
    "n_iter_no_change", "random_state", "validation_fraction", "verbose", "warm_start",
    "block_size", "threshold",
})  # fmt: skip
COMMON = ("readout", "max_iter", "fit_intercept", "intercept_scaling", "shuffle", "order",
          "multiclass", "scheme")  # fmt: skip


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
            updates=UPDATES, seconds=SECONDS,
        ),
    )  # fmt: skip


def estimator(algorithm: str, given: dict[str, Any], seed: int) -> Any:
    """An estimator by name, with checked parameters."""
    if algorithm not in MEMBERS:
        raise ValueError(f"{algorithm!r} is no member of the family; see the registry.")
    known = {p.name: p for p in parameters(MEMBERS[algorithm])}
    for name in given:
        if name not in known:
            raise ValueError(f"{algorithm} has no parameter {name!r} in the lab.")
    values = {name: _value(known[name], value) for name, value in given.items()}
    return MEMBERS[algorithm](**values, random_state=seed, journal_size=4 * UPDATES)


def parameters(kind: type) -> list[schema.Parameter]:
    """The parameters of an estimator, its own first."""
    signature = inspect.signature(kind.__init__).parameters  # type: ignore[misc]
    texts = _texts(inspect.getdoc(kind) or "")
    return [
        _parameter(kind, name, p.default, *texts.get(name, ("", "")))
        for name, p in signature.items()
        if name != "self" and name not in HIDDEN
    ]


def _kernel(kind: type) -> bool:
    return hasattr(kind, "_similarity")


def _algorithm(name: str, kind: type) -> schema.Algorithm:
    known = parameters(kind)
    rule = kind()._rule()
    names = {p.name: p for p in known}
    many = "multiclass" in names
    about = (inspect.getdoc(kind) or "").partition("\n")[0]
    return schema.Algorithm(
        name=name,
        text=about,
        parameters=[p for p in known if p.name not in COMMON],
        common=[p for p in known if p.name in COMMON],
        classes="many" if many else "two",
        restarts=_restarts(name, kind, rule),
        proof=isinstance(rule, rules.Plain) and not _kernel(kind),
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


def _texts(doc: str) -> dict[str, tuple[str, str]]:
    """Kind and explanation of each documented parameter."""
    block = doc.partition("Parameters\n----------\n")[2].partition("\nAttributes\n")[0]
    found = {}
    for entry in re.split(r"^(?=\S)", block, flags=re.MULTILINE):
        head, _, text = entry.partition("\n")
        name, _, kind = head.partition(" : ")
        found[name.strip()] = (kind, " ".join(text.split()))
    return found


def _parameter(kind: type, name: str, default: Any, told: str, text: str) -> schema.Parameter:
    choices: list[Any] = []
    braces = re.search(r"\{(.*?)\}", told)
    words = re.findall(r'"([^"]*)"', told.partition(", default")[0])
    if name == "rule":
        choices = [
            n for n, r in RULES.items()
            if not (_kernel(kind) and (rules.prior(r()) or _mirrored(r())))
        ]  # fmt: skip
    elif name == "readout":
        choices = list(kind._readouts)  # type: ignore[attr-defined]
    elif name == "budget_policy":
        choices = list(BUDGETS)
    elif name == "order":
        choices = [None, *ORDERS]
    elif braces:
        choices = [c for c in ast.literal_eval(f"[{braces[1]}]") if c != "precomputed"]
    elif words:
        choices = words
    if choices:
        shape = "choice"
    elif isinstance(default, bool):
        shape = "boolean"
    elif told.startswith("int") or (isinstance(default, int) and "float" not in told):
        shape = "integer"
    else:
        shape = "number"
    return schema.Parameter(
        name=name,
        kind=shape,  # type: ignore[arg-type]
        default="inf" if default == inf else default,
        text=text,
        choices=choices,
        nullable="None" in told or default is None,
    )


def _mirrored(rule: Any) -> bool:
    return getattr(rule, "p", 2.0) != 2.0


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


def _value(parameter: schema.Parameter, value: Any) -> Any:
    """A value that came as JSON, as the estimator wants it."""
    name = parameter.name
    if value is None:
        if not parameter.nullable:
            raise ValueError(f"{name} must have a value.")
        return None
    if parameter.kind == "choice":
        # True equals 1 in Python, but is no choice of it.
        if any(value == c and isinstance(value, bool) == isinstance(c, bool)
               for c in parameter.choices):  # fmt: skip
            return value
        if isinstance(parameter.default, str) and _real(value) and name == "p":
            return float(value)
        raise ValueError(
            f"{name}={value!r} is not known; take one of "
            f"{', '.join(str(c) for c in parameter.choices)}."
        )
    if parameter.kind == "boolean":
        if not isinstance(value, bool):
            raise ValueError(f"{name}={value!r} must be true or false.")
        return value
    if value == "inf":
        return inf
    if not _real(value):
        raise ValueError(f"{name}={value!r} must be a number.")
    if parameter.kind == "integer":
        if value != int(value):
            raise ValueError(f"{name}={value!r} must be a whole number.")
        return int(value)
    return float(value)


def _real(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
