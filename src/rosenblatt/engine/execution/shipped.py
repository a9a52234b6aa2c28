"""The shipped machine code: one library for each level of processor, loaded with `ctypes`.

A library carries the hash of the sources that it was made from. After an edit of these it is stale
and not used.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2]
FOLDER = PACKAGE / "engine" / "shipped"
SOURCES = (
    "theory",
    "engine/execution",
    "proofs/search/triangular.py",
    "data/sources/svmlight_loops.py",
)
"""Where the text of compiled code is, and what decides how it is compiled and called."""

V2 = {"ssse3", "sse4_1", "sse4_2", "popcnt", "cx16"}
V3 = V2 | {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
LEVELS = {"x86-64-v4": V4, "x86-64-v3": V3, "x86-64-v2": V2}
"""The levels of x86-64, best first, and the flags by which Linux announces them."""

SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
INDEX = "rosenblatt_index"  # the symbol of what a library says of itself
CHOICE = "ROSENBLATT_EXECUTION"
"""The variable that chooses an execution: `jit`, `plain`, or the level of a shipped library."""

Code = Callable[[Any], int]


@cache
def fingerprint() -> str:
    """Return the hash of the sources of compiled code."""
    digest = hashlib.sha256()
    for name in SOURCES:
        place = PACKAGE / name
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(file.read_bytes())
    return digest.hexdigest()


class Library:
    """A shipped library: the code of loops and rules, by the names of their symbols."""

    def __init__(self, file: Path) -> None:
        self._library = ctypes.CDLL(str(file))
        index = ctypes.c_char_p.in_dll(self._library, INDEX).value or b"{}"
        self.index: dict[str, Any] = json.loads(index)

    @property
    def stale(self) -> bool:
        """Whether the sources have changed since the library was made."""
        return bool(self.index["sources"] != fingerprint())

    def loop(self, symbol: str) -> tuple[Code, str] | None:
        """Return the code of a loop and what it returns, or None if it is not shipped."""
        if symbol not in self.index["loops"]:
            return None
        code = self._library[symbol]
        code.restype, code.argtypes = ctypes.c_int64, [ctypes.c_void_p]
        return code, self.index["loops"][symbol]

    def rule(self, symbol: str) -> int | None:
        """Return the address of a function of a rule, or None if it is not shipped."""
        if symbol not in self.index["rules"]:
            return None
        return ctypes.cast(self._library[symbol], ctypes.c_void_p).value


def processor_levels() -> list[str]:
    """Return the levels whose code this processor can run, best first."""
    machine = platform.machine().lower()
    if machine not in ("x86_64", "amd64"):
        return [machine]
    try:
        with open("/proc/cpuinfo") as file:
            flags = next(line for line in file if line.startswith("flags")).split()
    except (OSError, StopIteration):
        return ["x86-64-v2"]  # every processor that recent NumPy supports
    return [level for level, needed in LEVELS.items() if needed <= {*flags}]


def file_of(level: str) -> Path:
    """Return where the library of a level is, if it is there."""
    return FOLDER / f"rosenblatt-{level}{SUFFIX}"


@cache
def library() -> Library | None:
    """Return the best library for this processor, or None if there is none to use."""
    chosen = os.environ.get(CHOICE)
    if chosen in ("jit", "plain"):
        return None
    for level in [chosen] if chosen else processor_levels():
        if file_of(level).exists():
            found = Library(file_of(level))
            return None if found.stale else found
    return None


def status() -> str | None:
    """Return why loops do not run as shipped machine code, in a sentence; None if they do."""
    if library() is not None:
        return None
    if os.environ.get(CHOICE):
        return f"{CHOICE}={os.environ[CHOICE]}: the shipped machine code is not used."
    how = "compiled just in time" if find_spec("numba") else "run in plain Python, which is slow"
    if not any(file_of(level).exists() for level in processor_levels()):
        return f"There is no machine code for this processor: loops are {how}."
    return (
        f"The shipped machine code is older than the sources: loops are {how}; `make kernels` "
        "makes it anew."
    )
