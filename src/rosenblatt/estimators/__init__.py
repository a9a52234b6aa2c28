"""The family by name, as scikit-learn's estimators."""

# ruff: noqa: I001 - the order of these imports is that of the table, in docs and elsewhere
from rosenblatt.estimators.classifier import PerceptronClassifier
from rosenblatt.estimators.naming import MEMBERS
from rosenblatt.estimators.mistakes import (
    AveragedPerceptron,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
)
from rosenblatt.estimators.margins import (
    ALMA,
    MIRA,
    ROMMA,
    Ballseptron,
    DynamicMarginPerceptron,
    MarginPerceptron,
    PassiveAggressive,
)
from rosenblatt.estimators.stability import Maxover, MinOver
from rosenblatt.estimators.annealed import ThermalPerceptron
from rosenblatt.estimators.dual import AdaTron
from rosenblatt.estimators.gradients import BatchPerceptron, WinnowPerceptron
from rosenblatt.estimators.second import AROW, NHERD, SCW, ConfidenceWeighted, SecondOrderPerceptron
from rosenblatt.estimators.kernel import KernelPerceptron

__all__ = [
    "ALMA",
    "AROW",
    "MEMBERS",
    "MIRA",
    "NHERD",
    "ROMMA",
    "SCW",
    "AdaTron",
    "AveragedPerceptron",
    "Ballseptron",
    "BatchPerceptron",
    "ConfidenceWeighted",
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
]
