"""Rosenblatt: the perceptron family. Train it, prove it, watch it learn.

Names are loaded when they are first used, so that `import rosenblatt` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt.version import __version__

_HOMES = {
    "rosenblatt.estimators": (
        "ALMA",
        "AROW",
        "MIRA",
        "NHERD",
        "ROMMA",
        "SCW",
        "AveragedPerceptron",
        "Ballseptron",
        "ConfidenceWeighted",
        "AdaTron",
        "BatchPerceptron",
        "DynamicMarginPerceptron",
        "KernelPerceptron",
        "MarginPerceptron",
        "Maxover",
        "MinOver",
        "PassiveAggressive",
        "Perceptron",
        "PerceptronClassifier",
        "PocketPerceptron",
        "SecondOrderPerceptron",
        "ThermalPerceptron",
        "VotedPerceptron",
        "WinnowPerceptron",
    ),
    "rosenblatt.theory.budgets": ("BUDGETS",),
    "rosenblatt.evaluation.comparison": ("compare",),
    "rosenblatt.storage.onnx_export": ("to_onnx",),
    "rosenblatt.evaluation.held_out": ("holdout",),
    "rosenblatt.theory.journal": ("Journal",),
    "rosenblatt.evaluation.leaderboard": ("Leaderboard",),
    "rosenblatt.storage.modelfile": ("load", "save"),
    "rosenblatt.theory.orders": ("ORDERS",),
    "rosenblatt.proofs.convergence.bounds": ("bounds",),
    "rosenblatt.proofs.checker.certificate": ("Certificate",),
    "rosenblatt.proofs.checker.feature_space": ("KernelCertificate",),
    "rosenblatt.proofs.search.certify": ("certify", "max_margin"),
    "rosenblatt.proofs.convergence.trace": ("proof_trace",),
    "rosenblatt.proofs.checker.verify": ("Refused", "verify"),
    "rosenblatt.theory.readouts": ("READOUTS",),
    "rosenblatt.theory.rules": ("RULES", "Look"),
    "rosenblatt.engine.run": ("Run",),
}
ESTIMATORS = _HOMES["rosenblatt.estimators"]
"""Names of the estimators; reading them imports nothing."""
_MODULES = ("data", "plot")
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ALMA",
    "AROW",
    "BUDGETS",
    "MIRA",
    "NHERD",
    "ORDERS",
    "READOUTS",
    "ROMMA",
    "RULES",
    "SCW",
    "AdaTron",
    "AveragedPerceptron",
    "Ballseptron",
    "BatchPerceptron",
    "Certificate",
    "ConfidenceWeighted",
    "DynamicMarginPerceptron",
    "Journal",
    "KernelCertificate",
    "KernelPerceptron",
    "Leaderboard",
    "Look",
    "MarginPerceptron",
    "Maxover",
    "MinOver",
    "PassiveAggressive",
    "Perceptron",
    "PerceptronClassifier",
    "PocketPerceptron",
    "Refused",
    "Run",
    "SecondOrderPerceptron",
    "ThermalPerceptron",
    "VotedPerceptron",
    "WinnowPerceptron",
    "__version__",
    "bounds",
    "certify",
    "compare",
    "data",
    "holdout",
    "load",
    "max_margin",
    "plot",
    "proof_trace",
    "save",
    "to_onnx",
    "verify",
]

if TYPE_CHECKING:
    from rosenblatt import data, plot
    from rosenblatt.engine.run import Run
    from rosenblatt.estimators import (
        ALMA,
        AROW,
        MIRA,
        NHERD,
        ROMMA,
        SCW,
        AdaTron,
        AveragedPerceptron,
        Ballseptron,
        BatchPerceptron,
        ConfidenceWeighted,
        DynamicMarginPerceptron,
        KernelPerceptron,
        MarginPerceptron,
        Maxover,
        MinOver,
        PassiveAggressive,
        Perceptron,
        PocketPerceptron,
        SecondOrderPerceptron,
        ThermalPerceptron,
        VotedPerceptron,
        WinnowPerceptron,
    )
    from rosenblatt.estimators.classifier import PerceptronClassifier
    from rosenblatt.evaluation.comparison import compare
    from rosenblatt.evaluation.held_out import holdout
    from rosenblatt.evaluation.leaderboard import Leaderboard
    from rosenblatt.proofs.checker.certificate import Certificate
    from rosenblatt.proofs.checker.feature_space import KernelCertificate
    from rosenblatt.proofs.checker.verify import Refused, verify
    from rosenblatt.proofs.convergence.bounds import bounds
    from rosenblatt.proofs.convergence.trace import proof_trace
    from rosenblatt.proofs.search.certify import certify, max_margin
    from rosenblatt.storage.modelfile import load, save
    from rosenblatt.storage.onnx_export import to_onnx
    from rosenblatt.theory.budgets import BUDGETS
    from rosenblatt.theory.journal import Journal
    from rosenblatt.theory.orders import ORDERS
    from rosenblatt.theory.readouts import READOUTS
    from rosenblatt.theory.rules import RULES, Look


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"rosenblatt.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
