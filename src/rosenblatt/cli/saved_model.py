"""A model file with its recipe, and the files that it predicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rosenblatt.cli.fast_imports  # noqa: F401 (before anything that imports scikit-learn)
from rosenblatt.cli.columns import Columns
from rosenblatt.cli.output import show_error
from rosenblatt.cli.sources import open_for_recipe
from rosenblatt.data import DataError, Recipe
from rosenblatt.estimators import report
from rosenblatt.storage import modelfile
from rosenblatt.theory.spaces import Array


@dataclass
class SavedModel(modelfile.Model):
    """A model file whose recipe is ready to transform tables."""

    prepare: Any = None  # the recipe, or the columns of a tagger; None if saved without one

    @property
    def tags(self) -> bool:
        """Whether the model labels the tokens of sentences."""
        return isinstance(self.prepare, Columns)

    @property
    def feature_names(self) -> Sequence[str] | None:
        """The names that the recipe gives the features, if there is one."""
        return None if self.prepare is None or self.tags else self.prepare.feature_names

    def examples(self, data: str) -> Iterator[Any]:
        """Yield the rows of a file as features, batch by batch."""
        recipe = self._required_recipe()
        source = open_for_recipe(data, recipe)
        for batch in source.batches(recipe.bind(source, target=False)):
            yield recipe.transform(batch)
        _note_unseen(recipe)

    def labelled_examples(self, data: str) -> Iterator[tuple[Any, Array]]:
        """Yield the rows of a file as features with their labels, batch by batch."""
        recipe = self._required_recipe()
        source = open_for_recipe(data, recipe)
        for batch in source.batches(recipe.bind(source, target=True)):
            labels = recipe.target(batch)
            if labels is None:
                raise DataError("there are no labels to compare with.", file=source.name)
            yield recipe.transform(batch), labels
        _note_unseen(recipe)

    def _required_recipe(self) -> Any:
        if self.tags:
            raise ValueError(
                "the model labels sentences; this command is for models that are learned from "
                "tables."
            )
        if self.prepare is None:
            raise ValueError("the model was saved without a recipe for tables; use it in Python.")
        return self.prepare


def load_model(path: Path) -> SavedModel:
    """Read a model file."""
    model = modelfile.read(path)
    stored, recipe = model.recipe, None
    if hasattr(model.estimator, "transition_coef_"):
        prepare = _columns(path, model)
        return SavedModel(model.estimator, stored, model.provenance, model.version, prepare)
    if stored is not None:
        try:
            recipe = Recipe.from_dict(stored["words"], stored["arrays"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: its recipe cannot be used: {error}") from None
        if recipe.width != model.estimator.n_features_in_:
            raise ValueError(
                f"{path}: its recipe makes {recipe.width:,} features, but the model was trained on "
                f"{model.estimator.n_features_in_:,}; the file is damaged, train the model again."
            )
    return SavedModel(model.estimator, stored, model.provenance, model.version, recipe)


def _columns(path: Path, model: modelfile.Model) -> Columns | None:
    """Return the columns of a tagger's files; None if it does not learn from columns."""
    features = getattr(model.estimator, "features_", None)
    width = 0 if features is None else features.columns
    if not width:
        return None
    if model.recipe is None:  # saved in Python
        return Columns(width, width)
    try:
        found = Columns.from_dict(model.recipe["words"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: its columns cannot be used: {error}") from None
    if found.width != width:
        raise ValueError(
            f"{path}: it names {found.width} columns, but its features are made of {width}; the "
            "file is damaged, train the model again."
        )
    return found


def strongest_weights(estimator: Any, recipe: Any, k: int) -> dict[Any, dict[str, Any]]:
    """Return the strongest weights of each class, named as in the table.

    A kernel model has no weights, so the result is empty.
    """
    if not hasattr(estimator, "coef_"):
        return {}
    if isinstance(recipe, Columns):
        features = estimator.features_
        return report.top_features(estimator, k, features.names(range(features.width)))
    return report.top_features(estimator, k, None if recipe is None else recipe.feature_names)


def _note_unseen(recipe: Any) -> None:
    unseen = recipe.unseen()
    if unseen:
        show_error(f"note: {unseen} (counted as nothing)")
