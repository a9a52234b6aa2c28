"""Confusion matrices: what is counted, also of labels that the model does not know."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest

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
