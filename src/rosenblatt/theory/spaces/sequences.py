"""Sentences: sequences of tokens with a label each, decoded as a whole.

A labelling z of a sentence has the vector Phi(z): each token's features at its label, and one count
for each transition to a label, from the label before it or from the beginning. The example is the
difference between Phi(gold) and Phi of a rival, the best of all wrong labellings (Collins 2002), so
that its margin is the lead of gold. A hypothesis is features x labels, with a row below them for
each label that a transition may come from, the beginning last. Of order 2 there is a row as well
for each two labels that a transition may come from, together.

A step is written as an entry for each token at which gold and the rival differ. Its rival number r
is (place·histories + history)·labels + label. A history is the label before, and of order 2 that
before it as the first digit, to a base of one more than the labels.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.theory.spaces.acceleration import prefetch
from rosenblatt.theory.spaces.form import Traits, as_rows, from_rows, origin, rivals_exist, traits
from rosenblatt.theory.spaces.pairs import decode_pairs, score_wrong_pairs
from rosenblatt.theory.spaces.space import Array, example_norm2, look, move, rivals, share
from rosenblatt.theory.verbs import inner

BLOCK = 8  # labels that are scored at a time, as many as registers hold


class Sequences(NamedTuple):
    """Tokens as rows of a sparse matrix with unsigned indices, in sentences."""

    data: Array  # the values of the features; empty if all of them are 1
    indices: Array
    indptr: Array  # of the tokens
    starts: Array  # the first token of each sentence, and the end
    gold: Array  # the label of each token
    features: int
    order: int  # how many labels a transition comes from: 1 or 2
    norms2: Array  # of each sentence: no labelling's vector is longer
    copies: float  # how often that counts in the difference of two of them
    allowed: Array  # for each transition 0, or -inf if no labelling may have it
    ends: Array  # the same for the last label
    transitions: Array  # scratch: their weights, as far as they are allowed
    emissions: Array  # scratch: tokens x labels, of the sentence last looked at
    scores: Array  # scratch: of the best wrong labelling to each token and label, or two labels
    golds: Array  # scratch: the score of gold to each token
    path: Array  # scratch: the rival
    entries: Array  # scratch: its tokens that differ, as rival numbers
    counts: Array  # scratch: for each row of h, zero between two uses


# --- scores ---------------------------------------------------------------------------------------


@inner
def emit(space: Any, token: int, h: Array, out: Array) -> None:
    """Compute the scores of all labels of a token by its features.

    The last block overlaps those before where it must: sums are taken alike for every label.
    """
    start, stop, valued = space.indptr[token], space.indptr[token + 1], len(space.data) > 0
    labels, c = h.shape[1], 0
    while labels >= BLOCK and c < labels:
        c = min(c, labels - BLOCK)
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        for p in range(start, stop):
            j, x = space.indices[p], space.data[p] if valued else 1.0
            s0 += x * h[j, c]
            s1 += x * h[j, c + 1]
            s2 += x * h[j, c + 2]
            s3 += x * h[j, c + 3]
            s4 += x * h[j, c + 4]
            s5 += x * h[j, c + 5]
            s6 += x * h[j, c + 6]
            s7 += x * h[j, c + 7]
        out[c], out[c + 1], out[c + 2], out[c + 3] = s0, s1, s2, s3
        out[c + 4], out[c + 5], out[c + 6], out[c + 7] = s4, s5, s6, s7
        c += BLOCK
    while c < labels:
        s = 0.0
        for p in range(start, stop):
            s += (space.data[p] if valued else 1.0) * h[space.indices[p], c]
        out[c] = s
        c += 1


@inner
def score_tokens(space: Any, i: int, h: Array) -> None:
    """Compute the emissions of a sentence, and the weights of the transitions that are allowed."""
    first, n = space.starts[i], space.starts[i + 1] - space.starts[i]
    labels = h.shape[1]
    for p in range(labels + 1):
        for c in range(labels):
            space.transitions[p, c] = h[space.features + p, c] + space.allowed[p, c]
    lines = labels // 8 + 1
    for t in range(n):
        if t + 1 < n:  # the weights of a feature lie anywhere in memory
            for p in range(space.indptr[first + t + 1], space.indptr[first + t + 2]):
                prefetch(h, space.indices[p], lines)
        emit(space, first + t, h, space.emissions[t])


@inner
def extend(before: Array, transitions: Array, out: Array) -> None:
    """Compute the best score of each label after a token, from those of the token before."""
    labels = len(out)
    for c in range(labels):
        out[c] = before[0] + transitions[0, c]
    for p in range(1, labels):
        v = before[p]
        for c in range(labels):
            s = v + transitions[p, c]
            out[c] = s if s > out[c] else out[c]


# --- the best wrong labelling ---------------------------------------------------------------------


@inner
def score_rivals(space: Any, i: int) -> None:
    """Compute the score of gold to each token, and of the best labelling that has left gold.

    Such a labelling has left gold before, or leaves it here.
    """
    first, n = space.starts[i], space.starts[i + 1] - space.starts[i]
    transitions, labels = space.transitions, len(space.ends)
    own: int = space.gold[first]
    for c in range(labels):
        space.scores[0, c] = transitions[labels, c] + space.emissions[0, c]
    space.golds[0], space.scores[0, own] = space.scores[0, own], -inf
    for t in range(1, n):
        previous, own = own, space.gold[first + t]
        row, along = space.scores[t], space.golds[t - 1]
        extend(space.scores[t - 1], transitions, row)
        for c in range(labels):
            leaving = along + transitions[previous, c]
            if c != own and leaving > row[c]:
                row[c] = leaving
            row[c] += space.emissions[t, c]
        space.golds[t] = along + transitions[previous, own] + space.emissions[t, own]
    for c in range(labels):
        space.scores[n - 1, c] += space.ends[c]
    space.golds[n - 1] += space.ends[own]


@inner
def came_from(before: Array, transitions: Array, c: int) -> tuple[int, float]:
    """Return the label before c on its best way, and the score of that way; -1 if there is none."""
    found, best = -1, -inf
    for p in range(len(before)):
        s = before[p] + transitions[p, c]
        if s > best:
            found, best = p, s
    return found, best


@inner
def trace_rival(space: Any, i: int, last: int) -> None:
    """Write to `path` the best wrong labelling that ends in the label `last`."""
    first, n = space.starts[i], space.starts[i + 1] - space.starts[i]
    space.path[n - 1] = last
    for t in range(n - 1, 0, -1):
        c, own_before = space.path[t], space.gold[first + t - 1]
        before, best = came_from(space.scores[t - 1], space.transitions, c)
        leaving = space.golds[t - 1] + space.transitions[own_before, c]
        if c != space.gold[first + t] and leaving > best:
            for b in range(t):
                space.path[b] = space.gold[first + b]
            return
        space.path[t - 1] = before


@inner
def following(space: Any, history: int, label: int) -> int:
    """Return the history of the next token."""
    base = len(space.ends) + 1
    return label if space.order == 1 else (history * base + label) % (base * base)


@inner
def list_entries(space: Any, i: int) -> int:
    """Write the tokens at which the rival differs to `entries`, and last how many there are."""
    first, n = space.starts[i], space.starts[i + 1] - space.starts[i]
    labels, count = len(space.ends), 0
    many = histories(space)
    before = own_before = many - 1
    for t in range(n):
        label, own = space.path[t], space.gold[first + t]
        if label != own or before != own_before:
            space.entries[count] = (t * many + before) * labels + label
            count += 1
        before = following(space, before, label)
        own_before = following(space, own_before, own)
    space.entries[len(space.entries) - 1] = count
    return count


@inner
def score_wrong(space: Any, i: int, h: Array) -> tuple[float, float]:
    """Return the score of gold, and of the best wrong labelling, which goes to `path`."""
    if space.order == 2:
        return score_wrong_pairs(space, i, h)
    score_rivals(space, i)
    n, last, best = space.starts[i + 1] - space.starts[i], -1, -inf
    for c in range(h.shape[1]):
        if space.scores[n - 1, c] > best:
            last, best = c, space.scores[n - 1, c]
    if last >= 0:
        trace_rival(space, i, last)
    return space.golds[n - 1], best


@look.of(Sequences)
def _look_sequences(space: Sequences, y: Array, i: int, h: Array) -> tuple[float, float, int]:
    score_tokens(space, i, h)
    own, best = score_wrong(space, i, h)
    if best == -inf:  # no other labelling is allowed
        space.entries[len(space.entries) - 1] = 0
        return inf, 1.0, 0
    return own - best, 1.0, list_entries(space, i)


@rivals.of(Sequences)
def _rivals_sequences(space: Sequences) -> int:
    return len(space.path)


@share.of(Sequences)
def _share_sequences(space: Sequences, r: int, s: int) -> tuple[int, float]:
    return space.entries[s], 1.0 if s < r else 0.0


# --- the best labelling ---------------------------------------------------------------------------


@inner
def decode(space: Any, i: int, h: Array) -> float:
    """Write the best labelling of a sentence to `path` and return its score; of equals the first.

    The score is -inf if no labelling is allowed.
    """
    score_tokens(space, i, h)
    if space.order == 2:
        return decode_pairs(space, i, h)
    n, labels = space.starts[i + 1] - space.starts[i], h.shape[1]
    for c in range(labels):
        space.scores[0, c] = space.transitions[labels, c] + space.emissions[0, c]
    for t in range(1, n):
        extend(space.scores[t - 1], space.transitions, space.scores[t])
        for c in range(labels):
            space.scores[t, c] += space.emissions[t, c]
    last, best = 0, -inf
    for c in range(labels):
        s = space.scores[n - 1, c] + space.ends[c]
        if s > best:
            last, best = c, s
    space.path[n - 1] = last
    for t in range(n - 1, 0, -1):
        space.path[t - 1] = came_from(space.scores[t - 1], space.transitions, space.path[t])[0]
    return best


# --- steps ----------------------------------------------------------------------------------------


@inner
def histories(space: Any) -> int:
    """Return how many histories a token may have; the last is that of the first token."""
    base = len(space.ends) + 1
    return base if space.order == 1 else base * base


@inner
def history_row(space: Any, history: int, order: int) -> int:
    """Return the row of a history's last label, or its last two."""
    base = len(space.ends) + 1
    return space.features + (history % base if order == 1 else base + history)


