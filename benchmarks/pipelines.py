"""The commands of examples/ beside tuned pipelines of scikit-learn, on rows that neither has seen.

Each pipeline ends in SGDClassifier(loss="perceptron", average=True); how its features are made and
how it learns is chosen on the training rows alone, by cross-validation.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, tables

EXAMPLES = tables.ROOT / "examples"
README = EXAMPLES / "README.md"
RUNS = 2  # of a command; the first may have to compile
FEW = 40_000  # rows up to which the choice is made by three folds of all
SOME = 20_000  # rows to learn from, of more, where the choice is made by one split
CHOICES = [
    {"penalty": "l2" if alpha else None, "alpha": alpha or 1e-4, "learning_rate": rate,
     "eta0": 1.0, "max_iter": passes}
    for alpha, rate, passes in product((0, 1e-6, 1e-5, 1e-4), ("optimal", "constant"), (5, 20))
]  # fmt: skip
COLUMNS = ["data set", "rows", "held out", "error of the command", "seconds", "error of the "
           "pipeline", "to fit", "to tune and fit", "chosen", "holds"]  # fmt: skip
NOTE = (
    "The one command of `examples/` as a process, from a file to a saved model, and the error that "
    "`rosenblatt evaluate` finds on rows held out, beside a pipeline of scikit-learn: imputed and "
    "standardised numbers, one-hot categories, TF-IDF of words or of words and pairs, and "
    "SGDClassifier(loss='perceptron', average=True) without penalty or with alpha 1e-6, 1e-5 or "
    "1e-4, optimal or constant steps, 5 or 20 passes. Its features and steps are chosen on the "
    "training rows, by three folds, or, of 20 Newsgroups and of more than {few:,} rows, by one "
    "split with at most {some:,} rows to learn and half as many to compare; then it learns from "
    "all of them, file read, on {cores} cores. The command "
    "has no such choice: numbers and sparse rows are learned by the averaged perceptron, which is "
    "its default, and texts by passive-aggressive steps, averaged too, which did better than that "
    "on training rows of both sets of texts. Errors in per cent; behind ± stands one standard "
    "error of the difference of both, row by row. Holds: the command's error is at most the "
    "pipeline's and that much more."
)


@dataclass(frozen=True)
class Set:
    """A data set: its files, how scikit-learn reads them, and what it may make of the columns."""

    train: str
    test: str
    read: Callable[[Path], tuple[Any, Any]]
    features: Callable[[Any], dict[str, Any]]
    folds: bool = True
    """Whether the choice is made by folds where the rows are few."""


# --- scikit-learn's side --------------------------------------------------------------------


def read_adult(path: Path) -> tuple[Any, Any]:
    import pandas as pd

    table = pd.read_csv(path, na_values="?", skipinitialspace=True).drop(columns="fnlwgt")
    return table, table.pop("income").to_numpy()


def columns(X: Any) -> dict[str, Any]:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = X.select_dtypes("number").columns
    scaled = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    encoded = OneHotEncoder(handle_unknown="ignore")
    parts = [("n", scaled, list(numbers)), ("c", encoded, list(X.columns.difference(numbers)))]
    return {"columns": ColumnTransformer(parts)}


def read_sms(path: Path) -> tuple[Any, Any]:
    lines = path.read_text().splitlines()
    labels, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    return np.array(texts, object), np.array(labels)


def read_newsgroups(path: Path) -> tuple[Any, Any]:
    import pandas as pd

    table = pd.read_parquet(path)
    return table["post"].to_numpy(object), table["group"].to_numpy(str)


def texts(X: Any) -> dict[str, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return {
        "words": TfidfVectorizer(sublinear_tf=True),
        "words and pairs": TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2),
    }


def read_svmlight(path: Path) -> tuple[Any, Any]:
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(str(path), n_features=123)


def sparse(X: Any) -> dict[str, Any]:
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    return {"largest 1": MaxAbsScaler(), "deviation 1": StandardScaler(with_mean=False)}


def read_covtype(path: Path) -> tuple[Any, Any]:
    import pandas as pd

    table = pd.read_csv(path, dtype=np.float32)
    return table, table.pop("Cover_Type").to_numpy(int)


def numbers(X: Any) -> dict[str, Any]:
    from sklearn.preprocessing import StandardScaler

    return {"standardised": StandardScaler()}


def read_mnist(path: Path) -> tuple[Any, Any]:
    images = data.idx(path)
    labels = data.idx(path.with_name(path.name.replace("images-idx3", "labels-idx1")))
    return images.reshape(len(images), -1).astype(np.float32), labels.astype(int)


def pixels(X: Any) -> dict[str, Any]:
    from sklearn.preprocessing import MaxAbsScaler, StandardScaler

    return {"largest 1": MaxAbsScaler(), "standardised": StandardScaler()}


SETS = {
    "adult": Set("train.csv", "test.csv", read_adult, columns),
    "sms": Set("train.tsv", "test.tsv", read_sms, texts),
    "newsgroups": Set("train.parquet", "test.parquet", read_newsgroups, texts, folds=False),
    "a9a": Set("train.svm.gz", "test.svm.gz", read_svmlight, sparse),
    "covtype": Set("train.csv", "test.csv", read_covtype, numbers),
    "mnist": Set("train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz", read_mnist, pixels),
}


def classifier(choice: dict[str, Any], jobs: int | None = None) -> Any:
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(
        loss="perceptron", average=True, tol=None, random_state=0, n_jobs=jobs, **choice
    )


def taken(X: Any, rows: Any) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def tune(one: Set, X: Any, y: Any) -> tuple[str, dict[str, Any]]:
    """The features and the steps with the least error on training rows left out."""
    from joblib import Parallel, delayed
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

    if one.folds and len(y) <= FEW:
        splits = StratifiedKFold(3, shuffle=True, random_state=0)
    else:
        learn = min(SOME, 2 * len(y) // 3)
        splits = StratifiedShuffleSplit(
            1, train_size=learn, test_size=learn // 2, random_state=0
        )  # fmt: skip
    wrong: dict[tuple[str, int], float] = {}
    for learn, hold in splits.split(np.zeros(len(y)), y):
        for name, features in one.features(X).items():
            maker = clone(features)
            A, B = maker.fit_transform(taken(X, learn), y[learn]), maker.transform(taken(X, hold))

            def trial(choice: dict[str, Any], A: Any = A, B: Any = B, hold: Any = hold,
                      learn: Any = learn) -> float:  # fmt: skip
                return float(np.mean(classifier(choice).fit(A, y[learn]).predict(B) != y[hold]))

            found = Parallel(os.cpu_count(), prefer="threads")(delayed(trial)(c) for c in CHOICES)
            for number, error in enumerate(found):
                wrong[name, number] = wrong.get((name, number), 0.0) + error
    name, number = min(wrong, key=lambda key: wrong[key])
    return name, CHOICES[number]


def pipeline(one: Set, folder: Path) -> dict[str, Any]:
    """Choose, learn and predict: predictions, truth, seconds and the choice."""
    from sklearn.pipeline import make_pipeline

    began = time.perf_counter()
    X, y = one.read(folder / one.train)
    name, choice = tune(one, X, y)
    tuned = time.perf_counter() - began
    began = time.perf_counter()
    X, y = one.read(folder / one.train)
    model = make_pipeline(one.features(X)[name], classifier(choice, os.cpu_count())).fit(X, y)
    fitted = time.perf_counter() - began
    X, y = one.read(folder / one.test)
    steps = f"{name}, {choice['learning_rate']}, {choice['max_iter']} passes, " + (
        f"alpha {choice['alpha']:g}" if choice["penalty"] else "no penalty"
    )
    return {"said": model.predict(X), "truth": y, "fit": fitted, "all": tuned + fitted,
            "chosen": steps}  # fmt: skip


# --- our side -------------------------------------------------------------------------------

ENVIRONMENT = os.environ | {
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
}


def rosenblatt(folder: Path, *arguments: str) -> Any:
    words = ["rosenblatt", *arguments, "--json"]
    done = subprocess.run(words, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)
    return json.loads(done.stdout)


def command(name: str, work: Path, runs: int = RUNS) -> dict[str, Any]:
    """Run the example in a folder with its files: predictions, error and least seconds."""
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        words = ["sh", str(EXAMPLES / f"{name}.sh")]
        subprocess.run(words, cwd=work, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - began)
    folder, test = work / name, SETS[name].test
    told = rosenblatt(folder, "evaluate", "model.rbt", test)
    said = rosenblatt(folder, "predict", "model.rbt", test)["columns"]["prediction"]
    return {"said": np.array(said), "error": 1.0 - told["accuracy"], "seconds": min(seconds)}


# --- side by side ---------------------------------------------------------------------------


def compared(ours: Any, theirs: Any, truth: Any) -> tuple[float, float, float]:
    """Both errors, and the standard error of their difference on the same rows."""
    a, b = (np.asarray(said) != truth for said in (ours, theirs))
    apart = a.astype(float) - b
    return float(a.mean()), float(b.mean()), sqrt(float(apart.var()) / len(apart))


def measure(name: str, work: Path) -> dict[str, Any]:
    """A row of the table."""
    prepare = [sys.executable, str(EXAMPLES / "prepare.py"), str(data.folder()), str(work), name]
    subprocess.run(prepare, check=True)
    theirs = pipeline(SETS[name], work / name)
    print(f"  {name}: pipeline in {theirs['all']:.0f} s", flush=True)
    ours = command(name, work)
    error, beside, spread = compared(ours["said"], theirs["said"], theirs["truth"])
    if abs(error - ours["error"]) > 1e-9:
        raise SystemExit(f"{name}: evaluate and predict disagree ({ours['error']}, {error}).")
    cells = (
        name, f"{len(SETS[name].read(work / name / SETS[name].train)[1]):,}",
        f"{len(theirs['truth']):,}", f"{100 * error:.2f}", f"{ours['seconds']:.1f}",
        f"{100 * beside:.2f} ± {100 * spread:.2f}", f"{theirs['fit']:.1f}", f"{theirs['all']:.0f}",
        theirs["chosen"], "yes" if error <= beside + spread else "NO",
    )  # fmt: skip
    return dict(zip(COLUMNS, cells, strict=True))


def merged(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with those of other sets that were recorded before."""
    path = tables.RESULTS / "pipelines.json"
    kept = json.loads(path.read_text())["rows"] if path.exists() else []
    known = {row["data set"]: row for row in (*kept, *rows)}
    return [known[name] for name in SETS if name in known]


def show(rows: list[dict[str, Any]]) -> None:
    """Put the errors into the page of the examples."""
    errors = {row["data set"]: row["error of the command"] for row in rows}
    text = README.read_text()
    for name, error in errors.items():
        text = re.sub(rf"(\| `{name}\.sh` .*\| )[^|]*( \|\n)", rf"\g<1>{error} %\g<2>", text)
    README.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SETS)}")
    parser.add_argument("--dry", action="store_true", help="print, and record nothing")
    asked = parser.parse_args()
    strange = set(asked.names) - set(SETS)
    if strange:
        parser.error(f"{strange.pop()} is not one of {', '.join(SETS)}")
    with tempfile.TemporaryDirectory() as work:
        rows = [measure(name, Path(work)) for name in asked.names or SETS]
    if asked.dry:
        print(tables.markdown(COLUMNS, rows))
        return
    rows = merged(rows)
    note = NOTE.format(some=SOME, few=FEW, cores=os.cpu_count())
    title = "One command beside a tuned pipeline of scikit-learn"
    tables.record("pipelines", title, note, COLUMNS, rows)
    show(rows)


if __name__ == "__main__":
    main()
