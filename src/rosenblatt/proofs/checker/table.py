"""Tables of examples without rounding: exact floats, or fractions.

NumPy, pandas and SciPy round when they convert to floats: large integers in a list with fractions,
decimals, sums of duplicate entries of a sparse matrix. A proof must be about the original numbers.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[Any]
MAX_EXACT_INTEGER = 1 << 53  # all integers up to this size are floats
MAX_INEXACT = 2.0**960  # the largest number that may be rounded to a float; 1/this is the smallest
MAX_EXPONENT = 300  # of a decimal number that is made a fraction
MAX_DENOMINATOR_BITS = 1 << 15  # of the common denominator of a column

_NOT_NUMBERS = "X must hold numbers; encode other columns first."
_NOT_FINITE = "X holds NaN or infinity; impute or drop those rows first."
_SIZES = (
    "X holds a number too large or too small for floats (beyond 1e288 or below 1e-288); "
    "scale its column first."
)


@dataclass(frozen=True, eq=False)
class ColumnFractions:
    """The exact values of columns that floats cannot represent.

    `numerators` has the shape of a dense table, or one number per entry of a sparse table.
    A denominator of 0 marks a column whose floats are exact.
    """

    numerators: Array
    denominators: Array  # Python integers
    positions: Any = None  # for a sparse table: the index into `numerators` of each of its entries

    def numerators_of(self, rows: Any) -> Array:
        """Return the numerators of these rows."""
        if self.positions is None:
            return self.numerators[rows]
        return self.numerators[self.positions[rows].data]

    @cached_property
    def common_denominator(self) -> int:
        """A common denominator of all columns."""
        return lcm(*(int(denominator) for denominator in self.denominators if denominator))


class Column(NamedTuple):
    """A column of floats, with its exact fractions if the floats are rounded."""

    floats: Array
    numerators: Array | None = None
    denominator: int = 0  # 0 if the floats are exact


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of floats, dense or CSR, with the exact values of columns that are rounded.

    The floats of such columns are the exact values, rounded to nearest.
    """

    X: Any
    fractions: ColumnFractions | None = None

    def keys(self, rows: Any) -> list[Any]:
        """Return a key per row; two keys are equal if and only if the rows are."""
        part = self.X[rows]
        if sp.issparse(part):
            ends = list(zip(part.indptr, part.indptr[1:], strict=False))
            keys = [part.indices[a:b].tobytes() + part.data[a:b].tobytes() for a, b in ends]
        else:
            part = part + 0.0  # turns -0.0 into 0.0
            ends, keys = [], [row.tobytes() for row in part]
        if self.fractions is None:
            return keys
        numerators = self.fractions.numerators_of(rows)
        parts = numerators if not ends else [numerators[a:b] for a, b in ends]
        if numerators.dtype == object:
            return [(key, *part.tolist()) for key, part in zip(keys, parts, strict=True)]
        return [key + part.tobytes() for key, part in zip(keys, parts, strict=True)]

    def constant_columns(self) -> tuple[Array, Array]:
        """Return for each column whether its numbers are all equal, and whether all are 0."""
        ends = self.X.max(axis=0), self.X.min(axis=0)
        high, low = (v.toarray().ravel() if sp.issparse(v) else np.asarray(v) for v in ends)
        equal = high == low
        if self.fractions is not None:
            for j in np.flatnonzero(equal & (self.fractions.denominators != 0)):
                at = self.X.indices == j if sp.issparse(self.X) else (..., j)
                # A sparse column of equal nonzero floats has an entry in every row.
                equal[j] = len(set(self.fractions.numerators[at].tolist())) < 2
        return equal, equal & (high == 0)


