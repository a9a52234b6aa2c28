"""The search for certificates, in floats and in exact arithmetic.

Nothing here has to be trusted, because the checker verifies the result.
"""

from __future__ import annotations

from rosenblatt.proofs.search.certification import certify, max_margin
from rosenblatt.proofs.search.evidence import Evidence

__all__ = ["Evidence", "certify", "max_margin"]