@inner
def unpacked(space: Any, r: int) -> tuple[int, int, int]:
    """Return the place, the history and the label of a rival number."""
    labels, many = len(space.ends), histories(space)
    return r // labels // many, r // labels % many, r % labels


@inner
def own_labels(space: Any, i: int, place: int) -> tuple[int, int, int]:
    """Return the token at a place of a sentence, its history in gold and its own label."""
    token = space.starts[i] + place
    history = histories(space) - 1
    for t in range(max(0, place - space.order), place):
        history = following(space, history, space.gold[space.starts[i] + t])
    return token, history, space.gold[token]


@move.of(Sequences)
def _move_sequences(space: Sequences, y: Array, i: int, r: int, a: float, h: Array) -> None:
    place, history, label = unpacked(space, r)
    token, own_history, own = own_labels(space, i, place)
    if label != own:
        for p in range(space.indptr[token], space.indptr[token + 1]):
            j, x = space.indices[p], a * (space.data[p] if len(space.data) > 0 else 1.0)
            h[j, own] += x
            h[j, label] -= x
    for order in range(1, space.order + 1):
        ours, theirs = history_row(space, own_history, order), history_row(space, history, order)
        if ours != theirs or own != label:
            h[ours, own] += a
            h[theirs, label] -= a


@inner
def count_rows(space: Any, i: int, entry: int, label: int) -> None:
    """Add to `counts` what an entry adds to the weights of one label."""
    place, history, rival = unpacked(space, entry)
    token, own_history, own = own_labels(space, i, place)
    if (own == label) != (rival == label):
        sign = 1.0 if own == label else -1.0
        for p in range(space.indptr[token], space.indptr[token + 1]):
            x = space.data[p] if len(space.data) > 0 else 1.0
            space.counts[space.indices[p]] += sign * x
    for order in range(1, space.order + 1):
        if own == label:
            space.counts[history_row(space, own_history, order)] += 1.0
        if rival == label:
            space.counts[history_row(space, history, order)] -= 1.0


