"""A file as the examples of a proof: its numbers as they stand, and words for what was used of it.

A recipe turns columns into features. What is proved of features is a statement about the file only
with the columns that were used and what became of them, so that is said with every verdict.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isclose, lcm
from typing import Any

import numpy as np

from rosenblatt.data import DataError, Recipe, Stream
from rosenblatt.data.features import Category, Flag, Number, Text, exact
from rosenblatt.proofs.checker import Table, with_exact_columns, with_exact_entries
from rosenblatt.theory.spaces import Array

SHOWN = 8
"""Columns that are named one by one."""
LOOSE = {"rel_tol": 1e-6, "abs_tol": 1e-9}
"""Means and deviations are sums of floats, which other machines may round otherwise."""


def examples(stream: Stream) -> tuple[Table, Array]:
    """All rows of a file, numbers exactly as they stand, and their labels."""
    recipe, source = stream.recipe, stream.source
    X, codes = stream.all_rows()
    y = stream.classes[codes]
    if recipe.sparse:
        X.sum_duplicates()  # sorts; what a text's features have twice is added up as floats
    if recipe.kind == "images":
        return Table(X), y
    if recipe.kind == "svmlight":
        values, labels = exact.entries(source)
        _check_labels(labels, codes, source)
        return with_exact_entries(X, *_whole(values)), y
    numbers = {c.name: c for c in recipe.columns if isinstance(c, Number) and _plain(c)}
    target = [str(recipe.target_name)] if _counted(recipe) else []
    found = exact.columns(source, [*numbers, *target])
    if target:
        _check_labels(found.pop(target[0]), codes, source)
    places = _places(recipe)
    known = {
        places[name]: _imputed(numbers[name], cells)
        for name, cells in found.items() if cells.integers is not None
    }  # fmt: skip
    return with_exact_columns(X, known), y


def _plain(column: Number) -> bool:
    """Whether a column's numbers are its features, unchanged."""
    return column.centre == 0 and column.scale == 1


def _counted(recipe: Recipe) -> bool:
    return recipe.labels is not None and recipe.labels.read_as in ("number", "integer")


def _places(recipe: Recipe) -> dict[str, int]:
    """The first feature of each column."""
    places, place = {}, 0
    for column in recipe.columns:
        places[column.name] = place
        place += 1 << column.bits if isinstance(column, Text) else len(column.features)
    return places


def _whole(cells: exact.Numbers) -> tuple[Array, int]:
    assert cells.integers is not None
    return cells.integers, 10**cells.decimals


def _imputed(column: Number, cells: exact.Numbers) -> tuple[Array, int]:
    """Whole numbers and their denominator, with the recipe's mean for what is missing."""
    whole, over = _whole(cells)
    if not cells.missing.any():
        return whole, over
    # As the scope states it, in decimals.
    p, q = Fraction(repr(column.mean)).as_integer_ratio()
    common = lcm(over, q)
    whole = whole.astype(object) * (common // over)
    whole[cells.missing] = p * (common // q)
    return whole, common


def _check_labels(labels: exact.Numbers, codes: Array, source: Any) -> None:
    """Refuse labels that are different numbers but equal floats."""
    if labels.integers is None:
        return
    different = len(set(labels.integers.tolist()))
    if different != len(np.unique(codes)):
        raise DataError(
            "some labels differ by less than floats can tell; write them as words.",
            file=source.name,
        )


# --- what was used --------------------------------------------------------------------------


def scope(recipe: Recipe, names: Sequence[str]) -> str:
    """What a proof of a file is about, in a few sentences: the columns, and what became of them."""
    if recipe.kind == "svmlight":
        features = _all(recipe.width, "feature")
        return f"Proved of {features} of the file, numbers exactly as written."
    if recipe.kind == "images":
        return (
            f"Proved of {_all(recipe.width, 'pixel')} of the images as 32-bit floats, those of "
            "one byte divided by 255."
        )
    used = [column.name for column in recipe.columns]
    rest = [name for name in names if name not in used and name != recipe.target_name]
    what = _all(len(used), "column")
    if rest:
        what = f"{len(used):,} of the {len(used) + len(rest):,} columns"
    unused = f"; not used: {_named(sorted(rest))}" if rest else ""
    besides = f"other than the target '{recipe.target_name}'"
    first = f"Proved of {what} {besides}: {_named(used)}{unused}."
    return " ".join([first, *_treatments(recipe)])


def _treatments(recipe: Recipe) -> list[str]:
    """How columns became features, a sentence for each way that was used."""
    columns = recipe.columns
    numbers = [column for column in columns if isinstance(column, Number)]
    said = []
    if any(_plain(column) for column in numbers):
        said.append("Numbers are taken exactly as they stand.")
    scaled = [column.name for column in numbers if not _plain(column)]
    if scaled:
        said.append(f"Standardised, the features being 64-bit floats: {_named(scaled)}.")
    for column in numbers:
        if column.missing and _plain(column):
            said.append(
                f"A missing number in '{column.name}' counts as {column.mean!r}, with an indicator."
            )
    for kind, words in (
        (Category, "One feature for each value"),
        (Flag, "True or false"),
        (Text, "Hashed words with weights, the features being 64-bit floats"),
    ):
        names = [column.name for column in columns if isinstance(column, kind)]
        if names:
            said.append(f"{words}: {_named(names)}.")
    return said


def _all(count: int, thing: str) -> str:
    return f"the only {thing}" if count == 1 else f"all {count:,} {thing}s"


def _named(names: Iterable[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    more = len(quoted) - SHOWN
    return ", ".join(quoted[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")


# --- a recipe that a certificate brings -----------------------------------------------------


def relearned(recipe: Recipe, source: Any) -> Stream | None:
    """The file under its own recipe if that is the one given, None if it is another.

    A recipe in a certificate could leave out values, or map different rows to equal features: it
    is believed only if these columns of the file give the same.
    """
    probe = copy.copy(source)
    probe.types = dict(source.types)
    recipe.bind(probe, target=True)  # names the columns that are absent
    own = Stream(source, budget=float("inf"), dtype=np.float64, **_options(recipe, source))
    if not _alike(own.recipe.to_dict(), recipe.to_dict()):
        return None
    given, found = recipe.arrays(), own.recipe.arrays()
    if not all(np.allclose(given[name], found[name]) for name in found):
        return None
    exactly = own.recipe.to_dict() == recipe.to_dict()
    if exactly and all(np.array_equal(given[name], found[name]) for name in found):
        return own
    return Stream(source, recipe, budget=float("inf"), dtype=np.float64)


def _options(recipe: Recipe, source: Any) -> dict[str, Any]:
    """The options of the command that made a recipe."""
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
        "standardise": not all(_plain(column) for column in numbers),
    }


def _alike(own: Any, given: Any) -> bool:
    """Whether two plain values are equal, floats nearly so."""
    if isinstance(own, dict):
        same = isinstance(given, dict) and own.keys() == given.keys()
        return same and all(_alike(own[k], given[k]) for k in own if k != "spread")
    if isinstance(own, list):
        same = isinstance(given, list) and len(own) == len(given)
        return same and all(map(_alike, own, given))
    if isinstance(own, float) and isinstance(given, (int, float)):
        return isclose(own, given, **LOOSE)
    return bool(own == given)
