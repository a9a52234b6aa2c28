"""The only place that sees raw input: from tables and labels to spaces, signs and weights."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.engine.execution import fast
from rosenblatt.theory import rules, spaces
from rosenblatt.theory.spaces import Array, covariance, csr, mirror, rows

WIDE = 32_768  # features whose weights take a quarter of a usual second cache
WIDEST_FULL = 20_000  # features whose full covariance still fits into the memory of a machine


def _frozen(array: Array) -> Array:
    """A view that nobody writes to, or a copy of what compiled code could not read."""
    view = np.require(array, requirements="A").view(np.ndarray)
    view.flags.writeable = False
    return view


def _unsigned(indices: Array, largest: int) -> Array:
    """Indices that compiled code need not test for their sign, in 32 bits wherever these do."""
    if indices.itemsize > 4 and largest < 2**31:
        return indices.astype(np.uint32)
    return indices.view({4: np.uint32, 8: np.uint64}[indices.itemsize])


def _parts(X: Any) -> tuple[Array, Array, Array]:
    """The arrays of a CSR matrix."""
    indices = _unsigned(np.asarray(X.indices), X.shape[1])
    return _frozen(np.asarray(X.data)), _frozen(indices), _frozen(_offsets(X))


def _offsets(X: Any) -> Array:
    """Where the examples of a CSR matrix begin; in 64 bits signed, as numbers to calculate with."""
    indptr = np.asarray(X.indptr)
    return _unsigned(indptr, len(X.indices)) if len(X.indices) < 2**31 else indptr


def norms2(X: Any, bias: float, p: float = 2.0, compiled: bool = True) -> Array:
    """<x, x> of every example with the bias, or the squared p-norm."""
    function: Callable[..., None] = spaces.dense_norms2
    if sp.issparse(X):
        function = csr.sparse_norms2
    if compiled:
        function = fast(function)
    out = np.empty(X.shape[0])
    if sp.issparse(X):
        function(_frozen(np.asarray(X.data)), _frozen(_offsets(X)), bias, p, out)
    else:
        function(_frozen(X), bias, p, out)
    return out


def all_finite(name: str, X: Any) -> None:
    """Refuse a table with NaN or infinity: which column has the first, and what to do about it."""
    values = X.data if sp.issparse(X) else X
    if values.dtype.kind != "f":
        return
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum()):
            return
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        first = wrong[0]
        column = X.indices[first] if sp.issparse(X) else first % X.shape[1]
        what, remedy = "infinity", "correct such numbers"
        if np.isnan(values.flat[first]):
            what, remedy = "NaN", "fill missing values, for instance with SimpleImputer,"
        raise ValueError(
            f"{name} contains {what}, first in column {column} (counted from 0); {remedy} or leave "
            "those rows out."
        )


def canonical(X: Any) -> Any:
    """The same sparse matrix with each coordinate stored once, as the sum of its entries.

    Their order in a row does not matter; to sort them would take longer than to learn from them.
    """
    if sp.issparse(X) and not X.has_canonical_format and _repeats(X):
        X = X.copy()
        X.sum_duplicates()
    return X


def _repeats(X: Any) -> bool:
    _, indices, indptr = _parts(X)
    last = np.zeros(X.shape[1], indptr.dtype)
    return bool(fast(csr.repeats)(indices, indptr, last))


def _h32(X: Array, shape: tuple[int, ...]) -> Array:
    """Room for a hypothesis in single precision if the data are, and too long for a cache line."""
    useful = X.dtype == np.float32 and X.shape[1] > 32
    # Of the data's type also where it is empty: sums over them are then compiled once.
    return np.zeros((*shape, X.shape[1] + 1) if useful else (0,) * (len(shape) + 1), X.dtype)


def coarse_copies(X: Array, rows: int) -> spaces.Coarse:
    """Room for coarse copies of that many rows, written when these are measured."""
    copies = np.empty((rows, X.shape[1]), np.int8)
    return spaces.Coarse(copies, np.empty(rows), np.full(rows, np.inf), np.zeros(rows, bool))


def with_coarse_copies(space: spaces.Dense) -> spaces.Dense:
    """The space with room for coarse copies of all examples, by which they are screened."""
    X = space.X
    return space._replace(h32=np.zeros(X.shape[1] + 1, X.dtype), coarse=coarse_copies(X, len(X)))


def contiguous(X: Any) -> Any:
    """The same table as compiled code reads it: floats in C order, or CSR without repeats."""
    if X.dtype not in (np.float64, np.float32):
        X = X.astype(np.float64)
    return canonical(X.tocsr()) if sp.issparse(X) else np.ascontiguousarray(X)


def power(p: float, bias: float, features: int) -> float:
    """The p of a norm; 0 stands for 2·ln of the number of coordinates, and never less than 2."""
    return p if p else max(2.0, 2.0 * log(features + (bias != 0)))


def binary_space(
    X: Any, bias: float, offset: float = 0.0, p: float = 2.0, sizes: Array | None = None
) -> Any:
    """The space of a two-class problem; with p other than 2, seen through the p-norm's link."""
    sizes = norms2(X, bias, p) if sizes is None else sizes
    base: Any
    if sp.issparse(X):
        room = np.zeros(X.shape[1] + 1 if X.shape[1] > WIDE else 0, np.float32)
        base = csr.CSR(*_parts(X), X.shape[1], sizes, float(bias), float(offset), room)
    else:
        base = spaces.Dense(
            _frozen(X), sizes, float(bias), float(offset), _h32(X, ()), coarse_copies(X, 0)
        )
    if p == 2.0:
        return base
    return mirror.Mirror(base, float(p), base.bias, base.offset, np.zeros(X.shape[1] + 1))


