"""ThermalPerceptron: steps shrink with the depth of a mistake and over time (annealing)."""

from __future__ import annotations

from typing import Any

from rosenblatt.engine.plan import Facts
from rosenblatt.estimators.classifier import Member
from rosenblatt.estimators.members import member
from rosenblatt.estimators.parameters import Flag, Real, param
from rosenblatt.theory import rules


@member
class ThermalPerceptron(Member):
    """The thermal perceptron: deep mistakes, which may be past mending, move the weights little.

    w <- w + eta0·exp(-|f(x)|/T)·y·x on a mistake (Frean 1992). With annealing, T and eta0 fall in a
    straight line to zero over the visits that `max_iter` passes make; the weights then settle where
    few training errors are left. At a high temperature it is `Perceptron`.

    T is `temperature` times eta0 times the mean of |x|², the constant feature included. So it does
    not depend on the scale of the data: at temperature 1 a mistake so deep that one full step would
    just mend it counts 1/e.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import ThermalPerceptron
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = np.array([0, 1, 0, 1])  # no threshold is right for all four
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     ThermalPerceptron(random_state=0).fit(X, y).score(X, y)
    0.75
    """

    eta0: float = param(1.0, Real(above=0), "Learning rate, at the start.")
    temperature: float = param(
        0.2,
        Real(above=0),
        "T at the start, in units of eta0·mean |x|². Much above the default it is close to the "
        "plain rule, much below it hardly learns from any mistake.",
    )
    annealing: bool = param(
        True,
        Flag(),
        "Let T and eta0 fall to zero. A stream, whose end is not known, is learned without.",
    )

    _adapts_to_data = True

    def _tolerance(self) -> float | None:
        return None if self.annealing else super()._tolerance()

    def _rule(self, given: Any) -> Any:
        return rules.Thermal(given.temperature, given.eta0)

    def _adapted(self, rule: Any, facts: Facts) -> Any:
        unit = rule.eta0 * facts.mean or 1.0
        visits = self.max_iter * facts.examples if self.annealing and not facts.streaming else 0
        return rule._replace(temperature=rule.temperature * unit, visits=float(visits))
