"""Data that come in parts, made ready for learning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.engine import inputs
from rosenblatt.engine.plan import Examples, Source
from rosenblatt.theory.spaces import Array


class Weighted:
    """A source whose parts are laid out as the engine reads them, with the weights of classes."""

    def __init__(self, source: Source, class_weight: dict[Any, float] | None) -> None:
        self.source, self.classes, self.files = source, source.classes, source.files
        self.factors: Array | None = None
        if class_weight is not None:
            self.factors = np.array([class_weight.get(c, 1.0) for c in source.classes.tolist()])

    def parts(self, number: int) -> Iterator[Examples]:
        """The parts of a pass."""
        for part in self.source.parts(number):
            weights = part.weights
            if self.factors is not None:
                factors = self.factors[np.searchsorted(self.classes, part.y)]
                weights = inputs.sample_weights(factors, len(part.y))
            yield Examples(inputs.contiguous(part.X), part.y, weights, None, part.visits)

    def held_out(self) -> Iterator[tuple[Any, Array]]:
        """Examples that are not learned."""
        return self.source.held_out()