def read_table(X: Any) -> Table:
    """Return the table in an array, a sparse matrix, lists or a data frame."""
    if isinstance(X, Table):
        return X
    if hasattr(X, "compute"):  # a Dask collection
        X = X.compute()
    if sp.issparse(X):
        _check_shape(X.shape)
        return _read_sparse(X)
    columns = _frame_columns(X)
    if columns is not None:
        _check_shape((len(X), len(columns)))
        return _table_of([_array_column(np.asarray(column)) for column in columns])
    given = to_array(X, "X")
    _check_shape(given.shape)
    if given.dtype.kind in "bf" and given.dtype.itemsize <= 8:
        kind = given.dtype if given.dtype in (np.float32, np.float64) else np.float64
        return Table(_require_finite(np.ascontiguousarray(given.astype(kind))))
    if given.dtype.kind in "iu" and _are_floats(given):
        return Table(np.ascontiguousarray(given.astype(np.float64)))
    return _table_of([_array_column(given[:, j]) for j in range(given.shape[1])])


def to_array(given: Any, name: str) -> Array:
    """Return an array in which nothing was rounded or unmasked."""
    rows = given if isinstance(given, (list, tuple)) else [given]
    if any(isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row) for row in rows):
        raise ValueError(f"{name} holds masked values; fill them or drop their rows first.")
    made = np.asarray(given)
    # NumPy turns lists that mix integers and floats into floats.
    if hasattr(given, "dtype") or not made.size:
        return made
    large = made.dtype.kind in "fc" and not np.abs(made).max() < MAX_EXACT_INTEGER
    # It also turns the number 1 into the string "1" in a list with other strings.
    return np.array(given, object) if large or made.dtype.kind in "US" else made


def _table_of(columns: Sequence[Column]) -> Table:
    """Return a dense table of these columns."""
    lengths = {len(column.floats) for column in columns}
    if len(lengths) != 1:
        raise ValueError("X has columns of different lengths.")
    X = np.empty((lengths.pop(), len(columns)))
    for j, column in enumerate(columns):
        X[:, j] = column.floats
    return Table(_require_finite(X), _dense_fractions(columns))


def _dense_fractions(columns: Sequence[Column]) -> ColumnFractions | None:
    """Return the exact values of columns that are rounded; None if there are none."""
    if not any(column.denominator for column in columns):
        return None
    big = any(c.numerators is not None and c.numerators.dtype == object for c in columns)
    together = np.zeros((len(columns[0].floats), len(columns)), object if big else np.int64)
    for j, (_, numerators, denominator) in enumerate(columns):
        if denominator and numerators is not None:
            together[:, j] = numerators.tolist() if big else numerators
    return ColumnFractions(together, _object_array([column.denominator for column in columns]))


def _object_array(values: Sequence[int]) -> Array:
    """Return an array of Python integers of any size."""
    out = np.empty(len(values), object)
    out[:] = list(values)
    return out


def fraction_column(numerators: Array, denominator: int) -> Column:
    """Return the column numerators/denominator, as floats alone if they are exact.

    >>> fraction_column(np.array([5, 10]), 20)
    Column(floats=array([0.25, 0.5 ]), numerators=None, denominator=0)
    >>> fraction_column(np.array([1, 2]), 10)
    Column(floats=array([0.1, 0.2]), numerators=array([1, 2]), denominator=10)
    """
    numerators = narrow_integers(numerators)
    shared = 1 if denominator == 1 else gcd(denominator, int(np.gcd.reduce(numerators)))
    if shared > 1:
        numerators, denominator = numerators // shared, denominator // shared
    top = int(max(-numerators.min(initial=0), numerators.max(initial=0)))
    if top <= MAX_EXACT_INTEGER and denominator <= MAX_EXACT_INTEGER:
        floats = numerators.astype(float) / float(denominator)  # rounds once: both are exact
    else:
        floats = np.array([_quotient(v, denominator) for v in numerators.tolist()])
    power_of_two = denominator & (denominator - 1) == 0
    if power_of_two and _floats_are_exact(floats, numerators, denominator, top):
        return Column(floats)
    sizes = np.abs(floats[numerators != 0])
    if len(sizes) and not 1 / MAX_INEXACT < sizes.min() <= sizes.max() < MAX_INEXACT:
        raise ValueError(_SIZES)
    return Column(floats, numerators, denominator)


