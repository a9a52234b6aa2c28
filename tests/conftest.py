"""What all tests share: the same examples in every run, two sets to learn, figures that close.

Hypothesis draws the same examples in every run: what passed once, passes on any machine.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_digits, make_classification

gc.disable()  # until all tests are collected: none of them is garbage

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have half of the workers begin with tests of the page, which wait more than they work.

    Workers get equal stretches of the list and steal from each other's ends: left where they are,
    these tests would be the last, with too few others to do meanwhile.
    """
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    pages = [item for item in items if item.path.parent.name == "lab"]
    others = [item for item in items if item.path.parent.name != "lab"]
    items.clear()
    size = ceil((len(pages) + len(others)) / workers)
    portion = ceil(len(pages) / ceil(workers / 2))
    for worker in range(workers):
        if worker % 2 == 0:
            items += pages[:portion]
            del pages[:portion]
        room = size * (worker + 1) - len(items)
        items += others[:room]
        del others[:room]


def pytest_collection_finish() -> None:
    """Look for garbage among what comes from now on, not among thousands of tests."""
    gc.freeze()
    gc.enable()


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
