"""Export to ONNX with skl2onnx, which converts whole pipelines as well.

An exported graph converts the examples to doubles first, as prediction does here, and returns
labels and the values of `decision_function`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.extras import extra
from rosenblatt.estimators import MEMBERS
from rosenblatt.models import History, Linear, PerClass, Sum, VotedRuns
from rosenblatt.storage.atomic import origins, protect, write
from rosenblatt.theory.spaces import Array


def _skl2onnx() -> Any:
    """Import skl2onnx."""
    with extra("onnx", "export to ONNX"):
        import onnx  # noqa: F401 - skl2onnx imports without it and fails later
        import skl2onnx
    return skl2onnx


def to_onnx(model: Any, path: str | Path | None = None, *, features: int | None = None) -> Any:
    """Convert a fitted estimator, or a pipeline that ends with one, to an ONNX model.

    The graph has one input, `X` of doubles, and two outputs: `label`, and `scores` as
    `decision_function` returns them. A vote is exported with all its hypotheses.

    Parameters
    ----------
    model : estimator or Pipeline
        A linear or voted member of the family, or a pipeline that ends with one and whose other
        steps skl2onnx supports.
    path : str or Path, optional
        The file to write; not the model file that `model` was loaded from.
    features : int, optional
        Number of columns of X, if the model has no `n_features_in_`.

    Returns
    -------
    onnx.ModelProto
    """
    parts = [model, *(step for _, step in getattr(model, "steps", []))]
    if path is not None:
        protect([("path", path)], origins(*parts))
    skl2onnx = _skl2onnx()
    register()
    for part in parts:
        if type(part) in MEMBERS.values():
            _exportable(part)
    width = features if features is not None else model.n_features_in_
    kind = skl2onnx.common.data_types.DoubleTensorType([None, width])
    graph = skl2onnx.convert_sklearn(model, initial_types=[("X", kind)])
    if path is not None:
        write(path, graph.SerializeToString())
    return graph


def register() -> None:
    """Register converters of all estimators of the family with skl2onnx."""
    skl2onnx = _skl2onnx()
    for name, kind in MEMBERS.items():
        skl2onnx.update_registered_converter(
            kind, f"Rosenblatt{name}", _shapes, _convert, overwrite=True, parser=_parse
        )


def _exportable(estimator: Any) -> None:
    """Reject an estimator that cannot be exported."""
    name = type(estimator).__name__
    if not hasattr(estimator, "outcome_"):
        raise ValueError(f"this {name} is not fitted; call fit before you export it.")
    model = estimator.outcome_.predictor
    histories = _histories(model)
    linear = bool(histories) and all(isinstance(one.start, Linear) for one in histories)
    if not linear and not isinstance(model, Linear):
        raise ValueError(
            f"{name} predicts with a kernel, which cannot be exported; save it with "
            "rosenblatt.save."
        )
    if not all(history.unscaled for history in histories):
        raise ValueError(
            f"this {name} votes with hypotheses that were scaled while learning, which cannot be "
            "exported; take readout='averaged'."
        )
    if estimator.classes_.dtype.kind not in "biufUO":
        raise ValueError(f"labels of type {estimator.classes_.dtype} cannot be exported.")


def _histories(model: Any) -> list[History]:
    """Return all histories that a model reads; none of a model that keeps one hypothesis."""
    if isinstance(model, VotedRuns):
        return model.histories
    parts: Any = ()
    if isinstance(model, PerClass):
        parts = model.members
    elif isinstance(model, Sum):
        parts = model.parts
    return [history for part in parts for history in _histories(part)]


# --- functions that skl2onnx calls ----------------------------------------------------------


def _label_type(classes: Array) -> Any:
    """Return the ONNX type of labels."""
    from skl2onnx.common import data_types

    kinds = {
        "b": data_types.BooleanTensorType,
        "i": data_types.Int64TensorType,
        "u": data_types.Int64TensorType,
        "f": data_types.DoubleTensorType,
    }
    return kinds.get(classes.dtype.kind, data_types.StringTensorType)


def _parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Declare the outputs of an estimator."""
    from skl2onnx._supported_operators import sklearn_operator_name_map
    from skl2onnx.common.data_types import DoubleTensorType

    operator = scope.declare_local_operator(sklearn_operator_name_map[type(model)], model)
    operator.inputs = inputs
    operator.outputs.append(scope.declare_local_variable("label", _label_type(model.classes_)()))
    operator.outputs.append(scope.declare_local_variable("scores", DoubleTensorType()))
    return operator.outputs


