"""Shards from files: the recipe is learned once here, the rows are read where they will stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rosenblatt import data
from rosenblatt.cluster.blocks import Block
from rosenblatt.cluster.shard import Shard


def is_path(X: Any) -> bool:
    """Whether this names files: a file, a folder, a pattern, or a list of these."""
    if isinstance(X, (list, tuple)):
        return bool(X) and all(isinstance(one, (str, Path)) for one in X)
    return isinstance(X, (str, Path))


def paths(X: Any) -> list[Path | int]:
    """List the files that this names."""
    return data.input_files(list(X) if isinstance(X, tuple) else X)


def file_blocks(
    X: Any, target: str | None, recipe: data.Recipe | None, count: int | None, workers: int
) -> tuple[list[Block], data.Recipe]:
    """Parts of files to be read on workers, and the recipe for their rows."""
    words = tuple(recipe.text_columns) if recipe is not None else ()
    source = data.open_source(list(X) if isinstance(X, tuple) else X, strings=words)
    if recipe is None:
        if source.kind == "table" and target is None:
            raise ValueError(
                f"which column of {source.name} holds the labels? Name it with target= (there are: "
                f"{', '.join(source.names[:8])})."
            )
        recipe = data.learn_recipe(source, target=target)
    if recipe.labels is None:
        raise data.DataError("there are no labels to learn from.", file=source.name)
    recipe.bind(source, target=True)
    parts = data.split_source(source, count or max(len(source.files), workers))
    # The recipe travels with each part, small beside its rows: were it a task of its own, Dask
    # would heap the shards on the worker that has it.
    return [(part, recipe, _where(part)) for part in parts], recipe


def _where(part: Any) -> str:
    first, last = part.files[0], part.files[-1]
    if first is not last:
        return f"{first.name} to {last.name}"
    if first.section is None:
        return str(first.name)
    return f"{first.name} from {first.section.start:,} to {first.section.end:,}"


def file_shard(
    source: Any, recipe: data.Recipe, where: str, share: float = 0.0, number: int = 0
) -> Shard:
    """Read a part of the files; on the worker that keeps it."""
    return Shard(*data.read_matrix(source, recipe), where, share, number)


def examples(path: Any, recipe: data.Recipe) -> tuple[Any, Any]:
    """All rows of a file, here, as a recipe makes them."""
    return data.read_matrix(data.open_source(path, strings=tuple(recipe.text_columns)), recipe)
