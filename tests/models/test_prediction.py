"""Labels are those of all votes, though not all of them are counted."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

import rosenblatt
from rosenblatt.models import Linear, PerClass, Sum, VotedRuns, labels, predicted
from tests.models.cases import numbers, voted

SEEDS = range(6)


def same_labels(model, X, classes):
    found = predicted(model, X, np.arange(classes))
    assert np.array_equal(found, labels(model.scores(X), np.arange(classes)))


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("classes", [1, 3, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_labels_are_those_of_all_votes(seed, classes, scaled):
    rng = np.random.default_rng(seed)
    runs, X = voted(seed, classes, scaled, count=40), numbers(rng, 100, 3)
    same_labels(runs, X, max(classes, 2))
    same_labels(runs, sp.csr_array(X), max(classes, 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_with_one_run_for_each_class(seed):
    X = numbers(np.random.default_rng(seed), 100, 3)
    members = [voted(seed + n, count=40) for n in range(3)]
    same_labels(PerClass(members), X, 3)
    histories = [one.histories[0] for one in members]
    same_labels(VotedRuns(members[0].similarity, members[0].supports, histories), X, 3)


@pytest.mark.parametrize(
    "model",
    [
        Linear(np.ones((3, 3)), np.arange(3.0)),
        voted(0, reading="avg_unnorm"),
        Sum([voted(0), voted(1)]),
        PerClass([voted(0), Sum([voted(1), voted(2)])]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_models_count_all_scores(model):
    X = numbers(np.random.default_rng(0), 50, 3)
    same_labels(model, X, max(2, model.scores(X).shape[1]))


def test_most_rows_need_the_last_votes_only():
    asked = []

    class Counting(VotedRuns):
        def votes(self, X, part):
            asked.append(len(X))
            return super().votes(X, part)

    X, y = load_digits(return_X_y=True)
    clf = rosenblatt.VotedPerceptron(max_iter=12, random_state=0).fit(X, y)
    found = predicted(Counting(**vars(clf.outcome_.predictor)), X, clf.classes_)
    assert asked[0] == len(X)
    assert sum(asked[1:]) < len(X) / 2
    assert np.array_equal(found, labels(clf.decision_function(X), clf.classes_))


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_labels_of_real_numbers(multiclass):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 3, 300)
    clf = rosenblatt.VotedPerceptron(max_iter=4, multiclass=multiclass, random_state=0).fit(X, y)
    assert np.array_equal(clf.predict(X), labels(clf.decision_function(X), clf.classes_))
