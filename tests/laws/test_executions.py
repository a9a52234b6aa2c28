"""Executions agree: plain Python, the shipped code of each processor level, just in time."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from rosenblatt.engine.execution import shipped
from tests.laws.executions import EXACT


def fitted(folder, execution, *spaces):
    """The journals and scores of all fits, as one execution makes them."""
    file = folder / f"{execution}.npz"
    subprocess.run(
        [sys.executable, "-m", "tests.laws.executions", str(file), *spaces],
        env=os.environ | {shipped.CHOICE: execution}, check=True,
    )  # fmt: skip
    return dict(np.load(file))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return fitted(tmp_path_factory.mktemp("plain"), "plain")


def assert_agree(made, reference):
    """The same visits and rivals; the same bits where sums are exact, else but for rounding.

    Plain Python rounds products of single-precision data to single precision, compiled code to
    double.
    """
    for name, numbers in made.items():
        wanted = reference[name]
        if name.endswith("visits") or any(f" {rule} " in name for rule in EXACT):
            assert np.array_equal(numbers, wanted), name
        else:
            within = (1e-3 if "32 " in name else 1e-9) * np.abs(wanted).max(initial=0.0)
            np.testing.assert_allclose(numbers, wanted, rtol=0.0, atol=within, err_msg=name)


@pytest.mark.parametrize("level", shipped.LEVELS)
def test_shipped_code_equals_plain_python(tmp_path, plain, level):
    if level not in shipped.processor_levels():
        pytest.skip(f"this processor is below {level}")
    file = shipped.file_of(level)
    if not file.exists() or shipped.Library(file).stale:
        pytest.skip(f"{level} is not built: make kernels")
    made = fitted(tmp_path, level)
    assert made.keys() == plain.keys()
    assert_agree(made, plain)


def test_code_compiled_just_in_time_equals_plain_python(tmp_path, plain):
    made = fitted(tmp_path, "jit", "dense64")
    assert len(made) > 300
    assert_agree(made, plain)
