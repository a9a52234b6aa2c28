"""Toy sets in the plane whose margin, radius and noise are exactly known.

    >>> toy = TOYS["halfplanes"].make(n=40, margin=0.1, seed=0)
    >>> toy.X.shape, toy.margin, toy.radius
    ((40, 2), 0.1, 1.0)

Labels are -1 and +1 with two classes, 0, 1, ... with more. Equal parameters give equal sets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import erfc, floor, pi, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Range(NamedTuple):
    """A parameter of a generator: its default, its range, and a description."""

    default: float
    low: float
    high: float
    step: float
    text: str

    @property
    def is_integer(self) -> bool:
        return float(self.step).is_integer() and float(self.low).is_integer()


@dataclass(frozen=True)
class Toy:
    """Labelled points, and what is known about them."""

    X: Array
    y: Array
    margin: float | None = None  # the largest possible, before noise and outliers
    radius: float | None = None  # the largest distance from the origin, without outliers
    separator: tuple[float, ...] | None = None  # weights of the best line through the origin
    noise: float | None = None  # the least error of any classifier, if known


@dataclass(frozen=True)
class Generator:
    """A kind of toy set: its parameters with their ranges, and the function that draws it."""

    name: str
    text: str
    ranges: dict[str, Range]
    draw: Callable[..., Toy]

    def make(self, seed: int = 0, **given: float) -> Toy:
        """Draw a set; parameters that are not given have their defaults."""
        values: dict[str, Any] = {}
        for name in given:
            if name not in self.ranges:
                raise ValueError(
                    f"{self.name} has no parameter {name!r}; choose from {', '.join(self.ranges)}."
                )
        for name, r in self.ranges.items():
            value = given.get(name, r.default)
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
                raise TypeError(f"{name}={value!r} must be a number.")
            if not r.low <= value <= r.high:
                raise ValueError(f"{name}={value:g} must be from {r.low:g} to {r.high:g}.")
            if r.is_integer and value != floor(value):
                raise ValueError(f"{name}={value:g} must be an integer.")
            values[name] = int(value) if r.is_integer else float(value)
        return self.draw(np.random.default_rng(seed), **values)


TOYS: dict[str, Generator] = {}
"""Generators by name."""

SIZE = Range(40, 4, 2000, 1, "points")
NOISE = Range(0.0, 0.0, 0.45, 0.01, "share of flipped labels")


def toy(**ranges: Range) -> Callable[[Callable[..., Toy]], Callable[..., Toy]]:
    """Register a generator under the name of its function."""

    def register(draw: Callable[..., Toy]) -> Callable[..., Toy]:
        text = (draw.__doc__ or "").partition("\n")[0].strip()
        TOYS[draw.__name__] = Generator(draw.__name__, text, ranges, draw)
        return draw

    return register


@toy(
    n=SIZE,
    margin=Range(0.1, 0.005, 0.9, 0.005, "distance of the nearest points from the best line"),
    radius=Range(1.0, 0.1, 10.0, 0.1, "distance of the farthest points from the origin"),
    balance=Range(0.5, 0.1, 0.9, 0.05, "share of positive points"),
    noise=NOISE,
    outliers=Range(0, 0, 20, 1, "points far out on the wrong side"),
)
def halfplanes(
    rng: np.random.Generator, n: int, margin: float, radius: float, balance: float, noise: float,
    outliers: int,
) -> Toy:  # fmt: skip
    """Two classes on either side of a line, with exactly this margin and radius.

    Two points fix both: x = margin·u + s·v of one class and -margin·u + s·v of the other, where u
    is the line's normal, v is parallel to the line, and |x| is the radius. Signed, with any
    constant feature added, their mean is margin·u; so no hypothesis has a larger margin than u.
    """
    if margin >= radius:
        raise ValueError(f"margin={margin:g} must be less than the radius, {radius:g}.")
    angle = rng.uniform(0, 2 * pi)
    u = np.array([np.cos(angle), np.sin(angle)])
    v = np.array([-u[1], u[0]])
    reach = sqrt(radius**2 - margin**2) * (1.0 if rng.random() < 0.5 else -1.0)
    positives = min(n - 1, max(1, round(n * balance)))
    y = np.where(np.arange(n) < positives, 1, -1)
    X = np.empty((n, 2))
    for k in range(n):
        while True:
            x = rng.uniform(-radius, radius, 2)
            along = y[k] * float(x @ u)
            # A little above the margin, which only the two points below have.
            if x @ x <= radius**2 and margin * 1.02 <= along:
                break
            if y[k] * along < -margin * 1.02 and x @ x <= radius**2:
                x = x - 2 * float(x @ u) * u  # its mirror image is as likely
                if y[k] * float(x @ u) >= margin * 1.02:
                    break
            if margin > 0.6 * radius:
                # Few draws would be accepted: draw within the circular segment.
                far = rng.uniform(min(margin * 1.02, radius), radius)
                wide = sqrt(max(radius**2 - far**2, 0.0))
                x = y[k] * far * u + rng.uniform(-wide, wide) * v
                break
        X[k] = x
    X[0], X[positives] = margin * u + reach * v, -margin * u + reach * v
    y = _flipped(rng, y, noise)
    out = min(outliers, n)
    if out:
        chosen = rng.permutation(n)[:out]
        side = np.where(rng.random(out) < 0.5, 1, -1)
        away = radius * rng.uniform(1.2, 1.8, out)
        turn = rng.normal(0.0, 0.35, out)
        ring = np.outer(np.cos(turn) * side, u) + np.outer(np.sin(turn), v)
        X[chosen], y[chosen] = ring * away[:, None], -side
    order = rng.permutation(n)
    return Toy(X[order], y[order], margin, radius, tuple(u.tolist()), noise)


@toy(
    n=SIZE,
    distance=Range(2.5, 0.0, 8.0, 0.1, "between the two centres, in standard deviations"),
    balance=Range(0.5, 0.1, 0.9, 0.05, "share of positive points"),
    shift=Range(0.0, -3.0, 3.0, 0.1, "of both clouds, along the line of their centres"),
    noise=NOISE,
)
def gaussians(
    rng: np.random.Generator, n: int, distance: float, balance: float, shift: float, noise: float
) -> Toy:
    """Two Gaussian clouds that overlap; the least error of any classifier is known."""
    positives = min(n - 1, max(1, round(n * balance)))
    y = np.where(np.arange(n) < positives, 1, -1)
    X = rng.normal(0.0, 0.4, (n, 2))
    X[:, 0] += y * 0.2 * distance + shift
    least = None
    if balance == 0.5:
        clean = 0.5 * erfc(distance / 2 / sqrt(2))
        least = noise + (1 - 2 * noise) * clean
    y = _flipped(rng, y, noise)
    order = rng.permutation(n)
    return Toy(X[order], y[order], noise=least)


@toy(n=SIZE, spread=Range(0.22, 0.0, 0.6, 0.01, "of the four clouds"), noise=NOISE)
def xor(rng: np.random.Generator, n: int, spread: float, noise: float) -> Toy:
    """Four clouds in a square, opposite ones of one class: no line separates them."""
    corner = np.arange(n) % 4
    centres = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]) * 0.6
    X = centres[corner] + rng.normal(0.0, spread, (n, 2))
    return Toy(X, _flipped(rng, np.where(corner % 2 == 0, 1, -1), noise), noise=None)


@toy(
    n=SIZE,
    gap=Range(0.35, 0.05, 0.6, 0.05, "between the disc and the ring"),
    noise=NOISE,
)
def rings(rng: np.random.Generator, n: int, gap: float, noise: float) -> Toy:
    """A disc inside a ring."""
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    inner = 0.65 - gap / 2
    low = np.where(y > 0, 0.0, (inner + gap) ** 2)
    high = np.where(y > 0, inner**2, 1.0 + 0.0 * y)
    far, turn = np.sqrt(rng.uniform(low, np.maximum(high, low))), rng.uniform(0, 2 * pi, n)
    X = np.column_stack([far * np.cos(turn), far * np.sin(turn)])
    return Toy(X, _flipped(rng, y, noise), radius=1.0)


@toy(n=SIZE, turns=Range(1.0, 0.25, 2.0, 0.25, "of each arm"), noise=NOISE)
def spirals(rng: np.random.Generator, n: int, turns: float, noise: float) -> Toy:
    """Two arms wound round each other."""
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    along = np.sqrt(rng.uniform(0.02, 1.0, n))
    turn = 2 * pi * turns * along + np.where(y > 0, 0.0, pi)
    X = np.column_stack([along * np.cos(turn), along * np.sin(turn)])
    return Toy(X + rng.normal(0.0, 0.015, X.shape), _flipped(rng, y, noise))


@toy(
    n=SIZE,
    classes=Range(3, 2, 8, 1, "of the clouds"),
    spread=Range(0.2, 0.02, 0.8, 0.01, "of each cloud"),
    noise=NOISE,
)
def clouds(rng: np.random.Generator, n: int, classes: int, spread: float, noise: float) -> Toy:
    """One cloud per class, around the origin."""
    y = np.arange(n) % classes
    turn = 2 * pi * y / classes + 0.4
    X = 0.8 * np.column_stack([np.cos(turn), np.sin(turn)]) + rng.normal(0.0, spread, (n, 2))
    wrong = rng.permutation(n)[: floor(n * noise)]
    y[wrong] = (y[wrong] + rng.integers(1, classes, len(wrong))) % classes
    return Toy(X, 2 * y - 1 if classes == 2 else y)


@toy(
    n=Range(50, 10, 150, 1, "points"),
    wedge=Range(0.1, 0.0, 0.5, 0.01, "share of the height that is left free beside the line"),
    noise=Range(0.0, 0.0, 0.4, 0.01, "share of flipped labels"),
)
def wedge(rng: np.random.Generator, n: int, wedge: float, noise: float) -> Toy:
    """Points above and below a line, the gap a wedge that closes at the origin."""
    slope = rng.uniform(0.1, 1.1) if rng.random() < 0.5 else rng.uniform(1.0, 3.0)
    y = np.where(np.arange(n) % 2 == 0, 1, -1)
    free = max(wedge, 0.03)
    X = np.empty((n, 2))
    for k in range(n):
        while True:
            x = rng.uniform(0.0, 1.0, 2)
            above = x[1] * (1 - free) > slope * x[0]
            below = x[1] < slope * x[0] * (1 - free)
            if (above if y[k] > 0 else below) and x @ x > 1e-4:
                break
        X[k] = x
    u = np.array([-slope, 1.0]) / sqrt(1 + slope**2)
    order = rng.permutation(n)
    return Toy(X[order], _flipped(rng, y, noise)[order], separator=tuple(u.tolist()), noise=noise)


def _flipped(rng: np.random.Generator, y: Array, noise: float) -> Array:
    """Flip this share of the labels, rounded down to an integer number."""
    wrong = rng.permutation(len(y))[: floor(len(y) * noise)]
    y = y.copy()
    y[wrong] *= -1
    return y
