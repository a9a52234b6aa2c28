"""A table of examples, exactly as given: floats where these hold its numbers, fractions elsewhere.

NumPy, pandas and SciPy round on the way to floats: whole numbers beside fractions, decimals,
cells of a sparse matrix that are added up. What is proved must be true of the numbers before that.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[Any]
WHOLE = 1 << 53  # whole numbers up to this size are floats
LARGEST = 2.0**960  # of the size of numbers that floats only approach; its inverse is the smallest
DIGITS = 300  # decimal places to which such sizes are known before a fraction is made
BITS = 1 << 15  # of the common denominator of a column

_NO_NUMBERS = "X must hold numbers; encode other columns first."
_NOT_FINITE = "X holds NaN or infinity; impute or drop those rows first."
_SIZES = (
    "X holds a number of a size that floats cannot approach (beyond 1e288 or below 1e-288); "
    "scale its column first."
)


@dataclass(frozen=True, eq=False)
class Fine:
    """The numbers of a table that floats cannot hold: whole numbers over a denominator.

    `whole` has the shape of a dense table, or an entry for each entry of a sparse one. `over` has
    the denominator of each column, and 0 for a column whose floats are exact.
    """

    whole: Array
    over: Array  # of Python's whole numbers
    places: Any = None  # of a sparse table: where in `whole` each of its entries is

    def among(self, rows: Any) -> Array:
        """The part of `whole` for some rows."""
        return self.whole[rows] if self.places is None else self.whole[self.places[rows].data]

    @cached_property
    def common(self) -> int:
        """A common denominator of all columns."""
        return lcm(*(int(over) for over in self.over if over))


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of floats, dense or CSR, with the exact numbers of columns that floats only approach.

    The floats of such columns are the exact numbers, correctly rounded.
    """

    X: Any
    fine: Fine | None = None

    def keys(self, rows: Any) -> list[Any]:
        """One key for each row: equal for equal rows, different for different ones."""
        part = self.X[rows]
        if sp.issparse(part):
            ends = list(zip(part.indptr, part.indptr[1:], strict=False))
            keys = [part.indices[a:b].tobytes() + part.data[a:b].tobytes() for a, b in ends]
        else:
            part = part + 0.0  # one zero, not two
            ends, keys = [], [row.tobytes() for row in part]
        if self.fine is None:
            return keys
        whole = self.fine.among(rows)
        parts = whole if not ends else [whole[a:b] for a, b in ends]
        if whole.dtype == object:
            return [(key, *part.tolist()) for key, part in zip(keys, parts, strict=True)]
        return [key + part.tobytes() for key, part in zip(keys, parts, strict=True)]

    def constant(self) -> tuple[Array, Array]:
        """Of each column, whether all its numbers are equal, and whether all are 0."""
        ends = self.X.max(axis=0), self.X.min(axis=0)
        high, low = (v.toarray().ravel() if sp.issparse(v) else np.asarray(v) for v in ends)
        equal = high == low
        if self.fine is not None:
            for j in np.flatnonzero(equal & (self.fine.over != 0)):
                own = self.fine.whole[self.X.indices == j if sp.issparse(self.X) else (..., j)]
                equal[j] = len(set(own.tolist())) < 2  # a constant sparse column has no gaps
        return equal, equal & (high == 0)


def read(X: Any) -> Table:
    """The table that a user gave, dense or sparse, of arrays, lists or columns of a data frame."""
    if isinstance(X, Table):
        return X
    if hasattr(X, "compute"):  # of Dask: not computed yet
        X = X.compute()
    if sp.issparse(X):
        _check_shape(X.shape)
        return _sparse(X)
    columns = _columns(X)
    if columns is not None:
        _check_shape((len(X), len(columns)))
        return assemble([_column(np.asarray(column)) for column in columns])
    given = array(X, "X")
    _check_shape(given.shape)
    if given.dtype.kind in "bf" and given.dtype.itemsize <= 8:
        kind = given.dtype if given.dtype in (np.float32, np.float64) else np.float64
        return Table(_finite(np.ascontiguousarray(given.astype(kind))))
    if given.dtype.kind in "iu" and _held(given):
        return Table(np.ascontiguousarray(given.astype(np.float64)))
    return assemble([_column(given[:, j]) for j in range(given.shape[1])])


