"""Model files: arrays as safetensors, the rest as JSON in their header; no pickle.

A model file holds an estimator's name, parameters, features and outcome, the recipe that turns a
table into examples, and the provenance of the model. Loading runs no code from the file: names are
looked up, values are checked, and a file that is wrong anywhere is rejected.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sklearn.base import clone

from rosenblatt.data.sequences import FeatureMap
from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.outcome_schema import check_features, outcome_kinds
from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.parameters import declared
from rosenblatt.estimators.regressor import REGRESSORS
from rosenblatt.estimators.sequences import SequencePerceptron
from rosenblatt.models import Expansion, Tagger
from rosenblatt.storage.atomic import origins, protect, remember, write
from rosenblatt.storage.codec import Packer, Unpacker, array, whole
from rosenblatt.storage.json_values import parse_strictly
from rosenblatt.theory.spaces import Array
from rosenblatt.version import __version__

STORED: dict[str, Any] = {
    **MEMBERS,
    **REGRESSORS,
    "SequencePerceptron": SequencePerceptron,
}
"""The estimators that a model file may hold, by name."""

FORMAT = "rosenblatt-model"
VERSION = 2
KEY = "rosenblatt"  # the only entry of the metadata: safetensors does not sort several
LARGEST_HEADER = 100_000_000  # bytes; the limit of safetensors


@dataclass
class Model:
    """The content of a model file."""

    estimator: Any
    recipe: dict[str, Any] | None = None
    provenance: dict[str, Any] = field(default_factory=dict)
    version: str = __version__


# --- writing --------------------------------------------------------------------------------


def save(
    estimator: Any,
    path: str | Path,
    *,
    recipe: Any = None,
    provenance: dict[str, Any] | None = None,
) -> None:
    """Write a fitted estimator to a file; a crash leaves the old file or the new one.

    Parameters
    ----------
    estimator : a fitted estimator of the family
        Functions cannot be stored: a rule or a kernel of one's own is rejected.
    path : str or Path
        The file, usually named ".rbt". A data file that the estimator learned from is rejected, as
        far as it is known; the model file that it was loaded from may be replaced.
    recipe : Recipe or dict, optional
        How a table becomes examples.
    provenance : dict, optional
        Origin of the model: rows, digest of the data, seed, versions.

    Examples
    --------
    >>> import os, tempfile, rosenblatt
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = rosenblatt.Perceptron(random_state=0).fit(X, y == 0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "iris.rbt")
    ...     rosenblatt.save(clf, path)
    ...     again = rosenblatt.load(path)
    >>> bool((again.decision_function(X) == clf.decision_function(X)).all())
    True
    """
    protect([("path", path)], (file for file in origins(estimator) if not _is_model(file)))
    write(path, content(estimator, recipe=recipe, provenance=provenance))


def content(
    estimator: Any, *, recipe: Any = None, provenance: dict[str, Any] | None = None
) -> bytes:
    """Return the bytes of a model file; equal models give equal bytes."""
    from safetensors.numpy import save as serialise

    name = type(estimator).__name__
    if STORED.get(name) is not type(estimator):
        raise TypeError(
            f"a model file holds an estimator of the family, not a {name}; save the last step of a "
            "pipeline, or export the whole pipeline with rosenblatt.to_onnx."
        )
    outcome = getattr(estimator, "outcome_", None)
    if outcome is None:
        raise ValueError(f"this {name} is not fitted; call fit before you save it.")
    packer = Packer(outcome_kinds())
    header = {
        "format": f"{FORMAT}/{VERSION}",
        "version": __version__,
        "estimator": name,
        "parameters": packer.pack(estimator.get_params(deep=False), "parameters"),
        "features": packer.pack(
            {
                "count": estimator.n_features_in_,
                "names": getattr(estimator, "feature_names_in_", None),
                "map": _parts(getattr(estimator, "features_", None)),
            },
            "features",
        ),
        "outcome": packer.pack(outcome, "outcome"),
        "recipe": packer.pack(_parts(recipe), "recipe"),
        "provenance": packer.pack(provenance or {}, "provenance"),
    }
    text = json.dumps(header, allow_nan=False, ensure_ascii=False)
    if len(text) * 2 > LARGEST_HEADER:
        raise ValueError(
            "the model without its arrays is too large for a model file; shorten its recipe, its "
            "provenance or the names of its features."
        )
    return bytes(serialise(packer.arrays, metadata={KEY: text}))


def _parts(given: Any) -> Any:
    """Return a recipe or a map of features as plain data and arrays."""
    if not hasattr(given, "to_dict"):
        return given
    return {"words": given.to_dict(), "arrays": given.arrays()}


# --- reading --------------------------------------------------------------------------------


def load(path: str | Path) -> Any:
    """Load the estimator in a model file; it predicts the same bits and can go on learning.

    Loading runs no code from the file. A file that is damaged, truncated, malicious or of another
    format raises a ValueError.

    Parameters
    ----------
    path : str or Path
        A file that `save` wrote.

    Returns
    -------
    estimator
    """
    return read(path).estimator


def read(path: str | Path) -> Model:
    """Read a model file."""
    with _one_sentence(path):
        header, arrays = _raw(Path(path))
        model = _model(header, arrays)
    remember(model.estimator, [path])
    return model


@contextmanager
def _one_sentence(path: str | Path) -> Iterator[None]:
    """Turn any error that a bad file causes into a ValueError of one sentence."""
    try:
        yield
    except OSError:
        raise
    except MemoryError as error:
        raise ValueError(
            f"{path} needs more memory than there is; load it on a larger machine."
        ) from error
    except RecursionError as error:
        raise ValueError(f"{path} cannot be read as a model: it is nested too deeply.") from error
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{path} cannot be read as a model: {_sentence(error)}") from error


def _is_model(path: Path) -> bool:
    """Return whether a file is a model file, without reading all of it."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return KEY in (file.metadata() or {})
    except (OSError, SafetensorError):
        return False


def _sentence(error: Exception) -> str:
    message = " ".join(str(error).split())[:300].rstrip(".")
    return f"{message or type(error).__name__}."


def _raw(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the header and the arrays of a file, unchecked."""
    from safetensors import SafetensorError, safe_open

    size = os.stat(path).st_size
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
    if size < 10 or length > min(size - 8, LARGEST_HEADER):
        raise ValueError("it is not a model file, or it is truncated")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, TypeError, KeyError, ValueError) as error:
        raise ValueError("it is not a model file, or it is damaged") from error
    if KEY not in metadata:
        raise ValueError("it holds arrays, but no model of rosenblatt")
    header = parse_strictly(metadata[KEY])
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    return header, arrays


def _model(header: dict[str, Any], arrays: dict[str, Array]) -> Model:
    """Return the model of a header and arrays, each part of it checked."""
    _check_format(header.get("format"))
    unpacker = Unpacker(arrays, outcome_kinds())
    parts = {
        name: unpacker.unpack(header.get(name), name)
        for name in ("parameters", "features", "outcome", "recipe", "provenance")
    }
    for name in ("parameters", "features", "provenance"):
        if not isinstance(parts[name], dict):
            raise ValueError(f"{name} is not a dictionary")
    if not isinstance(parts["recipe"], (dict, type(None))):
        raise ValueError("recipe is not a dictionary")
    estimator, outcome = _estimator(header.get("estimator"), parts["parameters"]), parts["outcome"]
    if not isinstance(outcome, Outcome):
        raise ValueError("outcome is not an outcome of learning")
    tags, kernel = isinstance(estimator, SequencePerceptron), "kernel" in parts["parameters"]
    if isinstance(outcome.last, Expansion) != kernel or isinstance(outcome.last, Tagger) != tags:
        raise ValueError(f"the outcome is not that of a {type(estimator).__name__}")
    _set_features(estimator, parts["features"])
    check_features(outcome, estimator.n_features_in_)
    outcome.write(estimator)
    _check_further_learning(estimator)
    return Model(estimator, parts["recipe"], parts["provenance"], str(header.get("version")))


def _check_further_learning(estimator: Any) -> None:
    """Reject a model whose parameters do not fit what it has learned."""
    twin = clone(estimator)  # whose random numbers may be drawn
    for name in ("n_features_in_", "features_"):
        if hasattr(estimator, name):
            setattr(twin, name, getattr(estimator, name))
    estimator.outcome_.write(twin)
    twin.check_state()


def _check_format(found: Any) -> None:
    """Reject other formats, with what to do about them."""
    kind, _, number = str(found).partition("/")
    if kind != FORMAT or not number.isdecimal():
        raise ValueError("it holds something else than a model")
    if int(number[:9]) != VERSION:
        remedy = "upgrade rosenblatt" if int(number[:9]) > VERSION else "train the model again"
        raise ValueError(
            f"it has format {number[:9]}, and this version of rosenblatt ({__version__}) reads "
            f"format {VERSION}; {remedy}"
        )


def _set_features(estimator: Any, features: dict[str, Any]) -> None:
    """Set the number of features, and their names if there are any."""
    count, names, of_tokens = (features.get(part) for part in ("count", "names", "map"))
    if not whole(count):
        raise ValueError("features.count is not an integer")
    estimator.n_features_in_ = count
    if names is not None:
        if not array("O", 1)(names) or not all(isinstance(name, str) for name in names):
            raise ValueError("features.names are not strings")
        if len(names) != count:
            raise ValueError("features.names are not as many as the features")
        estimator.feature_names_in_ = names
    if of_tokens is not None:
        if not isinstance(estimator, SequencePerceptron) or not isinstance(of_tokens, dict):
            raise ValueError("features.map is not a map of the features of tokens")
        estimator.features_ = FeatureMap.from_dict(of_tokens["words"], of_tokens["arrays"])


def _estimator(name: Any, parameters: dict[str, Any]) -> Any:
    """Return the estimator with its parameters, not yet fitted."""
    if not isinstance(name, str) or name not in STORED:
        raise ValueError(f"the estimator {str(name)[:60]!r} is not known")
    known = declared(STORED[name])
    for key in parameters:
        if key not in known:
            raise ValueError(
                f"{name} has no parameter {key[:60]!r} in this version of rosenblatt "
                f"({__version__}); load it with the version that wrote it, or train the model again"
            )
    estimator = STORED[name](**parameters)
    estimator.check_parameters()
    return estimator
