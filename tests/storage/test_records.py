"""What a field of a model file may hold: the tests that every record must pass."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.models import Linear, Votes
from rosenblatt.storage import records
from rosenblatt.storage.records import KINDS
from rosenblatt.theory.journal import Updates


@pytest.mark.parametrize(
    ("test", "good", "bad"),
    [
        (records.real, [0, -1.5, inf, -inf], [nan, True, "1", None, 1j]),
        (records.whole, [0, -(2**61), 2**61], [True, 1.0, 2**62, -(2**62), "1", None]),
        (records.flag, [True, False], [0, 1, None, "true"]),
        (records.vector, [np.zeros(0), np.ones(3)], [np.ones((1, 3)), np.array([nan]), [1.0]]),
        (records.counts, [np.array([-1, 2])], [np.array([1.0]), np.array([True])]),
        (records.table, [np.ones((2, 1)), sp.csr_array(np.eye(2))], [sp.csr_array([[inf]]), 3]),
        (records.many(records.flag), [[], [True]], [(True,), [True, 1], None]),
    ],
)
def test_a_field_takes_what_it_should_and_nothing_else(test, good, bad):
    assert [test(value) for value in good] == [True] * len(good)
    assert [test(value) for value in bad] == [False] * len(bad)


@pytest.mark.parametrize(
    ("numbers", "fine"), [([], True), ([0, 2], True), ([0, 3], False), ([-1, 2], False)]
)
def test_numbers_of_a_list_are_below_its_length(numbers, fine):
    assert records.within(np.array(numbers, np.int64), 3) is fine


def votes(i=2, lives=3, width=2, signs=3):
    """Two updates on three examples of two features."""
    updates = Updates(
        np.array([0, 4]), np.array([0, i]), np.zeros(2, np.int32), np.ones(2), np.ones(2)
    )
    start = Linear(np.zeros((1, 2)), np.zeros(1))
    rows = np.ones((3, width))
    return Votes(start, rows, 1.0, np.ones(signs, np.int8), updates, np.ones(lives, np.int64))


def test_the_parts_of_a_vote_fit_together():
    sound = KINDS["Votes"].sound
    assert sound(votes())
    for wrong in (votes(i=3), votes(i=-1), votes(lives=2), votes(width=3), votes(signs=2)):
        assert not sound(wrong)
