"""What is true of the data of a case, exactly; what a hypothesis really does on them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from tests.laws.claims.case import FLOATS, Case
from tests.oracles import exact
from tests.oracles.exact import Best, Matrix

UNIT = Fraction(1, 2**52)
TINY = Fraction(1, 2**1060)  # more than a few products that are below the range of floats lose


class Margin(NamedTuple):
    """The margin of an example, and what rounding may do to it where it is computed in floats."""

    value: Fraction
    slack: Fraction

    @property
    def wrong(self) -> bool:
        return self.value <= -self.slack

    @property
    def maybe_wrong(self) -> bool:
        return self.value <= self.slack


@dataclass(frozen=True)
class Hypothesis:
    """The margins of all examples, a list for each problem, and the squared length of each w."""

    margins: list[list[Margin]]
    squares: list[Fraction]

    @property
    def separates(self) -> bool:
        return all(m.value > 0 for problem in self.margins for m in problem)

    @property
    def errors(self) -> tuple[int, int]:
        """Errors at least and at most."""
        every = [m for problem in self.margins for m in problem]
        return sum(m.wrong for m in every), sum(m.maybe_wrong for m in every)


class Truth:
    """The examples behind a fitted estimator, as exact problems.

    Two classes and many with one rule are one problem; one class against the rest is a problem a
    class. Of a stream these are all the examples so far.
    """

    def __init__(self, case: Case, estimator: Any, rows: slice = slice(None)) -> None:
        self.case, options = case, estimator.get_params()
        learned = case.learned
        kept = np.arange(len(case.labels))
        if case.weights is not None:
            kept = kept[np.array(case.weights)[kept] > 0]
        kept = np.intersect1d(kept, np.arange(len(case.labels))[rows])
        self.kept = kept
        self.rows: Matrix = exact.fractions(learned[kept].tolist())
        self.classes = estimator.classes_.tolist()
        self.codes = [self.classes.index(case.labels[i]) for i in kept]
        self.kind = "binary" if len(self.classes) == 2 else options["multiclass"]
        scaling = Fraction(float(options["intercept_scaling"]))
        self.bias = scaling if options["fit_intercept"] else Fraction(0)
        fixed = not options["fit_intercept"] and "threshold" in options
        self.offset = Fraction(-float(options["threshold"])) if fixed else Fraction(0)
        self.kernel = options.get("kernel")
        self.p = _norm(case, options, len(self.rows[0]) + (self.bias != 0))
        self.options = options

    # --- the data -----------------------------------------------------------------------------

    @cached_property
    def signs(self) -> list[list[int]]:
        """Signs of the examples, a list for each problem of two classes."""
        positives = [1] if self.kind == "binary" else range(len(self.classes))
        return [[1 if code == one else -1 for code in self.codes] for one in positives]

    @cached_property
    def gram(self) -> Matrix:
        """Products of the examples, the constant feature included."""
        return self._similar(self.rows)

    def _similar(self, rows: Matrix) -> Matrix:
        if self.kernel == "precomputed":
            table = [[row[j] for j in self.kept] for row in rows]
        elif self.kernel is None:
            table = exact.products(rows)
        else:
            gamma = self.options["gamma"]
            factor = Fraction(1, len(rows[0])) if gamma is None else Fraction(gamma)
            constant = Fraction(float(self.options["coef0"]))
            table = exact.kernel(rows, self.kernel, factor, constant, int(self.options["degree"]))
        return [[v + self.bias * self.bias for v in row] for row in table]

    @property
    def error(self) -> Fraction:
        """A bound on the error of the products, where they are not rational."""
        return exact.IRRATIONAL if self.kernel in ("rbf", "sigmoid") else Fraction(0)

    @cached_property
    def has_space(self) -> bool:
        """Whether the products are inner products; those of some kernels are not."""
        if self.kernel in ("precomputed", "sigmoid", "poly"):
            return self.kernel != "sigmoid" and exact.positive(self.gram)
        return True

    @cached_property
    def separable(self) -> bool:
        """Whether all problems can be separated by what the estimator can represent."""
        if self.offset:
            return all(
                exact.separable_with_offset(self.rows, signs, self.offset) for signs in self.signs
            )
        if self.has_space:
            return all(best.separable for best in self.bests)
        if self.kind == "native":
            return True  # not decided here: nothing is held against a claim
        return all(exact.separable_by_coefficients(self.gram, signs) for signs in self.signs)

    @cached_property
    def bests(self) -> list[Best]:
        """The best margin of each problem; with a norm other than Euclid's see `dual_bounds`."""
        return [exact.best_margin(gram, self._spread) for gram in self._signed(self.gram)]

    @property
    def _spread(self) -> Fraction:
        return self.error * (4 if self.kind == "native" else 1)

    def _signed(self, gram: Matrix) -> list[Matrix]:
        if self.kind == "native":
            return [exact.kesler(gram, self.codes, len(self.classes))]
        return [exact.two_sided(gram, signs) for signs in self.signs]

    @cached_property
    def best(self) -> Best:
        """The least of the best margins."""
        return min(self.bests, key=lambda best: best.squared)

    @cached_property
    def bests_of_directions(self) -> list[Best]:
        """The best margin of each problem if all examples are scaled to length 1."""
        gram = exact.directions(self.gram)
        if self.kind == "native":  # an example stands against its rival: the length is √2 times
            gram = [[v / 2 for v in row] for row in gram]
        return [exact.best_margin(g, 4 * exact.IRRATIONAL) for g in self._signed(gram)]

    @cached_property
    def radius_squared(self) -> Fraction:
        """The square of the largest length of an example."""
        widest = max(self.gram[i][i] for i in range(len(self.gram)))
        return 2 * widest if self.kind == "native" else widest

    @cached_property
    def dual_bounds(self) -> list[Bounds]:
        """Bounds on the best margin of each problem in the dual of the p-norm."""
        return [dual_bounds(self, signs) for signs in self.signs]

    # --- hypotheses ---------------------------------------------------------------------------

    def linear(self, coef: Any, intercept: Any) -> Hypothesis:
        """What weights do on the examples."""
        weights = exact.fractions(np.column_stack([coef, intercept]).tolist())
        vectors, unit = exact.whole(weights)
        rows, scale = self._whole
        each = unit * scale
        scores = []
        for row in rows:
            terms = [[x * v for x, v in zip(row, w, strict=True)] for w in vectors]
            scores.append([(sum(t) * each, self._rounding(t, each)) for t in terms])
        return self._hypothesis(scores, [self._squared(w) for w in weights])

    @cached_property
    def _whole(self) -> tuple[list[list[int]], Fraction]:
        """The examples with a 1 for the intercept, as integers times a unit."""
        return exact.whole([[*row, Fraction(1)] for row in self.rows])

    def _squared(self, w: list[Fraction]) -> Fraction:
        constant = w[-1] / self.bias if self.bias else Fraction(0)
        return exact.dot(w[:-1], w[:-1]) + constant * constant

    def _rounding(self, terms: list[int], unit: Fraction) -> Fraction:
        """What rounding may do to a sum of products."""
        size = sum(map(abs, terms)) * unit + abs(self.offset)
        return (len(terms) + 5) * UNIT * size + TINY

    def expansion(self, estimator: Any) -> Hypothesis:
        """What a sum over supports does on the examples."""
        vectors = estimator.support_vectors_
        dense = vectors.toarray() if hasattr(vectors, "toarray") else np.asarray(vectors)
        supports = exact.fractions(dense.astype(FLOATS[self.case.dtype]).tolist())
        n = len(self.rows)
        if self.kernel == "precomputed":
            held = [self.kept.tolist().index(j) for j in estimator.support_.tolist()]
            cross = [[row[j] for j in held] for row in self.gram]
            among = [[self.gram[i][j] for j in held] for i in held]
        else:
            both = self._similar(self.rows + supports)
            cross = [row[n:] for row in both[:n]]
            among = [row[n:] for row in both[n:]]
        coef = exact.fractions(estimator.dual_coef_.tolist())
        slack = self.kernel_rounding(cross)
        scores = [
            [(exact.dot(values, a), slack * sum(map(abs, a))) for a in coef] for values in cross
        ]
        squares = [exact.dot(a, [exact.dot(row, a) for row in among]) for a in coef]
        return self._hypothesis(scores, squares)

    def kernel_rounding(self, cross: Matrix) -> Fraction:
        """A generous bound on the error of a kernel value in the precision of the data."""
        unit = UNIT if FLOATS[self.case.dtype] is np.float64 else Fraction(1, 2**23)
        largest = max((abs(v) for row in cross for v in row), default=Fraction(1))
        plain = max((exact.dot(row, row) for row in self.rows), default=Fraction(1))
        gamma = Fraction(self.options["gamma"] or 1)
        inside = abs(gamma) * plain + abs(Fraction(float(self.options["coef0"]))) + 1
        powers = {"poly": inside ** int(self.options["degree"]), "linear": plain}
        size = largest + powers.get(self.kernel, inside) + self.bias * self.bias
        return 64 * (len(self.rows[0]) + len(self.rows) + 8) * unit * size + TINY

    def _hypothesis(
        self, scores: list[list[tuple[Fraction, Fraction]]], squares: list[Fraction]
    ) -> Hypothesis:
        if self.kind == "native":
            margins = [[_lead(row, code) for row, code in zip(scores, self.codes, strict=True)]]
            return Hypothesis(margins, [sum(squares, Fraction(0))])
        columns = [
            [Margin(sign * row[k][0], row[k][1]) for row, sign in zip(scores, signs, strict=True)]
            for k, signs in enumerate(self.signs)
        ]
        return Hypothesis(columns, squares)


