"""Pictures of a classifier, of its run, and of what is proved.

Each function draws into the axes it is given, or into a new figure, and returns the axes.
Matplotlib is loaded with the first picture.
"""

from __future__ import annotations

from rosenblatt.plot.boards import leaderboard
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
