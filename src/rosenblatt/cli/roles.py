"""What the parameters of commands read and write, and the check that keeps them apart.

Each parameter that names a file has a role beside its type, `Reads` or `Writes`. Every command
that is registered with the application is checked by these roles before it runs, so that no
command can write over its inputs.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from rosenblatt.storage import atomic

STDOUT = "/dev/stdout"
Command = TypeVar("Command", bound=Callable[..., Any])


def _itself(given: Any) -> list[Any]:
    return [given]


@dataclass(frozen=True)
class Reads:
    """A parameter that names files to read; `files` lists them."""

    files: Callable[[Any], Iterable[Path | int]] = _itself


@dataclass(frozen=True)
class Writes:
    """A parameter that names a file to write, or a folder with the files `inside` to write."""

    inside: tuple[str, ...] = ()


def data_files(data: str) -> Iterable[Path | int]:
    """List the files that DATA stands for, labels beside images included."""
    from rosenblatt.data import input_files

    return input_files(data)


def validation_files(given: str) -> Iterable[Path | int]:
    """List the files of --validate; a share of the rows has none."""
    from rosenblatt.cli.reading import part

    _, file = part(given)
    return [] if file is None else data_files(file)


def roles(function: Callable[..., Any]) -> dict[str, Reads | Writes]:
    """Return the role of each parameter that names files."""
    found: dict[str, Reads | Writes] = {}
    for name, hint in get_type_hints(function, include_extras=True).items():
        for mark in getattr(hint, "__metadata__", ()):
            if isinstance(mark, (Reads, Writes)):
                found[name] = mark
    return found


def guarded(function: Command) -> Command:
    """Make a command refuse bad outputs before it does anything else."""

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        bound = inspect.signature(function).bind(*arguments, **options)
        bound.apply_defaults()
        _check(function, bound.arguments)
        return function(*arguments, **options)

    return checked  # type: ignore[return-value]


def _check(function: Callable[..., Any], given: dict[str, Any]) -> None:
    outputs: list[tuple[str, str | Path]] = []
    read: list[tuple[Reads, Any]] = []
    for name, role in roles(function).items():
        value = given[name]
        if value is None:
            continue
        if isinstance(role, Reads):
            read.append((role, value))
        elif role.inside:
            outputs += atomic.inside(value, role.inside, f"--{name}")
        elif str(value) not in atomic.STANDARD_OUTPUT:
            outputs.append((f"--{name}", value))
    if os.path.isfile(STDOUT):  # redirected to a file, which may be an input or another output
        outputs.append(("standard output", STDOUT))
    if outputs:
        atomic.protect(outputs, (file for role, value in read for file in role.files(value)))
