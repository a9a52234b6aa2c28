"""The space of sentences against all labellings, one by one."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from rosenblatt.engine.execution import fast
from rosenblatt.theory import loops, spaces
from tests.oracles import sequences as oracle
from tests.sequences.cases import corpus, weights

FEATURES, CLASSES = 5, 3


def hypothesis(seed, whole=True, order=1):
    """Random weights, as the library and as the oracle have them."""
    rng = np.random.default_rng(seed)
    labels, places = range(CLASSES), [*range(CLASSES), oracle.START]
    keys = [(j, c) for j in range(FEATURES) for c in labels]
    keys += [("transition", p, c) for p in places for c in labels]
    if order == 2:
        keys += [("transition", q, p, c) for q in places for p in places for c in labels]
    numbers = rng.integers(-2, 3, len(keys)) if whole else rng.normal(size=len(keys))
    w = dict(zip(keys, numbers.astype(float).tolist(), strict=True))
    return weights(w, FEATURES, CLASSES, order), w


def constraint(seed):
    """Random transitions that are allowed, as penalties and as the oracle asks for them."""
    rng = np.random.default_rng(seed)
    allowed = np.where(rng.random((CLASSES + 1, CLASSES)) < 0.6, 0.0, -inf)
    ends = np.where(rng.random(CLASSES) < 0.7, 0.0, -inf)

    def follows(before, label):
        if label is None:
            return ends[before] == 0.0
        return allowed[CLASSES if before is None else before, label] == 0.0

    return allowed, ends, follows


def entries(space, r):
    """The tokens at which the rival last looked at differs."""
    made = [spaces.share(space, r, s) for s in range(spaces.rivals(space))]
    return [rival for rival, portion in made if portion > 0.0]


def rival_labels(found, gold, order):
    """The labelling that some entries describe."""
    labels = list(gold)
    for r in found:
        labels[r // CLASSES // (CLASSES + 1) ** order] = r % CLASSES
    return tuple(labels)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_look_finds_the_best_wrong_labelling_of_all(seed, constrained, order):
    data, (h, w) = corpus(seed), hypothesis(seed, order=order)
    allowed, ends, follows = constraint(seed) if constrained else (None, None, oracle.anything)
    space = data.space(allowed, ends, order)
    for i, (sentence, gold) in enumerate(zip(data.sentences, data.golds, strict=True)):
        margin, rivals = oracle.look(w, sentence, gold, CLASSES, follows, order)
        if margin == inf or tuple(gold) not in oracle.labellings(len(gold), CLASSES, follows):
            continue  # no rival, or labels that learning rejects
        m, f, r = spaces.look(space, np.ones(8), i, h)
        assert (m, f) == (margin, 1.0)
        assert rival_labels(entries(space, r), gold, order) in rivals


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_entries_add_up_to_the_difference_of_the_two_vectors(seed, order):
    data, (h, _) = corpus(seed, longest=6), hypothesis(seed, order=order)
    space, y = data.space(order=order), np.ones(8, np.int8)
    for i, (sentence, gold) in enumerate(zip(data.sentences, data.golds, strict=True)):
        _, _, r = spaces.look(space, y, i, h)
        rival = rival_labels(entries(space, r), gold, order)
        vectors = oracle.phi(sentence, gold, order), oracle.phi(sentence, rival, order)
        x = oracle.difference(*vectors)
        assert spaces.example_norm2(space, i) == oracle.dot(x, x)
        assert not space.counts.any()
        assert spaces.example_norm2(space, i) <= spaces.radius2(space)
        moved = spaces.origin(space)
        for entry in entries(space, r):
            spaces.move(space, y, i, entry, 0.5, moved)
        assert np.array_equal(moved, 0.5 * weights(x, FEATURES, CLASSES, order))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_labelling_is_the_first_of_the_best_of_all(seed, constrained, order):
    data, (h, w) = corpus(seed), hypothesis(seed, seed % 2 == 0, order)
    allowed, ends, follows = constraint(seed) if constrained else (None, None, oracle.anything)
    space = data.space(allowed, ends, order)
    labels, scores = np.zeros(len(data.gold), np.int32), np.zeros(8)
    loops.tag(space, h, labels, scores)
    for i, sentence in enumerate(data.sentences):
        best = oracle.scored(w, sentence, CLASSES, follows, order)
        if not best:
            assert scores[i] == -inf
            continue
        found = tuple(labels[space.starts[i] : space.starts[i + 1]].tolist())
        assert scores[i] == pytest.approx(best[0][0])
        assert found in [z for s, z in best if s == pytest.approx(best[0][0])]
    quick, their = np.zeros_like(labels), np.zeros(8)
    fast(loops.tag)(space, h, quick, their)
    assert np.array_equal(quick, labels)
    assert np.array_equal(their, scores)


@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_labellings_are_those_of_all(seed, constrained):
    data, (h, w) = corpus(seed), hypothesis(seed, whole=seed % 2 == 0)
    allowed, ends, follows = constraint(seed) if constrained else (None, None, oracle.anything)
    space, ranks = data.space(allowed, ends), 7
    shape = len(space.path) + 1, CLASSES, ranks
    labels, scores = np.zeros((ranks, len(data.gold)), np.int32), np.zeros((8, ranks))
    room = np.empty(shape), np.empty(shape, np.int64)
    loops.tag_ranks(space, h, *room, labels, scores)
    for i, sentence in enumerate(data.sentences):
        best = oracle.scored(w, sentence, CLASSES, follows)[:ranks]
        count = len(best)
        np.testing.assert_allclose(scores[i, :count], [s for s, _ in best], atol=1e-12)
        assert (scores[i, count:] == -inf).all()
        part = labels[:count, space.starts[i] : space.starts[i + 1]].tolist()
        assert len({*map(tuple, part)}) == count  # no labelling twice
        for z, (s, _) in zip(part, best, strict=True):
            assert oracle.dot(w, oracle.phi(sentence, z)) == pytest.approx(s)


@pytest.mark.parametrize("classes", [2, 7, 8, 9, 20])
def test_blocks_of_labels_add_up_alike(classes):
    """Labels of equal weights tie, wherever the blocks that are summed at a time overlap."""
    data = corpus(1, classes=classes, whole=False)
    space = data.space()
    h = np.repeat(
        np.random.default_rng(0).normal(size=(FEATURES + classes + 1, 1)), classes, axis=1
    )
    out = np.zeros(classes)
    for token in range(len(data.gold)):
        spaces.emit(space, token, h, out)
        assert len(set(out.tolist())) == 1
        assert out[0] == pytest.approx(float(data.X[token] @ h[:FEATURES, 0]))


def test_one_is_the_value_of_features_without_values():
    data = corpus(2)
    ones = data._replace(X=(data.X != 0).astype(float))
    space, h = ones.space(), hypothesis(2)[0]
    assert not len(space.data)
    valued = space._replace(data=np.ones(len(space.indices)))
    for i in range(8):
        assert spaces.look(space, ones.gold, i, h) == spaces.look(valued, ones.gold, i, h)
        assert spaces.example_norm2(space, i) == spaces.example_norm2(valued, i)


def test_a_sentence_that_numbers_could_not_address_is_rejected():
    data = corpus(3)
    many = 40_000
    with pytest.raises(ValueError, match="is too long; split it"):
        data._replace(classes=many).space(np.zeros((1, 1)))
