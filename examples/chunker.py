"""A chunker and a tagger of parts of speech, learned from one column file.

python3 examples/chunker.py TRAIN TEST

Lines of both files have a word, its part of speech and its chunk, as in CoNLL-2000. The chunker
sees words and parts of speech; the tagger sees words only.
"""

from __future__ import annotations

import sys
import time

from rosenblatt import SequencePerceptron
from rosenblatt.data import ColumnFile, Corpus, Templates
from rosenblatt.evaluation import SpanScores

CHUNKS = """
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]
U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]
B
"""
"""Words, parts of speech, and pairs and triples of these around a token."""


def words_only(corpus: Corpus) -> Corpus:
    """Return the words, with the parts of speech as labels."""
    return Corpus(corpus.values, corpus.columns[:1], corpus.lengths, corpus.columns[1])


def measure(name: str, tagger: SequencePerceptron, train: Corpus, test: Corpus) -> SpanScores:
    """Train, print what it took, and count what is correct on the test file."""
    began = time.perf_counter()
    tagger.fit(train)
    seconds = time.perf_counter() - began
    print(f"{name}: {tagger.n_features_in_:,} features, {tagger.n_iter_} passes, {seconds:.1f} s")
    return SpanScores.of(test.labels, tagger.predict(test))


def main(train_file: str, test_file: str) -> None:
    """Learn both, and print how good they are."""
    train, test = ColumnFile(train_file).read(), ColumnFile(test_file).read()
    print(f"{len(train):,} sentences to learn from, {len(test):,} to test on")
    chunker = SequencePerceptron(templates=CHUNKS, transitions="BIO", random_state=0)
    print(measure("chunks", chunker, train, test))
    tagger = SequencePerceptron(templates=Templates.default(1), random_state=0)
    scores = measure("parts of speech", tagger, words_only(train), words_only(test))
    print(f"{100 * scores.accuracy:.2f}% of the parts of speech are correct")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
