"""Precision, recall and F1 of spans, and accuracy of tokens, from labels such as B-NP."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rosenblatt.data.errors import DataError, excerpt
from rosenblatt.data.sequences.encodings import ALIASES, OUTSIDE, encoding, split_label
from rosenblatt.markup import printable

Labels = Sequence[str]


class Span(NamedTuple):
    """Tokens from `start` up to `end`, which is not one of them, and their type."""

    start: int
    end: int
    kind: str


class _Grammar(NamedTuple):
    """Where spans begin, go on and may end, by neighbouring labels.

    An entry is a letter, a relation and the next letter: `=` within a type, `!` between two types,
    `.` in either case; `*` is any letter.
    """

    begin: str
    within: str
    end: str


_GRAMMARS = {
    "BIO": _Grammar("*.B", "B=I I=I", "B.* I.*"),
    "IOB1": _Grammar("O.I I!I B.I I=B B=B", "B=I I=I", "I.* B.O B.I B=B"),
    "IOE1": _Grammar("O.I I!I E.I E=E", "I=I I=E", "I.O I!I I!E E=I E=E"),
    "IOE2": _Grammar("O.I O.E E.I E.E I!I I!E", "I=I I=E", "E.*"),
    "BIOES": _Grammar("*.B *.S", "B=I B=E I=I I=E", "E.* S.*"),
    "BILOU": _Grammar("*.B *.U", "B=I B=L I=I I=L", "L.* U.*"),
}
"""What seqeval counts in its strict mode, by encoding."""


def find_spans(labels: Labels, encoding: str | None = None) -> list[Span]:
    """Return the spans of the labels of a sentence.

    Without an encoding every label but O is part of a span, whatever comes before it: a span begins
    where conlleval (and seqeval, by default) lets one begin. With an encoding only spans that are
    written as it demands are counted: seqeval's strict mode.

    Example
    -------
    >>> find_spans(["I-A", "I-A", "O", "B-B", "I-A"])
    [Span(start=0, end=2, kind='A'), Span(start=3, end=4, kind='B'), Span(start=4, end=5, kind='A')]
    >>> find_spans(["I-A", "I-A", "O", "B-B", "I-A"], "BIO")
    [Span(start=3, end=4, kind='B')]
    """
    parts = [split_label(label) for label in labels]
    return _lenient(parts) if encoding is None else _strict(labels, parts, encoding)


def _lenient(parts: list[tuple[str, str]]) -> list[Span]:
    """Return the spans as conlleval finds them."""
    spans: list[Span] = []
    start, (before, kind_before) = 0, (OUTSIDE, "")
    for place, (letter, kind) in enumerate([*parts, (OUTSIDE, "")]):
        new = before == OUTSIDE or before in _CLOSING or letter in _OPENING
        if new or letter == OUTSIDE or kind != kind_before:
            if before in _LETTERS:
                spans.append(Span(start, place, kind_before))
            start = place
        before, kind_before = letter, kind
    return spans


_LETTERS = "BIESLU"
_OPENING, _CLOSING = ("B", "S", "U"), ("E", "S", "L", "U")


def _strict(labels: Labels, parts: list[tuple[str, str]], name: str) -> list[Span]:
    """Return the spans that are written as an encoding demands."""
    letters = encoding(name).letters
    for label, (letter, _) in zip(labels, parts, strict=True):
        if letter not in letters or not letter:
            raise DataError(f"the label '{excerpt(label)}' is not of the encoding {name}.")
    grammar = _GRAMMARS[ALIASES.get(name, name)]
    begin, within, end = (frozenset(entries.split()) for entries in grammar)
    outside = (OUTSIDE, "")
    padded = [*parts, outside]
    spans: list[Span] = []
    place, before = 0, outside
    while place < len(parts):
        start = place
        begins = _fits(before, padded[place], begin)
        place += 1
        while begins and _fits(padded[place - 1], padded[place], within):
            place += 1
        if begins and _fits(padded[place - 1], padded[place], end):
            spans.append(Span(start, place, parts[start][1]))
        before = padded[place - 1]
    return spans


def _fits(before: tuple[str, str], after: tuple[str, str], entries: frozenset[str]) -> bool:
    """Return whether two neighbours are among the entries of a grammar."""
    (a, kind_a), (b, kind_b) = before, after
    relation = "=" if kind_a == kind_b else "!"
    return not entries.isdisjoint((f"{a}.{b}", f"{a}{relation}{b}", f"*.{b}", f"{a}.*"))


@dataclass
class SpanCounts:
    """How many spans there are, are predicted, and are predicted correctly."""

    true: int = 0
    predicted: int = 0
    correct: int = 0

    @property
    def precision(self) -> float:
        """Fraction of the predicted spans that are correct; 0 if there are none."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Fraction of the true spans that are predicted; 0 if there are none."""
        return self.correct / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if both are."""
        spans = self.true + self.predicted
        return 2 * self.correct / spans if spans else 0.0

    def to_dict(self) -> dict[str, float]:
        """Return the rates and counts as plain values."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "true": self.true,
            "predicted": self.predicted,
            "correct": self.correct,
        }


