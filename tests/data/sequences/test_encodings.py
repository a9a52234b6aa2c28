"""Transitions: a sequence is allowed exactly if it is some spans written in the encoding."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from rosenblatt.data import DataError, allowed_transitions
from rosenblatt.data.sequences import ENCODINGS

LENGTH = 4


def spans_of(length: int, start: int = 0):
    """All ways to put spans of types A and B into so many tokens."""
    if start >= length:
        yield []
        return
    for rest in spans_of(length, start + 1):
        yield rest
    for end in range(start + 1, length + 1):
        for rest in spans_of(length, end):
            for kind in "AB":
                yield [(start, end, kind), *rest]


def written(spans, length: int, name: str) -> tuple[str, ...]:
    """The labels of spans, by the definition of each encoding."""
    letters = ["O"] * length
    kinds = [""] * length
    begins = {(start, kind) for start, _, kind in spans}
    ends = {(end, kind) for _, end, kind in spans}
    for start, end, kind in spans:
        for place in range(start, end):
            first, last = place == start, place == end - 1
            kinds[place] = f"-{kind}"
            letters[place] = {
                "BIO": "B" if first else "I",
                "IOB1": "B" if first and (start, kind) in ends else "I",
                "IOE1": "E" if last and (end, kind) in begins else "I",
                "IOE2": "E" if last else "I",
                "BIOES": "S" if first and last else "B" if first else "E" if last else "I",
                "BILOU": "U" if first and last else "B" if first else "L" if last else "I",
            }[name]
    return tuple(letter + kind for letter, kind in zip(letters, kinds, strict=True))


@pytest.mark.parametrize("name", ENCODINGS)
def test_allowed_sequences_are_those_of_spans(name):
    labels = ["O", *(f"{x}-{t}" for x in ENCODINGS[name].letters if x != "O" for t in "AB")]
    follow, first, last = allowed_transitions(labels, name)
    for length in range(1, LENGTH + 1):
        allowed = {
            tuple(labels[i] for i in path)
            for path in product(range(len(labels)), repeat=length)
            if first[path[0]] and last[path[-1]] and all(follow[a, b] for a, b in pairwise(path))
        }
        assert allowed == {written(spans, length, name) for spans in spans_of(length)}


def test_other_names():
    labels = ["B-A", "I-A", "O"]
    assert (allowed_transitions(labels, "IOB2")[0] == allowed_transitions(labels, "BIO")[0]).all()
    labels = ["B-A", "I-A", "E-A", "S-A", "O"]
    assert (
        allowed_transitions(labels, "IOBES")[0] == allowed_transitions(labels, "BIOES")[0]
    ).all()


@pytest.mark.parametrize(
    ("labels", "name", "reason"),
    [
        (["B-A", "E-A"], "BIO", "the label 'E-A' is not of the encoding BIO: its labels are B, I"),
        (["NN"], "BIOES", "the label 'NN' is not"),
        (["-A"], "BIO", "the label '-A' is not"),
        (["O-A"], "BIO", "the label 'O-A' is not"),
        (["O"], "BIX", "the encoding 'BIX' is unknown; there are BIO, "),
    ],
)
def test_labels_of_no_encoding(labels, name, reason):
    with pytest.raises(ValueError, match=reason):
        allowed_transitions(labels, name)
    assert issubclass(DataError, ValueError)
