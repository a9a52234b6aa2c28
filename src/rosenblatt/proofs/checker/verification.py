"""Verification of a certificate against the data, without any part of the search."""

from __future__ import annotations

from typing import Any

from rosenblatt.proofs.checker import feature_space, linear
from rosenblatt.proofs.checker.errors import VerificationError
from rosenblatt.proofs.checker.feature_space import KernelCertificate


def verify(certificate: Any, X: Any, y: Any) -> Any:
    """Return the certificate if it is proved, or raise a `VerificationError`.

    The verdict does not depend on rounding: floats, with a bound on their error, decide only clear
    cases, and integers decide the rest. A statement that is weaker than necessary, such as a wider
    bracket, is accepted because it is true. The note is not checked.
    """
    check = feature_space.check if isinstance(certificate, KernelCertificate) else linear.check
    try:
        check(certificate, X, y)
    except VerificationError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"The certificate or the data cannot be read: {error}"
        raise VerificationError(message) from error
    return certificate