@inner
def take_square(counts: Array, j: int) -> float:
    """Return the square of a count, and clear it."""
    value = counts[j]
    counts[j] = 0.0
    return value * value


@inner
def take_squares(space: Any, i: int, entry: int, label: int) -> float:
    """Return the squares of what `count_rows` has written for an entry, and clear them."""
    total = 0.0
    place, history, rival = unpacked(space, entry)
    token, own_history, own = own_labels(space, i, place)
    if own != label and rival != label:
        return total
    for p in range(space.indptr[token], space.indptr[token + 1]):
        total += take_square(space.counts, space.indices[p])
    for order in range(1, space.order + 1):
        total += take_square(space.counts, history_row(space, own_history, order))
        total += take_square(space.counts, history_row(space, history, order))
    return total


@example_norm2.of(Sequences)
def _example_norm2_sequences(space: Sequences, i: int) -> float:
    """Return the square of the difference between gold and the rival last looked at."""
    total, count = 0.0, space.entries[len(space.entries) - 1]
    for label in range(len(space.ends)):
        for s in range(count):
            count_rows(space, i, space.entries[s], label)
        for s in range(count):
            total += take_squares(space, i, space.entries[s], label)
    return total


def longest_norms2(
    data: Array, indices: Array, indptr: Array, starts: Array, order: int, counts: Array, out: Array
) -> None:
    """Bound <Phi(z), Phi(z)> for the labellings z of each sentence.

    The vector is longest if all tokens have one label: then what they share adds up. `counts` is
    zero for each feature, before and after.
    """
    for i in range(len(out)):
        n, total = starts[i + 1] - starts[i], 0.0
        for p in range(indptr[starts[i]], indptr[starts[i + 1]]):
            counts[indices[p]] += abs(data[p]) if len(data) > 0 else 1.0
        for p in range(indptr[starts[i]], indptr[starts[i + 1]]):
            total += take_square(counts, indices[p])
        out[i] = total + order * float(n) * float(n)


