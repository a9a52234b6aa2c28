"""Files that can be trusted: atomic writes, models, ONNX, replay documents.

Names are loaded when they are first used, since `storage.atomic` serves every other room.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.storage.modelfile import load, save
    from rosenblatt.storage.onnx_export import to_onnx
    from rosenblatt.storage.replay import run_document

_HOMES = {
    "load": "modelfile",
    "save": "modelfile",
    "to_onnx": "onnx_export",
    "run_document": "replay",
}

__all__ = ["load", "run_document", "save", "to_onnx"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt.storage' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.storage.{_HOMES[name]}"), name)
