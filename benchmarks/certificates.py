"""Certificates: what is proved of real and made-up data, how fast, and the margin against libsvm.

Times are the best of several calls in one process that has its kernels loaded.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import scale
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks import data, tables
from benchmarks.speed import best
from rosenblatt.proofs.checker import read_problem
from rosenblatt.proofs.search import Evidence

GAP = 1e-6


def half_spaces(n: int, d: int, apart: float = 0.0, wrong: int = 0) -> tuple[Any, Any]:
    """Gaussian points on both sides of a hyperplane, moved apart, some with the wrong label."""
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    y = np.where(X @ w > 0, 1, -1)
    X += apart * np.outer(y, w / np.linalg.norm(w))
    y[:wrong] *= -1
    return X, y


def timed(function: Callable[[], Any], rounds: int = 3) -> tuple[float, Any]:
    """Least seconds of some calls, and the result."""
    times, result = [], None
    for _ in range(rounds):
        started = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - started)
    return min(times), result


def proofs() -> list[dict[str, Any]]:
    """Data sets, with the verdict, the time to find it and the time to check it."""
    digits, cancer = load_digits(return_X_y=True), load_breast_cancer(return_X_y=True)
    news = data.newsgroups()[:2]
    cases: list[tuple[str, Any, dict[str, Any], float | None]] = [
        ("sonar, 208 x 60", data.sonar(), {}, 1.0),
        ("ionosphere, 351 x 34", data.ionosphere(), {}, None),
        ("breast cancer, standardised", (scale(cancer[0]), cancer[1]), {}, None),
        ("digits, ten classes (Kesler)", digits, {}, None),
        ("digits, each class against the rest", digits, {"multiclass": "ovr"}, None),
        ("100,000 x 50, separable", half_spaces(100_000, 50), {}, 20.0),
        ("100,000 x 50, 100 labels wrong", half_spaces(100_000, 50, wrong=100), {}, 20.0),
        ("20 Newsgroups TF-IDF, each against the rest", news, {"multiclass": "ovr"}, None),
    ]
    rows = []
    for what, (X, y), options, bar in cases:
        seconds, found = timed(
            lambda X=X, y=y, o=options: rb.certify(X, y, **o), 1 if options else 3
        )
        each = list(found.values()) if isinstance(found, dict) else [found]
        checking, _ = timed(lambda X=X, y=y, each=each: [rb.verify(c, X, y) for c in each], 1)
        rows.append(
            {
                "what": what,
                "proved": _verdicts(each),
                "certify": f"{seconds:.2f} s",
                "bar": "" if bar is None else f"<= {bar:g} s",
                "holds": "" if bar is None else "yes" if seconds <= bar else "NO",
                "verify": f"{checking:.2f} s",
            }
        )
    rows.append(_large())
    return rows


def _verdicts(each: list[Any]) -> str:
    if len(each) == 1:
        return str(each[0])
    count = sum(c.verdict == "separable" for c in each)
    rest = [str(c.target) for c in each if c.verdict == "inseparable"]
    return f"{count} separable, {len(rest)} not ({', '.join(rest)})"


def _large() -> dict[str, Any]:
    """The separator of a large set, checked; it is known, only the proof is timed."""
    rng = np.random.default_rng(0)
    X, weights = rng.standard_normal((60_000, 785)), rng.standard_normal(785)
    y = np.where(X @ weights > 0, 1, -1)
    evidence = Evidence(read_problem(X, y, fit_intercept=False))
    evidence.offer_hypothesis(weights[None], np.zeros(1))
    certificate = evidence.certificate()
    seconds, _ = timed(lambda: rb.verify(certificate, X, y))
    return {
        "what": "verification of a separator, 60,000 x 785",
        "proved": str(certificate),
        "bar": "<= 10 s",
        "holds": "yes" if seconds <= 10 else "NO",
        "verify": f"{seconds:.2f} s",
    }


def margins() -> list[dict[str, Any]]:
    """max_margin to 1e-6 against libsvm with the tolerance it needs for the same margin."""
    rows = []
    for apart in (0.0, 0.1, 0.3, 1.0):
        X, y = half_spaces(2_000, 100, apart)
        known = rb.max_margin(X, y, GAP, intercept_scaling=inf).margin_bracket[1]
        tolerance, reached = 1e-2, 1.0
        while reached > GAP and tolerance > 1e-8:
            tolerance /= 10
            reached = 1 - _margin(_svc(X, y, tolerance), X, y) / known
        times = best(
            {
                "ours": lambda X=X, y=y: rb.max_margin(X, y, GAP, intercept_scaling=inf),
                "svc": lambda X=X, y=y, t=tolerance: _svc(X, y, t),
            },
            rounds=5,
        )
        rows.append(
            {
                "margin": f"{known:.6f}",
                "ours": f"{times['ours'] * 1e3:.0f} ms",
                "libsvm": f"{times['svc'] * 1e3:.0f} ms",
                "its tolerance": f"{tolerance:.0e}",
                "it falls short by": f"{reached:.0e}",
                "ratio": f"{times['svc'] / times['ours']:.1f} faster",
                "bar": ">= 1",
                "holds": "yes" if times["ours"] <= times["svc"] else "NO",
            }
        )
    return rows


def _svc(X: Any, y: Any, tolerance: float) -> Any:
    return SVC(kernel="linear", C=1e10, tol=tolerance, cache_size=500).fit(X, y)


def _margin(model: Any, X: Any, y: Any) -> float:
    """Margin of its weights with the best intercept for them."""
    scores = X @ model.coef_[0]
    apart = scores[y > 0].min() - scores[y < 0].max()
    return float(apart / 2 / np.linalg.norm(model.coef_[0]))


def main() -> None:
    """Measure and record."""
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        rb.certify(np.eye(3), [0, 1, 0])  # load what is loaded once
        rows = proofs()
        tables.record(
            "certificates",
            "Certificates of separability",
            "All in: `certify` searches and proves, `verify` checks the file's content against the "
            "data in exact arithmetic. One thread.",
            ["what", "proved", "certify", "bar", "holds", "verify"],
            rows,
        )
        tables.record(
            "max_margin",
            "The largest margin, against a hard-margin support vector machine",
            "2,000 x 100, Gaussian classes moved apart; `max_margin(gap=1e-6, "
            'intercept_scaling=inf)` with its proof, and `SVC(kernel="linear", C=1e10)` with the '
            "largest tolerance (by tens) that comes within 1e-6 of the same margin, or the "
            "smallest tried.",
            ["margin", "ours", "libsvm", "its tolerance", "it falls short by", "ratio", "bar",
             "holds"],
            rows=margins(),
        )  # fmt: skip


if __name__ == "__main__":
    main()
