"""Model files that are damaged, truncated or malicious are rejected in one sentence."""

from __future__ import annotations

import contextlib
import copy
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
from tests.fuzz.containers import MODEL
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
    """The same file with something changed in the model's own header."""
    header, body = header_of(raw)
    model = json.loads(header["__metadata__"]["rosenblatt"])
    change(model)
    header["__metadata__"]["rosenblatt"] = json.dumps(model)
    return rebuilt(header, body)


WEIGHTS = "outcome.predictor.coef"  # the array, under the name of its first place


def filled(raw, name):
    """The same file with all bits of an array set."""
    header, body = header_of(raw)
    first, last = header[name]["data_offsets"]
    return rebuilt(header, body[:first] + b"\xff" * (last - first) + body[last:])


def other_shape(raw):
    header, body = header_of(raw)
    header[WEIGHTS]["shape"] = header[WEIGHTS]["shape"][::-1]
    return rebuilt(header, body)


def other_dtype(raw, dtype="I64"):
    header, body = header_of(raw)
    header[WEIGHTS]["dtype"] = dtype
    return rebuilt(header, body)


def single(raw):
    """Weights in single precision, twice as many: compiled code would read beyond their end."""
    header, body = header_of(raw)
    header[WEIGHTS] |= {"dtype": "F32", "shape": [3, 8]}
    return rebuilt(header, body)


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def put(path, value):
    def change(model):
        at(model, path[:-1])[path[-1]] = value

    return lambda raw: changed(raw, change)


def dropped(path):
    return lambda raw: changed(raw, lambda model: at(model, path[:-1]).pop(path[-1]))


