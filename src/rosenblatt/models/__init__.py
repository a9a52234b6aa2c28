"""Fitted models: objects with a method `scores(X)`, and the decisions that follow from scores.

A model is built by training or read from a file. It does not learn and keeps no state.
"""

from rosenblatt.models.combined import PerClass, Sum
from rosenblatt.models.decisions import Margins, codes, labels, leads, margins, own_scores, rivals
from rosenblatt.models.expansion import Expansion, kernel_rows
from rosenblatt.models.history import READINGS, History
from rosenblatt.models.linear import Linear, blocks, product
from rosenblatt.models.prediction import predicted
from rosenblatt.models.tagger import Tagger
from rosenblatt.models.voted import VotedRuns

__all__ = [
    "READINGS",
    "Expansion",
    "History",
    "Linear",
    "Margins",
    "PerClass",
    "Sum",
    "Tagger",
    "VotedRuns",
    "blocks",
    "codes",
    "kernel_rows",
    "labels",
    "leads",
    "margins",
    "own_scores",
    "predicted",
    "product",
    "rivals",
]
