"""How one column becomes features: numbers, flags, categories, text.

A column summarises batches (`summarise`, in any thread), adds the summaries in order (`add`), and
is then finished (`finish`): plain data that encode further batches in the same way (`encode`).
Columns of numbers are summarised and encoded together, in `numbers`. The fields of each class are
the format of recipes in model files.
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

from rosenblatt.data.errors import DataError, excerpt
from rosenblatt.data.features import ngrams

Array = npt.NDArray[Any]

MOST_CATEGORIES = 10_000
"""Of one column."""
LONGEST_NGRAM = 5
"""In words."""
MOST_SPELLED = 2_000
"""Features of a text column whose n-grams are kept by name."""
KEPT_TEXT = 4 << 20
"""Bytes of text that are kept while learning, to spell those n-grams."""


@dataclass
class Column:
    """A column by name; `missing` is the number of missing cells in the data learned from."""

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
    """Standardised: (x - centre) / scale. A missing cell counts as the mean, with an indicator."""

    mean: float = 0.0
    centre: float = 0.0
    scale: float = 1.0
    count: int = 0
    spread: float = 0.0  # the sum of squared deviations from the mean
    kind = "number"
    read_as = "number"

    @property
    def features(self) -> list[str]:
        return [self.name, *self._indicator()]

    def add(self, summary: tuple[int, int, float, float]) -> None:
        missing, count, mean, spread = summary
        self.missing += missing
        if count:
            total, difference = self.count + count, mean - self.mean
            self.spread += spread + difference * (difference * (self.count * (count / total)))
            self.mean += difference * count / total
            self.count = total

    def finish(self, standardise: bool) -> None:
        deviation = math.sqrt(self.spread / self.count) if self.count else 0.0
        if not math.isfinite(deviation):
            raise DataError(f"the numbers of '{self.name}' are too large.", column=self.name)
        if standardise:
            # The deviation of a constant column is a rounding error: the column becomes zero.
            constant = deviation <= 1e-12 * max(abs(self.mean), 1e-300)
            self.centre, self.scale = self.mean, 1.0 if constant else deviation


@dataclass
class Flag(Column):
    """True is 1 and false 0; a missing cell is 0, with an indicator."""

    kind = "flag"
    read_as = "flag"

    @property
    def features(self) -> list[str]:
        return [self.name, *self._indicator()]

    def summarise(self, column: Any) -> int:
        return int(column.null_count)

    def add(self, summary: int) -> None:
        self.missing += summary

    def finish(self, standardise: bool) -> None:
        """Do nothing: a flag is encoded as it is."""

    def encode(self, column: Any, tally: Counter[str]) -> list[Array]:
        cells = np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
        missing = np.isnan(cells)
        tally["missing"] += int(missing.sum())
        values = np.where(missing, 0.0, cells)
        return [values, missing.astype(np.float64)] if self.missing else [values]


@dataclass
class Category(Column):
    """One feature per value (one-hot), one for missing cells; unseen values are only counted."""

    values: list[str] = field(default_factory=list)
    kind = "category"
    read_as = "text"

    def __post_init__(self) -> None:
        self._counts: Counter[str] = Counter()

    @property
    def features(self) -> list[str]:
        return [f"{self.name}={value}" for value in self.values] + self._indicator()

    def summarise(self, column: Any) -> tuple[int, list[str], list[int]]:
        found = pc.value_counts(pc.drop_null(trim(column)))
        values, counts = found.field("values"), found.field("counts")
        return int(column.null_count), values.to_pylist(), counts.to_pylist()

    def add(self, summary: tuple[int, list[str], list[int]]) -> None:
        missing, values, counts = summary
        self.missing += missing
        for value, count in zip(values, counts, strict=True):
            self._counts[value] += count
        if len(self._counts) > MOST_CATEGORIES:
            raise self._too_many(f"more than {MOST_CATEGORIES:,} different values")

    def finish(self, standardise: bool) -> None:
        different, cells = len(self._counts), sum(self._counts.values())
        if different > 50 and different > 0.9 * cells:
            raise self._too_many(f"{different:,} different values in {cells:,} cells")
        self.values = sorted(self._counts)
        self._counts.clear()

    def _too_many(self, count: str) -> DataError:
        example = excerpt(max((str(v) for v in list(self._counts)[:20]), key=len, default=""))
        advice = f"Use --text {self.name} if it is text, or --drop {self.name}."
        reason = f"'{self.name}' has {count} (such as \"{example}\"). {advice}"
        return DataError(reason, column=self.name)

    def encode(self, column: Any, tally: Counter[str]) -> Array:
        """Return the feature of each cell, -1 for none."""
        known = pa.array(self.values, pa.string())
        place = pc.index_in(trim(column), value_set=known)
        codes = np.asarray(pc.fill_null(place, -1)).astype(np.int64)
        missing = np.asarray(pc.is_null(column))
        count = int(missing.sum())
        unseen = int((codes < 0).sum()) - count
        if count:
            tally["missing"] += count
            if self.missing:
                codes[missing] = len(self.values)
        if unseen:
            tally[f"unseen {self.name}"] += unseen
        return codes


@dataclass
class Text(Column):
    """TF-IDF of hashed n-grams of up to `longest` words, each text of length one."""

    longest: int = 1
    bits: int = ngrams.BITS
    idf: Array = field(default_factory=lambda: np.zeros(0))
    spelling: dict[int, str] = field(default_factory=dict)
    kind = "text"
    read_as = "text"

    def __post_init__(self) -> None:
        self._documents = np.zeros(1 << self.bits, np.int64)  # with each feature
        self._count = 0
        self._kept: list[Any] = []
        self._kept_size = 0

    @property
    def features(self) -> list[str]:
        spelling = self.spelling
        return [
            f'{self.name}: "{spelling[i]}"' if i in spelling else f"{self.name}#{i}"
            for i in range(1 << self.bits)
        ]

    def summarise(self, column: Any) -> tuple[int, int, Array, Any]:
        counts = ngrams.count_ngrams(column, self.longest, self.bits)
        documents = np.bincount(counts.indices, minlength=1 << self.bits)
        return int(column.null_count), len(column), documents, column

    def add(self, summary: tuple[int, int, Array, Any]) -> None:
        missing, count, documents, column = summary
        self.missing += missing
        self._count += count
        self._documents += documents
        if self._kept_size < KEPT_TEXT:
            self._kept.append(column)
            self._kept_size += column.nbytes

    def finish(self, standardise: bool) -> None:
        idf = np.log((1.0 + self._count) / (1.0 + self._documents)) + 1.0
        self.idf = idf.astype(np.float32)
        common = np.argsort(-self._documents, kind="stable")[:MOST_SPELLED]
        common = common[self._documents[common] > 0]
        for part in self._kept:
            found = ngrams.spell_features(part, common, self.longest, self.bits)
            self.spelling = found | self.spelling
        self._kept.clear()

    def encode(self, column: Any, tally: Counter[str]) -> Any:
        """Return a sparse matrix of the features."""
        tally["missing"] += int(column.null_count)
        return ngrams.tf_idf(ngrams.count_ngrams(column, self.longest, self.bits), self.idf)


KINDS: dict[str, type[Any]] = {kind.kind: kind for kind in (Number, Flag, Category, Text)}


def trim(column: Any) -> Any:
    """Return a column as text, without blanks around its cells."""
    if not pa.types.is_string(column.type):
        column = column.cast(pa.string())
    return pc.utf8_trim_whitespace(column)
