"""Which parameters of a command name inputs and outputs, and the check of outputs.

Each parameter that names a file has a role beside its type, `Reads` or `Writes`. The application
checks the outputs of every command before it runs, so that no command overwrites its inputs.
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


def _only(path: Any) -> list[Any]:
    return [path]


@dataclass(frozen=True)
class Reads:
    """The role of a parameter that names files to read; `files` lists them."""

    files: Callable[[Any], Iterable[Path | int]] = _only


@dataclass(frozen=True)
class Writes:
    """The role of a parameter that names an output.

    It is a file, or a folder in which the files `inside` are written.
    """

    inside: tuple[str, ...] = ()


def data_files(data: str) -> Iterable[Path | int]:
    """List the files that DATA names, including the labels beside images."""
    from rosenblatt.data import input_files

    return input_files(data)


def opening_files(source: str) -> Iterable[Path | int]:
    """List the files that the lab opens; a link names none."""
    from rosenblatt.lab.addresses import is_link

    return [] if is_link(source) else [Path(source)]


def validation_files(validate: str) -> Iterable[Path | int]:
    """List the files that --validate names; a fraction names none."""
    _, file = parse_validate(validate)
    return [] if file is None else data_files(file)


def parse_validate(validate: str | None) -> tuple[float, str | None]:
    """Return the fraction of rows to hold out, and the file of held-out rows."""
    if validate is None:
        return 0.0, None
    try:
        fraction = float(validate)
    except ValueError:
        return 0.0, validate
    if not 0 < fraction < 1:
        raise ValueError(f"--validate {validate} must be between 0 and 1, or a file.")
    return fraction, None


def roles(function: Callable[..., Any]) -> dict[str, Reads | Writes]:
    """Return the role of each parameter that names files."""
    found: dict[str, Reads | Writes] = {}
    for name, hint in get_type_hints(function, include_extras=True).items():
        for mark in getattr(hint, "__metadata__", ()):
            if isinstance(mark, (Reads, Writes)):
                found[name] = mark
    return found


def with_checked_outputs(function: Command) -> Command:
    """Return the command with a check of its outputs before anything else."""

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        bound = inspect.signature(function).bind(*arguments, **options)
        bound.apply_defaults()
        _check(function, bound.arguments)
        return function(*arguments, **options)

    return checked  # type: ignore[return-value]


def _check(function: Callable[..., Any], given: dict[str, Any]) -> None:
    """Reject outputs that cannot be written or would overwrite an input."""
    outputs: list[tuple[str, str | Path]] = []
    inputs: list[tuple[Reads, Any]] = []
    for name, role in roles(function).items():
        value = given[name]
        if value is None:
            continue
        if isinstance(role, Reads):
            inputs.append((role, value))
        elif role.inside:
            outputs += atomic.inside(value, role.inside, f"--{name}")
        elif str(value) not in atomic.STANDARD_OUTPUT:
            outputs.append((f"--{name}", value))
    if os.path.isfile(STDOUT):  # redirected to a file, which may be an input or another output
        outputs.append(("standard output", STDOUT))
    if outputs:
        atomic.protect(outputs, (file for role, value in inputs for file in role.files(value)))
