"""A first look: learn from real data, see what is proved, and draw it.

Run it from anywhere: it needs no download and leaves one picture, quickstart.png.
"""

from __future__ import annotations

import textwrap
import time
from importlib.util import find_spec
from typing import Any

import matplotlib as mpl
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import rosenblatt as rb

PICTURE = "quickstart.png"
NAMED = find_spec("pandas") is not None  # tables tell the names of the features


def tumours() -> tuple[Any, Any, Any, Any]:
    """Breast cancer, standardised by the part to learn from: X and y to learn, X and y held out."""
    data = load_breast_cancer(as_frame=NAMED)
    labels = data.target_names[data.target]
    learn, hold, y, z = train_test_split(
        data.data, labels, test_size=0.3, stratify=labels, random_state=0
    )
    scaler = StandardScaler().set_output(transform="pandas" if NAMED else "default").fit(learn)
    return scaler.transform(learn), y, scaler.transform(hold), z


def flowers() -> tuple[Any, Any]:
    """Two kinds of iris by the length and width of their sepals, standardised: a plane."""
    data = load_iris()
    return StandardScaler().fit_transform(data.data[:100, :2]), data.target_names[data.target[:100]]


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def learn(clf: Any, X: Any, y: Any) -> Any:
    """Fit, and tell how long it took: the first fit of a rule compiles it."""
    print(f"  {type(clf).__name__:<24}", end="", flush=True)
    began = time.perf_counter()
    clf.fit(X, y)
    print(f"{time.perf_counter() - began:6.2f} s")
    return clf


def compare(members: list[Any], X: Any, y: Any, held: Any, truth: Any) -> None:
    """Errors on the examples learned from, and on those held out."""
    print(f"{'':<24} {'passes':>7} {'updates':>8} {'training errors':>18} {'held-out errors':>18}")
    for clf in members:
        counts = [(int((clf.predict(A) != b).sum()), len(b)) for A, b in ((X, y), (held, truth))]
        cells = " ".join(f"{f'{wrong} ({wrong / size:.1%})':>18}" for wrong, size in counts)
        print(f"{type(clf).__name__:<24} {clf.n_iter_:>7,} {clf.n_updates_:>8,} {cells}")


def draw(plain: Any, careful: Any, voted: Any, X: Any, y: Any) -> None:
    """Four pictures in one file."""
    mpl.use("Agg")  # no window: this also runs where there is no screen
    import matplotlib.pyplot as plt

    plane, kinds = flowers()
    line = rb.DynamicMarginPerceptron(eps=0.3, max_iter=1000, random_state=0).fit(plane, kinds)
    figure, ((a, b), (c, d)) = plt.subplots(2, 2, figsize=(13, 10), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15)
    figure.suptitle("Above left two kinds of iris, otherwise the tumours", color="#888888")
    rb.plot.regions(line, plane, kinds, ax=a)
    a.set(xlabel="sepal length, standardised", ylabel="sepal width, standardised")
    rb.plot.mistakes(plain, ax=b)
    rb.plot.bracket(careful, X, y, ax=c)
    rb.plot.votes(voted, ax=d)
    figure.savefig(PICTURE, dpi=110)
    plt.close(figure)


def main() -> None:
    X, y, held, truth = tumours()
    print(f"Rosenblatt {rb.__version__}: is a tumour benign or malignant?")
    print(f"{len(y)} tumours to learn from, {len(truth)} held out, {X.shape[1]} measurements each.")

    heading("Learning")
    print("The first run compiles each rule for this machine, which takes some seconds, once.")
    settings: dict[str, Any] = {"max_iter": 2000, "tol": None, "random_state": 0}
    plain = learn(rb.Perceptron(**settings, count_errors=True), X, y)
    averaged = learn(rb.AveragedPerceptron(**settings), X, y)
    voted = learn(rb.VotedPerceptron(**settings), X, y)
    careful = learn(rb.DynamicMarginPerceptron(eps=0.5, **settings), X, y)

    heading("What the perceptron proves")
    print(plain.summary())

    heading("What a rule proves that asks for at least half of the best margin")
    print(careful.summary())

    heading("What can be proved of these tumours at all")
    certificate = rb.verify(rb.certify(X, y), X, y)
    print(textwrap.fill(certificate.statement(), 96))
    print(f"The perceptron erred {plain.n_updates_:,} times. (`verify` has checked the proof.)")

    heading("To separate is not to foresee")
    compare([plain, averaged, voted, careful], X, y, held, truth)

    print(f"\nDrawing {PICTURE} ...", flush=True)
    draw(plain, careful, voted, X, y)
    print(
        f"Saved {PICTURE}: two kinds of iris in the plane; for the tumours the mistakes pass by "
        "pass,\nthe bracket of the best margin, and the votes of all hypotheses."
    )


if __name__ == "__main__":
    main()
