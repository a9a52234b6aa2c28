"""What all tests share: the same examples in every run, two sets to learn, figures that close.

Hypothesis draws the same examples in every run: what passed once, passes on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_digits, make_classification

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")


@pytest.fixture(scope="session")
def noisy() -> tuple[Any, Any]:
    """Two classes that no hyperplane tells apart."""
    X, y = make_classification(400, 12, n_informative=6, flip_y=0.1, random_state=0)
    return X, np.array(["no", "yes"])[y]


@pytest.fixture(scope="session")
def digits() -> tuple[Any, Any]:
    """Ten classes, in whole numbers."""
    return load_digits(return_X_y=True)


@pytest.fixture
def figures() -> Iterator[None]:
    """Every figure is drawn once, where late errors show, and closed."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")
