"""Rules by address: shipped, compiled just in time, or called back in plain Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from ctypes import c_void_p, cast
from functools import cache, lru_cache
from math import nan
from typing import Any

import numpy as np

from rosenblatt.engine.execution import shipped
from rosenblatt.engine.execution.call import can_compile
from rosenblatt.theory import rules
from rosenblatt.theory.rules.by_address import CODE, gain_from_look, plain_step, step_or_nan

Work = Callable[..., Any]


def by_address(rule: Any) -> rules.RuleByAddress:
    """Return a rule in the form that compiled loops call."""
    # Rules of different types may be equal as tuples.
    return _cached(type(rule), rule) if _is_hashable(rule) else _by_address(type(rule), rule)


def _is_hashable(rule: Any) -> bool:
    try:
        return hash(rule) is not None
    except TypeError:
        return False


def _by_address(kind: Any, rule: Any) -> rules.RuleByAddress:
    try:
        fields = np.array([float(number) for number in rule])
    except (TypeError, ValueError):
        raise TypeError(
            f"the parameters of the rule {type(rule).__name__} must be numbers; keep anything else "
            "in a space."
        ) from None
    has_variances = rules.prior_variance(rule) > 0
    return rules.RuleByAddress(
        step=_address(kind, plain_step if _ours(kind) else step_or_nan),
        confidence_gain=_address(kind, gain_from_look) if has_variances else 0,
        fields=fields,
        ball_radius2=float(rules.ball_radius2(rule)),
        margin_limit=float(rules.margin_limit(rule)),
        reads_norm2=bool(rules.reads_norm2(rule)),
        compares_unit_margins=bool(rules.compares_unit_margins(rule)),
        mean_shrinks=bool(rules.mean_shrinks(rule)),
    )


_cached: Any = lru_cache(256)(_by_address)


def symbol(kind: type, work: Work) -> str:
    """Return the name of the code of a function of a rule."""
    return f"{work.__name__}_{kind.__name__}"


def _ours(kind: type) -> bool:
    return kind.__module__.startswith("rosenblatt.")


@cache
def _address(kind: type, work: Work) -> int:
    """Return the address of a function of a rule."""
    library = shipped.library()
    if library is not None and _ours(kind):
        found = library.rule(symbol(kind, work))
        if found is not None:
            return found
    if can_compile():
        from rosenblatt.engine.execution import jit

        return jit.compile_rule(kind, work)
    if not _ours(kind):
        warnings.warn(
            f"The rule {kind.__name__} runs in plain Python, which is slow. To compile it: "
            'pip install "rosenblatt[jit]"',
            RuntimeWarning,
            stacklevel=3,
        )
    return cast(_callback(kind, work), c_void_p).value or 0


@cache
def _callback(kind: Any, work: Work) -> Any:
    """Return a C function that calls a rule in Python; kept, as loops know only its address."""

    def act(
        fields: Any, m: float, q: float, norm2: float, b: float, t: int, k: int, step_sum: float,
        y: float, out: Any,
    ) -> float:  # fmt: skip
        try:
            rule = kind(*fields[: len(kind._fields)])
            a, out[0] = work(rule, rules.Look(m, q, norm2, b, t, k, step_sum, y))
        except Exception:  # no exception can leave a loop
            return nan
        return float(a)

    return CODE(act)
