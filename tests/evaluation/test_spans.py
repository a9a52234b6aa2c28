"""Spans: counted as conlleval and seqeval do, by naive definitions and by seqeval itself."""

from __future__ import annotations

import random
import warnings

import pytest

from rosenblatt.data import DataError
from rosenblatt.data.sequences import ENCODINGS
from rosenblatt.evaluation import SpanScores, find_spans
from rosenblatt.evaluation.spans import _GRAMMARS


def random_labels(draw: random.Random, letters: str, longest: int = 9) -> list[str]:
    labels = ["O", *(f"{letter}-{kind}" for letter in letters for kind in "AB")]
    return [draw.choice(labels) for _ in range(draw.randint(1, longest))]


def naive_spans(labels: list[str]) -> set[tuple[int, int, str]]:
    """The spans of B, I and O by their definition in conlleval.

    A token inside a span begins a new one if it is a B, or if the token before is outside or of
    another type.
    """
    found, open_span = set(), None
    for place, label in enumerate([*labels, "O"]):
        letter, kind = label[0], label[2:]
        goes_on = open_span is not None and letter == "I" and kind == open_span[1]
        if open_span is not None and not goes_on:
            found.add((open_span[0], place, open_span[1]))
            open_span = None
        if open_span is None and letter != "O":
            open_span = (place, kind)
    return found


def strict_spans(labels: list[str], name: str) -> set[tuple[int, int, str]]:
    """The spans that are written in full, where an encoding marks begin or end of each."""
    found = set()
    for start in range(len(labels)):
        for end in range(start + 1, len(labels) + 1):
            letters = "".join(label[0] for label in labels[start:end])
            kinds = {label[2:] for label in labels[start:end]}
            size, next_label = end - start, ([*labels, "O"])[end]
            goes_on = next_label == f"I-{labels[start][2:]}"
            whole = {
                "BIO": letters == "B" + "I" * (size - 1) and not goes_on,
                "BIOES": letters in ("S", "B" + "I" * (size - 2) + "E" if size > 1 else "S"),
                "BILOU": letters in ("U", "B" + "I" * (size - 2) + "L" if size > 1 else "U"),
            }[name]
            if whole and len(kinds) == 1 and "O" not in letters:
                found.add((start, end, kinds.pop()))
    return found


def test_every_encoding_has_a_grammar():
    assert _GRAMMARS.keys() == ENCODINGS.keys()


def test_lenient_spans_are_those_of_conlleval():
    draw = random.Random(0)
    for _ in range(3000):
        labels = random_labels(draw, "BI")
        assert set(find_spans(labels)) == naive_spans(labels), labels


@pytest.mark.parametrize("name", ["BIO", "BIOES", "BILOU"])
def test_strict_spans_are_written_in_full(name):
    draw = random.Random(1)
    for _ in range(2000):
        labels = random_labels(draw, ENCODINGS[name].letters.replace("O", ""))
        assert set(find_spans(labels, name)) == strict_spans(labels, name), labels


@pytest.mark.parametrize(
    ("labels", "encoding", "spans"),
    [
        (["E-A", "I-A", "S-A", "S-A", "B-A"], None, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
        (["I-A", "E-A", "E-A", "O"], None, [(0, 2), (2, 3)]),
        (["B", "I", "O", "I"], None, [(0, 2), (3, 4)]),
        (["I-A", "E-A", "I-A", "O"], "IOE2", [(0, 2)]),
        (["I-A", "I-A", "B-A", "I-A"], "IOB1", [(0, 2), (2, 4)]),
        (["B-A", "I-A", "O"], "IOB1", [(1, 2)]),
        (["I-A", "E-A", "I-A", "O"], "IOE1", [(0, 2), (2, 3)]),
        (["NN", "VB", "NN"], None, []),
        ([], None, []),
    ],
)
def test_spans_counted_by_hand(labels, encoding, spans):
    assert [span[:2] for span in find_spans(labels, encoding)] == spans


def test_rates_counted_by_hand():
    true = [["B-A", "I-A", "O", "B-B"], ["B-A", "O"]]
    predicted = [["B-A", "O", "O", "B-B"], ["B-A", "B-C"]]
    scores = SpanScores.of(true, predicted)
    assert scores.all.to_dict() == {
        "precision": 2 / 4, "recall": 2 / 3, "f1": 4 / 7, "true": 3, "predicted": 4, "correct": 2,
    }  # fmt: skip
    assert scores.kinds["A"].precision == scores.kinds["A"].recall == 1 / 2
    assert (scores.kinds["C"].precision, scores.kinds["C"].recall, scores.kinds["C"].f1) == (
        0,
        0,
        0,
    )
    assert scores.accuracy == 4 / 6
    assert list(scores.to_dict()["types"]) == ["A", "B", "C"]
    assert SpanScores().all.f1 == SpanScores().accuracy == 0.0


def test_parts_are_counted_as_one():
    draw = random.Random(2)
    true = [random_labels(draw, "BI") for _ in range(40)]
    predicted = [draw.choices(["B-A", "I-A", "O"], k=len(labels)) for labels in true]
    parts = SpanScores()
    parts.add(true[:15], predicted[:15])
    parts.add(true[15:], predicted[15:])
    assert parts == SpanScores.of(true, predicted)


def test_what_does_not_fit_is_named():
    with pytest.raises(DataError, match="2 sentences, but predictions of 1"):
        SpanScores.of([["O"], ["O"]], [["O"]])
    with pytest.raises(DataError, match="sentence 1: 2 labels, but 1 predictions"):
        SpanScores.of([["O"], ["O", "O"]], [["O"], ["O"]])
    with pytest.raises(DataError, match="the label 'E-A' is not of the encoding BIO"):
        find_spans(["O", "E-A"], "BIO")
    with pytest.raises(ValueError, match="the encoding 'BOI' is unknown"):
        find_spans(["O"], "BOI")


def test_equals_seqeval():
    scheme = pytest.importorskip("seqeval.scheme", reason="seqeval is not installed")
    from seqeval.metrics import accuracy_score, classification_report

    draw = random.Random(3)
    schemes = {"BIO": "IOB2", "BIOES": "IOBES"}
    for name in (None, *ENCODINGS):
        letters = "BIES" if name is None else ENCODINGS[name].letters.replace("O", "")
        options = {}
        if name is not None:
            options = {"mode": "strict", "scheme": getattr(scheme, schemes.get(name, name))}
        for _ in range(60):
            true = [random_labels(draw, letters) for _ in range(12)]
            predicted = [
                [label if draw.random() < 0.7 else draw.choice(labels) for label in labels]
                for labels in true
            ]
            ours = SpanScores.of(true, predicted, name)
            if not ours.all.true:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = classification_report(true, predicted, output_dict=True, **options)
            for kind, counts in [*ours.kinds.items(), ("micro avg", ours.all)]:
                given = theirs[kind]
                assert given["precision"] == pytest.approx(counts.precision)
                assert given["recall"] == pytest.approx(counts.recall)
                assert given["f1-score"] == pytest.approx(counts.f1)
                assert given["support"] == counts.true
            assert accuracy_score(true, predicted) == pytest.approx(ours.accuracy)
