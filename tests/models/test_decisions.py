"""Decisions by scores, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

import rosenblatt
from rosenblatt.models import codes, labels, leads, margins, own_scores, rivals
from tests.models.cases import numbers

CLASSES = np.array(["a", "b", "c"])
SCORES = np.array([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0], [2.0, -1.0, 5.0], [-1.0, -2.0, -3.0]])
OWN = np.array([1, 0, 0, 2])


def test_labels_of_many_classes_are_those_of_the_first_highest_score():
    assert labels(SCORES, CLASSES).tolist() == ["b", "a", "c", "a"]


def test_labels_of_two_classes_follow_the_sign_and_a_tie_is_against():
    scores = np.array([[1e-300], [0.0], [-0.0], [-2.0]])
    assert labels(scores, CLASSES[:2]).tolist() == ["b", "a", "a", "a"]


def test_codes_number_the_classes():
    assert codes(["c", "a", "c"], CLASSES).tolist() == [2, 0, 2]
    with pytest.raises(ValueError, match=r"not classes of the fit: \['d', 'x'\]"):
        codes(["a", "x", "d"], CLASSES)


def test_leads_over_the_best_other_class():
    naive = [row[own] - max(np.delete(row, own)) for row, own in zip(SCORES, OWN, strict=True)]
    assert leads(SCORES, OWN).tolist() == naive
    best, which = rivals(SCORES, OWN)
    assert best.tolist() == [3.0, 0.0, 5.0, -1.0]
    assert which.tolist() == [2, 1, 2, 0]
    assert own_scores(SCORES, OWN).tolist() == [3.0, 0.0, 2.0, -3.0]


@pytest.mark.parametrize("own", [[1, 0, 1], [1, -1, 1]])
def test_a_single_score_leads_by_its_sign(own):
    assert leads(np.array([[2.0], [3.0], [-1.0]]), np.array(own)).tolist() == [2.0, -3.0, -1.0]


def test_margins_are_leads_by_length():
    found = margins(np.array([4.0, -2.0]), 2.0)
    assert found.each.tolist() == [2.0, -1.0]
    assert found.least == -1.0
    each, least = found
    assert each is found.each
    assert least == found.least
    assert margins(np.array([0.0, 0.0]), 0.0).each.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("classes", [2, 3])
def test_margins_of_estimators_are_named(classes):
    X, y = numbers(np.random.default_rng(0), 40, 3), np.arange(40) % classes
    linear = rosenblatt.Perceptron(random_state=0, max_iter=3).fit(X, y)
    kernel = rosenblatt.KernelPerceptron(
        kernel="linear", multiclass="native", readout="last", random_state=0, max_iter=3
    ).fit(X, y)
    for model in (linear, kernel):
        found = model.margins(X, y)
        assert found.each.shape == (40,)
        assert found.least == found.each.min()
        right = model.predict(X) == y
        assert (found.each[~right] <= 0).all()
        assert (found.each[right] >= 0).all()
    weights = np.column_stack([linear.coef_, linear.intercept_])
    scores = X @ linear.coef_.T + linear.intercept_
    naive = leads(scores, y) / np.sqrt((weights**2).sum())
    assert linear.margins(X, y).each == pytest.approx(naive)
