"""Scikit-learn without what it loads and no command needs: that halves the time to start.

Scikit-learn imports scipy.stats and pandas at once, pyarrow imports pandas with the first array. A
command makes no data frames, so it does without pandas; scipy.stats is to be had as ever once
scikit-learn is loaded.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

import scipy.sparse.linalg

STATISTICS = "scipy.stats"


class Absent(MetaPathFinder):
    """Finds that a package is not there."""

    def __init__(self, name: str) -> None:
        self.name = name

    def find_spec(self, name: str, path: Any, target: Any = None) -> None:
        """Nothing, for a package that the import system may look for elsewhere."""
        if name == self.name:
            raise ModuleNotFoundError(f"{name} is left out of commands", name=name)


def load() -> None:
    """Import scikit-learn, unless that is done."""
    if "sklearn" in sys.modules or STATISTICS in sys.modules:
        return
    sys.meta_path.insert(0, Absent("pandas"))
    empty = sys.modules[STATISTICS] = ModuleType(STATISTICS)
    try:
        import sklearn.base  # noqa: F401
    except (ImportError, AttributeError):
        # Another version may need it after all; it is then imported as usual, when asked for.
        for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
            del sys.modules[name]
    finally:
        del sys.modules[STATISTICS]
        if vars(scipy).get("stats") is empty:
            del scipy.stats


load()
