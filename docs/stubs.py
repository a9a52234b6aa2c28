"""Type stubs of the estimators and of the package, written from their declarations.

Constructors are made while Python runs; editors and type checkers read these files instead.
"""

from __future__ import annotations

import inspect
import textwrap
from math import inf
from pathlib import Path
from typing import Any

import rosenblatt
from rosenblatt.cluster import DistributedPerceptron
from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.members import described, section
from rosenblatt.estimators.parameters import declared
from rosenblatt.estimators.regressor import REGRESSORS
from rosenblatt.estimators.sequences import SequencePerceptron

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "rosenblatt"
NOTE = "# Written by docs/stubs.py: change the declarations and run `make docs`.\n"


def stubs() -> dict[Path, str]:
    """Return the text of each stub file."""
    return {
        PACKAGE / "__init__.pyi": package_stub(),
        PACKAGE / "estimators" / "__init__.pyi": estimators_stub(),
        PACKAGE / "cluster" / "__init__.pyi": cluster_stub(),
    }


def package_stub() -> str:
    """Return the stub of the package: each public name imported from its home."""
    homes = {"rosenblatt": rosenblatt.MODULES, "rosenblatt.version": ("__version__",)}
    homes |= rosenblatt.HOMES
    lines = [
        f"from {home} import {name} as {name}"
        for home, names in sorted(homes.items())
        for name in sorted(names, key=_isort)
    ]
    return NOTE + "\n" + "\n".join(lines) + "\n\nESTIMATORS: tuple[str, ...]\n"


def estimators_stub() -> str:
    """Return the stub of the estimators: constructors with all parameters, and the results."""
    kinds = [*MEMBERS.values(), *REGRESSORS.values(), SequencePerceptron]
    modules = sorted({kind.__module__.rpartition(".")[2] for kind in kinds})
    head = f"""{NOTE}
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Literal

import numpy as np

from rosenblatt.data import FeatureMap, Templates
from rosenblatt.estimators import (
{textwrap.indent("".join(f"{name},{chr(10)}" for name in modules), "    ")})
from rosenblatt.theory.journal import Journal
from rosenblatt.theory.spaces import Array

MEMBERS: dict[str, type[classifier.PerceptronClassifier]]
OTHERS: dict[str, str]
"""
    return "\n".join([head, *map(class_stub, kinds)])


def cluster_stub() -> str:
    """Return the stub of the cluster: its estimator and what else it exports."""
    head = f"""{NOTE}
from os import PathLike
from typing import Any, Literal

from rosenblatt.cluster import perceptron
from rosenblatt.cluster.fit import describe_round as describe_round
from rosenblatt.data import Recipe
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.theory.spaces import Array
"""
    return "\n".join([head, class_stub(DistributedPerceptron)])


def class_stub(kind: type) -> str:
    """Return the stub of one estimator, which adds to the class what is made at run time."""
    summary, parameters = described(kind).summary, section("Parameters", declared(kind).values())
    documentation = f'"""{summary}\n\n{parameters}\n"""'
    return "\n".join([
        f"class {kind.__name__}({kind.__module__.rpartition('.')[2]}.{kind.__name__}):",
        textwrap.indent(documentation, "    "),
        "",
        *(f"    {result.name}: {result.annotation}" for result in described(kind).results),
        "    def __init__(",
        *(f"        {line}," for line in _arguments(kind)),
        "    ) -> None: ...",
        "",
    ])  # fmt: skip


def _arguments(kind: type) -> list[str]:
    """Return the arguments of a constructor, with a star before the keyword-only ones."""
    lines, parameters, keyword = ["self"], declared(kind), False
    for name, argument in inspect.signature(kind).parameters.items():
        if argument.kind is inspect.Parameter.KEYWORD_ONLY and not keyword:
            lines.append("*")
            keyword = True
        parameter = parameters[name]
        lines.append(f"{name}: {parameter.kind.annotation} = {_default(parameter.default)}")
    return lines


def _default(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return "inf" if value == inf else f"{value!r}"


def _isort(name: str) -> tuple[bool, bool, str]:
    """Return the key by which sorted imports order names: constants, classes, functions."""
    return not name.isupper(), not name[0].isupper(), name.casefold()
