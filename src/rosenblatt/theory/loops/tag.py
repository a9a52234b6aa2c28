"""Labels of sentences: the best labellings of each by a fixed hypothesis."""

from __future__ import annotations

from math import inf
from typing import Any

from rosenblatt.theory.spaces import Array, decode, score_tokens
from rosenblatt.theory.verbs import inner


def tag(space: Any, h: Array, labels: Array, scores: Array) -> None:
    """Write the best labelling of every sentence, and its score."""
    for i in range(len(scores)):
        scores[i] = decode(space, i, h)
        first = space.starts[i]
        for t in range(space.starts[i + 1] - first):
            labels[first + t] = space.path[t]


@inner
def merge(before: Array, steps: Array, out: Array, back: Array) -> None:
    """Write the best scores of `before`, a row for each label, each with its label's step added.

    They are in order, of equals the first first; `back` gets their places in `before`.
    """
    ranks = len(out)
    for k in range(ranks):
        out[k], back[k] = -inf, -1
    for p in range(before.shape[0]):
        for k in range(before.shape[1]):
            s = before[p, k] + steps[p]
            if not s > out[ranks - 1]:
                break  # nor is any after it
            place = ranks - 1
            while place > 0 and s > out[place - 1]:
                out[place], back[place] = out[place - 1], back[place - 1]
                place -= 1
            out[place], back[place] = s, p * before.shape[1] + k


@inner
def score_ranks(space: Any, n: int, best: Array, back: Array) -> None:
    """Compute the best scores to each token and label, as many as `best` has room for.

    The labels that may come last are a token of their own, with one label.
    """
    labels, ranks = len(space.ends), best.shape[2]
    for c in range(labels):
        for k in range(ranks):
            best[0, c, k] = -inf
        best[0, c, 0] = space.transitions[labels, c] + space.emissions[0, c]
    for t in range(1, n):
        for c in range(labels):
            merge(best[t - 1], space.transitions[:labels, c], best[t, c], back[t, c])
            for k in range(ranks):
                best[t, c, k] += space.emissions[t, c]
    merge(best[n - 1], space.ends, best[n, 0], back[n, 0])


def tag_ranks(space: Any, h: Array, best: Array, back: Array, labels: Array, scores: Array) -> None:
    """Write the best labellings of every sentence, a row for each rank, and their scores.

    The score is -inf where there are no more labellings. `best` and `back` have room for the
    longest sentence and a token, each label and rank.
    """
    ranks = best.shape[2]
    for i in range(len(scores)):
        first, n = space.starts[i], space.starts[i + 1] - space.starts[i]
        score_tokens(space, i, h)
        score_ranks(space, n, best, back)
        for k in range(ranks):
            scores[i, k] = best[n, 0, k]
            place = back[n, 0, k]
            for t in range(n - 1, -1, -1):
                labels[k, first + t] = max(0, place // ranks)
                if place >= 0 and t > 0:
                    place = back[t, place // ranks, place % ranks]
