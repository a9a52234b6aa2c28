"""Files: atomic writes, model files, checkpoints, ONNX graphs and replay documents.

All of them hold data and no code, are replaced completely or not at all, and are checked when they
are read. Names are imported on first use, because every other room uses `storage.atomic`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.storage.checkpoint import Checkpoints, resume
    from rosenblatt.storage.modelfile import Model, load, read, save
    from rosenblatt.storage.onnx_export import to_onnx
    from rosenblatt.storage.replay import Samples, run_document

_MODULES = {
    "Checkpoints": "checkpoint",
    "Model": "modelfile",
    "Samples": "replay",
    "run_document": "replay",
    "load": "modelfile",
    "read": "modelfile",
    "resume": "checkpoint",
    "save": "modelfile",
    "to_onnx": "onnx_export",
}

__all__ = [
    "Checkpoints",
    "Model",
    "Samples",
    "load",
    "read",
    "resume",
    "run_document",
    "save",
    "to_onnx",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rosenblatt.storage' has no attribute {name!r}")
    return getattr(import_module(f"rosenblatt.storage.{_MODULES[name]}"), name)