def _floats_are_exact(floats: Array, numerators: Array, denominator: int, top: int) -> bool:
    """Return whether no float was rounded; the denominator is a power of two."""
    if top <= MAX_EXACT_INTEGER and denominator <= MAX_INEXACT:
        return True
    return all(
        Fraction(x) == Fraction(v, denominator)
        for x, v in zip(floats.tolist(), numerators.tolist(), strict=True)
    )


def _quotient(p: int, q: int) -> float:
    try:
        return p / q  # Python rounds the quotient of integers correctly
    except OverflowError:
        raise ValueError(_SIZES) from None


def narrow_integers(values: Array) -> Array:
    """Return integers of 64 bits if sums of two of them fit, else Python integers."""
    if not len(values):
        return values.astype(np.int64)
    if int(values.min()) > -(2**62) and int(values.max()) < 2**62:
        return values.astype(np.int64)
    return _object_array([int(v) for v in values.tolist()])


def _are_floats(integers: Array) -> bool:
    """Return whether all these integers are exact as floats."""
    return int(integers.min()) >= -MAX_EXACT_INTEGER and int(integers.max()) <= MAX_EXACT_INTEGER


def _array_column(values: Array) -> Column:
    """Return a column of an array of any type."""
    if values.ndim != 1:
        raise ValueError(f"a column of X has shape {values.shape}; it needs one number per row.")
    kind = values.dtype.kind
    if kind == "b" or (kind == "f" and values.dtype.itemsize <= 8):
        return Column(values.astype(float))
    if kind in "iu":
        return fraction_column(values, 1)
    if kind == "f":
        floats = values.astype(float)
        if not np.isfinite(values).all():
            raise ValueError(_NOT_FINITE)
        if (floats == values).all():
            return Column(floats)
        values = values.astype(object)
    if values.dtype.kind != "O":
        raise ValueError(_NOT_NUMBERS)
    cells = values.tolist()
    if all(type(cell) is float for cell in cells):
        return Column(values.astype(float))
    return _number_column(cells)


