"""The lengths of examples, and whether they are finite, are known after the first pass."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.engine import plan
from rosenblatt.engine.observers import Observer
from rosenblatt.estimators import MEMBERS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def large_tables(monkeypatch):
    """Tables count as large from the first byte on: the first pass measures their examples."""
    monkeypatch.setattr(plan, "LARGE", 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", ["Perceptron", "PassiveAggressive", "PocketPerceptron", "MIRA"])
def test_examples_measured_by_the_first_pass(name, classes, dtype, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 40)).astype(dtype), rng.integers(0, classes, 90)
    options = {"max_iter": 4, "random_state": 0}
    before = MEMBERS[name](**options).fit(X, y)
    monkeypatch.setattr(plan, "LARGE", 0)
    while_learning = MEMBERS[name](**options).fit(X, y)
    assert np.array_equal(before.coef_, while_learning.coef_)
    assert before.radius_ == while_learning.radius_
    assert before.margin_bracket_ == while_learning.margin_bracket_


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 29])
def test_the_first_pass_finds_what_is_not_finite(large_tables, value, row):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, 2, 30)
    X[row, 1] = value
    clf = MEMBERS["Perceptron"](shuffle=False)
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity), first in column 1"):
        clf.fit(X, y)
    assert not hasattr(clf, "coef_")


@pytest.mark.parametrize("jobs", [None, 4])
def test_runs_in_threads_do_not_measure_for_each_other(jobs, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 100)), rng.integers(0, 4, 3000)
    options = {"rule": "normalised", "multiclass": "ovr", "random_state": 0, "max_iter": 2}
    before = MEMBERS["PerceptronClassifier"](**options).fit(X, y)
    monkeypatch.setattr(plan, "LARGE", 0)
    for _ in range(5):
        after = MEMBERS["PerceptronClassifier"](**options, n_jobs=jobs).fit(X, y)
        assert np.array_equal(before.coef_, after.coef_)
        assert before.margin_bracket_ == after.margin_bracket_


def test_an_observer_may_ask_for_bounds_at_any_time(large_tables):
    class Asking(Observer):
        def on_start(self, trainer):
            self.seen = trainer.runs.bracket

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[:, 0] += np.sign(X[:, 0])
    alone, asked = (
        MEMBERS["Perceptron"](random_state=0).fit(X, X[:, 0] > 0, observers=observers)
        for observers in ([], [Asking()])
    )
    assert alone.converged_
    assert (asked.converged_, asked.radius_) == (True, alone.radius_)
    assert asked.margin_bracket_ == alone.margin_bracket_
