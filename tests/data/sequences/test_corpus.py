"""A corpus: sentences in, the same sentences out, however it is cut."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.data import Corpus, DataError
from rosenblatt.data.sequences import as_tokens

SENTENCES = [["a", "b", "a"], ["c"], ["b", "d"], ["e", "a", "b", "c"]]
LABELS = [["X", "Y", "X"], ["Y"], ["X", "X"], ["Z", "X", "Y", "Z"]]


def plain(corpus: Corpus) -> list[list[str]]:
    return [[word for (word,) in sentence] for sentence in corpus]


@pytest.mark.parametrize(
    "which",
    [slice(None), slice(1, 3), slice(2, None), slice(None, None, 2), slice(3, 1), slice(-2, None),
     [2, 0], [], np.array([3, 3, 1]), np.array([True, False, True, False])],
)  # fmt: skip
def test_a_part_is_a_corpus(which):
    corpus = Corpus.of(SENTENCES, LABELS)
    numbers = np.arange(4)[which]
    part = corpus[which]
    assert isinstance(part, Corpus)
    assert plain(part) == [SENTENCES[n] for n in numbers]
    assert part.labels == [LABELS[n] for n in numbers]
    assert part.tokens == sum(len(SENTENCES[n]) for n in numbers)


def test_a_number_gives_a_sentence():
    corpus = Corpus.of([[("a", "N"), ("b", "V")], [("c", "N")]])
    assert corpus[0] == [("a", "N"), ("b", "V")]
    assert corpus[-1] == [("c", "N")]
    assert corpus.width == 2
    with pytest.raises(IndexError):
        corpus[2]


def test_labels_as_numbers():
    corpus = Corpus.of(SENTENCES, LABELS)
    assert corpus.label_set == ["X", "Y", "Z"]
    assert corpus.label_numbers(["Z", "X"]).tolist() == [1, -1, 1, -1, 1, 1, 0, 1, -1, 0]
    assert corpus[1:2].label_set == ["Y"]
    bare = Corpus.of(SENTENCES)
    for read in (lambda: bare.labels, lambda: bare.label_set, lambda: bare.label_numbers(["X"])):
        with pytest.raises(DataError, match="the corpus has no labels"):
            read()


@pytest.mark.parametrize(
    ("sentences", "reason"),
    [
        ("some text", "sentences must be a list of lists"),
        (7, "sentences must be a list of lists"),
        (["some text"], "sentence 0 is not a list of tokens"),
        ([["a"], 3], "sentence 1 is not a list of tokens"),
        ([["a"], []], "sentence 1 is empty: leave it out"),
        ([[{"a": 1}], []], "sentence 1 is empty: leave it out"),
        ([["a", 3]], "sentence 0, token 1: 3 is not text, nor a tuple of texts"),
        ([["a", ("a", 3)]], r"sentence 0, token 1: \('a', 3\) is not text"),
        ([[("a", "b")], [("a",)]], "sentence 1, token 0: 1 columns, but the first token has 2"),
        ([[()]], "sentence 0, token 0: 0 columns"),
        ([[{"a": 1}, "b"]], "sentence 0, token 1: 'b' is no dictionary"),
        ([[{1: "a"}]], "sentence 0, token 0: the name 1 is not text"),
        ([[{"a": None}]], "sentence 0, token 0: the value of 'a' is neither"),
        ([[{"a": float("nan")}]], "sentence 0, token 0: the value of 'a' is not finite"),
        ([[{"a": ["b", 2]}]], "sentence 0, token 0: the list 'a' holds something else"),
        ([["\x1b[2J", 3]], "sentence 0, token 1"),
    ],
)
def test_what_is_no_sentence_is_named(sentences, reason):
    with pytest.raises(DataError, match=reason):
        as_tokens(sentences)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (LABELS[:3], "4 sentences, but labels of 3"),
        ([*LABELS[:3], ["X"]], "sentence 3: 4 tokens, but 1 labels"),
        ([*LABELS[:3], ["X", "X", 1, "X"]], "sentence 3: the label 1 is not text"),
    ],
)
def test_labels_that_do_not_fit_are_named(labels, reason):
    with pytest.raises(DataError, match=reason):
        Corpus.of(SENTENCES, labels)


def test_a_corpus_is_taken_as_it_is():
    corpus = Corpus.of(SENTENCES)
    assert as_tokens(corpus) is corpus
    assert len(as_tokens([])) == 0
