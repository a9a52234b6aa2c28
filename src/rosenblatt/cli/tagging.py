"""Column files at the command line: sentences to learn from, to label and to measure on."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import rosenblatt.cli.fast_imports  # noqa: F401 (before anything that imports scikit-learn)
from rosenblatt.cli.columns import Columns
from rosenblatt.cli.file_roles import parse_validate
from rosenblatt.cli.options import TableOptions
from rosenblatt.cli.output import show
from rosenblatt.data import ColumnFile, Corpus, Templates, held_out_mask
from rosenblatt.data.sequences.column_file import LAST
from rosenblatt.estimators.sequences import SequencePerceptron
from rosenblatt.evaluation import SpanScores


@dataclass
class Tagger:
    """A trained model, its column files, and what is known of its training."""

    estimator: Any
    columns: Columns
    record: dict[str, Any]
    origin: dict[str, Any]
    held_out: SpanScores | None


def fit_tagger(
    options: TableOptions, templates: Path | None, parameters: dict[str, Any], quiet: bool
) -> Tagger:
    """Train on the sentences of a column file."""
    if templates is not None:
        parameters = parameters | {"templates": Templates.read(templates).text}
    place = _place(options.target)
    file = ColumnFile(options.data, target=place)
    corpus, held_out = _divided(file.read(), options)
    columns = Columns(file.width, place % file.cells)
    if not quiet:
        show(f"{len(corpus):,} sentences · {corpus.tokens:,} tokens · {_columns(corpus.width)}")
    began = time.perf_counter()
    estimator = SequencePerceptron(**({"random_state": options.seed} | parameters)).fit(corpus)
    seconds = time.perf_counter() - began
    if options.validate is not None and held_out is None:
        _, validation = parse_validate(options.validate)
        held_out = columns.open(str(validation), labelled=True).read()
    scores = None if held_out is None else score(estimator, [held_out])
    record = {
        "estimator": type(estimator).__name__,
        "sentences": len(corpus),
        "tokens": corpus.tokens,
        "features": estimator.n_features_in_,
        "feature_bytes": estimator.features_.nbytes,
        "classes": estimator.classes_,
        "passes": int(estimator.n_iter_),
        "updates": int(estimator.n_updates_),
        "converged": bool(estimator.converged_),
        "mistakes": estimator.pass_mistakes_,
        "held_out": None if scores is None else scores.to_dict(),
        "tokens_per_second": corpus.tokens * int(estimator.n_iter_) / max(seconds, 1e-9),
    }
    origin = {"data": options.data, "digest": file.digest(), "target": columns.label}
    return Tagger(estimator, columns, record, origin, scores)


def _place(target: str | None) -> int:
    """Return the column that --target names; the last one if it names none."""
    if target is None:
        return LAST
    try:
        return int(target)
    except ValueError:
        raise ValueError(
            f"--target {target}: the columns of a column file have no names; give a number, "
            "counted from 0, or -1 for the last one."
        ) from None


def _divided(corpus: Corpus, options: TableOptions) -> tuple[Corpus, Corpus | None]:
    """Return the sentences to learn from, and those held out if a fraction of them is."""
    fraction, _ = parse_validate(options.validate)
    if not fraction:
        return corpus, None
    held = held_out_mask(0, len(corpus), fraction, options.seed)
    if held.all() or not held.any():
        raise ValueError(f"--validate {options.validate} leaves no sentence on one side.")
    return corpus[~held], corpus[held]


def _columns(number: int) -> str:
    return "1 column" if number == 1 else f"{number} columns"


def score(estimator: Any, corpora: Iterable[Corpus]) -> SpanScores:
    """Count the labels and spans that an estimator predicts correctly."""
    scores = SpanScores()
    for corpus in corpora:
        scores.add(corpus.labels, estimator.predict(corpus))
    return scores


def tagged_lines(estimator: Any, columns: Columns, data: str) -> Iterator[tuple[int, bytes]]:
    """Yield for batches of sentences how many tokens there are, and lines with the prediction.

    A line has the cells of the token, the label where the file has it, and the prediction last.
    """
    file = columns.open(data)
    gap = "\t" if file.tabs else " "
    for corpus in file.batches():
        predicted = [label for labels in estimator.predict(corpus) for label in labels]
        cells = [[corpus.values[code] for code in codes] for codes in corpus.columns.tolist()]
        if corpus.label_codes is not None:
            cells.insert(columns.label, [corpus.values[c] for c in corpus.label_codes.tolist()])
        lines = [gap.join(token) for token in zip(*cells, predicted, strict=True)]
        for end in np.cumsum(corpus.lengths).tolist():
            lines[end - 1] += "\n"
        yield corpus.tokens, ("\n".join(lines) + "\n").encode()


def strongest_transitions(estimator: Any, number: int = 8) -> list[tuple[str, str, float]]:
    """Return the transitions of the largest weights: from, to and weight."""
    weights = estimator.transition_coef_
    names = [*map(str, estimator.classes_.tolist()), "begin"]
    largest = np.argsort(-np.abs(weights), axis=None, kind="stable")[:number]
    places = zip(*np.unravel_index(largest, weights.shape), strict=True)
    return [(names[a], names[b], float(weights[a, b])) for a, b in places]


def show_scores(scores: SpanScores) -> None:
    """Print the accuracy of labels and, if there are spans, what was found of them."""
    lines = str(scores).split("\n")
    show(*(lines if scores.kinds else lines[-1:]))
