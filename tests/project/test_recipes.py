"""The recipes in CONTRIBUTING are followed to the letter, in a copy of the tree.

A code block that comes after "New file `PATH`" is written there, one after "Append to `PATH`" is
appended; then the laws are run on what was added.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLACE = re.compile(r"(New file|Append to) `([^`]+)`")
BLOCK = re.compile(r"^( *)```python\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


def steps(section):
    """What a recipe says to write: (how, path, code)."""
    for block in BLOCK.finditer(section):
        places = PLACE.findall(section[: block.start()])
        assert places, f"no path before: {block[2][:60]}"
        how, path = places[-1]
        yield how, path, textwrap.dedent(block[2])


@pytest.fixture(scope="module")
def recipes():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    titles = ("Add a ", "Declare a parameter")
    return {part.partition("\n")[0]: part for part in sections if part.startswith(titles)}


@pytest.fixture(scope="module")
def copy(recipes, tmp_path_factory):
    """The tree with one rule, one space and one readout more."""
    folder = tmp_path_factory.mktemp("copy")
    skip = shutil.ignore_patterns("__pycache__", "static", "node_modules")
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for section in recipes.values():
        for how, path, code in steps(section):
            file = folder / path
            if how == "New file":
                assert not file.exists()
                file.write_text(code, encoding="utf-8")
            else:
                before = file.read_text(encoding="utf-8")
                file.write_text(f"{before}\n\n{code}", encoding="utf-8")
    return folder


def run_tests(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(folder / "src"), "PYTEST_ADDOPTS": ""},
    )  # fmt: skip


def test_there_is_a_recipe_for_each(recipes):
    assert set(recipes) == {
        "Add a rule", "Declare a parameter", "Add a space", "Add a readout",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["slowing", "discounting", "late"])
def test_what_a_recipe_adds_works_everywhere(copy, name):
    done = run_tests(copy, "tests/laws/test_everywhere.py", "-k", name)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 7


def test_a_declared_parameter_is_checked_and_documented(copy):
    code = (
        "import numpy as np\n"
        "from rosenblatt.estimators.slowing import SlowingPerceptron as Slowing\n"
        "X, y = np.array([[1.0], [-1.0]]), [0, 1]\n"
        "assert Slowing(power=1.0).fit(X, y).score(X, y) == 1.0\n"
        "assert 'How fast the steps shrink.' in Slowing.__doc__\n"
        "try: Slowing(power=2.0).fit(X, y)\n"
        "except ValueError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=copy, capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": str(copy / "src")},
    )  # fmt: skip
    assert "power=2" in done.stdout, done.stderr[-2000:]


def test_the_laws_of_rules_range_over_a_new_one(copy):
    done = run_tests(copy, "tests/laws/test_plain.py", "-k", "slowing")
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 1
