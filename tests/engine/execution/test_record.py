"""The packed record: kinds of arguments, what is packed, and what comes back."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
import pytest

from rosenblatt.engine.execution import fast, record


class Pair(NamedTuple):
    first: object
    second: object


def described(*arguments):
    kinds, slots = [], []
    for argument in arguments:
        record.describe(argument, kinds, slots)
    return tuple(kinds), slots


def test_numbers_take_a_slot_each():
    kinds, slots = described(3, 2.5, True, np.float32(0.5), np.int32(-1), np.bool_(False))
    assert kinds == ("q", "d", "?", "d", "q", "?")
    assert slots == [3, 2.5, True, 0.5, -1, False]
    assert record.packer(slots).size == 8 * record.RESULTS


def test_arrays_take_address_and_shape_and_strides_where_they_need_them():
    table = np.zeros((2, 3))
    kinds, slots = described(table, table.T, table[:, ::2])
    assert kinds == ("<f8", 2, "<f8", -2, "<f8", "2s")
    address = table.ctypes.data
    assert slots == [address, 2, 3, address, 3, 2, address, 2, 2, 24, 16]


def test_the_kind_of_a_tuple_is_its_class_and_its_fields():
    assert described(Pair(1, (2.0,)))[0] == (Pair, "q", tuple, "d", ")", ")")
    assert described(Pair(1, 2.0))[0] != described((1, 2.0))[0]


def test_symbols_differ_with_kinds_and_functions():
    one, other = described(np.zeros(1))[0], described(np.zeros(1, np.float32))[0]
    names = {record.symbol(f, k) for f in (described, struct.pack) for k in (one, other)}
    assert len(names) == 4


def test_unaligned_arrays_are_refused():
    raw = np.zeros(17, np.uint8)
    with pytest.raises(ValueError, match="aligned arrays only; copy"):
        described(raw[1:].view(np.float64))


@pytest.mark.parametrize(
    ("returns", "values"),
    [("", None), ("q", -5), ("?", True), ("(qd)", (1, 2.5)), ("(q(d?)q)", (1, (0.5, False), 2))],
)
def test_results_come_back_as_they_were(returns, values):
    flat = []

    def flatten(value):
        for part in value if isinstance(value, tuple) else [value]:
            flatten(part) if isinstance(part, tuple) else flat.append(part)

    if values is not None:
        flatten(values)
    packed = bytearray(record.packer(flat).pack(*flat, *[0] * (record.RESULTS - len(flat))))
    assert record.unpacker(returns)(packed) == values


def total_and_count(table, weights, pair):
    total = 0.0
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            total += pair.first * table[i, j] * weights[j]
            table[i, j] += 1.0
    return total, table.shape[0] > 1, pair.second


def test_one_call_of_code_compiled_just_in_time():
    """Every layout in, a nested result out; not shipped, so it takes Numba."""
    pytest.importorskip("numba")
    base = np.arange(12.0).reshape(3, 4)
    for table in (base.copy(), base.copy().T, np.repeat(base, 2, axis=1)[:, ::2]):
        weights = np.arange(table.shape[1], dtype=np.int32)
        want = total_and_count(table.copy(), weights, Pair(2.0, 7))
        before = table.copy()
        assert fast(total_and_count)(table, weights, Pair(2.0, 7)) == want
        assert np.array_equal(table, before + 1)


def divided(a, b):
    return a // b


def test_a_loop_that_fails_is_an_error():
    pytest.importorskip("numba")
    with pytest.raises(ArithmeticError, match="loop divided failed"):
        fast(divided)(1, 0)
