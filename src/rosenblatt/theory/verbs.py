"""Verbs: functions whose body is chosen by the type of their first argument.

The same bodies serve plain Python and compiled code: here a verb is an ordinary function that looks
its body up in a table; `rosenblatt.engine.execution.jit` lets Numba choose in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Body = Callable[..., Any]

VERBS: list[Any] = []
"""Every verb, for `engine.execution.jit` to register."""

INNER: list[Body] = []
"""Ordinary functions that compiled code calls, for `engine.execution.jit` to register."""

REDUCTIONS: list[Body] = []
"""Functions whose sums may be reassociated, for `engine.execution.jit` to register."""


def verb(default: Body) -> Any:
    """Make a verb; the decorated function is the body for all other records."""
    bodies: dict[type, Body] = {}

    def choose(record: Any, *rest: Any) -> Any:
        return bodies.get(type(record), default)(record, *rest)

    def of(*kinds: type) -> Callable[[Body], Body]:
        def register(body: Body) -> Body:
            bodies.update(dict.fromkeys(kinds, body))
            return body

        return register

    choose.__name__ = choose.__qualname__ = default.__name__
    choose.__doc__ = default.__doc__
    choose.of = of  # type: ignore[attr-defined]
    choose.bodies = bodies  # type: ignore[attr-defined]
    choose.default = default  # type: ignore[attr-defined]
    VERBS.append(choose)
    return choose


def reduction(function: Body) -> Body:
    """Mark a function whose sums may be reordered, so that vector units are used."""
    REDUCTIONS.append(function)
    return function


def inner(function: Body) -> Body:
    """Mark a function that compiled code calls."""
    INNER.append(function)
    return function