@dataclass
class SpanScores:
    """Counts of spans, of each type and of all, and of tokens with the correct label.

    A span is correct if its start, its end and its type are. `encoding` is that of `find_spans`.

    Example
    -------
    >>> true = [["B-NP", "I-NP", "O", "B-VP"]]
    >>> scores = SpanScores.of(true, [["B-NP", "I-NP", "O", "B-NP"]])
    >>> scores.all.precision, scores.all.recall, scores.all.f1, scores.accuracy
    (0.5, 0.5, 0.5, 0.75)
    >>> print(scores)
    type  precision  recall      F1   true  predicted
    NP        50.00  100.00   66.67      1          2
    VP         0.00    0.00    0.00      1          0
    all       50.00   50.00   50.00      2          2
    tokens: 3 of 4 labels are correct, 75.00%
    """

    encoding: str | None = None
    kinds: dict[str, SpanCounts] = field(default_factory=dict)
    tokens: int = 0
    correct_tokens: int = 0

    @classmethod
    def of(
        cls, labels: Iterable[Labels], predicted: Iterable[Labels], encoding: str | None = None
    ) -> SpanScores:
        """Count true and predicted labels of sentences."""
        scores = cls(encoding)
        scores.add(labels, predicted)
        return scores

    def add(self, labels: Iterable[Labels], predicted: Iterable[Labels]) -> None:
        """Count true and predicted labels of more sentences."""
        true, given = list(labels), list(predicted)
        if len(true) != len(given):
            raise DataError(f"{len(true):,} sentences, but predictions of {len(given):,}.")
        for number, (sentence, guess) in enumerate(zip(true, given, strict=True)):
            if len(sentence) != len(guess):
                raise DataError(
                    f"sentence {number}: {len(sentence)} labels, but {len(guess)} predictions."
                )
            self._add_sentence(sentence, guess)

    def _add_sentence(self, sentence: Labels, guess: Labels) -> None:
        self.tokens += len(sentence)
        self.correct_tokens += sum(a == b for a, b in zip(sentence, guess, strict=True))
        true, predicted = find_spans(sentence, self.encoding), find_spans(guess, self.encoding)
        for span in true:
            self._of_kind(span.kind).true += 1
        for span in predicted:
            self._of_kind(span.kind).predicted += 1
        for span in {*true} & {*predicted}:
            self._of_kind(span.kind).correct += 1

    def _of_kind(self, kind: str) -> SpanCounts:
        return self.kinds.setdefault(kind, SpanCounts())

    @property
    def all(self) -> SpanCounts:
        """The counts of all types together (micro average)."""
        each = self.kinds.values()
        return SpanCounts(
            sum(c.true for c in each), sum(c.predicted for c in each), sum(c.correct for c in each)
        )

    @property
    def accuracy(self) -> float:
        """Fraction of the tokens with the correct label; 0 if there are none."""
        return self.correct_tokens / self.tokens if self.tokens else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the rates and counts as plain values, types sorted."""
        kinds = {kind: self.kinds[kind].to_dict() for kind in sorted(self.kinds)}
        return {
            "tokens": self.tokens,
            "accuracy": self.accuracy,
            "spans": self.all.to_dict(),
            "types": kinds,
        }

    def __str__(self) -> str:
        rows = [(kind, self.kinds[kind]) for kind in sorted(self.kinds)] + [("all", self.all)]
        names = [printable(kind) for kind, _ in rows]
        width = max(map(len, (*names, "type")))
        lines = [f"{'type':{width}}  precision  recall      F1   true  predicted"]
        lines += [
            f"{name:{width}}  {100 * c.precision:9.2f}  {100 * c.recall:6.2f}  {100 * c.f1:6.2f}  "
            f"{c.true:5}  {c.predicted:9}"
            for name, (_, c) in zip(names, rows, strict=True)
        ]
        percent = f"{100 * self.accuracy:.2f}%"
        lines.append(
            f"tokens: {self.correct_tokens} of {self.tokens} labels are correct, {percent}"
        )
        return "\n".join(lines)
