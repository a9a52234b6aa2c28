"""Small sentences to learn from, and runs over them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.engine.plan import SequencePlan
from rosenblatt.engine.run import Run
from rosenblatt.engine.sentences import Sentences
from rosenblatt.theory.spaces import Array


class Corpus(NamedTuple):
    """Sentences in both forms: for the library and for the oracle."""

    X: Any  # tokens x features
    lengths: Array
    gold: Array
    classes: int

    @property
    def sentences(self) -> list[list[dict[int, float]]]:
        """The tokens of each sentence, as features by number."""
        rows = [{j: float(row[j]) for j in np.flatnonzero(row)} for row in self.X]
        return self._split(rows)

    @property
    def golds(self) -> list[list[int]]:
        """The labels of each sentence."""
        return self._split(self.gold.tolist())

    def _split(self, flat: list[Any]) -> list[list[Any]]:
        ends = np.cumsum(self.lengths).tolist()
        return [flat[a:b] for a, b in zip([0, *ends], ends, strict=False)]

    @property
    def table(self) -> Sentences:
        """The sentences as the engine has them."""
        return Sentences.of(sp.csr_matrix(self.X), self.lengths, self.gold.astype(np.int32))

    def space(self, allowed: Array | None = None, ends: Array | None = None, order: int = 1) -> Any:
        """The space of the sentences."""
        allowed = np.zeros((self.classes + 1, self.classes)) if allowed is None else allowed
        ends = np.zeros(self.classes) if ends is None else ends
        return self.table.space(SequencePlan(allowed, ends, order))

    def run(self, rule: Any, visits: Any, order: int = 1, **options: Any) -> Run:
        """A run that has made these visits."""
        signs = np.ones(len(self.lengths), np.int8)
        made = Run(rule, self.space(order=order), signs, order=np.asarray(visits), **options)
        made.go(1)
        return made


def corpus(
    seed: int, sentences: int = 8, longest: int = 4, features: int = 5, classes: int = 3,
    whole: bool = True,
) -> Corpus:  # fmt: skip
    """Random sentences with random labels."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, sentences)
    n = int(lengths.sum())
    X = (
        rng.integers(-2, 3, (n, features)).astype(float)
        if whole
        else rng.normal(size=(n, features))
    )
    X[rng.random(X.shape) < 0.4] = 0.0
    gold = rng.integers(0, classes, n)
    gold[:classes] = np.arange(classes)[: len(gold)]
    return Corpus(X, lengths, gold, classes)


def weights(w: dict[Any, float], features: int, classes: int, order: int = 1) -> Array:
    """The weights of the oracle as a hypothesis of the library."""
    from tests.oracles.sequences import START

    base = classes + 1
    h = np.zeros((features + base + (base * base if order == 2 else 0), classes))
    for key, value in w.items():
        if key[0] == "transition":
            *before, label = (classes if k == START else k for k in key[1:])
            row = before[0] if len(before) == 1 else base + before[0] * base + before[1]
            h[features + row, label] = value
        else:
            h[key[0], key[1]] = value
    return h
