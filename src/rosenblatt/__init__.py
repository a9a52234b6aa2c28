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
    "rosenblatt.budgets": ("BUDGETS",),
    "rosenblatt.comparison": ("compare",),
    "rosenblatt.export": ("to_onnx",),
    "rosenblatt.heldout": ("holdout",),
    "rosenblatt.journal": ("Journal",),
    "rosenblatt.leaderboard": ("Leaderboard",),
    "rosenblatt.modelfile": ("load", "save"),
    "rosenblatt.orders": ("ORDERS",),
    "rosenblatt.proofs.bounds": ("bounds",),
    "rosenblatt.proofs.certificate": ("Certificate",),
    "rosenblatt.proofs.feature_space": ("KernelCertificate",),
    "rosenblatt.proofs.certify": ("certify", "max_margin"),
    "rosenblatt.proofs.trace": ("proof_trace",),
    "rosenblatt.proofs.verify": ("Refused", "verify"),
    "rosenblatt.readouts": ("READOUTS",),
    "rosenblatt.rules": ("RULES", "Look"),
    "rosenblatt.run": ("Run",),
}
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
    from rosenblatt.budgets import BUDGETS
    from rosenblatt.classifier import PerceptronClassifier
    from rosenblatt.comparison import compare
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
    from rosenblatt.export import to_onnx
    from rosenblatt.heldout import holdout
    from rosenblatt.journal import Journal
    from rosenblatt.leaderboard import Leaderboard
    from rosenblatt.modelfile import load, save
    from rosenblatt.orders import ORDERS
    from rosenblatt.proofs.bounds import bounds
    from rosenblatt.proofs.certificate import Certificate
    from rosenblatt.proofs.certify import certify, max_margin
    from rosenblatt.proofs.feature_space import KernelCertificate
    from rosenblatt.proofs.trace import proof_trace
    from rosenblatt.proofs.verify import Refused, verify
    from rosenblatt.readouts import READOUTS
    from rosenblatt.rules import RULES, Look
    from rosenblatt.run import Run


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
