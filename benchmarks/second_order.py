"""What variances cost and what they bring: passes of AROW beside the plain rule, and test errors.

Rounds alternate and the best of each counts.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks import data, tables
from benchmarks.clock import best
from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.theory import rules

BAR = 3.0
NOTE = (
    "Two classes, constant feature, diagonal covariance, r = 1. A pass is timed without counting "
    "the errors left after it, on one thread; rounds alternate, the best of each counts. Test "
    "errors are of one pass in one random order, in per cent. AROW updates wherever the margin is "
    f"below 1, the plain rule on mistakes only. The bar: at most {BAR:g} times a plain pass."
)
COLUMNS = [
    "data", "order", "plain", "AROW", "ratio", "holds", "plain error", "averaged error",
    "AROW error",
]  # fmt: skip


def sets() -> dict[str, Any]:
    """Adult, and one newsgroup against the rest."""
    news, labels, news_test, labels_test = data.newsgroups()
    first = labels[0]
    return {
        "a9a": data.a9a(),
        "20 Newsgroups TF-IDF": (
            news, np.where(labels == first, 1, -1),
            news_test, np.where(labels_test == first, 1, -1),
        ),
    }  # fmt: skip


def passes(X: Any, y: Any, order: str) -> dict[str, float]:
    """Seconds of one pass with either rule."""
    base, signs = inputs.binary_space(X, 1.0), inputs.signs(y, 1)
    arow = rules.Arow()
    places = {"plain": (rules.Plain(), base), "arow": (arow, inputs.variance_space(base, arow))}
    runs = {
        name: Run(rule, space, signs, order=order, rng=0) for name, (rule, space) in places.items()
    }
    return best({name: run.advance for name, run in runs.items()}, rounds=25)


def error(kind: Any, X: Any, y: Any, X_test: Any, y_test: Any) -> str:
    """Test error after one pass, in per cent."""
    clf = kind(max_iter=1, random_state=0).fit(X, y)
    return f"{100 * (1 - clf.score(X_test, y_test)):.1f}"


def main() -> None:
    """Measure and record the table."""
    warnings.simplefilter("ignore")
    rows = []
    with threadpool_limits(1):
        for name, (X, y, X_test, y_test) in sets().items():
            kinds = (rb.Perceptron, rb.AveragedPerceptron, rb.AROW)
            errors = [error(kind, X, y, X_test, y_test) for kind in kinds]
            for order in ("cyclic", "shuffled"):
                times = passes(X, y, order)
                ratio = times["arow"] / times["plain"]
                figures = [
                    f"{1e3 * times['plain']:.2f} ms", f"{1e3 * times['arow']:.2f} ms",
                    f"{ratio:.2f} x", "yes" if ratio <= BAR else "NO",
                ]  # fmt: skip
                line = [name, order, *figures, *errors]
                rows.append(dict(zip(COLUMNS, line, strict=True)))
                print(line, flush=True)
    title = "Second order: the cost of variances, and what they bring"
    tables.record("second_order", title, NOTE, COLUMNS, rows)


if __name__ == "__main__":
    main()
