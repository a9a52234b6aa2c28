"""Plots of a classifier, of its training, and of proofs.

Each function draws into the given axes, or into a new figure, and returns the axes. Matplotlib is
imported with the first plot.
"""

from __future__ import annotations

from rosenblatt.plot.leaderboards import leaderboard
from rosenblatt.plot.models import regions, votes, weights
from rosenblatt.plot.proofs import combination, distance, margins, proof
from rosenblatt.plot.runs import bracket, criterion, holdout, mistakes

__all__ = [
    "bracket",
    "combination",
    "criterion",
    "distance",
    "holdout",
    "leaderboard",
    "margins",
    "mistakes",
    "proof",
    "regions",
    "votes",
    "weights",
]
