"""From tables to spaces: numbers that a space takes from the shape of its data."""

from __future__ import annotations

from math import log

import pytest

from rosenblatt.engine import inputs


@pytest.mark.parametrize(("bias", "coordinates"), [(0.0, 100), (1.0, 101), (0.5, 101)])
def test_the_best_p_counts_the_constant_feature(bias, coordinates):
    assert inputs.power(0.0, bias, 100) == 2.0 * log(coordinates)
    assert inputs.power(3.0, bias, 100) == 3.0


def test_the_best_p_is_at_least_2():
    assert inputs.power(0.0, 0.0, 2) == inputs.power(0.0, 1.0, 1) == 2.0
