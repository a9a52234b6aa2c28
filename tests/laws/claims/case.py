"""One case of the law: data, an estimator with its options, and how it is to learn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.estimators import MEMBERS
from tests.laws.claims.own_rules import OWN

FLOATS = {"float64": np.float64, "float32": np.float32, "int64": np.float64}
"""The precision in which an estimator learns from numbers of some type."""


@dataclass(frozen=True)
class Case:
    """What is needed to repeat a fit.

    `ways` is "fit", "warm" (fit twice with warm_start), "stream" (partial_fit over parts) or
    "fit+stream" (fit on the first part, partial_fit over the others); `cuts` are the row numbers at
    which parts end. Own rules are written as "own:name".
    """

    name: str
    options: dict[str, Any]
    table: list[list[float]]
    labels: list[int]
    dtype: str = "float64"
    sparse: bool = False
    weights: list[float] | None = None
    start: tuple[list[list[float]], list[float] | None] | None = None
    way: str = "fit"
    cuts: list[int] = field(default_factory=list)
    announce: list[int] | None = None  # classes for the first partial_fit

    @property
    def parameters(self) -> dict[str, Any]:
        """Options as the estimator takes them."""
        given = dict(self.options)
        rule = given.get("rule")
        if isinstance(rule, str) and rule.startswith("own:"):
            given["rule"] = OWN[rule[4:]]
        if self.way == "warm":
            given["warm_start"] = True
        return given

    @property
    def X(self) -> Any:
        table = np.array(self.table, self.dtype)
        return sp.csr_matrix(table) if self.sparse else table

    @property
    def learned(self) -> np.ndarray:
        """The numbers that the estimator learns from, as it stores them."""
        return np.array(self.table, self.dtype).astype(FLOATS[self.dtype])

    def parts(self) -> list[slice]:
        """Rows of each call."""
        if self.way in ("fit", "warm"):
            return [slice(0, len(self.labels))] * (2 if self.way == "warm" else 1)
        ends = [*self.cuts, len(self.labels)]
        return [slice(a, b) for a, b in zip([0, *ends], ends, strict=False) if b > a]

    def with_options(self, **more: Any) -> Case:
        return replace(self, options=self.options | more)

    def code(self) -> str:
        """Python code that repeats the case."""
        options = ", ".join(f"{k}={_text(v)}" for k, v in self.options.items())
        if self.way == "warm":
            options += ", warm_start=True"
        lines = [f"X = np.array({self.table!r}, '{self.dtype}')", f"y = np.array({self.labels})"]
        if self.sparse:
            lines.append("X = scipy.sparse.csr_matrix(X)")
        lines.append(f"clf = {self.name}({options})")
        for number, part in enumerate(self.parts()):
            rows = "" if self.way in ("fit", "warm") else f"[{part.start}:{part.stop}]"
            more = ""
            if self.weights is not None:
                more += f", sample_weight=np.array({self.weights}){rows}"
            if self.start is not None and number == 0:
                more += f", coef_init={self.start[0]}, intercept_init={self.start[1]}"
            call = "partial_fit" if self._streams(number) else "fit"
            if number == 0 and self.announce is not None and call == "partial_fit":
                more += f", classes={self.announce}"
            lines.append(f"clf.{call}(X{rows}, y{rows}{more})")
        return "\n".join(lines)

    def _streams(self, number: int) -> bool:
        return self.way == "stream" or (self.way == "fit+stream" and number > 0)


def _text(value: Any) -> str:
    if isinstance(value, str) and value.startswith("own:"):
        return value[4:]
    return repr(value)


@dataclass
class Outcome:
    """What came of a case: a fitted estimator and the warnings, or an error."""

    estimator: Any = None
    warned: list[str] = field(default_factory=list)  # texts of the last call
    error: Exception | None = None


def run(case: Case) -> Outcome:
    """Make the calls of a case."""
    warned: list[str] = []
    try:
        with np.errstate(all="ignore"):
            estimator = MEMBERS[case.name](**case.parameters)
            X, y = case.X, np.array(case.labels)
            for number, rows in enumerate(case.parts()):
                warned = _call(case, estimator, number, X[rows], y[rows], rows)
    except Exception as error:
        return Outcome(error=error)
    return Outcome(estimator, warned)


def _call(case: Case, estimator: Any, number: int, X: Any, y: Any, rows: slice) -> list[str]:
    """One call of fit or partial_fit; the texts of its convergence warnings."""
    more: dict[str, Any] = {}
    if case.weights is not None:
        more["sample_weight"] = np.array(case.weights)[rows]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if case._streams(number):
            if number == 0 and case.announce is not None:
                more["classes"] = np.array(case.announce)
            estimator.partial_fit(X, y, **more)
        else:
            if case.start is not None and number == 0:
                more["coef_init"], more["intercept_init"] = case.start
            estimator.fit(X, y, **more)
    return [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
