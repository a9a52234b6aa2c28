"""Real data for benchmarks and tests, read in place and never copied."""

from __future__ import annotations

import gzip
import os
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Split = tuple[Any, Array, Any, Array]
"""Training examples and labels, test examples and labels."""


def folder() -> Path:
    """Where the data are: what ROSENBLATT_DATA names, else shared/data beside the repository."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    path = Path(os.environ.get("ROSENBLATT_DATA", beside))
    if not path.is_dir():
        raise FileNotFoundError(
            f"there is no data folder at {path}; set ROSENBLATT_DATA to the folder that holds "
            "mnist, sparse, tabular and text."
        )
    return path


def svmguide3() -> tuple[Array, Array]:
    """LIBOL's copy of svmguide3: 1243 examples of 21 features, labels -1 and +1."""
    table = np.loadtxt(folder() / "tabular" / "libol_svmguide3.csv.gz", delimiter=",")
    return np.ascontiguousarray(table[:, 1:]), table[:, 0].astype(int)


def sonar() -> tuple[Array, Array]:
    """Echoes of mines and rocks: 208 examples of 60 features, labels "M" and "R"."""
    return _table("sonar.csv.gz")


def ionosphere() -> tuple[Array, Array]:
    """Radar returns, good or bad: 351 examples of 34 features, labels "b" and "g"."""
    return _table("ionosphere.csv.gz")


def spambase() -> tuple[Array, Array]:
    """Mail, spam (1) or not (0): 4,601 examples of 57 features."""
    table = np.loadtxt(folder() / "tabular" / "spambase.data.gz", delimiter=",")
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(int)


def _table(name: str) -> tuple[Array, Array]:
    """A CSV file whose last column is the label."""
    table = np.loadtxt(folder() / "tabular" / name, delimiter=",", dtype=str)
    return table[:, :-1].astype(float), table[:, -1]


def mnist(white: float = 255.0) -> Split:
    """Handwritten digits, 60,000 to learn and 10,000 to test; pixels are divided by `white`."""
    parts: list[Array] = []
    for name in ("train", "t10k"):
        images = idx(folder() / "mnist" / f"{name}-images-idx3-ubyte.gz")
        parts.append(images.reshape(len(images), -1).astype(np.float32) / np.float32(white))
        labels = idx(folder() / "mnist" / f"{name}-labels-idx1-ubyte.gz")
        parts.append(labels.astype(int))
    X, y, X_test, y_test = parts
    return X, y, X_test, y_test


def idx(path: Path) -> Array:
    """An IDX file of bytes: two zeros, a type, the number of axes, their lengths, the content."""
    with gzip.open(path) as file:
        content = file.read()
    axes = content[3]
    shape = np.frombuffer(content, ">i4", count=axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * axes).reshape(shape)


def conll2000(to: Path) -> tuple[Path, Path]:
    """The chunks of CoNLL-2000, unpacked to a folder: files to learn from and to test on."""
    with zipfile.ZipFile(folder() / "sequence" / "conll2000.zip") as archive:
        for name in ("train.txt", "test.txt"):
            (to / name).write_bytes(archive.read(f"conll2000/{name}"))
    return to / "train.txt", to / "test.txt"


def covtype() -> tuple[Array, Array]:
    """Forest cover: 581,012 examples of 54 features, seven classes."""
    import pandas as pd  # much faster than NumPy at half a million lines

    table = pd.read_csv(folder() / "tabular" / "covtype.csv.gz", dtype=np.float32).to_numpy()
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(int)


def a9a() -> Split:
    """Adult as binary features: 32,561 examples to learn and 16,281 to test, sparse."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(folder() / "sparse" / "a9a.gz"), n_features=123)
    X_test, y_test = load_svmlight_file(str(folder() / "sparse" / "a9a.t.gz"), n_features=123)
    return X, y.astype(int), X_test, y_test.astype(int)


def newsgroups(**options: Any) -> Split:
    """20 newsgroups split by date, as TF-IDF; the options are those of TfidfVectorizer."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts: dict[str, list[str]] = {"train": [], "test": []}
    labels: dict[str, list[str]] = {"train": [], "test": []}
    with tarfile.open(folder() / "text" / "20news-bydate.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                part, group, _ = member.name.split("/")
                side = part.removeprefix("20news-bydate-")
                texts[side].append(file.read().decode("latin-1"))
                labels[side].append(group)
    vectorizer = TfidfVectorizer(**options)
    X = vectorizer.fit_transform(texts["train"])
    X_test = vectorizer.transform(texts["test"])
    return X, np.array(labels["train"]), X_test, np.array(labels["test"])
