"""The lab: a local server and its page, to watch perceptrons learn in the browser.

`serve` opens it. The page learns and replays by itself, on the compiled loops; `actions` answers
its other requests with calls of the library, within the limits of `schema` and `guard`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.data.extras import extra

if TYPE_CHECKING:
    from rosenblatt.lab.server import serve

__all__ = ["serve"]

STATIC = Path(__file__).with_name("static")
"""Where the page is built."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'rosenblatt.lab' has no attribute {name!r}")
    with extra("lab", "the lab"):
        from rosenblatt.lab import server
    return getattr(server, name)
