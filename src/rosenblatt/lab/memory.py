"""Memory that requests have used, returned to the system.

A large run makes millions of small objects. Those in reference cycles wait for a garbage
collection, and what is freed stays with the allocator of C: without this module a server that has
answered large requests keeps some hundred megabytes until it ends.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from functools import cache
from typing import Any


def settle() -> None:
    """Exempt everything that is there now from garbage collections, so that they are quick."""
    gc.collect()
    gc.freeze()


def release() -> None:
    """Collect garbage and return free memory to the system."""
    gc.collect()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """Return glibc's `malloc_trim`; None where there is none."""
    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
