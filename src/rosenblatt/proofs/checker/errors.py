"""The error that `verify` raises, and the check that raises it."""

from __future__ import annotations

from typing import Any


class VerificationError(ValueError):
    """A certificate that does not prove what it states about the data."""


def require(condition: Any, reason: str) -> None:
    """Raise a VerificationError with this reason unless a condition holds."""
    if not condition:
        raise VerificationError(reason)
