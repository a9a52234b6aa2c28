"""Proofs: margins, bounds and exact certificates of separability."""
