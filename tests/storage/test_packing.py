"""What goes into a model file comes back the same, and what does not fit is refused."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.storage.packing import MANY, Packer, Unpacker

THIN = np.zeros((2, MANY))
THIN[0, [3, 700]], THIN[1, 9], THIN[1, 10] = (1.5, -2.0), 1e-300, -0.0


def back(value):
    packer = Packer()
    packed = packer.pack(value, "value")
    return Unpacker(packer.arrays).unpack(packed, "value")


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        THIN,
        np.asfortranarray(THIN),
        np.arange(4, dtype=">i4"),
        np.array([[True, False]]),
        np.array(["a", "long"]),
        np.zeros((0, 3)),
    ],
    ids=lambda array: f"{array.dtype} {array.shape} {array.flags.c_contiguous}",
)
def test_arrays_come_back_with_their_bits_and_their_layout(array):
    again = back(array)
    assert again.shape == array.shape
    assert again.dtype == array.dtype.newbyteorder("=")
    assert again.tobytes() == array.astype(again.dtype).tobytes()
    assert again.flags.c_contiguous == array.flags.c_contiguous
    assert again.flags.f_contiguous == array.flags.f_contiguous


def test_values_come_back():
    value = {"a": [1, 2.5, None, "x", True], "b": (1, (2,)), 3: inf, "c": {"d": -inf}}
    assert back(value) == value


def test_a_sparse_matrix_comes_back():
    matrix = sp.csr_array(np.array([[0.0, 2.0], [0.0, 0.0], [-1.0, 0.0]]))
    again = back(matrix)
    assert np.array_equal(again.toarray(), matrix.toarray())
    assert isinstance(again, sp.csr_array)


def test_one_array_in_two_places_stays_one():
    for array in (np.arange(3.0), np.asfortranarray(np.ones((2, 3))), THIN):
        one, other = back([array, array])
        assert one is other


def test_random_numbers_go_on():
    generator = np.random.RandomState(4)
    again = back(generator)
    assert again is not generator
    assert np.array_equal(again.random_sample(5), generator.random_sample(5))


def spread(bits=None, values=None, shape=None):
    """The unpacked array whose zeros are left out, with a part of it replaced."""
    packer = Packer()
    told = packer.pack(THIN, "value")
    arrays = packer.arrays
    if bits is not None:
        arrays["value.there"] = bits(arrays["value.there"])
    if values is not None:
        arrays["value"] = values(arrays["value"])
    return Unpacker(arrays).unpack(told | ({"shape": shape} if shape else {}), "value")


@pytest.mark.parametrize(
    "change",
    [
        {"bits": lambda bits: bits[:-1]},
        {"bits": lambda bits: np.append(bits, np.uint8(0))},
        {"bits": lambda bits: bits | np.uint8(1)},
        {"bits": lambda bits: bits.astype(np.int64)},
        {"values": lambda values: values[:-1]},
        {"values": lambda values: values[None]},
        {"shape": [2, MANY + 8]},
        {"shape": [-2, -MANY]},
        {"shape": [2.0, MANY]},
    ],
)
def test_a_map_that_does_not_fit_is_refused(change):
    assert spread().tobytes() == THIN.tobytes()
    with pytest.raises(ValueError, match="value"):
        spread(**change)
