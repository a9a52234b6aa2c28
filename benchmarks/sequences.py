"""Chunks of CoNLL-2000: spans found and seconds taken, beside python-crfsuite.

python -m benchmarks.sequences [--rounds N]

Both learn from the features of CRF++'s example for this task. Sides take turns, the best of several
rounds counts, all on one thread.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

import rosenblatt as rb
from benchmarks import data, tables
from benchmarks.clock import best
from rosenblatt.data import ColumnFile, Corpus, FeatureMap, Templates
from rosenblatt.evaluation import SpanScores

PASSES, SEEDS = 10, 5
TRAINING, PIPELINE, TAGGING, F1 = 4.0, 5.0, 8.0, 93.6
TEMPLATES = """
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
WINDOWS = [
    [(int(cell.split(",")[0]), int(cell.split(",")[1])) for cell in line.split("%x[")[1:]]
    for line in TEMPLATES.replace("]", "").replace("/", "").split()
    if line.startswith("U")
]
"""The cells of each template, as the other side's Python takes them: rows and columns."""
COLUMNS = ["what", "bar", "figure", "holds", "ours", "python-crfsuite"]
NOTE = f"""\
CoNLL-2000, 8,936 sentences to learn from and 2,012 to label, with the 19 templates of CRF++'s
example; {PASSES} passes on both sides. Ours is the averaged `SequencePerceptron`, F1 (as conlleval
counts it, in per cent) the mean over {SEEDS} orders ± its standard error; its bar is {F1:g}, or the
other side's F1 if that is higher. python-crfsuite learns by `ap`, the averaged perceptron, or by
`pa`, passive-aggressive; times are those of `ap` and of the plain rule. `Features ready`: a matrix
and lists of labels on our side, sequences that were appended on the other. `From the file`: read,
make features, learn, save; the other side makes its features in Python. `From columns`: make
features and label, the model loaded. Sides take turns on one thread, and the best of several rounds
counts; `x` is their time over ours."""

Rows = Iterator[dict[str, Any]]


# --- the other side -------------------------------------------------------------------------------


def named_features(sentence: list[tuple[str, ...]]) -> list[list[str]]:
    """The features of each token by name."""
    n = len(sentence)
    outside = [f"_B-{k}" for k in (2, 1)], [f"_B+{k}" for k in (1, 2)]
    columns = list(zip(*sentence, strict=True))
    padded = [[*outside[0], *column, *outside[1]] for column in columns]
    return [
        [
            f"{k}:" + "/".join([padded[column][t + row + 2] for row, column in window])
            for k, window in enumerate(WINDOWS)
        ]
        for t in range(n)
    ]


