"""Proofs: certificates of separability and margins, and the convergence theorem on a run.

`checker` is all that must be trusted, `search` finds what it checks, `convergence` measures runs
against the theorem.
"""
