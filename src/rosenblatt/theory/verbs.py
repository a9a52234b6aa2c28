"""A verb is a function whose body is chosen by the type of its first argument.

The same bodies serve plain Python and compiled code: here a verb is an ordinary function that looks
its body up in a table; `compiled` tells Numba to make the same choice while it compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Body = Callable[..., Any]

VERBS: list[Any] = []
"""Every verb, for `compiled` to register."""

INNER: list[Body] = []
"""Ordinary functions that compiled code calls, for `compiled` to register."""

REDUCTIONS: list[Body] = []
"""Functions whose sums may be reassociated, for `compiled` to register."""


def verb(default: Body) -> Any:
    """Make a verb; the decorated function is the body for records that have none of their own."""
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
    """Mark a sum that the compiler may take in any order: that is what lets it use vector units."""
    REDUCTIONS.append(function)
    return function


def inner(function: Body) -> Body:
    """Mark a function that compiled code calls."""
    INNER.append(function)
    return function
