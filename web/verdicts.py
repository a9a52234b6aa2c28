"""Write verdicts of the library, for the page to equal: `python -m web.verdicts`.

Most sets are on small grids, so that points coincide, lie on a line or on a touching hull, and
labels contradict each other; others have coordinates of any size, and more classes than two.
"""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog
from web.exact_margin import Signed, signed_examples, squared_margin

from rosenblatt.proofs.checker.certificate import Certificate
from rosenblatt.proofs.checker.problem import sqrt_above, sqrt_below
from rosenblatt.proofs.search import max_margin

FILE = Path(__file__).parent / "tests" / "verdicts.json"
CASES = 10_000
GAP = 1e-13  # relative width of a bracket; floats allow no less
Draw = tuple[Any, Any]


def on_grid(rng: np.random.Generator) -> Draw:
    """Return points on a small grid with labels at random, perhaps all alike."""
    n, side = int(rng.integers(2, 13)), int(rng.integers(1, 5))
    points = rng.integers(-side, side + 1, (n, 2)).astype(float)
    return points, rng.integers(0, 2, n)


def beside_a_line(rng: np.random.Generator) -> Draw:
    """Return points of a grid, labelled by a line that may pass through some of them."""
    points, _ = on_grid(rng)
    w, b = rng.integers(-2, 3, 2), int(rng.integers(-2, 3))
    scores = points @ w + b
    return points, np.where(scores == 0, rng.integers(0, 2, len(points)), scores > 0)


def of_any_size(rng: np.random.Generator) -> Draw:
    """Return points with all digits of a float, in units from millionths to thousands."""
    n = int(rng.integers(2, 40))
    points = rng.normal(size=(n, 2)) * 10.0 ** rng.integers(-6, 4)
    flat = np.abs(points @ rng.normal(size=2)) > rng.choice([0.0, 0.1, 0.5]) * points.std()
    points = points[flat] if flat.sum() > 1 else points
    line = rng.normal(size=2)
    labels = points @ line > rng.normal() * 0.1 * points.std()
    return points, labels ^ (rng.random(len(points)) < rng.choice([0.0, 0.0, 0.1]))


def of_three_classes(rng: np.random.Generator) -> Draw:
    """Return points of three or four classes around their centres, some on a grid."""
    n, classes = int(rng.integers(3, 11)), int(rng.integers(3, 5))
    labels = np.arange(n) % classes
    centres = rng.integers(-4, 5, (classes, 2))
    spread = rng.integers(-1, 2, (n, 2)) if rng.random() < 0.7 else rng.normal(size=(n, 2))
    return (centres[labels] + spread).astype(float), labels


KINDS = (on_grid, beside_a_line, beside_a_line, of_any_size, of_three_classes)


def case(number: int) -> dict[str, Any]:
    """Return a set with what the library proves of it, and what is true of its margin."""
    rng = np.random.default_rng(number)
    points, labels = KINDS[number % len(KINDS)](rng)
    biased, scaling = bool(rng.random() < 0.6), float(rng.choice([1.0, 1.0, 0.1, 3.0]))
    labels = np.asarray(labels, int).tolist()
    found = max_margin(points, labels, GAP, fit_intercept=biased, intercept_scaling=scaling)
    signed = signed_examples(points.tolist(), labels, scaling if biased else 0)
    silent = found.verdict == "inseparable" and found.weakly_separable is None
    return {
        "points": points.tolist(), "labels": labels,
        "fit_intercept": biased, "intercept_scaling": scaling, "verdict": found.verdict,
        "weak": found.weakly_separable, "balanced": balanced(signed) if silent else None,
        "radius": found.radius, "bound": found.mistake_bound,
        "bracket": [float(end) for end in found.margin_bracket], "statement": found.statement(),
        "exact": exactly(signed, found) if found.verdict == "separable" else None,
    }  # fmt: skip


def exactly(signed: Signed, found: Certificate) -> dict[str, Any]:
    """Return the neighbouring floats of the best margin and of the radius, and the bound."""
    rivals = found.rivals.tolist() or [-1] * len(found.support)
    margin2 = squared_margin(signed, list(zip(found.support.tolist(), rivals, strict=True)))
    radius2 = max(sum(v * v for v in z) for z in signed.values())
    return {
        "margin": [sqrt_below(margin2), sqrt_above(margin2)],
        "radius": sqrt_above(Fraction(radius2)), "bound": floor(radius2 / margin2),
    }  # fmt: skip


def balanced(signed: Signed) -> bool:
    """Return whether some zero combination has a share of every signed example.

    If so, and only then, examples are neither separable nor weakly separable (Stiemke 1915). It
    is asked where the library does not tell.
    """
    vectors = np.array(list(signed.values()), float)
    n, width = vectors.shape
    # The largest share that all can have: of an order with 1/n, or zero.
    solved = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.column_stack([-np.eye(n), np.ones(n)]), b_ub=np.zeros(n),
        A_eq=np.column_stack([np.vstack([vectors.T, np.ones(n)]), np.zeros(width + 1)]),
        b_eq=np.append(np.zeros(width), 1.0),
    )  # fmt: skip
    return bool(solved.status == 0 and solved.x[-1] > 1e-6)


def main() -> None:
    """Write the file."""
    cases = [case(number) for number in range(CASES)]
    FILE.write_text(json.dumps(cases, allow_nan=False))
    counted = Counter((one["verdict"], one["weak"]) for one in cases)
    print(f"wrote {FILE.name}: {FILE.stat().st_size:,} bytes, {dict(counted)}")


if __name__ == "__main__":
    main()
