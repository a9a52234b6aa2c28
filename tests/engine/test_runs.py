"""What the runs of a model count, and how the counts of several runs are put together."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import rosenblatt as rb
from rosenblatt.engine.observers import Observer

X, Y = load_iris(return_X_y=True)


class Keeper(Observer):
    """Keeps the runs of a fit."""

    def on_end(self, trainer):
        self.runs = trainer.runs


def runs_of(model, y, seed=0, **options):
    keeper = Keeper()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.set_params(random_state=seed).fit(X, y, observers=[keeper], **options)
    return keeper.runs


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [rb.Perceptron(max_iter=2), rb.BatchPerceptron(max_iter=2), rb.KernelPerceptron(max_iter=1)],
    ids=lambda model: type(model).__name__,
)
def test_a_margin_of_zero_is_an_error(model, classes):
    for run in runs_of(model, np.minimum(Y, classes - 1)).runs:
        nothing = np.zeros_like(run.h)
        assert run.survey(nothing) == (150, 0.0)
        assert run.mistakes(nothing) == 150


def test_errors_are_weighted_like_their_examples():
    weights = 1.0 + np.arange(150.0)
    (run,) = runs_of(rb.Perceptron(max_iter=2), Y > 0, sample_weight=weights).runs
    assert run.mistakes(np.zeros_like(run.h)) == weights.sum()
    wrong = np.where(Y > 0, 1, -1) * (X @ run.h[:-1] + run.h[-1]) <= 0
    assert run.mistakes(run.h) == weights[wrong].sum()


def test_the_average_of_a_class_at_rest_goes_on_with_the_others():
    options = {"multiclass": "ovr", "max_iter": 10, "tol": None}
    model = rb.PerceptronClassifier("plain", "averaged", **options)
    visits = 10 * len(Y)
    settled = 0
    for number, run in enumerate(runs_of(model, Y).runs):
        settled += run.n.t < visits
        journal = model.journal_[number]
        weights = np.array([w[0].copy() for w, _ in journal.replay(X)])
        lives = np.diff(journal.updates.t, prepend=0, append=visits)
        mean = lives @ np.vstack([np.zeros(5), weights[-len(lives) + 1 :]]) / visits
        np.testing.assert_allclose([*model.coef_[number], model.intercept_[number]], mean)
    assert settled == 1


def test_the_bracket_of_several_classes_is_that_of_the_hardest():
    centres = np.array([[0.0, 9.0], [-8.0, -5.0], [2.0, -1.0]])
    draw = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 20)
    points = centres[y] + draw.uniform(-1, 1, (60, 2))
    keeper, model = Keeper(), rb.Perceptron(multiclass="ovr", max_iter=500, random_state=0)
    model.fit(points, y, observers=[keeper])
    lowers, uppers = zip(*(run.bracket for run in keeper.runs.runs), strict=True)
    assert len(set(lowers)) == len(set(uppers)) == 3
    assert 0 < min(lowers) < max(lowers)
    assert model.margin_bracket_ == (min(lowers), min(uppers))


def test_errors_are_known_where_every_class_has_counted_them():
    model = rb.Perceptron(multiclass="ovr", max_iter=8, tol=None)
    passes = [run.passes for run in runs_of(model, Y).runs]
    assert len({len(one) for one in passes}) == 2  # the first class is soon at rest
    found = [[one[min(k, len(one) - 1)].errors for one in passes] for k in range(8)]
    assert any(min(errors) < 0 <= max(errors) for errors in found)
    assert model.pass_errors_.tolist() == [
        -1 if min(errors) < 0 else sum(errors) for errors in found
    ]


def test_the_errors_of_a_class_that_no_longer_gets_better_stay():
    model = rb.Perceptron(multiclass="ovr", count_errors=True)
    runs = runs_of(model, Y, seed=1)
    passes = [run.passes for run in runs.runs]
    assert len({len(one) for one in passes}) == 3
    early = min((one for one in passes if one[-1].errors), key=len)
    assert len(early) < model.n_iter_
    wrong = sum(run.survey(run.h)[0] for run in runs.runs)
    assert model.pass_errors_[-1] == wrong > early[-1].errors


def test_the_criterion_of_a_class_at_rest_is_zero():
    model = rb.BatchPerceptron(multiclass="ovr", max_iter=30)
    curves = [run.criterion for run in runs_of(model, Y).runs]
    assert len(curves[0]) < 30
    total = [sum(one[k] for one in curves if k < len(one)) for k in range(30)]
    np.testing.assert_allclose(model.criterion_, total, rtol=1e-12)


def test_the_gap_is_that_of_the_class_farthest_from_its_optimum():
    model = rb.AdaTron(C=1.0, max_iter=10, multiclass="ovr")
    gaps = [run.optimality_gap for run in runs_of(model, Y).runs]
    assert len(set(gaps)) == 3
    assert model.gap_ == max(gaps)
