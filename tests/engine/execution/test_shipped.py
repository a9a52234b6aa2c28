"""The shipped machine code: complete, never stale, and enough by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt.engine.execution import shipped

SOURCE = Path(rb.__file__).parent
NO_NUMBA = "import sys; sys.modules['numba'] = sys.modules['llvmlite'] = None\n"
FIT = """
import sys, warnings
import numpy as np
import rosenblatt as rb
X, y = np.array([[2.0, 1.0], [-1.0, -2.0], [1.0, 2.0]]), [1, 0, 1]
"""

pytestmark = pytest.mark.skipif(
    shipped.library() is None, reason="the machine code is not built: make kernels"
)


def python(code, package=None, **variables):
    """What a process prints, the package being read from a folder."""
    environment = os.environ | variables
    if package is not None:
        environment["PYTHONPATH"] = str(package)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package."""
    folder = tmp_path_factory.mktemp("site")
    skip = shutil.ignore_patterns("__pycache__", "static")
    shutil.copytree(SOURCE, folder / "rosenblatt", ignore=skip)
    return folder


def test_every_member_runs_without_numba_and_without_a_loop_in_plain_python():
    """A loop that is not shipped warns; here warnings are errors."""
    code = """
warnings.simplefilter("error", RuntimeWarning)
import scipy.sparse as sp
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
for classes in (2, 3):
    y = rng.integers(0, classes, 40)
    for name in rb.ESTIMATORS:
        for dtype in (np.float64, np.float32):
            for table in (X.astype(dtype), sp.csr_matrix(X.astype(dtype))):
                made = getattr(rb, name)(random_state=0, max_iter=3)
                made.fit(table, y).predict(table)
rb.certify(X, (X[:, 0] > 0).astype(int))
print(sys.modules["numba"])
"""
    ignored = "warnings.filterwarnings('ignore', category=UserWarning)\n"
    assert python(NO_NUMBA + FIT + ignored + code).strip() == "None"


def test_an_edited_source_makes_the_code_stale_and_verbose_says_so(package):
    edited = package / "rosenblatt" / "theory" / "rules" / "fixed.py"
    before = edited.read_text()
    code = FIT + "rb.Perceptron(verbose=1).fit(X, y); print('numba' in sys.modules)"
    try:
        assert "False" in python(code, package)
        edited.write_text(before + "# edited\n")
        printed = python(code, package)
    finally:
        edited.write_text(before)
    assert printed.count("The shipped machine code is older than the sources") == 1
    assert "True" in printed


def test_nothing_is_written_to_disk(package, tmp_path):
    code = FIT + "rb.AROW().fit(X, y); rb.MIRA().fit(X, y); rb.KernelPerceptron().fit(X, y)"
    before = sorted(package.rglob("*"))
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    python(NO_NUMBA + code, package, **environment)
    assert sorted(package.rglob("*")) == before
    assert list(tmp_path.iterdir()) == []


OWN = """
def timid(s):
    return (0.5, 1.0) if s.m <= 0 else (0.0, 1.0)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    made = rb.PerceptronClassifier(rule=timid, order="cyclic").fit(X, y)
    made.fit(X, y)
for warning in caught:
    print(warning.category.__name__, warning.message)
print(made.coef_.tolist(), "numba" in sys.modules and sys.modules["numba"] is not None)
"""


def test_an_own_rule_runs_in_the_shipped_loops_with_and_without_numba():
    without = python(NO_NUMBA + FIT + OWN).splitlines()
    assert without[:-1] == [
        "RuntimeWarning The rule timid runs in plain Python, which is slow. "
        'To compile it: pip install "rosenblatt[jit]"'
    ]
    pytest.importorskip("numba")
    compiled = python(FIT + OWN).splitlines()
    assert compiled == [without[-1].replace("False", "True")]


def test_without_machine_code_and_without_numba_python_does_it():
    code = FIT + "print(rb.Perceptron().fit(X, y).predict(X))"
    printed = python(NO_NUMBA + code, ROSENBLATT_EXECUTION="none")
    assert "[1 0 1]" in printed
    assert 'pip install "rosenblatt[jit]"' in printed


def test_the_interpreter_goes_on_while_a_loop_runs():
    """The lock is released: another thread counts meanwhile."""
    X = np.random.default_rng(0).normal(size=(200_000, 50))
    y = np.random.default_rng(1).integers(0, 2, 200_000)
    counted, stop = 0, threading.Event()

    def count():
        nonlocal counted
        while not stop.wait(0.001):
            counted += 1

    other = threading.Thread(target=count)
    other.start()
    made = rb.Perceptron(max_iter=20, tol=None).fit(X, y)
    stop.set()
    other.join()
    assert made.n_iter_ == 20
    assert counted > 20


def test_levels_are_nested():
    levels = list(shipped.LEVELS.values())
    assert all(better > lesser for better, lesser in pairwise(levels))
    assert set(shipped.processor_levels()) <= set(shipped.LEVELS)
