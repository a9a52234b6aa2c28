"""What is packed is unpacked the same, and what does not pass its test is rejected."""

from __future__ import annotations

import io
from dataclasses import dataclass
from math import inf, nan

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.storage import codec
from rosenblatt.storage.codec import MASKED_SIZE, Kind, Packer, Unpacker

THIN = np.zeros((2, MASKED_SIZE))
THIN[0, [3, 700]], THIN[1, 9], THIN[1, 10] = (1.5, -2.0), 1e-300, -0.0


@dataclass
class Step:
    """A record of integers."""

    number: int
    size: int


@dataclass
class Pair:
    """A record of two arrays of equal length."""

    one: np.ndarray
    other: np.ndarray


KINDS = {
    "Step": Kind(Step, {"number": codec.whole, "size": codec.whole}, absent={"size": 7}),
    "Pair": Kind(
        Pair,
        {"one": codec.vector, "other": codec.vector},
        lambda pair: len(pair.one) == len(pair.other),
    ),
}


def back(value):
    packer = Packer(KINDS)
    packed = packer.pack(value, "value")
    return Unpacker(packer.arrays, KINDS).unpack(packed, "value")


def unpack(packed, **arrays):
    return Unpacker(arrays, KINDS).unpack(packed, "value")


# --- tests of fields ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "good", "bad"),
    [
        (codec.real, [0, -1.5, inf, -inf], [nan, True, "1", None, 1j]),
        (codec.whole, [0, -(2**52), 2**52], [True, 1.0, 2**53, -(2**53), "1", None]),
        (codec.flag, [True, False], [0, 1, None, "true"]),
        (codec.text, ["", "a"], [b"a", 1, None]),
        (
            codec.vector,
            [np.zeros(0), np.ones(3)],
            [np.ones((1, 3)), np.array([nan]), [1.0], np.ones(3, np.float32)],
        ),
        (codec.matrix, [np.ones((1, 3))], [np.ones(3), np.array([[inf]]), np.ones((1, 1), int)]),
        (codec.counts, [np.array([-1, 2])], [np.array([1.0]), np.array([True]), np.array(1)]),
        (
            codec.table,
            [np.ones((2, 1)), np.ones((2, 1), np.float32), sp.csr_array(np.eye(2))],
            [sp.csr_array([[inf]]), sp.csr_array([[1]]), 3, None, np.ones(2), np.ones((2, 1), int)],
        ),
        (
            codec.named_arrays,
            [{}, {"a": np.array(1.0), "b": np.arange(3)}],
            [{"a": np.array("text")}, {"a": 1.0}, [np.ones(1)], {"a": np.array(nan)}],
        ),
        (codec.many(codec.flag), [[], [True]], [(True,), [True, 1], None]),
        (codec.either(codec.nothing, codec.flag), [None, True], [1, "None"]),
        (codec.is_a(str, dict), ["", {}], [1, None]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_test_passes_what_it_should_and_nothing_else(test, good, bad):
    assert [test(value) for value in good] == [True] * len(good)
    assert [test(value) for value in bad] == [False] * len(bad)


@pytest.mark.parametrize(
    ("numbers", "fine"), [([], True), ([0, 2], True), ([0, 3], False), ([-1, 2], False)]
)
def test_indices_are_below_the_length(numbers, fine):
    assert codec.within(np.array(numbers, np.int64), 3) is fine


# --- there and back -------------------------------------------------------------------------


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
        np.array(["a", "long"], "<U7"),
        np.zeros((0, 3)),
        np.array(2.5),
    ],
    ids=lambda array: f"{array.dtype} {array.shape} {array.flags.c_contiguous}",
)
def test_arrays_keep_their_bits_and_their_layout(array):
    again = back(array)
    assert again.shape == array.shape
    assert again.dtype == array.dtype.newbyteorder("=")
    assert again.tobytes() == array.astype(again.dtype).tobytes()
    assert again.flags.c_contiguous == array.flags.c_contiguous
    assert again.flags.f_contiguous == array.flags.f_contiguous


