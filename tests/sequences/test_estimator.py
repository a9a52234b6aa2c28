"""The estimator: what it takes, what it gives, and how it fits into scikit-learn."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import rosenblatt as rb
from rosenblatt import SequencePerceptron
from rosenblatt.data import Corpus, Templates
from tests.sequences.cases import corpus

WORD = "U:%x[0,0]"
WORDS = ["the", "a", "dog", "cat", "dogs", "cats", "bark", "barks", "sees", "see"]


def sentences(count=40, seed=0):
    """Sentences of words with spans: a word after "the" or "a" is inside a span."""
    rng = np.random.default_rng(seed)
    X = [[str(w) for w in rng.choice(WORDS, rng.integers(1, 7))] for _ in range(count)]
    y = []
    for words in X:
        labels = []
        for word in words:
            inside = labels and labels[-1] != "O" and words[len(labels) - 1] in ("the", "a")
            labels.append("I-NP" if inside else "B-NP" if word in ("the", "a") else "O")
        y.append(labels)
    return X, y


@pytest.fixture(scope="module")
def spans():
    return sentences()


def as_table(X):
    """Words as rows of a matrix, by their order of appearance, and the lengths."""
    names = list(dict.fromkeys(word for words in X for word in words))
    places = [names.index(word) for words in X for word in words]
    rows = sp.csr_matrix(
        (np.ones(len(places)), places, np.arange(len(places) + 1)), (len(places), len(names))
    )
    return rows, np.array([len(words) for words in X])


@pytest.mark.parametrize("rule", ["plain", "margin", "pa1", "mira"])
@pytest.mark.parametrize("readout", ["averaged", "last", "pocket"])
def test_it_learns_with_any_rule_and_readout(spans, rule, readout):
    X, y = spans
    tagger = SequencePerceptron(rule, readout, random_state=0, max_iter=20).fit(X, y)
    assert tagger.score(X, y) > 0.94
    assert tagger.classes_.tolist() == ["B-NP", "I-NP", "O"]
    assert tagger.coef_.shape == (3, tagger.n_features_in_)
    assert tagger.transition_coef_.shape == (4, 3)
    assert tagger.n_features_in_ == tagger.features_.width


def test_forms_of_the_same_sentences_give_the_same_model(spans):
    X, y = spans
    rows, lengths = as_table(X)
    flat = [label for labels in y for label in labels]
    options = {"random_state": 1, "max_iter": 5}
    named = SequencePerceptron(templates=WORD, **options).fit(X, y)
    others = [
        SequencePerceptron(templates=Templates.parse(WORD), **options).fit(Corpus.of(X, y), None),
        SequencePerceptron(**options).fit([[{"w": word} for word in words] for words in X], y),
        SequencePerceptron(**options).fit([[{word: True} for word in words] for words in X], y),
        SequencePerceptron(**options).fit(rows, y, lengths=lengths),
        SequencePerceptron(**options).fit(rows.toarray(), np.array(flat), lengths=lengths.tolist()),
        SequencePerceptron(**options).fit(rows.astype(np.float32), flat, lengths=lengths),
    ]
    for other in others:
        assert np.array_equal(other.outcome_.predictor.weights, named.outcome_.predictor.weights)
    assert others[3].predict(rows, lengths=lengths) == named.predict(X)
    assert named.features_.names([0]) == [f"U:{X[0][0]}"]
    assert others[1].features_.names([0]) == [f"w={X[0][0]}"]


def test_scores_are_those_of_the_weights(spans):
    X, y = spans
    tagger = SequencePerceptron(templates=WORD, random_state=0).fit(X, y)
    codes = {label: c for c, label in enumerate(tagger.classes_)}
    places = {name: j for j, name in enumerate(tagger.features_.names(range(len(WORDS))))}
    for words, labels, score in zip(X, tagger.predict(X), tagger.decision_function(X), strict=True):
        found, before = 0.0, len(codes)
        for word, label in zip(words, labels, strict=True):
            c = codes[label]
            found += tagger.coef_[c, places[f"U:{word}"]] + tagger.transition_coef_[before, c]
            before = c
        assert score == pytest.approx(found)


def thirds(count=60, seed=0):
    """Words whose label repeats that of the second word before: only three in a row tell."""
    rng = np.random.default_rng(seed)
    X = [["w"] * int(rng.integers(3, 9)) for _ in range(count)]
    y = []
    for words in X:
        first, second = rng.choice(["A", "B"], 2).tolist()
        y.append([(first, second)[t % 2] for t in range(len(words))])
        words[0], words[1] = f"begin{first}", f"begin{second}"
    return X, y


def test_order_two_learns_what_two_labels_in_a_row_cannot_say():
    X, y = thirds()
    found = [
        SequencePerceptron(templates=WORD, order=order, max_iter=30, random_state=0).fit(X, y)
        for order in (1, 2)
    ]
    one, two = (tagger.score(X, y) for tagger in found)
    assert two == 1.0
    assert found[1].converged_
    assert one < 0.9
    tagger = found[1]
    assert tagger.pair_coef_.shape == (3, 3, 2)
    assert not hasattr(found[0], "pair_coef_")
    codes, places = {"A": 0, "B": 1}, {n: j for j, n in enumerate(tagger.features_.names(range(3)))}
    for words, labels, score in zip(X, y, tagger.decision_function(X), strict=True):
        q = p = 2
        total = 0.0
        for word, label in zip(words, labels, strict=True):
            c = codes[label]
            total += tagger.coef_[c, places[f"U:{word}"]] + tagger.transition_coef_[p, c]
            total += tagger.pair_coef_[q, p, c]
            q, p = p, c
        assert score == pytest.approx(total)
    with pytest.raises(ValueError, match="predict_paths needs order=1"):
        tagger.predict_paths(X)


def test_the_best_paths_begin_with_the_prediction(spans):
    X, y = spans
    tagger = SequencePerceptron(random_state=0).fit(X, y)
    paths = tagger.predict_paths(X, n=4)
    for found, best, score in zip(paths, tagger.predict(X), tagger.decision_function(X),
                                  strict=True):  # fmt: skip
        scores, labels = zip(*found, strict=True)
        assert labels[0] == best
        assert scores[0] == pytest.approx(score)
        assert list(scores) == sorted(scores, reverse=True)
        assert len({*map(tuple, labels)}) == len(labels) == min(4, 3 ** len(best))


def test_features_that_were_not_seen_are_left_out(spans):
    X, y = spans
    sets = [[{"w": word} for word in words] for words in X]
    tagger = SequencePerceptron(random_state=0).fit(sets, y)
    known = tagger.decision_function([[{}, {"w": "dog"}]])
    assert tagger.decision_function([[{"w": "unheard"}, {"w": ["dog", "of"], "z": 3}]]) == known
    assert tagger.n_features_in_ == len(WORDS)


# --- constraints --------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["BIO", "pairs"])
def test_predictions_keep_to_the_transitions(spans, given):
    X, y = spans
    pairs = [("B-NP", "I-NP"), ("I-NP", "I-NP"), (None, "B-NP"), (None, "O")]
    pairs += [(a, b) for a in ("B-NP", "I-NP", "O") for b in ("B-NP", "O")]
    scheme = "BIO" if given == "BIO" else pairs
    rng = np.random.default_rng(0)
    noisy = [[str(w) for w in rng.choice(WORDS, 6)] for _ in range(50)]
    free = SequencePerceptron(templates=WORD, random_state=0, max_iter=1).fit(X, y)
    bound = clone(free).set_params(transitions=scheme).fit(X, y)

    def broken(tagger):
        found = [z for path in tagger.predict_paths(noisy, n=5) for _, z in path]
        return sum(
            b == "I-NP" and a == "O" for z in found for a, b in zip(["O", *z], z, strict=False)
        )

    assert broken(free) > 0
    assert broken(bound) == 0


def test_spans_of_five_letters_are_closed():
    labels = ["B-X", "I-X", "E-X", "S-X", "O"]
    rng = np.random.default_rng(0)
    y = [["B-X", "I-X", "E-X", "O"], ["S-X", "O"], ["O", "B-X", "E-X"]]
    X = [[str(w) for w in rng.choice(WORDS, len(z))] for z in y]
    tagger = SequencePerceptron(transitions="BIOES", random_state=0).fit(X, y)
    follows = {"B-X": {"I-X", "E-X"}, "I-X": {"I-X", "E-X"}}
    fresh = {"B-X", "S-X", "O", None}
    noisy = [[str(w) for w in rng.choice(WORDS, 5)] for _ in range(20)]
    for path in tagger.predict_paths(noisy, n=6):
        for _, z in path:
            for a, b in zip([None, *z], [*z, None], strict=True):
                assert b in follows.get(a, fresh)
    assert set(tagger.classes_) == set(labels)


# --- going on -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2])
def test_parts_of_a_stream_are_a_pass(spans, order):
    X, y = spans
    whole = SequencePerceptron(max_iter=1, shuffle=False, order=order).fit(X, y)
    parts = SequencePerceptron(order=order)
    for start in range(0, 40, 7):
        parts.partial_fit(X[start : start + 7], y[start : start + 7])
    # Features and labels came one after the other, and stand in another order or the same.
    assert parts.predict(X) == whole.predict(X)
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-12)
    np.testing.assert_allclose(parts.transition_coef_, whole.transition_coef_, atol=1e-12)
    assert parts.n_iter_ == 6


@pytest.mark.parametrize("order", [1, 2])
def test_a_stream_may_bring_new_labels_and_features(order):
    tagger = SequencePerceptron(templates=WORD, order=order).partial_fit([["m", "n"]], [["B", "C"]])
    tagger.partial_fit([["a", "n", "z"]], [["A", "C", "D"]])
    assert tagger.classes_.tolist() == ["A", "B", "C", "D"]
    assert tagger.features_.names(range(4)) == ["U:m", "U:n", "U:a", "U:z"]
    for _ in range(10):
        tagger.partial_fit([["a", "n", "z"], ["m", "n"]], [["A", "C", "D"], ["B", "C"]])
    assert tagger.predict([["a", "n", "z"], ["m", "n"]]) == [["A", "C", "D"], ["B", "C"]]


@pytest.mark.parametrize("order", [1, 2])
def test_a_model_file_predicts_the_same_and_goes_on(tmp_path, spans, order):
    X, y = spans
    options = {"transitions": "BIO", "random_state": 0, "max_iter": 3, "order": order}
    options["templates"] = Templates.parse("U0:%x[0,0]\nU1:%x[-1,0]/%x[0,0]")
    tagger = SequencePerceptron("pa1", **options).fit(X, y)
    rb.save(tagger, tmp_path / "tagger.rbt")
    again = rb.load(tmp_path / "tagger.rbt")
    assert again.get_params() == tagger.get_params()
    assert again.predict(X) == tagger.predict(X)
    assert np.array_equal(again.decision_function(X), tagger.decision_function(X))
    fresh = [["dog", "unheard"]], [["O", "B-NP"]]
    before = again.partial_fit(*fresh).outcome_.predictor.weights
    assert np.array_equal(before, tagger.partial_fit(*fresh).outcome_.predictor.weights)


def test_it_pickles_and_clones(spans):
    X, y = spans
    tagger = SequencePerceptron(rb.RULES["pa1"](C=0.5), transitions="BIO", random_state=0)
    assert repr(clone(tagger)) == repr(tagger)
    tagger.fit(X, y)
    again = pickle.loads(pickle.dumps(tagger))
    assert again.predict(X) == tagger.predict(X)
    again.partial_fit(X, y)
    assert not hasattr(clone(tagger), "classes_")


def test_a_fit_that_fails_changes_nothing(spans):
    X, y = spans
    tagger = SequencePerceptron(random_state=0).fit(X, y)
    before = dict(vars(tagger))
    with pytest.raises(ValueError, match="sentence 1"):
        tagger.fit([["new"], ["words"]], [["O"], ["O", "O"]])
    assert vars(tagger) == before


def test_the_same_seed_gives_the_same_bits_in_every_thread():
    data = corpus(0, sentences=60, longest=8, features=12, classes=9, whole=False)

    def fitted(_):
        return SequencePerceptron("pa", random_state=5).fit(data.X, data.gold, lengths=data.lengths)

    with ThreadPoolExecutor(4) as pool:
        made = [tagger.outcome_.predictor.weights for tagger in pool.map(fitted, range(8))]
    assert all(np.array_equal(one, made[0]) for one in made)


def test_weights_of_sentences_are_factors_of_their_steps():
    X, y = sentences(20)
    options = {"random_state": 0, "max_iter": 4}
    weights = np.arange(20) % 3 + 1.0
    found = SequencePerceptron("pa1", **options).fit(X, y, sample_weight=weights)
    assert not np.array_equal(found.coef_, SequencePerceptron("pa1", **options).fit(X, y).coef_)
    some = SequencePerceptron(shuffle=False, max_iter=4).fit(X, y, sample_weight=weights > 1)
    kept = np.flatnonzero(weights > 1)
    left = SequencePerceptron(shuffle=False, max_iter=4).fit(
        [X[i] for i in kept], [y[i] for i in kept]
    )
    assert some.predict(X) == left.predict(X)
    assert some.n_updates_ == left.n_updates_


# --- scikit-learn -------------------------------------------------------------------------------


def test_searches_and_validations_go_over_sentences(spans):
    X, y = spans
    scores = cross_val_score(SequencePerceptron(random_state=0), X, y, cv=4)
    assert scores.min() > 0.9
    search = GridSearchCV(SequencePerceptron(random_state=0), {"rule": ["plain", "pa1"]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.9
    assert search.predict(X[:1]) == y[:1]


def test_weights_and_lengths_are_routed(spans):
    X, y = spans
    with config_context(enable_metadata_routing=True):
        tagger = SequencePerceptron(random_state=0).set_fit_request(sample_weight=True)
        tagger.set_score_request(sample_weight=True)
        params = {"sample_weight": np.ones(len(X))}
        assert cross_val_score(tagger, X, y, cv=2, params=params).min() > 0.9
        assert tagger.get_metadata_routing().fit.requests["sample_weight"] is True
        assert "lengths" in tagger.get_metadata_routing().predict.requests


def test_what_was_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        SequencePerceptron().predict([["a"]])


# --- bad input ----------------------------------------------------------------------------------

NAN = np.diag([1.0, np.nan, 1.0])
TWO = [["a", "b"], ["c"]], [["X", "Y"], ["X"]]
BAD = {
    "no sentence": ([], [], {}, "X has no sentence"),
    "text": ("words", [["X"]], {}, "sentences must be a list of lists"),
    "a sentence of text": (["ab"], [["X", "Y"]], {}, "sentence 0 is not a list of tokens"),
    "an empty sentence": ([["a"], []], [["X"], []], {}, "sentence 1 is empty"),
    "a token of another kind": ([["a", 3]], [["X", "Y"]], {}, "token 1: 3 is not text"),
    "a feature of another kind": ([[{"f": {}}]], [["X"]], {}, "the value of 'f' is neither"),
    "too few labels": (TWO[0], [["X"], ["X"]], {}, "sentence 0 has 2 tokens, but 1 labels"),
    "one label": (TWO[0], ["XY", ["X"]], {}, "sentence 0 has 2 tokens, but one label"),
    "too few sentences": (TWO[0], [["X", "Y"]], {}, "labels for 1 sentences, but X has 2"),
    "flat labels that do not fit": (TWO[0], ["X"], {}, "y has 1 labels for 3 tokens"),
    "no labels": (TWO[0], None, {}, "y is None"),
    "labels of two types": (TWO[0], [["X", 1], ["X"]], {}, "labels of different types"),
    "one class": (TWO[0], [["X", "X"], ["X"]], {}, "y holds one class only"),
    "a table without lengths": (np.eye(3), list("XYX"), {}, "needs `lengths`"),
    "lengths that do not add up": (np.eye(3), list("XYX"), {"lengths": [1, 1]}, "add up to 2"),
    "an empty length": (np.eye(3), list("XYX"), {"lengths": [3, 0]}, "sentence 1 has no token"),
    "lengths of another kind": (np.eye(3), list("XYX"), {"lengths": [1.5, 1.5]}, "whole numbers"),
    "lengths of a list": (*TWO, {"lengths": [2, 1]}, "a list of sentences has its own"),
    "an infinite table": (NAN, list("XYX"), {"lengths": [3]}, "X contains NaN"),
    "weights that do not fit": (*TWO, {"sample_weight": [1.0]}, "sample_weight has shape"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence(name):
    X, y, options, message = BAD[name]
    with pytest.raises((ValueError, TypeError), match=message) as error:
        SequencePerceptron().fit(X, y, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "arow"}, "the rule Arow is for two classes"),
        ({"rule": "adatron"}, "the rule Adatron is for two classes"),
        ({"readout": "voted"}, "readout='voted' is not known"),
        ({"hash_bits": 40}, "hash_bits must be"),
        ({"templates": "V"}, "templates, line 1"),
        ({"max_iter": 0}, "max_iter=0 must be"),
        ({"transitions": "IOB"}, "the encoding 'IOB' is unknown"),
        ({"transitions": "BIO"}, "the label 'X' is not of the encoding BIO"),
        ({"transitions": [("X", "Z")]}, "transitions names 'Z', which is no label"),
        ({"transitions": ["XY", 3]}, "it takes pairs"),
        ({"transitions": [("Y", "X")]}, "the labels of sentence 0 are not allowed"),
    ],
)
def test_bad_parameters_get_one_sentence(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SequencePerceptron(**parameters).fit(*TWO)


def test_later_sentences_must_be_of_the_same_kind(spans):
    X, y = spans
    rows, lengths = as_table(X)
    named = SequencePerceptron().fit(X, y)
    with pytest.raises(ValueError, match="learned from tokens"):
        named.predict(rows, lengths=lengths)
    numbered = SequencePerceptron().fit(rows, y, lengths=lengths)
    with pytest.raises(ValueError, match="learned from a table"):
        numbered.predict(X)
    with pytest.raises(ValueError, match="X has 3 features, but 10 were learned"):
        numbered.predict(np.eye(3), lengths=[3])


def test_sentences_without_an_allowed_labelling_are_named():
    tagger = SequencePerceptron(transitions=[("X", "Y")]).fit([["a", "b"]], [["X", "Y"]])
    with pytest.raises(ValueError, match="allows no labelling of sentence 1"):
        tagger.predict([["a"], ["a", "b", "b"]])
