"""The separation problem: signed examples that need positive margins.

Every proof rests on this file, so it depends only on NumPy and SciPy's sparse matrices. Floats are
taken as the rational numbers that they represent; numbers that floats cannot represent are kept as
fractions (`ColumnFractions`). Clear cases are decided in floats, all others in integers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import frexp, inf, isqrt, lcm, ldexp, nextafter, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from rosenblatt.proofs.checker.table import (
    ColumnFractions,
    Table,
    narrow_integers,
    read_table,
    to_array,
)

Array = npt.NDArray[Any]
CELLS = 1 << 22  # numbers per chunk, so that temporary arrays stay small
UNIT = 2.0**-53  # half the distance from 1 to the next float


@dataclass(frozen=True)
class Problem:
    """Examples and classes that a hypothesis (W, b) has to separate.

    Two classes, or one class against the rest: W has one row, a signed example is z = ±(x, c), and
    its margin is ±(w·x + b). More than two classes (Kesler's construction): W has a row per class,
    and there is a signed example for every example and every rival of its class, with margin
    (w_own - w_rival)·x + b_own - b_rival. The norm of a hypothesis is √(|W|² + |b|²/c²). c is
    `scaling`: 0 without an intercept, infinite if the intercept is free (not part of the norm).
    """

    X: Any
    codes: Array  # the class of each example, as an index into `classes`
    classes: tuple[Any, ...]
    target: Any  # the class that is separated from the rest, or None
    scaling: float
    fractions: ColumnFractions | None = None  # exact values of columns that X holds rounded

    @property
    def table(self) -> Table:
        """The examples without their classes."""
        return Table(self.X, self.fractions)

    @property
    def rows(self) -> int:
        """Number of rows of W."""
        return 1 if self.target is not None or len(self.classes) < 3 else len(self.classes)

    @property
    def width(self) -> int:
        """Number of coordinates of a signed example."""
        return self.rows * (self.X.shape[1] + bool(self.scaling))

    @cached_property
    def signs(self) -> Array:
        """+1 for each example of the positive class, -1 for each other; needs one row."""
        positive = len(self.classes) - 1
        if self.target is not None:
            positive = self.classes.index(self.target)
        return np.where(self.codes == positive, 1.0, -1.0)

    def chunks(self) -> Iterator[slice]:
        """Yield slices of examples of moderate size."""
        n = self.X.shape[0]
        width = max(1, self.X.nnz // n if sp.issparse(self.X) else self.X.shape[1])
        step = max(1, CELLS // width)
        return (slice(start, min(start + step, n)) for start in range(0, n, step))

    def margins(self, W: Array, b: Array) -> Array:
        """Return margins, a column per row of W; inf in the column of the own class.

        >>> problem = read_problem([[2.0], [-1.0]], ["right", "left"])
        >>> problem.margins(np.array([[3.0]]), np.array([-1.0])).ravel()
        array([5., 4.])
        """
        out = np.empty((self.X.shape[0], self.rows))
        for part in self.chunks():
            out[part] = self.X[part] @ W.T + b
        return self.margins_from_scores(out)

    def margins_from_scores(self, scores: Array) -> Array:
        """Return margins, given the scores of all rows of W."""
        if self.rows == 1:
            return scores * self.signs[:, None]
        each = np.arange(len(scores))
        lead = scores[each, self.codes][:, None] - scores
        lead[each, self.codes] = inf
        return lead

    def norm(self, W: Array, b: Array) -> float:
        """Return the norm of a hypothesis, which its margins are divided by."""
        constant = 0.0 if self.scaling in (0.0, inf) else float(b @ b) / self.scaling**2
        return sqrt(float((W * W).sum()) + constant)

    def margin_errors(self, W: Array, b: Array) -> Array:
        """Return a bound on the error of each computed margin, for any order of summation.

        The error of a dot product of n terms is at most n·u/(1 - n·u) times the sum of the absolute
        values. Numbers that were rounded to floats add one u to each term.
        """
        terms = self.X.shape[1] + 8
        out = np.empty((self.X.shape[0], self.rows))
        for part in self.chunks():
            out[part] = abs(self.X[part]) @ abs(W).T + abs(b)
        if self.rows > 1:
            out += out[np.arange(len(out)), self.codes][:, None]
        return out * (UNIT * terms / (1 - 2 * UNIT * terms)) + terms * 2.0**-1070

    def exact_margins(self, W: Array, b: Array, at: Array) -> list[Fraction]:
        """Return exact margins; `at` has a row (example, row of W) for each of them."""
        V, unit = to_integers(np.column_stack([W, b]))
        found = []
        for i, column in at.tolist():
            used, x, scale = self._exact_row(i)
            v = V[0] * int(self.signs[i]) if self.rows == 1 else V[self.codes[i]] - V[column]
            found.append(int(v[[*used.tolist(), -1]] @ x) * unit * scale)
        return found

    def _exact_row(self, i: int) -> tuple[Array, Array, Fraction]:
        """Return nonzero features, their integers with that of 1 appended, and the unit."""
        row = self.X[[i]]
        used = row.indices if sp.issparse(row) else np.flatnonzero(row[0])
        if self.fractions is None:
            values = row.data if sp.issparse(row) else row[0, used]
            return used, *to_integers(np.append(values, 1.0))
        _, numbers, one, unit = self.exact_rows(np.array([i]))
        return used, np.append(numbers if sp.issparse(row) else numbers[0, used], one), unit

    def exact_rows(self, at: Array) -> tuple[Any, Array, int, Fraction]:
        """Return rows as floats and as integers, the integer of 1, and the unit.

        The integers have the shape of dense rows, or one for each entry of sparse rows.
        """
        part = self.X[at]
        values = part.data if sp.issparse(part) else part
        if self.fractions is None:
            numbers, unit = to_integers(np.append(values, 1.0))
            return part, numbers[:-1].reshape(values.shape), numbers[-1], unit
        denominators, common = self.fractions.denominators, self.fractions.common_denominator
        over = denominators[part.indices] if sp.issparse(part) else denominators[None, :]
        floats = over == 0
        numerators = self.fractions.numerators_of(at).astype(object)
        numbers = numerators * (common // np.where(floats, common, over))
        digits, unit = to_integers(np.where(floats, values, 0.0))
        # The floats are digits times a power of two: bring both parts to one denominator.
        numbers = numbers * unit.denominator + digits * (unit.numerator * common)
        one = common * unit.denominator
        return part, numbers, one, Fraction(1, one)

    def exact_norm2(self, W: Array, b: Array) -> Fraction:
        """Return the exact squared norm of a hypothesis."""
        numbers, unit = to_integers(W)
        norm2 = sum(v * v for v in numbers.flat) * unit**2
        if 0 < self.scaling < inf:
            norm2 += sum(Fraction(v) ** 2 for v in b.tolist()) / Fraction(self.scaling) ** 2
        return norm2

    def combine(self, support: Array, rivals: Array, weights: Array) -> tuple[Array, Fraction]:
        """Return Σ weight·z over signed examples as integers, and their unit.

        The weights are integers. The result has a row per row of W, a column per feature, and a
        last column for the intercept, without the factor c.
        """
        part, numbers, one, unit = self.exact_rows(np.asarray(support, np.int64))
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
        """Return all pairs of an example and a rival class; 0 if W has one row."""
        each, columns = np.divmod(np.arange(self.X.shape[0] * self.rows), self.rows)
        rival = np.full(len(each), self.rows == 1) | (self.codes[each] != columns)
        return each[rival], columns[rival]

    def signed_examples(self, support: Array, rivals: Array) -> Any:
        """Return signed examples as rows of floats, ±1 in the column of an intercept."""
        part = self.X[np.asarray(support, np.int64)].astype(float)
        sparse = sp.issparse(part)
        if self.scaling:
            ones = np.ones((len(support), 1))
            part = sp.hstack([part, ones], format="csr") if sparse else np.hstack([part, ones])
        if self.rows == 1:
            signs = self.signs[support][:, None]
            return sp.csr_array(part.multiply(signs)) if sparse else part * signs
        # A block of columns per class: x in that of its own class, -x in that of the rival.
        own = np.eye(self.rows)[self.codes[support]] - np.eye(self.rows)[rivals]
        if sparse:
            blocks = [sp.csr_array(part * own[:, [row]]) for row in range(self.rows)]
            return sp.hstack(blocks, format="csr")
        return (own[:, :, None] * part[:, None, :]).reshape(len(support), -1) + 0.0

    def exact_signed_examples(self, support: Array, rivals: Array) -> Array:
        """Return signed examples as rows of integers with a common unit."""
        if self.fractions is None:
            floats = self.signed_examples(support, rivals)
            return to_integers(floats.toarray() if sp.issparse(floats) else floats)[0]
        part, _ = self.exact_dense_rows(np.asarray(support, np.int64))
        part = part if self.scaling else part[:, :-1]
        if self.rows == 1:
            return part * self.signs[support].astype(int).astype(object)[:, None]
        own = np.eye(self.rows, dtype=int)
        blocks = (own[self.codes[support]] - own[rivals]).astype(object)
        return np.asarray((blocks[:, :, None] * part[:, None, :]).reshape(len(support), -1))

    def exact_filled_columns(self, at: Array) -> tuple[Array, Array, Fraction]:
        """Return the columns that are not all 0, their integers by rows, and the unit.

        A column of ones is appended.

        >>> problem = read_problem(sp.csr_array([[0.0, 0.5, 3.0]]), ["a"])
        >>> problem.exact_filled_columns(np.array([0]))
        (array([1, 2, 3]), array([[1, 6, 2]], dtype=object), Fraction(1, 2))
        """
        part, numbers, one, unit = self.exact_rows(at)
        columns = np.arange(part.shape[1] + 1)
        if sp.issparse(part):
            columns = np.append(np.unique(part.indices), part.shape[1])
            dense = np.zeros((len(at), len(columns) - 1), object)
            rows = np.repeat(np.arange(len(at)), np.diff(part.indptr))
            dense[rows, np.searchsorted(columns[:-1], part.indices)] = numbers
            numbers = dense
        return columns, np.column_stack([numbers, np.full(len(at), one, object)]), unit

    def exact_dense_rows(self, at: Array) -> tuple[Array, Fraction]:
        """Return rows as integers, a column of ones appended, and the unit."""
        columns, numbers, unit = self.exact_filled_columns(at)
        if len(columns) > self.X.shape[1]:
            return numbers, unit
        dense = np.zeros((len(at), self.X.shape[1] + 1), object)
        dense[:, columns] = numbers
        return dense, unit

    def radius(self) -> float:
        """Return a bound on the norm of every z; with a free intercept, of every x."""
        values = self.X.data if sp.issparse(self.X) else self.X
        c = 0.0 if self.scaling == inf else self.scaling
        top = max(c, float(values.max(initial=0)), -float(values.min(initial=0)))
        # Scaled by a power of two to a largest number near 1, no square underflows or overflows.
        exponent = frexp(top)[1]
        radius2 = 0.0
        for part in self.chunks():
            block = self.X[part]
            if sp.issparse(block):
                block = sp.csr_array((np.square(np.ldexp(block.data.astype(float), -exponent)),
                                      block.indices, block.indptr), block.shape)  # fmt: skip
            else:
                block = np.square(np.ldexp(block.astype(float), -exponent))
            radius2 = max(radius2, float(block.sum(axis=1).max()))
        radius2 += float(np.ldexp(c, -exponent)) ** 2
        copies = 1 if self.rows == 1 else 2
        slack = 1 + 4 * UNIT * (self.X.shape[1] + 8)
        with np.errstate(over="ignore", under="ignore"):
            radius = np.ldexp(np.sqrt(copies * radius2 * slack) * (1 + 4 * UNIT), exponent)
        return float(np.nextafter(radius, inf)) if radius2 else 0.0

    def digest(self) -> str:
        """Return a hash of examples and labels, the same for dense and sparse data."""
        total = hashlib.sha256(repr((self.X.shape, self.classes)).encode())
        total.update(self.codes.astype("<i8").tobytes())
        # A hash for each kind of array, so that the result does not depend on the chunks.
        hashes = [hashlib.sha256() for _ in range(3)]
        for part in self.chunks():
            block = self.X[part]
            if sp.issparse(block):
                block.eliminate_zeros()  # a slice is a copy
                arrays = np.diff(block.indptr), block.indices, block.data
            else:
                filled = block != 0
                arrays = filled.sum(axis=1), np.nonzero(filled)[1], block[filled]
            for part_hash, array, kind in zip(hashes, arrays, ("<i8", "<i8", "<f8"), strict=True):
                part_hash.update(np.ascontiguousarray(array, kind).data)
        for part_hash in hashes:
            total.update(part_hash.digest())
        if self.fractions is not None:
            self._hash_fractions(self.fractions, total)
        return "sha256:" + total.hexdigest()

    def _hash_fractions(self, fractions: ColumnFractions, total: Any) -> None:
        """Add the exact numbers, column by column; the floats show which of them are 0."""
        columns = sp.csc_array(fractions.positions) if sp.issparse(self.X) else None
        for j in np.flatnonzero(fractions.denominators):
            if columns is None:
                own = fractions.numerators[:, j]
            else:
                stored = slice(columns.indptr[j], columns.indptr[j + 1])
                own = fractions.numerators[columns.data[stored]]
            own = narrow_integers(own[own != 0])
            small = own.dtype != object
            total.update(f"{j}:{fractions.denominators[j]}:{len(own)}:{small}:".encode())
            total.update(own.astype("<i8").data if small else " ".join(map(str, own)).encode())


def to_integers(values: Array) -> tuple[Array, Fraction]:
    """Return integers and a unit whose product is exactly these floats or fractions.

    >>> to_integers(np.array([0.75, -2.0]))
    (array([3, -8], dtype=object), Fraction(1, 4))
    """
    values = np.asarray(values)
    if values.dtype == object:
        denominator = lcm(*(Fraction(v).denominator for v in values.ravel()))
        numerators = np.array([int(Fraction(v) * denominator) for v in values.ravel()], object)
        return numerators.reshape(values.shape), Fraction(1, denominator)
    mantissa, exponent = np.frexp(values.astype(float))
    # Drop trailing zeros of the mantissas, so that small integers stay small.
    digits = np.ldexp(mantissa, 53).astype(np.int64)
    low = digits & -digits
    zeros = np.where(digits == 0, 53, np.frexp(low.astype(float))[1] - 1)
    digits, exponent = digits >> zeros, exponent.astype(np.int64) - 53 + zeros
    least = int(exponent[digits != 0].min(initial=0)) if digits.any() else 0
    shift = np.where(digits == 0, 0, exponent - least)
    return digits.astype(object) << shift.astype(object), Fraction(2) ** least


def sqrt_above(square: Fraction) -> float:
    """Return a float that is at least the square root, and close to it.

    >>> sqrt_above(Fraction(1, 4)), sqrt_above(Fraction(0))
    (0.5, 0.0)
    """
    value = _approximate_sqrt(square)
    while Fraction(value) ** 2 < square:
        value = nextafter(value, inf)
    return value


def sqrt_below(square: Fraction) -> float:
    """Return a float that is at most the square root, and close to it."""
    value = nextafter(_approximate_sqrt(square), inf)
    while Fraction(value) ** 2 > square:
        value = nextafter(value, 0.0)
    return value


def _approximate_sqrt(square: Fraction) -> float:
    """Return the square root of a number of any size, nearly as exact as a float."""
    p, q = square.numerator, square.denominator
    shift = 2 * max(0, (128 - p.bit_length() + q.bit_length() + 1) // 2)
    root = isqrt((p << shift) // q)
    drop = max(0, root.bit_length() - 60)
    return ldexp(float(root >> drop), drop - shift // 2)


def read_problem(
    X: Any, y: Any, *, fit_intercept: bool = True, scaling: float = 1.0, target: Any = None
) -> Problem:
    """Return the separation problem of a table and its labels, without rounding."""
    table, labels = read_table(X), to_array(y, "y")
    if labels.ndim != 1 or len(labels) != table.X.shape[0]:
        rows = table.X.shape[0]
        raise ValueError(f"y has shape {labels.shape}; {rows} examples need ({rows},).")
    classes, codes = _classes(labels)
    if target is not None:
        target = _plain_label(target)
        if target not in classes:
            raise ValueError(f"target={target!r} must be one of the labels in y.")
    if not scaling > 0 or float(scaling) != scaling:
        raise ValueError(f"intercept_scaling={scaling!r} must be a positive float.")
    c = float(scaling) if fit_intercept else 0.0
    return Problem(table.X, codes, classes, target, c, table.fractions)


def _classes(labels: Array) -> tuple[tuple[Any, ...], Array]:
    """Return the distinct labels in order, and the index of each example's label."""
    missing = ValueError("y holds missing or mixed labels; give each example a class of one type.")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise missing
    try:
        if labels.dtype.kind == "O" and any(label != label for label in labels.tolist()):
            raise TypeError
        classes, codes = np.unique(labels, return_inverse=True)
        named = tuple(_plain_label(label) for label in classes.tolist())
    except TypeError as error:
        raise missing from error
    if len(set(named)) < len(named):
        raise ValueError(
            "y holds different labels that are equal as floats; use strings as labels."
        )
    return named, codes


def _plain_label(label: Any) -> Any:
    """Return a label as a plain value: integers of any type are the same label."""
    if isinstance(label, np.longdouble):
        label = float(label)
    label = label.item() if isinstance(label, np.generic) else label
    return int(label) if isinstance(label, (bool, float)) and label % 1 == 0 else label
