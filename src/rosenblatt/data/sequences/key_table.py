"""Keys of 64 bits numbered in the order in which they were first seen: a hash table in arrays.

Open addressing with linear probing. All keys of a call take each probe together, so that a lookup
costs a few operations on arrays however many keys there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

SMALLEST = 1 << 10
"""Slots of a new table."""
ABSENT = -1


class KeyTable:
    """Numbers keys; the key 0 stands for no key.

    Example
    -------
    >>> table = KeyTable()
    >>> numbers, new = table.add(np.array([50, 7, 50, 9], np.uint64))
    >>> numbers.tolist(), new.tolist()
    ([0, 1, 0, 2], [0, 1, 3])
    >>> table.find(np.array([9, 8, 50, 0], np.uint64)).tolist()
    [2, -1, 0, -1]
    """

    def __init__(self) -> None:
        self._keys = np.zeros(SMALLEST, np.uint64)
        self._numbers = np.full(SMALLEST, ABSENT, np.int32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Bytes of the slots."""
        return int(self._keys.nbytes + self._numbers.nbytes)

    def find(self, keys: Array) -> Array:
        """Return the numbers of keys, -1 for those that are not there."""
        mask = len(self._keys) - 1
        place = (keys & np.uint64(mask)).view(np.int64)
        there = self._keys.take(place)
        numbers = self._numbers.take(place)  # an empty slot has the number of an absent key
        pending = np.flatnonzero(there != keys)
        numbers[pending] = ABSENT
        pending = pending[there[pending] != 0]
        place = place[pending]
        while len(pending):
            place = (place + 1) & mask
            there = self._keys.take(place)
            hit = there == keys[pending]
            numbers[pending[hit]] = self._numbers[place[hit]]
            again = ~hit & (there != 0)
            pending, place = pending[again], place[again]
        return numbers

    def add(self, keys: Array) -> tuple[Array, Array]:
        """Number keys, new ones in their order; return the numbers and where new ones begin."""
        numbers = self.find(keys)
        missing = np.flatnonzero((numbers == ABSENT) & (keys != 0))
        _, first = np.unique(keys[missing], return_index=True)
        places = missing[np.sort(first)]
        count = self._count + len(places)
        self._reserve(count)
        self._insert(keys[places], np.arange(self._count, count, dtype=np.int32))
        self._count = count
        numbers[missing] = self.find(keys[missing])
        return numbers, places

    def _reserve(self, count: int) -> None:
        """Make the table large enough: at most half of its slots are taken."""
        size = len(self._keys)
        while size < 2 * count:
            size *= 2
        if size > len(self._keys):
            full = self._keys != 0
            keys, numbers = self._keys[full], self._numbers[full]
            self._keys = np.zeros(size, np.uint64)
            self._numbers = np.full(size, ABSENT, np.int32)
            self._insert(keys, numbers)

    def _insert(self, keys: Array, numbers: Array) -> None:
        """Put in keys that differ and are not there."""
        mask = len(self._keys) - 1
        place = (keys & np.uint64(mask)).view(np.int64)
        while len(keys):
            free = self._keys[place] == 0
            self._keys[place[free]] = keys[free]  # of several for one slot the last one stays
            done = self._keys[place] == keys
            self._numbers[place[done]] = numbers[done]
            keys, numbers, place = keys[~done], numbers[~done], (place[~done] + 1) & mask