# --- hypotheses -----------------------------------------------------------------------------------


@origin.of(Sequences)
def _origin_sequences(space: Sequences) -> Array:
    base = len(space.ends) + 1
    rows = base if space.order == 1 else base + base * base
    return np.zeros((space.features + rows, len(space.ends)))


@traits.of(Sequences)
def _traits_sequences(space: Sequences) -> Traits:
    labels, sentences = len(space.ends), max(1, len(space.norms2))
    cost = labels * (len(space.indices) + labels**space.order * len(space.gold)) // sentences
    terms = int(np.diff(space.indptr[space.starts]).max() + space.order * len(space.path))
    return Traits(
        space.features, 1 + cost, space.copies, extra_terms=terms, margin_terms=terms, defers=True
    )


@as_rows.of(Sequences)
def _as_rows_sequences(space: Sequences, h: Array) -> Array:
    return h.T


@from_rows.of(Sequences)
def _from_rows_sequences(space: Sequences, rows: Array) -> Array:
    return rows.T.copy(order="C")


@rivals_exist.of(Sequences)
def _rivals_exist_sequences(space: Sequences, i: Array, r: Array) -> bool:
    places = r // (len(space.ends) * histories(space))
    return bool((r >= 0).all() and (places < space.starts[i + 1] - space.starts[i]).all())
