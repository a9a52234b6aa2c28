"""What the processes do that the command is measured against; each imports what it needs itself.

python -m benchmarks.peers NAME PATH
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

TARGET = "Cover_Type"


def sklearn_fit(folder: Path) -> None:
    import warnings

    import joblib
    import pandas as pd
    from sklearn.linear_model import SGDClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    warnings.simplefilter("ignore")  # one pass does not converge
    table = pd.read_csv(folder / "train.csv")
    y = table.pop(TARGET)
    learner = SGDClassifier(loss="perceptron", average=True, max_iter=1, tol=None, random_state=0)
    joblib.dump(make_pipeline(StandardScaler(), learner).fit(table, y), folder / "model.joblib")


def vw_fit(folder: Path) -> None:
    from vowpalwabbit import Workspace

    words = f"--oaa 7 -d {folder / 'train.vw'} -f {folder / 'model.vw'} --quiet"
    Workspace(words).finish()


def arrow_parse(folder: Path) -> None:
    import pyarrow.csv as csv

    print(csv.read_csv(folder / "train.csv").num_rows)


def arrow_read(path: Path) -> None:
    import pyarrow.dataset as dataset

    found = dataset.dataset(path, format=path.suffix[1:])
    print(sum(batch.num_rows for batch in found.to_batches()))


PROCESSES: dict[str, Callable[[Path], None]] = {
    "sklearn": sklearn_fit,
    "vw": vw_fit,
    "parse": arrow_parse,
    "read": arrow_read,
}

if __name__ == "__main__":
    PROCESSES[sys.argv[1]](Path(sys.argv[2]))