def test_values_are_kept():
    value = {"a": [1, 2.5, None, "x", True], "b": (1, (2,)), 3: inf, "c": {"d": -inf}}
    assert back(value) == value


def test_a_sparse_matrix_is_kept():
    matrix = sp.csr_array(np.array([[0.0, 2.0], [0.0, 0.0], [-1.0, 0.0]]))
    again = back(matrix)
    assert np.array_equal(again.toarray(), matrix.toarray())
    assert isinstance(again, sp.csr_array)


def test_an_array_in_two_places_stays_one():
    dense = np.arange(3.0), np.asfortranarray(np.ones((2, 3))), THIN
    for array in (*dense, sp.csr_array(THIN), sp.csr_matrix(THIN)):
        one, other = back([array, array])
        assert one is other


def test_random_numbers_continue():
    generator = np.random.RandomState(4)
    again = back(generator)
    assert again is not generator
    assert np.array_equal(again.random_sample(5), generator.random_sample(5))


def test_many_records_of_integers_are_one_array():
    steps = [Step(k, -k) for k in range(1000)]
    packer = Packer(KINDS)
    packed = packer.pack(steps, "value")
    assert packed == {"rows": "Step", "values": {"array": "value"}}
    assert packer.arrays["value"].shape == (1000, 2)
    assert back(steps) == steps
    assert back((steps[0],)) == (steps[0],)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (len, "value is a function"),
        ({"a": object()}, r"value\.a is of type object"),
        (np.array([None]), "neither strings nor numbers"),
        (np.array([1j]), "array of complex128"),
        (np.array([["a"]]), "2 dimensions"),
    ],
)
def test_what_is_not_data_is_rejected(value, words):
    with pytest.raises(TypeError, match=words):
        Packer(KINDS).pack(value, "value")


def test_arrays_in_a_file(tmp_path):
    arrays = {"a": np.arange(3.0), "b.c": np.array([[True]])}
    (tmp_path / "a.npz").write_bytes(codec.npz_content(arrays))
    again = codec.read_npz(tmp_path / "a.npz")
    assert again.keys() == arrays.keys()
    assert all(np.array_equal(again[name], arrays[name]) for name in arrays)
    with pytest.raises(FileNotFoundError):
        codec.read_npz(tmp_path / "b.npz")


def test_a_damaged_file_of_arrays_is_rejected(tmp_path):
    raw, path = codec.npz_content({"a": np.arange(100.0)}), tmp_path / "a.npz"
    single = io.BytesIO()
    np.save(single, np.arange(3.0))
    objects = codec.npz_content({"a": np.array([{}], object)})
    for bad in (b"", b"text", raw[:50], raw[:-30], raw[:300] + b"x" + raw[301:], objects,
                single.getvalue()):  # fmt: skip
        path.write_bytes(bad)
        with pytest.raises(ValueError, match="not a file of arrays, or it is damaged"):
            codec.read_npz(path)


# --- what is wrong in a file ----------------------------------------------------------------


def test_fields_that_are_missing_have_their_default_and_others_are_ignored():
    assert unpack({"record": "Step", "fields": {"number": 1}}) == Step(1, 7)
    assert unpack({"record": "Step", "fields": {"number": 1, "later": [2]}}) == Step(1, 7)