OUTCOME = ("outcome", "fields")
CLASSES = (*OUTCOME, "classes")
STATE = (*OUTCOME, "state", "fields")
RUN = (*STATE, "runs", 0, "fields")
PARAMETERS = ("parameters", "dict")
FEATURES = ("features", "dict")
NAMES = {"objects": ["a", "b", "c", "d"]}
DAMAGE = {
    "empty": (lambda raw: b"", "not a model file"),
    "short": (lambda raw: raw[:40], "truncated"),
    "cut": (lambda raw: raw[:-8], "damaged"),
    "longer": (lambda raw: raw + b"more", "damaged"),
    "magic": (lambda raw: b"PK\x03\x04" + raw[4:], "not a model file"),
    "pickle": (lambda raw: b"\x80\x04\x95" + raw, "not a model file"),
    "huge header": (lambda raw: struct.pack("<Q", 2**63) + raw[8:], "not a model file"),
    "large header": (lambda raw: struct.pack("<Q", 2**27) + raw[8:], "not a model file"),
    "no json": (lambda raw: struct.pack("<Q", 16) + b"{" * 16 + raw, "damaged"),
    "other arrays": (lambda raw: rebuilt({}, b""), "no model of rosenblatt"),
    "nan": (lambda raw: filled(raw, WEIGHTS), r"outcome\.predictor\.coef"),
    "shape": (other_shape, "fit together"),
    "dtype": (other_dtype, r"outcome\.predictor\.coef"),
    "single": (single, r"outcome\.predictor\.coef"),
    "later format": (put(("format",), "rosenblatt-model/3"), "format 3,.*; upgrade rosenblatt"),
    "earlier format": (
        put(("format",), "rosenblatt-model/1"),
        "format 1,.* reads format 2; train the model again",
    ),
    "other format": (put(("format",), "rosenblatt-journal/1"), "something else"),
    "no format": (dropped(("format",)), "something else"),
    "estimator": (put(("estimator",), "Pipeline"), "not known"),
    "module": (put(("estimator",), "os.system"), "not known"),
    "kernel estimator": (put(("estimator",), "KernelPerceptron"), "no parameter"),
    "parameters": (put(("parameters",), 1), "parameters is not a dictionary"),
    "parameter": (put((*PARAMETERS, "evil"), 1), "no parameter 'evil'"),
    "old name": (
        put((*PARAMETERS, "eta"), 1.0),
        "no parameter 'eta'.*; load it with the version that wrote it, or train the model again",
    ),
    "text for number": (put((*PARAMETERS, "max_iter"), "ten"), "max_iter"),
    "negative": (put((*PARAMETERS, "eta0"), -1.0), "eta0"),
    "list for number": (put((*PARAMETERS, "eta0"), [1.0]), "eta0"),
    "record for text": (put((*PARAMETERS, "readout"), {"record": "Last", "fields": {}}), "readout"),
    "call": (
        put((*PARAMETERS, "eta0"), {"record": "system", "fields": {"command": "ls"}}),
        "unknown kind",
    ),
    "no outcome": (dropped(("outcome",)), "outcome is not"),
    "other outcome": (put(("outcome",), {"record": "Last", "fields": {}}), "outcome is not"),
    "no state": (dropped(STATE[:-1]), r"outcome\.state is missing"),
    "array missing": (
        put((*OUTCOME, "predictor", "fields", "coef", "array"), "nowhere"),
        r"array of outcome\.predictor\.coef is missing",
    ),
    "classes": (put(CLASSES, {"strings": ["a"], "width": 1}), "fit together"),
    "unsorted": (put(CLASSES, {"strings": ["c", "b", "a"], "width": 1}), "fit together"),
    "wide texts": (put(CLASSES, {"strings": ["a", "b", "c"], "width": 2**40}), "length"),
    "features": (put((*FEATURES, "count"), 3), "features"),
    "negative features": (put((*FEATURES, "count"), -4), "features"),
    "real features": (put((*FEATURES, "count"), 4.0), "not an integer"),
    "no features": (dropped(("features",)), "features is not a dictionary"),
    "names": (put((*FEATURES, "names"), {"objects": ["a", "b", "c", 4]}), "not strings"),
    "too many names": (put((*FEATURES, "names"), {"objects": [*"abcde"]}), "not as many"),
    "list of names": (put((*FEATURES, "names"), ["a", "b", "c", "d"]), "not strings"),
    "predictor": (put((*OUTCOME, "predictor"), 7), r"outcome\.predictor"),
    "no predictor": (dropped((*OUTCOME, "predictor")), r"outcome\.predictor is missing"),
    "last": (put((*OUTCOME, "last", "fields", "coef"), {"array": WEIGHTS + ".x"}), "missing"),
    "state": (put((*RUN, "hypothesis"), {"array": WEIGHTS}), "fit together"),
    "runs": (put((*STATE, "runs"), []), r"state\.runs is missing"),
    "rows for runs": (
        put((*STATE, "runs"), {"rows": "RunState", "values": {"array": "outcome.pass_errors"}}),
        "not a list of RunState",
    ),
    "other classes to go on with": (
        put((*STATE, "classes"), {"objects": [0, 1, 5]}),
        "fit together",
    ),
    "readout": (put((*RUN, "readout"), 0), "readout"),
    "other readout": (
        put((*RUN, "readout", "record"), "Pocket"),
        r"readout\.best is missing",
    ),
    "readout without arrays": (
        put((*RUN, "readout", "fields"), {}),
        r"readout\.total is missing",
    ),
    "position": (put((*RUN, "position"), 0), "position"),
    "bracket": (put((*OUTCOME, "bracket"), {"tuple": [0.0]}), "bracket"),
    "recipe": (put(("recipe",), [1, 2]), "recipe"),
    "provenance": (put(("provenance",), None), "provenance"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_bad_file_is_rejected_in_one_sentence(damage, tmp_path):
    change, words = DAMAGE[damage]
    path = tmp_path / "bad.rbt"
    raw = content()
    assert change(raw) != raw
    path.write_bytes(change(raw))
    with pytest.raises(ValueError, match=words) as caught:
        rosenblatt.load(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert message.endswith(".")


REFUSED = {
    "another multiclass": ("AveragedPerceptron", {}, "multiclass", "ovr", "multiclass was changed"),
    "a seed out of range": ("Perceptron", {}, "random_state", -1, "[Ss]eed"),
    "a seed that is a text": ("Perceptron", {}, "random_state", "one", "one"),
    "variances for weights": ("AROW", {}, "covariance", "full", "shape"),
    "weights for no class": ("Perceptron", {}, "class_weight", "all", "class_weight"),
    "a lower budget": ("KernelPerceptron", {"budget": 6, "readout": "last"}, "budget", 1, "budget"),
    "a budget later": ("KernelPerceptron", {"readout": "last"}, "budget", 5, "budget"),
    "a kernel of another name": ("KernelPerceptron", {}, "kernel", "none", "none"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_parameters_that_do_not_fit_what_was_learned_are_rejected(case, tmp_path):
    """It would load and predict, and fail in partial_fit."""
    member, options, parameter, value, words = REFUSED[case]
    raw, path = modelfile.content(fitted(member, **options)), tmp_path / "bad.rbt"
    path.write_bytes(raw)
    rosenblatt.load(path).partial_fit(X[:1], Y[:1])
    path.write_bytes(put((*PARAMETERS, parameter), value)(raw))
    with pytest.raises(ValueError, match=words):
        rosenblatt.load(path)


def test_a_model_that_never_could_go_on_loads(tmp_path):
    for model, rows in (
        (fitted("Perceptron", class_weight="balanced"), X),
        (fitted("Perceptron", class_weight={0: 0.0, 1: 1.0, 2: 1.0}), X),
        (fitted("KernelPerceptron", data=X @ X.T, kernel="precomputed"), X @ X.T),
    ):
        rosenblatt.save(model, tmp_path / "m.rbt")
        again = rosenblatt.load(tmp_path / "m.rbt")
        assert np.array_equal(again.predict(rows), model.predict(rows))


def test_a_check_of_further_learning_draws_none_of_the_models_random_numbers(tmp_path):
    model = fitted("Perceptron", random_state=np.random.RandomState(3))
    rosenblatt.save(model, tmp_path / "m.rbt")
    again = rosenblatt.load(tmp_path / "m.rbt")
    assert again.random_state.randint(1 << 30) == model.random_state.randint(1 << 30)


LATER = {
    "lives that are negative": ("voted", "lives", -5, "lives are counts"),
    "lives beyond all sums": ("voted", "lives", 1 << 53, "lives are counts"),
    "votes of supports that are not there": ("voted", "updates.i", 10**6, "number the supports"),
    "visits of votes that fall": ("voted", "updates.t", 10**6, "t never falls"),
}


@pytest.mark.parametrize("case", LATER)
def test_votes_that_would_fail_later_are_rejected(case, tmp_path):
    sample, array, value, words = LATER[case]
    content = MODEL.parse(RAW[sample])
    for name in content.arrays:
        if name.endswith(f"histories.0.{array}"):
            content.arrays[name][0] = value
    (tmp_path / "bad.rbt").write_bytes(MODEL.build(MODEL.text(content), content))
    with pytest.raises(ValueError, match=words):
        rosenblatt.load(tmp_path / "bad.rbt")


def test_a_name_that_appears_twice_is_rejected(tmp_path):
    header, body = header_of(content())
    text = header["__metadata__"]["rosenblatt"]
    header["__metadata__"]["rosenblatt"] = text.replace("{", '{"version": 1, ', 1)
    (tmp_path / "bad.rbt").write_bytes(rebuilt(header, body))
    with pytest.raises(ValueError, match="appears twice"):
        rosenblatt.load(tmp_path / "bad.rbt")


def test_weights_of_another_width_are_no_state_to_go_on_from(tmp_path):
    path, raw = tmp_path / "bad.rbt", modelfile.content(fitted("Perceptron", Y))
    path.write_bytes(put((*RUN, "hypothesis"), {"array": WEIGHTS})(raw))
    with pytest.raises(ValueError, match="further learning"):
        rosenblatt.load(path)


def test_deep_nesting_and_long_numbers_are_rejected(tmp_path):
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
    def later(model, value):
        model["version"] = "0.1.99"
        model["outcome"]["fields"]["later"] = value
        model["parameters"]["dict"].pop("journal_size")  # as if it had not existed yet

    one = fitted("AveragedPerceptron")
    path = tmp_path / "m.rbt"
    path.write_bytes(changed(modelfile.content(one), lambda model: later(model, {"later": "kind"})))
    with pytest.raises(ValueError, match="later"):
        rosenblatt.load(path)
    path.write_bytes(changed(modelfile.content(one), lambda model: later(model, 5)))
    other = rosenblatt.load(path)
    assert not hasattr(other.outcome_, "later")
    assert_equal(other, one)


def test_names_of_features_are_loaded(tmp_path):
    path = tmp_path / "m.rbt"
    path.write_bytes(put((*FEATURES, "names"), NAMES)(content()))
    assert rosenblatt.load(path).feature_names_in_.tolist() == ["a", "b", "c", "d"]


def test_a_linear_estimator_has_no_kernel_outcome(tmp_path):
    """And the other way round."""
    linear, kernel = header_of(content()), header_of(RAW["kernel"])
    for (header, body), (other, _) in ((linear, kernel), (kernel, linear)):
        model, others = (json.loads(h["__metadata__"]["rosenblatt"]) for h in (header, other))
        model |= {name: others[name] for name in ("estimator", "parameters")}
        mixed = header | {"__metadata__": {"rosenblatt": json.dumps(model)}}
        (tmp_path / "m.rbt").write_bytes(rebuilt(mixed, body))
        with pytest.raises(ValueError, match="the outcome is not that of a"):
            rosenblatt.load(tmp_path / "m.rbt")


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("mask", "nowhere", "is missing"),
        ("mask", WEIGHTS, "mask of .* does not have its shape"),
        ("shape", [3, 2**40], "mask of .* does not have its shape"),
        ("shape", [3, -20_000], "impossible shape"),
        ("shape", "many", "impossible shape"),
        ("mask", ["a", "list"], "is missing"),
    ],
)
def test_a_mask_of_weights_that_does_not_fit_is_rejected(place, value, words, tmp_path):
    path, coef = tmp_path / "bad.rbt", (*OUTCOME, "predictor", "fields", "coef")
    path.write_bytes(put((*coef, place), value)(modelfile.content(wide()[0])))
    with pytest.raises(ValueError, match=words):
        rosenblatt.load(path)


def test_a_mask_with_more_places_than_weights_is_rejected(tmp_path):
    raw = filled(modelfile.content(wide()[0]), f"{WEIGHTS}.mask")
    (tmp_path / "bad.rbt").write_bytes(raw)
    with pytest.raises(ValueError, match="as many places as numbers"):
        rosenblatt.load(tmp_path / "bad.rbt")


# --- random damage --------------------------------------------------------------------------


SAMPLES = {
    "averaged": lambda: fitted("AveragedPerceptron"),
    "voted": lambda: fitted("VotedPerceptron", LABELS["texts"][Y], sp.csr_array(X)),
    "kernel": lambda: fitted("KernelPerceptron", readout="voted"),
    "budget": lambda: fitted("KernelPerceptron", readout="last", budget=6, budget_policy="oldest"),
    "pocket": lambda: fitted("PocketPerceptron", Y == 1),
    "full": lambda: fitted("AROW", covariance="full"),
    "wide": lambda: wide()[0],
}
RAW = {name: modelfile.content(make()) for name, make in SAMPLES.items()}
ARRAYS = sorted({name for raw in RAW.values() for name in header_of(raw)[0]} - {"__metadata__"})


def survives(raw, path):
    """Loading raises a ValueError, or returns a model that predicts, reports and can be saved."""
    path.write_bytes(raw)
    try:
        model = rosenblatt.load(path)
    except ValueError:
        return
    rows = np.ones((2, model.n_features_in_))
    if hasattr(model, "feature_names_in_"):
        del model.feature_names_in_
    model.predict(rows)
    assert model.summary()
    assert len(repr(model.journal_)) if hasattr(model, "journal_") else True
    rosenblatt.save(model, path)
    with contextlib.suppress(ValueError, TypeError):  # a parameter may not fit the new examples
        model.partial_fit(rows, model.classes_[:2])


bounded = settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@bounded
@given(st.data())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # changed weights may be huge
def test_changed_bytes_do_no_harm(tmp_path, data):
    raw = bytearray(RAW[data.draw(st.sampled_from(sorted(RAW)))])
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, max(0, len(raw) - 1)))
        kind = data.draw(st.sampled_from(["set", "drop", "insert", "cut"]))
        if kind == "set" and raw:
            raw[place] = data.draw(st.integers(0, 255))
        elif kind == "drop":
            del raw[place : place + data.draw(st.integers(1, 64))]
        elif kind == "insert":
            raw[place:place] = data.draw(st.binary(min_size=1, max_size=16))
        else:
            del raw[max(place, 1) :]
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
    st.sampled_from(ARRAYS).map(lambda name: {"array": name}),
    st.just({"float": "nan"}),
    st.just({"tuple": []}),
    st.just({"record": "Linear", "fields": {}}),
    st.sampled_from(["Last", "Averaged", "Voted", "Plain"]).map(
        lambda name: {"record": name, "fields": {}}
    ),
)


@bounded
@given(st.data())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_changed_words_do_no_harm(tmp_path, data):
    raw = RAW[data.draw(st.sampled_from(sorted(RAW)))]

    def change(model):
        every = [place for place in places(model) if place]
        for place in data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=3)):
            try:
                at(model, place[:-1])[place[-1]] = copy.deepcopy(data.draw(odd))
            except (KeyError, TypeError, IndexError):
                continue  # an earlier change took it away

    survives(changed(raw, change), tmp_path / "m.rbt")


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_examples_on_which_the_kernel_overflows_are_rejected(kernel, tmp_path):
    """It would load, and have no kernel values to go on with."""
    model = fitted("KernelPerceptron", kernel=kernel)
    model.outcome_.state.examples = model.outcome_.state.examples * 1e200
    rosenblatt.save(model, tmp_path / "m.rbt")
    with pytest.raises(ValueError, match="the kernel overflows"):
        rosenblatt.load(tmp_path / "m.rbt")
