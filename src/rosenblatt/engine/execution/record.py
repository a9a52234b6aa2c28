"""The packed record: how arguments enter compiled code, and how results leave it.

A record is a row of slots of 8 bytes. A number takes one; an array takes its address and its shape,
and its strides if it is not contiguous; a tuple takes the slots of its fields. The results are
written over the first slots. Machine code, WebAssembly and Python share this layout.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

RESULTS = 16  # slots that a record has at least, for the results
END = ")"

Kinds = tuple[Any, ...]
"""What the arguments of a call are: of arrays the element type and the layout, of tuples the class
and the kinds of their fields up to `END`, of numbers their kind."""


def describe(value: Any, kinds: list[Any], slots: list[Any]) -> None:
    """Append the kind of a value, and what the record holds of it."""
    if isinstance(value, np.ndarray):
        flags, ndim = value.flags, value.ndim
        slots.append(value.__array_interface__["data"][0])
        slots += value.shape
        if flags.c_contiguous:
            kinds += (value.dtype.str, ndim)
        elif flags.f_contiguous:
            kinds += (value.dtype.str, -ndim)
        else:
            kinds += (value.dtype.str, f"{ndim}s")
            slots += value.strides
        if not flags.aligned:
            raise ValueError("compiled code reads aligned arrays only; copy the array.")
    elif isinstance(value, tuple):
        kinds.append(type(value))
        for part in value:
            describe(part, kinds, slots)
        kinds.append(END)
    elif isinstance(value, (bool, np.bool_)):
        kinds.append("?")
        slots.append(bool(value))
    elif isinstance(value, (float, np.floating)):
        kinds.append("d")
        slots.append(float(value))
    else:
        kinds.append("q")
        slots.append(int(value))


def symbol(function: Callable[..., Any], kinds: Kinds) -> str:
    """Return the name of the code of a loop for arguments of these kinds."""
    names = [f"{k.__module__}.{k.__qualname__}(" if isinstance(k, type) else str(k) for k in kinds]
    text = f"{function.__module__}.{function.__qualname__} {' '.join(names)}"
    return f"{function.__name__}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def packer(slots: list[Any]) -> struct.Struct:
    """Return what packs slots like these."""
    formats = ["d" if isinstance(value, float) else "q" for value in slots]
    return struct.Struct("".join(formats) + "q" * max(0, RESULTS - len(slots)))


def unpacker(returns: str) -> Callable[[bytearray], Any]:
    """Return what reads the results from a record.

    `returns` says what they are: `q` whole numbers, `d` floats, `?` booleans, in parentheses where
    they are a tuple; nothing for None.
    """
    if not returns:
        return lambda record: None
    flat = struct.Struct(returns.replace("(", "").replace(")", "").replace("?", "q"))

    def build(values: Iterator[Any], letters: Iterator[str]) -> Iterator[Any]:
        for letter in letters:
            if letter == END:
                return
            if letter == "(":
                yield tuple(build(values, letters))
            else:
                value = next(values)
                yield bool(value) if letter == "?" else value

    def unpack(record: bytearray) -> Any:
        return next(build(iter(flat.unpack_from(record)), iter(returns)))

    return unpack
