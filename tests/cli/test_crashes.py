"""What happens when a process is killed, a disk is full, or a target cannot be written."""

from __future__ import annotations

import os
import resource
import signal
import time

import numpy as np
import pytest

from rosenblatt.engine.state import State
from rosenblatt.storage.checkpoint import STATE
from tests.cli.terminal import people, rosenblatt, told
from tests.support.forks import begun, command

MOMENTS = 10  # of each way to read, twenty in all
OPTIONS = (
    "-t", "income", "--validate", "0.2", "--passes", "40", "--set", "tol=None", "--every", "400",
    "--json",
)  # fmt: skip
"""All of 40 passes, so that there is time to kill."""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return people(tmp_path_factory.mktemp("data") / "people.csv", rows=4000)


@pytest.mark.parametrize("memory", [256, 0], ids=["kept", "streamed"])
def test_killed_at_twenty_moments_and_resumed_it_ends_in_the_same_bits(data, tmp_path, memory):
    """Each life of the process gets a little further; the last model is the undisturbed one."""
    whole = tmp_path / "whole.rbt"
    options = (*OPTIONS[:-1], "--memory", str(memory))
    told("fit", data, *options, "--out", whole, "--checkpoint", tmp_path / "calm")
    out, folder = tmp_path / "m.rbt", tmp_path / "state"
    given = [
        "fit", data, *options, "--out", out, "--checkpoint", folder, "--resume", "--json",
    ]  # fmt: skip
    draw = np.random.default_rng(0)
    killed = 0
    for _ in range(MOMENTS):
        before = stamp(folder)
        with begun(command, given, tmp_path) as (process, streams):
            # From the first checkpoint of this life on, a moment later; where it strikes is chance.
            while process.is_alive() and stamp(folder) == before:
                time.sleep(0.002)
            time.sleep(draw.uniform(0, 0.03))
            process.kill()
            process.join()
            assert process.exitcode in (-signal.SIGKILL, 0), streams[2].read_text()
            killed += process.exitcode != 0
        assert read_state(folder).settings["seed"] == 0  # never a part of a file
    assert killed == MOMENTS
    rosenblatt(*given)
    assert out.read_bytes() == whole.read_bytes()


def read_state(folder):
    with np.load(folder / STATE) as file:
        return State.from_arrays(dict(file))


def stamp(folder):
    try:
        return os.stat(folder / STATE).st_mtime_ns
    except FileNotFoundError:
        return None


def test_a_checkpoint_is_not_overwritten_by_chance(data, tmp_path):
    folder = tmp_path / "state"
    common = ("fit", data, "-t", "income", "--passes", "2", "--out", tmp_path / "m.rbt")
    told(*common, "--checkpoint", folder)
    assert "--resume" in rosenblatt(*common, "--checkpoint", folder, "--json", code=2).stderr
    other = (*common, "--checkpoint", folder, "--resume", "--seed", "9", "--json")
    assert "seed 0, this one has 9" in rosenblatt(*other, code=2).stderr


def small_files():
    """As on a full disk: no file may grow beyond a few bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_a_full_disk_leaves_the_old_model(data, tmp_path):
    out = tmp_path / "m.rbt"
    out.write_bytes(b"the old model")
    common = ("fit", data, "-t", "income", "--passes", "1", "--json")
    failed = rosenblatt(*common, "--out", out, code=2, limit=small_files)
    assert "too large" in failed.stderr or "No space" in failed.stderr
    assert out.read_bytes() == b"the old model"
    assert os.listdir(tmp_path) == ["m.rbt"]


def test_a_target_that_cannot_be_written(data, tmp_path):
    out = tmp_path / "m.rbt"
    out.mkdir()  # a folder is in the way, for root too
    failed = rosenblatt(
        "fit", data, "-t", "income", "--passes", "1", "--out", out, "--json", code=2
    )
    assert "m.rbt" in failed.stderr
    assert os.listdir(out) == []
    if os.geteuid() == 0:
        failed = rosenblatt(
            "fit", data, "-t", "income", "--passes", "1", "--out", "/proc/m.rbt", "--json", code=2
        )
        assert "/proc" in failed.stderr
    else:
        out.rmdir()
        tmp_path.chmod(0o500)
        try:
            failed = rosenblatt("fit", data, "-t", "income", "--passes", "1", "--out", out, code=2)
        finally:
            tmp_path.chmod(0o700)
        assert "Permission denied" in failed.stderr


def test_a_damaged_checkpoint_is_rejected(data, tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / STATE).write_bytes(b"not a checkpoint at all")
    command = ("fit", data, "-t", "income", "--out", tmp_path / "m.rbt", "--checkpoint", folder)
    failed = rosenblatt(*command, "--resume", "--json", code=2)
    assert STATE in failed.stderr
    assert not (tmp_path / "m.rbt").exists()
