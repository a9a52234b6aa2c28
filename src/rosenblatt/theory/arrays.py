"""Views of arrays that plain and compiled code make alike."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from rosenblatt.theory.verbs import inner


@inner
def flat(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a contiguous array as one row, without a copy."""
    return array.reshape(array.size)
