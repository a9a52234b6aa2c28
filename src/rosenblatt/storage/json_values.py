"""Values as JSON has them, in and out. It imports nothing heavy, since every command uses it."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

DEEPEST = 100  # levels of nesting; deeper ones exhaust the stack somewhere


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


def parse_strictly(content: bytes | str) -> Any:
    """Return what untrusted JSON holds; a ValueError states what is wrong with it."""
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        found = json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_reject_constant
        )
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON (line {error.lineno}: {error.msg})") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if _is_deep(found):
        raise ValueError("it is nested too deeply")
    return found


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name appears twice in the same object")
    return found


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not valid JSON")


def _is_deep(tree: Any) -> bool:
    """Return whether lists and objects are nested in more levels than `DEEPEST`."""
    level = [tree] if isinstance(tree, (dict, list)) else []
    for _ in range(DEEPEST):
        insides = (one.values() if isinstance(one, dict) else one for one in level)
        level = [value for inside in insides for value in inside if type(value) in (dict, list)]
        if not level:
            return False
    return True
