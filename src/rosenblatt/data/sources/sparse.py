"""Sparse matrices; scipy is imported with the first of them, as dense data need none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def csr(given: Any, shape: tuple[int, int] | None = None, dtype: Any = None) -> csr_array:
    """Return a CSR matrix from anything that scipy accepts."""
    from scipy.sparse import csr_array

    return csr_array(given, shape=shape, dtype=dtype)


def stack_rows(parts: Sequence[csr_array]) -> csr_array:
    """Return matrices one below the other."""
    from scipy.sparse import vstack

    return csr(vstack(parts, format="csr"))


def stack_columns(parts: Sequence[csr_array]) -> csr_array:
    """Return matrices side by side."""
    from scipy.sparse import hstack

    return parts[0] if len(parts) == 1 else csr(hstack(parts, format="csr"))