def array(given: Any, name: str) -> Array:
    """An array of what was given, before NumPy rounds any of it or forgets what is masked."""
    rows = given if isinstance(given, (list, tuple)) else [given]
    if any(isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row) for row in rows):
        raise ValueError(f"{name} holds masked values; fill them or drop their rows first.")
    made = np.asarray(given)
    # Lists may mix whole numbers with floats, which NumPy makes floats of.
    if hasattr(given, "dtype") or not made.size:
        return made
    large = made.dtype.kind in "fc" and not np.abs(made).max() < WHOLE
    # Nor is the number 1 the word "1", which it becomes beside other words.
    return np.array(given, object) if large or made.dtype.kind in "US" else made


def assemble(columns: Sequence[tuple[Array, Array | None, int]]) -> Table:
    """A dense table of columns: floats, and the whole numbers and denominator where not exact."""
    lengths = {len(floats) for floats, _, _ in columns}
    if len(lengths) != 1:
        raise ValueError("X has columns of different lengths.")
    X = np.empty((lengths.pop(), len(columns)))
    for j, (floats, _, _) in enumerate(columns):
        X[:, j] = floats
    return Table(_finite(X), _fine([(whole, over) for _, whole, over in columns], len(X)))


def _fine(columns: Sequence[tuple[Array | None, int]], rows: int) -> Fine | None:
    if not any(over for _, over in columns):
        return None
    big = any(whole is not None and whole.dtype == object for whole, _ in columns)
    together = np.zeros((rows, len(columns)), object if big else np.int64)
    for j, (whole, over) in enumerate(columns):
        if over and whole is not None:
            together[:, j] = whole.tolist() if big else whole
    return Fine(together, _numbers([over for _, over in columns]))


def _numbers(values: Sequence[int]) -> Array:
    """Python's whole numbers in an array: nothing of them is lost."""
    out = np.empty(len(values), object)
    out[:] = list(values)
    return out


def fraction_column(whole: Array, over: int) -> tuple[Array, Array | None, int]:
    """The column of whole/over: its floats, and what is left to keep beside them if inexact.

    >>> fraction_column(np.array([5, 10]), 20)
    (array([0.25, 0.5 ]), None, 0)
    >>> fraction_column(np.array([1, 2]), 10)
    (array([0.1, 0.2]), array([1, 2]), 10)
    """
    whole = smaller(whole)
    shared = 1 if over == 1 else gcd(over, int(np.gcd.reduce(whole)))
    if shared > 1:
        whole, over = whole // shared, over // shared
    top = int(max(-whole.min(initial=0), whole.max(initial=0)))
    if top <= WHOLE and over <= WHOLE:
        floats = whole.astype(float) / float(over)  # both are exact, so this rounds once
    else:
        floats = np.array([_ratio(v, over) for v in whole.tolist()])
    if over & (over - 1) == 0 and _dyadic(whole, over, floats, top):
        return floats, None, 0
    sizes = np.abs(floats[whole != 0])
    if len(sizes) and not 1 / LARGEST < sizes.min() <= sizes.max() < LARGEST:
        raise ValueError(_SIZES)
    return floats, whole, over


def _dyadic(whole: Array, over: int, floats: Array, top: int) -> bool:
    """Whether the floats are exact, for a denominator that is a power of two."""
    if top <= WHOLE and over <= LARGEST:
        return True
    return all(
        Fraction(x) == Fraction(v, over)
        for x, v in zip(floats.tolist(), whole.tolist(), strict=True)
    )


def _ratio(p: int, q: int) -> float:
    try:
        return p / q  # Python rounds the quotient of whole numbers correctly
    except OverflowError:
        raise ValueError(_SIZES) from None


def smaller(whole: Array) -> Array:
    """Whole numbers of 64 bits, or Python's own where there is no room for their sums."""
    if not len(whole):
        return whole.astype(np.int64)
    if int(whole.min()) > -(2**62) and int(whole.max()) < 2**62:
        return whole.astype(np.int64)
    return _numbers([int(v) for v in whole.tolist()])


def _held(whole: Array) -> bool:
    """Whether floats hold all these whole numbers."""
    return int(whole.min()) >= -WHOLE and int(whole.max()) <= WHOLE


def _column(values: Array) -> tuple[Array, Array | None, int]:
    """Floats of a column, and its exact numbers if floats do not hold them."""
    if values.ndim != 1:
        raise ValueError(f"a column of X has shape {values.shape}; it needs a number for each row.")
    kind = values.dtype.kind
    if kind == "b" or (kind == "f" and values.dtype.itemsize <= 8):
        return values.astype(float), None, 0
    if kind in "iu":
        return fraction_column(values, 1)
    if kind == "f":
        floats = values.astype(float)
        if not np.isfinite(values).all():
            raise ValueError(_NOT_FINITE)
        if (floats == values).all():
            return floats, None, 0
        values = values.astype(object)
    if values.dtype.kind != "O":
        raise ValueError(_NO_NUMBERS)
    cells = values.tolist()
    if all(type(cell) is float for cell in cells):
        return values.astype(float), None, 0
    return ratio_column(cells)


