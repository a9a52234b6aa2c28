"""Laws of single steps: what every rule must do, whatever the numbers it is shown."""

from __future__ import annotations

import subprocess
import sys
from math import isfinite

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.theory import rules
from rosenblatt.theory.rules import Look
from tests.laws.cases import EVERY, RULES

ODD = {
    "margin below zero": rules.Margin(-1.0),
    "uneven the other way": rules.Uneven(0.1, 1.0),
    "relaxation below zero": rules.Relaxation(1.0, -0.5),
    "pa1 bold": rules.PA1(10.0, 0.25),
    "thermal over 60 visits": rules.Thermal(5.0, 0.5, 60.0),
}
ALL = EVERY | RULES | ODD
LIMITED = [name for name, rule in ALL.items() if rules.margin_limit(rule) < np.inf]
WITHOUT_NORM2 = [name for name, rule in ALL.items() if not rules.reads_norm2(rule)]
MORE = settings(max_examples=60, deadline=None)

numbers = st.floats(0.0, 1e6, allow_subnormal=False)
looks = st.builds(
    Look,
    m=st.floats(-1e6, 1e6, allow_subnormal=False),
    q=numbers,
    norm2=numbers,
    b=st.floats(0.0, 1.0),
    t=st.integers(0, 200),
    k=st.integers(0, 200),
    step_sum=numbers,
    y=st.sampled_from([-1.0, 1.0]),
)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("norm2", [0.0, 2.0])
@pytest.mark.parametrize("t", [0, 59, 60, 61])
def test_an_example_of_length_zero_asks_for_no_endless_step(name, norm2, t):
    a, c = rules.step(ALL[name], Look(0.0, 0.0, norm2, 0.0, t, 0, norm2, 1.0))
    assert isfinite(a)
    assert isfinite(c)


@pytest.mark.parametrize("name", LIMITED)
@MORE
@given(look=looks)
def test_there_is_no_step_above_the_level(name, look):
    rule = ALL[name]
    level = rules.margin_limit(rule)
    assert level >= 0
    above = np.nextafter(level, np.inf) + abs(look.m)
    assert rules.step(rule, look._replace(m=above))[0] == 0


@pytest.mark.parametrize("name", WITHOUT_NORM2)
@MORE
@given(look=looks)
def test_a_rule_that_is_not_curious_does_not_need_the_length(name, look):
    rule = ALL[name]
    assert rules.step(rule, look) == rules.step(rule, look._replace(q=0.0))


def test_annealing_is_over_at_its_last_visit():
    rule = rules.Thermal(5.0, 0.5, 60.0)
    steps = [rules.step(rule, Look(0.0, 1.0, 1.0, 0.0, t, 0, 0.0, 1.0)) for t in (0, 30, 59, 60)]
    assert [a for a, _ in steps] == pytest.approx([0.5, 0.25, 0.5 / 60, 0.0])


@pytest.mark.parametrize(
    "scores", [(np.nan, 1.0, 2.0), (np.inf, np.inf, 0.0), (1.0, np.nan, np.inf)]
)
def test_the_projection_ends_where_scores_have_overflowed(scores):
    code = (
        "import numpy as np; from rosenblatt.theory.spaces.rows import solve_mira; "
        f"solve_mira(np.array({list(map(str, scores))}, float), 0, 1.0, 0.0, np.zeros(3))"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=30)
