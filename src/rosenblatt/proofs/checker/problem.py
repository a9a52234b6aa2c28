"""A problem of separation: the signed examples on which a hypothesis must have positive margins.

What is claimed of a data set rests on this file, so it needs nothing but NumPy and SciPy's sparse
matrices. Floats are read as the rational numbers they are, and numbers that floats cannot hold
stand beside them (`Fine`): floats suggest, whole numbers decide.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import frexp, inf, isqrt, lcm, ldexp, nextafter, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.proofs.checker import table as tables
from rosenblatt.proofs.checker.table import Fine, Table

Array = npt.NDArray[Any]
CELLS = 1 << 22  # of the data at a time: what is computed on the way stays small
UNIT = 2.0**-53  # half the distance from 1 to the next float


@dataclass(frozen=True)
class Problem:
    """Examples with classes, and what is asked of a hypothesis (W, b) with a row for each class.

    Two classes, or one against the rest: one row, z = ±(x, c), margin ±(w·x + b). Many classes
    (Kesler's construction): a constraint for every example and every rival of its class, margin
    (w_own - w_rival)·x + b_own - b_rival. The length of a hypothesis is √(|W|² + |b|²/c²); c is
    `scaling`, 0 without an intercept and infinite if the intercept costs nothing.
    """

    X: Any
    codes: Array
    classes: tuple[Any, ...]
    target: Any
    scaling: float
    fine: Fine | None = None  # what the floats of X leave out, if anything

    @property
    def table(self) -> Table:
        """The examples alone."""
        return Table(self.X, self.fine)

    @property
    def rows(self) -> int:
        """Rows of a hypothesis."""
        return 1 if self.target is not None or len(self.classes) < 3 else len(self.classes)

    @property
    def width(self) -> int:
        """Coordinates of a signed example."""
        return self.rows * (self.X.shape[1] + bool(self.scaling))

    @cached_property
    def signs(self) -> Array:
        """+1 for the positive class of a problem with one row, -1 for the other."""
        positive = len(self.classes) - 1
        if self.target is not None:
            positive = self.classes.index(self.target)
        return np.where(self.codes == positive, 1.0, -1.0)

    def chunks(self) -> Iterator[slice]:
        """The examples in parts of moderate size."""
        n = self.X.shape[0]
        width = max(1, self.X.nnz // n if sp.issparse(self.X) else self.X.shape[1])
        step = max(1, CELLS // width)
        return (slice(start, min(start + step, n)) for start in range(0, n, step))

    def margins(self, W: Array, b: Array) -> Array:
        """Margins, one column for each row of the hypothesis; infinite where a class meets itself.

        >>> problem = read([[2.0], [-1.0]], ["right", "left"])
        >>> problem.margins(np.array([[3.0]]), np.array([-1.0])).ravel()
        array([5., 4.])
        """
        out = np.empty((self.X.shape[0], self.rows))
        for part in self.chunks():
            out[part] = self.X[part] @ W.T + b
        return self.led(out)

    def led(self, scores: Array) -> Array:
        """Margins from scores."""
        if self.rows == 1:
            return scores * self.signs[:, None]
        each = np.arange(len(scores))
        lead = scores[each, self.codes][:, None] - scores
        lead[each, self.codes] = inf
        return lead

    def length(self, W: Array, b: Array) -> float:
        """Length of a hypothesis: what margins are measured in."""
        constant = 0.0 if self.scaling in (0.0, inf) else float(b @ b) / self.scaling**2
        return sqrt(float((W * W).sum()) + constant)

    def rounding(self, W: Array, b: Array) -> Array:
        """A bound on the error of each of these margins, whatever the order of the sums.

        A dot product of n terms is off by at most n·u/(1 - n·u) of the sum of the absolute values.
        Numbers that were rounded to floats add one u to each term.
        """
        terms = self.X.shape[1] + 8
        out = np.empty((self.X.shape[0], self.rows))
        for part in self.chunks():
            out[part] = abs(self.X[part]) @ abs(W).T + abs(b)
        if self.rows > 1:
            out += out[np.arange(len(out)), self.codes][:, None]
        return out * (UNIT * terms / (1 - 2 * UNIT * terms)) + terms * 2.0**-1070

    def margins_exactly(self, W: Array, b: Array, at: Array) -> list[Fraction]:
        """Margins of some constraints, rows of (example, column), in rational numbers."""
        V, unit = integers(np.column_stack([W, b]))
        found = []
        for i, column in at.tolist():
            used, x, scale = self._row_exactly(i)
            v = V[0] * int(self.signs[i]) if self.rows == 1 else V[self.codes[i]] - V[column]
            found.append(int(v[[*used.tolist(), -1]] @ x) * unit * scale)
        return found

    def _row_exactly(self, i: int) -> tuple[Array, Array, Fraction]:
        """Features that are not 0, their whole numbers with that of 1 at the end, and the unit."""
        row = self.X[[i]]
        used = row.indices if sp.issparse(row) else np.flatnonzero(row[0])
        if self.fine is None:
            values = row.data if sp.issparse(row) else row[0, used]
            return used, *integers(np.append(values, 1.0))
        _, numbers, one, unit = self.exactly(np.array([i]))
        return used, np.append(numbers if sp.issparse(row) else numbers[0, used], one), unit

    def exactly(self, at: Array) -> tuple[Any, Array, int, Fraction]:
        """Some rows: their floats, their whole numbers, that of 1, and the unit of all of these.

        The whole numbers have the shape of a dense part, or are those of its entries.
        """
        part = self.X[at]
        values = part.data if sp.issparse(part) else part
        if self.fine is None:
            numbers, unit = integers(np.append(values, 1.0))
            return part, numbers[:-1].reshape(values.shape), numbers[-1], unit
        over = self.fine.over[part.indices] if sp.issparse(part) else self.fine.over[None, :]
        common, floats = self.fine.common, over == 0
        numbers = self.fine.among(at).astype(object) * (common // np.where(floats, common, over))
        digits, unit = integers(np.where(floats, values, 0.0))
        # The floats are digits times the unit, a power of two: bring both to one denominator.
        numbers = numbers * unit.denominator + digits * (unit.numerator * common)
        one = common * unit.denominator
        return part, numbers, one, Fraction(1, one)

    def square_exactly(self, W: Array, b: Array) -> Fraction:
        """The squared length of a hypothesis."""
        whole, unit = integers(W)
        square = sum(v * v for v in whole.flat) * unit**2
        if 0 < self.scaling < inf:
            square += sum(Fraction(v) ** 2 for v in b.tolist()) / Fraction(self.scaling) ** 2
        return square

    def combination(self, support: Array, rivals: Array, weights: Array) -> tuple[Array, Fraction]:
        """Σ weight·z over constraints, for whole numbers as weights: an exact array and its unit.

        A row for each row of the hypothesis, a column for each feature, and one for the intercept
        (without the factor c).
        """
        part, numbers, one, unit = self.exactly(np.asarray(support, np.int64))
        sparse = sp.issparse(part)
        sums = np.zeros((self.rows, self.X.shape[1] + 1), object)
        for row in range(self.rows):
            if self.rows == 1:
                share = self.signs[support].astype(int)
            else:
                share = (self.codes[support] == row).astype(int) - (np.asarray(rivals) == row)
            signed = weights * share.astype(object)
            sums[row, -1] = signed.sum() * one
            if not sparse:
                sums[row, :-1] = signed @ numbers
            elif part.nnz:
                terms = numbers * np.repeat(signed, np.diff(part.indptr))
                order = np.argsort(part.indices, kind="stable")
                used, first = np.unique(part.indices[order], return_index=True)
                sums[row, used] = np.add.reduceat(terms[order], first)
        return sums, unit

    def constraints(self) -> tuple[Array, Array]:
        """Every example with every rival of its class; with one row, with 0."""
        each, columns = np.divmod(np.arange(self.X.shape[0] * self.rows), self.rows)
        met = np.full(len(each), self.rows == 1) | (self.codes[each] != columns)
        return each[met], columns[met]

    def vectors(self, support: Array, rivals: Array) -> Any:
        """Signed examples as rows of floats; with an intercept a last column of ones, signed."""
        part = self.X[np.asarray(support, np.int64)].astype(float)
        sparse = sp.issparse(part)
        if self.scaling:
            ones = np.ones((len(support), 1))
            part = sp.hstack([part, ones], format="csr") if sparse else np.hstack([part, ones])
        if self.rows == 1:
            signs = self.signs[support][:, None]
            return sp.csr_array(part * signs) if sparse else part * signs
        # A block for each class: x in that of its own, -x in the rival's.
        own = np.eye(self.rows)[self.codes[support]] - np.eye(self.rows)[rivals]
        if sparse:
            blocks = [sp.csr_array(part * own[:, [row]]) for row in range(self.rows)]
            return sp.hstack(blocks, format="csr")
        return (own[:, :, None] * part[:, None, :]).reshape(len(support), -1) + 0.0

    def vectors_exactly(self, support: Array, rivals: Array) -> Array:
        """The same as whole numbers, all in one unit."""
        if self.fine is None:
            floats = self.vectors(support, rivals)
            return integers(floats.toarray() if sp.issparse(floats) else floats)[0]
        part, _ = self.dense_exactly(np.asarray(support, np.int64))
        part = part if self.scaling else part[:, :-1]
        if self.rows == 1:
            return part * self.signs[support].astype(int).astype(object)[:, None]
        own = np.eye(self.rows, dtype=int)
        blocks = (own[self.codes[support]] - own[rivals]).astype(object)
        return np.asarray((blocks[:, :, None] * part[:, None, :]).reshape(len(support), -1))

    def compact_exactly(self, at: Array) -> tuple[Array, Array, Fraction]:
        """Some rows with a 1 at the end as whole numbers: which columns, those not all 0, the unit.

        >>> problem = read(sp.csr_array([[0.0, 0.5, 3.0]]), ["a"])
        >>> problem.compact_exactly(np.array([0]))
        (array([1, 2, 3]), array([[1, 6, 2]], dtype=object), Fraction(1, 2))
        """
        part, numbers, one, unit = self.exactly(at)
        columns = np.arange(part.shape[1] + 1)
        if sp.issparse(part):
            columns = np.append(np.unique(part.indices), part.shape[1])
            dense = np.zeros((len(at), len(columns) - 1), object)
            rows = np.repeat(np.arange(len(at)), np.diff(part.indptr))
            dense[rows, np.searchsorted(columns[:-1], part.indices)] = numbers
            numbers = dense
        return columns, np.column_stack([numbers, np.full(len(at), one, object)]), unit

    def dense_exactly(self, at: Array) -> tuple[Array, Fraction]:
        """The same with all columns."""
        columns, numbers, unit = self.compact_exactly(at)
        if len(columns) > self.X.shape[1]:
            return numbers, unit
        dense = np.zeros((len(at), self.X.shape[1] + 1), object)
        dense[:, columns] = numbers
        return dense, unit

    def radius(self) -> float:
        """A bound on the length of every signed example; with a free intercept, of every x."""
        values = self.X.data if sp.issparse(self.X) else self.X
        c = 0.0 if self.scaling == inf else self.scaling
        top = max(c, float(values.max(initial=0)), -float(values.min(initial=0)))
        # A power of two brings the largest number near 1, so that no square is lost or infinite.
        exponent = frexp(top)[1]
        longest = 0.0
        for part in self.chunks():
            block = self.X[part]
            if sp.issparse(block):
                block = sp.csr_array((np.square(np.ldexp(block.data.astype(float), -exponent)),
                                      block.indices, block.indptr), block.shape)  # fmt: skip
            else:
                block = np.square(np.ldexp(block.astype(float), -exponent))
            longest = max(longest, float(block.sum(axis=1).max()))
        longest += float(np.ldexp(c, -exponent)) ** 2
        copies = 1 if self.rows == 1 else 2
        slack = 1 + 4 * UNIT * (self.X.shape[1] + 8)
        with np.errstate(over="ignore", under="ignore"):
            length = np.ldexp(np.sqrt(copies * longest * slack) * (1 + 4 * UNIT), exponent)
        return float(np.nextafter(length, inf)) if longest else 0.0

    def digest(self) -> str:
        """A fingerprint of examples and labels, the same for dense and sparse data."""
        seal = hashlib.sha256(repr((self.X.shape, self.classes)).encode())
        seal.update(self.codes.astype("<i8").tobytes())
        # One seal for each array, so that it does not matter where the parts begin.
        seals = [hashlib.sha256() for _ in range(3)]
        for part in self.chunks():
            block = self.X[part]
            if sp.issparse(block):
                block.eliminate_zeros()  # a slice is a copy
                arrays = np.diff(block.indptr), block.indices, block.data
            else:
                filled = block != 0
                arrays = filled.sum(axis=1), np.nonzero(filled)[1], block[filled]
            for one, array, kind in zip(seals, arrays, ("<i8", "<i8", "<f8"), strict=True):
                one.update(np.ascontiguousarray(array, kind).data)
        for one in seals:
            seal.update(one.digest())
        if self.fine is not None:
            self._seal_fine(seal)
        return "sha256:" + seal.hexdigest()

    def _seal_fine(self, seal: Any) -> None:
        """Add the exact numbers, by columns; the zeros are known from the floats."""
        assert self.fine is not None
        columns = sp.csc_array(self.fine.places) if sp.issparse(self.X) else None
        for j in np.flatnonzero(self.fine.over):
            if columns is None:
                own = self.fine.whole[:, j]
            else:
                own = self.fine.whole[columns.data[columns.indptr[j] : columns.indptr[j + 1]]]
            own = tables.smaller(own[own != 0])
            small = own.dtype != object
            seal.update(f"{j}:{self.fine.over[j]}:{len(own)}:{small}:".encode())
            seal.update(own.astype("<i8").data if small else " ".join(map(str, own)).encode())


def integers(values: Array) -> tuple[Array, Fraction]:
    """Whole numbers and a unit whose product is exactly these floats or fractions.

    >>> integers(np.array([0.75, -2.0]))
    (array([3, -8], dtype=object), Fraction(1, 4))
    """
    values = np.asarray(values)
    if values.dtype == object:
        over = lcm(*(Fraction(v).denominator for v in values.ravel()))
        whole = np.array([int(Fraction(v) * over) for v in values.ravel()], object)
        return whole.reshape(values.shape), Fraction(1, over)
    mantissa, exponent = np.frexp(values.astype(float))
    # Trailing zeros of the mantissas are dropped, so that small integers stay small.
    digits = np.ldexp(mantissa, 53).astype(np.int64)
    low = digits & -digits
    zeros = np.where(digits == 0, 53, np.frexp(low.astype(float))[1] - 1)
    digits, exponent = digits >> zeros, exponent.astype(np.int64) - 53 + zeros
    least = int(exponent[digits != 0].min(initial=0)) if digits.any() else 0
    shift = np.where(digits == 0, 0, exponent - least)
    return digits.astype(object) << shift.astype(object), Fraction(2) ** least


def root_above(square: Fraction) -> float:
    """A float not below the square root, and hardly above.

    >>> root_above(Fraction(1, 4)), root_above(Fraction(0))
    (0.5, 0.0)
    """
    value = _root(square)
    while Fraction(value) ** 2 < square:
        value = nextafter(value, inf)
    return value


def root_below(square: Fraction) -> float:
    """A float not above the square root, and hardly below."""
    value = nextafter(_root(square), inf)
    while Fraction(value) ** 2 > square:
        value = nextafter(value, 0.0)
    return value


def _root(square: Fraction) -> float:
    """The square root to nearly all digits of a float, of numbers of any size."""
    p, q = square.numerator, square.denominator
    shift = 2 * max(0, (128 - p.bit_length() + q.bit_length() + 1) // 2)
    root = isqrt((p << shift) // q)
    drop = max(0, root.bit_length() - 60)
    return ldexp(float(root >> drop), drop - shift // 2)


def read(
    X: Any, y: Any, *, fit_intercept: bool = True, scaling: float = 1.0, target: Any = None
) -> Problem:
    """The problem that a table and its labels pose, in the numbers that were given."""
    table, labels = tables.read(X), tables.array(y, "y")
    if labels.ndim != 1 or len(labels) != table.X.shape[0]:
        rows = table.X.shape[0]
        raise ValueError(f"y has shape {labels.shape}; {rows} examples need ({rows},).")
    classes, codes = _classes(labels)
    return posed(Problem(table.X, codes, classes, None, 1.0, table.fine),
                 fit_intercept=fit_intercept, scaling=scaling, target=target)  # fmt: skip


def posed(
    problem: Problem, *, fit_intercept: bool = True, scaling: float = 1.0, target: Any = None
) -> Problem:
    """The same examples, with this intercept, one class held against the rest if asked."""
    if target is not None:
        target = _plain(target)
        if target not in problem.classes:
            raise ValueError(f"target={target!r} is not among the labels in y.")
    if not scaling > 0 or float(scaling) != scaling:
        raise ValueError(f"intercept_scaling={scaling!r} must be a positive float.")
    return replace(problem, target=target, scaling=float(scaling) if fit_intercept else 0.0)


def _classes(labels: Array) -> tuple[tuple[Any, ...], Array]:
    """The different labels, in order, and the place of each example's among them."""
    missing = ValueError("y holds missing or mixed labels; give each example a class.")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise missing
    try:
        if labels.dtype.kind == "O" and any(label != label for label in labels.tolist()):
            raise TypeError
        classes, codes = np.unique(labels, return_inverse=True)
        named = tuple(_plain(label) for label in classes.tolist())
    except TypeError as error:
        raise missing from error
    if len(set(named)) < len(named):
        raise ValueError(
            "y holds labels that differ by less than floats can tell; use strings as labels."
        )
    return named, codes


def _plain(label: Any) -> Any:
    """Whole numbers are the same label whatever their type."""
    if isinstance(label, np.longdouble):
        label = float(label)
    label = label.item() if isinstance(label, np.generic) else label
    return int(label) if isinstance(label, (bool, float)) and label % 1 == 0 else label
