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

MMAP_THRESHOLD, ARENA_MAX = -3, -8  # parameters of glibc's `mallopt`


def prepare() -> None:
    """Let the allocator of C return large blocks at once, before any thread is started."""
    choose = _of_c("mallopt")
    if choose is not None:
        choose(MMAP_THRESHOLD, 1 << 17)  # it would grow with the blocks that are freed
        choose(ARENA_MAX, 2)  # it would be several per processor, each with gaps of its own


def settle() -> None:
    """Exempt everything that is there now from garbage collections, so that they are quick."""
    gc.collect()
    gc.freeze()


def release() -> None:
    """Collect garbage and return free memory to the system."""
    gc.collect()
    trim = _of_c("malloc_trim")
    if trim is not None:
        trim(0)


@cache
def _of_c(name: str) -> Any:
    """Return a function of glibc; None where there is none."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
