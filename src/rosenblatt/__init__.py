"""Rosenblatt: the perceptron family. Train it, prove it, watch it learn.

Names are loaded when they are first used, so that `import rosenblatt` costs next to nothing. Type
checkers and editors read `__init__.pyi`, which `make docs` writes from these tables.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rosenblatt.version import __version__ as __version__

ESTIMATORS = (
    "PerceptronClassifier",
    "Perceptron",
    "AveragedPerceptron",
    "VotedPerceptron",
    "PocketPerceptron",
    "MarginPerceptron",
    "PassiveAggressive",
    "MIRA",
    "ROMMA",
    "ALMA",
    "Ballseptron",
    "DynamicMarginPerceptron",
    "MinOver",
    "MaxOver",
    "ThermalPerceptron",
    "AdaTron",
    "BatchPerceptron",
    "WinnowPerceptron",
    "SecondOrderPerceptron",
    "ConfidenceWeighted",
    "AROW",
    "SCW",
    "NHERD",
    "KernelPerceptron",
)
"""The names of the estimators, in the order of the documentation."""

REGRESSORS = ("PerceptronRegressor", "PassiveAggressiveRegressor", "AROWRegressor")
"""The names of the estimators that predict numbers."""

MODULES = ("data", "plot")
"""The modules that are public as they are."""

HOMES = {
    "rosenblatt.estimators": (*ESTIMATORS, *REGRESSORS, "SequencePerceptron"),
    "rosenblatt.theory.budgets": ("BUDGETS",),
    "rosenblatt.evaluation.comparison": ("compare",),
    "rosenblatt.storage.onnx_export": ("to_onnx",),
    "rosenblatt.evaluation.held_out": ("holdout",),
    "rosenblatt.theory.journal": ("Journal",),
    "rosenblatt.lab.notebook": ("watch",),
    "rosenblatt.evaluation.leaderboard": ("Leaderboard",),
    "rosenblatt.storage.modelfile": ("load", "save"),
    "rosenblatt.theory.orders": ("ORDERS",),
    "rosenblatt.proofs.checker": (
        "Certificate",
        "KernelCertificate",
        "VerificationError",
        "verify",
    ),
    "rosenblatt.proofs.convergence": ("bounds", "proof_trace"),
    "rosenblatt.proofs.search": ("certify", "max_margin"),
    "rosenblatt.theory.readouts": ("READOUTS",),
    "rosenblatt.theory.rules": ("RULES", "Look"),
    "rosenblatt.engine.run": ("Run",),
}
"""The module in which each public name is defined."""

_HOME = {name: home for home, names in HOMES.items() for name in names}

__all__ = sorted(["ESTIMATORS", "__version__", *MODULES, *_HOME])  # noqa: PLE0605 - it is a list


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"rosenblatt.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    if _HOME[name].startswith("rosenblatt.estimators"):
        # First and from here: in the depth of our own imports Python 3.11 takes 0.15 s longer, as
        # its calls then cross the end of a block of its stack again and again.
        import_module("sklearn.base")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
