"""Models in files: the same bits come back, learning goes on, and bad files are refused."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import modelfile, rules
from rosenblatt.estimators import MEMBERS

X, Y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(5).permutation(len(Y))
X, Y = X[ORDER], Y[ORDER]
LABELS = {
    "texts": np.array(["setosa", "versi", "virginica"]),
    "objects": np.array(["a", "bb", "ccc"], object),
    "whole": np.array([-3, 0, 70]),
    "real": np.array([-1.0, 0.0, 3.0]),
    "truth": np.array([False, True, True]),
}


def fitted(name, y=Y, data=X, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MEMBERS[name](**({"random_state": 0, "max_iter": 8} | parameters)).fit(data, y)


def back(estimator, folder):
    path = folder / "model.rbt"
    rosenblatt.save(estimator, path)
    again = rosenblatt.load(path)
    assert type(again) is type(estimator)
    assert modelfile.content(again) == path.read_bytes()  # nothing was lost on the way
    return again


def assert_equal(one, other, data=X):
    assert np.array_equal(one.decision_function(data), other.decision_function(data))
    found, meant = one.predict(data), other.predict(data)
    assert found.dtype == meant.dtype
    assert np.array_equal(found, meant)
    assert one.summary() == other.summary()
    assert one.get_params().keys() == other.get_params().keys()
    if hasattr(other, "coef_"):
        assert np.array_equal(one.coef_, other.coef_)
        assert one.top_features() == other.top_features()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", MEMBERS)
def test_every_member_comes_back_and_goes_on(name, classes, tmp_path):
    y = np.minimum(Y, classes - 1)
    one = fitted(name, y)
    other = back(one, tmp_path)
    assert_equal(other, one)
    for part in (slice(0, 60), slice(60, 150)):  # once more in between
        one.partial_fit(X[part], y[part])
        other = back(other.partial_fit(X[part], y[part]), tmp_path)
    assert modelfile.content(one) == modelfile.content(other)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_stream_that_is_saved_between_batches_ends_in_the_same_bits(name, tmp_path):
    one, other = MEMBERS[name](random_state=0), MEMBERS[name](random_state=0)
    for first in range(0, 150, 30):
        part = slice(first, first + 30)
        one.partial_fit(X[part], Y[part], classes=[0, 1, 2])
        other = back(other.partial_fit(X[part], Y[part], classes=[0, 1, 2]), tmp_path)
    assert modelfile.content(one) == modelfile.content(other)


@pytest.mark.parametrize("readout", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("kind", ["dense", "single", "csr_matrix", "csr_array"])
def test_readouts_and_storages(readout, multiclass, kind, tmp_path):
    data = {"dense": X, "single": X.astype(np.float32)}.get(kind)
    if data is None:
        data = getattr(sp, kind)(X)
    one = fitted("PerceptronClassifier", data=data, readout=readout, multiclass=multiclass)
    other = back(one, tmp_path)
    assert_equal(other, one, data)
    one.partial_fit(data[:50], Y[:50])
    assert modelfile.content(one) == modelfile.content(other.partial_fit(data[:50], Y[:50]))


def wide(classes=3, **parameters):
    """A model of many features, most of which it has never met."""
    draw = np.random.default_rng(2)
    texts = sp.random_array((60, 20_000), density=0.001, format="csr", rng=draw)
    return fitted("AveragedPerceptron", np.arange(60) % classes, texts, **parameters), texts


@pytest.mark.parametrize("classes", [2, 3])
def test_weights_that_are_zero_take_no_room(classes, tmp_path):
    one, texts = wide(classes)
    one.coef_[0, np.flatnonzero(one.coef_[0] == 0)[7]] = -0.0  # not the same bits as zero
    other = back(one, tmp_path)
    assert other.coef_.tobytes() == one.coef_.tobytes()
    assert_equal(other, one, texts)
    held = 4 * one.coef_.nbytes  # last and averaged, to predict with and to go on from
    assert (tmp_path / "model.rbt").stat().st_size < 0.2 * held
    y = np.arange(30) % classes
    assert modelfile.content(one.partial_fit(texts[:30], y)) == modelfile.content(
        other.partial_fit(texts[:30], y)
    )


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


@pytest.mark.parametrize("labels", LABELS)
def test_classes_of_every_type(labels, tmp_path):
    one = fitted("AveragedPerceptron", LABELS[labels][Y])
    other = back(one, tmp_path)
    assert other.classes_.dtype == one.classes_.dtype
    assert_equal(other, one)


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "poly", "degree": 2, "readout": "last"},
        {"kernel": "rbf", "gamma": 0.5, "readout": "voted"},
        {"kernel": "linear", "readout": "random", "normalise": True},
        {"kernel": "sigmoid", "gamma": 0.01, "readout": "averaged", "normalise": True},
        {"kernel": "laplacian", "kernel_params": {"gamma": 0.2}, "readout": "pocket"},
        {"rule": rules.Margin(0.5), "readout": "averaged"},
    ],
    ids=lambda p: str(p.get("kernel", "rule")),
)
def test_kernels(parameters, tmp_path):
    one = fitted("KernelPerceptron", **parameters)
    assert_equal(back(one, tmp_path), one)


def test_a_gram_matrix(tmp_path):
    gram = X @ X.T
    one = fitted("KernelPerceptron", data=gram, kernel="precomputed")
    assert_equal(back(one, tmp_path), one, gram)


def test_parameters_of_every_type(tmp_path):
    draw = np.random.RandomState(3)
    parameters = {
        "rule": rules.PA1(C=np.float64(0.5)),
        "class_weight": {0: 1.0, 1: 2.5, 2: 1},
        "random_state": draw,
        "order": np.arange(len(Y))[::-1],
        "max_iter": np.int64(4),
    }
    one = fitted("PerceptronClassifier", **parameters)
    other = back(one, tmp_path)
    assert_equal(other, one)
    assert other.rule == one.rule
    assert other.class_weight == one.class_weight
    assert other.random_state.uniform() == draw.uniform()
    assert np.array_equal(other.order, one.order)


def test_full_covariance_and_names_of_features(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["länge", "b", "c", "d"])
    one = fitted("AROW", data=frame, covariance="full")
    other = back(one, tmp_path)
    assert_equal(other, one, frame)
    assert other.top_features(1)[0] == one.top_features(1)[0]
    one.partial_fit(frame, Y)
    assert modelfile.content(one) == modelfile.content(other.partial_fit(frame, Y))


def test_recipe_and_provenance_are_kept(tmp_path):
    recipe = {"columns": ["a", "b"], "mean": np.array([0.5, 1.5]), "none": None}
    origin = {"rows": 150, "digest": "ab12", "seed": 0, "versions": {"numpy": np.__version__}}
    path = tmp_path / "m.rbt"
    rosenblatt.save(fitted("Perceptron"), path, recipe=recipe, provenance=origin)
    model = modelfile.read(path)
    assert model.provenance == origin
    assert model.recipe["columns"] == ["a", "b"]
    assert np.array_equal(model.recipe["mean"], recipe["mean"])
    assert model.version == rosenblatt.__version__


def test_the_journal_comes_back(tmp_path):
    one = fitted("Perceptron", Y == 0)
    other = back(one, tmp_path)
    assert other.journal_.to_dict() == one.journal_.to_dict()
    assert np.array_equal(other.pass_mistakes_, one.pass_mistakes_)
    assert other.margin_bracket_ == one.margin_bracket_


# --- what cannot be saved -------------------------------------------------------------------


def cautious(look):
    return (0.5 if look.m <= 0.1 else 0.0), 1.0


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (lambda: fitted("PerceptronClassifier", rule=cautious), r"parameters\.rule is a function"),
        (
            lambda: fitted("KernelPerceptron", kernel=lambda a, b: float(a @ b)),
            r"parameters\.kernel is a function",
        ),
        (lambda: make_pipeline(StandardScaler(), fitted("Perceptron")), "not a Pipeline"),
    ],
    ids=["rule", "kernel", "pipeline"],
)
def test_what_is_no_data_is_refused(estimator, message, tmp_path):
    path = tmp_path / "m.rbt"
    path.write_bytes(b"old")
    with pytest.raises(TypeError, match=message):
        rosenblatt.save(estimator(), path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["m.rbt"]


def test_an_estimator_without_a_fit_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        rosenblatt.save(rosenblatt.Perceptron(), tmp_path / "m.rbt")


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
    "text for number": (put(("parameters", "dict", "max_iter"), "ten"), "max_iter"),
    "negative": (put(("parameters", "dict", "eta"), -1.0), "eta"),
    "list for number": (put(("parameters", "dict", "eta"), [1.0]), "eta"),
    "call": (
        put(("parameters", "dict", "eta"), {"record": "system", "fields": {"command": "ls"}}),
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


def test_loading_and_linear_prediction_import_no_numba(tmp_path):
    path = tmp_path / "m.rbt"
    rosenblatt.save(fitted("AveragedPerceptron"), path)
    code = (
        "import sys, rosenblatt\n"
        f"rosenblatt.load({str(path)!r}).predict([[1.0, 2.0, 3.0, 4.0]])\n"
        "print([name for name in ('numba', 'llvmlite', 'pickle5', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout
