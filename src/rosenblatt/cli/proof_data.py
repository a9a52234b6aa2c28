"""A file as the examples of a proof: exact numbers, and the scope of the proof.

A recipe turns columns into features. What is proved of features is a statement about the file only
together with the columns that were used and how they were treated; `scope` states both.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf, isclose, lcm
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.data import DataError, Recipe, Stream
from rosenblatt.data.features import Category, Flag, Number, Text, exact
from rosenblatt.proofs.checker import Table, schema, with_exact_columns, with_exact_entries
from rosenblatt.theory.spaces import Array

SHOWN = 8
"""Columns that are listed by name."""
TOLERANCE = {"rel_tol": 1e-6, "abs_tol": 1e-9}
"""Means and deviations are sums of floats, which another machine may round differently."""


def exact_examples(stream: Stream) -> tuple[Table, Array]:
    """Return all rows of a file, numbers exactly as written, and their labels."""
    recipe, source = stream.recipe, stream.source
    X, codes = stream.all_rows()
    y = stream.classes[codes]
    if recipe.sparse:
        X.sum_duplicates()  # sorts, and adds up features that a text has twice, as floats
    if recipe.kind == "images":
        return Table(X), y
    if recipe.kind == "svmlight":
        values, labels = exact.entries(source)
        _check_labels(labels, codes, source)
        return with_exact_entries(X, *_scaled_integers(values)), y
    numbers = {c.name: c for c in recipe.columns if isinstance(c, Number) and _unchanged(c)}
    target = [str(recipe.target_name)] if _has_numeric_labels(recipe) else []
    found = exact.columns(source, [*numbers, *target])
    if target:
        _check_labels(found.pop(target[0]), codes, source)
    places = _first_features(recipe)
    known = {
        places[name]: _imputed(numbers[name], cells)
        for name, cells in found.items()
        if cells.integers is not None
    }
    return with_exact_columns(X, known), y


def _unchanged(column: Number) -> bool:
    """Return whether a column is neither centred nor scaled."""
    return column.centre == 0 and column.scale == 1


def _has_numeric_labels(recipe: Recipe) -> bool:
    return recipe.labels is not None and recipe.labels.read_as in ("number", "integer")


def _first_features(recipe: Recipe) -> dict[str, int]:
    """Return the index of the first feature of each column."""
    places, place = {}, 0
    for column in recipe.columns:
        places[column.name] = place
        place += 1 << column.bits if isinstance(column, Text) else len(column.features)
    return places


def _scaled_integers(cells: exact.Numbers) -> tuple[Array, int]:
    """Return numbers as integers over a common denominator."""
    assert cells.integers is not None
    return cells.integers, 10**cells.decimals


def _imputed(column: Number, cells: exact.Numbers) -> tuple[Array, int]:
    """Return integers and their denominator, missing ones replaced by the mean."""
    whole, over = _scaled_integers(cells)
    if not cells.missing.any():
        return whole, over
    # The scope states the mean in decimals, so these decimals are used.
    p, q = Fraction(repr(column.mean)).as_integer_ratio()
    common = lcm(over, q)
    whole = whole.astype(object) * (common // over)
    whole[cells.missing] = p * (common // q)
    return whole, common


def _check_labels(labels: exact.Numbers, codes: Array, source: Any) -> None:
    """Reject labels that are different numbers but equal floats."""
    if labels.integers is None:
        return
    different = len(set(labels.integers.tolist()))
    if different != len(np.unique(codes)):
        raise DataError(
            "some labels differ by less than the precision of floats; write them as words.",
            file=source.name,
        )


# --- the scope ------------------------------------------------------------------------------


def scope(recipe: Recipe, names: Sequence[str]) -> str:
    """Return what a proof is about: the columns used, and how they were treated.

    Certificates store this text and `verify` compares it, so its wording is part of the format.
    """
    if recipe.kind == "svmlight":
        features = _all(recipe.width, "feature")
        return f"Proved of {features} of the file, numbers exactly as written."
    if recipe.kind == "images":
        return (
            f"Proved of {_all(recipe.width, 'pixel')} of the images as 32-bit floats, those of "
            "one byte divided by 255."
        )
    used = [column.name for column in recipe.columns]
    known = {*used, recipe.target_name}
    rest = [name for name in names if name not in known]
    what = _all(len(used), "column")
    if rest:
        what = f"{len(used):,} of the {len(used) + len(rest):,} columns"
    unused = f"; not used: {_listed(sorted(rest))}" if rest else ""
    besides = f"other than the target '{recipe.target_name}'"
    first = f"Proved of {what} {besides}: {_listed(used)}{unused}."
    return " ".join([first, *_treatments(recipe)])


def _treatments(recipe: Recipe) -> list[str]:
    """Return a sentence for each way in which columns became features."""
    columns = recipe.columns
    numbers = [column for column in columns if isinstance(column, Number)]
    sentences = []
    if any(_unchanged(column) for column in numbers):
        sentences.append("Numbers are taken exactly as they stand.")
    scaled = [column.name for column in numbers if not _unchanged(column)]
    if scaled:
        sentences.append(f"Standardised, the features being 64-bit floats: {_listed(scaled)}.")
    for column in numbers:
        if column.missing and _unchanged(column):
            sentences.append(
                f"A missing number in '{column.name}' counts as {column.mean!r}, with an indicator."
            )
    for kind, treatment in (
        (Category, "One feature for each value"),
        (Flag, "True or false"),
        (Text, "Hashed words with weights, the features being 64-bit floats"),
    ):
        names = [column.name for column in columns if isinstance(column, kind)]
        if names:
            sentences.append(f"{treatment}: {_listed(names)}.")
    return sentences


def _all(count: int, noun: str) -> str:
    return f"the only {noun}" if count == 1 else f"all {count:,} {noun}s"


def _listed(names: Iterable[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    more = len(quoted) - SHOWN
    return ", ".join(quoted[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")


# --- the recipe in a certificate ------------------------------------------------------------


def certificate_recipe(stored: Any, path: Path) -> Any:
    """Return the recipe that a certificate contains."""
    if stored is None:
        raise ValueError(
            f"{path} does not say how its examples were made from a table; check it in Python "
            "with rosenblatt.verify."
        )
    try:
        words = schema.fields(stored, "the recipe", ("words", "arrays"))["words"]
        arrays = {name: np.asarray(values, float) for name, values in stored["arrays"].items()}
        recipe = Recipe.from_dict(words, arrays)
        if recipe.to_dict() != words or recipe.arrays().keys() != arrays.keys():
            raise ValueError("it holds more than a recipe does.")
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: its recipe cannot be used: {error}") from None
    return recipe


def stream_of_same_recipe(recipe: Recipe, source: Any) -> Stream | None:
    """Return the file under the given recipe; None if the file gives another recipe.

    A recipe in a certificate could leave out values, or map different rows to equal features. It
    is accepted only if a recipe learned from the same columns of the file is the same.
    """
    probe = copy.copy(source)
    probe.types = dict(source.types)
    recipe.bind(probe, target=True)  # reports columns that are absent
    own = Stream(source, budget=inf, dtype=np.float64, **_options(recipe, source))
    given, learned = recipe.to_dict(), own.recipe.to_dict()
    if not _nearly_equal(learned, given):
        return None
    given_arrays, learned_arrays = recipe.arrays(), own.recipe.arrays()
    if not all(np.allclose(given_arrays[name], learned_arrays[name]) for name in learned_arrays):
        return None
    if learned == given and all(
        np.array_equal(given_arrays[name], learned_arrays[name]) for name in learned_arrays
    ):
        return own
    return Stream(source, recipe, budget=inf, dtype=np.float64)


def _options(recipe: Recipe, source: Any) -> dict[str, Any]:
    """Return the options of the command that made a recipe."""
    if recipe.kind != "table":
        return {}
    used = {column.name for column in recipe.columns} | {recipe.target_name}
    texts = [column for column in recipe.columns if isinstance(column, Text)]
    numbers = [column for column in recipe.columns if isinstance(column, Number)]
    return {
        "target": recipe.target_name,
        "drop": [name for name in source.names if name not in used],
        "text": [column.name for column in texts],
        "ngrams": max((column.longest for column in texts), default=1),
        "standardise": not all(_unchanged(column) for column in numbers),
    }


def _nearly_equal(own: Any, given: Any) -> bool:
    """Return whether two plain values are equal, floats up to rounding."""
    if isinstance(own, dict):
        same = isinstance(given, dict) and own.keys() == given.keys()
        return same and all(_nearly_equal(own[k], given[k]) for k in own if k != "spread")
    if isinstance(own, list):
        same = isinstance(given, list) and len(own) == len(given)
        return same and all(map(_nearly_equal, own, given))
    if isinstance(own, float) and isinstance(given, (int, float)):
        return isclose(own, given, **TOLERANCE)
    return bool(own == given)
