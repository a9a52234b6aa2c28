"""The options of a training: what is given wins, and nothing that exists is lost."""

from __future__ import annotations

import pytest

import rosenblatt as rb
from rosenblatt.cli.fitting import FitOptions
from rosenblatt.cli.options import TableOptions


def options(folder=None, resume=False, **parameters):
    return FitOptions(
        table=TableOptions("some.csv", seed=3), kind=rb.Perceptron, parameters=parameters,
        passes=5, shuffle=True, checkpoint=folder, resume=resume, every=100, memory=1e6,
        cluster=None, shards=None, mixing="uniform", quiet=True,
    )  # fmt: skip


def test_parameters_that_are_given_win_over_defaults():
    made = options(eta0=2.0, random_state=9, max_iter=4).new_estimator(max_iter=7)
    assert (made.eta0, made.random_state, made.max_iter) == (2.0, 9, 4)
    made = options().new_estimator(max_iter=7)
    assert (made.random_state, made.max_iter) == (3, 7)


def test_a_checkpoint_that_exists_is_resumed_or_left_alone(tmp_path):
    state = tmp_path / "training.npz"
    options(tmp_path).check_new_state(state)
    state.write_bytes(b"")
    options(tmp_path, resume=True).check_new_state(state)
    with pytest.raises(ValueError, match="already holds a training; add --resume"):
        options(tmp_path).check_new_state(state)
