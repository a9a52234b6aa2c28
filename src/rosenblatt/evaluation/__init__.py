"""Measuring models: held-out errors, cross-validated comparison, confusion.

`holdout` measures one estimator after each pass, `compare` ranks the family on the same folds, and
`Evaluation` counts the predictions of a fitted model, `SpanScores` those of a tagger. Names are
imported at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.evaluation.comparison import compare
    from rosenblatt.evaluation.confusion import Evaluation
    from rosenblatt.evaluation.held_out import Holdout, holdout
    from rosenblatt.evaluation.leaderboard import Leaderboard
    from rosenblatt.evaluation.spans import SpanScores, find_spans

_MODULES = {
    "Evaluation": "confusion",
    "Holdout": "held_out",
    "Leaderboard": "leaderboard",
    "SpanScores": "spans",
    "compare": "comparison",
    "find_spans": "spans",
    "holdout": "held_out",
}

__all__ = ["Evaluation", "Holdout", "Leaderboard", "SpanScores", "compare", "find_spans", "holdout"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rosenblatt.evaluation' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.evaluation.{_MODULES[name]}"), name)
