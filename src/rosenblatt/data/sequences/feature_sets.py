"""Sentences of tokens that come with features of their own: dictionaries of names and values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.data.errors import DataError, excerpt

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class FeatureSets:
    """The features of tokens: of token t those from `indptr[t]` to `indptr[t + 1]`.

    A text makes the feature `name=text`, True the feature `name`, a number the feature `name` with
    this value; False and 0 make none. A list of texts makes a feature of each.

    Example
    -------
    >>> sets = FeatureSets.of([[{"word": "the"}, {"word": "cat", "length": 3, "first": False}]])
    >>> sets.names, sets.codes.tolist(), sets.values.tolist(), sets.indptr.tolist()
    (['word=the', 'word=cat', 'length'], [0, 1, 2], [1.0, 1.0, 3.0], [0, 1, 3])
    """

    names: Sequence[str]
    codes: Array
    values: Array
    indptr: Array
    lengths: Array

    @classmethod
    def of(cls, sentences: Iterable[Sequence[Mapping[str, Any]]]) -> FeatureSets:
        """Number the names of the features of sentences."""
        names: dict[str, int] = {}
        codes: list[int] = []
        values: list[float] = []
        indptr, lengths = [0], []
        for number, sentence in enumerate(sentences):
            if not sentence:
                raise DataError(f"sentence {number} is empty: leave it out.")
            lengths.append(len(sentence))
            for place, token in enumerate(sentence):
                if not isinstance(token, Mapping):
                    raise DataError(
                        f"sentence {number}, token {place}: {excerpt(repr(token))} is no "
                        "dictionary, as the first token is."
                    )
                try:
                    for name, value in _features(token):
                        codes.append(names.setdefault(name, len(names)))
                        values.append(value)
                except ValueError as error:
                    raise DataError(f"sentence {number}, token {place}: {error}") from None
                indptr.append(len(codes))
        return cls(
            list(names), np.array(codes, np.int32), np.array(values), np.array(indptr, np.int64),
            np.array(lengths, np.int64),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def tokens(self) -> int:
        """How many tokens all sentences have."""
        return len(self.indptr) - 1


def _features(token: Mapping[str, Any]) -> Iterable[tuple[str, float]]:
    """Yield the names and values of the features of a token."""
    for name, value in token.items():
        if not isinstance(name, str):
            raise ValueError(f"the name {excerpt(repr(name))} is not text.")
        if isinstance(value, str):
            yield f"{name}={value}", 1.0
        elif isinstance(value, (Real, np.bool_)):
            number = float(value)
            if not isfinite(number):
                raise ValueError(f"the value of '{excerpt(name)}' is not finite.")
            if number:
                yield name, number
        elif isinstance(value, (list, tuple)):
            if not all(isinstance(part, str) for part in value):
                raise ValueError(f"the list '{excerpt(name)}' holds something else than texts.")
            yield from ((f"{name}={part}", 1.0) for part in dict.fromkeys(value))
        else:
            raise ValueError(
                f"the value of '{excerpt(name)}' is neither text, number nor list of texts."
            )
