"""Published figures, reached again; they need data that the package does not hold."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import AveragedPerceptron, Perceptron

data = pytest.importorskip("benchmarks.data", reason="run from the repository's root")
svmguide3 = pytest.importorskip("benchmarks.svmguide3", reason="run from the repository's root")
tables = pytest.importorskip("benchmarks.tables", reason="run from the repository's root")
try:
    data.folder()
except FileNotFoundError as absent:
    pytest.skip(str(absent), allow_module_level=True)


@pytest.mark.parametrize("name", svmguide3.ALGORITHMS)
def test_libol_mistake_rates(name: str) -> None:
    """LIBOL's published mean could be one more run of its protocol with our estimators."""
    *_, (mean, _) = svmguide3.ALGORITHMS[name]
    X, y = data.svmguide3()
    means = [svmguide3.measure(name, X, y, seed=1 + turn).mean for turn in range(30)]
    assert abs(svmguide3.draws_apart(means, mean)) <= 3.5


@pytest.mark.parametrize("name", svmguide3.ALGORITHMS)
def test_the_table_of_mistake_rates_is_fresh(name: str) -> None:
    """The recorded mean is the one that the estimators make today."""
    [row] = [row for row in tables.kept("svmguide3") if row["algorithm"] == name]
    recorded = float(row["LIBOL's protocol"].split(" ± ")[0])
    assert svmguide3.measure(name, *data.svmguide3()).mean == pytest.approx(recorded, abs=0.002)


@pytest.fixture(scope="module")
def digits() -> data.Split:
    return data.mnist()


@pytest.mark.parametrize(
    ("kind", "error"), [(Perceptron, 11.7), (AveragedPerceptron, 7.7)], ids=["last", "averaged"]
)
def test_mnist_in_file_order(digits: data.Split, kind: type, error: float) -> None:
    """One multi-class pass over MNIST: the mistakes to the last one, the test error in per cent."""
    X, y, X_test, y_test = digits
    clf = kind(max_iter=1, shuffle=False, count_errors=False).fit(X, y)
    assert clf.pass_mistakes_.tolist() == [8571]
    assert 100 * np.mean(clf.predict(X_test) != y_test) == pytest.approx(error, abs=0.1)
