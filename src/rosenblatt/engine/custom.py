"""A rule by its name, as a record, or as a user's own function of `Look`."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from functools import cache
from keyword import iskeyword
from typing import Any

from rosenblatt.theory import verbs
from rosenblatt.theory.rules import RULES, Look, step


def rule(given: Any) -> Any:
    """The rule that a name, a record or a function stands for."""
    if isinstance(given, str):
        if given not in RULES:
            raise ValueError(f"rule={given!r} is not known; take one of {', '.join(RULES)}.")
        return RULES[given]()
    if type(given) in step.bodies:
        return given
    if callable(given):
        return _record(given)()
    raise TypeError(
        f"rule={given!r} is not a rule; give a name ({', '.join(RULES)}), a record of "
        "rosenblatt.RULES, or a function of Look that returns (a, c)."
    )


_names: dict[str, int] = {}


@cache
def _record(function: Callable[[Look], Any]) -> type:
    """A record type whose step is the user's function; tried out once in plain Python."""
    name = getattr(function, "__name__", "rule").strip("_<>")
    name = name if name.isidentifier() and not iskeyword(name) else "rule"
    tried = function(Look(m=0.0, q=1.0, norm2=0.0, b=0.0, t=0, k=0, step_sum=0.0, y=1.0))
    if not (isinstance(tried, tuple) and len(tried) == 2):
        raise TypeError(f"the rule {name} must return (a, c), for w <- c·w + a·y·x; got {tried!r}.")
    _names[name] = _names.get(name, 0) + 1
    # Compiled code is distinguished by the names of its types: a function defined anew, as in a
    # notebook, must not be taken for its former self.
    own = name if _names[name] == 1 else f"{name}_{_names[name]}"
    home = getattr(function, "__module__", None) or "__main__"
    record = namedtuple(own, [], module=home)  # type: ignore[misc]

    verbs.inner(function)

    def body(record: Any, s: Look) -> tuple[float, float]:
        a, c = function(s)
        return float(a), float(c)

    step.of(record)(body)
    return record
