"""The checker: exact separation problems, certificates and their verification.

This is all that must be trusted; it imports nothing of the search, scikit-learn or Numba.
"""

from __future__ import annotations

from rosenblatt.proofs.checker.certificate import Certificate, load_with_scope
from rosenblatt.proofs.checker.errors import VerificationError
from rosenblatt.proofs.checker.feature_space import KernelCertificate
from rosenblatt.proofs.checker.problem import Problem, read_problem
from rosenblatt.proofs.checker.statement import margin_range
from rosenblatt.proofs.checker.table import (
    Table,
    read_table,
    with_exact_columns,
    with_exact_entries,
)
from rosenblatt.proofs.checker.verification import verify

__all__ = [
    "Certificate",
    "KernelCertificate",
    "Problem",
    "Table",
    "VerificationError",
    "load_with_scope",
    "margin_range",
    "read_problem",
    "read_table",
    "verify",
    "with_exact_columns",
    "with_exact_entries",
]
