"""The packed record: how arguments enter compiled code, and how results leave it.

A record is a row of slots of 8 bytes. A number takes one; an array takes its address and its shape,
and its strides if it is not contiguous; a tuple takes the slots of its fields. The results are
written over the first slots. Machine code, WebAssembly and Python share this layout.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator
from ctypes import c_void_p
from itertools import count
from typing import Any

import numpy as np

RESULTS = 16  # slots that a record has at least, for the results
END = ")"
C_ORDER, F_ORDER, ALIGNED = 0x1, 0x2, 0x100  # bits of the flags of an array
HEAD = object.__basicsize__  # bytes of an array object before the address of its data
LETTERS = {bool: "?", float: "d", int: "q"}
"""The kinds of plain numbers."""

Kinds = tuple[Any, ...]
"""What the arguments of a call are: of arrays the element type and the layout, of tuples the class
and the kinds of their fields up to `END`, of numbers their kind."""


class Prepared:
    """An argument that is described once, for many calls."""

    __slots__ = ("kinds", "slots", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.kinds: list[Any] = []
        self.slots: list[Any] = []
        describe(value, self.kinds, self.slots)


def described(arguments: tuple[Any, ...]) -> tuple[Kinds, list[Any]]:
    """Return the kinds of some arguments, and what the record holds of them."""
    kinds: list[Any] = []
    slots: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Prepared):
            kinds += argument.kinds
            slots += argument.slots
        else:
            describe(argument, kinds, slots)
    return tuple(kinds), slots


def values(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments as they were before they were prepared."""
    return tuple(a.value if isinstance(a, Prepared) else a for a in arguments)


def describe(value: Any, kinds: list[Any], slots: list[Any]) -> None:
    """Append the kind of a value, and what the record holds of it."""
    letter = LETTERS.get(type(value))
    if letter is not None:
        kinds.append(letter)
        slots.append(value)
    elif isinstance(value, np.ndarray):
        _describe_array(value, kinds, slots)
    elif isinstance(value, tuple):
        kinds.append(type(value))
        for part in value:
            letter = LETTERS.get(type(part))
            if letter is None:
                describe(part, kinds, slots)
            else:  # as above, without a call: most fields are numbers
                kinds.append(letter)
                slots.append(part)
        kinds.append(END)
    elif isinstance(value, np.bool_):
        kinds.append("?")
        slots.append(bool(value))
    elif isinstance(value, np.floating):
        kinds.append("d")
        slots.append(float(value))
    else:
        kinds.append("q")
        slots.append(int(value))


def _describe_array(array: Any, kinds: list[Any], slots: list[Any]) -> None:
    flags, ndim = array.flags.num, array.ndim
    # Where NumPy's C interface has it; `__array_interface__` takes 0.7 µs, and a short call has
    # twenty arrays.
    slots.append(c_void_p.from_address(id(array) + HEAD).value)
    slots += array.shape
    if flags & C_ORDER:
        kinds += (array.dtype.str, ndim)
    elif flags & F_ORDER:
        kinds += (array.dtype.str, -ndim)
    else:
        kinds += (array.dtype.str, f"{ndim}s")
        slots += array.strides
    if not flags & ALIGNED:
        raise ValueError("compiled code reads aligned arrays only; copy the array.")


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
    flat = struct.Struct(returns.replace("(", "").replace(")", "").replace("?", "?7x"))
    place = next(_places(iter(returns), count()))
    if isinstance(place, int):
        return lambda record: flat.unpack_from(record)[0]
    # The results of an inner tuple lie side by side.
    parts = [p if isinstance(p, int) else slice(p[0], p[-1] + 1) for p in place]

    def build(record: bytearray) -> Any:
        numbers = flat.unpack_from(record)
        return tuple([numbers[part] for part in parts])

    return build


def _places(letters: Iterator[str], numbered: Iterator[int]) -> Iterator[Any]:
    """Yield the number of each result among all, in tuples where results are."""
    for letter in letters:
        if letter == END:
            return
        yield tuple(_places(letters, numbered)) if letter == "(" else next(numbered)
