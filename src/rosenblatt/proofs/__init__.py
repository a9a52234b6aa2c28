"""Proofs: certificates of separability, and the convergence theorem on a run.

`checker` is all that must be trusted, `search` finds the certificates that it checks, and
`convergence` compares runs with the theorem; names are loaded on first use, so that importing the
checker does not import the search.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.proofs.checker import (
        Certificate,
        KernelCertificate,
        VerificationError,
        verify,
    )
    from rosenblatt.proofs.convergence import bounds, proof_trace
    from rosenblatt.proofs.search import certify, max_margin

__all__ = [
    "Certificate",
    "KernelCertificate",
    "VerificationError",
    "bounds",
    "certify",
    "max_margin",
    "proof_trace",
    "verify",
]

_ROOMS = {
    "Certificate": "checker",
    "KernelCertificate": "checker",
    "VerificationError": "checker",
    "bounds": "convergence",
    "certify": "search",
    "max_margin": "search",
    "proof_trace": "convergence",
    "verify": "checker",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
