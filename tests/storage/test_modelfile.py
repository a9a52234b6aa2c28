"""Model files: a model is loaded with the same bits, goes on learning, and holds data only."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt.engine.outcome_schema import outcome_kinds
from rosenblatt.estimators import MEMBERS
from rosenblatt.storage import modelfile
from rosenblatt.storage.codec import Packer, Unpacker
from rosenblatt.theory import rules
from tests.support.fits import LABELS, X, Y, assert_equal, fitted, wide


def back(estimator, folder):
    path = folder / "model.rbt"
    rosenblatt.save(estimator, path)
    again = rosenblatt.load(path)
    assert type(again) is type(estimator)
    assert modelfile.content(again) == path.read_bytes()  # nothing was lost on the way
    return again


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


@pytest.mark.parametrize("classes", [2, 3])
def test_weights_that_are_zero_take_no_room(classes, tmp_path):
    one, texts = wide(classes)
    one.coef_[0, np.flatnonzero(one.coef_[0] == 0)[7]] = -0.0  # not the same bits as zero
    other = back(one, tmp_path)
    assert other.coef_.tobytes() == one.coef_.tobytes()
    assert_equal(other, one, texts)
    dense = 4 * one.coef_.nbytes  # last and averaged, to predict with and to go on from
    assert (tmp_path / "model.rbt").stat().st_size < 0.2 * dense
    y = np.arange(30) % classes
    assert modelfile.content(one.partial_fit(texts[:30], y)) == modelfile.content(
        other.partial_fit(texts[:30], y)
    )


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


def test_a_budget_policy_with_parameters(tmp_path):
    policy = rosenblatt.BUDGETS["projectron"](eta=0.2)
    one = fitted("KernelPerceptron", budget=5, budget_policy=policy, readout="last")
    other = back(one, tmp_path)
    assert_equal(other, one)
    assert other.budget_policy == policy
    one.partial_fit(X[:50], Y[:50])
    assert modelfile.content(one) == modelfile.content(other.partial_fit(X[:50], Y[:50]))


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
        (
            lambda: fitted("PerceptronClassifier", Y == 0, rule=cautious),
            r"parameters\.rule is a function",
        ),
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


def test_counters_without_bounds_on_rounding_go_on_and_claim_no_more():
    """Where two counters are missing, what is known of margins is not proved."""
    model = rosenblatt.Perceptron(random_state=0).fit(X, Y == 0)
    kinds = outcome_kinds()
    for one in model.outcome_.state.runs:
        packed = Packer(kinds).pack(one.counters, "counters")
        for name in ("upper", "drift"):
            del packed["fields"][name]
        old = Unpacker({}, kinds).unpack(packed, "counters")
        assert (old.upper, old.drift) == (np.inf, np.inf)
        assert old[:7] == one.counters[:7]
        one.counters = old
    model.partial_fit(X, Y == 0)
    assert model.margin_bracket_[1] == pytest.approx(model.radius_)


def test_a_model_is_not_saved_over_the_memory_map_it_learned_from(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, X)
    before = path.read_bytes()
    model = rosenblatt.Perceptron(random_state=0).fit(np.load(path, mmap_mode="r"), Y == 0)
    with pytest.raises(ValueError, match=r"x\.npy is an input"):
        rosenblatt.save(model, path)
    assert path.read_bytes() == before
