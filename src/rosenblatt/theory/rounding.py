"""Bounds on rounding errors, so that what a run reports as proved is proved.

The error of a sum of n products in double precision is at most about n·u times the product of the
norms, with u = 2^-53, plus n·2^-1074 for underflow (Higham 2002, chapter 3). The bounds here are
not sharp, but simple.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import inf, sqrt

from rosenblatt.theory.verbs import inner

UNIT = 2.0**-53  # relative error of a rounded number
TINY = 2.0**-1074  # absolute error of a rounded number that underflows


@inner
def longest(norm2: float, terms: int) -> float:
    """Bound a norm from above, given its square as a computed sum of `terms` squares."""
    return sqrt(max(norm2, 0.0) * (1.0 + 4 * (terms + 16) * UNIT) + terms * TINY) * (1.0 + 4 * UNIT)


def margin_error(radius: float, length: float, terms: int) -> float:
    """Bound the error of a computed <w, x> with |x| <= radius and |w| <= length."""
    return 2 * (terms + 3) * UNIT * radius * length + 2 * terms * TINY


@inner
def drift(updates: int, scores: int, reach: float, terms: int, least: float) -> float:
    """Bound what some updates may add to |computed w - exact w|/(sum of the steps).

    An update rounds each coordinate with a relative error of a few u, and neither w nor the example
    is longer than `reach` times the sum of the steps, which has an error of a few u as well. Tiny
    coordinates lose up to 2^-1074 each; the sum of the steps is at least `least`.
    """
    relative = (8 * updates + 4 * (scores + 8)) * UNIT * reach
    absolute = 8 * updates * sqrt(terms) * TINY / least if least < inf else 0.0
    return relative + absolute


@inner
def carried(updates: int, reach: float, terms: int) -> float:
    """Bound the error of <w, w>/(sum of the steps)² after it was updated by algebra.

    c²·<w, w> + 2·a·c·m + a²·q adds up the errors of m and q, each a sum of `terms` products.
    """
    return (4 * terms + 64) * updates * UNIT * reach * reach


@inner
def ceiling(norm2: float, steps: float, drifted: float, terms: int) -> float:
    """Bound every margin from above: |w|/(sum of the steps), plus rounding errors.

    If w is the sum of steps >= 0 times signed examples, and a unit vector u has margin g on all
    of them, then g·(sum of the steps) <= <u, w> <= |w|.
    """
    if not steps > 0.0:
        return inf
    return (longest(norm2, terms) / steps + drifted) * (1.0 + 16 * UNIT)


def floor(low: float, error: float, length: float) -> float:
    """Bound the margin of a hypothesis from below: its least margin over its norm."""
    return (low - error) / length * (1.0 - 4 * UNIT) if low > error else -inf


def at_most(bound: float, digits: int = 4) -> str:
    """Format an upper bound, rounded up."""
    return _rounded(bound, digits, ROUND_CEILING)


def at_least(bound: float, digits: int = 4) -> str:
    """Format a lower bound, rounded down."""
    return _rounded(bound, digits, ROUND_FLOOR)


def _rounded(number: float, digits: int, way: str) -> str:
    nearest = f"{number:.{digits}g}"
    if float(nearest) == number:
        return nearest
    short = Context(prec=digits, rounding=way).create_decimal(Decimal(number))
    return f"{float(short):.{digits}g}"