def _number_column(cells: Sequence[Any]) -> Column:
    """Return a column of Python numbers of any types."""
    ratios = [_integer_ratio(cell) for cell in cells]
    common = 1
    for denominator in {q for _, q in ratios}:
        common = lcm(common, denominator)
        if common.bit_length() > MAX_DENOMINATOR_BITS:
            raise ValueError(
                "X holds a column of fractions whose common denominator has more than "
                f"{MAX_DENOMINATOR_BITS:,} bits; round them first."
            )
    return fraction_column(_object_array([p * (common // q) for p, q in ratios]), common)


def _integer_ratio(cell: Any) -> tuple[int, int]:
    """Return numerator and denominator of a number."""
    if isinstance(cell, (int, np.integer)):
        return int(cell), 1
    if isinstance(cell, np.bool_):
        return int(cell), 1
    if isinstance(cell, numbers.Rational):
        return int(cell.numerator), int(cell.denominator)
    if isinstance(cell, Decimal):
        if not cell.is_finite():
            raise ValueError(_NOT_FINITE)
        if cell and abs(cell.adjusted()) > MAX_EXPONENT:
            raise ValueError(_SIZES)
    elif not isinstance(cell, (float, np.floating)):
        raise ValueError(_NOT_NUMBERS)
    try:
        p, q = cell.as_integer_ratio()
    except (ValueError, OverflowError):  # NaN or infinite
        raise ValueError(_NOT_FINITE) from None
    return int(p), int(q)


def _frame_columns(X: Any) -> list[Any] | None:
    """Return the columns of a data frame or Arrow table; None for anything else."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # pandas
        kinds = set(X.dtypes)
        if len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype):
            return None
        return [X.iloc[:, j].array for j in range(X.shape[1])]
    if hasattr(X, "get_columns"):  # Polars
        return [_frame_column(s, s.dtype.is_float(), s.null_count()) for s in X.get_columns()]
    if hasattr(X, "itercolumns"):  # Arrow
        return [
            _frame_column(c, str(c.type) in ("double", "float"), c.null_count)
            for c in X.itercolumns()
        ]
    return None


def _frame_column(column: Any, floats: bool, missing: int) -> Array:
    """Return a column as floats, or as Python values, because NumPy might round them."""
    if floats and not missing:
        return np.asarray(column.to_numpy())
    cells = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
    out = np.empty(len(cells), object)
    out[:] = cells
    return out


def _read_sparse(X: Any) -> Table:
    """Return a sparse matrix by rows; duplicate entries are summed exactly."""
    if X.dtype.kind not in "biuf":
        raise ValueError(_NOT_NUMBERS)
    if _sparse_floats_are_exact(X):
        kind = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
        table = sp.csr_array(X.astype(kind))  # a copy
        table = sp.csr_array((table.data, table.indices, table.indptr), table.shape)
        table.sort_indices()
        table.eliminate_zeros()
        _require_finite(table.data)
        return Table(table)
    entries = X.tocoo()
    if not np.isfinite(entries.data).all():
        raise ValueError(_NOT_FINITE)
    data, row, column = _sum_duplicates(entries)
    order = np.lexsort((column, row))
    data, row, column = data[order], row[order], column[order]
    return _table_of_entries(data, row, column, X.shape)


def _sparse_floats_are_exact(X: Any) -> bool:
    """Return whether every entry is exact as a float and none is a duplicate."""
    kind = X.dtype.kind
    values = X.data if X.format != "lil" and X.format != "dok" else X.tocoo().data
    wide = kind == "f" and X.dtype.itemsize > 8
    if wide or (kind in "iu" and values.size and not _are_floats(values)):
        return False
    if X.format in ("lil", "dok", "dia"):
        return True
    if X.format in ("csr", "csc") and _strictly_increasing(X.indices, X.indptr):
        return True
    entries = X.tocoo()
    cells = entries.row.astype(np.int64) * X.shape[1] + entries.col
    return len(np.unique(cells)) == len(cells)


def _strictly_increasing(indices: Array, indptr: Array) -> bool:
    """Return whether indices increase within each row; SciPy's flag may be stale."""
    rises = indices[1:] > indices[:-1]
    starts = indptr[1:-1]
    rises[starts[(starts > 0) & (starts < len(indices))] - 1] = True
    return bool(rises.all())


def _sum_duplicates(entries: Any) -> tuple[Array, Array, Array]:
    """Return values, rows and columns of nonzero cells; duplicates are summed exactly."""
    cells, which, counts = np.unique(
        entries.row.astype(np.int64) * entries.shape[1] + entries.col,
        return_inverse=True, return_counts=True,
    )  # fmt: skip
    if entries.data.dtype.kind == "b" and (counts > 1).any():
        raise ValueError("X holds a boolean twice for the same cell; call sum_duplicates first.")
    data = np.empty(len(cells), object)
    data[:] = 0
    for place, value in zip(which.tolist(), entries.data.tolist(), strict=True):
        exact = Fraction(*_integer_ratio(value))
        data[place] = exact if counts[place] == 1 else data[place] + exact
    row, column = np.divmod(cells, entries.shape[1])
    filled = data != 0
    return data[filled], row[filled], column[filled]


def _table_of_entries(data: Array, row: Array, column: Array, shape: tuple[int, int]) -> Table:
    """Return a sparse table of exact entries, sorted by row."""
    floats, numerators = np.zeros(len(data)), np.zeros(len(data), object)
    denominators = np.zeros(shape[1], object)
    for j, at in _entries_by_column(column):
        found = _number_column(data[at].tolist())
        floats[at] = found.floats
        if found.numerators is not None:
            numerators[at], denominators[j] = found.numerators.tolist(), found.denominator
    indptr = np.append(0, np.cumsum(np.bincount(row, minlength=shape[0])))
    X = sp.csr_array((floats, column, indptr), shape=shape)
    return Table(X, _sparse_fractions(X, numerators, denominators))


def _entries_by_column(column: Array) -> Iterator[tuple[int, Array]]:
    """Yield each column that has entries, with the positions of its entries."""
    order = np.argsort(column, kind="stable")
    used, first = np.unique(column[order], return_index=True)
    return zip(used.tolist(), np.split(order, first)[1:], strict=True)


def with_exact_entries(X: Any, numerators: Array, denominator: int) -> Table:
    """Return a CSR table whose entries are exactly these fractions."""
    if len(numerators) != X.nnz:
        raise ValueError(f"X has {X.nnz} entries, but {len(numerators)} exact numbers were given.")
    groups = _entries_by_column(X.indices)
    return _with_fractions(X, ((j, at, numerators[at], denominator) for j, at in groups))


def with_exact_columns(X: Any, columns: dict[int, tuple[Array, int]]) -> Table:
    """Return a table in which some columns are exactly these fractions."""
    if sp.issparse(X):
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        groups = ((j, np.flatnonzero(X.indices == j), *pair) for j, pair in columns.items())
        return _with_fractions(X, ((j, at, p[row[at]], q) for j, at, p, q in groups))
    exact = [Column(X[:, j]) for j in range(X.shape[1])]
    X = X.copy()
    for j, (numerators, denominator) in columns.items():
        exact[j] = fraction_column(numerators, denominator)
        _check_close(X[:, j], exact[j].floats)
        X[:, j] = exact[j].floats
    return Table(_require_finite(X), _dense_fractions(exact))


def _with_fractions(X: Any, columns: Iterable[tuple[int, Array, Array, int]]) -> Table:
    """Return a sparse table; `columns`: (column, positions, numerators, denominator)."""
    X, exact, denominators = X.copy(), np.zeros(X.nnz, object), np.zeros(X.shape[1], object)
    for j, at, numerators, denominator in columns:
        found = fraction_column(numerators, denominator)
        _check_close(X.data[at], found.floats)
        X.data[at] = found.floats
        if found.numerators is not None:
            exact[at], denominators[j] = found.numerators.tolist(), found.denominator
    return _without_zeros(X, exact, denominators)


def _check_close(given: Array, floats: Array) -> None:
    """Check that floats are rounded correctly, up to the last digits."""
    if not np.allclose(given, floats, rtol=1e-12, atol=0.0):
        raise ValueError("the exact numbers differ from those in X by more than rounding.")


def _without_zeros(X: Any, numerators: Array, denominators: Array) -> Table:
    """Return a sparse table without stored zeros."""
    _require_finite(X.data)
    if not X.data.all():
        filled = X.data != 0
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[filled]
        indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=X.shape[0])))
        X = sp.csr_array((X.data[filled], X.indices[filled], indptr), shape=X.shape)
        numerators = numerators[filled]
    return Table(X, _sparse_fractions(X, numerators, denominators))


def _sparse_fractions(X: Any, numerators: Array, denominators: Array) -> ColumnFractions | None:
    """Return the exact values of a sparse table; None if its floats are exact."""
    if not denominators.any():
        return None
    positions = sp.csr_array((np.arange(X.nnz), X.indices, X.indptr), shape=X.shape)
    return ColumnFractions(narrow_integers(numerators), denominators, positions)


def _require_finite(values: Array) -> Array:
    if not np.isfinite(values).all():
        raise ValueError(_NOT_FINITE)
    return values


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise ValueError(f"X has shape {shape}; it needs two dimensions, a row per example.")
    if 0 in shape:
        raise ValueError(f"X has shape {shape}; it needs at least one row and one column.")
