"""A model file with its recipe, and the files that it predicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rosenblatt.cli.fast_imports  # noqa: F401 (before anything that imports scikit-learn)
from rosenblatt.cli.output import show_error
from rosenblatt.cli.sources import open_for_recipe
from rosenblatt.data import DataError, Recipe
from rosenblatt.estimators import report
from rosenblatt.storage import modelfile
from rosenblatt.theory.spaces import Array


@dataclass
class SavedModel(modelfile.Model):
    """A model file whose recipe is ready to transform tables."""

    prepare: Any = None  # the recipe; None if the model was saved without one

    @property
    def feature_names(self) -> Sequence[str] | None:
        """The names that the recipe gives the features, if there is one."""
        return None if self.prepare is None else self.prepare.feature_names

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
        if self.prepare is None:
            raise ValueError("the model was saved without a recipe for tables; use it in Python.")
        return self.prepare


def load_model(path: Path) -> SavedModel:
    """Read a model file."""
    model = modelfile.read(path)
    stored, recipe = model.recipe, None
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


def strongest_weights(estimator: Any, recipe: Any, k: int) -> dict[Any, dict[str, Any]]:
    """Return the strongest weights of each class, named as in the table.

    A kernel model has no weights, so the result is empty.
    """
    if not hasattr(estimator, "coef_"):
        return {}
    return report.top_features(estimator, k, None if recipe is None else recipe.feature_names)


def _note_unseen(recipe: Any) -> None:
    unseen = recipe.unseen()
    if unseen:
        show_error(f"note: {unseen} (counted as nothing)")