STATE = {"dict": {"bit_generator": "MT19937", "state": 1}}
BAD = {
    "a kind without a tag": ({"other": 1}, {}),
    "an empty object": ({}, {}),
    "a number": ({"float": "1.0"}, {}),
    "an unknown record": ({"record": "os.system", "fields": {}}, {}),
    "a record without fields": ({"record": "Step"}, {}),
    "a missing field": ({"record": "Step", "fields": {"size": 1}}, {}),
    "a wrong field": ({"record": "Step", "fields": {"number": "1"}}, {}),
    "a field of an unknown kind": ({"record": "Step", "fields": {"number": 1, "x": {"y": 1}}}, {}),
    "parts that do not fit": (
        {"record": "Pair", "fields": {"one": {"array": "a"}, "other": {"array": "b"}}},
        {"a": np.ones(2), "b": np.ones(3)},
    ),
    "rows of another width": (
        {"rows": "Step", "values": {"array": "a"}},
        {"a": np.ones((2, 3), int)},
    ),
    "rows of reals": ({"rows": "Step", "values": {"array": "a"}}, {"a": np.ones((2, 2))}),
    "rows of large numbers": (
        {"rows": "Step", "values": {"array": "a"}},
        {"a": np.full((1, 2), 2**62)},
    ),
    "rows of what is not made of integers": (
        {"rows": "Pair", "values": {"array": "a"}},
        {"a": np.ones((2, 2), int)},
    ),
    "an array that is missing": ({"array": "a"}, {}),
    "an array without a name": ({"array": ["a"]}, {}),
    "a mask that is missing": ({"array": "a", "mask": "b", "shape": [2]}, {"a": np.ones(1)}),
    "a mask without a name": ({"array": "a", "mask": ["b"], "shape": [2]}, {"a": np.ones(1)}),
    "strings of another kind": ({"strings": ["a", 1], "width": 1}, {}),
    "strings that are too long": ({"strings": ["abc"], "width": 2}, {}),
    "strings that are very wide": ({"strings": ["abc"], "width": 2**40}, {}),
    "objects": ({"objects": [[1]]}, {}),
    "no sparse matrix": ({"csr": {}, "shape": [1, 1]}, {}),
    "a random generator": ({"random": STATE}, {}),
    "a tuple": ({"tuple": 1}, {}),
    "a dictionary": ({"dict": [1]}, {}),
    "pairs": ({"map": [[1, 2, 3]]}, {}),
    "a key": ({"map": [[[1], 2]]}, {}),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_a_value_error_that_names_the_place(case):
    packed, arrays = BAD[case]
    with pytest.raises(ValueError, match="value"):
        unpack(packed, **arrays)


def sparse(**changes):
    parts = {"data": np.ones(2), "indices": np.array([0, 1]), "indptr": np.array([0, 1, 2])}
    shape = changes.pop("shape", [2, 2])
    return unpack(
        {"csr": {name: {"array": name} for name in parts}, "shape": shape}, **(parts | changes)
    )


@pytest.mark.parametrize(
    "change",
    [
        {"indices": np.array([0, 2])},
        {"indices": np.array([0, -1])},
        {"indices": np.array([0.0, 1.0])},
        {"indptr": np.array([0, 1, 3])},
        {"indptr": np.array([0, 2])},
        {"data": np.ones(1)},
        {"data": np.ones((1, 2))},
        {"shape": [2]},
        {"shape": [2, -1]},
        {"shape": [2**50, 2]},
    ],
)
def test_a_sparse_matrix_that_reads_beyond_its_end_is_rejected(change):
    assert sparse().nnz == 2
    with pytest.raises(ValueError):  # noqa: PT011 - SciPy has its own words for some
        sparse(**change)


def masked(mask=None, values=None, shape=None):
    """Unpack an array whose zeros are left out, with a part of it replaced."""
    packer = Packer(KINDS)
    packed = packer.pack(THIN, "value")
    arrays = packer.arrays
    if mask is not None:
        arrays["value.mask"] = mask(arrays["value.mask"])
    if values is not None:
        arrays["value"] = values(arrays["value"])
    return Unpacker(arrays, KINDS).unpack(packed | ({"shape": shape} if shape else {}), "value")


@pytest.mark.parametrize(
    "change",
    [
        {"mask": lambda bits: bits[:-1]},
        {"mask": lambda bits: np.append(bits, np.uint8(0))},
        {"mask": lambda bits: bits | np.uint8(1)},
        {"mask": lambda bits: bits.astype(np.int64)},
        {"values": lambda values: values[:-1]},
        {"values": lambda values: values[None]},
        {"values": lambda values: values.astype(np.float32)},
        {"shape": [2, MASKED_SIZE + 8]},
        {"shape": [-2, -MASKED_SIZE]},
        {"shape": [2.0, MASKED_SIZE]},
    ],
)
def test_a_mask_that_does_not_fit_is_rejected(change):
    assert masked().tobytes() == THIN.tobytes()
    with pytest.raises(ValueError, match="value"):
        masked(**change)
