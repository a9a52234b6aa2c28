"""Features: those of a naive reading of the templates, numbered as they come, and restored."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data import Corpus, DataError, FeatureMap, Templates
from rosenblatt.data.sequences import as_tokens, feature_map
from rosenblatt.data.sequences.key_table import KeyTable

TEXT = """
U00:%x[-2,0]
U01:%x[0,0]/%x[1,1]
U:%x[-1,0]
U:%x[1,0]
U03:%suffix[0,0,2-3]/%case[-1,0]
U04
U05:%lower[0,0]=%shape[0,1]
B
"""
TEMPLATES = Templates.parse(TEXT)
words = st.sampled_from(["a", "The", "running", "IBM", "x-1", "Été", "12", "\ud800"])
sentences = st.lists(
    st.lists(st.tuples(words, words), min_size=1, max_size=6), min_size=1, max_size=5
)


def naive(sentence, place: int, templates: Templates) -> list[str]:
    """The features of a token, spelled by looking at each cell."""

    def value(atom) -> str | None:
        at = place + atom.offset
        if at < 0:
            return f"_B{at}"
        if at >= len(sentence):
            return f"_B+{at - len(sentence) + 1}"
        return atom.cells.apply([sentence[at][atom.cells.column]])[0]

    found = []
    for template in templates.each:
        values = [value(atom) for atom in template.atoms]
        if None not in values:
            found.append(template.spell(values))
    return found


def spelled(features: FeatureMap, X) -> list[list[str]]:
    rows = []
    for row in range(X.shape[0]):
        part = slice(X.indptr[row], X.indptr[row + 1])
        names = features.names(X.indices[part])
        rows.append([n for n, v in zip(names, X.data[part], strict=True) for _ in range(int(v))])
    return rows


@given(sentences, sentences)
def test_features_are_those_of_a_naive_reading(known, new):
    features = FeatureMap(TEMPLATES)
    X = features.learn(as_tokens(known))
    wanted = [naive(s, n, TEMPLATES) for s in known for n in range(len(s))]
    assert [sorted(row) for row in spelled(features, X)] == [sorted(row) for row in wanted]
    # Numbers are given in the order of the tokens and, for each, of the templates.
    assert features.names(range(features.width)) == list(
        dict.fromkeys(name for row in wanted for name in row)
    )
    learned = {name for row in wanted for name in row}
    Z = features.transform(as_tokens(new))
    wanted = [naive(s, n, TEMPLATES) for s in new for n in range(len(s))]
    assert [sorted(row) for row in spelled(features, Z)] == [
        sorted(name for name in row if name in learned) for row in wanted
    ]
    assert Z.shape == (len(wanted), features.width)


def random_corpus(seed: int, tokens: int = 3000) -> Corpus:
    draw = np.random.default_rng(seed)
    rows = [(f"w{n}", f"t{n % 7}") for n in draw.zipf(1.4, tokens).clip(0, 10**6).tolist()]
    cuts = np.sort(draw.choice(np.arange(1, tokens), tokens // 9, replace=False))
    return Corpus.of([rows[a:b] for a, b in zip([0, *cuts], [*cuts, tokens], strict=True)])


def same(A, B) -> bool:
    return all(
        np.array_equal(getattr(A, name), getattr(B, name)) for name in ("data", "indices", "indptr")
    )


@pytest.mark.parametrize("hash_bits", [None, 12])
def test_numbers_do_not_depend_on_the_parts(hash_bits, monkeypatch):
    corpus = random_corpus(0)
    whole = FeatureMap(TEMPLATES, hash_bits)
    X = whole.learn(corpus)
    monkeypatch.setattr(feature_map, "GROUP", 100)
    monkeypatch.setattr(feature_map, "CHUNK", 37)
    parts = FeatureMap(TEMPLATES, hash_bits)
    assert same(parts.learn(corpus), X)
    batches = FeatureMap(TEMPLATES, hash_bits)
    for first in range(0, len(corpus), 20):
        batches.learn(corpus[first : first + 20])
    assert batches.width == whole.width
    assert same(batches.transform(corpus), X)
    if hash_bits is None:
        assert batches.names(range(whole.width)) == whole.names(range(whole.width))


def test_hashing_keeps_nothing_and_makes_the_same_features():
    features = FeatureMap(TEMPLATES, hash_bits=20)
    empty = features.nbytes
    corpus = random_corpus(1, 600)
    X = features.learn(corpus)
    assert features.nbytes == empty
    assert X.shape[1] == 1 << 20
    exact = FeatureMap(TEMPLATES).learn(corpus)
    # Few of so few features collide: the same pairs of tokens have features in common.
    ours, theirs = (X @ X.T).toarray(), (exact @ exact.T).toarray()
    assert (ours != theirs).mean() < 0.02
    assert features.names([5]) == ["hash 5"]


def test_unseen_features_cost_nothing():
    features = FeatureMap(TEMPLATES)
    features.learn(random_corpus(2))
    before = features.nbytes, features.width
    features.transform(Corpus.of([[(f"new{n}", f"other{n}") for n in range(2000)]]))
    assert (features.nbytes, features.width) == before


TOKENS = {
    "columns": random_corpus(3),
    "words": Corpus.of([["The", "cat"], ["cats", "run", "\ud800"]]),
    "dictionaries": as_tokens([[{"word": "a", "n": 2.5, "tags": ["x", "y", "x"]}, {"on": True}]]),
}


@pytest.mark.parametrize("hash_bits", [None, 10])
@pytest.mark.parametrize("kind", TOKENS)
def test_saved_and_restored(kind, hash_bits):
    features = FeatureMap(TEMPLATES if kind == "columns" else None, hash_bits)
    X = features.learn(TOKENS[kind])
    told = json.loads(json.dumps(features.to_dict()))
    arrays = {name: array.copy() for name, array in features.arrays().items()}
    again = FeatureMap.from_dict(told, arrays)
    assert same(again.transform(TOKENS[kind]), X)
    assert same(features.transform(TOKENS[kind]), X)
    assert again.names(range(again.width)) == features.names(range(features.width))
    restored = again.arrays()
    assert all(np.array_equal(restored[name], arrays[name]) for name in arrays)
    more = [copy.deepcopy(f) for f in (features, again)]
    other = Corpus.of([[("new", "t1")]]) if kind == "columns" else TOKENS[kind]
    assert same(more[0].learn(other), more[1].learn(other))


def test_dictionaries_are_features_as_they_are():
    tokens = as_tokens([[{"word": "a", "n": 2.5, "tags": ["x", "y", "x"]}, {"on": True, "n": 0}]])
    features = FeatureMap()
    X = features.learn(tokens)
    assert features.names(range(features.width)) == ["word=a", "n", "tags=x", "tags=y", "on"]
    assert X.toarray().tolist() == [[1, 2.5, 1, 1, 0], [0, 0, 0, 0, 1]]
    assert features.transform(as_tokens([[{"n": -1, "new": "x"}]])).toarray().tolist() == [
        [0, -1, 0, 0, 0]
    ]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: FeatureMap(TEMPLATES).transform(TOKENS["words"]), "there are no features: learn"),
        (lambda: FeatureMap(TEMPLATES).learn(TOKENS["words"]), "a template needs column 1, but"),
        (lambda: FeatureMap(TEMPLATES).learn(TOKENS["dictionaries"]), "templates need texts or"),
        (lambda: FeatureMap(hash_bits=7), "hash_bits must be None or from 8 to 30"),
    ],
)
def test_what_does_not_fit_is_named(make, reason):
    with pytest.raises(ValueError, match=reason):
        make()


def test_tokens_of_another_kind_are_named():
    features = FeatureMap()
    features.learn(TOKENS["words"])
    with pytest.raises(DataError, match=r"were texts, or have one column in learning; these are t"):
        features.transform(TOKENS["columns"])
    with pytest.raises(DataError, match="these are dictionaries of features"):
        features.learn(TOKENS["dictionaries"])


def damaged():
    """Saved forms with something wrong, and how."""
    yield "format", lambda told, arrays: told.update(format="other")
    yield "templates", lambda told, arrays: told.update(templates="X")
    yield "bits", lambda told, arrays: told.update(hash_bits=2.5)
    yield "columns", lambda told, arrays: told.update(columns=1)
    yield "absent", lambda told, arrays: arrays.pop("features.ends")
    yield (
        "type",
        lambda told, arrays: arrays.update(
            {"features.values": arrays["features.values"].astype(float)}
        ),
    )
    yield "ends", lambda told, arrays: arrays["features.ends"].__setitem__(3, 10**9)
    yield "texts", lambda told, arrays: arrays["features.texts"].__setitem__(0, 255)
    yield "template", lambda told, arrays: arrays["features.templates"].__setitem__(0, 99)
    yield "below", lambda told, arrays: arrays["features.values"].__setitem__((0, 0), 0)
    yield "above", lambda told, arrays: arrays["features.values"].__setitem__((0, 0), 10**8)
    yield (
        "twice",
        lambda told, arrays: [
            arrays[name].__setitem__(1, arrays[name][0])
            for name in ("features.values", "features.templates")
        ],
    )
    yield (
        "short",
        lambda told, arrays: arrays.update(
            {"features.templates": arrays["features.templates"][1:]}
        ),
    )


@pytest.mark.parametrize("damage", [pytest.param(way, id=name) for name, way in damaged()])
def test_damaged_features_are_rejected(damage):
    features = FeatureMap(TEMPLATES)
    features.learn(TOKENS["columns"])
    told = features.to_dict()
    arrays = {name: array.copy() for name, array in features.arrays().items()}
    FeatureMap.from_dict(dict(told), arrays)
    damage(told, arrays)
    with pytest.raises(ValueError, match="features"):
        FeatureMap.from_dict(told, arrays)


@given(st.lists(st.lists(st.integers(0, 40), max_size=60), max_size=12))
def test_a_table_numbers_like_a_dictionary(batches):
    table, known = KeyTable(), {}
    step = np.uint64(1 << 10)  # so that many keys begin at the same slot
    for batch in batches:
        keys = np.array(batch, np.uint64) * step
        found = table.find(keys)
        assert found.tolist() == [known.get(key, -1) for key in batch]
        numbers, new = table.add(keys)
        for key in batch:
            if key:
                known.setdefault(key, len(known))
        assert numbers.tolist() == [known.get(key, -1) for key in batch]
        assert [batch[place] for place in new] == list(known)[len(known) - len(new) :]
    assert len(table) == len(known)


def test_a_table_grows():
    keys = np.random.default_rng(0).integers(1, 2**63, 50_000).astype(np.uint64)
    table = KeyTable()
    for part in np.array_split(keys, 7):
        table.add(part)
    assert np.array_equal(np.sort(table.find(keys)), np.arange(len(keys)))
