"""The page's module: loops and rules as WebAssembly, and an index of them for JavaScript.

The index says for each loop, by its name, the symbol of its code, what it returns, and its
arguments with their kinds, as `record` writes these; and for each rule the symbols of its functions
and its parameters with their defaults.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import subprocess
import tempfile
from collections.abc import Iterable
from math import inf
from pathlib import Path
from shutil import which
from typing import Any

from native import table
from rosenblatt.engine.execution import record, shipped
from rosenblatt.theory import rules

HERE = Path(__file__).parent
FOLDER = HERE.parent / "web" / "src" / "engine"
MODULE, INDEX = FOLDER / "rosenblatt.wasm", FOLDER / "rosenblatt.wasm.json"
FLAGS = (
    "--no-entry", "--import-memory", "--export-table", "--growable-table", "--gc-sections",
    "--strip-all", "--stack-first", "--export-dynamic", "--export=__heap_base",
)  # fmt: skip
FROM_PAGE = ("exp", "expm1", "pow")
"""Functions of C that WebAssembly does not have; the page brings JavaScript's."""
MISSING = (
    "it takes wasm-ld to link the page's module: install the package lld, or name the linker in "
    "WASM_LD."
)


def linker() -> str | None:
    """Return the linker, or None if there is none."""
    return os.environ.get("WASM_LD") or which("wasm-ld")


def fingerprint() -> str:
    """Return the hash of what the module is made from."""
    digest = hashlib.sha256(shipped.fingerprint().encode())
    for file in sorted(HERE.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def fresh() -> bool:
    """Return whether the module is there and made from the sources as they are."""
    if not (MODULE.exists() and INDEX.exists()):
        return False
    return bool(json.loads(INDEX.read_text())["sources"] == fingerprint())


def write(objects: dict[str, bytes], returns: dict[str, str]) -> None:
    """Link objects into the module, and write its index; `returns` is by the symbols of loops."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    content = json.dumps(index(returns), allow_nan=False, separators=(",", ":"))
    with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
        module = Path(scratch, MODULE.name)
        link(objects, module)
        INDEX.unlink(missing_ok=True)  # never a new module with an old index
        module.replace(MODULE)
        text = Path(scratch, INDEX.name)
        text.write_text(content)
        text.replace(INDEX)


def link(objects: dict[str, bytes], module: Path) -> None:
    """Link objects into a module."""
    found = linker()
    if found is None:
        raise RuntimeError(MISSING)
    with tempfile.TemporaryDirectory() as scratch:
        allowed = Path(scratch, "from_page")
        allowed.write_text("\n".join(FROM_PAGE))
        files = [Path(scratch, f"{symbol}.o") for symbol in objects]
        for file, content in zip(files, objects.values(), strict=True):
            file.write_bytes(content)
        names = [f"--allow-undefined-file={allowed}", "-o", str(module), *map(str, files)]
        subprocess.run([found, *FLAGS, *names], check=True)


def index(returns: dict[str, str]) -> dict[str, Any]:
    """Return what JavaScript must know of the module."""
    loops = [loop for group in table.groups() for loop in group if loop.in_page]
    described = {loop.name: _described(loop, returns[loop.symbol]) for loop in loops}
    if len(described) < len(loops):
        raise ValueError("two loops of the page have one name; let table.Loop.name tell them apart")
    return {"sources": fingerprint(), "loops": described, "rules": _rules()}


def _described(loop: table.Loop, returns: str) -> dict[str, Any]:
    names = inspect.signature(loop.function).parameters
    return {
        "symbol": loop.symbol,
        "returns": returns,
        "arguments": _fields(names, loop.arguments),
    }


def _fields(names: Iterable[str], values: tuple[Any, ...]) -> list[Any]:
    """Return names with the kinds of values: a string, or of a record those of its fields."""
    return [[name, _kind(value)] for name, value in zip(names, values, strict=True)]


def _kind(value: Any) -> Any:
    if isinstance(value, tuple):
        kind: Any = type(value)
        return {"record": kind.__name__, "fields": _fields(kind._fields, value)}
    kinds: list[Any] = []
    record.describe(value, kinds, [])
    return " ".join(map(str, kinds))


def _rules() -> dict[str, Any]:
    """Return the name, marks, parameters and symbols of each kind of rule."""
    names = {kind: name for name, kind in rules.RULES.items()}
    made: dict[str, Any] = {}
    for function in table.rule_functions():
        kind: Any = function.kind
        entry = made.setdefault(
            kind.__name__,
            {
                "name": names.get(kind),
                "space": getattr(kind, "space", None),  # one of its own, which the page has not
                "needs_dual": getattr(kind, "needs_dual", False),
                "parameters": _parameters(kind),
                "functions": {},
            },
        )
        entry["functions"][function.work.__name__] = function.symbol
    return made


def _parameters(kind: Any) -> list[Any]:
    """Return names with defaults; JSON has no infinity, and None is for those without a default."""
    defaults = [kind._field_defaults.get(name) for name in kind._fields]
    finite = ["inf" if default == inf else default for default in defaults]
    return [list(pair) for pair in zip(kind._fields, finite, strict=True)]