def _shapes(operator: Any) -> None:
    """Set the types and shapes of the outputs."""
    from skl2onnx.common.data_types import DoubleTensorType

    rows = operator.inputs[0].type.shape[0]
    classes = operator.raw_operator.classes_
    shape = [rows] if len(classes) == 2 else [rows, len(classes)]
    operator.outputs[0].type = _label_type(classes)([rows])
    operator.outputs[1].type = DoubleTensorType(shape)


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes that compute scores and labels."""
    estimator = operator.raw_operator
    _exportable(estimator)
    graph = Graph(scope, container)
    X = graph("Cast", operator.inputs[0].full_name, to=graph.DOUBLE)
    scores = _scores(graph, estimator.outcome_.predictor, X)
    classes = estimator.classes_
    label_name, scores_name = (output.full_name for output in operator.outputs)
    if len(classes) == 2:
        flat = graph("Reshape", scores, graph.constant(np.array([-1])), out=scores_name)
        above = graph("Greater", flat, graph.constant(np.array([0.0])))
        best = graph("Cast", above, to=graph.INT64)
    else:
        graph("Identity", scores, out=scores_name)
        best = graph("ArgMax", scores, axis=1, keepdims=0)
    graph("Gather", graph.constant(classes), best, axis=0, out=label_name)


class Graph:
    """The nodes of an ONNX graph; each call adds one and returns the name of its output."""

    DOUBLE, INT64 = 11, 7  # the numbers of these types in ONNX

    def __init__(self, scope: Any, container: Any) -> None:
        self.scope, self.container = scope, container

    def __call__(self, kind: str, *inputs: str, out: str | None = None, **options: Any) -> str:
        name = out or self.scope.get_unique_variable_name(kind.lower())
        node = self.scope.get_unique_operator_name(kind)
        # skl2onnx gives the whole graph the highest version of its nodes.
        version = VERSIONS.get(kind, 13)
        self.container.add_node(kind, list(inputs), name, name=node, op_version=version, **options)
        return name

    def constant(self, array: Array) -> str:
        """Add a constant and return its name."""
        from onnx import TensorProto, numpy_helper

        name = self.scope.get_unique_variable_name("constant")
        if array.dtype.kind in "UO":
            texts = [str(text).encode() for text in array]
            self.container.add_initializer(name, TensorProto.STRING, list(array.shape), texts)
            return name
        kind = {"f": np.float64, "b": np.bool_}.get(array.dtype.kind, np.int64)
        tensor = numpy_helper.from_array(np.asarray(array, kind, order="C"), name)
        self.container.add_initializer(name, None, None, tensor)
        return name


VERSIONS = {"Reshape": 14, "CumSum": 14, "Add": 14, "Sub": 14, "Mul": 14, "Identity": 14}


def _scores(graph: Graph, model: Any, X: str) -> str:
    """Add the scores of the examples, a column per score."""
    if isinstance(model, Linear):
        product = graph("MatMul", X, graph.constant(model.coef.T))
        return graph("Add", product, graph.constant(model.intercept))
    if isinstance(model, PerClass):
        return _side_by_side(graph, [_scores(graph, member, X) for member in model.members])
    if isinstance(model, Sum):
        total, *others = (_scores(graph, part, X) for part in model.parts)
        for other in others:
            total = graph("Add", total, other)
        return total
    supports = model.supports.toarray() if sp.issparse(model.supports) else model.supports
    values = graph("MatMul", X, graph.constant(supports.T))
    values = graph("Add", values, graph.constant(np.array([model.similarity.constant])))
    return _side_by_side(graph, [_votes(graph, one, X, values) for one in model.histories])


def _side_by_side(graph: Graph, columns: list[str]) -> str:
    return columns[0] if len(columns) == 1 else graph("Concat", *columns, axis=1)


def _votes(graph: Graph, history: History, X: str, values: str) -> str:
    """Add the votes of a linear run, given the kernel values of X with the supports."""
    lives = graph.constant(history.lives.astype(float)[:, None])
    courses = _courses(graph, history, X, values)
    if history.outputs == 1:
        ayes = graph("Greater", courses[0], graph.constant(np.array([0.0])))
        ayes = graph("MatMul", graph("Cast", ayes, to=graph.DOUBLE), lives)
        twice = graph("Mul", ayes, graph.constant(np.array([2.0])))
        return graph("Sub", twice, graph.constant(np.array([float(history.lives.sum())])))
    deep = [graph("Unsqueeze", course, graph.constant(np.array([2]))) for course in courses]
    choice = graph("ArgMax", graph("Concat", *deep, axis=2), axis=2, keepdims=0)
    votes = []
    for output in range(history.outputs):
        same = graph("Equal", choice, graph.constant(np.array([output])))
        votes.append(graph("MatMul", graph("Cast", same, to=graph.DOUBLE), lives))
    return _side_by_side(graph, votes)


def _courses(graph: Graph, history: History, X: str, values: str) -> list[str]:
    """Add the running sums of `History.courses`, one table for each output."""
    first = _scores(graph, history.start, X)
    values = graph("Gather", values, graph.constant(history.updates.i), axis=1)
    courses = []
    for output in range(history.outputs):
        column = graph("Gather", first, graph.constant(np.array([output])), axis=1)
        steps = graph("Mul", values, graph.constant(history.updates.a * history.signs(output)))
        sums = graph("CumSum", steps, graph.constant(np.array(1)))
        courses.append(graph("Concat", column, graph("Add", sums, column), axis=1))
    return courses
