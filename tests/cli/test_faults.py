"""A sample of the faults of `tests.cli.faults`; `make soak` tries all of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.faults import Bench

SAMPLE = [
    ("fit", "SIGTERM", 15),
    ("fit", "full disk", 10),
    ("predict", "closed pipe", 0),
    ("certify", "read-only", 3),
]
"""Odd moments of signals are while the file is written."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("bench"), rows=600)


@pytest.mark.parametrize(("command", "fault", "moment"), SAMPLE)
def test_a_fault_leaves_the_old_file_or_the_new_one(bench, command, fault, moment):
    outcome = bench.outcome(command, fault, moment)
    assert not outcome.broken
    if fault == "closed pipe":
        assert outcome.code == 141
    elif fault == "full disk":
        assert not outcome.new


def test_a_signal_while_standard_input_is_awaited_ends_the_command(bench):
    """A thread that waits inside the buffer of stdin made the interpreter abort."""
    command = [sys.executable, "-m", "rosenblatt", "predict", "model.rbt", "-", "-o", "late.csv"]
    with subprocess.Popen(
        command, cwd=bench.folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("x,y\n" + "1.5,2\n" * 200_000)  # more than the first look takes
        process.stdin.flush()
        while not list(bench.folder.glob(".*.part")):
            assert process.poll() is None
        process.terminate()
        assert process.wait(timeout=60) == 143
        assert process.stderr.read() == "rosenblatt: terminated.\n"
    assert not list(bench.folder.glob(".*.part"))
    assert not (bench.folder / "late.csv").exists()


def test_closed_standard_output_is_one_line():
    code = "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    done = subprocess.run(
        [sys.executable, "-c", code, "-m", "rosenblatt", "--version"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_closed_standard_input_is_one_line(bench):
    code = "import os, sys; os.close(0); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    done = subprocess.run(
        [sys.executable, "-c", code, "-m", "rosenblatt", "predict", "model.rbt", "-"],
        capture_output=True, text=True, check=False, cwd=bench.folder,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "rosenblatt: standard input: it is closed; name a file.\n"
