"""Files of the previous release are read, or rejected with what to do about them.

The files in `before` were written by the release before model format 2, from every tenth example
of iris and five passes at most.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import rosenblatt
from rosenblatt.cluster import checkpoint
from rosenblatt.engine import inputs
from rosenblatt.engine.run import Run
from rosenblatt.storage.checkpoint import resume
from rosenblatt.theory import readouts, rules
from rosenblatt.theory.journal import Journal

BEFORE = Path(__file__).parent / "before"
X, Y = (part[::10] for part in load_iris(return_X_y=True))


def one_sentence(error, path):
    message = str(error.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.endswith(".")


@pytest.mark.parametrize("name", ["perceptron", "averaged", "kernel", "training"])
def test_a_model_file_of_format_1_is_rejected(name):
    path = BEFORE / f"{name}.rbt"
    with pytest.raises(ValueError, match=r"it has format 1, .*; train the model again") as error:
        rosenblatt.load(path)
    assert one_sentence(error, path)


def test_a_journal_is_read_and_equals_that_of_a_fit(tmp_path):
    old = Journal.load(BEFORE / "journal.json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        new = rosenblatt.Perceptron(max_iter=5, random_state=0, count_errors=True)
        new = new.fit(X, Y == 1).journal_
    assert len(old) > 5
    # The rule's parameter has another name since; the rest is equal to the bit.
    assert old.config.pop("parameters") == {"eta": 1.0}
    assert new.config.pop("parameters") == {"eta0": 1.0}
    assert old.config == new.config
    old.config["parameters"] = new.config["parameters"] = {"eta": 1.0}
    assert old.to_dict() == new.to_dict()
    for name, column in old.updates._asdict().items():
        fresh = getattr(new.updates, name)
        assert (column.dtype, column.tobytes()) == (fresh.dtype, fresh.tobytes())
    *_, (_, steps) = old.replay(X)
    assert steps == old.counters["sa"]
    Journal.load(BEFORE / "journal.json").save(tmp_path / "journal.json")
    assert (tmp_path / "journal.json").read_bytes() == (BEFORE / "journal.json").read_bytes()


def test_a_saved_run_is_rejected():
    signs = np.where(Y == 1, 1, -1)
    space = inputs.binary_space(X, 1.0)
    run = Run(rules.Plain(), space, signs, rng=0, readout=readouts.Averaged())
    with pytest.raises(ValueError, match="damaged, or of an earlier version; start again") as error:
        run.restore(BEFORE / "run.npz")
    assert one_sentence(error, BEFORE / "run.npz")


def test_a_checkpoint_of_a_training_is_rejected():
    with pytest.raises(ValueError, match=r"earlier version.*; use an empty folder") as error:
        resume(BEFORE, {})
    assert one_sentence(error, BEFORE)


def test_a_checkpoint_of_rounds_is_rejected():
    path = BEFORE / "rounds"
    with pytest.raises(
        ValueError, match=r"not a checkpoint of rounds \(.*\); name another file"
    ) as error:
        checkpoint.read(path, None)
    assert one_sentence(error, path)
