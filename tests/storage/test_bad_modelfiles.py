"""Model files that are damaged, cut short or made to deceive are refused in one sentence."""

from __future__ import annotations

import json
import re
import struct

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rosenblatt
from rosenblatt.storage import modelfile
from tests.support.fits import LABELS, X, Y, assert_equal, fitted, wide

# --- bad files ------------------------------------------------------------------------------


def content(**parameters):
    return modelfile.content(fitted("AveragedPerceptron", Y, **parameters))


def header_of(raw):
    (length,) = struct.unpack("<Q", raw[:8])
    return json.loads(raw[8 : 8 + length]), raw[8 + length :]


def rebuilt(header, body):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def changed(raw, change):
    """The same file with something changed in what the model says of itself."""
    header, body = header_of(raw)
    told = json.loads(header["__metadata__"]["rosenblatt"])
    told = change(told) or told
    header["__metadata__"]["rosenblatt"] = json.dumps(told)
    return rebuilt(header, body)


def fit_of(told):
    return told["fitted"]["dict"]


def nan_weights(raw):
    header, body = header_of(raw)
    first, last = header["fitted.coef_"]["data_offsets"]
    return rebuilt(header, body[:first] + b"\xff" * (last - first) + body[last:])


def other_shape(raw):
    header, body = header_of(raw)
    header["fitted.coef_"]["shape"] = header["fitted.coef_"]["shape"][::-1]
    return rebuilt(header, body)


def other_dtype(raw):
    header, body = header_of(raw)
    header["fitted.coef_"]["dtype"] = "I64"
    return rebuilt(header, body)


def put(path, value):
    def change(told):
        at = told
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value

    return lambda raw: changed(raw, change)


