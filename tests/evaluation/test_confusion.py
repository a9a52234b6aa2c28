"""Confusion matrices: what is counted, also of labels that the model does not know."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_digits

import rosenblatt as rb
from rosenblatt.evaluation import Evaluation


def counted(*parts):
    found = Evaluation(np.array(["a", "b", "d"]), np.zeros((3, 3), np.int64))
    for y, predicted in parts:
        found.add(np.array(list(y)), np.array(list(predicted)))
    return found


def test_rows_are_true_classes_and_columns_predicted_ones():
    found = counted(("aab", "aba"), ("ad", "ad"))
    assert found.confusion.tolist() == [[2, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert found.precision.tolist() == [2 / 3, 0.0, 1.0]
    assert found.recall.tolist() == [2 / 3, 0.0, 1.0]
    assert counted(("aab", "aaa")).precision[0] == 2 / 3
    assert counted(("aab", "aaa")).recall[0] == 1.0


def test_a_label_that_the_model_does_not_know_is_wrong_in_any_case():
    found = counted(("abcz", "abad"))  # c is between two classes, z after the last
    assert found.unknown == 2
    assert found.rows == 4
    assert found.accuracy == 0.5
    assert found.standard_error == pytest.approx(sqrt(0.25 / 4))
    assert found.confusion.sum() == 2
    assert found.to_dict()["unknown_labels"] == 2


def test_what_was_never_counted_has_no_rate():
    found = counted(("a", "a"))
    assert isnan(found.precision[1])
    assert isnan(found.recall[1])
    assert isnan(counted().accuracy)


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_rates_are_scikit_learn_s_however_the_rows_come(load):
    X, y = load(return_X_y=True)
    clf = rb.AveragedPerceptron(max_iter=1, random_state=0).fit(X[::3], y[::3])
    found = Evaluation.of(clf, [(X[:100], y[:100]), (X[100:], y[100:])])
    predicted = clf.predict(X)
    assert found.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(y, predicted))
    assert found.mean_f1 == pytest.approx(metrics.f1_score(y, predicted, average="macro"))
    if len(clf.classes_) == 2:
        area = metrics.roc_auc_score(y, clf.decision_function(X))
        assert 0.9 < found.auc == pytest.approx(area)
    else:
        assert isnan(found.auc)


def test_equal_scores_count_one_half():
    found = Evaluation(np.array(["a", "b"]), np.zeros((2, 2), np.int64))
    found.add_scores(np.array(["a", "a", "b", "b"]), np.array([0.0, 1.0, 1.0, 2.0]))
    assert found.auc == 3.5 / 4
