"""The sums of mixing: equal to the plain mean, exact about what did not change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.cluster.mix import FAN, Moved, Part, Report
from rosenblatt.engine.state import RunState
from rosenblatt.theory.loops import Counters
from rosenblatt.theory.readouts import Last

PARTS = st.lists(
    st.tuples(st.lists(st.integers(0, 11), max_size=12), st.integers(0, 5)), min_size=1, max_size=20
)


def hypotheses(parts, came):
    """Each changes some weights to whole numbers."""
    rng = np.random.default_rng(0)
    for changed, weight in parts:
        h = came.copy()
        h[changed] = rng.integers(-9, 10, len(changed))
        yield h, float(weight)


def tree(parts, came):
    while len(parts) > 1:
        parts = [Moved.join(parts[k : k + FAN], came) for k in range(0, len(parts), FAN)]
    return parts[0]


@settings(max_examples=200, deadline=None)
@given(PARTS)
def test_a_tree_of_sums_is_the_weighted_mean(parts):
    came = np.arange(12.0) / 3  # thirds: a mean of equal ones would round
    given_ = list(hypotheses(parts, came))
    mixed = tree([Moved.of(h, came, weight) for h, weight in given_], came).mixed(came)
    whole = sum(weight for _, weight in given_)
    if whole == 0:
        assert np.array_equal(mixed, came)
        return
    mean = sum(h * weight for h, weight in given_) / whole
    assert mixed == pytest.approx(mean, abs=1e-12)
    still = np.all([h == came for h, weight in given_ if weight], axis=0)
    # What nobody changed has the same bits, unless so much changed that all weights were sent.
    if all(Moved.of(h, came).index is not None for h, _ in given_):
        assert np.array_equal(mixed[still], came[still])


def test_one_hypothesis_is_taken_as_it_is():
    came, h = np.zeros((3, 4)), np.full((3, 4), 0.1)
    assert np.array_equal(tree([Moved.of(h, came, 7.0)], came).mixed(came), h)
    idle = Moved.of(came, came, 0.0)
    assert np.array_equal(tree([idle, Moved.of(h, came, 7.0)], came).mixed(came), h)


def test_the_shorter_way_is_sent():
    came, few, many = np.zeros(1000), np.zeros(1000), np.ones(1000)
    few[7] = 1.0
    assert Moved.of(few, came).nbytes == 12
    assert Moved.of(many, came).nbytes == 8000


def part(h, came, weight, **counted):
    known = {"t": 5, "k": 2, "mistakes": 1, "step_sum": 2.0, "upper": 1.0, "drift": 0.1} | counted
    return Part(Moved.of(h, came, weight), Counters(**known), Last())


def test_several_parts_are_counted_together_and_keep_the_closest_bound():
    came = np.zeros((1, 3))
    state = RunState(came, Counters(t=100, k=30, mistakes=20, step_sum=1.0))
    parts = [
        part(np.array([1.0, 0.0, 0.0]), came, 1.0, step_sum=2.0),
        part(np.array([0.0, 3.0, 0.0]), came, 2.0, step_sum=5.0, upper=0.7, drift=0.2, t=7, k=4),
        part(came, came, 0.0, step_sum=50.0, upper=1.4, k=0, mistakes=0),
    ]
    joined = Part.join(parts, state)
    n = joined.counters
    assert (n.t, n.k, n.mistakes) == (17, 6, 2)
    assert n.step_sum == pytest.approx((1 * 2.0 + 2 * 5.0) / 3)
    assert (n.upper, n.drift) == (0.7, 0.2)  # the best bound, the worst drift
    after = joined.mixed(state, bounds=False, radius=1.0)
    assert after.hypothesis[0] == pytest.approx([1 / 3, 2.0, 0.0])
    assert (after.counters.t, after.counters.k, after.counters.mistakes) == (117, 36, 22)
    assert (after.counters.upper, after.counters.drift) == (0.7, 0.2)
    assert not joined.still


@pytest.mark.parametrize("settled", [(True, True), (True, False)])
@pytest.mark.parametrize("updates", [0, 1])
def test_a_round_was_the_last_if_nothing_changed_and_nothing_would(settled, updates):
    """A pass that does not visit all examples may change nothing, though the next one would."""
    came = np.zeros((1, 3))
    reports = [
        Report(5, 2, 1, {}, 1.0, 0, 0.5, one, True, True, made=0) for one in settled
    ]  # fmt: skip
    made = Part(Moved.of(came, came), Counters(t=10, k=updates), Last(), reports)
    assert made.still == (all(settled) and not updates)


@pytest.mark.parametrize(("step_sum", "closer"), [(40.0, True), (4.0, False)])
def test_a_mixture_bounds_the_margin_by_its_own_length(step_sum, closer):
    came = np.zeros((1, 3))
    state = RunState(came, Counters(step_sum=1.0))
    parts = [
        part(np.array([3.0, 4.0, 0.0]), came, 1.0, step_sum=step_sum, drift=0.2) for _ in range(2)
    ]
    joined = Part.join(parts, state)
    n = joined.mixed(state, bounds=True, radius=1.0).counters  # |w| is 5
    if closer:
        assert 5 / 40 + 0.2 < n.upper < 5 / 40 + 0.2 + 1e-9  # rounding may have hidden 0.2
    else:
        assert n.upper == 1.0
    assert n.drift > 0.2  # mixing rounds, too
    begun = replace(state, from_zero=False)
    assert joined.mixed(begun, bounds=True, radius=1.0).counters.upper == 1.0
