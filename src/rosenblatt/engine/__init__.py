"""Runs the theory: plans, states, runs, the trainer, its observers, and what comes out.

The only room that knows how code is compiled or loaded (`compiled`); others use the names below.
"""

from rosenblatt.engine.observers import Observer
from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.plan import Examples, KernelPlan, Plan, Source
from rosenblatt.engine.run import Run
from rosenblatt.engine.spaces import SPACES, build_space
from rosenblatt.engine.state import RunState, State
from rosenblatt.engine.trainer import Trainer, make_runs

__all__ = [
    "SPACES",
    "Examples",
    "KernelPlan",
    "Observer",
    "Outcome",
    "Plan",
    "Run",
    "RunState",
    "Source",
    "State",
    "Trainer",
    "build_space",
    "make_runs",
]
