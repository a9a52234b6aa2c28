"""Type checkers know every parameter of every estimator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(__file__).resolve().parents[2]
GOOD = """
from typing import assert_type

from rosenblatt import KernelPerceptron, Perceptron, PerceptronClassifier, SCW
from rosenblatt.cluster import DistributedPerceptron
from rosenblatt.estimators import MEMBERS

one = Perceptron(max_iter=5, class_weight="balanced", order=[0, 1])
assert_type(one, Perceptron)
assert_type(one.n_iter_, int)
PerceptronClassifier("margin", "voted", verbose=True)
KernelPerceptron(kernel=lambda a, b: 1.0, gamma=None)
SCW(variant="II").fit([[0.0]], [1]).predict([[0.0]])
MEMBERS["SCW"](C=2.0)
spread = DistributedPerceptron(one, mixing="mistakes", shards=3, client="local:2")
assert_type(spread.n_iter_, int)
"""
BAD = {
    'Perceptron(max_itr=5)': 'Unexpected keyword argument "max_itr"',
    'Perceptron(max_iter="5")': 'incompatible type "str"; expected "int"',
    'Perceptron(rule="plain")': 'Unexpected keyword argument "rule"',
    'Perceptron(1.0)': "Too many positional arguments",
    'SCW(variant="III")': "expected \"Literal['I', 'II']\"",
    'DistributedPerceptron(mixng="uniform")': 'Unexpected keyword argument "mixng"',
    'DistributedPerceptron(mixing="median")': "expected \"Literal['uniform', 'mistakes']\"",
    'DistributedPerceptron(shards=1.5)': 'incompatible type "float"; expected "int | None"',
}  # fmt: skip


def test_type_checkers_reject_what_the_constructor_rejects(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "good.py").write_text(GOOD)
    names = "from rosenblatt import SCW, Perceptron"
    bad = [f"{names}; from rosenblatt.cluster import DistributedPerceptron", *BAD]
    (tmp_path / "bad.py").write_text("\n".join(bad) + "\n")
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml",
            "--cache-dir", ROOT / ".mypy_cache", "good.py", "bad.py",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"MYPYPATH": str(Path(rosenblatt.__file__).parents[1])},
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    places = [f"bad.py:{number}" for number in range(2, len(BAD) + 2)]
    assert [line.partition(": error")[0] for line in errors] == places, done.stdout + done.stderr
    for line, words in zip(errors, BAD.values(), strict=True):
        assert words in line
