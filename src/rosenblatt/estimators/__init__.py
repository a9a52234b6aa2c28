"""The family by name, as scikit-learn's estimators.

The names are those of the classes that the modules define, in the order of these imports.
"""

from importlib import import_module
from typing import Any

# ruff: noqa: I001 - the order of these imports is that of the table, in docs and elsewhere
from rosenblatt.estimators import (  # noqa: F401
    classifier,
    mistakes,
    margins,
    stability,
    annealed,
    dual,
    gradients,
    second,
    kernel,
)
from rosenblatt.estimators.members import MEMBERS

globals().update(MEMBERS)
OTHERS = {
    "SequencePerceptron": "sequences",
    "PerceptronRegressor": "regressor",
    "PassiveAggressiveRegressor": "regressor",
    "AROWRegressor": "regressor",
}
"""Estimators that are no classifiers of examples, by name, and the modules that define them."""

__all__ = ["MEMBERS", "OTHERS", *OTHERS, *MEMBERS]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> Any:
    """Return one of the other estimators, whose modules are imported when they are needed."""
    if name not in OTHERS:
        raise AttributeError(f"module 'rosenblatt.estimators' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.estimators.{OTHERS[name]}"), name)
