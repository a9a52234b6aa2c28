"""Keys of features: values in the windows of templates, mixed by operations on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.sequences.templates import Template, Templates

Array = npt.NDArray[Any]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


def hash_text(text: str) -> int:
    """Return 64 bits that depend on a text alone; never 0, which stands for no value."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") | 1


def mix(template: Template, values: Sequence[Array]) -> Array:
    """Return the keys of features of a template; 0, for no feature, where a value is 0."""
    keys: Any = np.uint64(hash_text(template.kind))
    for array in values:
        keys = (keys ^ array) * _FACTOR
        keys ^= keys >> _HALF
    for array in values:
        keys[array == 0] = 0
    return keys


class Windows:
    """Sentences laid out with room for what is before and after each, and the keys in them.

    `ids` has a row for each of `Templates.cells` and numbers their values from 1; `outside` has the
    values before sentences (at distance 1, 2, ...), then those after. Both are 64-bit.
    """

    def __init__(self, templates: Templates, ids: Array, outside: Array, lengths: Array) -> None:
        reach = templates.reach
        rows = {cells: row for row, cells in enumerate(templates.cells)}
        self._templates = templates.each
        self._places = [
            [(rows[atom.cells], atom.offset) for atom in template.atoms]
            for template in templates.each
        ]
        ends = np.cumsum(lengths) + reach * np.arange(1, 2 * len(lengths), 2)
        starts = ends - lengths
        sentences = np.repeat(np.arange(len(lengths)), lengths)
        self._positions = np.arange(ids.shape[1]) + reach * (2 * sentences + 1)
        self._ids = np.zeros((len(ids), ids.shape[1] + 2 * reach * len(lengths)), np.uint64)
        self._ids[:, self._positions] = ids
        for distance in range(1, reach + 1):
            self._ids[:, starts - distance] = outside[distance - 1]
            self._ids[:, ends + distance - 1] = outside[reach + distance - 1]

    def keys(self, first: int, end: int) -> Array:
        """Return the keys of all templates for some tokens, a row for each token."""
        at = self._positions[first:end]
        keys = np.empty((len(at), len(self._templates)), np.uint64)
        for column, (template, places) in enumerate(
            zip(self._templates, self._places, strict=True)
        ):
            keys[:, column] = mix(template, [self._ids[row][at + offset] for row, offset in places])
        return keys

    def values(self, tokens: Array, templates: Array) -> Array:
        """Return the values of features of tokens, 0 where a template has no more."""
        most = max(map(len, self._places), default=0)
        values = np.zeros((len(tokens), most), np.uint64)
        for template, places in enumerate(self._places):
            of_it = np.flatnonzero(templates == template)
            at = self._positions[tokens[of_it]]
            for column, (row, offset) in enumerate(places):
                values[of_it, column] = self._ids[row][at + offset]
        return values
