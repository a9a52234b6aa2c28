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
__all__ = ["MEMBERS", "SequencePerceptron", *MEMBERS]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> Any:
    """Return the estimator of sequences, which imports templates and encodings."""
    if name != "SequencePerceptron":
        raise AttributeError(f"module 'rosenblatt.estimators' has no attribute {name!r}")
    return import_module("rosenblatt.estimators.sequences").SequencePerceptron
