"""Figures that show how tangled the sources are: `python -m benchmarks.metrics [FOLDER]`.

They are counted from the text alone, so that any two commits can be compared.
"""

from __future__ import annotations

import argparse
import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Public, whatever their names look like: of named tuples, and of Numba for its extensions.
PUBLIC = {"_replace", "_asdict", "_fields", "_make", "_getvalue"}
BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.ExceptHandler, ast.comprehension, ast.Assert)
ODD = re.compile(r"\b(?:told|said|whoever)\b")
COMPLEX = 15


def sources(root: Path) -> dict[Path, ast.Module]:
    """Every module of the package, parsed."""
    files = sorted((root / "src" / "rosenblatt").rglob("*.py"))
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a module, methods and inner functions included."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def complexity(function: ast.AST) -> int:
    """Ways through a function: one, and one more for each branch (McCabe 1976).

    >>> complexity(ast.parse("a if b and c else d"))
    3
    """
    ways = 1
    for node in ast.walk(function):
        if isinstance(node, BRANCHES):
            ways += 1
        elif isinstance(node, ast.BoolOp):
            ways += len(node.values) - 1
    return ways


def foreign(tree: ast.Module) -> int:
    """Private members that are read or set on another object than `self`, `cls` or `super()`.

    >>> foreign(ast.parse("self._x + other._y + record._replace(a=1)"))
    1
    """
    count = 0
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not node.attr.startswith("_"):
            continue
        if node.attr.startswith("__") or node.attr in PUBLIC:
            continue
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        above = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super"
        count += not (own or above)
    return count


def layers(root: Path) -> int:
    """Lines of the import contract of the whole package."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    return max(len(contract.get("layers", [])) for contract in contracts)


def figures(root: Path) -> dict[str, int]:
    """All figures of a checkout."""
    trees = sources(root)
    texts = [file.read_text(encoding="utf-8") for file in trees]
    every = [function for tree in trees.values() for function in functions(tree)]
    return {
        "modules at the top level": sum(file.parent.name == "rosenblatt" for file in trees),
        "import layers": layers(root),
        "accesses to foreign private members": sum(map(foreign, trees.values())),
        "lines of source": sum(text.count("\n") for text in texts),
        "lines of the longest function": max(map(length, every)),
        f"functions of a complexity above {COMPLEX}": sum(complexity(f) > COMPLEX for f in every),
        "told, said, whoever": sum(len(ODD.findall(text)) for text in texts),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT, help="another checkout")
    for name, figure in figures(parser.parse_args().folder).items():
        print(f"{name:40} {figure:,}")


if __name__ == "__main__":
    main()