def _lead(row: list[tuple[Fraction, Fraction]], own: int) -> Margin:
    best = max(score for c, (score, _) in enumerate(row) if c != own)
    slack = max(s for _, s in row)
    return Margin(row[own][0] - best, 2 * slack)


def _norm(case: Case, options: dict[str, Any], dimension: int) -> float:
    """The p of the norm in which an estimator measures examples."""
    p = options.get("p", 2.0)
    if options.get("rule") == "winnow":
        p = "log"
    if p == "log":
        return max(2.0, 2.0 * log(dimension))
    return inf if p == "exponential" else float(p)


class Bounds(NamedTuple):
    """Numbers that the best margin lies between."""

    low: float
    high: float


def dual_bounds(truth: Truth, signs: list[int]) -> Bounds:
    """The best margin of weights in the dual of the p-norm: by descent, with its own proof.

    Any mixture of the signed examples has a p-norm that no margin exceeds, and any weights have the
    margin that they have: so both numbers hold however far the descent has come.
    """
    from scipy.optimize import minimize

    points = [[s * x for x in [*row, truth.bias]] for row, s in zip(truth.rows, signs, strict=True)]
    size = max(abs(x) for row in points for x in row) or Fraction(1)
    Z = np.array([[float(x / size) for x in row] for row in points])
    p = min(truth.p, 60.0)

    def norm(shares: np.ndarray) -> float:
        return float(np.linalg.norm(np.abs(shares @ Z), p) ** 2)

    n = len(Z)
    starts = [np.full(n, 1 / n), *(_corner(Z, p))]
    found = min(
        (
            minimize(norm, s, bounds=[(0, 1)] * n, method="SLSQP", options={"ftol": 1e-12},
                     constraints={"type": "eq", "fun": lambda v: v.sum() - 1}).x
            for s in starts
        ),
        key=norm,
    )  # fmt: skip
    shares = np.maximum(found, 0) / np.maximum(found, 0).sum()
    mixed = shares @ Z
    high = float(np.linalg.norm(mixed, truth.p))
    largest = np.abs(mixed).max() or 1.0
    w = np.sign(mixed) * (np.abs(mixed) / largest) ** (p - 1)
    dual = float(np.linalg.norm(w, 1.0 if truth.p == inf else truth.p / (truth.p - 1)))
    low = float((Z @ w).min()) / dual if dual else 0.0
    return Bounds(low * float(size) * (1 - 1e-9), high * float(size) * (1 + 1e-9))


def _corner(Z: np.ndarray, p: float) -> list[np.ndarray]:
    nearest = int(np.argmin([np.linalg.norm(z, p) for z in Z]))
    corner = np.full(len(Z), 0.01 / len(Z))
    corner[nearest] += 0.99
    return [corner]