STATE = ("fitted", "dict", "_stream", "tuple", 1, 0, "fields")
DAMAGE = {
    "empty": (lambda raw: b"", "no model file"),
    "short": (lambda raw: raw[:40], "cut short"),
    "cut": (lambda raw: raw[:-8], "damaged"),
    "longer": (lambda raw: raw + b"more", "damaged"),
    "magic": (lambda raw: b"PK\x03\x04" + raw[4:], "no model file"),
    "pickle": (lambda raw: b"\x80\x04\x95" + raw, "no model file"),
    "huge header": (lambda raw: struct.pack("<Q", 2**63) + raw[8:], "no model file"),
    "large header": (lambda raw: struct.pack("<Q", 2**27) + raw[8:], "no model file"),
    "no json": (lambda raw: struct.pack("<Q", 16) + b"{" * 16 + raw, "damaged"),
    "other arrays": (lambda raw: rebuilt({}, b""), "no model of this library"),
    "nan": (nan_weights, r"_model\.coef"),
    "shape": (other_shape, "fit together"),
    "dtype": (other_dtype, r"_model\.coef"),
    "later format": (put(("format",), "rosenblatt-model/2"), "upgrade rosenblatt"),
    "other format": (put(("format",), "rosenblatt-journal/1"), "something else"),
    "estimator": (put(("estimator",), "Pipeline"), "not known"),
    "module": (put(("estimator",), "os.system"), "not known"),
    "parameter": (put(("parameters", "dict", "evil"), 1), "no parameter 'evil'"),
    "old name": (
        put(("parameters", "dict", "eta"), 1.0),
        "Perceptron has no parameter 'eta'; load it with that version, or train the model again",
    ),
    "text for number": (put(("parameters", "dict", "max_iter"), "ten"), "max_iter"),
    "negative": (put(("parameters", "dict", "eta0"), -1.0), "eta0"),
    "list for number": (put(("parameters", "dict", "eta0"), [1.0]), "eta0"),
    "call": (
        put(("parameters", "dict", "eta0"), {"record": "system", "fields": {"command": "ls"}}),
        "unknown kind",
    ),
    "array missing": (put(("fitted", "dict", "coef_", "array"), "nowhere"), "missing"),
    "classes": (put(("fitted", "dict", "classes_"), {"strings": ["a"], "width": 1}), "classes"),
    "unsorted": (
        put(("fitted", "dict", "classes_"), {"strings": ["c", "b", "a"], "width": 1}),
        "sorted",
    ),
    "wide texts": (
        put(("fitted", "dict", "classes_"), {"strings": ["a", "b", "c"], "width": 2**40}),
        "length",
    ),
    "features": (put(("fitted", "dict", "n_features_in_"), 3), "shape"),
    "model": (put(("fitted", "dict", "_model"), 7), "_model"),
    "state": (put((*STATE, "state"), {"array": "fitted.coef_"}), "further learning"),
    "other classes to go on with": (
        put(("fitted", "dict", "_stream", "tuple", 0), {"objects": [0, 1, 5]}),
        "further learning",
    ),
    "readout": (put((*STATE, "readout"), 0), "readout"),
    "recipe": (put(("recipe",), [1, 2]), "recipe"),
    "gone": (lambda raw: changed(raw, lambda told: fit_of(told).pop("_model") and None), "_model"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_bad_file_is_refused_in_one_sentence(damage, tmp_path):
    change, words = DAMAGE[damage]
    path = tmp_path / "bad.rbt"
    path.write_bytes(change(content()))
    with pytest.raises(ValueError, match=words) as caught:
        rosenblatt.load(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert message.endswith(".")


def test_weights_of_another_width_are_no_state_to_go_on_from(tmp_path):
    path, raw = tmp_path / "bad.rbt", modelfile.content(fitted("Perceptron", Y))
    path.write_bytes(put((*STATE, "state"), {"array": "fitted.coef_"})(raw))
    with pytest.raises(ValueError, match="further learning"):
        rosenblatt.load(path)


def test_deep_nesting_and_long_numbers_are_refused(tmp_path):
    path = tmp_path / "deep.rbt"
    header, body = header_of(content())
    for text in ("[" * 200_000 + "]" * 200_000, "1" * 10_000, '{"format": NaN}'):
        header["__metadata__"]["rosenblatt"] = text
        path.write_bytes(rebuilt(header, body))
        with pytest.raises(ValueError, match=re.escape(str(path))):
            rosenblatt.load(path)


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(FileNotFoundError):
        rosenblatt.load(tmp_path / "none.rbt")


def test_files_of_other_patch_versions_load(tmp_path):
    def later(told):
        told["version"] = "0.1.99"
        fit_of(told)["later_"] = {"later": "kind"}
        told["parameters"]["dict"].pop("journal_size")  # as if it had not existed yet

    one = fitted("AveragedPerceptron")
    path = tmp_path / "m.rbt"
    path.write_bytes(changed(modelfile.content(one), later))
    with pytest.raises(ValueError, match="later_"):
        rosenblatt.load(path)

    def plain(told):
        later(told)
        fit_of(told)["later_"] = 5

    path.write_bytes(changed(modelfile.content(one), plain))
    other = rosenblatt.load(path)
    assert not hasattr(other, "later_")
    assert_equal(other, one)


WEIGHTS = ("fitted", "dict", "coef_")


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("there", "nowhere", "where its numbers stand"),
        ("there", "fitted.coef_", "where its numbers stand"),
        ("shape", [3, 2**40], "where its numbers stand"),
        ("shape", [3, -20_000], "impossible shape"),
        ("shape", "many", "impossible shape"),
        ("there", ["a", "list"], "cannot be read"),
    ],
)
def test_a_map_of_weights_that_does_not_fit_is_refused(place, value, words, tmp_path):
    path = tmp_path / "bad.rbt"
    path.write_bytes(put((*WEIGHTS, place), value)(modelfile.content(wide()[0])))
    with pytest.raises(ValueError, match=words):
        rosenblatt.load(path)


def test_more_places_than_weights_are_refused(tmp_path):
    header, body = header_of(modelfile.content(wide()[0]))
    first, last = header["fitted.coef_.there"]["data_offsets"]
    (tmp_path / "bad.rbt").write_bytes(
        rebuilt(header, body[:first] + b"\xff" * (last - first) + body[last:])
    )
    with pytest.raises(ValueError, match="more or fewer numbers"):
        rosenblatt.load(tmp_path / "bad.rbt")


SAMPLES = {
    "averaged": lambda: fitted("AveragedPerceptron"),
    "voted": lambda: fitted("VotedPerceptron", LABELS["texts"][Y], sp.csr_array(X)),
    "kernel": lambda: fitted("KernelPerceptron", readout="voted"),
    "wide": lambda: wide()[0],
}
RAW = {name: modelfile.content(make()) for name, make in SAMPLES.items()}


def survives(raw, path):
    """Loading ends in a model that predicts and learns, or in a ValueError."""
    path.write_bytes(raw)
    try:
        model = rosenblatt.load(path)
    except ValueError:
        return
    try:
        model.predict(np.ones((2, 4)))
        if hasattr(model, "coef_"):
            model.partial_fit(np.ones((2, 4)), model.classes_[:2])
    except (ValueError, TypeError):
        return


bounded = settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@bounded
@given(st.data())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # changed weights may be huge
def test_changed_bytes_do_no_harm(tmp_path, data):
    raw = bytearray(RAW[data.draw(st.sampled_from(sorted(RAW)))])
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, max(0, len(raw) - 1)))
        kind = data.draw(st.sampled_from(["set", "drop", "insert", "cut"]))
        if kind == "set" and raw:
            raw[at] = data.draw(st.integers(0, 255))
        elif kind == "drop":
            del raw[at : at + data.draw(st.integers(1, 64))]
        elif kind == "insert":
            raw[at:at] = data.draw(st.binary(min_size=1, max_size=16))
        else:
            del raw[max(at, 1) :]
    survives(bytes(raw), tmp_path / "m.rbt")


def places(tree, path=()):
    """Every place in a tree of JSON."""
    yield path
    if isinstance(tree, (dict, list)):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(value, (*path, key))


odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.just([]),
    st.just({}),
    st.sampled_from(["fitted.coef_", "fitted.classes_", "fitted._model.coef"]).map(
        lambda name: {"array": name}
    ),
    st.just({"float": "nan"}),
    st.just({"tuple": []}),
    st.just({"record": "Linear", "fields": {}}),
)


@bounded
@given(st.data())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_changed_words_do_no_harm(tmp_path, data):
    raw = RAW[data.draw(st.sampled_from(sorted(RAW)))]

    def change(told):
        every = [place for place in places(told) if place]
        for place in data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=3)):
            at = told
            try:
                for key in place[:-1]:
                    at = at[key]
                at[place[-1]] = data.draw(odd)
            except (KeyError, TypeError, IndexError):
                continue  # an earlier change took it away

    survives(changed(raw, change), tmp_path / "m.rbt")
