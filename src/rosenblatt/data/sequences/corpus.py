"""A corpus: sentences of tokens that have columns, and perhaps labels, as integer codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError, excerpt

Array = npt.NDArray[Any]
Token = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Corpus(Sequence[Any]):
    """Sentences of tokens; `len` counts sentences, a slice or an array of places is a corpus.

    Parameters
    ----------
    values : the distinct texts of all cells
    columns : for each column and token the place of its text in `values`, of shape
        (columns, tokens)
    lengths : tokens of each sentence
    label_codes : for each token the place of its label in `values`, None without labels

    Example
    -------
    >>> corpus = Corpus.of([["the", "cat"], ["cats", "run", "."]], [["D", "N"], ["N", "V", "."]])
    >>> len(corpus), corpus.tokens, corpus.labels
    (2, 5, [['D', 'N'], ['N', 'V', '.']])
    >>> corpus[0]
    [('the',), ('cat',)]
    >>> corpus[1:].labels
    [['N', 'V', '.']]
    """

    values: Sequence[str]
    columns: Array
    lengths: Array
    label_codes: Array | None = None

    @classmethod
    def of(
        cls, sentences: Iterable[Sequence[Any]], labels: Iterable[Sequence[Any]] | None = None
    ) -> Corpus:
        """Make a corpus of sentences: lists of tokens, each a text or a tuple of columns."""
        listed = [list(sentence) for sentence in sentences]
        rows = _rows(listed)
        lengths = np.array([len(sentence) for sentence in listed], np.int64)
        width = len(rows[0]) if rows else 1
        cells = [cell for row in rows for cell in row]
        values = Numbering()
        columns = codes_of(cells, values).reshape(-1, width).T
        codes = None
        if labels is not None:
            codes = codes_of(flat_labels(labels, lengths), values)
        return cls(list(values), np.ascontiguousarray(columns), lengths, codes)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def tokens(self) -> int:
        """How many tokens all sentences have."""
        return int(self.columns.shape[1])

    @property
    def width(self) -> int:
        """How many columns a token has; the label is none of them."""
        return len(self.columns)

    @property
    def nbytes(self) -> int:
        """Bytes of the codes; the distinct texts are not counted."""
        labels = 0 if self.label_codes is None else self.label_codes.nbytes
        return int(self.columns.nbytes + self.lengths.nbytes + labels)

    @cached_property
    def starts(self) -> Array:
        """The number of the first token of each sentence, and the number of tokens at the end."""
        return np.concatenate(([0], np.cumsum(self.lengths)))

    @property
    def labels(self) -> list[list[str]]:
        """The labels of each sentence."""
        if self.label_codes is None:
            raise DataError("the corpus has no labels.")
        return self._in_sentences([self.values[code] for code in self.label_codes.tolist()])

    @property
    def label_set(self) -> list[str]:
        """The distinct labels, sorted."""
        if self.label_codes is None:
            raise DataError("the corpus has no labels.")
        return sorted(self.values[code] for code in np.unique(self.label_codes).tolist())

    def label_numbers(self, classes: Sequence[str]) -> Array:
        """Return for each token the place of its label in `classes`, -1 if it is not there."""
        if self.label_codes is None:
            raise DataError("the corpus has no labels.")
        places = {label: place for place, label in enumerate(classes)}
        numbers = np.full(len(self.values), -1, np.int32)
        for code in np.unique(self.label_codes).tolist():
            numbers[code] = places.get(self.values[code], -1)
        return numbers[self.label_codes]

    def _in_sentences(self, items: list[Any]) -> list[list[Any]]:
        edges = self.starts.tolist()
        return [items[a:b] for a, b in pairwise(edges)]

    def _sentence(self, number: int) -> list[Token]:
        if not -len(self) <= number < len(self):
            raise IndexError(f"sentence {number} of a corpus of {len(self)}")
        number %= len(self)
        codes = self.columns[:, self.starts[number] : self.starts[number + 1]]
        return [tuple(self.values[code] for code in token) for token in codes.T.tolist()]

    def __iter__(self) -> Iterator[list[Token]]:
        return (self._sentence(number) for number in range(len(self)))

    def __getitem__(self, which: Any) -> Any:
        """Return a sentence as a list of tuples, or the corpus of a slice, places or a mask."""
        if isinstance(which, (int, np.integer)):
            return self._sentence(int(which))
        if isinstance(which, slice) and which.step in (None, 1):
            first, end, _ = which.indices(len(self))
            end = max(first, end)
            kept: Any = slice(self.starts[first], self.starts[end])
            lengths = self.lengths[first:end]
        else:
            numbers = np.arange(len(self))[which]
            lengths = self.lengths[numbers]
            before = np.cumsum(lengths) - lengths
            kept = np.arange(lengths.sum()) + np.repeat(self.starts[numbers] - before, lengths)
        labels = None if self.label_codes is None else self.label_codes[kept]
        return Corpus(self.values, self.columns[:, kept], lengths, labels)


class Numbering(dict[Any, int]):
    """Gives each new key the next number."""

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self)
        return number


def codes_of(cells: Sequence[Any], values: Numbering) -> Array:
    """Return the number of each cell; new ones are added."""
    return np.fromiter(map(values.__getitem__, cells), np.int32, len(cells))


def flat_labels(labels: Iterable[Sequence[Any]], lengths: Array) -> list[str]:
    """Return the labels of all tokens, checked against the lengths of the sentences."""
    listed = [list(sentence) for sentence in labels]
    if len(listed) != len(lengths):
        raise DataError(f"{len(lengths):,} sentences, but labels of {len(listed):,}.")
    for number, (given, length) in enumerate(zip(listed, lengths.tolist(), strict=True)):
        if len(given) != length:
            raise DataError(f"sentence {number}: {length} tokens, but {len(given)} labels.")
    flat = [label for given in listed for label in given]
    for place, label in enumerate(flat):
        if not isinstance(label, str):
            number = int(np.searchsorted(np.cumsum(lengths), place, "right"))
            raise DataError(f"sentence {number}: the label {label!r} is not text.")
    return flat


def _rows(sentences: list[list[Any]]) -> list[Token]:
    """Return the columns of every token; they must be texts, as many everywhere."""
    rows: list[Token] = []
    width = None
    for number, sentence in enumerate(sentences):
        if not sentence:
            raise DataError(f"sentence {number} is empty: leave it out.")
        for place, token in enumerate(sentence):
            row = (token,) if isinstance(token, str) else token
            where = f"sentence {number}, token {place}"
            if not isinstance(row, (tuple, list)) or not all(isinstance(c, str) for c in row):
                raise DataError(
                    f"{where}: {excerpt(repr(token))} is not text, nor a tuple of texts."
                )
            width = len(row) if width is None else width
            if len(row) != width or not width:
                raise DataError(f"{where}: {len(row)} columns, but the first token has {width}.")
            rows.append(tuple(row))
    return rows
