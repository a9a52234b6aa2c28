"""How one column becomes features: numbers, flags, categories, text.

Each kind sums up a batch (`look`), joins such sums in order (`join`), and settles (`settle`) into
plain data that encodes further batches the same way (`encode`). Numbers are summed up and encoded
side by side, in `numbers`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.data.errors import DataError, shown
from rosenblatt.data.features import words

Array = npt.NDArray[Any]

CATEGORIES = 10_000
"""The most categories of a column."""
LONGEST = 5
"""The most words of an n-gram."""
SPELLED = 2_000
"""The most features of a text column whose n-grams are remembered by name."""
KEPT = 4 << 20
"""Bytes of text that are kept while learning, to spell those n-grams."""


@dataclass
class Column:
    """A column by name; `missing` cells were met in learning."""

    name: str
    missing: int = 0
    kind: ClassVar[str]
    read_as: ClassVar[str]

    @property
    def features(self) -> list[str]:
        raise NotImplementedError

    def _indicator(self) -> list[str]:
        return [f"{self.name} missing"] if self.missing else []


@dataclass
class Number(Column):
    """(x - centre) / scale, standardised. A missing cell counts as the mean, with an indicator."""

    mean: float = 0.0
    centre: float = 0.0
    scale: float = 1.0
    count: int = 0
    spread: float = 0.0  # the sum of squared distances from the mean
    kind = "number"
    read_as = "number"

    @property
    def features(self) -> list[str]:
        return [self.name, *self._indicator()]

    def join(self, look: tuple[int, int, float, float]) -> None:
        missing, count, mean, spread = look
        self.missing += missing
        if count:
            total, apart = self.count + count, mean - self.mean
            self.spread += spread + apart * (apart * (self.count * (count / total)))
            self.mean += apart * count / total
            self.count = total

    def settle(self, standardise: bool, rows: int) -> None:
        deviation = math.sqrt(self.spread / self.count) if self.count else 0.0
        if not math.isfinite(deviation):
            raise DataError(f"the numbers of '{self.name}' are too large.", column=self.name)
        if standardise:
            # A constant column has only rounding for a deviation: it becomes zero.
            steady = deviation <= 1e-12 * max(abs(self.mean), 1e-300)
            self.centre, self.scale = self.mean, 1.0 if steady else deviation


@dataclass
class Flag(Column):
    """True is 1 and false 0; a missing cell is 0, with an indicator."""

    kind = "flag"
    read_as = "flag"

    @property
    def features(self) -> list[str]:
        return [self.name, *self._indicator()]

    def look(self, column: Any) -> int:
        return int(column.null_count)

    def join(self, look: int) -> None:
        self.missing += look

    def settle(self, standardise: bool, rows: int) -> None:
        """Nothing to settle."""

    def encode(self, column: Any, tally: Counter[str]) -> list[Array]:
        cells = np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
        gone = np.isnan(cells)
        tally["missing"] += int(gone.sum())
        values = np.where(gone, 0.0, cells)
        return [values, gone.astype(np.float64)] if self.missing else [values]


@dataclass
class Category(Column):
    """One feature per value (one-hot); missing is a value of its own. Unseen values are counted."""

    values: list[str] = field(default_factory=list)
    kind = "category"
    read_as = "text"

    def __post_init__(self) -> None:
        self._seen: Counter[str] = Counter()

    @property
    def features(self) -> list[str]:
        return [f"{self.name}={value}" for value in self.values] + self._indicator()

    def look(self, column: Any) -> tuple[int, list[str], list[int]]:
        found = pc.value_counts(pc.drop_null(trimmed(column)))
        values, counts = found.field("values"), found.field("counts")
        return int(column.null_count), values.to_pylist(), counts.to_pylist()

    def join(self, look: tuple[int, list[str], list[int]]) -> None:
        self.missing += look[0]
        for value, count in zip(look[1], look[2], strict=True):
            self._seen[value] += count
        if len(self._seen) > CATEGORIES:
            raise self._too_many(f"more than {CATEGORIES:,} different values")

    def settle(self, standardise: bool, rows: int) -> None:
        different, cells = len(self._seen), sum(self._seen.values())
        if different > 50 and different > 0.9 * cells:
            raise self._too_many(f"{different:,} different values in {cells:,} cells")
        self.values = sorted(self._seen)
        self._seen.clear()

    def _too_many(self, how: str) -> DataError:
        some = shown(max((str(v) for v in list(self._seen)[:20]), key=len, default=""))
        advice = f"--text {self.name} if it is text, or --drop {self.name}"
        reason = f"'{self.name}' has {how} (\"{some}\"). Say {advice}."
        return DataError(reason, column=self.name)

    def encode(self, column: Any, tally: Counter[str]) -> Array:
        """The feature of each cell, -1 for none."""
        known = pa.array(self.values, pa.string())
        place = pc.index_in(trimmed(column), value_set=known)
        codes = np.asarray(pc.fill_null(place, -1)).astype(np.int64)
        gone = np.asarray(pc.is_null(column))
        count = int(gone.sum())
        unseen = int((codes < 0).sum()) - count
        if count:
            tally["missing"] += count
            if self.missing:
                codes[gone] = len(self.values)
        if unseen:
            tally[f"unseen {self.name}"] += unseen
        return codes


@dataclass
class Text(Column):
    """Hashed words, and up to `longest` words in a row, TF-IDF, each text of length one."""

    longest: int = 1
    bits: int = words.BITS
    idf: Array = field(default_factory=lambda: np.zeros(0))
    spelling: dict[int, str] = field(default_factory=dict)
    kind = "text"
    read_as = "text"

    def __post_init__(self) -> None:
        self._documents, self._size = np.zeros(1 << self.bits, np.int64), 0
        self._kept: list[Any] = []
        self._count = 0

    @property
    def features(self) -> list[str]:
        named = self.spelling
        return [
            f'{self.name}: "{named[i]}"' if i in named else f"{self.name}#{i}"
            for i in range(1 << self.bits)
        ]

    def look(self, column: Any) -> tuple[int, int, Array, Any]:
        times = words.counts(column, self.longest, self.bits)
        documents = np.bincount(times.indices, minlength=1 << self.bits)
        return int(column.null_count), len(column), documents, column

    def join(self, look: tuple[int, int, Array, Any]) -> None:
        missing, count, documents, column = look
        self.missing += missing
        self._count += count
        self._documents += documents
        if self._size < KEPT:
            self._kept.append(column)
            self._size += column.nbytes

    def settle(self, standardise: bool, rows: int) -> None:
        idf = np.log((1.0 + self._count) / (1.0 + self._documents)) + 1.0
        self.idf = idf.astype(np.float32)
        common = np.argsort(-self._documents, kind="stable")[:SPELLED]
        common = common[self._documents[common] > 0]
        for part in self._kept:
            self.spelling = {
                **words.spelled(part, common, self.longest, self.bits),
                **self.spelling,
            }
        self._kept.clear()

    def encode(self, column: Any, tally: Counter[str]) -> Any:
        """A sparse matrix of its features."""
        tally["missing"] += int(column.null_count)
        return words.weigh(words.counts(column, self.longest, self.bits), self.idf)


KINDS: dict[str, type[Any]] = {kind.kind: kind for kind in (Number, Flag, Category, Text)}


def trimmed(column: Any) -> Any:
    """A column as text, without blanks around its cells."""
    if not pa.types.is_string(column.type):
        column = column.cast(pa.string())
    return pc.utf8_trim_whitespace(column)
