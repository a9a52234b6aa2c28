"""Sparse matrices; scipy is imported with the first of them: a file of numbers has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def csr(given: Any, shape: tuple[int, int] | None = None, dtype: Any = None) -> csr_array:
    """A matrix by rows, from all that scipy makes one from."""
    from scipy.sparse import csr_array

    return csr_array(given, shape=shape, dtype=dtype)


def stacked(parts: Sequence[csr_array]) -> csr_array:
    """Matrices one below the other."""
    from scipy.sparse import vstack

    return csr(vstack(parts, format="csr"))


def beside(parts: Sequence[csr_array]) -> csr_array:
    """Matrices side by side."""
    from scipy.sparse import hstack

    return parts[0] if len(parts) == 1 else csr(hstack(parts, format="csr"))
