"""Loops at machine speed: the shipped code, or code compiled just in time, or plain Python."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from ctypes import byref, c_char
from functools import cache
from importlib.util import find_spec
from typing import Any

from rosenblatt.engine.execution import record, shipped


class Code:
    """The machine code of a loop for arguments of certain kinds."""

    def __init__(self, name: str, code: shipped.Code, returns: str, slots: list[Any]) -> None:
        self._name, self._code = name, code
        self._pack, self._unpack = record.packer(slots), record.unpacker(returns)
        self._padding = (0,) * (record.RESULTS - len(slots))

    def __call__(self, slots: list[Any]) -> Any:
        packed = bytearray(self._pack.pack(*slots, *self._padding))
        if self._code(byref(c_char.from_buffer(packed))):
            raise ArithmeticError(
                f"the compiled loop {self._name} failed, most likely in a division by zero; "
                "with compiled=False Python shows where."
            )
        return self._unpack(packed)


UNKNOWN: Any = object()  # code that has not been looked for yet


class Fast:
    """A loop that is called like the Python function and runs as machine code."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._codes: dict[record.Kinds, Code | None] = {}

    def __call__(self, *arguments: Any) -> Any:
        kinds, slots = record.described(arguments)
        code = self._codes.get(kinds, UNKNOWN)
        if code is UNKNOWN:
            code = self._codes[kinds] = self._find(kinds, record.values(arguments), slots)
        return self._function(*record.values(arguments)) if code is None else code(slots)

    def _find(self, kinds: record.Kinds, arguments: tuple[Any, ...], slots: list[Any]) -> Any:
        """Return the code for arguments of some kinds, or None if there is none."""
        name, library = self._function.__name__, shipped.library()
        if library is not None:
            found = library.loop(record.symbol(self._function, kinds))
            if found is not None:
                return Code(name, *found, slots)
        if not can_compile():
            _warn_of_plain_python(name)
            return None
        from rosenblatt.engine.execution import jit

        return Code(name, *jit.compile_loop(self._function, arguments), slots)


@cache
def can_compile() -> bool:
    """Return whether Numba is there to compile what is not shipped."""
    return os.environ.get(shipped.CHOICE) != "plain" and find_spec("numba") is not None


@cache
def _warn_of_plain_python(name: str) -> None:
    if os.environ.get(shipped.CHOICE) != "plain":
        warnings.warn(
            f"No machine code is shipped for this call of the loop {name}, which runs in plain "
            'Python, about a hundred times slower. To compile it: pip install "rosenblatt[jit]"',
            RuntimeWarning,
            stacklevel=4,
        )


@cache
def fast(function: Callable[..., Any]) -> Fast:
    """Return the fast form of a loop."""
    return Fast(function)


def preload() -> None:
    """Load now what would be loaded by the first call of a loop."""
    shipped.library()
