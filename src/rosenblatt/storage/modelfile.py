"""Models in files: weights as safetensors, everything else as JSON beside them. No pickle.

A model file says which estimator it holds, with its parameters, its classes, all that it learned,
the recipe that turns a table into examples, and where it came from. Reading one runs no code from
it: names are looked up, numbers are checked, and what does not fit is refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rosenblatt.engine.outcome import Outcome
from rosenblatt.engine.outcome_schema import check_features, outcome_kinds
from rosenblatt.estimators import MEMBERS
from rosenblatt.estimators.parameters import declared
from rosenblatt.storage.atomic import origins, protect, remember, write
from rosenblatt.storage.codec import Packer, Unpacker, array, whole
from rosenblatt.theory.spaces import Array
from rosenblatt.version import __version__

FORMAT = "rosenblatt-model"
VERSION = 2
KEY = "rosenblatt"  # one entry, so that equal models are equal files: safetensors sorts no others
LARGEST_HEADER = 100_000_000  # bytes, the limit of safetensors itself


@dataclass
class Model:
    """What a model file holds."""

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
        Functions cannot be kept: a rule or a kernel of one's own is refused.
    path : str or Path
        The file; ".rbt" by custom. Data files that the estimator is known to have learned from are
        refused; the model file that it was loaded from may be renewed.
    recipe : Recipe or dict, optional
        How a table becomes examples.
    provenance : dict, optional
        Where the model came from: rows, digest of the data, seed, versions.

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
    """The bytes of a model file; equal models give equal bytes."""
    from safetensors.numpy import save as serialise

    name = type(estimator).__name__
    if MEMBERS.get(name) is not type(estimator):
        raise TypeError(
            f"a model file holds an estimator of the family, not a {name}; of a pipeline, save "
            "its last step, or export the whole with rosenblatt.export."
        )
    outcome = getattr(estimator, "outcome_", None)
    if outcome is None:
        raise ValueError(f"this {name} is not fitted; call fit before you save it.")
    packer = Packer(outcome_kinds())
    if hasattr(recipe, "to_dict"):
        recipe = {"words": recipe.to_dict(), "arrays": recipe.arrays()}
    told = {
        "format": f"{FORMAT}/{VERSION}",
        "version": __version__,
        "estimator": name,
        "parameters": packer.pack(estimator.get_params(deep=False), "parameters"),
        "features": packer.pack(
            {
                "count": estimator.n_features_in_,
                "names": getattr(estimator, "feature_names_in_", None),
            },
            "features",
        ),
        "outcome": packer.pack(outcome, "outcome"),
        "recipe": packer.pack(recipe, "recipe"),
        "provenance": packer.pack(provenance or {}, "provenance"),
    }
    header = json.dumps(told, allow_nan=False, ensure_ascii=False)
    if len(header) * 2 > LARGEST_HEADER:
        raise ValueError("the model's words, without its weights, are too many for a model file.")
    return bytes(serialise(packer.arrays, metadata={KEY: header}))


# --- reading --------------------------------------------------------------------------------


def load(path: str | Path) -> Any:
    """The estimator in a model file: predicts the same bits, and can go on learning.

    Reading runs no code from the file. A file that is damaged, cut short, of a later format or made
    to deceive is a ValueError.

    Parameters
    ----------
    path : str or Path
        What `save` wrote.

    Returns
    -------
    estimator
    """
    return read(path).estimator


def read(path: str | Path) -> Model:
    """All that a model file holds."""
    with _refusals(path):
        header, arrays = _raw(Path(path))
        model = _model(header, arrays)
    remember(model.estimator, [path])
    return model


@contextmanager
def _refusals(path: str | Path) -> Iterator[None]:
    """Whatever a bad file provokes becomes one sentence; that there is no file does not."""
    try:
        yield
    except OSError:
        raise
    except MemoryError as error:
        raise ValueError(f"{path} asks for more memory than there is.") from error
    except RecursionError as error:
        raise ValueError(f"{path} is not a model: it is nested too deeply.") from error
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{path} cannot be read as a model: {_sentence(error)}") from error


def _is_model(path: Path) -> bool:
    """Tell a model file from a data file, without reading all of it."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return KEY in (file.metadata() or {})
    except (OSError, SafetensorError):
        return False


def _sentence(error: Exception) -> str:
    words = " ".join(str(error).split())[:300].rstrip(".")
    return f"{words or type(error).__name__}."


def _raw(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header and the arrays, as the file has them."""
    from safetensors import SafetensorError, safe_open

    size = os.stat(path).st_size
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
    if size < 10 or length > min(size - 8, LARGEST_HEADER):
        raise ValueError("it is no model file, or was cut short")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except (SafetensorError, TypeError, KeyError, ValueError) as error:
        raise ValueError("it is no model file, or is damaged") from error
    if KEY not in metadata:
        raise ValueError("it holds arrays, but no model of this library")
    header = json.loads(metadata[KEY], parse_constant=_no_constant)
    if not isinstance(header, dict):
        raise ValueError("its header is not a table")
    return header, arrays


def _no_constant(name: str) -> None:
    raise ValueError(f"its header holds {name}")


def _model(header: dict[str, Any], arrays: dict[str, Array]) -> Model:
    """The model, each part of it checked."""
    kind, _, number = str(header.get("format")).partition("/")
    if kind != FORMAT or not number.isdecimal():
        raise ValueError("it holds something else than a model")
    if int(number[:9]) > VERSION:
        raise ValueError(
            f"it is of format {number[:9]}, and this version of rosenblatt "
            f"({__version__}) knows {VERSION}; upgrade rosenblatt"
        )
    if int(number[:9]) < VERSION:
        raise ValueError(
            f"it is of format {number[:9]}, of rosenblatt {str(header.get('version'))[:20]}, and "
            f"this version ({__version__}) reads format {VERSION}; train the model again"
        )
    unpacker = Unpacker(arrays, outcome_kinds())
    estimator = _estimator(header, unpacker)
    outcome = unpacker.unpack(header.get("outcome"), "outcome")
    if not isinstance(outcome, Outcome):
        raise ValueError("what was learned is not an outcome")
    _set_features(estimator, unpacker.unpack(header.get("features"), "features"))
    check_features(outcome, estimator.n_features_in_)
    outcome.write(estimator)
    recipe, provenance = (unpacker.unpack(header.get(n), n) for n in ("recipe", "provenance"))
    if not isinstance(recipe, (dict, type(None))) or not isinstance(provenance, dict):
        raise ValueError("its recipe or its provenance is not a table")
    return Model(estimator, recipe, provenance, str(header.get("version")))


def _set_features(estimator: Any, features: Any) -> None:
    """Set the number of features, and their names if the data had any."""
    count, names = (features or {}).get("count"), (features or {}).get("names")
    if not whole(count):
        raise ValueError("it does not say how many features it has")
    estimator.n_features_in_ = count
    if names is not None:
        if not array("O", 1)(names) or len(names) != count:
            raise ValueError("its features have names that do not fit")
        if not all(isinstance(name, str) for name in names):
            raise ValueError("its features have names that are no texts")
        estimator.feature_names_in_ = names


def _estimator(header: dict[str, Any], unpacker: Unpacker) -> Any:
    """The estimator with its parameters, not yet fitted."""
    name = header.get("estimator")
    if not isinstance(name, str) or name not in MEMBERS:
        raise ValueError(f"the estimator {str(name)[:60]!r} is not known here")
    parameters = unpacker.unpack(header.get("parameters"), "parameters")
    if not isinstance(parameters, dict):
        raise ValueError("the parameters are not a table")
    known = declared(MEMBERS[name])
    for key, value in parameters.items():
        if key not in known:
            raise ValueError(
                f"it was written by rosenblatt {str(header.get('version'))[:20]}, and in this "
                f"version ({__version__}) {name} has no parameter {key[:60]!r}; load it with that "
                "version, or train the model again"
            )
        default = known[key].default
        if isinstance(default, (bool, int, float)) and not isinstance(value, (bool, int, float)):
            raise ValueError(f"the parameter {key} is not a number")
        if isinstance(value, tuple) and type(value).__name__ in unpacker.kinds and key != "rule":
            raise ValueError(f"the parameter {key} is a {type(value).__name__}")
    estimator = MEMBERS[name](**parameters)
    estimator.check_parameters()
    return estimator
