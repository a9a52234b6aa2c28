"""What a file may hold of a vote: its parts must fit together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rosenblatt.engine.schema import build_kinds
from rosenblatt.models import Linear
from tests.models.cases import voted

KINDS = build_kinds()


def changed(runs, **changes):
    """The same runs with another history."""
    return replace(runs, histories=[replace(runs.histories[0], **changes)])


@pytest.mark.parametrize("classes", [1, 3])
def test_a_history_has_a_code_a_life_and_a_length_for_every_hypothesis(classes):
    sound, one = KINDS["History"].sound, voted(0, classes).histories[0]
    assert sound(one)
    assert sound(replace(one, lengths=None))
    for wrong in (
        replace(one, codes=one.codes[1:]),
        replace(one, lives=one.lives[1:]),
        replace(one, lengths=one.lengths[1:]),
        replace(one, codes=np.full(12, 3)),
        replace(one, codes=np.full(12, -2)),
    ):
        assert not sound(wrong)


def test_the_parts_of_voted_runs_fit_together():
    sound, runs = KINDS["VotedRuns"].sound, voted(0)
    one = runs.histories[0]
    visits, number = int(one.lives.sum()), one.updates.i.copy()
    number[3] = 5
    assert sound(runs)
    assert sound(replace(runs, reading="avg_norm", moment=visits - 1))
    assert sound(changed(runs, start=np.zeros(5)))
    for wrong in (
        replace(runs, histories=[]),
        replace(runs, reading="mean"),
        replace(runs, moment=visits),
        replace(runs, moment=-1),
        replace(runs, supports=runs.supports[:, 1:]),
        changed(runs, start=Linear(np.zeros((1, 4)), np.zeros(1))),
        changed(runs, start=np.zeros(4)),
        changed(runs, updates=one.updates._replace(i=number)),
        changed(runs, updates=one.updates._replace(i=-one.updates.i - 1)),
        replace(changed(runs, lengths=None), reading="last_norm"),
    ):
        assert not sound(wrong)
