"""Sentences of order 2: the best labellings by their last two labels.

The scores of a token have a place for each two labels p and c, the one before it and its own, at
p·labels + c. Before the first token both are the beginning, which has the number `labels`.
"""

from __future__ import annotations

from math import inf
from typing import Any

from rosenblatt.theory.spaces.space import Array
from rosenblatt.theory.verbs import inner


@inner
def pair_step(space: Any, h: Array, before: int, p: int, c: int) -> float:
    """Return the weights of the transition to c from p, and from the label before p with it."""
    base = len(space.ends) + 1
    return space.transitions[p, c] + h[space.features + base + before * base + p, c]


@inner
def extend_pairs(space: Any, h: Array, first: bool, before: Array, out: Array) -> None:
    """Compute the best scores of each two labels, from those of the two that end a token earlier.

    `first` says that the token earlier is the first of its sentence.
    """
    labels = len(space.ends)
    low, high = (labels, labels + 1) if first else (0, labels)
    for pair in range(len(out)):
        out[pair] = -inf
    for p in range(labels):
        for q in range(low, high):
            v = before[q * labels + p]
            for c in range(labels):
                s, k = v + pair_step(space, h, q, p, c), p * labels + c
                out[k] = s if s > out[k] else out[k]


@inner
def begin_pairs(space: Any, h: Array) -> None:
    """Compute the scores of the first token."""
    labels = len(space.ends)
    row = space.scores[0]
    for pair in range(len(row)):
        row[pair] = -inf
    for c in range(labels):
        row[labels * labels + c] = pair_step(space, h, labels, labels, c) + space.emissions[0, c]


@inner
def add_emissions(space: Any, t: int) -> None:
    """Add the scores of a token's labels to those of each two labels."""
    labels = len(space.ends)
    for p in range(labels):
        for c in range(labels):
            space.scores[t, p * labels + c] += space.emissions[t, c]


@inner
def came_from_pair(space: Any, h: Array, t: int, p: int, c: int) -> tuple[int, float]:
    """Return the label before p on the best way to p and c, and its score; -1 if there is none."""
    labels, found, best = len(space.ends), -1, -inf
    low, high = (labels, labels + 1) if t == 1 else (0, labels)
    for q in range(low, high):
        s = space.scores[t - 1, q * labels + p] + pair_step(space, h, q, p, c)
        if s > best:
            found, best = q, s
    return found, best


@inner
def best_pair(space: Any, n: int) -> tuple[int, float]:
    """Return the best last two labels of a sentence and their score; of equals the first."""
    found, best = -1, -inf
    for pair in range(space.scores.shape[1]):
        if space.scores[n - 1, pair] > best:
            found, best = pair, space.scores[n - 1, pair]
    return found, best


@inner
def add_ends(space: Any, n: int) -> None:
    """Add what ends a sentence to the scores of its last two labels."""
    labels = len(space.ends)
    for p in range(labels + 1):
        for c in range(labels):
            space.scores[n - 1, p * labels + c] += space.ends[c]


@inner
def score_wrong_pairs(space: Any, i: int, h: Array) -> tuple[float, float]:
    """Return the score of gold, and of the best wrong labelling, which goes to `path`."""
    first, n = space.starts[i], space.starts[i + 1] - space.starts[i]
    labels, own = len(space.ends), space.gold[first]
    begin_pairs(space, h)
    place = labels * labels + own
    space.golds[0], space.scores[0, place] = space.scores[0, place], -inf
    before: int = labels
    for t in range(1, n):
        row, along, p = space.scores[t], space.golds[t - 1], space.gold[first + t - 1]
        own = space.gold[first + t]
        extend_pairs(space, h, t == 1, space.scores[t - 1], row)
        for c in range(labels):
            leaving = along + pair_step(space, h, before, p, c)
            if c != own and leaving > row[p * labels + c]:
                row[p * labels + c] = leaving
        add_emissions(space, t)
        step = pair_step(space, h, before, p, own)
        space.golds[t] = along + step + space.emissions[t, own]
        before = p
    add_ends(space, n)
    space.golds[n - 1] += space.ends[own]
    last, best = best_pair(space, n)
    if last >= 0:
        trace_pairs(space, i, h, last)
    return space.golds[n - 1], best


@inner
def trace_pairs(space: Any, i: int, h: Array, last: int) -> None:
    """Write to `path` the best wrong labelling that ends in two labels."""
    first, n = space.starts[i], space.starts[i + 1] - space.starts[i]
    labels = len(space.ends)
    p, c = last // labels, last % labels
    space.path[n - 1] = c
    for t in range(n - 1, 0, -1):
        space.path[t - 1] = p
        q, best = came_from_pair(space, h, t, p, c)
        if p == space.gold[first + t - 1] and c != space.gold[first + t]:
            before: int = labels
            if t > 1:
                before = space.gold[first + t - 2]
            if space.golds[t - 1] + pair_step(space, h, before, p, c) > best:
                for b in range(t):
                    space.path[b] = space.gold[first + b]
                return
        p, c = q, p


@inner
def decode_pairs(space: Any, i: int, h: Array) -> float:
    """`decode`, of order 2."""
    n, labels = space.starts[i + 1] - space.starts[i], len(space.ends)
    begin_pairs(space, h)
    for t in range(1, n):
        extend_pairs(space, h, t == 1, space.scores[t - 1], space.scores[t])
        add_emissions(space, t)
    add_ends(space, n)
    last, best = best_pair(space, n)
    p, c = max(0, last) // labels, max(0, last) % labels
    space.path[n - 1] = c
    for t in range(n - 1, 0, -1):
        space.path[t - 1] = p
        q, _ = came_from_pair(space, h, t, p, c)
        p, c = max(0, q), p
    return best
