"""Tokens to numbered features: what a model keeps of its templates and its training data.

Distinct texts are numbered once. A feature is a template with the numbers of its values, mixed to a
key of 64 bits by operations on arrays; a table numbers the keys, or their first bits are the number
(hashing). That two of a million features share a key has a probability of less than 1e-7.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError
from rosenblatt.data.sequences.corpus import Corpus
from rosenblatt.data.sequences.feature_sets import FeatureSets
from rosenblatt.data.sequences.key_table import ABSENT, KeyTable
from rosenblatt.data.sequences.template_keys import Windows, hash_text, mix
from rosenblatt.data.sequences.templates import Atom, Cells, Template, Templates
from rosenblatt.data.sources.sparse import csr

Array = npt.NDArray[Any]
Tokens = Corpus | FeatureSets

FORMAT = "rosenblatt-features/1"
FEWEST_BITS, MOST_BITS = 8, 30
GROUP = 1 << 16
"""Tokens whose values are held at a time, or those of one longer sentence."""
CHUNK = 1 << 13
"""Tokens whose keys are held at a time: they should stay in the caches."""
GIVEN = Template(("", ""), (Atom(Cells("x", 0, 0), 0),))
"""The template of features that tokens come with; its value is their name."""


class FeatureMap:
    """Makes features of tokens; `learn` numbers new ones, `transform` leaves unseen ones out.

    Parameters
    ----------
    templates : of the features of tokens with columns; None: `Templates.default`
    hash_bits : None: each feature has its number; else it is a hash of this many bits. Then nothing
        is kept of the data, but features may share a number and have no names

    Example
    -------
    >>> features = FeatureMap(Templates.parse("U0:%x[0,0]\\nU1:%x[-1,0]"))
    >>> features.learn(Corpus.of([["a", "b", "a"]])).toarray().astype(int).tolist()
    [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 0, 0, 0, 1]]
    >>> features.names(range(5))
    ['U0:a', 'U1:_B-1', 'U0:b', 'U1:a', 'U1:b']
    >>> features.transform(Corpus.of([["b", "never"]])).toarray().astype(int).tolist()
    [[0, 1, 1, 0, 0], [0, 0, 0, 0, 1]]
    """

    def __init__(self, templates: Templates | None = None, hash_bits: int | None = None) -> None:
        if hash_bits is not None and not FEWEST_BITS <= hash_bits <= MOST_BITS:
            raise ValueError(f"hash_bits must be None or from {FEWEST_BITS} to {MOST_BITS}.")
        self.templates, self.hash_bits = templates, hash_bits
        self.columns: int | None = None
        """How many columns tokens have, 0 if they come with features; None before learning."""
        self._values: dict[str, int] = {}
        self._table = KeyTable()
        self._kinds: list[Array] = []  # of each feature its template
        self._codes: list[
            Array
        ] = []  # of each feature its values from 1, 0 where there are no more

    @property
    def width(self) -> int:
        """How many features there are."""
        return len(self._table) if self.hash_bits is None else 1 << self.hash_bits

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept of the data."""
        arrays = sum(array.nbytes for array in (*self._codes, *self._kinds))
        return self._table.nbytes + arrays + sum(map(sys.getsizeof, self._values))

    def learn(self, tokens: Tokens, dtype: Any = np.float32) -> Any:
        """Number the features that are new, and return those of the tokens as CSR."""
        columns = tokens.width if isinstance(tokens, Corpus) else 0
        if self.columns is None:
            self._set_columns(columns)
        self._check(tokens)
        return self._matrix(tokens, dtype, learn=True)

    def transform(self, tokens: Tokens, dtype: Any = np.float32) -> Any:
        """Return the features of tokens as CSR, without those that were never learned."""
        if self.columns is None:
            raise DataError("there are no features: learn some first.")
        self._check(tokens)
        return self._matrix(tokens, dtype, learn=False)

    def names(self, numbers: Sequence[int]) -> list[str]:
        """Return the names of features; of hashed ones only the number is known."""
        if self.hash_bits is not None:
            return [f"hash {number}" for number in numbers]
        values, each = list(self._values), self._each
        kinds, codes = self._joined()
        return [
            each[kinds[n]].spell([values[code - 1] for code in codes[n].tolist() if code])
            for n in numbers
        ]

    def _set_columns(self, columns: int) -> None:
        if columns and self.templates is None:
            self.templates = Templates.default(columns)
        if not columns and self.templates is not None:
            raise DataError(
                "tokens are dictionaries of features: templates need texts or tuples of texts."
            )
        if self.templates is not None:
            self.templates.check_width(columns)
        self.columns = columns

    def _check(self, tokens: Tokens) -> None:
        """Raise an error if the tokens are not of the kind that was learned."""
        columns = tokens.width if isinstance(tokens, Corpus) else 0
        if columns != self.columns:
            kinds = ["dictionaries of features", "texts, or have one column"]
            known, given = (
                kinds[n] if n < 2 else f"tuples of {n} columns"
                for n in (self.columns or 0, columns)
            )
            raise DataError(f"tokens were {known} in learning; these are {given}.")

    # --- matrices -------------------------------------------------------------------------------

    def _matrix(self, tokens: Tokens, dtype: Any, learn: bool) -> Any:
        indices, indptr, values = (
            self._of_sets(tokens, learn) if isinstance(tokens, FeatureSets)
            else self._of_corpus(tokens, learn)
        )  # fmt: skip
        data = np.ones(len(indices), dtype) if values is None else values.astype(dtype)
        X = csr((data, indices, indptr), shape=(tokens.tokens, self.width))
        if self._may_repeat:
            X.sum_duplicates()
        return X

    @property
    def _may_repeat(self) -> bool:
        """Whether a token may have a feature more than once."""
        kinds = [template.kind for template in self._each]
        return self.hash_bits is not None or self.columns == 0 or len({*kinds}) < len(kinds)

    @property
    def _each(self) -> tuple[Template, ...]:
        return (GIVEN,) if self.templates is None else self.templates.each

    def _of_sets(self, sets: FeatureSets, learn: bool) -> tuple[Array, Array, Array]:
        """Return indices, row pointers and values of tokens that come with features."""
        ids = self._ids(sets.names, learn)
        numbers, new = self._numbers(mix(GIVEN, [ids]), learn)
        self._note(np.zeros(len(new), np.int32), ids[new, None])
        found = numbers[sets.codes]
        kept = found != ABSENT
        before = np.concatenate(([0], np.cumsum(kept)))
        return found[kept], before[sets.indptr], sets.values[kept]

    def _of_corpus(self, corpus: Corpus, learn: bool) -> tuple[Array, Array, None]:
        """Return indices and row pointers of tokens with columns; all values are one."""
        assert self.templates is not None
        reach, count = self.templates.reach, len(self.templates)
        outside = self._ids([f"_B{n:+d}" for n in _distances(reach)], learn)
        tables = [self._table_of(corpus, cells, learn) for cells in self.templates.cells]
        found, counts = [np.zeros(0, np.int32)], [np.zeros(1, np.int64)]
        for part in _groups(corpus):
            ids = np.array(
                [table[part.columns[cells.column]] for cells, table in tables], np.uint64
            ).reshape(len(tables), part.tokens)
            windows = Windows(self.templates, ids, outside, part.lengths)
            for first in range(0, part.tokens, CHUNK):
                keys = windows.keys(first, min(first + CHUNK, part.tokens))
                numbers, new = self._numbers(keys.ravel(), learn)
                if len(new):
                    self._note(new % count, windows.values(first + new // count, new % count))
                kept = numbers != ABSENT
                found.append(numbers[kept])
                counts.append(kept.reshape(keys.shape).sum(axis=1))
        return np.concatenate(found), np.cumsum(np.concatenate(counts)), None

    # --- numbers of values and of features ------------------------------------------------------

    def _ids(self, texts: Sequence[str], learn: bool) -> Array:
        """Return the numbers of values from 1, 0 for those that are not known."""
        if self.hash_bits is not None:
            return np.array([hash_text(text) for text in texts], np.uint64)
        if learn:
            values, new = self._values, [t for t in dict.fromkeys(texts) if t not in self._values]
            values.update(zip(new, range(len(values) + 1, len(values) + len(new) + 1), strict=True))
        return np.fromiter(map(self._values.get, texts, repeat(0)), np.uint64, len(texts))

    def _table_of(self, corpus: Corpus, cells: Cells, learn: bool) -> tuple[Cells, Array]:
        """Return what a function makes of the texts of a column, by the codes of these."""
        used = np.flatnonzero(np.bincount(corpus.columns[cells.column]))
        made = cells.apply([corpus.values[code] for code in used.tolist()])
        kept = [n for n, value in enumerate(made) if value is not None]
        table = np.zeros(len(corpus.values), np.uint64)
        table[used[kept]] = self._ids([value for value in made if value is not None], learn)
        return cells, table

    def _numbers(self, keys: Array, learn: bool) -> tuple[Array, Array]:
        """Return the numbers of features by their keys, and the places of new ones."""
        if self.hash_bits is not None:
            numbers = (keys >> np.uint64(64 - self.hash_bits)).astype(np.int32)
            numbers[keys == 0] = ABSENT
        elif learn:
            return self._table.add(keys)
        else:
            numbers = self._table.find(keys)
        return numbers, np.zeros(0, np.intp)

    def _note(self, templates: Array, values: Array) -> None:
        """Remember what new features are."""
        self._kinds.append(templates.astype(np.int32))
        self._codes.append(values.astype(np.int32))

    def _joined(self) -> tuple[Array, Array]:
        """Return template and values of all features."""
        most = max((len(template.atoms) for template in self._each), default=0)
        self._kinds = [np.concatenate([np.zeros(0, np.int32), *self._kinds])]
        self._codes = [np.concatenate([np.zeros((0, most), np.int32), *self._codes])]
        return self._kinds[0], self._codes[0]

    # --- saved form -----------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; the large arrays are in `arrays()`."""
        return {
            "format": FORMAT,
            "templates": None if self.templates is None else self.templates.text,
            "hash_bits": self.hash_bits,
            "columns": self.columns,
        }

    def arrays(self) -> dict[str, Array]:
        """Return the arrays that are too large for JSON, by name."""
        texts = [text.encode("utf-8", "surrogatepass") for text in self._values]
        kinds, codes = self._joined()
        return {
            "features.texts": np.frombuffer(b"".join(texts), np.uint8),
            "features.ends": np.cumsum([len(text) for text in texts], dtype=np.int64),
            "features.templates": kinds,
            "features.values": codes,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], arrays: dict[str, Array]) -> FeatureMap:
        """Return the map of `to_dict` and `arrays`; anything else is a ValueError."""
        try:
            if data["format"] != FORMAT:
                raise ValueError(f"the format of the features is not {FORMAT}.")
            text, bits, columns = data["templates"], data["hash_bits"], data["columns"]
            if any(type(given) not in (int, type(None)) for given in (bits, columns)):
                raise TypeError("hash_bits or columns")
            features = cls(None if text is None else Templates.parse(text), bits)
            if columns is not None:
                features._set_columns(columns)
            features._restore(arrays)
        except (KeyError, TypeError, AttributeError, IndexError, DataError) as error:
            raise ValueError(f"the features are damaged ({error}).") from None
        return features

    def _restore(self, arrays: dict[str, Array]) -> None:
        """Take the values and the features of `arrays`, checked."""
        texts, ends, kinds, codes = (np.asarray(arrays[f"features.{name}"]) for name in _ARRAYS)
        for name, array, (dtype, ndim) in zip(
            _ARRAYS, (texts, ends, kinds, codes), _ARRAYS.values(), strict=True
        ):
            if array.dtype != dtype or array.ndim != ndim:
                raise TypeError(f"type of {name}")
        self._values = _split_texts(texts, ends)
        sizes = np.array([len(template.atoms) for template in self._each], np.int64)
        kinds_fit = bool(((kinds >= 0) & (kinds < len(sizes))).all())
        if codes.shape != (len(kinds), max(sizes, default=0)) or not kinds_fit:
            raise TypeError("templates")
        used = np.arange(codes.shape[1]) < sizes[kinds][:, None]
        if ((codes < 1) & used).any() or (codes > len(self._values)).any():
            raise TypeError("values")
        keys = np.zeros(len(kinds), np.uint64)
        for number, template in enumerate(self._each):
            rows = np.flatnonzero(kinds == number)
            columns = [codes[rows, n].astype(np.uint64) for n in range(len(template.atoms))]
            keys[rows] = mix(template, columns)
        _, new = self._table.add(keys)
        if len(new) != len(keys):
            raise TypeError("a feature occurs twice")
        self._note(kinds, codes)


_ARRAYS = {
    "texts": (np.uint8, 1),
    "ends": (np.int64, 1),
    "templates": (np.int32, 1),
    "values": (np.int32, 2),
}
"""The arrays of the saved form, their types and dimensions."""


def _split_texts(texts: Array, ends: Array) -> dict[str, int]:
    """Return the texts that end at these places, numbered from 1."""
    sizes = np.diff(ends, prepend=0)
    if (sizes < 0).any() or (ends[-1] if len(ends) else 0) != len(texts):
        raise TypeError("ends")
    content = texts.tobytes()
    try:
        parts = [
            content[a:b].decode("utf-8", "surrogatepass")
            for a, b in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=False)
        ]
    except UnicodeDecodeError:
        raise TypeError("texts") from None
    values = {text: number for number, text in enumerate(parts, 1)}
    if len(values) != len(parts):
        raise TypeError("a text occurs twice")
    return values


def _distances(reach: int) -> list[int]:
    """Return the places outside of a sentence: before it, then after it, the nearest first."""
    return [*range(-1, -reach - 1, -1), *range(1, reach + 1)]


def _groups(corpus: Corpus) -> Iterator[Corpus]:
    """Yield the corpus in parts of complete sentences."""
    first = 0
    while first < len(corpus):
        end = int(np.searchsorted(corpus.starts, corpus.starts[first] + GROUP, "right")) - 1
        end = max(end, first + 1)
        yield corpus[first:end]
        first = end
