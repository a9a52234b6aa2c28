"""The svmlight parser: exact, as strict as others, and with the line of what is wrong."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt.data import DataError
from rosenblatt.data.sources.svmlight import parse
from rosenblatt.engine.execution import fast as compile_loop
from tests.data.tables import SHARED, needs_shared

finite = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def spellings(draw) -> str:
    """A number as people and programs write it."""
    value = draw(finite)
    form = draw(
        st.sampled_from([repr, "{:.17g}".format, "{:g}".format, "{:+.3f}".format, "{:e}".format])
    )
    return form(value)


both = pytest.mark.parametrize("compile_loop", [None, compile_loop], ids=["arrays", "loop"])


@both
@given(
    st.lists(
        st.tuples(spellings(), st.dictionaries(st.integers(1, 10**6), spellings(), max_size=5)),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from([" ", "  ", "\t"]),
    st.sampled_from(["\n", " \n", "\r\n", "\n\n", " # note: 3:4\n"]),
)
def test_doubles_are_those_of_python(compile_loop, rows, gap, end):
    rows = [(label, sorted(cells.items())) for label, cells in rows]
    lines = [gap.join([label, *(f"{i}:{v}" for i, v in cells)]) for label, cells in rows]
    X, y = parse((end.join(lines) + end).encode(), compile_loop=compile_loop)
    assert y.tolist() == [float(label) for label, _ in rows]
    want = [float(value) for _, cells in rows for _, value in cells]
    assert X.data.tobytes() == np.array(want).tobytes()  # bit for bit, signs of zero too
    assert (X.indices + 1).tolist() == [i for _, cells in rows for i, _ in cells]
    assert np.diff(X.indptr).tolist() == [len(cells) for _, cells in rows]


@both
@pytest.mark.parametrize("zero_based", [True, False])
def test_equals_scikit_learn_on_its_own_files(compile_loop, zero_based):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40)) * (rng.random((300, 40)) < 0.2)
    y = rng.integers(0, 3, 300).astype(float)
    file = io.BytesIO()
    dump_svmlight_file(
        X, y, file, zero_based=zero_based, comment="made here", query_id=np.arange(300)
    )
    got, labels = parse(file.getvalue(), zero_based=zero_based, compile_loop=compile_loop)
    file.seek(0)
    want, want_labels = load_svmlight_file(file, zero_based=zero_based)
    assert (labels == want_labels).all()
    assert (got.toarray() == want.toarray()).all()


@both
@needs_shared
@pytest.mark.parametrize("name", ["a9a.gz", "a9a.t.gz", "heart_scale.gz"])
def test_equals_scikit_learn_on_real_files(compile_loop, name):
    content = gzip.decompress((SHARED / "sparse" / name).read_bytes())
    X, y = load_svmlight_file(io.BytesIO(content))
    got, labels = parse(content, compile_loop=compile_loop)
    assert (labels == y).all()
    assert got.shape == X.shape
    assert got.data.tobytes() == X.data.tobytes()
    assert (got.indices == X.indices).all()
    assert (got.indptr == X.indptr).all()


@both
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("1 1:2\nx 1:2\n", r'line 2: the label "x" is not a number'),
        ("1 1:2\n\n1,2 1:2\n", r'line 3: the label "1,2" is not a number'),
        ("1 1:2 3\n", r'line 1: "3" is not of the form index:value'),
        ("1 1:\n", r'line 1: the value of "1:" is not a number'),
        ("1 :2\n", r'line 1: ":2" is not of the form'),
        ("1 1: 2\n", r'line 1: the value of "1:" is not a number'),
        ("1 1:2:3\n", r'line 1: the value of "1:2:3" is not a number'),
        ("1 1:0x10\n", r'the value of "1:0x10" is not a number'),
        ("1 1:1_0\n", r'the value of "1:1_0" is not a number'),
        ("1 1:nan\n", r'the value of "1:nan" is not a number'),
        ("1 1:1e999\n", r'the value of "1:1e999" is not a number'),
        ("1 -1:2\n", r'"-1:2" is not of the form'),
        ("1 1.5:2\n", r'"1.5:2" is not of the form'),
        ("1 a:2\n", r'"a:2" is not of the form'),
        ("1 0:2\n", r"index 0, but indices were counted from 1"),
        ("1 3:1 2:1\n", r"index 2 comes after 3"),
        ("1 3:1 3:1\n", r"index 3 comes after 3"),
        ("1 99999999999:1\n", r"index 99999999999 is larger than"),
        ("1 1:2\n2:3\n", r'line 2: the label "2:3" is not a number'),
        ("1 1:+-2\n", r'the value of "1:\+-2" is not a number'),
        ("1 1:+\n", r'the value of "1:\+" is not a number'),
        ("1 1:\u00e9\n", r"is not a number"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(compile_loop, content, reason):
    with pytest.raises(DataError, match=reason):
        parse(content.encode(), file="some.svm", compile_loop=compile_loop)


@both
def test_errors_of_files_that_count_from_zero(compile_loop):
    with pytest.raises(DataError, match=r'line 2: "x" is not of the form index:value'):
        parse(b"1 0:2\n1 0:3 x\n", zero_based=True, compile_loop=compile_loop)


@both
def test_lines_without_features_and_without_anything(compile_loop):
    X, y = parse(b"\n1\n-1 # nothing\n\n2 4:1", compile_loop=compile_loop)
    assert y.tolist() == [1, -1, 2]
    assert X.toarray().tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    X, y = parse(b"# only a comment\n\n", compile_loop=compile_loop)
    assert X.shape == (0, 0)
    assert len(y) == 0


def outcome(content: bytes, compile_loop) -> object:
    """What a parser gives, or says."""
    try:
        X, y = parse(content, compile_loop=compile_loop)
    except DataError as error:
        return str(error)
    return X.shape, X.data.tobytes(), X.indices.tolist(), X.indptr.tolist(), y.tobytes()


NUMBERS = [
    "1",
    "-1",
    "+2",
    "0.1",
    "1e5",
    "1e-400",
    "1e23",
    "123456789012345678",
    "9007199254740993",
    ".5",
    "1.",
    "00",
    "nan",
]
PAIRS = ["1:", "2:", "3:", "12:", "0:", "2147483648:", "qid:4", "x", "#", ":", ".", "e", "-", "+"]
pieces = st.sampled_from([*NUMBERS, *PAIRS, " ", " ", " ", "\t", "\n", "\n", "\r\n"])


@given(st.lists(pieces, max_size=30))
def test_the_loop_is_the_parser_of_arrays(parts):
    content = "".join(parts).encode()
    assert outcome(content, compile_loop) == outcome(content, None)


@pytest.mark.parametrize("digits", range(1, 25))
def test_numbers_of_every_length_and_power(digits):
    rng = np.random.default_rng(digits)
    wholes = ["".join(map(str, rng.integers(0, 10, digits))) for _ in range(40)]
    texts = [f"{w[:cut]}.{w[cut:]}0e{p}" for w in wholes for cut in (1, digits // 2 or 1)
             for p in (-330, -40, -23, -22, -5, 0, 9, 22, 23, 40, 280)]  # fmt: skip
    content = "\n".join(f"{t} 7:-{t}" for t in texts).encode()
    X, y = parse(content, compile_loop=compile_loop)
    assert y.tobytes() == np.array([float(t) for t in texts]).tobytes()
    assert X.data.tobytes() == np.array([-float(t) for t in texts]).tobytes()