def crfsuite(algorithm: str, corpus: Corpus) -> Any:
    """A trainer to which the corpus was appended."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm=algorithm, verbose=False)
    # Neither side stops before its passes are made.
    trainer.set_params({"max_iterations": PASSES, "epsilon": 0.0})
    for sentence, labels in zip(corpus, corpus.labels, strict=True):
        trainer.append(named_features(sentence), labels)
    return trainer


def crfsuite_pipeline(file: str, model: str) -> None:
    """From the file to the saved model."""
    corpus = [[line.split() for line in part.splitlines()] for part in _parts(file)]
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": PASSES, "epsilon": 0.0})
    for sentence in corpus:
        tokens = [(token[0], token[1]) for token in sentence]
        trainer.append(named_features(tokens), [token[2] for token in sentence])
    trainer.train(model)


def _parts(file: str) -> list[str]:
    return [part for part in Path(file).read_text().split("\n\n") if part.strip()]


def crfsuite_tag(tagger: Any, corpus: list[Any]) -> list[list[str]]:
    """Labels of raw columns."""
    return [tagger.tag(named_features(sentence)) for sentence in corpus]


# --- ours -----------------------------------------------------------------------------------------


def pipeline(file: str, model: str) -> None:
    """From the file to the saved model."""
    tagger = rb.SequencePerceptron(templates=TEMPLATES, max_iter=PASSES, random_state=0)
    rb.save(tagger.fit(ColumnFile(file).read()), model)


# --- rows -----------------------------------------------------------------------------------------


def row(what: str, bar: float, figure: float, ours: str, theirs: str, unit: str) -> dict[str, Any]:
    """A figure and the bar that it has to reach."""
    holds = "yes" if figure >= bar else "NO"
    form = ".1f" if unit == " x" else ".2f"
    line = what, f">= {bar:{form}}{unit}", f"{figure:{form}}{unit}", holds, ours, theirs
    return dict(zip(COLUMNS, line, strict=True))


def timed(
    what: str, bar: float, ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int
) -> dict[str, Any]:
    """A ratio of seconds."""
    mine, other = best({"ours": ours, "theirs": theirs}, rounds, budget=120.0).values()
    return row(what, bar, other / mine, f"{mine:.2f} s", f"{other:.2f} s", " x")


def quality(train: Corpus, test: Corpus, X: Any, folder: Path) -> Rows:
    """F1 of both sides, with the rules that are alike."""
    import pycrfsuite

    unseen = FeatureMap(Templates.parse(TEMPLATES))
    unseen.learn(train)
    rows, labels = unseen.transform(test), train.labels
    for rule, algorithm in (("plain", "ap"), ("pa1", "pa")):
        found = []
        for seed in range(SEEDS):
            tagger = rb.SequencePerceptron(rule, max_iter=PASSES, random_state=seed)
            tagger.fit(X, labels, lengths=train.lengths)
            predicted = tagger.predict(rows, lengths=test.lengths)
            found.append(100 * SpanScores.of(test.labels, predicted).all.f1)
        mean, error = statistics.mean(found), statistics.stdev(found) / SEEDS**0.5
        crfsuite(algorithm, train).train(str(folder / algorithm))
        other = pycrfsuite.Tagger()
        other.open(str(folder / algorithm))
        theirs = 100 * SpanScores.of(test.labels, crfsuite_tag(other, list(test))).all.f1
        what = f"F1 of chunks, rule {rule} beside {algorithm}"
        yield row(what, max(F1, theirs), mean, f"{mean:.2f} ± {error:.2f}", f"{theirs:.2f}", "")


def speed(train: Corpus, test: Corpus, X: Any, folder: Path, rounds: int) -> Rows:
    """Seconds of both sides."""
    import pycrfsuite

    tagger = rb.SequencePerceptron(max_iter=PASSES, random_state=0)
    labels, trainer = train.labels, crfsuite("ap", train)
    yield timed(
        "learn, features ready", TRAINING,
        lambda: tagger.fit(X, labels, lengths=train.lengths),
        lambda: trainer.train(str(folder / "timed")), rounds,
    )  # fmt: skip
    file, ours, theirs = (str(folder / name) for name in ("train.txt", "ours.rbt", "theirs"))
    yield timed(
        "from the file to the saved model", PIPELINE, partial(pipeline, file, ours),
        partial(crfsuite_pipeline, file, theirs), min(rounds, 3),
    )  # fmt: skip
    model, other = rb.load(ours), pycrfsuite.Tagger()
    other.open(theirs)
    columns = list(test)
    yield timed(
        f"label {test.tokens:,} tokens from columns", TAGGING, lambda: model.predict(columns),
        lambda: crfsuite_tag(other, columns), 2 * rounds,
    )  # fmt: skip


def main() -> None:
    """Measure and record the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each match")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, threadpool_limits(1):
        folder = Path(name)
        train, test = (ColumnFile(file).read() for file in data.conll2000(folder))
        X = FeatureMap(Templates.parse(TEMPLATES)).learn(train)
        rows = []
        for line in (
            *speed(train, test, X, folder, options.rounds), *quality(train, test, X, folder)
        ):  # fmt: skip
            print(line, flush=True)
            rows.append(line)
    tables.record("sequences", "Sequences: chunks of CoNLL-2000", NOTE, COLUMNS, rows)


if __name__ == "__main__":
    main()