def variance_space(base: Any, rule: Any) -> Any:
    """A two-class space in which the weights have the variances that a rule asks for."""
    d = spaces.traits(base).features
    if not rule.full:
        return covariance.Diagonal(base, rule, base.bias, base.offset)
    if d > WIDEST_FULL:
        raise ValueError(
            f"covariance='full' keeps a number for each pair of features; {d:,} features are too "
            f"many (at most {WIDEST_FULL:,}). Take covariance='diagonal'."
        )
    return covariance.Full(base, rule, base.bias, base.offset, np.zeros(d + 1))


def class_space(
    X: Any,
    classes: int,
    bias: float,
    scheme: str = "max",
    rule: Any = None,
    sizes: Array | None = None,
) -> Any:
    """The space of a problem with three classes or more."""
    if classes < 3:
        raise ValueError(
            f"class_space needs at least three classes, not {classes}; use binary_space for two."
        )
    sizes = norms2(X, bias) if sizes is None else sizes
    beta = 0.0 if rule is None else rules.shared_margin(rule)
    common: dict[str, Any] = {
        "norms2": sizes,
        "bias": float(bias),
        "scheme": rows.SCHEMES[scheme],
        "beta": float(beta),
        "scores": np.zeros(classes),
        "shares": np.zeros(classes),
    }
    if sp.issparse(X):
        return rows.RowsCSR(*_parts(X), X.shape[1], **common)
    return rows.Rows(_frozen(X), **common, h32=_h32(X, (classes,)))


def signs(y: Array, positive: Any) -> Array:
    """+1 where y is the positive class, -1 elsewhere, in the least memory."""
    return 2 * (y == positive).astype(np.int8) - 1


def codes(y: Array, classes: Array) -> Array:
    """Class numbers."""
    return np.searchsorted(classes, y).astype(np.int32)


def positive_number(name: str, value: Any, least: float = 0.0, open_below: bool = True) -> float:
    """A finite real number above (or at) a bound, or a message that names the parameter."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name}={value!r} must be a number.")
    if not np.isfinite(value) or value < least or (open_below and value == least):
        above = "greater than" if open_below else "at least"
        raise ValueError(f"{name}={value!r} must be a finite number {above} {least:g}.")
    return float(value)


def whole_number(name: str, value: Any, least: int) -> int:
    """An integer of at least `least`, or a message that names the parameter."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name}={value!r} must be a whole number.")
    if value < least:
        raise ValueError(f"{name}={value!r} must be at least {least}.")
    return int(value)


def sample_weights(weights: npt.ArrayLike | None, n: int) -> Array | None:
    """Non-negative finite weights, not all zero."""
    if weights is None:
        return None
    array = np.asarray(weights, dtype=float)
    if array.ndim == 0:
        array = np.full(n, float(array))
    if array.shape != (n,):
        raise ValueError(f"sample_weight has shape {array.shape}; {n} examples need ({n},).")
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError("sample_weight must be finite and not negative.")
    if not array.any():
        raise ValueError(
            "sample_weight is zero for every example: no weight is left to learn from."
        )
    return array
