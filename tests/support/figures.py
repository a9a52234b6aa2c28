"""Iris, two features at a time, and what is read back out of a figure."""

from __future__ import annotations

from sklearn.datasets import load_iris

X, y = load_iris(return_X_y=True)
SEPAL, PETAL = X[:, :2], X[:, 2:]
EASY, HARD = slice(0, 100), slice(50, 150)  # separable, and not


def line(ax, label):
    return next(shape for shape in ax.lines if shape.get_label().startswith(label))


def note(ax):
    return " ".join(text.get_text() for text in ax.texts if text.get_gid() == "note")


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]
