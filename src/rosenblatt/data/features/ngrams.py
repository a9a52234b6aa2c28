"""Text as hashed n-grams, by array arithmetic: no dictionary, and scikit-learn is not imported.

The hash of a word b_0 b_1 ... is sum b_k r^k modulo 2^64, taken from one running sum over all the
bytes of a batch: sum over [s, e) times r^-s. Its bits are mixed before the top ones give a feature.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from rosenblatt.data.sources.sparse import csr, stack_rows

Array = npt.NDArray[Any]

BITS = 18
CHUNK = 1 << 20
"""Bytes of text hashed at a time."""
_R = 0x9E3779B97F4A7C15 | 1
_R_INVERSE = pow(_R, -1, 2**64)
_LETTER = np.zeros(256, np.bool_)
_LETTER[[c for c in range(256) if c >= 0x80 or chr(c).isalnum() or c == ord("_")]] = True


@lru_cache(maxsize=4)
def _powers(base: int, count: int) -> Array:
    powers = np.full(count, base, np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)


def _mix(h: Array) -> Array:
    """Make every bit depend on every bit of h (the finaliser of SplitMix64)."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


def _chunks(strings: Any) -> Iterator[tuple[Array, Array]]:
    """Yield bytes of lower-case text, and the edges of documents in them."""
    lower = pc.utf8_lower(pc.fill_null(strings, ""))
    if not len(lower):
        return
    _, offsets, content = lower.buffers()
    places = np.frombuffer(offsets, np.int32)[lower.offset : lower.offset + len(lower) + 1]
    data = np.frombuffer(content or b"", np.uint8)
    at = 0
    while at < len(lower):
        end = int(np.searchsorted(places, places[at] + CHUNK, "right")) - 1
        end = min(max(end, at + 1), len(lower))
        yield data[places[at] : places[end]], places[at : end + 1] - places[at]
        at = end


def _find_ngrams(data: Array, places: Array, longest: int) -> tuple[Array, Array, Array, Array]:
    """Return hash, document, start and end of every n-gram of up to `longest` words."""
    letter = np.zeros(len(data) + 2, np.bool_)
    letter[1:-1] = _LETTER[data]
    first = np.zeros(len(data) + 1, np.bool_)
    first[places] = True
    inside = letter[1:]
    starts = np.flatnonzero(inside[:-1] & (~letter[:-2] | first[:-1]))
    ends = np.flatnonzero(inside[:-1] & (~letter[2:] | first[1:])) + 1
    # Powers up to the next power of two, so that few lengths are computed and cached.
    size = 1 << max(12, len(data).bit_length())
    running = np.zeros(len(data) + 1, np.uint64)
    np.cumsum((data + np.uint64(1)) * _powers(_R, size)[: len(data)], out=running[1:])
    word = _mix((running[ends] - running[starts]) * _powers(_R_INVERSE, size)[starts])
    document = np.searchsorted(places, starts, "right") - 1
    parts = [(word, document, starts, ends)]
    gram = word
    for n in range(1, longest):
        gram = _mix(gram[:-1] * np.uint64(_R) + word[n:])
        same = document[: len(gram)] == document[n:]
        parts.append((gram[same], document[n:][same], starts[: len(gram)][same], ends[n:][same]))
    h, d, s, e = (np.concatenate(column) for column in zip(*parts, strict=True))
    return h, d, s, e


def count_ngrams(strings: Any, longest: int = 2, bits: int = BITS) -> Any:
    """Count each hashed n-gram in each document.

    Example
    -------
    >>> import pyarrow as pa
    >>> count_ngrams(pa.array(["Free, free prize", None])).sum(axis=1).tolist()
    [5.0, 0.0]
    """
    rows = []
    for data, places in _chunks(strings):
        h, document, _, _ = _find_ngrams(data, places, longest)
        key = (document.astype(np.uint64) << np.uint64(bits)) | (h >> np.uint64(64 - bits))
        keys, times = np.unique(key, return_counts=True)
        indptr = np.searchsorted(keys >> np.uint64(bits), np.arange(len(places)))
        columns = (keys & np.uint64((1 << bits) - 1)).astype(np.int32)
        shape = (len(places) - 1, 1 << bits)
        rows.append(csr((times.astype(np.float64), columns, indptr.astype(np.int32)), shape))
    if len(rows) == 1:
        return rows[0]
    return stack_rows(rows) if rows else csr((0, 1 << bits))


def spell_features(
    strings: Any, features: Array, longest: int = 2, bits: int = BITS
) -> dict[int, str]:
    """Return the n-gram of each of these features, as it first occurs in the text."""
    known: dict[int, str] = {}
    for data, places in _chunks(strings):
        h, _, starts, ends = _find_ngrams(data, places, longest)
        buckets, at = np.unique(h >> np.uint64(64 - bits), return_index=True)
        for i in np.flatnonzero(np.isin(buckets, features)):
            text = data[starts[at[i]] : ends[at[i]]].tobytes().decode("utf-8", "replace")
            known.setdefault(int(buckets[i]), " ".join(text.split()))
    return known


def tf_idf(counts: Any, idf: Array) -> Any:
    """Return TF-IDF rows of length one: (1 + log tf) idf."""
    values = (1.0 + np.log(counts.data)) * idf[counts.indices]
    lengths = np.sqrt(np.add.reduceat(np.append(values**2, 0.0), counts.indptr[:-1]))
    rows = np.diff(counts.indptr)
    lengths[rows == 0] = 1.0  # an empty document remains zero
    values = values / np.repeat(lengths, rows)
    return csr((values, counts.indices, counts.indptr), counts.shape)
