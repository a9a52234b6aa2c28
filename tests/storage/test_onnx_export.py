"""Models in ONNX predict as they do here."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt.estimators import MEMBERS
from rosenblatt.models import PerClass, Sum
from rosenblatt.storage.onnx_export import register, to_onnx

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("skl2onnx")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

X, Y = load_iris(return_X_y=True)


def fitted(name, X, y, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MEMBERS[name](**({"random_state": 0, "max_iter": 5} | parameters)).fit(X, y)


def run(graph, X):
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    assert [put.name for put in session.get_outputs()] == ["label", "scores"]
    return session.run(None, {"X": np.asarray(X, float)})


def assert_equal(graph, model, X):
    label, scores = run(graph, X)
    assert np.array_equal(np.asarray(label), model.predict(X))
    mine = model.decision_function(X)
    assert scores.dtype == np.float64
    assert scores.shape == mine.shape
    assert np.allclose(scores, mine, rtol=1e-12, atol=1e-12 * np.abs(mine).max())


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", [n for n in MEMBERS if n != "KernelPerceptron"])
def test_every_linear_member(name, classes):
    model = fitted(name, X, np.minimum(Y, classes - 1))
    assert_equal(to_onnx(model), model, X)


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("readout", ["averaged", "voted", "pocket"])
def test_many_classes(readout, multiclass):
    X, y = load_digits(return_X_y=True)
    model = fitted("PerceptronClassifier", X[:500], y[:500], readout=readout, multiclass=multiclass)
    assert_equal(to_onnx(model), model, X)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_votes_of_several_shards(multiclass, classes):
    y = np.minimum(Y, classes - 1)
    shards = [
        fitted("VotedPerceptron", X[part::2], y[part::2], multiclass=multiclass).outcome_.predictor
        for part in range(2)
    ]
    if isinstance(shards[0], PerClass):
        pairs = zip(*(shard.members for shard in shards), strict=True)
        predictor = PerClass([Sum(list(pair)) for pair in pairs])
    else:
        predictor = Sum(shards)
    model = fitted("VotedPerceptron", X, y, multiclass=multiclass)
    model.outcome_.predictor = predictor
    assert_equal(to_onnx(model), model, X)


@pytest.mark.parametrize(
    "labels",
    [["a", "b", "ü"], [5, 7, -2], [0.0, 1.0, 2.0], [True, False, False]],
    ids=["texts", "whole", "real", "truth"],
)
def test_labels_of_every_type(labels):
    model = fitted("AveragedPerceptron", X, np.array(labels)[Y])
    assert_equal(to_onnx(model), model, X)


@pytest.mark.parametrize("name", ["AveragedPerceptron", "VotedPerceptron", "PassiveAggressive"])
def test_pipelines(name, tmp_path):
    scaler = StandardScaler().fit(X)
    model = make_pipeline(scaler, fitted(name, scaler.transform(X), Y))
    graph = to_onnx(model, tmp_path / "pipe.onnx")
    assert_equal(graph, model, X)
    session = onnxruntime.InferenceSession(str(tmp_path / "pipe.onnx"))
    assert np.array_equal(session.run(["label"], {"X": X})[0], model.predict(X))


def test_skl2onnx_itself_knows_the_family():
    from skl2onnx import to_onnx as theirs

    register()
    model = make_pipeline(StandardScaler(), MEMBERS["AveragedPerceptron"](random_state=0))
    model.fit(X, Y == 0)
    single = X.astype(np.float32)
    session = onnxruntime.InferenceSession(theirs(model, single[:1]).SerializeToString())
    assert np.array_equal(session.run(["label"], {"X": single})[0], model.predict(single))


def test_what_has_no_graph_is_refused():
    with pytest.raises(ValueError, match="kernel"):
        to_onnx(fitted("KernelPerceptron", X, Y))
    with pytest.raises(ValueError, match="scaled while learning"):
        to_onnx(fitted("PerceptronClassifier", X, Y, rule="romma", readout="voted"))
    with pytest.raises(ValueError, match="not fitted"):
        to_onnx(MEMBERS["Perceptron"]())
