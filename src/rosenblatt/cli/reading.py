"""A file being read while the rest of a command is still loaded.

Scikit-learn and Numba take as long to import as a file of a hundred megabytes to parse, and
parsing needs the interpreter's lock only now and then. Nothing heavy is imported here.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

from rosenblatt.data import DataError, Stream, open_source

PATIENCE = 0.0005
"""Seconds after which a thread that imports makes way for one that parses."""


def opened(
    data: str, target: str | None, text: list[str] | None, drop: list[str] | None,
    validate: str | None, seed: int, **options: Any,
) -> tuple[Stream, Callable[[], Iterator[Any]] | None]:  # fmt: skip
    """The rows of a file with a recipe learned from them, and what is held out in another file."""
    source = source_of(data, target, text)
    if source.kind == "svmlight":
        from rosenblatt.engine.compiled import kernel

        source.compile_loop = kernel
    share, other = part(validate)
    stream = Stream(
        source, validate=share, seed=seed, target=target, text=text or (), drop=drop or (),
        **options,
    )  # fmt: skip
    check_classes(stream.classes, source)
    if other is None:
        return stream, None
    validation = Stream(open_source(other, strings=tuple(text or ())), stream.recipe)

    def held() -> Iterator[Any]:
        for X, y, _ in validation.batches():
            yield X, y

    return stream, held


def source_of(data: str, target: str | None, text: list[str] | None) -> Any:
    """A file to learn from."""
    source = open_source(data, strings=tuple(text or ()))
    if source.kind == "table" and target is None:
        some = ", ".join(source.names[:8]) + (", ..." if len(source.names) > 8 else "")
        raise DataError(
            f"which column is to be predicted? Name it with --target (there are: {some}).",
            file=source.name,
        )
    return source


def check_classes(classes: Any, source: Any) -> None:
    """Refuse a target that is always the same."""
    if classes is not None and len(classes) < 2:
        raise DataError(
            f"the target has one value only, {classes.tolist()[0]!r}; there is nothing to tell "
            "apart.",
            file=source.name,
        )


def part(validate: str | None) -> tuple[float, str | None]:
    """A share of the rows, or a file."""
    if validate is None:
        return 0.0, None
    try:
        share = float(validate)
    except ValueError:
        return 0.0, validate
    if not 0 < share < 1:
        raise ValueError(f"--validate {validate} must be between 0 and 1, or a file.")
    return share, None


def meanwhile(*given: Any, **options: Any) -> Callable[[], Any]:
    """Begin to read (`opened`) on a thread of its own; call the result to wait for it."""
    result: Future[Any] = Future()
    usual = sys.getswitchinterval()
    sys.setswitchinterval(PATIENCE)

    def read() -> None:
        try:
            result.set_result(opened(*given, **options))
        except BaseException as error:
            result.set_exception(error)
        finally:
            sys.setswitchinterval(usual)

    # A daemon: if the command fails for another reason, nobody waits for the file.
    threading.Thread(target=read, name="rosenblatt-open", daemon=True).start()
    return result.result
