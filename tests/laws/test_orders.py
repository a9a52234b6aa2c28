"""Laws of orders: what a pass visits, how evenly it is drawn, and what is known to be covered."""

from __future__ import annotations

from collections import Counter
from math import factorial

import numpy as np
import pytest

from rosenblatt.theory import orders, rules
from tests.laws.cases import Data, plain, reals


def draw(name, n, rng):
    return orders.find(name, n).draw(n, rng, orders.shuffle)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_permutation_is_as_likely_as_any_other(n):
    rng, share = np.random.default_rng(0), 400
    seen = Counter(tuple(draw("shuffled", n, rng)) for _ in range(share * factorial(n)))
    assert len(seen) == factorial(n)
    assert sum((count - share) ** 2 / share for count in seen.values()) < 3 * factorial(n)


@pytest.mark.parametrize("name", [name for name, one in orders.ORDERS.items() if not one.pick])
@pytest.mark.parametrize("n", [1, 255, 256, 257, 700])
def test_an_order_that_covers_visits_each_example_once(name, n):
    visits = draw(name, n, np.random.default_rng(n))
    assert len(visits) == n
    if orders.find(name, n).covers:
        assert sorted(visits) == list(range(n))
    else:
        assert visits.max() < n
        assert n < 255 or len(set(visits.tolist())) < n


@pytest.mark.parametrize(
    ("visits", "covers"),
    [([2, 0, 1], True), ([0, 1, 2, 1], True), ([0, 1, 1], False), ([0, 1, 0, 1], False)],
)
def test_given_visits_cover_if_every_example_is_among_them(visits, covers):
    assert orders.find(visits, 3).covers is covers


@pytest.mark.parametrize("visits", [[0, 3], [-1, 0, 1, 2], [], [0.5], [[0, 1, 2]]])
def test_given_visits_must_be_numbers_of_examples(visits):
    with pytest.raises(ValueError, match="order"):
        orders.find(visits, 3)
    assert orders.find([0, 2], 3).draw(3, None, None).tolist() == [0, 2]


def test_rest_without_a_look_at_every_example_settles_nothing():
    """The third example is a mistake that this order never meets."""
    X, y = np.array([[1.0], [-1.0], [2.0]]), np.array([1, -1, -1])
    made = plain(rules.Plain(), Data(X, y, np.array([0, 1, 1])))
    made.go(4)
    assert made.passes[-1].updates == 0
    assert made.passes[-1].errors == 1
    assert not made.settled
    assert not made.converged


def test_visits_of_another_seed_are_other_visits():
    data = reals(0)
    one, same, other = (draw("shuffled", len(data.y), np.random.default_rng(s)) for s in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
