"""Columns as features, labels as codes of classes: recipes, and streams of matrices for training.

A recipe is learned once and applied in the same way ever after.
"""

from __future__ import annotations

from rosenblatt.data.extras import extra

with extra("cli", "reading files"):
    from rosenblatt.data.features import exact
    from rosenblatt.data.features.columns import Category, Flag, Number, Text
    from rosenblatt.data.features.parts import read_matrix, split_source
    from rosenblatt.data.features.recipe import Recipe
    from rosenblatt.data.features.stream import Stream, learn_recipe, read

__all__ = [
    "Category",
    "Flag",
    "Number",
    "Recipe",
    "Stream",
    "Text",
    "exact",
    "learn_recipe",
    "read",
    "read_matrix",
    "split_source",
]
