"""LIBOL's table of one-pass mistake rates on svmguide3, measured with our estimators."""

from __future__ import annotations

import argparse
import statistics
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks import data, tables
from rosenblatt import (
    ALMA,
    AROW,
    NHERD,
    ROMMA,
    SCW,
    ConfidenceWeighted,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
)

Array = data.Array
Choices = dict[str, list[float]]

GRID = [2.0**exponent for exponent in range(-4, 5)]
ALPHAS = [round(0.55 + 0.05 * step, 2) for step in range(9)]

FULL = {"covariance": "full"}

# Estimator, fixed parameters, parameters to tune one after the other, published mean and sd.
ALGORITHMS: dict[str, tuple[Any, dict[str, Any], Choices, tuple[float, float]]] = {
    "Perceptron": (Perceptron, {}, {}, (0.332, 0.012)),
    "ROMMA": (ROMMA, {}, {}, (0.329, 0.019)),
    "aROMMA": (ROMMA, {"aggressive": True}, {}, (0.328, 0.018)),
    "ALMA": (ALMA, {}, {"C": GRID, "alpha": ALPHAS}, (0.230, 0.006)),
    "PA": (PassiveAggressive, {"variant": "PA"}, {}, (0.318, 0.013)),
    "PA-I": (PassiveAggressive, {"variant": "PA-I"}, {"C": GRID}, (0.236, 0.002)),
    "PA-II": (PassiveAggressive, {"variant": "PA-II"}, {"C": GRID}, (0.253, 0.007)),
    "SOP": (SecondOrderPerceptron, FULL, {}, (0.297, 0.012)),
    "CW": (ConfidenceWeighted, FULL, {"eta": ALPHAS}, (0.299, 0.011)),
    "NHERD": (NHERD, FULL, {"C": GRID}, (0.217, 0.007)),
    "AROW": (AROW, FULL, {"r": GRID}, (0.222, 0.004)),
    "SCW": (SCW, FULL | {"variant": "I", "eta": 0.75}, {"C": GRID, "eta": ALPHAS}, (0.206, 0.004)),
    "SCW2": (SCW, FULL | {"variant": "II", "eta": 0.9}, {"C": GRID, "eta": ALPHAS}, (0.212, 0.009)),
}

NOTE = """\
One pass from zero weights over each of {runs} random orders; the figure is mistakes while learning
over examples, mean ± standard deviation. Published: LIBOL manual 0.3.0, table 3. As in LIBOL's own
scripts there is no intercept and no scaling of the rows, covariances are full, and a parameter
takes the value with the fewest mistakes, the largest of equals: C or r from 2^-4 to 2^4, then
ALMA's alpha (p = 2) or eta from 0.55 to 0.95. LIBOL tunes on one further order, we on five: tuned
on the first of them alone, NHERD takes C = 0.125 and makes 0.232 ± 0.002. What still
differs is small: LIBOL takes a score of 0 for +1 where we count a mistake; its ROMMA starts
at y·x instead of y·x/|x|²; its ALMA takes the examples at their own lengths, where
the paper's and ours bring them to length 1; its SOP shrinks S at every visit, the paper's and ours
at mistakes; its SCW2 takes another root than the paper's. {verdict}"""


TUNING = 5  # orders to tune on


def orders(n: int, runs: int, seed: int = 0) -> tuple[list[Array], list[Array]]:
    """A few random orders to tune on and others to measure on."""
    rng = np.random.default_rng(seed)
    first, *rest = (rng.permutation(n) for _ in range(runs + TUNING))
    return [first, *rest[runs:]], rest[:runs]


def mistake_rate(kind: Any, X: Array, y: Array, order: Array, **parameters: Any) -> float:
    """Mistakes while learning in one pass, for each example."""
    clf = kind(fit_intercept=False, max_iter=1, order=order, count_errors=False, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # one pass is all that is wanted
        clf.fit(X, y)
    return float(clf.pass_mistakes_[0] / len(y))


def tuned(
    kind: Any, X: Array, y: Array, tries: list[Array], fixed: dict[str, Any], grids: Choices
) -> dict[str, Any]:
    """The fixed parameters and the best of each grid, tuned in turn."""
    chosen = dict(fixed)
    for name, grid in grids.items():
        rates = [
            sum(mistake_rate(kind, X, y, order, **chosen | {name: value}) for order in tries)
            for value in grid
        ]
        chosen[name] = max(v for v, rate in zip(grid, rates, strict=True) if rate == min(rates))
    return chosen


def measure(name: str, X: Array, y: Array, runs: int) -> tuple[list[float], dict[str, Any]]:
    """Mistake rates of an algorithm, and the parameters it was given."""
    kind, fixed, grids, _ = ALGORITHMS[name]
    first, rest = orders(len(y), runs)
    chosen = tuned(kind, X, y, first, fixed, grids)
    rates = [mistake_rate(kind, X, y, order, **chosen) for order in rest]
    return rates, {parameter: chosen[parameter] for parameter in grids}


def main() -> None:
    """Measure and record the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.svmguide3", description=__doc__)
    parser.add_argument("--runs", type=int, default=20, help="random orders (LIBOL: 20)")
    runs = parser.parse_args().runs
    X, y = data.svmguide3()
    rows, far = [], []
    for name, (_, _, _, (mean, sd)) in ALGORITHMS.items():
        rates, chosen = measure(name, X, y, runs)
        if abs(statistics.fmean(rates) - mean) > 2 * sd:
            far.append(name)
        rows.append(
            {
                "algorithm": name,
                "published": f"{mean:.3f} ± {sd:.3f}",
                "ours": tables.spread(rates, 3),
                "parameters": ", ".join(f"{k} = {v:g}" for k, v in chosen.items()),
            }
        )
        print(f"{name}: {rows[-1]['ours']}", flush=True)
    verdict = "More than two published standard deviations apart: " + (", ".join(far) or "none")
    tables.record(
        "svmguide3",
        "svmguide3: mistakes in one pass, beside LIBOL",
        " ".join(NOTE.format(runs=runs, verdict=f"{verdict}.").split("\n")),
        ["algorithm", "published", "ours", "parameters"],
        rows,
    )


if __name__ == "__main__":
    main()
