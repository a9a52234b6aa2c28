"""Values as JSON has them. It imports nothing heavy, since every command uses it."""

from __future__ import annotations

from math import isfinite
from typing import Any


def plain(value: Any) -> Any:
    """Return a value as JSON has it: lists for arrays, null for what is not finite."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
