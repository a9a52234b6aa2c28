"""From what a user has to blocks of examples: arrays, Dask collections, delayed shards, files."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp

Block = tuple[Any, Any, str]


def blocks(X: Any, y: Any, count: int | None, target: str | None) -> list[Block]:
    """Examples, labels and the name of each block; nothing is computed yet."""
    if isinstance(X, (list, tuple)):
        return _given(X, y)
    if _is(X, "dask.array", "Array"):
        return _arrays(X, y)
    if _is(X, "dask.dataframe", "DataFrame") or type(X).__module__.startswith("dask.dataframe"):
        return _frames(X, y, target)
    if y is None:
        raise ValueError("y is missing; give the labels of X.")
    return _split(X, y, count or 2)


def _is(X: Any, module: str, name: str) -> bool:
    kind = type(X)
    return kind.__name__ == name and kind.__module__.startswith(module)


def _given(pairs: Any, y: Any) -> list[Block]:
    """Delayed or plain pairs (X, y)."""
    if y is not None:
        raise ValueError(
            "X is a list of shards, so y must be None; give each shard as a pair (X, y)."
        )
    if not pairs:
        raise ValueError("there is no shard; give at least one pair (X, y).")
    found = []
    for number, pair in enumerate(pairs):
        delayed = hasattr(pair, "dask") or hasattr(pair, "__dask_graph__")
        if not delayed and (not isinstance(pair, (list, tuple)) or len(pair) != 2):
            raise TypeError(
                f"shard {number} is a {type(pair).__name__}; give a pair (X, y), delayed or not."
            )
        found.append((pair[0], pair[1], f"shard {number}"))
    return found


def _arrays(X: Any, y: Any) -> list[Block]:
    """Blocks of rows of Dask arrays."""
    import dask.array as da

    if y is None:
        raise ValueError("y is missing; give the labels of X.")
    X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
    if not _is(y, "dask.array", "Array"):
        y = da.from_array(np.asarray(y), chunks=(X.chunks[0],))
    elif y.chunks[0] != X.chunks[0]:
        if any(np.isnan(X.chunks[0])) or any(np.isnan(y.chunks[0])):
            raise ValueError(
                "X and y have blocks of unknown length; call compute_chunk_sizes() on both."
            )
        y = y.rechunk((X.chunks[0],))
    pairs = zip(X.to_delayed().ravel(), y.to_delayed().ravel(), strict=True)
    return [(A, b, f"block {number}") for number, (A, b) in enumerate(pairs)]


def _frames(X: Any, y: Any, target: str | None) -> list[Block]:
    """Partitions of Dask data frames."""
    from dask import delayed

    if (y is None) == (target is None):
        raise ValueError("say where the labels are: either y, or target= the name of a column.")
    if target is not None:
        if target not in X.columns:
            raise ValueError(f"target={target!r} is not a column; there are {list(X.columns)}.")
        X, y = X.drop(columns=[target]), X[target]
    values = delayed(_values, name="values")
    pairs = list(zip(X.to_delayed(), y.to_delayed(), strict=True))
    return [(values(A), values(b), f"partition {number}") for number, (A, b) in enumerate(pairs)]


def _values(part: Any) -> Any:
    return part.to_numpy()


def _split(X: Any, y: Any, count: int) -> list[Block]:
    """What is in memory here, in equal parts."""
    X = X if sp.issparse(X) or isinstance(X, np.ndarray) else np.asarray(X)
    X = X.tocsr() if sp.issparse(X) else X
    y = np.asarray(y)
    if not len(y):
        raise ValueError("there is no row to learn from; give at least two.")
    edges = np.linspace(0, len(y), min(count, len(y)) + 1).astype(int)
    return [
        (X[first:last], y[first:last], f"rows {first} to {last - 1}")
        for first, last in itertools.pairwise(edges)
    ]
