"""The convergence theorem on a run: bounds, and the inequalities of the proof.

`bounds` compares the updates of a run with the classical bounds; `proof_trace` evaluates the
inequalities of the proof after each update.
"""

from __future__ import annotations

from rosenblatt.proofs.convergence.trace import ProofTrace, proof_trace
from rosenblatt.proofs.convergence.update_bounds import Bound, Bounds, bounds

__all__ = ["Bound", "Bounds", "ProofTrace", "bounds", "proof_trace"]
