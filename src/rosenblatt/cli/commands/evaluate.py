"""`rosenblatt evaluate`: measure a model on labelled rows."""

from __future__ import annotations

from math import isnan
from typing import Any

from rosenblatt.cli.app import app
from rosenblatt.cli.options import Data, Json, ModelFile
from rosenblatt.cli.output import percent, print_json, show
from rosenblatt.markup import printable

MOST_COLUMNS = 20
"""Classes up to which the confusion matrix is printed."""
RATES = "precision", "recall", "F1"


@app.command()
def evaluate(
    model: ModelFile,
    data: Data,
    json: Json = False,
) -> None:
    """Measure a model on labelled rows: accuracy, confusion, precision, recall and F1.

    A model that labels sentences is measured on a column file: accuracy of tokens, and precision,
    recall and F1 of spans as conlleval counts them.

    [bold]Example[/bold]: rosenblatt evaluate adult.rbt adult-test.csv
    """
    from rosenblatt.cli.saved_model import load_model
    from rosenblatt.evaluation import Evaluation

    loaded = load_model(model)
    if loaded.tags:
        _evaluate_tagger(loaded, data, json)
        return
    found = Evaluation.of(loaded.estimator, loaded.labelled_examples(data))
    if not found.rows:
        raise ValueError(f"{data} holds no rows.")
    if json:
        print_json(found.to_dict())
        return
    room = percent(2 * found.standard_error)
    show(
        f"{found.rows:,} rows · accuracy {percent(found.accuracy)} ± {room} (two standard errors) "
        f"· error {percent(1 - found.accuracy)}"
    )
    rates = f"balanced accuracy {percent(found.balanced_accuracy)} · mean F1 {found.mean_f1:.4f}"
    show(rates if isnan(found.auc) else f"{rates} · area under the ROC curve {found.auc:.4f}")
    if found.unknown:
        show(f"{found.unknown:,} rows have a label that the model does not know")
    _show_table(found)


def _evaluate_tagger(loaded: Any, data: str, json: bool) -> None:
    """Print the accuracy of the labels of tokens, and the rates of spans."""
    from rosenblatt.cli.tagging import score, show_scores

    scores = score(loaded.estimator, loaded.prepare.open(data, labelled=True).batches())
    if json:
        print_json(scores.to_dict())
    else:
        show_scores(scores)


def _show_table(found: Any) -> None:
    """Print the confusion matrix, unless it is too wide, with precision and recall."""
    from rich.table import Table
    from rich.text import Text

    names = [Text(printable(label)) for label in found.classes.tolist()]
    few = len(names) <= MOST_COLUMNS
    table = Table(box=None, title="rows: true class, columns: predicted class" if few else None)
    for name in [Text(), *(names if few else []), *map(Text, RATES)]:
        table.add_column(name, justify="right")
    rates = zip(found.precision, found.recall, found.f1, strict=True)
    for name, counts, of_class in zip(names, found.confusion.tolist(), rates, strict=True):
        cells = [f"{count:,}" for count in counts] if few else []
        # A class that was never predicted has no precision; one that never occurred, no recall.
        table.add_row(name, *cells, *("–" if isnan(rate) else f"{rate:.4f}" for rate in of_class))
    show(table)