def ratio_column(cells: Sequence[Any]) -> tuple[Array, Array | None, int]:
    """A column of Python's numbers, whatever their types."""
    ratios = [_exactly(cell) for cell in cells]
    over = 1
    for denominator in {q for _, q in ratios}:
        over = lcm(over, denominator)
        if over.bit_length() > BITS:
            raise ValueError("X holds a column of fractions without a common denominator of use.")
    return fraction_column(_numbers([p * (over // q) for p, q in ratios]), over)


def _exactly(cell: Any) -> tuple[int, int]:
    """Numerator and denominator of a number."""
    if isinstance(cell, (int, np.integer)):
        return int(cell), 1
    if isinstance(cell, np.bool_):
        return int(cell), 1
    if isinstance(cell, numbers.Rational):
        return int(cell.numerator), int(cell.denominator)
    if isinstance(cell, Decimal):
        if not cell.is_finite():
            raise ValueError(_NOT_FINITE)
        if cell and abs(cell.adjusted()) > DIGITS:
            raise ValueError(_SIZES)
    elif not isinstance(cell, (float, np.floating)):
        raise ValueError(_NO_NUMBERS)
    try:
        p, q = cell.as_integer_ratio()
    except (ValueError, OverflowError):  # not a number, or infinite
        raise ValueError(_NOT_FINITE) from None
    return int(p), int(q)


def _columns(X: Any) -> list[Any] | None:
    """The columns of a data frame or of an Arrow table one by one: each has a type of its own."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # pandas
        kinds = set(X.dtypes)
        if len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype):
            return None
        return [X.iloc[:, j].array for j in range(X.shape[1])]
    if hasattr(X, "get_columns"):  # Polars
        return [_series(s, s.dtype.is_float(), s.null_count()) for s in X.get_columns()]
    if hasattr(X, "itercolumns"):  # Arrow
        return [
            _series(c, str(c.type) in ("double", "float"), c.null_count) for c in X.itercolumns()
        ]
    return None


def _series(column: Any, floats: bool, missing: int) -> Array:
    """A column as floats, or as Python's own values: other roads to NumPy may round."""
    if floats and not missing:
        return np.asarray(column.to_numpy())
    cells = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    out = np.empty(len(cells), object)
    out[:] = cells
    return out


def _sparse(X: Any) -> Table:
    """A sparse matrix by rows; cells that are given several times are added up exactly."""
    if X.dtype.kind not in "biuf":
        raise ValueError(_NO_NUMBERS)
    if _simple(X):
        kind = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
        table = sp.csr_array(X.astype(kind))  # a copy
        table = sp.csr_array((table.data, table.indices, table.indptr), table.shape)
        table.sort_indices()
        table.eliminate_zeros()
        _finite(table.data)
        return Table(table)
    entries = X.tocoo()
    if not np.isfinite(entries.data).all():
        raise ValueError(_NOT_FINITE)
    data, row, column = _added(entries)
    order = np.lexsort((column, row))
    data, row, column = data[order], row[order], column[order]
    return _by_column(data, row, column, X.shape)


def _simple(X: Any) -> bool:
    """Whether floats hold every entry and none is given twice."""
    kind = X.dtype.kind
    values = X.data if X.format != "lil" and X.format != "dok" else X.tocoo().data
    wide = kind == "f" and X.dtype.itemsize > 8
    if wide or (kind in "iu" and values.size and not _held(values)):
        return False
    if X.format in ("lil", "dok", "dia"):
        return True
    if X.format in ("csr", "csc") and _rising(X.indices, X.indptr):
        return True
    entries = X.tocoo()
    cells = entries.row.astype(np.int64) * X.shape[1] + entries.col
    return len(np.unique(cells)) == len(cells)


def _rising(indices: Array, indptr: Array) -> bool:
    """Whether indices rise within each row, so that none comes twice; SciPy's own flag may lag."""
    rises = indices[1:] > indices[:-1]
    starts = indptr[1:-1]
    rises[starts[(starts > 0) & (starts < len(indices))] - 1] = True
    return bool(rises.all())


def _added(entries: Any) -> tuple[Array, Array, Array]:
    """Each cell once, with the exact sum of what is given for it."""
    cells, which, counts = np.unique(
        entries.row.astype(np.int64) * entries.shape[1] + entries.col,
        return_inverse=True, return_counts=True,
    )  # fmt: skip
    if entries.data.dtype.kind == "b" and (counts > 1).any():
        raise ValueError("X holds a flag twice for the same cell; call sum_duplicates first.")
    data = np.empty(len(cells), object)
    data[:] = 0
    for place, value in zip(which.tolist(), entries.data.tolist(), strict=True):
        exact = Fraction(*_exactly(value))
        data[place] = exact if counts[place] == 1 else data[place] + exact
    row, column = np.divmod(cells, entries.shape[1])
    filled = data != 0
    return data[filled], row[filled], column[filled]


def _by_column(data: Array, row: Array, column: Array, shape: tuple[int, int]) -> Table:
    """A sparse table of exact entries, sorted by row."""
    floats, whole = np.zeros(len(data)), np.zeros(len(data), object)
    over = np.zeros(shape[1], object)
    order = np.argsort(column, kind="stable")
    used, first = np.unique(column[order], return_index=True)
    for j, at in zip(used.tolist(), np.split(order, first)[1:], strict=True):
        floats[at], exact, denominator = ratio_column(data[at].tolist())
        if exact is not None:
            whole[at], over[j] = exact.tolist(), denominator
    indptr = np.append(0, np.cumsum(np.bincount(row, minlength=shape[0])))
    X = sp.csr_array((floats, column, indptr), shape=shape)
    return Table(X, beside(X, whole, over))


def finer(X: Any, whole: Array, over: int) -> Table:
    """A sparse table by rows, with entries that are in truth these whole numbers over another."""
    if len(whole) != X.nnz:
        raise ValueError("the exact numbers of X are not as many as its entries.")
    order = np.argsort(X.indices, kind="stable")
    used, first = np.unique(X.indices[order], return_index=True)
    groups = zip(used.tolist(), np.split(order, first)[1:], strict=True)
    return _sparse_table(X, ((j, at, whole[at], over) for j, at in groups))


def with_columns(X: Any, columns: dict[int, tuple[Array, int]]) -> Table:
    """A table some columns of which are in truth whole numbers, one for each row, over another."""
    if sp.issparse(X):
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        groups = ((j, np.flatnonzero(X.indices == j), *pair) for j, pair in columns.items())
        return _sparse_table(X, ((j, at, whole[row[at]], over) for j, at, whole, over in groups))
    parts: list[Any] = [(None, 0)] * X.shape[1]
    X = X.copy()
    for j, (whole, over) in columns.items():
        given = X[:, j].copy()
        X[:, j], *parts[j] = fraction_column(whole, over)
        _check_near(given, X[:, j])
    return Table(_finite(X), _fine(parts, len(X)))


def _sparse_table(X: Any, columns: Iterable[tuple[int, Array, Array, int]]) -> Table:
    """A sparse table, given the exact numbers of the entries at some places for some columns."""
    X, exact, denominators = X.copy(), np.zeros(X.nnz, object), np.zeros(X.shape[1], object)
    for j, at, whole, over in columns:
        floats, left, unit = fraction_column(whole, over)
        _check_near(X.data[at], floats)
        X.data[at] = floats
        if left is not None:
            exact[at], denominators[j] = left.tolist(), unit
    return _without_zeros(X, exact, denominators)


def _check_near(given: Array, floats: Array) -> None:
    """A reader may round otherwise than to the nearest float, but not by much."""
    if not np.allclose(given, floats, rtol=1e-12, atol=0.0):
        raise ValueError("the exact numbers of X are not those that its floats stand for.")


def _without_zeros(X: Any, whole: Array, over: Array) -> Table:
    _finite(X.data)
    if not X.data.all():
        filled = X.data != 0
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[filled]
        indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=X.shape[0])))
        X = sp.csr_array((X.data[filled], X.indices[filled], indptr), shape=X.shape)
        whole = whole[filled]
    return Table(X, beside(X, whole, over))


def beside(X: Any, whole: Array, over: Array) -> Fine | None:
    """The exact numbers of a sparse table, an entry for each of its own."""
    if not over.any():
        return None
    places = sp.csr_array((np.arange(X.nnz), X.indices, X.indptr), shape=X.shape)
    return Fine(smaller(whole), over, places)


def _finite(values: Array) -> Array:
    if not np.isfinite(values).all():
        raise ValueError(_NOT_FINITE)
    return values


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise ValueError(f"X has shape {shape}; it needs a row for each example.")
    if 0 in shape:
        raise ValueError(f"X has shape {shape}; nothing can be said of no data.")
