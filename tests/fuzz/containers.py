"""The containers that files are in: what is inside them, and valid containers of anything else.

Damage inside a valid container gets past the outer checks, to the code that must notice it.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

KEY = "rosenblatt"  # of a model's header in the metadata of safetensors
HEADER = "header"  # the array of a state that holds JSON
LIFTED = "lifted"  # stands for a list of numbers that counts as an array
SHORTEST = 2  # numbers in a list of JSON from which on it counts as an array
DTYPES = {
    "b1": "BOOL", "u1": "U8", "i1": "I8", "u2": "U16", "i2": "I16", "u4": "U32", "i4": "I32",
    "u8": "U64", "i8": "I64", "f2": "F16", "f4": "F32", "f8": "F64",
}  # fmt: skip
"""Types of numbers, and the names that safetensors gives them."""


@dataclass
class Content:
    """What a file contains: a tree of plain values, and arrays by name."""

    tree: Any
    arrays: dict[str, np.ndarray]


@dataclass(frozen=True)
class Container:
    """A way to store content."""

    parse: Callable[[bytes], Content]
    build: Callable[[str, Content], bytes]  # from the tree as text, and the arrays
    text: Callable[[Content], str]  # the tree as text, as `build` needs it


# --- model files --------------------------------------------------------------------------------


def _parse_model(raw: bytes) -> Content:
    (length,) = struct.unpack("<Q", raw[:8])
    header, body = json.loads(raw[8 : 8 + length]), raw[8 + length :]
    tree, names = json.loads(header.pop("__metadata__")[KEY]), {v: k for k, v in DTYPES.items()}
    arrays = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        flat = np.frombuffer(body[first:last], names[entry["dtype"]])
        arrays[name] = flat.reshape(entry["shape"]).copy()
    return Content(tree, arrays)


def _build_model(text: str, content: Content) -> bytes:
    header: dict[str, Any] = {"__metadata__": {KEY: text}}
    body = b""
    for name, array in content.arrays.items():
        part = np.asarray(array).astype(array.dtype.newbyteorder("<")).tobytes()
        dtype = DTYPES[f"{array.dtype.kind}{array.dtype.itemsize}"]
        offsets = [len(body), len(body) + len(part)]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": offsets}
        body += part
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + body


# --- saved states -------------------------------------------------------------------------------


def _parse_state(raw: bytes) -> Content:
    with np.load(io.BytesIO(raw)) as file:
        arrays = dict(file)
    return Content(json.loads(arrays.pop(HEADER).tobytes()), arrays)


def _build_state(text: str, content: Content) -> bytes:
    arrays = content.arrays | {HEADER: np.frombuffer(text.encode("utf-8", "replace"), np.uint8)}
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


# --- JSON ---------------------------------------------------------------------------------------


def _parse_json(raw: bytes) -> Content:
    arrays: dict[str, np.ndarray] = {}

    def lifted(tree: Any, path: str) -> Any:
        if isinstance(tree, list) and len(tree) >= SHORTEST:
            array = np.array(tree) if _regular(tree) else None
            if array is not None and array.dtype.kind in "if":
                arrays[path] = array
                return {LIFTED: path}
        if isinstance(tree, dict):
            return {key: lifted(value, f"{path}.{key}") for key, value in tree.items()}
        if isinstance(tree, list):
            return [lifted(value, f"{path}.{place}") for place, value in enumerate(tree)]
        return tree

    return Content(lifted(json.loads(raw), ""), arrays)


def _regular(tree: list[Any]) -> bool:
    if all(isinstance(row, list) for row in tree):
        return len({len(row) for row in tree}) == 1 and all(map(_regular, tree)) and bool(tree[0])
    return all(type(value) in (int, float) for value in tree)


def _json_text(content: Content) -> str:
    def lowered(tree: Any) -> Any:
        if isinstance(tree, dict) and isinstance(tree.get(LIFTED), str):
            array = content.arrays.get(tree[LIFTED])
            return None if array is None else array.tolist()
        if isinstance(tree, dict):
            return {key: lowered(value) for key, value in tree.items()}
        return [lowered(value) for value in tree] if isinstance(tree, list) else tree

    return json.dumps(lowered(content.tree))


def _plain_text(content: Content) -> str:
    return json.dumps(content.tree)


MODEL = Container(_parse_model, _build_model, _plain_text)
STATE = Container(_parse_state, _build_state, _plain_text)
JSON = Container(_parse_json, lambda text, _: text.encode("utf-8", "replace"), _json_text)
