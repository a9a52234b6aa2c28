"""Sentences as the engine has them: the features of all tokens, and where each sentence begins."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.engine.execution import fast
from rosenblatt.engine.plan import SequencePlan
from rosenblatt.models import Tagger
from rosenblatt.theory.loops import tag, tag_ranks
from rosenblatt.theory.spaces import Array, Sequences, longest_norms2

ENTRIES = 2**31  # numbers that a token, its label and the label before it may have together


class Sentences(NamedTuple):
    """Tokens as rows of a sparse matrix, in sentences, with the number of each token's label."""

    data: Array  # the values of the features; empty if all of them are 1
    indices: Array  # unsigned
    indptr: Array  # of the tokens
    starts: Array  # the first token of each sentence, and the end
    features: int
    gold: Array  # any numbers where the labels are to be found

    @classmethod
    def of(cls, X: Any, lengths: Array, gold: Array | None = None) -> Sentences:
        """Return the tokens of a CSR matrix as sentences of these lengths."""
        ones = bool((X.data == 1).all())
        data = np.zeros(0) if ones else np.asarray(X.data, np.float64)
        indices = np.asarray(X.indices)
        unsigned = indices.view(np.uint32) if indices.itemsize == 4 else indices.astype(np.uint32)
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        if gold is None:
            gold = np.zeros(X.shape[0], np.int32)
        indptr = np.asarray(X.indptr, np.int64)
        return cls(data, unsigned, indptr, starts, int(X.shape[1]), gold)

    def norms2(self, order: int) -> Array:
        """Bound the squared length of any labelling of each sentence."""
        out, counts = np.empty(len(self.starts) - 1), np.zeros(self.features)
        tokens = self.data, self.indices, self.indptr, self.starts
        fast(longest_norms2)(*tokens, order, counts, out)
        return out

    def first_not_allowed(self, plan: SequencePlan) -> int | None:
        """Return the first sentence whose labels are not allowed, or None."""
        before = np.roll(self.gold, 1)
        before[self.starts[:-1]] = len(plan.ends)
        wrong = plan.allowed[before, self.gold]
        wrong[self.starts[1:] - 1] += plan.ends[self.gold[self.starts[1:] - 1]]
        places = np.flatnonzero(wrong)
        return int(np.searchsorted(self.starts, places[0], "right")) - 1 if len(places) else None

    def space(self, plan: SequencePlan, norms2: Array | None = None) -> Sequences:
        """Return the space of these sentences."""
        labels, longest = len(plan.ends), int(np.diff(self.starts).max())
        numbers = labels * (labels + 1) ** plan.order
        if longest * numbers >= ENTRIES:
            raise ValueError(
                f"a sentence of {longest:,} tokens with {labels:,} labels is too long; split it, "
                f"into parts of at most {(ENTRIES - 1) // numbers:,} tokens."
            )
        states = labels if plan.order == 1 else labels * (labels + 1)
        negative = len(self.data) > 0 and float(self.data.min()) < 0.0
        return Sequences(
            data=self.data,
            indices=self.indices,
            indptr=self.indptr,
            starts=self.starts,
            gold=self.gold,
            features=self.features,
            order=plan.order,
            norms2=self.norms2(plan.order) if norms2 is None else norms2,
            copies=4.0 if negative else 2.0,
            allowed=plan.allowed,
            ends=plan.ends,
            transitions=np.zeros((labels + 1, labels)),
            emissions=np.zeros((longest, labels)),
            scores=np.zeros((longest, states)),
            golds=np.zeros(longest),
            path=np.zeros(longest, np.int64),
            entries=np.zeros(longest + 1, np.int64),
            counts=np.zeros(self.features + (labels + 1) * (labels + 2)),
        )


def tagged(sentences: Sentences, model: Tagger, plan: SequencePlan) -> tuple[Array, Array]:
    """Return the best labels of all tokens by a model, and the score of each sentence."""
    labels = np.empty(len(sentences.gold), np.int32)
    scores = np.empty(len(sentences.starts) - 1)
    weights = np.ascontiguousarray(model.weights)
    fast(tag)(sentences.space(plan, scores), weights, labels, scores)
    return labels, scores


def ranked(
    sentences: Sentences, model: Tagger, plan: SequencePlan, ranks: int
) -> tuple[Array, Array]:
    """Return the labels of all tokens in the best labellings, and the scores of each sentence.

    Both have a row for each rank. The score is -inf where a sentence has no more labellings.
    """
    count = len(sentences.starts) - 1
    space = sentences.space(plan, np.empty(count))
    shape = len(space.path) + 1, model.labels, ranks
    labels, scores = np.empty((ranks, len(sentences.gold)), np.int32), np.empty((count, ranks))
    room = np.empty(shape), np.empty(shape, np.int64)
    fast(tag_ranks)(space, np.ascontiguousarray(model.weights), *room, labels, scores)
    return labels, scores.T
